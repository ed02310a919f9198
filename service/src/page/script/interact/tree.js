// The snapshot of a frame's document: one walk, without recursion, that collects what is to be shown and drops wrappers as
// it leaves them. Nothing is folded or cut here but what would not fit into memory.

// Elements looked at, lines collected, characters of names and texts, and how long the walk may take.
const WALK_NODES_MAX = 500_000, LINES_MAX = 60_000, CHARS_MAX = 6_000_000, WALK_MS_MAX = 2500;
// Levels of lines; what is deeper stands on the last.
const LEVELS_MAX = 100;
// More children than these are folded later, so the one that holds them needs a ref.
const MANY = 50;
const TEXT_MAX = 5000;
// How long a text beside a field or a button, or beside links alone, may be to be shown for it.
const BESIDE_FIELD_MAX = 300, BESIDE_LINK_MAX = 80;
// How many blocks up a text looks for a field, and how many lines around it.
const BESIDE_LEVELS = 2, BESIDE_LINES = 4;
// A clickable's content beyond this is shown inside it, not as its name.
const CONTENT_NAME_MAX = 150;
const HOSTS_MAX = 64;

const ACTED_ON = new Set(['button', 'checkbox', 'combobox', 'link', 'listbox', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio',
  'searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem']);
const MARKS = new Set(['banner', 'complementary', 'contentinfo', 'form', 'main', 'navigation', 'region', 'search', 'dialog', 'alertdialog', 'alert',
  'status', 'table', 'grid', 'treegrid', 'row', 'cell', 'columnheader', 'rowheader', 'gridcell', 'heading', 'iframe', 'menu', 'menubar', 'tablist',
  'tree', 'radiogroup', 'toolbar', 'tabpanel', 'progressbar', 'meter', 'tooltip', 'log', 'timer']);
// Shown in the full tree alone. Of these a line with nothing inside says nothing.
const TEXTUAL = new Set(['list', 'listitem', 'paragraph', 'blockquote', 'article', 'figure', 'img', 'group', 'separator', 'term', 'definition', 'note',
  'feed', 'math', 'application', 'document', 'marquee', 'caption', 'scrollbar']);
const FULL_REFS = new Set(['heading', 'img', 'row', 'cell', 'columnheader', 'rowheader', 'gridcell', 'listitem', 'paragraph']);
// All text in these is shown.
const TELLING = new Set(['alert', 'alertdialog', 'dialog', 'status', 'cell', 'columnheader', 'rowheader', 'gridcell', 'tooltip', 'log', 'timer']);
const BY_CONTENT = new Set(['button', 'checkbox', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'tab', 'treeitem', 'heading']);
const CELLS = new Set(['cell', 'columnheader', 'rowheader', 'gridcell']);
const FIELDS = new Set(['checkbox', 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch', 'textbox']);
// Never a line, however much they hold.
const PASSING = new Set(['html', 'body', 'slot']);
const HANDLERS = ['onclick', 'ondblclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'ontouchstart'];
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'link', 'meta', 'base', 'datalist', 'desc', 'metadata', 'defs', 'symbol',
  'clippath', 'mask', 'lineargradient', 'radialgradient', 'br', 'wbr', 'col', 'colgroup', 'param', 'source', 'track', 'area', 'optgroup', 'option']);
const WITHOUT_INSIDE = new Set(['input', 'textarea', 'select', 'iframe', 'frame', 'img', 'progress', 'meter', 'hr', 'audio', 'video', 'canvas', 'object', 'embed', 'math']);
const HOST_TAGS = new Set(['article', 'aside', 'div', 'footer', 'header', 'main', 'nav', 'section', 'span']);

// Hosts that the protocol was asked about, and how they were then.
const askedHosts = new WeakSet();
let likelyHosts = [];

// What the protocol has found: `root` is the closed root of its host.
kit.closed = (root) => { if (root instanceof ShadowRoot) closedRoots.set(root.host, root) };
// The elements that may have closed roots, found by the latest walk.
kit.hosts = () => likelyHosts;

// What an element is now, as a snapshot would show it; null where it has left.
kit.identity = (number) => {
  const element = elementOf(number);
  if (!element) return null;
  const role = shownRole(element);
  const name = ownName(element, role);
  return { role, name, content: name === '' ? contentOf(element) : '' };
};

// The name of an element; of rows and cells only what their author gave: what is inside changes with each field's value.
const ownName = (element, role) => ((role === 'row' || CELLS.has(role)) && !hasAuthorName(element) ? '' : nameOf(element));

const shownRole = (element) => {
  const role = roleOf(element);
  return role === 'none' ? 'generic' : role;
};

kit.snapshot = (options) => {
  const root = options.root === null || options.root === undefined ? null : elementOf(options.root);
  if (root === null && options.root !== null && options.root !== undefined) return null;
  const walk = new TreeWalk(options, root);
  namesUntil = walk.until;
  try { walk.run() } finally { namesUntil = Infinity }
  likelyHosts = walk.hosts;
  forgetNumbers();
  return { lines: JSON.stringify(walk.lines()), cut: walk.cut, hosts: walk.hosts.length };
};

class TreeWalk {
  constructor(options, root) {
    this.full = !options.interactive_only;
    this.boxes = options.boxes;
    this.root = root;
    this.until = performance.now() + WALK_MS_MAX;
    this.nodes = 0;
    this.collected = 0;
    this.chars = 0;
    this.cut = false;
    this.hosts = [];
    this.visited = new Set();
    this.focused = focusedElement();
    this.owners = this.ownersOf();
    this.open = [];
    this.kids = [];
  }

  // Which element owns which by `aria-owns`: as far as no one comes to be inside itself.
  ownersOf() {
    const owners = new Map();
    const all = Document.prototype.querySelectorAll.call(document, '[aria-owns]');
    for (let at = 0; at < all.length && at < 500; at++) {
      const owner = all[at];
      if (!Element.prototype.checkVisibility.call(owner) || WITHOUT_INSIDE.has(dom.tag(owner))) continue;
      for (const owned of byIds(owner, 'aria-owns')) {
        if (owners.has(owned) || owned === documentBody() || owned === documentRoot()) continue;
        let above = owner;
        for (let steps = 0; above && above !== owned && steps < 2000; steps++) above = owners.get(above) ?? drawnParent(above);
        if (above === null) owners.set(owned, owner);
      }
    }
    return owners;
  }

  // Beneath a modal dialog everything else is inert.
  tops() {
    if (this.root) return [this.root];
    const modal = Document.prototype.querySelectorAll.call(document, 'dialog:modal');
    if (modal.length) return [...modal].slice(-5);
    return documentRoot() ? [documentRoot()] : [];
  }

  run() {
    const bottom = { element: null, node: null, children: this.tops(), at: 0, kids: [], broken: true, context: { pointer: false, covered: '', telling: this.full }, block: true };
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

  isFull() {
    if (this.cut) return true;
    const late = (++this.nodes & 63) === 0 && performance.now() > this.until;
    if (late || this.nodes > WALK_NODES_MAX || this.collected > LINES_MAX || this.chars > CHARS_MAX) this.cut = true;
    return this.cut;
  }

  visit(child, top) {
    const type = dom.type(child);
    if (type === 3) { this.text(child.data, top); return }
    if (type !== 1) return;
    const tag = dom.tag(child);
    if (tag === 'br') { top.broken = true; return }
    if (SKIPPED.has(tag) || this.visited.has(child)) return;
    if (!top.owns && child !== this.root && this.owners.has(child)) return;
    this.visited.add(child);
    const style = styleOf(child);
    const display = style.display;
    if (display === 'none') return;
    if (display === '') { if (top.element) this.mayHost(top.element); return }
    if (ariaTrue(child, 'aria-hidden') || dom.has(child, 'inert')) return;
    this.enter(child, tag, style, display, top);
  }

  enter(element, tag, style, display, top) {
    const outer = top.context;
    const isSeen = style.visibility === 'visible';
    const role = shownRole(element);
    const node = isSeen ? this.nodeOf(element, tag, role, style, outer) : null;
    const block = display !== 'inline' && display !== 'contents' && !display.startsWith('ruby');
    const context = { pointer: style.cursor === 'pointer', covered: outer.covered, telling: outer.telling || (node !== null && TELLING.has(node.role)), unseen: !isSeen };
    if (block) top.broken = true;
    let children = [];
    if (!WITHOUT_INSIDE.has(tag) && !(node && node.leaf) && style.contentVisibility !== 'hidden') {
      children = drawnChildren(element);
      if (tag === 'details' && isHtml(element) && !dom.has(element, 'open')) children = [...children].filter(child => dom.type(child) === 1 && dom.tag(child) === 'summary').slice(0, 1);
      if (!shadowOf(element)) {
        if (tag.includes('-')) this.mayHost(element);
        else if (children.length === 0 && HOST_TAGS.has(tag)) { const box = dom.box(element); if (box.width > 4 && box.height > 4) this.mayHost(element) }
      }
    }
    if (tag === 'label' && isHtml(element)) {
      const control = element.control;
      // A label's words are its field's name.
      if (control && isVisible(control) && !ariaTrue(control, 'aria-hidden')) context.covered += '\n' + nameOf(control);
    }
    const owned = this.owners.size && dom.has(element, 'aria-owns') ? byIds(element, 'aria-owns').filter(one => this.owners.get(one) === element) : null;
    const frame = { element, node, children, at: 0, kids: [], broken: true, context, block, owned };
    if (!block) frame.broken = top.broken;
    if (isSeen && !WITHOUT_INSIDE.has(tag)) this.pseudoText(element, '::before', frame);
    if (tag === 'select') this.options(element, node, frame);
    this.open.push(frame);
  }

  // Text that a style sheet draws, of elements that are not named by it anyway.
  pseudoText(element, which, frame) {
    if (!this.full) return;
    const text = new Naming().pseudo(element, which);
    if (text) this.text(text, frame);
  }

  mayHost(element) {
    if (this.hosts.length >= HOSTS_MAX || askedHosts.has(element) || shadowOf(element)) return;
    // An element that its page has yet to define is asked about again.
    if (dom.matches(element, ':defined')) askedHosts.add(element);
    this.hosts.push(element);
  }

  text(data, top) {
    if (top.context.unseen || data === '') return;
    const last = top.kids.at(-1);
    if (!/\S/.test(data.length > 200 ? data.slice(0, 200) : data) && data.trim() === '') {
      if (last?.words !== undefined && !top.broken) last.words += ' ';
      return;
    }
    const words = data.length > TEXT_MAX ? data.slice(0, TEXT_MAX) : data;
    if (last?.words !== undefined && !top.broken) {
      if (last.words.length < TEXT_MAX) last.words += words, this.chars += words.length;
    } else {
      if (top.context.covered && top.context.covered.includes(tidy(words))) return;
      top.kids.push({ words, shown: top.context.telling, climbed: 0 });
      if (!top.context.telling) top.pending = true;
      this.chars += words.length;
      this.collected++;
    }
    top.broken = false;
  }

  // Why an element can be clicked without a role that says so: 'own' by itself, 'pointer' for its cursor alone, '' not.
  clickable(element, tag, style, outer) {
    if (tag === 'html' || tag === 'body') return '';
    if (HANDLERS.some(name => dom.has(element, name))) return 'own';
    const tabindex = dom.attribute(element, 'tabindex');
    if (tabindex !== null && Number.parseInt(tabindex, 10) >= 0) return 'own';
    if (isEditingHost(element)) return 'own';
    if (style.cursor !== 'pointer') return '';
    if (!outer.pointer) {
      if (tag !== 'label') return 'pointer';
      const control = element.control;
      return control && isVisible(control) ? '' : 'own';
    }
    return this.isOneOfSeveral(element, tag) ? 'pointer' : '';
  }

  // Below an inherited pointer cursor: an item beside others of its kind, with a box of its own.
  isOneOfSeveral(element, tag) {
    const parent = drawnParent(element);
    if (parent === null || dom.elementCount(parent) < 2 || tag === 'option' || dom.closest(element, 'a[href], button, [role=button], [role=link]')) return false;
    const kind = tag === 'li' || tag === 'tr' || dom.textContent(element).length < 1000 && tidy(dom.textContent(element)) === '' ? tag : `${tag}.${dom.attribute(element, 'class') ?? ''}`;
    if (!isHtml(element) && tag !== 'svg') return false;
    if (kind === 'span.' || kind === 'b.' || kind === 'p.' || kind === 'br') return false;
    const beside = dom.nextElement(element) ?? element.previousElementSibling;
    if (!beside || (kind === tag ? dom.tag(beside) !== tag : `${dom.tag(beside)}.${dom.attribute(beside, 'class') ?? ''}` !== kind)) return false;
    const box = dom.box(element), outer = dom.box(parent);
    return box.width > 0 && box.height > 0 && (box.width < outer.width || box.height < outer.height);
  }

  // The line of an element, or null of one that says nothing by itself.
  nodeOf(element, tag, role, style, outer) {
    let how = '';
    let acts = ACTED_ON.has(role);
    if (!acts && role !== 'iframe') {
      how = this.clickable(element, tag, style, outer);
      acts = how !== '';
    }
    const isKnown = MARKS.has(role) || TEXTUAL.has(role);
    if (!acts && !isKnown) return null;
    if (role === 'iframe') {
      // A tracker's, that nobody sees.
      if (element.clientWidth * element.clientHeight < 16) return null;
    }
    const name = ownName(element, role);
    const node = { element, role, name, known: name, acts, how, text: null, states: statesOf(element, role), wants: acts || role === 'iframe' || (this.full && FULL_REFS.has(role)),
      placeholder: null, url: null, hint: null, box: null, kids: [], leaf: false, climbed: 0, frame: role === 'iframe' };
    if (how && !isEditingHost(element)) node.states.push('clickable');
    if (element === this.focused) node.states.push('focused');
    if (role === 'img' && name === '' && !acts) return null;
    if (role === 'separator' && !acts) return null;
    if (role === 'link') node.url = urlOf(element);
    const isField = FIELDS.has(role) && role !== 'checkbox' && role !== 'radio' && role !== 'switch' || tag === 'input' || role === 'progressbar' || role === 'meter' || role === 'scrollbar';
    if (isField) {
      if (tag !== 'select') node.text = valueOf(element, role);
      node.placeholder = placeholderOf(element, name);
      // A list of ARIA's own has its options beneath.
      if (role !== 'listbox' && role !== 'combobox' || tag === 'input') node.leaf = true;
      if (role === 'combobox' && tag !== 'select' && tag !== 'input') node.named = true;
    }
    if (this.boxes) {
      const box = dom.box(element);
      const whole = (px) => Math.round(Math.max(-1e9, Math.min(1e9, px)));
      node.box = [box.x, box.y, box.width, box.height].map(whole);
      if (node.frame) node.inside = [whole(box.x + element.clientLeft + parseFloat(style.paddingLeft)), whole(box.y + element.clientTop + parseFloat(style.paddingTop))];
    }
    this.chars += name.length + (node.text?.length ?? 0) + 32;
    this.collected++;
    return node;
  }

  options(select, node, frame) {
    if (!node) return;
    const options = select.options;
    for (let at = 0; at < options.length && at < 5000 && !this.isFull(); at++) {
      const option = options[at];
      if (styleOf(option).display === 'none' && option.hidden) continue;
      const name = capped(tidy(option.label.slice(0, VALUE_MAX)), NAME_MAX);
      const states = [];
      if (option.disabled) states.push('disabled');
      if (option.selected) states.push('selected');
      frame.kids.push({ element: option, role: 'option', name, known: name, acts: false, how: '', text: null, states, wants: false, placeholder: null, url: null,
        hint: null, box: null, kids: [], climbed: 9, chosen: true });
      this.collected++;
      this.chars += name.length + 32;
    }
    frame.broken = true;
  }

  // Ends an element: its line gets what is inside, or hands it to the line above.
  leave(frame, top) {
    const { node } = frame;
    if (frame.element && !WITHOUT_INSIDE.has(dom.tag(frame.element)) && !frame.context.unseen) this.pseudoText(frame.element, '::after', frame);
    this.settle(frame, node !== null);
    if (node && this.shape(node, frame)) {
      top.kids.push(node);
      top.broken = true;
      return;
    }
    this.lift(frame, top);
  }

  // Decides about texts that wait for a field beside them.
  settle(frame, isLast) {
    if (!frame.pending) return;
    const acting = (kid) => kid !== undefined && kid.words === undefined && kid.climbed <= BESIDE_LEVELS && (kid.acts || kid.within);
    const isField = (kid) => acting(kid) && kid.role !== 'link' && kid.role !== 'heading';
    // Of a long list only what is near counts.
    const near = (at, test) => {
      for (let by = 1; by <= BESIDE_LINES; by++) if (test(frame.kids[at - by]) || test(frame.kids[at + by])) return true;
      return false;
    };
    const item = frame.node?.role === 'listitem';
    frame.pending = false;
    let dropped = false;
    for (let at = 0; at < frame.kids.length; at++) {
      const kid = frame.kids[at];
      if (kid.words === undefined || kid.shown) continue;
      const length = kid.words.length;
      const max = item || kid.climbed === 0 && near(at, isField) ? BESIDE_FIELD_MAX : BESIDE_LINK_MAX;
      if (length <= max && near(at, acting)) kid.shown = true;
      else if (isLast && !SEEN_THROUGH.has(frame.node?.role) || kid.climbed >= BESIDE_LEVELS) { kid.gone = true; dropped = true }
      else { if (frame.block) kid.climbed++; frame.pending = true }
    }
    // A line's own text is needed until it is named by it.
    if (dropped && !frame.node?.acts) frame.kids = frame.kids.filter(kid => !kid.gone);
  }

  lift(frame, top) {
    const { kids } = frame;
    if (frame.pending) top.pending = true;
    if (frame.block) for (const kid of kids) kid.climbed++;
    if (kids.length > MANY && frame.element && !PASSING.has(dom.tag(frame.element)) && shownRole(frame.element) !== 'rowgroup') {
      const wrapper = this.wrapper(frame.element);
      wrapper.kids = kids;
      top.kids.push(wrapper);
      top.broken = true;
      return;
    }
    const first = kids[0], last = top.kids.at(-1);
    let at = 0;
    if (first?.words !== undefined && last?.words !== undefined && !frame.block && !top.broken && first.shown === last.shown) {
      last.words += first.words;
      at = 1;
    }
    if (top.kids.length === 0) top.kids = kids;
    else for (; at < kids.length; at++) top.kids.push(kids[at]);
    top.broken = frame.block || (kids.length ? frame.broken : top.broken);
  }

  wrapper(element) {
    const role = shownRole(element);
    return { element, role, name: '', known: '', acts: false, how: '', text: null, states: [], wants: true, placeholder: null, url: null, hint: null,
      box: null, kids: [], climbed: 0, within: true };
  }

  // Gives a line what is inside it; false where it says nothing and only what is inside is wanted.
  shape(node, frame) {
    const { role } = node;
    const many = frame.kids.length > MANY;
    let kids = frame.kids;
    const isInner = (kid) => kid.words === undefined && (kid.acts || kid.within || kid.frame || kid.chosen);
    const inner = kids.some(isInner);
    const words = tidy(kids.filter(kid => kid.words !== undefined).map(kid => kid.words).join(' '));
    node.within = node.acts || inner;
    if (node.leaf || node.frame) { node.kids = []; return true }
    if (role === 'combobox' || role === 'listbox') {
      node.kids = kids.filter(kid => kid.words === undefined);
      if (node.named && node.text === null) node.text = words || null;
      return true;
    }
    if (node.acts || BY_CONTENT.has(role)) return this.shapeActing(node, kids, inner, words);
    kids = kids.filter(kid => !kid.gone);
    if (CELLS.has(role)) {
      if (!inner && !(this.full && kids.some(kid => kid.words === undefined))) {
        if (node.name === '') node.name = node.known = contentOf(node.element);
        kids = kids.filter(kid => kid.words === undefined && (kid.role !== 'heading' || this.full));
      }
      node.kids = kids;
      return true;
    }
    if (!this.full) {
      if (SEEN_THROUGH.has(role) && !many) {
        if (role === 'listitem' && kids.length > 1 && inner) { node.kids = kids; return true }
        if (role === 'group' && node.name && kids.length) { node.kids = kids; return true }
        return false;
      }
      if (kids.length === 0 && role !== 'progressbar' && role !== 'meter' && !(node.name && TELLING.has(role))) return false;
    } else if (kids.length === 0 && node.text === null && (node.name === '' || role === 'caption') && role !== 'progressbar') return false;
    if (role === 'caption' || role === 'document' || (role === 'list' || role === 'group' || role === 'article' || role === 'figure') && kids.length === 1 && !node.name) {
      if (!(this.full && role !== 'caption' && role !== 'document')) return false;
    }
    if (role === 'group' && !node.name && !many) return false;
    if (many) node.wants = true;
    // A caption or legend is the name already.
    if (node.name && kids.length && kids[0].words !== undefined && tidy(kids[0].words) === node.name) kids = kids.slice(1);
    if (kids.length === 1 && kids[0].words !== undefined && node.text === null) { node.text = tidy(kids[0].words).slice(0, TEXT_MAX); kids = [] }
    node.kids = kids;
    return true;
  }

  // Of what is named by its content: the name stands for the words inside.
  shapeActing(node, kids, inner, words) {
    const { role } = node;
    const isUnnamed = node.name === '';
    if (node.how === 'pointer' && isUnnamed && words === '' && kids.length === 1 && kids[0].words === undefined && (kids[0].acts || kids[0].frame)) return false;
    const others = kids.filter(kid => kid.words === undefined);
    if (role === 'textbox') { node.kids = []; return true }
    if (node.acts && isUnnamed && !BY_CONTENT.has(role)) {
      const content = contentOf(node.element);
      node.known = content;
      const isLong = content.length > CONTENT_NAME_MAX;
      if (inner || isLong || this.full && others.length) node.kids = this.full || !isLong || inner ? kids : [];
      else if (content !== '') { if (role === 'generic') node.name = content; else node.text = content; }
      if (isLong && !inner && !this.full) node.text = content.slice(0, CONTENT_NAME_MAX) + '…';
      if (node.kids.length === 1 && node.kids[0].words !== undefined) { node.text = tidy(node.kids[0].words); node.kids = [] }
    } else if (inner) {
      node.kids = this.full ? kids : kids.filter(kid => kid.words === undefined || !node.name.includes(tidy(kid.words)));
      if (role === 'heading' && !hasAuthorName(node.element)) {
        const repeats = tidy(kids.map(kid => kid.words ?? kid.name).join(' ')).replaceAll(' ', '') === node.name.replaceAll(' ', '');
        if (repeats) { node.name = ''; node.kids = kids } else if (this.full || node.kids.length) node.kids = kids.filter(kid => kid.words === undefined);
      } else node.kids = node.kids.filter(kid => kid.words === undefined || !node.name.includes(tidy(kid.words)));
    } else {
      node.kids = this.full ? others.filter(kid => !(kid.name && kid.kids.length === 0 && kid.role !== 'heading' && kid.role !== 'img' && node.name.includes(kid.name))) : [];
      if (this.full && role !== 'heading' && words && !node.name.includes(words) && !words.startsWith(node.name.slice(0, NAME_MAX / 2) || ' ') && node.text === null && node.kids.length === 0) node.text = words;
    }
    if (!node.acts) return node.name !== '' || node.kids.length > 0;
    if (node.name === '' && node.text === null && node.kids.length === 0) {
      node.hint = hintOf(node.element);
      const box = dom.box(node.element);
      // Without size or words there is nothing to click.
      if (node.how === 'pointer' && (box.width === 0 || box.height === 0)) return false;
    }
    if (kids.length > MANY) node.wants = true;
    return true;
  }

  // The lines from top to bottom, each with its level.
  lines() {
    const lines = [];
    const open = [[this.kids, 0, 0]];
    while (open.length) {
      const place = open.at(-1);
      const [kids, at, level] = place;
      if (at === kids.length) { open.pop(); continue }
      place[1]++;
      const kid = kids[at];
      if (kid.gone) continue;
      if (kid.words !== undefined) {
        const words = tidy(kid.words).slice(0, TEXT_MAX).toWellFormed();
        const beside = kids[at + 1] ?? {}, before = kids[at - 1] ?? {};
        // A field's label is its name.
        if (words !== '' && (!beside.name || words !== beside.name) && (!before.name || words !== before.name)) lines.push({ d: level, r: 'text', t: words });
        continue;
      }
      const line = { d: level, r: kid.role };
      if (kid.name) line.n = kid.name;
      if (kid.known !== kid.name) line.k = kid.known;
      if (kid.text) line.t = kid.text.toWellFormed();
      if (kid.states.length) line.s = kid.states;
      line.e = numberOf(kid.element);
      if (kid.wants) line.w = true;
      if (kid.placeholder) line.p = kid.placeholder;
      if (kid.url) line.u = kid.url;
      if (kid.hint) line.h = kid.hint;
      if (kid.box) line.b = kid.box;
      if (kid.frame) line.f = kid.inside ?? [0, 0];
      lines.push(line);
      if (kid.kids.length) open.push([kid.kids, 0, Math.min(level + 1, LEVELS_MAX)]);
    }
    return lines;
  }
}
const SEEN_THROUGH = new Set([...TEXTUAL, 'toolbar', 'tabpanel']);
