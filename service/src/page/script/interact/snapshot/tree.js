// The snapshot of a frame's document: one walk, without recursion, that collects what is to be shown and drops wrappers as
// it leaves them. Nothing is folded or cut here but what would not fit into memory.

// Elements looked at, lines collected, characters of names and texts, and how long the walk may take.
const WALK_NODES_MAX = 500_000, LINES_MAX = 60_000, CHARS_MAX = 6_000_000, WALK_MS_MAX = 2500;
const TEXT_MAX = 5000;
const AROUND_MAX = 2000;
const MODALS_MAX = 5;
const OPTIONS_MAX = 5000;

// What an element is now, as a snapshot would show it; null where it has left.
kit.identity = (number) => {
  const element = elementOf(number), now = element && identityOf(element);
  if (!now) return now;
  // Another number than any that was shown.
  const row = isOfAnotherSubject(element) ? now.row ^ 1 : now.row;
  return { ...now, row: row >>> 0, by_turns: isByTurns(element, now.name) };
};
const identityOf = (element) => {
  const role = shownRole(element);
  const name = ownName(element, role);
  return { role, name, content: name === '' && !VALUED.has(role) ? contentOf(element) : '', row: rowOf(element) };
};
// What elements were when they were located; see locate.js.
const foundAs = new WeakMap();
// Whether their targets match them still, for targets that say nothing of that.
const foundBy = new WeakMap();

// What list items and rows said as they were shown.
const entriesShown = new WeakMap();
const entryWordsOf = (element, cache = new Map()) => wordsIn(wordsOf(element, false, cache));
const noteEntry = (element, cache) => { if (dom.matches(element, ROWS) && !hasAuthorName(element)) entriesShown.set(element, entryWordsOf(element, cache)) };

// Texts that came by an action, such as "Saved"; see quiet.js. They are shown wherever they stand.
const outcomes = new WeakSet();
// Texts that were drawn as a snapshot was taken, and whether all are known.
let drawnTexts = new WeakSet();
let drawnAreKnown = false;

// The name of an element; of rows and cells only what their author gave: what is inside changes with each field's value.
const ownName = (element, role) => {
  if ((role === 'row' || CELLS.has(role)) && !hasAuthorName(element)) return '';
  return role === 'generic' ? nameOf(element) : nameOf(element, role);
};

const shownRole = (element) => {
  const role = roleOf(element);
  return role === 'none' ? 'generic' : role;
};

kit.snapshot = (options) => {
  const root = options.root === null || options.root === undefined ? null : elementOf(options.root);
  if (root === null && options.root !== null && options.root !== undefined) return null;
  if (root === null) drawnTexts = new WeakSet();
  noteSubject();
  const walk = new TreeWalk(options, root);
  namesUntil = walk.until;
  beginWalk();
  let lines, called, isLate;
  try {
    walk.run();
    namesUntil = Infinity;
    isLate = !options.all_rows && hasLateRows(walk);
    ({ lines, called } = walk.lines(!isLate));
  } finally {
    namesUntil = Infinity;
    endWalk();
  }
  if (isLate) beginLateRows(called);
  if (root === null) drawnAreKnown = !walk.cut;
  likelyHosts = walk.hosts;
  latestCustoms = walk.customs;
  forgetNumbers();
  return { lines: JSON.stringify(lines), cut: walk.cut, hosts: walk.hosts.length, customs: walk.customs.length, late_rows: isLate };
};

// A text field without a size that no key leads to: a library draws another in its place and keeps the value in this one.
const isReplacedField = (element, tag, role) => {
  if ((tag !== 'input' && tag !== 'textarea') || (role !== 'textbox' && role !== 'searchbox')) return false;
  const { width, height } = dom.box(element);
  return width < 1 && height < 1 && Number.parseInt(dom.attribute(element, 'tabindex'), 10) < 0 && drawingOf(element) === null;
};

// Whether a field by its role has parts that are no text of its own: an editor a table with cells that are edited each by itself, or
// what is no editor at all the buttons of a question that a form calls a text box.
const NOT_TEXT = 'button, select, input[type=radio], input[type=checkbox], input[type=file], [role=button], [role=radio], [role=checkbox]';
const mayHoldControls = (element) => {
  if (dom.matches(element, 'input, textarea, select')) return false;
  return dom.find(element, isEditingHost(element) ? '[contenteditable=false]' : NOT_TEXT) !== null;
};

// What is more than text in what is edited, and is shown by lines of its own.
const STRUCTURE = `${FOCUSABLE}, ${HEADINGS}, table, ul, ol, [role], [contenteditable=false]`;

const wholePx = (px) => Math.round(Math.max(-1e9, Math.min(1e9, px)));
const boxLine = (element) => {
  const { x, y, width, height } = dom.box(element);
  return [x, y, width, height].map(wholePx);
};

// What a page says of the action before, under the names that frameworks give it: after a form was sent it is in a new document.
const NOTICES = ['flash', 'flashes', 'flash-message', 'flash-messages', 'messagelist', 'errorlist', 'alert', 'notice', 'notification', 'toast',
  'error-message', 'success-message', 'form-error', 'form-errors', 'field-error', 'field-errors'].map((name) => `.${name}`).join(', ');
const NOTICES_MAX = 50, NOTICE_MAX_CHARS = 500;
const noticesNow = () => new Set([...Document.prototype.querySelectorAll.call(document, NOTICES)].slice(0, NOTICES_MAX)
  .filter((element) => textIn(element, mayHaveText, false).length <= NOTICE_MAX_CHARS));

class TreeWalk extends Shaping {
  constructor(options, root) {
    super();
    this.full = !options.interactive_only;
    this.boxes = options.boxes;
    this.root = root;
    this.until = performance.now() + WALK_MS_MAX;
    this.nodes = 0;
    this.collected = 0;
    this.chars = 0;
    this.cut = false;
    this.hosts = [];
    this.customs = [];
    this.visited = new Set();
    this.focused = focusedElement();
    // What the keys of the focused element act on.
    this.active = this.focused ? byIds(this.focused, 'aria-activedescendant')[0] ?? null : null;
    this.owners = ownersNow();
    this.notices = this.full ? new Set() : noticesNow();
    this.around = this.aroundRoot();
    this.open = [];
    this.kids = [];
  }

  // The elements around the root, from inside out.
  aroundRoot() {
    const around = [];
    const above = (element) => this.owners.get(element) ?? drawnParent(element);
    for (let at = this.root && above(this.root); at && around.length < AROUND_MAX; at = above(at)) around.push(at);
    return around;
  }

  // Beneath a modal dialog everything else is inert.
  tops() {
    const modal = [...Document.prototype.querySelectorAll.call(document, 'dialog:modal')].slice(-MODALS_MAX);
    if (this.root) return this.isLeftOut(modal) ? [] : [this.root];
    // The one before the others keeps them from all input, too.
    const front = modal.length > 1 ? modal.filter(isHitInside) : modal;
    if (modal.length) return front.length ? front : modal;
    return documentRoot() ? [documentRoot()] : [];
  }

  // Whether the whole tree leaves out what is inside one of the elements around a root.
  isLeftOut(modal) {
    const inside = [this.root, ...this.around];
    const isClosed = (outer, at) => isClosedDetails(outer, dom.tag(outer)) && dom.tag(inside[at]) !== 'summary';
    const isHidden = this.around.some((outer, at) => {
      const { display, contentVisibility } = styleOf(outer);
      return display === 'none' || contentVisibility === 'hidden' || ariaTrue(outer, 'aria-hidden') || dom.has(outer, 'inert') || isClosed(outer, at);
    });
    return isHidden || modal.length > 0 && !inside.some(one => modal.includes(one));
  }

  run() {
    const bottom = { element: null, node: null, children: this.tops(), at: 0, kids: [], broken: true, context: this.contextAround(), block: true };
    this.open.push(bottom);
    for (;;) {
      const top = this.open.at(-1);
      if (top.at < top.children.length && !this.isFull()) { this.visit(top.children[top.at++], top); continue }
      if (top.owned?.length) { top.children = top.owned; top.at = 0; top.owned = null; top.owns = true; continue }
      if (this.open.length === 1) break;
      this.open.pop();
      this.leave(top, this.open.at(-1));
    }
    this.settle(bottom, true);
    this.kids = bottom.kids;
  }

  // What holds at the top: of a root what is around it, so that it shows the same lines as within the whole document.
  contextAround() {
    let context = { pointer: false, covered: '', telling: this.full, unseen: false, carried: false };
    for (const element of this.around.toReversed()) context = this.contextIn(element, dom.tag(element), styleOf(element), shownRole(element), context);
    return context;
  }

  // What holds inside an element, by what holds outside.
  contextIn(element, tag, style, role, outer) {
    const unseen = style.visibility !== 'visible';
    const pointer = style.cursor === 'pointer';
    const telling = outer.telling || !unseen && (TELLING.has(role) || isEditingHost(element) || this.notices.has(element));
    const carried = outer.carried || isDraggable(element);
    const isSame = pointer === outer.pointer && telling === outer.telling && unseen === outer.unseen && carried === outer.carried && tag !== 'label';
    if (isSame) return outer;
    const context = { pointer, covered: outer.covered, telling, unseen, carried };
    if (tag === 'label' && isHtml(element)) {
      const control = element.control;
      // A label's words are its field's name. Where two fields have one id, they are for the one that is in the label.
      const isOfAnother = control !== null && !dom.contains(element, control) && allIn(element, 'input:not([type=hidden i])').length > 0;
      if (control && !isOfAnother && isVisible(control) && !ariaTrue(control, 'aria-hidden')) context.covered += '\n' + nameOf(control);
    }
    return context;
  }

  isFull() {
    if (this.cut) return true;
    const late = (++this.nodes & 63) === 0 && performance.now() > this.until;
    if (late || this.nodes > WALK_NODES_MAX || this.collected > LINES_MAX || this.chars > CHARS_MAX) this.cut = true;
    return this.cut;
  }

  visit(child, top) {
    const type = dom.type(child);
    if (type === 3) {
      if (!top.context.unseen) drawnTexts.add(child);
      this.text(child.data, top, outcomes.has(child));
      return;
    }
    if (type !== 1) return;
    const tag = dom.tag(child);
    if (tag === 'br') { top.broken = true; return }
    if ((SKIPPED.has(tag) && child !== this.root) || this.visited.has(child)) return;
    if (!top.owns && child !== this.root && this.owners.has(child)) return;
    this.visited.add(child);
    const style = styleOf(child);
    const display = style.display;
    if (display === 'none') return;
    if (display === '') { if (top.element) addHost(this.hosts, top.element); return }
    if (ariaTrue(child, 'aria-hidden') || dom.has(child, 'inert')) return;
    this.enter(child, tag, style, display, top);
  }

  enter(element, tag, style, display, top) {
    const outer = top.context;
    const isSeen = style.visibility === 'visible';
    if (isSeen && this.customs.length < INTERNALS_MAX && mayKeepInternals(element, tag)) this.customs.push(element);
    const role = shownRole(element);
    // A list that is drawn nowhere repeats for screen readers what one beside it shows, with options that can't be clicked.
    if (role === 'listbox' && tag !== 'select' && isWithoutSize(element)) return;
    if (element !== this.focused && isReplacedField(element, tag, role)) return;
    const node = isSeen ? this.nodeOf(element, tag, role, style, outer) : null;
    const block = display !== 'inline' && display !== 'contents' && !display.startsWith('ruby');
    const context = this.contextIn(element, tag, style, role, outer);
    if (block) top.broken = true;
    let children = [];
    if (!WITHOUT_INSIDE.has(tag) && !(node && node.leaf) && style.contentVisibility !== 'hidden') {
      children = manyDrawnChildren(element, WALK_NODES_MAX);
      if (isClosedDetails(element, tag)) children = [...children].filter(child => dom.type(child) === 1 && dom.tag(child) === 'summary').slice(0, 1);
      if (tag.includes('-') || (children.length === 0 && HOST_TAGS.has(tag) && isLargeHost(element))) addHost(this.hosts, element);
    }
    const owned = this.owners.size && dom.has(element, 'aria-owns') ? byIds(element, 'aria-owns').filter(one => this.owners.get(one) === element) : null;
    const frame = { element, node, children, at: 0, kids: [], broken: true, context, block, owned };
    if (!block) frame.broken = top.broken;
    if (isSeen && !WITHOUT_INSIDE.has(tag)) this.pseudoText(element, '::before', frame);
    if (tag === 'select' || tag === 'optgroup') this.options(element, node, frame);
    if (isSeen && tag === 'img' && dom.has(element, 'usemap')) this.areas(element, frame);
    this.open.push(frame);
  }

  // Text that a style sheet draws, of elements that are not named by it anyway.
  pseudoText(element, which, frame) {
    if (!this.full || !mayDrawPseudo(element)) return;
    const text = new Naming().pseudo(element, which);
    if (text) this.text(text, frame);
  }

  text(data, top, isOutcome = false) {
    if (top.context.unseen || data === '') return;
    const last = top.kids.at(-1);
    if (!/\S/.test(data.length > 200 ? data.slice(0, 200) : data) && data.trim() === '') {
      if (last?.words !== undefined && !top.broken) last.words += ' ';
      return;
    }
    const words = data.length > TEXT_MAX ? data.slice(0, TEXT_MAX) : data;
    if (last?.words !== undefined && !top.broken) {
      if (last.words.length < TEXT_MAX) last.words += words, this.chars += words.length;
      last.shown ||= isOutcome;
    } else {
      if (top.context.covered && top.context.covered.includes(tidy(words))) return;
      // What a row that can be clicked says tells it from others, however deep inside.
      const shown = isOutcome || top.context.telling || ((top.context.pointer || top.context.carried) && words.length <= CONTENT_NAME_MAX);
      top.kids.push({ words, shown, climbed: 0 });
      if (!shown) top.pending = true;
      this.chars += words.length;
      this.collected++;
    }
    top.broken = false;
  }

  // The line of an element, or null of one that says nothing by itself.
  nodeOf(element, tag, role, style, outer) {
    let how = '';
    // A field is one by another role, too.
    let acts = ACTED_ON.has(role) || (MARKS.has(role) && isHtml(element) && ['input', 'textarea', 'select'].includes(tag));
    if (!acts && role !== 'iframe') {
      how = clickable(element, tag, style, outer);
      acts = how !== '';
    }
    const isKnown = MARKS.has(role) || TEXTUAL.has(role);
    if (!acts && !isKnown) return null;
    if (role === 'iframe') {
      // Too small to be seen: a tracker's.
      if (element.clientWidth * element.clientHeight < 16) return null;
    }
    const name = ownName(element, role);
    if (FIELDS.has(role)) notePlaceholder(element, name);
    const node = { element, role, name, known: name, acts, how, text: null, states: statesOf(element, role), wants: acts || role === 'iframe' || (this.full && FULL_REFS.has(role)),
      placeholder: null, url: null, hint: null, box: null, kids: [], leaf: false, climbed: 0, frame: role === 'iframe', edits: isEditingHost(element) && dom.find(element, STRUCTURE) === null };
    if (role === 'columnheader' || role === 'rowheader') node.sorted = sortingOf(element);
    const control = how ? hiddenControl(element, tag) : null;
    // What is dragged by a box's label can be, whether or not that is enabled.
    if (control) node.states.push(...statesOf(control, roleOf(control)).filter((state) => state !== 'disabled' || !GRABS.has(style.cursor)));
    if (how && !isEditingHost(element)) node.states.push('clickable');
    if (element === this.focused || element === this.active) node.states.push('focused');
    if (role === 'img' && name === '' && !acts) return null;
    if (role === 'separator' && !acts) return null;
    if (role === 'link') node.url = urlOf(element);
    // A day of a calendar: the month may be in its title alone.
    if (acts && /^\d\d?$/.test(name) && dom.has(element, 'title')) node.hint = hintOf(element);
    const isField = FIELDS.has(role) && role !== 'checkbox' && role !== 'radio' && role !== 'switch' || tag === 'input' || node.edits || role === 'progressbar' || role === 'meter' || role === 'scrollbar';
    if (isField) {
      if (tag !== 'select') node.text = valueOf(element, role);
      if (name === '') node.text ??= wordsUnder(element) || null;
      node.placeholder = placeholderOf(element, name);
      // Some editors draw it where the text will be (CodeMirror).
      if (node.placeholder && node.text === node.placeholder && isEditingHost(element)) node.text = null;
      // A list of ARIA's own has its options beneath.
      if (role !== 'listbox' && role !== 'combobox' || tag === 'input') node.leaf = !mayHoldControls(element);
      if (role === 'combobox' && tag !== 'select' && tag !== 'input') node.named = true;
    }
    if (acts && name === '') node.hint = labelOfHost(element);
    if (this.boxes) {
      node.box = boxLine(element);
      if (node.frame) node.inside = mapLine(element);
    }
    this.chars += name.length + (node.text?.length ?? 0) + 32;
    this.collected++;
    return node;
  }

  // The options of a list or of a group in one. Two that say the same are told apart by their values.
  options(list, node, frame) {
    if (!node) return;
    const all = dom.tag(list) === 'select' ? list.options : allIn(list, 'option'), offered = [], said = new Map();
    for (let at = 0; at < all.length && at < OPTIONS_MAX; at++) {
      if (!isOffered(all[at])) continue;
      const name = capped(tidy(all[at].label.slice(0, VALUE_MAX)), NAME_MAX);
      offered.push({ option: all[at], name });
      said.set(name, (said.get(name) ?? 0) + 1);
    }
    let group = null;
    for (const { option, name } of offered) {
      if (this.isFull()) break;
      const around = dom.parent(option);
      if (around !== list && group?.element !== around && dom.tag(around) === 'optgroup') {
        group = this.option(around, 'group', attributeText(around, 'label'), around.disabled ? ['disabled'] : []);
        frame.kids.push(group);
      }
      const states = [];
      if (option.disabled) states.push('disabled');
      if (option.selected) states.push('selected');
      const line = this.option(option, 'option', name, states);
      if (said.get(name) > 1) line.text = capped(tidy(option.value.slice(0, VALUE_MAX)), NAME_MAX);
      (group?.element === around ? group : frame).kids.push(line);
    }
    frame.broken = true;
  }

  option(element, role, name, states) {
    this.collected++;
    this.chars += name.length + 32;
    return { element, role, name, known: name, acts: false, how: '', text: null, states, wants: false, placeholder: null, url: null, hint: null, box: null,
      kids: [], climbed: 9, chosen: true };
  }

  // The links of an image map.
  areas(image, frame) {
    for (const area of areasOf(image)) {
      const role = shownRole(area);
      const name = ownName(area, role);
      const acts = ACTED_ON.has(role);
      const states = acts ? [] : ['clickable'];
      const url = role === 'link' ? urlOf(area) : null;
      frame.kids.push({ element: area, role, name, known: name, acts: true, how: acts ? '' : 'own', text: null, states, wants: true, placeholder: null, url,
        hint: name === '' ? hintOf(area) : null, box: this.boxes ? boxLine(area) : null, kids: [], climbed: 0 });
      this.collected++;
      this.chars += name.length + 32;
    }
    frame.broken = true;
  }

  // Ends an element: its line gets what is inside, or hands it to the line above.
  leave(frame, top) {
    const { node } = frame;
    if (frame.element && !WITHOUT_INSIDE.has(dom.tag(frame.element)) && !frame.context.unseen) this.pseudoText(frame.element, '::after', frame);
    this.settle(frame, node !== null && !SEEN_THROUGH.has(node.role));
    if (node && this.shape(node, frame)) {
      top.kids.push(node);
      top.broken = true;
      return;
    }
    this.lift(frame, top);
  }
}
