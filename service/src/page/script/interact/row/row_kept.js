// Rows that change by an action in them, and fields that were written in: when they are still the same, and when the page has
// given them to another entry.

// The fields whose value was typed or chosen, with that value: it says nothing about the row. A field that holds something else by
// now may belong to another row. The page may format the value or step a number, so values are compared loosely.
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

// The words of an element's rows as an action on it begins; `held` is set to the field's value once something was typed. A row
// that changes by the action or soon after, and still has the field with that value, is still about the same: the change is a
// preview, a hint, or the text itself. It is not if the row now says what another row said, and that row no longer does: then the
// two have changed places.
const OWN_CHANGES_MS = 2000, ROWS_BESIDE_MAX = 50, CLOSED_ROOTS_MAX = 20;
const rowBefore = (element, isTypedInto) => {
  const cache = new Map(), { rows, own: nearest } = aroundOf(element, cache), own = nearest ?? rowOfLabelled(element);
  if (own !== nearest) rows.push({ row: own, byTitle: false });
  const told = rows.flatMap(({ row, byTitle }) => {
    const title = ownTitleOf(row);
    // It may count for controls elsewhere in it in the other way.
    const ways = title !== '' && rowsKnown[byTitle ? 'full' : 'title'].has(row) ? [byTitle, !byTitle] : [byTitle];
    return ways.map((way) => ({ row, byTitle: way, told: wordsOf(row, way, cache), title }));
  });
  const entry = FIELDS.has(roleOf(element)) ? entryOf(element, own, cache, isTypedInto) : { element, own, words: '', others: [], called: null, value: new Set() };
  return { ...entry, rows: told, held: null, isReplaced: false, until: 0 };
};
// The title of a plain row: the words of its heading, else of its first bold text or first text. Empty if a row beside it has the
// same title. If a control in the row acts and the title stays, the row is the same entry, even if a count or a state changes.
function ownTitleOf(row) {
  if (!plainRowsKnown.has(row) || cellRows.has(row)) return '';
  const title = titleWordsOf(row);
  const isLike = (other) => dom.tag(other) === dom.tag(row) && firstClassOf(other) === firstClassOf(row);
  return nearOf(row, TITLES_BESIDE_MAX, isLike).some((other) => titleWordsOf(other) === title) ? '' : title;
}
const TITLES_BESIDE_MAX = 10;
const titleWordsOf = (row) => {
  const { pieces, titles, bolds } = piecesIn(row);
  return wordsAlone(pieces[titles[0] ?? bolds[0] ?? 0] ?? '');
};
// The plain row that buttons beside a field with a label are in; null where there is none. It does not tell the field, but what is
// typed into the field may change it.
function rowOfLabelled(element) {
  let at = isWrittenIn(element) ? drawnParent(element) : null;
  for (let level = 0; at && level < PLAIN_LEVELS_MAX; level++, at = drawnParent(at)) if (plainRowsKnown.has(at)) return at;
  return null;
}
// What identifies the entry of an element: the words of its row and of the rows beside it, the name of the element, and the words
// of its value, which are among its row's.
const entryOf = (element, own, cache, isCalled = true) => ({
  element, ...(own === null ? { own, words: '', others: [] } : saidAmong(own, cache)), called: isCalled ? calledOf(element) : null,
  value: wordsIn(dom.tag(element) === 'select' ? [...selectedOptions(element)].map((option) => option.label).join(' ') : isWrittenIn(element) ? element.value : ''),
});
// Whether a row or field now says what one of `others` said before and no longer says. `others` are `{element, said}`, `isSame`
// compares what was said, `saysNow` reads an element.
const saysAnothers = (isSame, others, saysNow) =>
  others.some((other) => isSame(other.said) && (!dom.isConnected(other.element) || saysNow(other.element) !== other.said));
// Whether one of `others` now says `said`, which none of them said before.
const isSaidByAnother = (said, others, saysNow) =>
  others.every((other) => other.said !== said) && others.some((other) => dom.isConnected(other.element) && saysNow(other.element) === said);
// The name of a field, and the names of the nearest fields of its role on either side: `{element, role, name, others}`; null if
// the element is no field, has no name, or takes too long to name.
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
// Whether two fields have swapped names: this one has the name that another one had, and another one has this one's, or there is
// one less, as where a list without keys leaves out what is done.
function isCalledAsAnother(called) {
  if (called === null || !dom.isConnected(called.element)) return false;
  return namedSoon(() => {
    const { element, role, name, others } = called, now = ownName(element, role);
    if (now === '' || now === name) return false;
    const nameNow = (other) => (dom.isConnected(other) ? ownName(other, role) : '');
    const isNowOf = (other) => !dom.isConnected(other.element) || (other.said !== name && nameNow(other.element) === name);
    return saysAnothers((said) => said === now, others, nameNow) && others.some(isNowOf);
  });
}
// Calls `name`; the names that it asks for after `CALLED_MS_MAX` are empty.
function namedSoon(name) {
  const before = namesUntil;
  namesUntil = Math.min(before, performance.now() + CALLED_MS_MAX);
  try { return name(); } finally { namesUntil = before; }
}
// The words of a row and of the rows beside it, up to `max` on either side.
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
// Whether a row is another entry's by now: it says what another row said and no longer says, or another row says what it alone
// said. The words of a row may lack those that were typed or chosen in its field. So if it has lost other words than the field's,
// it is enough that all its words are among those that the other row said.
const isAnothers = (now, { words: before, others, value = new Set() }) => {
  const [words, had] = [wordsIn(now), wordsIn(before)];
  if (words.size === 0 || had.size === 0 || now === before) return false;
  const hasLost = [...had].some((word) => !words.has(word) && !value.has(word));
  const isSame = (said) => said === now || (hasLost && isAmong(words, wordsIn(said)));
  const saysNow = (row) => wordsOf(row);
  return saysAnothers(isSame, others, saysNow) || (hasLost && isSaidByAnother(before, others, saysNow));
};
// Whether nothing of what was said is said now.
const isOther = (said, now) => {
  const [before, words] = [said, now].map(wordsIn);
  return before.size > 0 && words.size > 0 && before.isDisjointFrom(words);
};
// Whether entries that were not there before have taken the places of a row and of one beside it. Asked before the field has got
// anything, and where its row has changed since: what a page makes of a text meanwhile, such as hints or its translations, may be in
// all rows. Numbers are computed anew.
const isOfNewEntries = (now, { words, others }) =>
  [words, now].every((said) => /\p{L}{2}/u.test(said)) && isOther(words, now) && others.some(({ element, said }) => dom.isConnected(element) && isOther(said, wordsOf(element)));
// Whether a row that has changed since the action is another entry's, and not what the action made of it.
const isGivenAway = (now, before) => isAnothers(now, before) || isOfNewEntries(now, before);
// Whether an element is another entry's by now: its row is, or the element has swapped names with another one, and the row does
// not say the same as before.
const isInAnothers = (before) => {
  if (!before) return false;
  const { own, words, element } = before, hasRow = own !== null && dom.isConnected(own);
  const now = hasRow ? wordsOf(own) : '';
  if (before.isReplaced || (hasRow && (isAnothers(now, before) || (before.held === null && isOfNewEntries(now, before))))) return true;
  return !(words !== '' && now === words && dom.contains(own, element)) && isCalledAsAnother(before.called);
};
// What a field holds; of one whose editor draws its text, that text: the field itself is empty between two keys.
const heldBy = (field) => drawnText(field) ?? (isWrittenIn(field) || dom.tag(field) === 'select' ? field.value : field.checked ?? dom.textContent(field));
// The field of an event. If that is in a closed shadow root, the event's target is the host, and the field has the focus inside.
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
  // The page's own listeners have yet to hear of it.
  if (isActedOn && before.held === null && before.own !== null && dom.isConnected(before.own)) before.isReplaced = isOfNewEntries(wordsOf(before.own), before);
  if (isActedOn || event.isTrusted) {
    typedFields.set(target, heldBy(target));
    typedLately.add(target);
  }
  if (isActedOn) before.held = { field: target, value: heldBy(target) };
};
const isHeld = ({ own, element, held }) =>
  held !== null && dom.isConnected(element) && (rowAround(element) ?? rowOfLabelled(element)) === own && heldBy(held.field) === held.value;
const keepsTitle = ({ row, title }) => title !== '' && dom.isConnected(row) && ownTitleOf(row) === title;
const isStillOwn = (before, kept) => isHeld(before) || keepsTitle(kept);
const keepRow = (before) => {
  for (const kept of before.rows.filter((one) => isStillOwn(before, one))) {
    const { row, byTitle } = kept;
    wordsOf(row, byTitle);
    const known = rowsKnown[byTitle ? 'title' : 'full'].get(row);
    if (row === before.own && isGivenAway(toldAs(known), before)) return;
    known.kept = { ...kept, before };
  }
};
// The row of the latest action, which may change by that until the next action begins. What the next action does itself, such as
// taking the focus, is not covered.
let rowLeft = null;
const keepRowAfter = (before) => {
  // The page may have formatted the values since.
  for (const field of typedLately) typedFields.set(field, heldBy(field));
  typedLately = new Set();
  if (before.held !== null) before.held.value = drawnText(before.held.field) ?? before.held.value;
  if (before.held === null && !before.rows.some(({ title }) => title !== '')) return;
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
