// How what was found becomes lines: which texts are shown, which elements are seen through, what a name stands for.

// Levels of lines; what is deeper stands on the last.
const LEVELS_MAX = 100;
// More children than these are folded later, so the one that holds them needs a ref.
const MANY = 50;
// How long a text beside a field or a button, or beside links alone, may be to be shown for it.
const BESIDE_FIELD_MAX = 300, BESIDE_LINK_MAX = 80;
// How many blocks up a text looks for a field or a button, and for a link, how many blocks inside of it a link may be, and
// how many lines are looked at around it.
const BESIDE_LEVELS = 3, BESIDE_LINK_LEVELS = 1, LINK_LEVELS = 2, BESIDE_LINES = 4;
// Of so many elements it is noted where they are: of one that is there still as it is acted on, no move is waited for.
const SEEN_MAX = 500;
// A clickable's content beyond this is shown inside it, not as its name.
const CONTENT_NAME_MAX = 150;

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
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'link', 'meta', 'base', 'datalist', 'desc', 'metadata', 'defs', 'symbol',
  'clippath', 'mask', 'lineargradient', 'radialgradient', 'br', 'wbr', 'col', 'colgroup', 'param', 'source', 'track', 'area', 'optgroup', 'option']);
const WITHOUT_INSIDE = new Set(['input', 'textarea', 'select', 'iframe', 'frame', 'img', 'progress', 'meter', 'hr', 'audio', 'video', 'canvas', 'object', 'embed', 'math']);
const SEEN_THROUGH = new Set([...TEXTUAL, 'toolbar', 'tabpanel']);

const wordsAmong = (kids) => tidy(kids.filter(kid => kid.words !== undefined).map(kid => kid.words).join(' '));

// What a transparent box says that is laid over its drawing, being the only control there.
const BESIDE_TICK_MAX = 10;
function wordsUnder(element) {
  const around = isTickBox(element) && getComputedStyle(element).opacity === '0' ? drawnParent(element) : null;
  if (around === null || dom.elementCount(around) > BESIDE_TICK_MAX || allIn(around, FOCUSABLE).length !== 1) return '';
  const content = contentOf(around);
  return content.length > CONTENT_NAME_MAX ? '' : content;
}

// Whether an element that takes the focus, say to be scrolled, holds what is shown in others that don't.
const TABLE_ROLES = new Set(['table', 'grid', 'treegrid']);
function showsWhatItHolds(role, kids) {
  if (!PANELS.has(role)) return kids.some(kid => TABLE_ROLES.has(kid.role));
  return kids.some(kid => kid.words === undefined ? MARKS.has(kid.role) : kid.shown && !kid.gone);
}

// The fields and buttons among some lines and in them.
function controlsAmong(kids) {
  const controls = [], open = [...kids].reverse();
  while (open.length > 0) {
    const kid = open.pop();
    if (kid.words !== undefined) continue;
    if (kid.acts && (FIELDS.has(kid.role) || kid.role === 'button')) controls.push(kid);
    else open.push(...[...kid.kids].reverse());
  }
  return controls;
}

class Shaping {
  // Decides about texts that wait for a field beside them.
  settle(frame, isLast) {
    if (!frame.pending) return;
    const acting = (kid) => kid.words === undefined && kid.climbed <= LINK_LEVELS && (kid.acts || kid.within);
    // A link that leads nowhere is a button.
    const isOther = (kid) => (kid.role !== 'link' || kid.url === '#' || kid.url === 'javascript:') && kid.role !== 'heading';
    const isField = (kid) => kid.words === undefined && kid.climbed <= BESIDE_LEVELS && kid.acts && isOther(kid);
    const isNearField = (kid) => acting(kid) && isOther(kid);
    // Of a long list only what is near counts.
    const near = (at, test) => {
      const last = Math.min(frame.kids.length - 1, at + BESIDE_LINES);
      for (let other = Math.max(0, at - BESIDE_LINES); other <= last; other++) if (test(frame.kids[other])) return true;
      return false;
    };
    const item = frame.node?.role === 'listitem';
    frame.pending = false;
    let dropped = false;
    for (let at = 0; at < frame.kids.length; at++) {
      const kid = frame.kids[at];
      if (kid.words === undefined || kid.shown) continue;
      const length = kid.words.length;
      const max = item || kid.climbed === 0 && near(at, isNearField) ? BESIDE_FIELD_MAX : BESIDE_LINK_MAX;
      // Of the items of a list often one alone takes the focus, and all act.
      const isBeside = (other) => isField(other) || ((kid.climbed <= BESIDE_LINK_LEVELS || (kid.item && other.role === 'listitem')) && acting(other));
      if (length <= max && near(at, isBeside)) kid.shown = true;
      else if (isLast || kid.climbed >= BESIDE_LEVELS) { kid.gone = true; dropped = true }
      else frame.pending = true;
    }
    // A line's own text is needed until it is named by it.
    if (dropped && !frame.node?.acts) frame.kids = frame.kids.filter(kid => !kid.gone);
  }

  lift(frame, top) {
    // So many stay together.
    if (frame.kids.length > MANY && frame.element && !PASSING.has(dom.tag(frame.element))) this.settle(frame, true);
    const { kids } = frame;
    if (frame.pending) top.pending = true;
    if (frame.block) for (const kid of kids) kid.climbed++;
    if (frame.node?.role === 'listitem') for (const kid of kids) kid.item = true;
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
    node.within = node.acts || inner;
    if (node.leaf || node.frame) { node.kids = []; return true }
    if (role === 'combobox' || role === 'listbox') {
      node.kids = kids.filter(kid => kid.words === undefined);
      if (node.named && node.text === null) node.text = wordsAmong(kids) || null;
      return true;
    }
    if (node.acts || BY_CONTENT.has(role)) return this.shapeActing(node, kids, inner);
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
        if ((role === 'listitem' || role === 'article') && inner && (kids.length > 1 && role === 'listitem' || node.name)) { node.kids = kids; return true }
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
  shapeActing(node, kids, inner) {
    const { role } = node;
    const isUnnamed = node.name === '';
    // The box that has its state is the same to a person, and what is drawn beside that.
    const isDrawing = (kid) => kid.how === 'pointer' && kid.name === '' && kid.text === null && kid.kids.length === 0;
    const [tick, ...more] = CHECKABLE.has(role) ? kids.filter(kid => kid.words === undefined && !isDrawing(kid)) : [];
    if (tick && more.length === 0 && (tick.name === '' || tick.name === node.name) && tick.element === tickOf(node.element, role)) {
      node.states.push(...tick.states.filter(state => !node.states.includes(state)));
      kids = kids.filter(kid => kid.words !== undefined);
      inner = false;
    }
    if (node.how === 'pointer' && isUnnamed && kids.length === 1 && kids[0].words === undefined && (kids[0].acts || kids[0].frame)) return false;
    const others = kids.filter(kid => kid.words === undefined);
    // What is in an editor is its text, but for controls such as the cells of a table.
    if (role === 'textbox' || node.edits) { node.kids = controlsAmong(kids); return true }
    if (!this.full && node.acts && showsWhatItHolds(role, kids)) {
      if (isUnnamed) node.known = contentOf(node.element);
      node.kids = kids.filter(kid => !kid.gone);
      return true;
    }
    if (node.acts && isUnnamed && !BY_CONTENT.has(role)) {
      const content = contentOf(node.element);
      node.known = VALUED.has(role) ? '' : content;
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
      // A button that a label names says what was chosen; what is named otherwise than it is drawn, such as "Click to edit", says
      // which it is.
      const isWhole = role === 'button' || (this.full && role !== 'heading');
      const isNamed = role !== 'heading' && node.acts && !PANELS.has(role) && hasAuthorName(node.element);
      const all = isWhole || isNamed ? wordsAmong(kids) : '';
      const words = isWhole || all.length <= CONTENT_NAME_MAX ? all.slice(0, TEXT_MAX) : `${all.slice(0, CONTENT_NAME_MAX)}…`;
      if ((this.full ? words : /[\p{L}\p{N}]/u.test(words)) && !node.name.includes(words) && !words.startsWith(node.name.slice(0, NAME_MAX / 2) || ' ') && node.text === null && node.kids.length === 0) node.text = words;
    }
    if (!node.acts) return node.name !== '' || node.kids.length > 0;
    if (node.name === '' && node.text === null && node.kids.length === 0) {
      node.hint ??= hintOf(node.element);
      const box = dom.box(node.element);
      // Without size or words there is nothing to click.
      if (node.how && (box.width <= 1 || box.height <= 1)) return false;
    }
    if (kids.length > MANY) node.wants = true;
    return true;
  }

  // The lines from top to bottom, each with its level.
  lines(withRows) {
    const lines = [];
    const rows = new Map(), looked = { count: 0 }, told = [];
    let seen = 0;
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
        // A field's label is its name. What can be clicked and draws the same words is something else.
        const isNameOf = (kid) => kid.name === words && (kid.role !== 'generic' || hasAuthorName(kid.element));
        if (words !== '' && !isNameOf(beside) && !isNameOf(before)) lines.push({ d: level, r: 'text', t: words });
        continue;
      }
      const line = { d: level, r: kid.role };
      if (kid.name) line.n = kid.name;
      if (kid.known !== kid.name) line.k = kid.known;
      const text = [kid.text, kid.sorted].filter(Boolean).join(', ');
      if (text) line.t = text.toWellFormed();
      if (kid.states.length) line.s = kid.states;
      line.e = numberOf(kid.element);
      const row = withRows ? rowOf(kid.element, rows, looked) : 0;
      if (row !== 0) line.c = row;
      if (kid.wants || kid.frame) told.push({ element: kid.element, called: `${line.r} ${line.k ?? line.n ?? ''}`, row, line });
      if (kid.wants) {
        line.w = true;
        if (withRows) noteEntry(kid.element, rows);
        if (++seen <= SEEN_MAX) kit.sees(kid.element, dom.box(kid.element));
      }
      if (kid.placeholder) line.p = kid.placeholder;
      if (kid.url) line.u = kid.url;
      if (kid.hint) line.h = kid.hint;
      if (kid.box) line.b = kid.box;
      if (kid.frame) line.f = kid.inside ?? [0, 0, 1, 0, 0, 1];
      lines.push(line);
      if (kid.kids.length) open.push([kid.kids, 0, Math.min(level + 1, LEVELS_MAX)]);
    }
    if (withRows) {
      tellByHeads(told, rows);
      for (const { line, row } of told) if (row !== 0) line.c = row;
    }
    return { lines, called: new Map(withRows ? [] : told.filter(({ element }) => !leadsElsewhere(element)).map(({ line, called }) => [line.e, called])) };
  }
}
