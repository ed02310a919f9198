// Rows that no role names: elements side by side that have the same control at the same place, as lists of plain elements
// have. A control belongs to what stands around it there, as in any row.

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

// The plain row that an element is in; `looked` counts what a snapshot reads, which asks again for what was in none.
function plainRowOf(element, outermost, looked) {
  const known = plainRows.get(element);
  if (known ? dom.contains(known, element) : known === null && !looked) return known;
  if (looked && looked.count > PLAIN_LOOKED_MAX) return null;
  const row = findPlainRow(element, outermost, looked ?? { count: 0 });
  plainRows.set(element, row);
  if (row) isPlainRow.add(row);
  return row;
}

function findPlainRow(element, outermost, looked) {
  const says = saysAsControl(element, looked);
  if (says === null) return null;
  const path = [];
  let inner = element;
  for (let level = 0; level < PLAIN_LEVELS_MAX; level++) {
    const outer = dom.parent(inner);
    if (!outer || dom.type(outer) !== 1 || outer === outermost || dom.matches(outer, NOT_PLAIN_ROWS)) return null;
    const place = placeOf(inner);
    if (place === null) return null;
    path.unshift(place);
    inner = outer;
    const isRow = elementsBeside(outer).some((other) => hasLike(other, path, element, says, looked));
    if (isRow && isTold(outer, element)) return outer;
  }
  return null;
}

// What tells a control from another at the same place of its row; null of what is no short control, or leads somewhere as a link.
function saysAsControl(element, looked) {
  looked.count++;
  const tag = dom.tag(element);
  if (tag === 'html' || tag === 'body' || (tag === 'a' && dom.has(element, 'href'))) return null;
  const label = dom.attribute(element, 'aria-label') ?? dom.attribute(element, 'title') ?? dom.attribute(element, 'placeholder');
  const text = label ?? (tag === 'select' || tag === 'textarea' ? '' : textIn(element, () => true, false));
  if (text.length > CONTROL_CHARS_MAX) return null;
  return `${tag} ${dom.attribute(element, 'role') ?? ''} ${tag === 'input' ? dom.attribute(element, 'type') : ''} ${wordsAlone(text)}`;
}

// Where an element is among its siblings, from both ends; null where there are many.
function placeOf(element) {
  const places = [element.previousElementSibling, dom.nextElement(element)].map((first, way) => {
    let count = 0;
    for (let at = first; at && count <= PLAIN_PLACES_MAX; at = way ? dom.nextElement(at) : at.previousElementSibling) count++;
    return count;
  });
  return Math.min(...places) > PLAIN_PLACES_MAX ? null : places;
}

const firstClassOf = (element) => (dom.attribute(element, 'class') ?? '').trim().split(/\s/, 1)[0];

// The nearest siblings of the same kind.
function elementsBeside(element) {
  const kind = firstClassOf(element), beside = [];
  for (const way of ['previousElementSibling', 'nextElementSibling']) {
    for (let at = element[way], count = 0; at && count < PLAIN_BESIDE_MAX; at = at[way], count++) {
      if (dom.tag(at) === dom.tag(element) && firstClassOf(at) === kind) beside.push(at);
    }
  }
  return beside;
}

// Whether another row has at the place that the path leads to what says the same.
function hasLike(row, path, element, says, looked) {
  return [0, 1].some((end) => {
    let at = row;
    for (const place of path) {
      at = end ? at.lastElementChild : dom.firstElement(at);
      for (let step = 0; at && step < place[end]; step++) at = end ? at.previousElementSibling : dom.nextElement(at);
      if (!at) return false;
    }
    return at !== element && dom.tag(at) === dom.tag(element) && saysAsControl(at, looked) === says;
  });
}

// Whether a row says something of its own, and not too much. Where there are labels, they say what fields are.
function isTold(row, element) {
  const text = textIn(row, (node) => isAboutRow(node) && node !== element, false);
  if (text.length > PLAIN_ROW_CHARS_MAX || !/[\p{L}\p{N}]/u.test(text)) return false;
  const tag = dom.tag(element);
  const isWrittenIn = tag === 'textarea' || (tag === 'input' && !PICKED_TYPES.has(dom.attribute(element, 'type')));
  return !isWrittenIn || dom.find(row, 'label') === null;
}

// How many of a plain row's texts tell it from the row beside it: up to the first with a word that the other does not have, and
// one more after a short word, which may be a badge. What comes after, such as a message or a state, says nothing of which
// entry it is. Numbers tell it where no word does: a place in a ranking stays where it is.
function piecesTold(pieces, beside) {
  const isOwn = (piece) => !beside.includes(piece);
  const at = pieces.findIndex((piece) => isOwn(piece) && /\p{L}{3}/u.test(piece));
  if (at < 0) return pieces.findIndex(isOwn) + 1;
  return /^\p{L}{3,8}$/u.test(pieces[at]) ? at + 2 : at + 1;
}

// What a plain row says, text by text.
function piecesIn(row) {
  const pieces = [];
  const add = (text) => { if (/[\p{L}\p{N}]/u.test(text ?? '')) pieces.push(tidy(text.slice(0, ABOUT_MAX_CHARS))) };
  const leads = [];
  walkIn(row, isAboutRow, (node, type) => {
    if (pieces.length >= PIECES_MAX) return false;
    if (type === 3) add(node.data);
    else if (type === 1) {
      add(dom.tag(node) === 'img' ? dom.attribute(node, 'alt') : null);
      leads.push(dom.tag(node) === 'a' ? dom.attribute(node, 'href') : null, dom.attribute(node, 'title'));
    }
    return true;
  });
  for (const lead of [dom.attribute(row, 'aria-label'), dom.attribute(row, 'title'), ...leads]) add(lead);
  return pieces;
}
