// Rows that no role names: elements side by side that have the same control at the same place, as lists of plain elements
// have. A control belongs to what stands around it there, as in any row. In a grid of cells without rows, and in a list of
// terms, it belongs to what stands between it and the one before it that is alike.

const PLAIN_LEVELS_MAX = 8, PLAIN_STEPS_MAX = 24, PLAIN_BESIDE_MAX = 3, PLAIN_PLACES_MAX = 20;
// How many plain rows around an element count.
const PLAIN_ROWS_MAX = 3;
// How many controls a snapshot reads for this, and how many until it looks for no more rows of links: a page has more of them.
const PLAIN_LOOKED_MAX = 20_000, PLAIN_LINKS_MAX = 10_000;
const CONTROL_CHARS_MAX = 60;
// What no plain row is around, and what is none itself but may be in one.
const PLAIN_ENDS = `html, body, main, ${DIALOGS}`;
const NOT_PLAIN_ROWS = 'table, tbody, thead, tfoot, ul, ol, menu, [role=list], [role=rowgroup], [role=grid], [role=toolbar]';

// The rows of elements, from inside out, or null where there was none at the latest snapshot: a list that gets a second entry
// meanwhile makes no ref stale.
const plainRows = new WeakMap();
const plainRowsKnown = new WeakSet();

// The plain rows that an element is in, inside of `outermost`: `[{row, byTitle}]` from inside out, or null. `looked` counts what
// a snapshot reads, which asks again for what was in none.
function plainRowsOf(element, outermost, looked) {
  const known = plainRows.get(element);
  if (known ? known.every(({ row }) => holds(row, element)) : known === null && !looked) return known;
  if (looked && looked.count > PLAIN_LOOKED_MAX) return null;
  const rows = findPlainRows(element, outermost, looked ?? { count: 0 });
  const found = rows.length > 0 ? rows : null;
  plainRows.set(element, found);
  return found;
}

function findPlainRows(element, outermost, looked) {
  const control = controlOf(element, looked), found = [];
  if (control === null) return found;
  const path = [], rootAround = outermost && seenRoots.length > 0 ? dom.rootNode(outermost) : null;
  let inner = element, level = 0;
  for (let steps = 0; steps < PLAIN_STEPS_MAX && level < PLAIN_LEVELS_MAX && found.length < PLAIN_ROWS_MAX; steps++) {
    const isCell = dom.tag(inner) === 'dd' || (level < CELL_LEVELS_MAX && found.length === 0 && !dom.matches(inner, ROWS));
    if (isCell && noteCellRow(inner, path, control, looked)) {
      if (found.at(-1)?.row !== inner) found.push({ row: inner, byTitle: found.length > 0 });
      break;
    }
    const outer = outerOf(inner), step = outer && stepInto(inner);
    if (!step || outer === outermost) break;
    // A row in a shadow root is around what its slots show.
    if (rootAround && rootAround === shadowOf(outer)) break;
    if (hasSiblings(step.place)) level++;
    path.unshift(step);
    inner = outer;
    const isRow = !dom.matches(outer, NOT_PLAIN_ROWS) && elementsBeside(outer).some((other) => hasLike(other, path, control, looked));
    if (!isRow) continue;
    // The row beside may be another of the same entry, such as a label beside a label: what is around both says whose they are.
    if (found.length > 0) {
      if (!isNamedByLabel(outer, element) && once(looked, noteTitled, outer)) found.push({ row: outer, byTitle: true });
      continue;
    }
    const text = ownTextOf(outer, element, looked);
    // A long one, such as a post, is told by the name that it begins with.
    if (text === null && !once(looked, notePost, outer)) continue;
    found.push({ row: outer, byTitle: false });
    plainRowsKnown.add(outer);
    // What has numbers alone may be a cell of one.
    if (text !== null && /\p{N}/u.test(text) && !/\p{L}{2}/u.test(text) && noteCellRow(outer, path, control, looked)) break;
  }
  for (const { row } of found) plainRowsKnown.add(row);
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
  if (label === null && tag === 'input' && NAMED_BY_LABELS.has(element.type)) {
    return wordsAlone(labelsOf(element).reduce((text, one) => textIn(one, mayHaveText, false, text), '').slice(0, CONTROL_CHARS_MAX));
  }
  const text = label ?? (tag === 'select' || tag === 'textarea' ? '' : textIn(element, mayHaveText, false));
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

// The element around another one in which plain rows are still looked for; null where that ends.
function outerOf(inner) {
  const parent = dom.parent(inner), outer = parent instanceof ShadowRoot ? parent.host : parent;
  return outer && dom.type(outer) === 1 && !dom.matches(outer, PLAIN_ENDS) ? outer : null;
}
// A step of a path, from the element around another one into that; null where it has too many siblings.
function stepInto(inner) {
  const place = placeOf(inner);
  return place && { place, isInRoot: dom.parent(inner) instanceof ShadowRoot };
}

const hasSiblings = (place) => place[0] + place[1] > 0;

// What is in another row at the place that the path leads to, counted from its start (0) or its end (1); null for nothing.
function atPlace(row, path, end) {
  let at = row;
  for (const { place, isInRoot } of path) {
    const root = isInRoot ? shadowOf(at) : null;
    if (isInRoot && !root) return null;
    at = root ? root[end ? 'lastElementChild' : 'firstElementChild'] : (end ? dom.lastElement : dom.firstElement)(at);
    for (let step = 0; at && step < place[end]; step++) at = end ? dom.previousElement(at) : dom.nextElement(at);
    if (!at) return null;
  }
  return at;
}

// Whether another row has at the place that the path leads to what says the same.
function hasLike(row, path, control, looked, orIs = false) {
  return [0, 1].some((end) => {
    const at = atPlace(row, path, end);
    if (at === null) return false;
    if ((!orIs && at === control.element) || dom.tag(at) !== dom.tag(control.element) || kindOf(at) !== control.kind) return false;
    return saidBy(control, looked) !== null && saysAsControl(at, looked) === control.said;
  });
}

// The plain rows around the list that a row is in, by their titles: cards with a list, a table or a form each. The list beside may
// have more rows or fewer. Null where there are none, as for `plainRowsOf`.
const cardsOfList = new WeakMap();
function cardsAround(row, cache, looked) {
  const list = dom.parent(row);
  if (!list || dom.type(list) !== 1) return null;
  const note = noteOf(list, cache);
  if (note.cards === undefined) note.cards = readCards(row, list, looked);
  return note.cards;
}
function readCards(row, list, looked) {
  const known = cardsOfList.get(list);
  if (known ? known.every(({ row: card }) => holds(card, list)) : known === null && !looked) return known;
  const cards = findCards(row, list, looked ?? { count: 0 });
  cardsOfList.set(list, cards);
  return cards;
}
function findCards(row, list, looked) {
  const path = [], found = [];
  const hasRow = (other) => [0, 1].some((end) => {
    const at = atPlace(other, path, end);
    return at !== null && dom.tag(at) === dom.tag(list) && isFirstLike(at, row);
  });
  let inner = dom.matches(list, PLAIN_ENDS) ? null : list, level = 0;
  for (let steps = 0; inner && steps < PLAIN_STEPS_MAX && level < PLAIN_LEVELS_MAX && found.length < PLAIN_ROWS_MAX; steps++) {
    const isCard = !dom.matches(inner, `${NOT_PLAIN_ROWS}, ${ROWS}`) && elementsBeside(inner).some(hasRow);
    if (isCard && once(looked, noteTitled, inner)) {
      found.push({ row: inner, byTitle: true });
      plainRowsKnown.add(inner);
    }
    const outer = outerOf(inner), step = outer && stepInto(inner);
    if (!step || step.isInRoot) break;
    if (hasSiblings(step.place)) level++;
    path.unshift(step);
    inner = outer;
  }
  return found.length > 0 ? found : null;
}
// Whether one of the first elements in a list is of a row's kind.
function isFirstLike(list, row) {
  let at = dom.firstElement(list);
  for (let count = 0; at && count < PLAIN_BESIDE_MAX; at = dom.nextElement(at), count++) {
    if (dom.tag(at) === dom.tag(row) && dom.attribute(at, 'role') === dom.attribute(row, 'role')) return true;
  }
  return false;
}
