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
// Returns whether a field holds what was typed into it; one that does not is forgotten.
const checkTyped = (field) => {
  if (!typedFields.has(field)) return false;
  if (isSameValue(typedFields.get(field), heldBy(field))) return true;
  typedFields.delete(field);
  return false;
};

// What an element's rows say as an action on it begins, and what its field holds once it was typed into. A row that changes by
// that or soon after, and still has the field with that value, is about the same: a preview, a hint, the text itself. It is
// not if it says what another row said, which says it no longer: then they have changed places.
const OWN_CHANGES_MS = 2000, ROWS_BESIDE_MAX = 50, CLOSED_ROOTS_MAX = 20;
const rowBefore = (element, isTypedInto) => {
  const cache = new Map(), { rows, own } = aroundOf(element, cache);
  const told = rows.map(({ row, byTitle }) => ({ row, byTitle, told: wordsOf(row, byTitle, cache) }));
  const entry = FIELDS.has(roleOf(element)) ? entryOf(element, own, cache, isTypedInto) : { element, own, words: '', others: [], called: null, value: new Set() };
  return { ...entry, rows: told, held: null, until: 0 };
};
// What says which entry an element is of: what its row says and those beside it, what it is called, and the words of its value,
// which its row says with the others.
const entryOf = (element, own, cache, isCalled = true) => ({
  element, ...(own === null ? { own, words: '', others: [] } : saidAmong(own, cache)), called: isCalled ? calledOf(element) : null,
  value: wordsIn(dom.tag(element) === 'select' ? [...selectedOptions(element)].map((option) => option.label).join(' ') : isWrittenIn(element) ? element.value : ''),
});
// Whether one says by now what another one said, which says it no longer. `others` are `{element, said}`; `saysNow` reads one.
const saysAnothers = (isSame, others, saysNow) =>
  others.some((other) => isSame(other.said) && (!dom.isConnected(other.element) || saysNow(other.element) !== other.said));
// Whether another one says by now what one alone said.
const isSaidByAnother = (said, others, saysNow) =>
  others.every((other) => other.said !== said) && others.some((other) => dom.isConnected(other.element) && saysNow(other.element) === said);
// What a field is called, and what the next ones of its kind on either side are: `{element, role, name, others}`; null of what is
// no field, or takes too long to name.
const CALLED = 'input, select, textarea, [role]', CALLED_UP_MAX = 4, CALLED_MAX = 10, CALLED_STEPS_MAX = 100, CALLED_MS_MAX = 20;
function calledOf(element) {
  const role = roleOf(element);
  if (!FIELDS.has(role)) return null;
  return namedSoon(() => {
    const name = ownName(element, role), others = [];
    for (let around = drawnParent(element), up = 0; name !== '' && around && up < CALLED_UP_MAX && others.length === 0; around = drawnParent(around), up++) {
      const all = [...allIn(around, CALLED)], at = all.indexOf(element);
      for (const beside of [all.slice(Math.max(0, at - CALLED_STEPS_MAX), Math.max(0, at)).reverse(), all.slice(at + 1, at + 1 + CALLED_STEPS_MAX)]) {
        const alike = beside.filter((one) => roleOf(one) === role).slice(0, CALLED_MAX);
        others.push(...alike.map((one) => ({ element: one, said: ownName(one, role) })));
      }
    }
    return name === '' ? null : { element, role, name, others };
  });
}
// Whether two fields have swapped names: this one has the name that another one had, and another one has this one's.
function isCalledAsAnother(called) {
  if (called === null || !dom.isConnected(called.element)) return false;
  return namedSoon(() => {
    const { element, role, name, others } = called, now = ownName(element, role);
    if (now === '' || now === name) return false;
    const nameNow = (other) => (dom.isConnected(other) ? ownName(other, role) : '');
    return saysAnothers((said) => said === now, others, nameNow) && others.some((other) => other.said !== name && nameNow(other.element) === name);
  });
}
// Names that are asked for later than soon are empty meanwhile.
function namedSoon(name) {
  const before = namesUntil;
  namesUntil = Math.min(before, performance.now() + CALLED_MS_MAX);
  try { return name(); } finally { namesUntil = before; }
}
// What a row says, and what those beside it say, so many on either side.
const saidAmong = (own, cache, max = ROWS_BESIDE_MAX) => ({ own, words: wordsOf(own, false, cache), others: othersOf(own, cache, max) });
function othersOf(row, cache, max = ROWS_BESIDE_MAX) {
  const others = [], isPlain = plainRowsKnown.has(row);
  for (const way of [dom.previousElement, dom.nextElement]) {
    for (let at = way(row), count = 0; at && count < max; at = way(at), count++) {
      if (dom.tag(at) !== dom.tag(row)) continue;
      if (isPlain && !cellRows.has(row)) plainRowsKnown.add(at);
      others.push({ element: at, said: wordsOf(at, false, cache) });
    }
  }
  return others;
}
// Whether a row says by now what another one said, which no longer says it, or another one by now what it alone said. What was
// written or chosen in its own field it says no longer: then all that it says may be among what the other said, if it has lost
// more words than those that its field held.
const isAnothers = (now, { words: before, others, value = new Set() }) => {
  const [words, had] = [wordsIn(now), wordsIn(before)];
  if (words.size === 0 || had.size === 0 || now === before) return false;
  const hasLost = [...had].some((word) => !words.has(word) && !value.has(word));
  const isSame = (said) => said === now || (hasLost && isAmong(words, wordsIn(said)));
  const saysNow = (row) => wordsOf(row);
  return saysAnothers(isSame, others, saysNow) || (hasLost && isSaidByAnother(before, others, saysNow));
};
// Whether an element is another entry's by now: its row is, or it is by what it is called, unless its row says what it said.
const isInAnothers = (before) => {
  if (!before) return false;
  const { own, words, element } = before, hasRow = own !== null && dom.isConnected(own);
  const now = hasRow ? wordsOf(own) : '';
  if (hasRow && isAnothers(now, before)) return true;
  return !(words !== '' && now === words && dom.contains(own, element)) && isCalledAsAnother(before.called);
};
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
