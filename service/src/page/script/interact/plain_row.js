// Rows that no role names: elements side by side that have the same control at the same place, as lists of plain elements
// have. A control belongs to what stands around it there, as in any row. In a grid of cells without rows, and in a list of
// terms, it belongs to what stands between it and the one before it that is alike.

const PLAIN_LEVELS_MAX = 8, PLAIN_BESIDE_MAX = 3, PLAIN_PLACES_MAX = 20;
// How many controls a snapshot reads for this.
const PLAIN_LOOKED_MAX = 20_000;
// A longer text is a part of a page, whose words change for other reasons.
const PLAIN_ROW_CHARS_MAX = 300;
const CONTROL_CHARS_MAX = 60;
const PIECES_MAX = 30;
const NOT_PLAIN_ROWS = 'html, body, main, form, table, ul, ol, dialog, [role=dialog], [role=list], [role=grid], [role=toolbar]';
const PICKED_TYPES = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'range', 'color']);

// The rows of elements, or null where there was none at the latest snapshot: a list that gets a second entry meanwhile makes no
// ref stale.
const plainRows = new WeakMap();
const isPlainRow = new WeakSet();
// Cells that stand for rows without an element: what the others of their kind are, and the way to their words.
const cellRows = new WeakMap();
// How far the cell before may be, and how deep in it the control.
const CELLS_BESIDE_MAX = 8, CELL_NODES_MAX = 30, CELL_LEVELS_MAX = 2;

// The plain row that an element is in, inside of `outermost`; `looked` counts what a snapshot reads, which asks again for what
// was in none. `nearest`: the row around it that a role names, which is inside of this one if it says nothing.
function plainRowOf(element, outermost, looked, nearest) {
  const known = plainRows.get(element);
  if (known ? holds(known, element) : known === null && !looked) return known;
  if (looked && looked.count > PLAIN_LOOKED_MAX) return null;
  const row = findPlainRow(element, outermost, looked ?? { count: 0 }, nearest);
  plainRows.set(element, row);
  if (row) isPlainRow.add(row);
  return row;
}

function findPlainRow(element, outermost, looked, nearest) {
  const says = saysAsControl(element, looked);
  if (says === null) return null;
  const path = [];
  let inner = element, hasPassed = false;
  for (let level = 0; level < PLAIN_LEVELS_MAX; level++) {
    if (level < CELL_LEVELS_MAX && !dom.matches(inner, ROWS) && isCellOfRow(inner, path, element, says, looked)) return inner;
    const parent = dom.parent(inner), isInRoot = parent instanceof ShadowRoot, outer = isInRoot ? parent.host : parent;
    if (!outer || dom.type(outer) !== 1 || outer === outermost) return null;
    // A list of buttons and a table of them may be in a row.
    hasPassed ||= inner === nearest;
    if (dom.matches(outer, NOT_PLAIN_ROWS) && !(hasPassed && isList(outer))) return null;
    const place = placeOf(inner);
    if (place === null) return null;
    path.unshift({ place, isInRoot });
    inner = outer;
    const isRow = !dom.matches(outer, NOT_PLAIN_ROWS) && elementsBeside(outer).some((other) => hasLike(other, path, element, says, looked));
    const text = isRow ? ownTextOf(outer, element) : null;
    if (text === null) continue;
    // What has numbers alone may be a cell of one.
    if (!/\p{L}{2}/u.test(text)) isCellOfRow(outer, path, element, says, looked);
    return outer;
  }
  return null;
}

// What tells a control from another at the same place of its row; null of what is no short control, or leads somewhere as a link.
function saysAsControl(element, looked) {
  looked.count++;
  const tag = dom.tag(element);
  if (tag === 'html' || tag === 'body' || (tag === 'a' && dom.has(element, 'href'))) return null;
  const label = dom.attribute(element, 'aria-label') ?? dom.attribute(element, 'title') ?? dom.attribute(element, 'placeholder');
  const text = label ?? (tag === 'select' || tag === 'textarea' ? '' : textIn(element, (node) => !SKIPPED.has(dom.tag(node)), false));
  if (text.length > CONTROL_CHARS_MAX) return null;
  return `${tag} ${dom.attribute(element, 'role') ?? ''} ${tag === 'input' ? dom.attribute(element, 'type') : ''} ${wordsAlone(text)}`;
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
function hasLike(row, path, element, says, looked, orIs = false) {
  return [0, 1].some((end) => {
    let at = row;
    for (const { place, isInRoot } of path) {
      const root = isInRoot ? shadowOf(at) : null;
      if (isInRoot && !root) return false;
      at = root ? root[end ? 'lastElementChild' : 'firstElementChild'] : (end ? dom.lastElement : dom.firstElement)(at);
      for (let step = 0; at && step < place[end]; step++) at = end ? dom.previousElement(at) : dom.nextElement(at);
      if (!at) return false;
    }
    return (orIs || at !== element) && dom.tag(at) === dom.tag(element) && saysAsControl(at, looked) === says;
  });
}

// Whether a cell holds the control of a row without an element: others of its kind are beside it, with other texts between.
// Such a control has words: a stepper has two signs around a number.
function isCellOfRow(cell, path, element, says, looked) {
  if (!dom.parent(cell) || !/\p{L}/u.test(says.slice(says.lastIndexOf(' '))) || isWrittenIn(element)) return false;
  const steps = [...path];
  const isLike = (other) => dom.type(other) === 1 && dom.tag(other) === dom.tag(cell) && hasLike(other, steps, element, says, looked, true);
  if (likeBeside(cell, isLike).every((like) => like === null)) return false;
  cellRows.set(cell, { isLike, way: wordsBeforeFirst(cell, isLike) ? dom.previousSibling : dom.nextSibling });
  const pieces = piecesIn(cell).numbers;
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

// What a row says of its own; null where that is nothing, or too much. Where there are labels, they say what fields are.
function ownTextOf(row, element) {
  const text = textIn(row, (node) => isAboutRow(node) && node !== element, false, '', {});
  if (text.length > PLAIN_ROW_CHARS_MAX || !/[\p{L}\p{N}]/u.test(text)) return null;
  return !isWrittenIn(element) || dom.find(row, 'label') === null ? text : null;
}

// How many of a plain row's texts tell it from the row beside it: up to the first with a word that the other does not have, and
// one more after a short word, which may be a badge if it is no heading or link. What comes after, such as a message or a state,
// says nothing of which entry it is. Numbers tell it where no word does: a place in a ranking stays where it is.
function piecesTold({ numbers: pieces, titles, links }, { numbers: beside }) {
  const isOwn = (piece) => !beside.includes(piece);
  const at = pieces.findIndex((piece) => isOwn(piece) && /\p{L}{3}/u.test(piece));
  if (at < 0) return pieces.findIndex(isOwn) + 1;
  return /^\p{L}{3,8}$/u.test(pieces[at]) && !titles.includes(at) && !links.includes(at) ? at + 2 : at + 1;
}

// What a plain row says, text by text, `numbers`, and those of them that name things: headings, then links and bold texts,
// `more`. `titles`, `links` and `bolds` are the places of these among all.
const NAMES = `${HEADINGS}, b, strong, a, th, dt`;
function piecesIn(row) {
  const pieces = [], titles = [], links = [], bolds = [];
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
      const around = add(node.data) ? dom.parent(node) : null;
      const name = around !== null && dom.type(around) === 1 ? dom.closest(around, NAMES) : null;
      if (name && !dom.contains(name, row)) listFor(name).push(pieces.length - 1);
      if (name && dom.tag(name) === 'a' && !led.has(name)) {
        led.add(name);
        add(dom.attribute(name, 'href'));
      }
    } else if (type === 1) {
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
  return { numbers: pieces, more: [...[...titles, ...links, ...bolds].map((at) => namedWords(pieces[at])), opens], titles, links, bolds };
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
