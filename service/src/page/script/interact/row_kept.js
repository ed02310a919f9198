// Rows that change by what is done in them, and the fields in them that were written in.

// Fields whose value was typed or chosen, which says nothing of the row, and that value. One that holds something else by now
// is another row's field. A page may write a value in another way, or step a number.
const typedFields = new WeakMap();
let typedLately = new Set();
const bareOf = (value) => String(value).toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
const isSameValue = (before, now) => {
  const [typed, held] = [bareOf(before), bareOf(now)];
  if (typed === held || !/\p{L}{2}|\d{4}/u.test(held)) return true;
  return (typed.length > 1 && held.includes(typed)) || typed.includes(held);
};
const isTyped = (field) => {
  if (!typedFields.has(field)) return false;
  if (isSameValue(typedFields.get(field), heldBy(field))) return true;
  typedFields.delete(field);
  return false;
};

// What an element's rows say as an action on it begins, and what its field holds once it was typed into. A row that changes by
// that or soon after, and still has the field with that value, is about the same: a preview, a hint, the text itself. It is
// not if it says what another row said, which says it no longer: then they have changed places.
const OWN_CHANGES_MS = 2000, ROWS_BESIDE_MAX = 50, CLOSED_ROOTS_MAX = 20;
const rowBefore = (element) => {
  const cache = new Map(), { rows, own } = aroundOf(element, cache);
  const told = rows.map(({ row, byTitle }) => ({ row, byTitle, told: wordsOf(row, byTitle, cache) }));
  const others = own !== null && FIELDS.has(roleOf(element)) ? othersOf(own, cache) : [];
  return { element, own, words: own === null ? '' : wordsOf(own, false, cache), rows: told, others, called: calledOf(element), held: null, until: 0 };
};
// What a field is called, and what those of its kind beside it are: `{element, role, name, others}`; null of what is no field.
const CALLED = 'input, select, textarea, [role]', CALLED_UP_MAX = 4, CALLED_MAX = 50;
function calledOf(element) {
  const role = roleOf(element), name = FIELDS.has(role) ? ownName(element, role) : '';
  if (name === '') return null;
  const others = [];
  for (let around = drawnParent(element), up = 0; around && up < CALLED_UP_MAX && others.length === 0; around = drawnParent(around), up++) {
    const all = allIn(around, CALLED);
    for (let at = 0; at < all.length && at < CALLED_MAX; at++) {
      if (all[at] !== element && roleOf(all[at]) === role) others.push({ element: all[at], name: ownName(all[at], role) });
    }
  }
  return { element, role, name, others };
}
// Whether it is called by now as another one was, which is not any more: then the page has given it to another entry.
function isCalledAsAnother(called) {
  if (called === null || !dom.isConnected(called.element)) return false;
  const { element, role, name, others } = called, now = ownName(element, role);
  const isLeft = (other) => !dom.isConnected(other.element) || ownName(other.element, role) !== now;
  return now !== '' && now !== name && others.some((other) => other.name === now && isLeft(other));
}
// What the rows beside one say.
function othersOf(row, cache) {
  const others = [], isPlain = isPlainRow.has(row);
  for (const way of [dom.previousElement, dom.nextElement]) {
    for (let at = way(row), count = 0; at && count < ROWS_BESIDE_MAX; at = way(at), count++) {
      if (dom.tag(at) !== dom.tag(row)) continue;
      if (isPlain && !cellRows.has(row)) isPlainRow.add(at);
      others.push({ row: at, words: wordsOf(at, false, cache) });
    }
  }
  return others;
}
// Whether a row says by now what another one said, which no longer says it. What was written or chosen in its own field counts
// in neither.
const isAnothers = (now, { words: before, others }) => {
  const words = wordsIn(now);
  if (words.size === 0 || isAmong(words, wordsIn(before))) return false;
  return others.some((other) => isAmong(words, wordsIn(other.words)) && (!dom.isConnected(other.row) || wordsOf(other.row) !== other.words));
};
// Whether an element's own row is another one's by now, or the element itself is by what it is called.
const isInAnothers = (before) => Boolean(before)
  && ((before.own !== null && dom.isConnected(before.own) && isAnothers(wordsOf(before.own), before)) || isCalledAsAnother(before.called));
const heldBy = (field) => (isWrittenIn(field) || dom.tag(field) === 'select' ? field.value : field.checked ?? dom.textContent(field));
// The field that an event is about: at the host of a closed root, which hides it, what has the focus inside.
const fieldOfEvent = (event) => {
  let [target] = event.composedPath();
  for (let roots = 0; roots < CLOSED_ROOTS_MAX && closedRoots.has(target); roots++) {
    const inside = closedRoots.get(target).activeElement;
    if (!inside) break;
    target = inside;
  }
  return target;
};
const noteTyped = (before, event) => {
  const target = fieldOfEvent(event);
  if (!(target instanceof Element)) return;
  const isActedOn = target === before?.element;
  if (isActedOn || event.isTrusted) {
    typedFields.set(target, heldBy(target));
    typedLately.add(target);
  }
  if (isActedOn) before.held = { field: target, value: heldBy(target) };
};
const isHeld = ({ own, element, held }) =>
  held !== null && dom.isConnected(element) && rowAround(element) === own && heldBy(held.field) === held.value;
const keepRow = (before) => {
  if (!isHeld(before)) return;
  for (const { row, byTitle, told } of before.rows) {
    wordsOf(row, byTitle);
    const known = rowsKnown[byTitle ? 'title' : 'full'].get(row);
    if (row === before.own && isAnothers(toldAs(known), before)) return;
    known.kept = { told, before };
  }
};
// The row that may change until the next action, whose own blur and press are judged by what they do.
let rowLeft = null;
const keepRowAfter = (before) => {
  // A page may have written it in another way.
  for (const field of typedLately) typedFields.set(field, heldBy(field));
  typedLately = new Set();
  if (before.held === null) return;
  before.until = performance.now() + OWN_CHANGES_MS;
  keepRow(before);
  rowLeft = { before, timer: setTimeout(() => keepRow(before), OWN_CHANGES_MS - 100) };
};
const endRowLeft = () => {
  if (rowLeft === null) return;
  const { before, timer } = rowLeft;
  clearTimeout(timer);
  if (performance.now() < before.until) keepRow(before);
  before.until = 0;
  rowLeft = null;
};
