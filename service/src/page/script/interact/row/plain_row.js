// Plain rows: rows without a role, such as the `div`s of a list. They are recognised by their controls: elements side by side
// that have the same control at the same place. Rows without any element are in cell_row.js.

const PLAIN_LEVELS_MAX = 8, PLAIN_STEPS_MAX = 24, PLAIN_BESIDE_MAX = 3, PLAIN_PLACES_MAX = 20;
// How many plain rows around an element count.
const PLAIN_ROWS_MAX = 3;
// How many controls a snapshot reads for this, and how many until it looks for no more rows of links: a page has more of them.
const PLAIN_LOOKED_MAX = 20_000, PLAIN_LINKS_MAX = 10_000;
const CONTROL_CHARS_MAX = 60;
// Elements at which the search for plain rows ends, and elements that are no plain rows but may be in one.
const PLAIN_ENDS = `html, body, main, ${DIALOGS}`;
const NOT_PLAIN_ROWS = 'table, tbody, thead, tfoot, ul, ol, menu, [role=list], [role=rowgroup], [role=grid], [role=toolbar]';

// The plain rows around elements, from inside out, as found at the latest snapshot; null for elements in none. They are kept
// until the next snapshot, so that no ref becomes stale when a list gets its second entry.
const plainRows = new WeakMap();
const plainRowsKnown = new WeakSet();

// The plain rows around an element and inside `outermost`: `[{row, byTitle}]` from inside out, or null. `looked` counts what a
// snapshot has read; with it an element that was in no plain row is looked at again.
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
    // Rows side by side may belong to the same entry, such as two labels. The row around both then says which entry it is.
    if (found.length > 0) {
      if (!isNamedByLabel(outer, element) && once(looked, noteTitled, outer)) found.push({ row: outer, byTitle: true });
      continue;
    }
    const text = ownTextOf(outer, element, looked);
    // A row with a long text, such as a post, is identified by the name that it begins with.
    if (text === null && !once(looked, notePost, outer)) continue;
    found.push({ row: outer, byTitle: false });
    plainRowsKnown.add(outer);
    // A row that has numbers alone may be a cell of a row without an element.
    if (text !== null && /\p{N}/u.test(text) && !/\p{L}{2}/u.test(text) && noteCellRow(outer, path, control, looked)) break;
  }
  for (const { row } of found) plainRowsKnown.add(row);
  return found.length > 1 && isIcon(control, looked) ? countsLeftOut(found, element, looked) : found;
}

// A number beside an icon is often the count of those who have pressed it. It changes, so it does not identify the row.
function countsLeftOut(found, element, looked) {
  const [nearest, ...others] = found;
  return /\p{L}/u.test(ownTextOf(nearest.row, element, looked) ?? '') ? [{ row: nearest.row, byTitle: true }, ...others] : others;
}
const isIcon = (control, looked) => !FIELD_TAGS.has(dom.tag(control.element)) && !/\p{L}/u.test(saidBy(control, looked) ?? '');

// A control by which rows are compared: `kind`, which is compared first, and `said`, its words, which take longer to read and are
// read when needed. Null for an element whose text is too long for a control. The kind of a link includes where it leads: links
// are alike only if they lead to the same place, as those do that a script handles.
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

// The words of a control, by which it is compared with those of its kind in other rows; null if they are too long for a control.
// Those of a check box or radio button are in its labels.
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

// How many siblings are before and after an element; null if there are many on both sides.
function placeOf(element) {
  const places = [dom.previousElement(element), dom.nextElement(element)].map((first, way) => {
    let count = 0;
    for (let at = first; at && count <= PLAIN_PLACES_MAX; at = way ? dom.nextElement(at) : dom.previousElement(at)) count++;
    return count;
  });
  return Math.min(...places) > PLAIN_PLACES_MAX ? null : places;
}

const firstClassOf = (element) => (dom.attribute(element, 'class') ?? '').trim().split(/\s/, 1)[0];

// The nearest siblings with the same tag and the same first class.
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

// The element of another row at the place to which the path leads, counted from the start of each element (0) or from its end
// (1), since rows may have more or fewer elements on one side; null if there is none.
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

// Whether another row has a control of the same kind and words at the place to which the path leads. With `orIs` that may be the
// control itself.
function hasLike(row, path, control, looked, orIs = false) {
  return [0, 1].some((end) => {
    const at = atPlace(row, path, end);
    if (at === null) return false;
    if ((!orIs && at === control.element) || dom.tag(at) !== dom.tag(control.element) || kindOf(at) !== control.kind) return false;
    return saidBy(control, looked) !== null && saysAsControl(at, looked) === control.said;
  });
}

// The cards around a row's list: plain rows that have a list, a table or a form each, and count by their titles. They are
// recognised by their lists, which are at the same place and begin with a row of the same kind. Null if there are none; kept
// until the next snapshot, as plain rows are.
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
