// Finds what a target names in this document, open shadow roots included; frames are documents of their own.
//
// A chain is a list of steps `{ by, value, name, mode }`; every step looks inside what the one before it found. `mode` says
// how texts are compared: `whole` (any case), `contains` (any case), `case` (whole) or `shown` (contains, also in what fields
// hold). Runs of spaces count as one.

// Bounds, so that no page and no target keeps us for ever.
const SEARCH_SCOPES_MAX = 1000;
const SEARCH_CHARS_MAX = 30_000_000;
const OCCURRENCES_MAX = 10_000;
const TEXT_OF_ONE_MAX = 100_000;
// How many texts with other text around them are looked at for what of that is drawn.
const HIDDEN_LOOKS_MAX = 300;
const FIELDS_NAMED_MAX = 2_000;
// How long elements are named for one search, and how many between two looks at the time.
const NAMING_MS_MAX = 4_000;
const NAMED_BETWEEN = 1_023;
const NAMING = ['aria-label', 'aria-labelledby', 'aria-owns', 'alt', 'title', 'value', 'placeholder', 'label'];

// A chain that can't be followed, and why.
class Unfit {
  constructor(what) { this.what = what }
}

// What shows nothing: soft hyphens and spaces without width. Where one text node ends and the next begins stands \0, which
// may be a space to who reads it.
const BLANK = /[\s\0\u200b\u00ad]+/g;
const evened = text => text.replace(BLANK, run => /\s/.test(run) ? ' ' : '\0').replace(/^[ \0]+|[ \0]+$/g, '');
// What text is typed into, or chosen in.
const TYPED_INTO = 'input:not([type=hidden]), textarea, select, [contenteditable], [role=textbox], [role=searchbox], [role=combobox], [role=spinbutton], [role=listbox]';
// What shows its value as text.
const WITH_TEXT = `textarea, input${['hidden', 'checkbox', 'radio', 'file', 'range', 'color', 'image', 'submit', 'button', 'reset'].map(type => `:not([type=${type}])`).join('')}`;
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test'];
const SAME_ROLE = { image: 'img', directory: 'list', presentation: 'none' };

class Texts {
  constructor(wanted, mode) {
    this.isCased = mode === 'case';
    this.isWhole = mode !== 'contains' && mode !== 'shown';
    this.isInFields = mode === 'shown';
    const needle = this.folded(evened(wanted));
    this.isEmpty = needle === '';
    this.bare = needle.replace(BLANK, '');
    const pattern = needle.split('').map(unit => unit === ' ' ? '[ \\0]' : unit.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')).join('\\0?');
    this.pattern = new RegExp(this.isWhole ? `^${pattern}$` : pattern);
  }

  folded(text) { return this.isCased ? text : text.toLowerCase() }
  fit(text) { return text != null && !this.isEmpty && this.pattern.test(this.folded(evened(text))) }
}

const textWalker = root => Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
const isRead = text => {
  const parent = parentOf(text);
  return parent === null || !isElement(parent) || !UNREAD.has(localNameOf(parent));
};

// An element's text without the text nodes that are left out, cut where it is longer than any name.
function textOf(element, isLeftOut = () => false) {
  const walker = textWalker(element), parts = [];
  for (let node = walker.nextNode(), chars = 0; node && chars < TEXT_OF_ONE_MAX; node = walker.nextNode()) {
    if (!isRead(node) || isLeftOut(node)) continue;
    chars += node.data.length;
    parts.push(node.data.slice(0, TEXT_OF_ONE_MAX));
  }
  return parts.join('\0');
}

// Whether a text is in something else in an element that matches a selector.
const isInAnother = (text, selector, within) => {
  const inner = isElement(parentOf(text)) ? dom.closest(parentOf(text), selector) : null;
  return inner !== null && inner !== within && contains(within, inner);
};

const isDrawnText = text => {
  const parent = parentOf(text);
  return !parent || !isElement(parent) || Element.prototype.checkVisibility.call(parent, { visibilityProperty: true });
};

// What a person may read of an element: what is drawn of it, also without icons, of which many are drawn of a word that is kept
// from assistive technology, and without the buttons and links beside its words.
const readingsOf = function* (element) {
  const isHidden = (node) => !isDrawnText(node);
  yield textOf(element, isHidden);
  for (const selector of ['[aria-hidden=true]', IN_BUTTON]) yield textOf(element, (node) => isHidden(node) || isInAnother(node, selector, element));
};

class Search {
  // `doing` as in a plan; see locate.js.
  constructor(doing) {
    this.trees = new Map();
    this.chars = 0;
    this.isGuess = false;
    this.isTyping = doing === 'type';
    this.treesIn = scope => {
      if (!this.trees.has(scope)) this.trees.set(scope, treesInside(scope, () => null));
      return this.trees.get(scope);
    };
  }

  pierce(scope, find) { return pierceWith(this.treesIn, scope, find) }
  all(scope, selector, keeps) { return this.pierce(scope, tree => [...queryAll(tree, selector)].filter(keeps)) }
  frames() { return this.pierce(document, tree => [...queryAll(tree, 'iframe, frame')]) }
  shadowRoots() { return [...this.trees.values()].flatMap(trees => trees.map(([, root]) => root)) }

  chain(steps) {
    let scopes = [document];
    for (const step of steps) {
      const eachCounts = step.by === 'xpath' || (step.by === 'css' && step.value.includes(':scope'));
      const within = eachCounts ? scopes : outermost(scopes);
      if (within.length > SEARCH_SCOPES_MAX) throw new Unfit(`a step of the target would look inside more than ${SEARCH_SCOPES_MAX} elements`);
      const found = new Set();
      for (const scope of within) for (const element of this.step(scope, step)) found.add(element);
      scopes = [...found];
    }
    return scopes;
  }

  step(scope, step) {
    const texts = () => new Texts(step.value, step.mode);
    switch (step.by) {
      case 'css':
        try { return this.pierce(scope, tree => [...queryAll(tree, step.value)]) } catch { throw new Unfit(`not a CSS selector: ${step.value}`) }
      case 'xpath': return this.xpath(scope, step.value);
      case 'testid': return this.attributes(scope, TEST_IDS, texts());
      case 'placeholder': return this.attributes(scope, ['placeholder', 'aria-placeholder'], texts());
      case 'name': return this.attributes(scope, ['name'], texts());
      case 'text': { const wanted = texts(); return this.pierce(scope, tree => this.text(tree, wanted)) }
      case 'label': { const wanted = texts(); return this.pierce(scope, tree => this.label(tree, wanted, scope)) }
      case 'role': return this.role(scope, step);
    }
  }

  attributes(scope, names, wanted) {
    return this.all(scope, names.map(name => `[${name}]`).join(), element => names.some(name => wanted.fit(dom.attribute(element, name))));
  }

  role(scope, { value, name, mode }) {
    const said = value.trim().toLowerCase();
    const role = SAME_ROLE[said] ?? said;
    const wanted = name == null ? null : new Texts(name, mode);
    const until = performance.now() + NAMING_MS_MAX;
    let seen = 0;
    return this.all(scope, '*', element => {
      if ((seen++ & NAMED_BETWEEN) === 0 && performance.now() > until) throw new Unfit('the page is too large to look for a role in it');
      if (roleOf(element) !== role || (wanted !== null && cantBeNamed(element, wanted))) return false;
      return !isKeptBack(element) && (wanted === null || wanted.fit(nameOf(element)));
    });
  }

  xpath(scope, path) {
    let found;
    try { found = Document.prototype.evaluate.call(document, path, scope, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null) }
    catch { throw new Unfit(`not an XPath of elements: ${path}`) }
    const elements = [];
    for (let at = 0; at < found.snapshotLength; at++) {
      const node = found.snapshotItem(at), type = typeOf(node);
      const element = type === 1 ? node : type === 9 ? documentRoot() : type === 2 ? node.ownerElement : parentOf(node);
      if (element && isElement(element) && isInside(element, scope)) elements.push(element);
    }
    return elements;
  }

  // The smallest elements with this text: the text nodes of the tree as one string, without spaces, is searched, and what
  // is found is compared again with its spaces.
  text(tree, wanted) {
    if (wanted.isEmpty) return [];
    const nodes = [], starts = [], pieces = [];
    const walker = textWalker(tree);
    let length = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!isRead(node)) continue;
      this.chars += node.data.length;
      if (this.chars > SEARCH_CHARS_MAX) throw new Unfit('the page is too large to look for a text in it');
      const piece = wanted.folded(node.data.replace(BLANK, ''));
      if (piece === '') continue;
      nodes.push(node);
      starts.push(length);
      pieces.push(piece);
      length += piece.length;
    }
    const all = pieces.join('');
    const found = new Set(), missed = new Set();
    let first = 0, hidden = 0;
    for (let at = all.indexOf(wanted.bare), seen = 0; at >= 0 && seen < OCCURRENCES_MAX; at = all.indexOf(wanted.bare, at + 1), seen++) {
      while (first + 1 < starts.length && starts[first + 1] <= at) first++;
      let last = first;
      while (last + 1 < starts.length && starts[last + 1] < at + wanted.bare.length) last++;
      const element = holding(nodes[first], nodes[last]);
      if (!element || !isElement(element) || found.has(element) || missed.has(element)) continue;
      const text = wanted.isWhole ? textOf(element) : nodes.slice(first, last + 1).map(node => node.data).join('\0');
      // The browser does not draw what a closed `details` holds besides its summary.
      if (isClosedDetails(element, dom.tag(element))) { missed.add(element); continue }
      // A menu that opens on hover, or a count that is not shown, is no part of what a person reads.
      const isFitting = wanted.fit(text) || (wanted.isWhole && hidden++ < HIDDEN_LOOKS_MAX && readingsOf(element).some(reading => wanted.fit(reading)));
      if (isFitting) found.add(element);
      else if (wanted.isWhole) missed.add(element);
    }
    for (const button of queryAll(tree, 'input[type=submit], input[type=button], input[type=reset]')) if (wanted.fit(button.value)) found.add(button);
    if (wanted.isInFields) {
      for (const field of [...queryAll(tree, WITH_TEXT)].slice(0, FIELDS_NAMED_MAX)) {
        if (!isSecretField(field) && wanted.fit(field.value.slice(0, TEXT_OF_ONE_MAX))) found.add(field);
      }
    }
    // What is named by its title or its picture is said nowhere else.
    if (found.size === 0 && !wanted.isInFields) {
      for (const element of [...queryAll(tree, '[title], img[alt], area[alt], input[type=image][alt]')].slice(0, OCCURRENCES_MAX)) {
        if (wanted.fit(dom.attribute(element, 'title')) || wanted.fit(dom.attribute(element, 'alt'))) found.add(element);
      }
    }
    // An element that also has the text further inside is not the smallest.
    const ordered = inOrder(found);
    return ordered.filter((element, at) => at + 1 === ordered.length || !contains(element, ordered[at + 1]));
  }

  // What is labelled so: by a `label`, by `aria-label`, by `aria-labelledby`. A mark or colon after the words does not count.
  label(tree, wanted, scope) {
    const fits = text => wanted.fit(text) || (!wanted.isCased && wanted.fit(text.replace(/[\s\0*:：]+$/, '')));
    const found = new Set();
    const home = isElement(tree) ? rootOf(tree) : tree;
    const parts = [];
    let beside = 0;
    for (const label of queryAll(home, 'label')) {
      const control = label.control;
      const isOfControl = node => contains(control, node);
      const fitsLabel = () => fits(textOf(label, isOfControl)) || fits(textOf(label, node => isOfControl(node) || isInAnother(node, '[aria-hidden=true]', label)));
      if (!control || !isInside(control, scope) || rootOf(control) !== home || !fitsLabel()) continue;
      found.add(this.controlIn(control));
      const drawn = drawnInstead(control);
      if (drawn !== null && isInside(drawn, scope)) found.add(drawn);
      // Beside a button that the label is for, such as one for a palette, it is the only field that is typed into.
      if (!this.isTyping || dom.matches(control, TYPED_INTO) || beside++ >= LABELS_BESIDE_MAX) continue;
      const fields = queryAll(label, TYPED_INTO);
      if (fields.length === 1 && isInside(fields[0], scope)) found.add(fields[0]);
    }
    for (const element of queryAll(tree, `[aria-label], [aria-labelledby]`)) {
      const by = byIds(element, 'aria-labelledby'), own = dom.attribute(element, 'aria-label') ?? '';
      const said = by.map(label => dom.attribute(label, 'aria-label') || textOf(label));
      if (fits(said.join(' ')) || fits(own)) { found.add(this.controlIn(element)); continue }
      // One of several may be the value, which it holds itself. Where it says what it does, such as "Select", the others say with
      // what, such as the row that it is in, which is another element.
      const isVerb = own !== '' && by.includes(element);
      if (by.length > 1 && !isVerb && parts.length < LABELS_BESIDE_MAX && by.some((label, at) => !contains(element, label) && fits(said[at]))) parts.push(element);
    }
    if (found.size === 0) for (const element of parts) found.add(element);
    if (found.size === 0) for (const field of this.calledSo(tree, home, scope, fits)) found.add(field);
    return inOrder(found);
  }

  // What the label of a component means: the only control that it draws, unless it is one by itself; else the component.
  controlIn(labelled) {
    if (!dom.tag(labelled).includes('-') || !shadowOf(labelled) || dom.matches(labelled, '[role], [tabindex]')) return labelled;
    return onlyOne(this.all(labelled, FOCUSABLE, isVisible)) ?? labelled;
  }

  // Fields that are called so although no label says it: those whose name comes from elsewhere, as from a placeholder or a box's
  // own words, and the one that a `label` stands beside that is for none.
  *calledSo(tree, home, scope, fits) {
    // Where the kind is to be guessed, placeholders and titles have their turn.
    const fields = this.isGuess ? [] : [...queryAll(tree, FIELDS_AND_BOXES)].slice(0, FIELDS_NAMED_MAX);
    for (const field of fields) if (fits(nameOf(field))) yield field;
    const until = performance.now() + NAMING_MS_MAX;
    let beside = 0;
    for (const label of [...queryAll(home, 'label')].slice(0, FIELDS_NAMED_MAX)) {
      if (label.control || !isInside(label, scope) || !fits(textOf(label))) continue;
      if (beside++ >= LABELS_BESIDE_MAX || performance.now() > until) return;
      const field = fieldBeside(label);
      if (field) yield field;
    }
  }
}

// The field that a library draws after one that it hides, such as an editor after its text area; null where there is not one.
// A form sends the value of the hidden one, so the drawn one has no name of its own, and only an editor says what it is.
const DRAWN_AFTER_MAX = 2;
function drawnInstead(field) {
  if (!dom.matches(field, `${WITH_TEXT}, select`) || Element.prototype.checkVisibility.call(field)) return null;
  const isUnnamed = (one) => !dom.has(one, 'name') && labelsOf(one).length === 0 && (isEditingHost(one) || nameOf(one) === '');
  for (let at = dom.nextElement(field), seen = 0; at && seen < DRAWN_AFTER_MAX && dom.tag(at) !== 'label'; at = dom.nextElement(at), seen++) {
    const fields = dom.matches(at, TYPED_INTO) ? [at] : [...queryAll(at, TYPED_INTO)].slice(0, LABELS_BESIDE_MAX);
    const drawn = fields.filter(one => isVisible(one) && isUnnamed(one));
    if (fields.length > 0) return onlyOne(drawn) ?? onlyOne(drawn.filter(isEditingHost));
    if (tidy(dom.textContent(at)) !== '') return null;
  }
  return null;
}

// The field beside a `label`, or beside the cell or line that holds only the label. Most labels stand before their field, and
// after their box. If there is one on either side, the order of all fields and labels around decides.
const BOXES = 'input[type=checkbox], input[type=radio], [role=checkbox], [role=radio], [role=switch]';
const FIELDS_AND_BOXES = `${TYPED_INTO}, ${BOXES}`;
// How many labels with the same text are checked for a field beside or inside them.
const LABELS_BESIDE_MAX = 50;
const siblingOf = (element, way) => {
  const next = way(element);
  return next && dom.tag(next) === 'br' ? way(next) : next;
};
const fieldsIn = (element) => (element === null ? [] : dom.matches(element, FIELDS_AND_BOXES) ? [element] : queryAll(element, FIELDS_AND_BOXES));
const onlyOne = (fields) => (fields.length === 1 ? fields[0] : null);
function fieldBeside(label) {
  for (let at = label, up = 0; at && isElement(at) && up < 3; at = parentOf(at), up++) {
    const [previous, next] = [siblingOf(at, dom.previousElement), siblingOf(at, dom.nextElement)];
    const [before, after] = [previous, next].map(fieldsIn);
    if (before.length > 0 || next) {
      const [one, other] = [before, after].map(onlyOne);
      if (one === null) return other;
      const around = parentOf(at);
      const all = queryAll(isElement(around) ? around : rootOf(at), `${FIELDS_AND_BOXES}, label`);
      const isField = (element) => dom.tag(element) !== 'label';
      if (!isField(all[0])) return other;
      const isAmongBoxes = dom.matches(one, BOXES) && (after.length === 0 || (other !== null && dom.matches(other, BOXES)));
      return !isField(all[all.length - 1]) || isAmongBoxes ? one : other;
    }
    if (dom.matches(at, 'form, fieldset, section, main, body')) return null;
  }
  return null;
}

// The smallest element that holds two nodes, of which the first comes first.
function holding(first, last) {
  if (first === last) return parentOf(first);
  const range = new Range();
  range.setStart(first, 0);
  range.setEnd(last, last.data.length);
  return range.commonAncestorContainer;
}

const inOrder = found => [...found].sort((one, other) =>
  Node.prototype.compareDocumentPosition.call(one, other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

// Whether the only text of an element, which is then a part of its name, is no part of the wanted one. Most elements of a
// long list are told from the wanted one by that alone.
function cantBeNamed(element, wanted) {
  if (!wanted.isWhole || dom.elementCount(element) > 0 || shadowOf(element) || NAMING.some(name => dom.has(element, name))) return false;
  if (mayBeLabelled(dom.tag(element)) && labelsOf(element).length > 0) return false;
  const text = dom.textContent(element);
  return text !== '' && !wanted.bare.includes(wanted.folded(text.replace(BLANK, '')));
}

// Whether it is kept from assistive technology, as what lies behind a modal dialog is.
function isKeptBack(element) {
  for (let at = element, depth = 0; at && depth < 200; at = drawnParent(at), depth++) if (dom.attribute(at, 'aria-hidden') === 'true') return true;
  return false;
}
