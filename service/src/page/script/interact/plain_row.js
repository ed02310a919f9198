// Rows that no role names: elements side by side that have the same control at the same place, as lists of plain elements
// have. A control belongs to what stands around it there, as in any row. In a grid of cells without rows, and in a list of
// terms, it belongs to what stands between it and the one before it that is alike.

const PLAIN_LEVELS_MAX = 8, PLAIN_BESIDE_MAX = 3, PLAIN_PLACES_MAX = 20;
// How many plain rows around an element count.
const PLAIN_ROWS_MAX = 3;
// How many controls a snapshot reads for this, and how many until it looks for no more rows of links: a page has more of them.
const PLAIN_LOOKED_MAX = 20_000, PLAIN_LINKS_MAX = 10_000;
// A longer text is a part of a page, whose words change for other reasons.
const PLAIN_ROW_CHARS_MAX = 300;
const CONTROL_CHARS_MAX = 60;
const PIECES_MAX = 30;
const NOT_PLAIN_ROWS = 'html, body, main, form, table, ul, ol, dialog, [role=dialog], [role=list], [role=grid], [role=toolbar]';
const PICKED_TYPES = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'range', 'color']);

// The rows of elements, from inside out, or null where there was none at the latest snapshot: a list that gets a second entry
// meanwhile makes no ref stale.
const plainRows = new WeakMap();
const isPlainRow = new WeakSet();
// Rows around others with so long a text before these that only what names things in it counts.
const isNamedRow = new WeakSet();
// Cells that stand for rows without an element: what the others of their kind are, and the way to their words.
const cellRows = new WeakMap();
// How far the cell before may be, and how deep in it the control.
const CELLS_BESIDE_MAX = 8, CELL_NODES_MAX = 30, CELL_LEVELS_MAX = 2;

// The plain rows that an element is in, inside of `outermost`: `[{row, byTitle}]` from inside out, or null. `looked` counts what
// a snapshot reads, which asks again for what was in none. `nearest`: the row around it that a role names, which is inside of
// these if it says nothing.
function plainRowsOf(element, outermost, looked, nearest) {
  const known = plainRows.get(element);
  if (known ? known.every(({ row }) => holds(row, element)) : known === null && !looked) return known;
  if (looked && looked.count > PLAIN_LOOKED_MAX) return null;
  const rows = findPlainRows(element, outermost, looked ?? { count: 0 }, nearest);
  const found = rows.length > 0 ? rows : null;
  plainRows.set(element, found);
  return found;
}

function findPlainRows(element, outermost, looked, nearest) {
  const control = controlOf(element, looked), found = [];
  if (control === null) return found;
  const path = [];
  let inner = element, hasPassed = false;
  for (let level = 0; level < PLAIN_LEVELS_MAX && found.length < PLAIN_ROWS_MAX; level++) {
    const isCell = dom.tag(inner) === 'dd' || (level < CELL_LEVELS_MAX && found.length === 0 && !dom.matches(inner, ROWS));
    if (isCell && isCellOfRow(inner, path, control, looked)) {
      if (found.at(-1)?.row !== inner) found.push({ row: inner, byTitle: found.length > 0 });
      break;
    }
    const parent = dom.parent(inner), isInRoot = parent instanceof ShadowRoot, outer = isInRoot ? parent.host : parent;
    if (!outer || dom.type(outer) !== 1 || outer === outermost) break;
    // A list of buttons and a table of them may be in a row.
    hasPassed ||= inner === nearest;
    if (dom.matches(outer, NOT_PLAIN_ROWS) && !(hasPassed && isList(outer))) break;
    const place = placeOf(inner);
    if (place === null) break;
    path.unshift({ place, isInRoot });
    inner = outer;
    const isRow = !dom.matches(outer, NOT_PLAIN_ROWS) && elementsBeside(outer).some((other) => hasLike(other, path, control, looked));
    if (!isRow) continue;
    // The row beside may be another of the same entry, such as a label beside a label: what is around both says whose they are.
    if (found.length > 0) {
      if (!isNamedByLabel(outer, element) && once(looked, hasTitle, outer)) found.push({ row: outer, byTitle: true });
      continue;
    }
    const text = ownTextOf(outer, element, looked);
    if (text === null) continue;
    found.push({ row: outer, byTitle: false });
    isPlainRow.add(outer);
    // What has numbers alone may be a cell of one.
    if (/\p{N}/u.test(text) && !/\p{L}{2}/u.test(text) && isCellOfRow(outer, path, control, looked)) break;
  }
  for (const { row } of found) isPlainRow.add(row);
  return found.length > 1 && isIcon(control, looked) ? countsLeftOut(found, element, looked) : found;
}

// Beside a control that an icon draws there is often how many have pressed it.
function countsLeftOut(found, element, looked) {
  const [nearest, ...others] = found;
  return /\p{L}/u.test(ownTextOf(nearest.row, element, looked) ?? '') ? [{ row: nearest.row, byTitle: true }, ...others] : others;
}
const isIcon = (control, looked) => !FIELD_TAGS.has(dom.tag(control.element)) && !/\p{L}/u.test(saidBy(control, looked) ?? '');

// A control as its row is looked for: `kind`, which the others have as well, and what it says, which takes longer to read. Null
// of what is no short control. Links that lead to the same place are told by their rows, as those that a script handles.
function controlOf(element, looked) {
  const tag = dom.tag(element), isLink = tag === 'a' && dom.has(element, 'href');
  if (tag === 'html' || tag === 'body' || (isLink && looked.count > PLAIN_LINKS_MAX)) return null;
  looked.count++;
  const control = { element, kind: kindOf(element), said: undefined };
  return !isLink && saidBy(control, looked) === null ? null : control;
}
function kindOf(element) {
  const tag = dom.tag(element), role = dom.attribute(element, 'role') ?? '';
  const own = tag === 'input' ? dom.attribute(element, 'type') : tag === 'a' ? dom.attribute(element, 'href') : '';
  return `${tag} ${role} ${(own ?? '').slice(0, HREF_MAX_CHARS)}`;
}
const saidBy = (control, looked) => {
  if (control.said === undefined) control.said = saysAsControl(control.element, looked);
  return control.said;
};

// What tells a control from another of its kind at the same place of its row; null of what is no short control. A box is called
// what its labels say.
const NAMED_BY_LABELS = new Set(['checkbox', 'radio']);
function saysAsControl(element, looked) {
  looked.count++;
  const tag = dom.tag(element);
  const label = dom.attribute(element, 'aria-label') ?? dom.attribute(element, 'title') ?? dom.attribute(element, 'placeholder');
  const isSaid = (node) => !SKIPPED.has(dom.tag(node));
  if (label === null && tag === 'input' && NAMED_BY_LABELS.has(element.type)) {
    return wordsAlone(labelsOf(element).reduce((text, one) => textIn(one, isSaid, false, text), '').slice(0, CONTROL_CHARS_MAX));
  }
  const text = label ?? (tag === 'select' || tag === 'textarea' ? '' : textIn(element, isSaid, false));
  return text.length > CONTROL_CHARS_MAX ? null : wordsAlone(text);
}

// Where an element is among its siblings, from both ends; null where there are many.
function placeOf(element) {
  const places = [dom.previousElement(element), dom.nextElement(element)].map((first, way) => {
    let count = 0;
    for (let at = first; at && count <= PLAIN_PLACES_MAX; at = way ? dom.nextElement(at) : dom.previousElement(at)) count++;
    return count;
  });
  return Math.min(...places) > PLAIN_PLACES_MAX ? null : places;
}

const firstClassOf = (element) => (dom.attribute(element, 'class') ?? '').trim().split(/\s/, 1)[0];

// The nearest siblings of the same kind.
function elementsBeside(element) {
  const kind = firstClassOf(element), beside = [];
  for (const way of [dom.previousElement, dom.nextElement]) {
    for (let at = way(element), count = 0; at && count < PLAIN_BESIDE_MAX; at = way(at), count++) {
      if (dom.tag(at) === dom.tag(element) && firstClassOf(at) === kind) beside.push(at);
    }
  }
  return beside;
}

// Whether another row has at the place that the path leads to what says the same.
function hasLike(row, path, control, looked, orIs = false) {
  return [0, 1].some((end) => {
    let at = row;
    for (const { place, isInRoot } of path) {
      const root = isInRoot ? shadowOf(at) : null;
      if (isInRoot && !root) return false;
      at = root ? root[end ? 'lastElementChild' : 'firstElementChild'] : (end ? dom.lastElement : dom.firstElement)(at);
      for (let step = 0; at && step < place[end]; step++) at = end ? dom.previousElement(at) : dom.nextElement(at);
      if (!at) return false;
    }
    if ((!orIs && at === control.element) || dom.tag(at) !== dom.tag(control.element) || kindOf(at) !== control.kind) return false;
    return saidBy(control, looked) !== null && saysAsControl(at, looked) === control.said;
  });
}

// Whether a cell holds the control of a row without an element: others of its kind are beside it, with other texts between.
// Such a control has words: a stepper has two signs around a number.
function isCellOfRow(cell, path, control, looked) {
  if (!dom.parent(cell) || isWrittenIn(control.element)) return false;
  const steps = [...path];
  const isLike = (other) => dom.type(other) === 1 && dom.tag(other) === dom.tag(cell) && hasLike(other, steps, control, looked, true);
  if (likeBeside(cell, isLike).every((like) => like === null) || !/\p{L}/u.test(saidBy(control, looked) ?? '')) return false;
  cellRows.set(cell, { isLike, way: wordsBeforeFirst(cell, isLike) ? dom.previousSibling : dom.nextSibling });
  // The text of a link is read with what stands around it.
  const own = dom.tag(control.element) === 'a' ? tidy(textIn(control.element, isAboutRow, false)) : '';
  const pieces = piecesIn(cell).numbers.filter((piece) => piece !== own);
  const isRow = pieces.some((piece) => /\p{L}{2}/u.test(piece)) && pieces.join('').length <= PLAIN_ROW_CHARS_MAX;
  if (!isRow) cellRows.delete(cell);
  return isRow;
}

// The cells before and after that are like it; null where none is near.
function likeBeside(cell, isLike) {
  return [dom.previousElement, dom.nextElement].map((way) => {
    for (let at = way(cell), count = 0; at && count < CELLS_BESIDE_MAX; at = way(at), count++) if (isLike(at)) return at;
    return null;
  });
}

// Whether the first cell of its kind has words before it, as the others have then.
function wordsBeforeFirst(cell, isLike) {
  let at = dom.firstChild(dom.parent(cell));
  for (let count = 0; at && count < PLAIN_PLACES_MAX && at !== cell && !isLike(at); at = dom.nextSibling(at), count++) {
    if (saysWords(at)) return true;
  }
  return !at || (at !== cell && !isLike(at));
}
const saysWords = (node) => {
  if (dom.type(node) === 3) return /\p{L}/u.test(node.data.slice(0, ABOUT_MAX_CHARS));
  return dom.type(node) === 1 && isAboutRow(node) && /\p{L}/u.test(textIn(node, isAboutRow, false));
};

// The nodes that belong to a cell, from the one like it until there. The first has as many as are between it and the next.
function nodesOfCell(cell) {
  const { isLike, way } = cellRows.get(cell);
  const until = (way) => {
    const nodes = [];
    let at = way(cell);
    for (; at && nodes.length < CELL_NODES_MAX && !isLike(at); at = way(at)) nodes.push(at);
    return { nodes, isFirst: !at };
  };
  const { nodes, isFirst } = until(way);
  const own = isFirst ? nodes.slice(0, until(way === dom.previousSibling ? dom.nextSibling : dom.previousSibling).nodes.length) : nodes;
  return way === dom.previousSibling ? own.reverse() : own;
}

const isWrittenIn = (element) => {
  const tag = dom.tag(element);
  return tag === 'textarea' || (tag === 'input' && !PICKED_TYPES.has(dom.attribute(element, 'type')));
};

// What a row says of its own; null where that is nothing, or too much. One without words may be told by signs. Where there are
// labels, they say what fields are.
function ownTextOf(row, element, looked) {
  const text = textIn(row, (node) => isAboutRow(node) && node !== element, false, '', {});
  if (text.length > PLAIN_ROW_CHARS_MAX) return null;
  if (!/[\p{L}\p{N}]/u.test(text) && (dom.matches(row, ROWS) || !hasSigns(once(looked, signsIn, row), element))) return null;
  return isNamedByLabel(row, element) ? null : text;
}
const hasSigns = ({ signs, lead }, element) => signs.length > (lead === element ? 1 : 0);
// What a snapshot or an action asks a row once, however many controls are in it.
function once(looked, asks, row) {
  const known = looked[asks.name] ??= new Map();
  if (!known.has(row)) known.set(row, asks(row));
  return known.get(row);
}
const isNamedByLabel = (row, element) => isWrittenIn(element) && dom.find(row, 'label') !== null;

// Whether a row that holds others says something before them. Of a long text only what names things in it counts.
function hasTitle(row) {
  let { numbers: pieces } = piecesIn(row, true);
  if (pieces.join('').length > PLAIN_ROW_CHARS_MAX) {
    isNamedRow.add(row);
    pieces = piecesIn(row, true).numbers;
  }
  return pieces.some((piece) => piece !== '');
}

// Where the rows begin that a plain row holds, as a question to its nodes: what has a control as the one of its kind beside it
// has, or is known as a row.
const IN_ROWS = `${CONTROLS}, a[role=button], a[href^="#"], a[href^="javascript:"], [tabindex], [onclick]`;
function rowsInside(row) {
  const holders = new Set();
  walkIn(row, () => true, (node, type) => {
    if (type !== 1 || !dom.matches(node, IN_ROWS)) return true;
    for (let at = outerOf(node); at && at !== row && !holders.has(at); at = outerOf(at)) holders.add(at);
    return true;
  });
  return (node) => isPlainRow.has(node) || dom.matches(node, ROWS) || (holders.has(node) && elementsBeside(node).some((other) => holders.has(other)));
}
const outerOf = (node) => {
  const parent = dom.parent(node);
  return parent instanceof ShadowRoot ? parent.host : parent;
};

// How many of a plain row's texts tell it from the row beside it: up to the first with a word that the other does not have, and
// one more after a short word, which may be a badge if it is no heading or link, unless that one begins with a number ("3 hours
// ago"). What comes after, such as a message or a state, says nothing of which entry it is. Numbers tell it where no word does: a place in a ranking stays where it is.
function piecesTold({ numbers: pieces, titles, links }, { numbers: beside }) {
  const isOwn = (piece) => !beside.includes(piece);
  const at = pieces.findIndex((piece) => isOwn(piece) && /\p{L}{3}/u.test(piece));
  if (at < 0) return pieces.findIndex(isOwn) + 1;
  const isBadge = /^\p{L}{3,8}$/u.test(pieces[at]) && !titles.includes(at) && !links.includes(at);
  return isBadge && !/^\p{N}/u.test(pieces[at + 1] ?? '') ? at + 2 : at + 1;
}

// What a plain row says, text by text, `numbers`, and those of them that name things: headings, then links and bold texts,
// `more`. `titles`, `links` and `bolds` are the places of these among all. `byTitle`: what it says before the rows in it,
// without what is counted there.
const NAMES = `${HEADINGS}, b, strong, a, th, dt`;
function piecesIn(row, byTitle = false) {
  const pieces = [], titles = [], links = [], bolds = [];
  const isInner = byTitle ? rowsInside(row) : null, isNamed = byTitle && isNamedRow.has(row);
  const listFor = (name) => (dom.matches(name, HEADINGS) ? titles : dom.matches(name, 'a') ? links : bolds);
  const add = (text) => {
    if (!/[\p{L}\p{N}]/u.test(text ?? '')) return false;
    pieces.push(tidy(text.slice(0, ABOUT_MAX_CHARS)));
    return true;
  };
  // Where links lead stands after their text, so that what comes later in the row changes no place.
  const leads = [], led = new Set();
  const visit = (node, type) => {
    if (pieces.length >= PIECES_MAX) return false;
    if (type === 3) {
      const around = dom.parent(node), name = around !== null && dom.type(around) === 1 ? dom.closest(around, NAMES) : null;
      const isName = name !== null && !dom.contains(name, row);
      if ((isNamed && !isName) || !add(node.data)) return true;
      if (isName) listFor(name).push(pieces.length - 1);
      if (name && dom.tag(name) === 'a' && !led.has(name)) {
        led.add(name);
        add(dom.attribute(name, 'href'));
      }
    } else if (type === 1) {
      if (isInner?.(node)) return false;
      add(dom.tag(node) === 'img' ? dom.attribute(node, 'alt') : setValueOf(node));
      leads.push({ link: dom.tag(node) === 'a' ? node : null, title: dom.attribute(node, 'title') });
    }
    return true;
  };
  // What is said for assistive technology alone goes on by itself.
  const isAbout = (node) => isAboutRow(node) && !saysWhatChanges(node);
  const isCell = cellRows.has(row);
  for (const node of isCell ? nodesOfCell(row) : []) {
    if (visit(node, dom.type(node)) && dom.type(node) === 1 && isAbout(node)) walkIn(node, isAbout, visit);
  }
  if (!isCell || isAboutRow(row)) walkIn(row, isAbout, visit);
  for (const lead of [dom.attribute(row, 'aria-label'), dom.attribute(row, 'title')]) add(lead);
  for (const { link, title } of leads) {
    if (link && !led.has(link)) add(dom.attribute(link, 'href'));
    add(title);
  }
  // The button that opens a panel may stand before it.
  const opener = dom.previousElement(row);
  const opens = opener && dom.matches(opener, BUTTONS) ? tidy(textIn(opener, (node) => !SKIPPED.has(dom.tag(node)), false)) : '';
  const numbers = byTitle ? pieces.map(namedWords) : pieces;
  return { numbers, more: [...[...titles, ...links, ...bolds].map((at) => namedWords(pieces[at])), opens], titles, links, bolds };
}

// How many of the texts that name things tell a plain row besides its first `count` texts: what comes first may be a badge or
// a category. The first heading that the rows beside it do not have; after a single word else, the first bold text or link. All
// of them, and the button before the row, if the row says what those beside it say.
function namesTold({ numbers, more, titles, links, bolds }, count, beside) {
  const isOwn = (text) => /\p{L}{2}/u.test(text) && beside.some((other) => !other.more.includes(text));
  if (count === 0) return beside.some((other) => other.more.at(-1) !== more.at(-1)) ? more.length : 0;
  if (titles.some((at) => at < count)) return 0;
  const title = titles.findIndex((_, nth) => isOwn(more[nth]));
  if (title >= 0) return title + 1;
  if ([...links, ...bolds].some((at) => at < count) || numbers.slice(0, count).some((text) => text.includes(' '))) return 0;
  const named = [...titles, ...links, ...bolds];
  return named.findIndex((at, nth) => nth >= titles.length && isOwn(more[nth]) && /^\P{N}/u.test(numbers[at])) + 1;
}
