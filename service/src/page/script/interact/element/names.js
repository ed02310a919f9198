// Accessible names (accname 1.2), and what else is said of one element: visible, disabled.
const NAME_MAX = 1000, NAME_NODES_MAX = 2000, NAME_DEPTH_MAX = 50;
// Names asked for later than this are empty: set while a whole tree is named.
let namesUntil = Infinity;
const NAMED_BY_CONTENT = new Set(['button', 'cell', 'checkbox', 'columnheader', 'gridcell', 'heading', 'link', 'menuitem', 'menuitemcheckbox',
  'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip', 'treeitem']);
// Within another element's name their content says nothing.
const NEVER_BY_CONTENT = new Set(['menu', 'menubar']);
const LABELABLE = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
// Components that are fields of forms have labels, too.
const mayBeLabelled = (tag) => LABELABLE.has(tag) || tag.includes('-');
const NEVER_TEXT = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'datalist', 'audio', 'video', 'canvas', 'object', 'embed', 'desc', 'metadata', 'defs']);

// Soft hyphens and spaces without width show nothing, as in search.js.
const tidy = (text) => text.replace(/[\u200b\u00ad]+/g, '').replace(/\s+/g, ' ').trim();
const capped = (text, max) => (text.length > max ? text.slice(0, max) : text).toWellFormed();
const ariaTrue = (element, name) => (dom.attribute(element, name) ?? '').trim().toLowerCase() === 'true';

// The accessible name of an element, with runs of spaces as one, cut at NAME_MAX characters.
function nameOf(element, role = roleOf(element)) {
  return capped(tidy(new Naming().of(element, unseenOr(element, {}), styleOf(element), role) || internalsOf(element)?.name || ''), NAME_MAX);
}

// What an element would be called if it were seen: it is the same one while its `visibility` hides it.
const unseenOr = (element, how) => (styleOf(element).visibility === 'visible' ? how : { ...how, unseen: true });

// The text that an element draws, as a name would have it; `bare`: without what the buttons in it are called.
function contentOf(element, bare = false) {
  return capped(tidy(new Naming().content(element, unseenOr(element, { inContent: true, plain: true, bare }))), NAME_MAX);
}

// The labels of each field, by the tree that they are in: `element.labels` looks through the whole document each time.
// Kept until the page's script may run again.
let labelled = null;
const LABELS_MAX = 20_000, LABELS_OF_ONE_MAX = 20;

function labelsOf(element) {
  if (labelled === null) {
    labelled = new Map();
    queueMicrotask(() => { labelled = null });
  }
  const root = dom.rootNode(element);
  let fields = labelled.get(root);
  if (fields === undefined) {
    fields = new Map();
    const labels = allIn(root, 'label');
    for (let at = 0; at < labels.length && at < LABELS_MAX; at++) {
      const control = labels[at] instanceof HTMLLabelElement ? labels[at].control : null;
      if (!control) continue;
      const before = fields.get(control);
      if (before === undefined) fields.set(control, [labels[at]]);
      else if (before.length < LABELS_OF_ONE_MAX) before.push(labels[at]);
    }
    labelled.set(root, fields);
  }
  const own = fields.get(element) ?? [];
  // A label for a component is for the only field that it draws.
  if (own.length > 0 || !(root instanceof ShadowRoot) || allIn(root, 'input, select, textarea').length !== 1) return own;
  return dom.tag(root.host).includes('-') ? labelsOf(root.host) : own;
}

// Which element owns which by `aria-owns`: as far as no one comes to be inside itself. Kept until the page's script may run
// again.
let owners = null;
const OWNERS_MAX = 500, OWNER_STEPS_MAX = 200_000;

function ownersNow() {
  if (owners !== null) return owners;
  owners = new Map();
  queueMicrotask(() => { owners = null });
  const all = Document.prototype.querySelectorAll.call(document, '[aria-owns]');
  let steps = 0;
  for (let at = 0; at < all.length && at < OWNERS_MAX; at++) {
    const owner = all[at];
    if (!Element.prototype.checkVisibility.call(owner) || WITHOUT_INSIDE.has(dom.tag(owner))) continue;
    for (const owned of byIds(owner, 'aria-owns')) {
      if (owners.has(owned) || owned === documentBody() || owned === documentRoot()) continue;
      let above = owner;
      for (let up = 0; above && above !== owned && up < 2000 && steps < OWNER_STEPS_MAX; up++, steps++) above = owners.get(above) ?? drawnParent(above);
      if (above === null) owners.set(owned, owner);
    }
  }
  return owners;
}

// Children that name what they are in.
const NAMING_CHILDREN = { fieldset: 'legend', table: 'caption', figure: 'figcaption' };
function childWithTag(element, tag) {
  let child = dom.firstElement(element);
  for (let seen = 0; child && seen < 50; child = dom.nextElement(child), seen++) if (dom.tag(child) === tag) return child;
  return null;
}

function attributeText(element, name) {
  const text = dom.attribute(element, name);
  return text === null || text === '' ? '' : tidy(text.slice(0, 4 * NAME_MAX));
}

// How an element is named within what is named.
const asContent = (how) => (how.inContent ? how : { ...how, inContent: true });

class Naming {
  constructor() {
    this.visited = new Set();
    this.nodes = 0;
    this.chars = 0;
    this.depth = 0;
  }

  full() {
    return this.nodes >= NAME_NODES_MAX || this.chars >= 2 * NAME_MAX || this.depth >= NAME_DEPTH_MAX || (this.nodes & 15) === 0 && performance.now() > namesUntil;
  }

  // `how`: unseen (what is named is hidden by its `visibility`, which does not count), inContent (below what is named), labelled (of
  // an aria-labelledby), hidden (hidden things count), plain (of clickables without a role: no values of fields inside), bare
  // (buttons inside are what they draw).
  of(element, how, style = styleOf(element), role = roleOf(element)) {
    if (this.visited.has(element) || this.full()) return '';
    this.visited.add(element);
    this.nodes++;
    // The name of a field is not part of the text around the field.
    if (how.inContent && how.plain && embeddedNone(role) !== null) return '';
    // What is drawn of a button, and not what it is called.
    if (how.inContent && how.bare && role === 'button') return this.content(element, how, style);
    const isHidden = style.display === 'none' || style.display === '' || (style.visibility !== 'visible' && !how.unseen) || ariaTrue(element, 'aria-hidden');
    if (isHidden && !how.hidden) {
      if (!how.labelled || how.inContent) {
        // What is visible again inside counts.
        if (how.inContent && style.display !== 'none' && style.display !== '' && !ariaTrue(element, 'aria-hidden')) return this.content(element, how, style);
        if (how.inContent) return '';
      } else how = { ...how, hidden: true };
    }
    if (!how.labelled) {
      const labels = byIds(element, 'aria-labelledby');
      if (labels.length) {
        const own = this.visited;
        const names = labels.map(label => {
          this.visited = label === element ? new Set() : new Set(own);
          return tidy(this.of(label, { labelled: true, self: label === element, plain: how.plain }));
        });
        this.visited = own;
        const joined = names.filter(Boolean).join(' ');
        if (joined) return joined;
      }
    }
    if (how.inContent || (how.labelled && !how.self)) {
      const value = how.plain ? embeddedNone(role) : embeddedValue(element, role) ?? this.chosen(element, role, how);
      if (value !== null) return this.counted(value);
      if (!how.plain && NEVER_BY_CONTENT.has(role)) return this.counted(attributeText(element, 'aria-label'));
    }
    // What a slot shows is another element's.
    const label = dom.tag(element) === 'slot' ? '' : attributeText(element, 'aria-label');
    if (label) return this.counted(label);
    if (role !== 'none' || how.inContent || how.labelled) {
      const native = this.native(element, how);
      if (native) return this.counted(native);
    }
    if (how.inContent || how.labelled || NAMED_BY_CONTENT.has(role) || dom.tag(element) === 'summary') {
      const content = this.content(element, asContent(how), style);
      if (tidy(content)) return content;
      // A space between two words.
      if (how.inContent && content !== '' && !dom.has(element, 'title') && !LABELABLE.has(dom.tag(element))) return ' ';
    }
    if (role === 'none') return '';
    const title = attributeText(element, 'title');
    if (title) return this.counted(title);
    if (dom.tag(element) === 'input' || dom.tag(element) === 'textarea') {
      return this.counted(attributeText(element, 'placeholder') || attributeText(element, 'aria-placeholder'));
    }
    return '';
  }

  // What is chosen in a list, or a field with one, that is no form's own.
  chosen(element, role, how) {
    if ((role !== 'combobox' && role !== 'listbox') || dom.tag(element) === 'select') return null;
    const lists = [element, ...byIds(element, 'aria-owns'), ...byIds(element, 'aria-controls')];
    const options = lists.flatMap(list => [...Element.prototype.querySelectorAll.call(list, '[role=option][aria-selected=true]')].slice(0, 50));
    if (options.length === 0) return role === 'combobox' ? tidy(this.content(element, { ...how, inContent: true })) : null;
    return [...new Set(options)].map(option => tidy(this.content(option, { ...how, inContent: true }))).filter(Boolean).join(' ');
  }

  counted(text) {
    this.chars += text.length;
    return text;
  }

  // What HTML itself gives as a name.
  native(element, how) {
    const tag = dom.tag(element);
    if (!isHtml(element)) return tag === 'svg' || how.inContent ? tidy((childWithTag(element, 'title')?.textContent ?? '').slice(0, 4 * NAME_MAX)) : '';
    if (tag === 'img' || tag === 'area') return attributeText(element, 'alt');
    if (tag === 'input') {
      const type = inputType(element);
      if (type === 'submit' || type === 'reset' || type === 'button') {
        const value = tidy(element.value.slice(0, 4 * NAME_MAX));
        return this.labels(element, how) || value || (dom.has(element, 'value') || type === 'button' ? '' : type === 'submit' ? 'Submit' : 'Reset');
      }
      if (type === 'image') return this.labels(element, how) || attributeText(element, 'alt') || attributeText(element, 'title') || 'Submit';
    }
    if (tag === 'input' && inputType(element) === 'file') return this.labels(element, how) || (hasAuthorName(element) ? '' : 'Choose File');
    if (mayBeLabelled(tag)) return this.labels(element, how);
    if (Object.hasOwn(NAMING_CHILDREN, tag)) {
      const child = childWithTag(element, NAMING_CHILDREN[tag]);
      return child ? tidy(this.content(child, asContent(how))) : '';
    }
    if (tag === 'optgroup' || tag === 'option') return attributeText(element, 'label');
    return '';
  }

  labels(element, how) {
    const names = [];
    for (const label of labelsOf(element)) {
      // An element's label does not count within itself.
      if (this.visited.has(label) && how.inContent) continue;
      names.push(tidy(this.of(label, { ...how, inContent: false, labelled: true, hidden: false, self: false })));
    }
    return names.filter(Boolean).join(' ');
  }

  content(element, how, style = styleOf(element)) {
    if (this.full()) return '';
    this.depth++;
    const below = asContent(how);
    const shows = how.hidden || how.unseen || style.visibility === 'visible';
    const isDecorated = shows && mayDrawPseudo(element);
    let text = isDecorated ? this.pseudo(element, '::before') : '';
    const children = manyDrawnChildren(element, NAME_NODES_MAX), owners = ownersNow();
    for (let at = 0; at < children.length && !this.full(); at++) {
      // What another element owns is a part of that one.
      if (!owners.has(children[at])) text += this.part(children[at], below, shows);
    }
    // Of two that say so the first owns it.
    const owned = dom.has(element, 'aria-owns') ? byIds(element, 'aria-owns').filter((one) => (owners.get(one) ?? element) === element) : [];
    for (const one of owned) text += this.part(one, below, shows);
    if (isDecorated) text += this.pseudo(element, '::after');
    this.depth--;
    return text;
  }

  // What a node adds to the content that it is in.
  part(node, how, shows) {
    const type = dom.type(node);
    if (type === 3) {
      if (!shows) return '';
      this.nodes++;
      return this.counted(node.data.slice(0, 4 * NAME_MAX));
    }
    if (type !== 1) return '';
    const tag = dom.tag(node);
    if (NEVER_TEXT.has(tag)) { this.nodes++; return '' }
    if (tag === 'br') return ' ';
    const style = styleOf(node);
    const name = this.of(node, how, style);
    return style.display === 'inline' && !REPLACED.has(tag) || style.display === 'contents' ? name : ` ${name} `;
  }

  // The text that a style sheet puts before or after.
  pseudo(element, which) {
    const style = getComputedStyle(element, which);
    // A picture's address says nothing.
    const content = style.content.slice(0, 8 * NAME_MAX).replace(/url\((?:"(?:[^"\\]|\\.)*"|[^")]*)\)?/g, '');
    if (content === 'none' || content === 'normal' || content === '' || style.display === 'none' || style.visibility === 'hidden') return '';
    // The part after the slash is what is to be said in its place.
    const slash = /^(?:"(?:[^"\\]|\\.)*"|[^"/])*\/\s*(.*)$/s.exec(content.slice(0, 4 * NAME_MAX));
    const said = [...(slash ? slash[1] : content).slice(0, 4 * NAME_MAX).matchAll(/"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)/g)]
      .map(([, text, name]) => name ? dom.attribute(element, name) ?? '' : text.replace(/\\(.)/g, '$1')).join('');
    // Icon fonts use letters that mean nothing.
    const text = said.replace(/[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g, '');
    return this.counted(style.display.startsWith('inline') ? text : ` ${text} `);
  }
}
const REPLACED = new Set(['img', 'input', 'select', 'textarea', 'button', 'iframe', 'svg']);

const embeddedNone = (role) => ['textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton'].includes(role) ? '' : null;

// What a field stands for within another element's name; null where it is no such field.
function embeddedValue(element, role) {
  const tag = dom.tag(element);
  const isPassword = isSecretField(element);
  switch (role) {
    case 'textbox': case 'searchbox':
      if (isPassword) return '';
      return tag === 'input' || tag === 'textarea' ? element.value.slice(0, NAME_MAX) : null;
    case 'combobox': case 'listbox':
      if (tag === 'select') {
        const chosen = [];
        for (const option of selectedOptions(element)) chosen.push(tidy(option.label.slice(0, NAME_MAX)));
        return chosen.join(' ');
      }
      return tag !== 'input' ? null : isPassword ? '' : element.value.slice(0, NAME_MAX);
    case 'slider': case 'spinbutton': case 'progressbar': case 'meter':
      return dom.attribute(element, 'aria-valuetext') ?? dom.attribute(element, 'aria-valuenow') ?? (tag === 'input' ? element.value : null);
    default: return null;
  }
}

function* selectedOptions(select) {
  const options = select.selectedOptions;
  for (let at = 0; at < options.length && at < 50; at++) yield options[at];
}

// Whether an element is disabled, by itself or by what it is in.
function isDisabled(element) {
  return dom.matches(element, ':disabled') || saysDisabled(element);
}

// What `aria-disabled` says of elements, of which many are in the same. Kept until the page's script may run again.
let disabled = null;
function saysDisabled(element) {
  if (whole !== null && !whole.saysDisabled) return false;
  if (disabled === null) {
    disabled = new Map();
    queueMicrotask(() => { disabled = null });
  }
  const passed = [];
  let says = false;
  for (let at = element; at && passed.length < 200; at = drawnParent(at)) {
    const before = disabled.get(at);
    if (before !== undefined) { says = before; break }
    passed.push(at);
    const said = dom.attribute(at, 'aria-disabled')?.toLowerCase();
    if (said === 'true' || said === 'false') { says = said === 'true'; break }
  }
  for (const at of passed) disabled.set(at, says);
  return says;
}

// Whether an element is drawn with a size, as one that is to be acted on must be.
function isVisible(element) {
  if (isArea(element)) {
    const box = areaBox(element);
    return box.width > 0 && box.height > 0;
  }
  const style = styleOf(element);
  if (style.display === 'none' || style.display === '') return false;
  if (style.display === 'contents') {
    const children = drawnChildren(element);
    for (let at = 0; at < children.length && at < 100; at++) {
      const child = children[at];
      if (dom.type(child) === 1 ? isVisible(child) : dom.type(child) === 3 && child.data.trim() !== '' && style.visibility === 'visible') return true;
    }
    return false;
  }
  if (style.visibility !== 'visible') return false;
  if (!Element.prototype.checkVisibility.call(element)) return false;
  const box = dom.box(element);
  return box.width > 0 && box.height > 0;
}
