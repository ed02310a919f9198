// What an action's element was shown or found as, and whether it is that still.

// Whether an element is in this document still: a page may also put it into that of a frame.
const isHere = (element) => isConnected(element) && dom.document(element) === document;

// What an element was shown or found as, and what its row was about, when the action under way found it ready first:
// `{element, role, name, row, heads, shown, own, written, standing, matches}`. `own` is what its field held, which the row says no longer
// once it is typed into. `written` is what stands in a field of the same row that has the focus: once the press takes that from
// it, the page may show it in the row. `matches()`: whether a selector that found it does so still; null where it was named
// otherwise. Lists give their elements to other entries as they scroll, pages rename what the pointer is over.
let meant = null;
// A name's words, symbols and signs of numbers, in order.
const partsOf = (name) => name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|\p{S}|[-\u2212](?=\p{N})/gu) ?? name.match(/\p{Pd}/gu) ?? [];
const writtenBeside = (element) => {
  const field = focusedElement(), row = rowAround(element);
  if (!row || !field || field === element || !isWithin(field, row) || !['text', 'content'].includes(actFieldKind(field)) || isSecret(field)) return null;
  const text = isInput(field) || field instanceof HTMLTextAreaElement ? field.value : dom.textContent(field);
  // What other rows say is another entry's.
  const others = new Set(othersOf(row, new Map()).map(({ said }) => said));
  return { row, words: wordsIn(text.slice(0, ABOUT_MAX_CHARS)), others };
};
const ownWordsOf = (element) => {
  const field = fieldFor(element), isContent = actFieldKind(field) === 'content' && !checkTyped(field);
  const value = isContent ? dom.textContent(field).slice(0, ABOUT_MAX_CHARS) : setValueOf(field);
  return value === '' ? new Set() : wordsIn(`${value} ${wordsAlone(value)}`);
};
const meaningOf = (element, { role, name, content }) => ({
  element, role, name: name || content, row: wordsIn(rowWordsOf(element)), heads: headWordsOf(element), shown: wordsIn(shownInstead(element)), own: ownWordsOf(element), written: writtenBeside(element),
  isHint: name === '' ? !(element instanceof HTMLLabelElement) : name === ownPlaceholder(element),
});
// Where an element stands: what it, its row and the nearest part around it say, each with what those beside it say.
const NEAR_MAX = 10;
const standingOf = (element) => {
  const cache = new Map(), { own, parts } = aroundOf(element, cache);
  // What an element shows that is called otherwise may be a mark that moves along: ●, ○, ○. A box shows nothing.
  const says = hasAuthorName(element) || FIELDS.has(roleOf(element)) ? nameSoonOf : shortTextOf;
  const places = [alikeBeside(element), inWrappersBeside(element)].filter((beside) => beside.length > 0)
    .map((beside) => placeAmong(element, says, beside));
  if (parts.length > 0) places.push(placeAmong(parts[0], (part) => partWordsOf(part, new Map()), alikeBeside(parts[0])));
  return { places, row: own && saidAmong(own, cache, NEAR_MAX) };
};
const alikeBeside = (element) => nearOf(element, NEAR_MAX, (other) => tagOf(other) === tagOf(element));
const shortTextOf = (element) => tidy(textIn(element, mayHaveText, false).slice(0, OUTER_MAX_CHARS));
const nameSoonOf = (element) => namedSoon(() => ownName(element, roleOf(element)));
const placeAmong = (element, says, beside) =>
  namedSoon(() => ({ element, says, said: says(element), beside: beside.map((other) => ({ element: other, said: says(other) })) }));
// Of an element that stands alone in its wrapper, such as a box in its label, those at its place in the wrappers beside.
const WRAPPERS_UP_MAX = 3;
const isControlLike = (one, other) => tagOf(one) === tagOf(other) && roleOf(one) === roleOf(other) && matches(one, FOCUSABLE) === matches(other, FOCUSABLE);
const inWrappersBeside = (element) => {
  const path = [];
  for (let at = element, up = 0; up < WRAPPERS_UP_MAX; up++) {
    const place = placeOf(at), outer = dom.parent(at);
    if (place === null || !outer || dom.type(outer) !== 1 || dom.matches(outer, PLAIN_ENDS)) return [];
    path.unshift({ place, isInRoot: false });
    const isLike = (other) => tagOf(other) === tagOf(outer) && firstClassOf(other) === firstClassOf(outer);
    const alike = nearOf(outer, NEAR_MAX, isLike)
      .map((other) => [0, 1].map((end) => atPlace(other, path, end)).find((one) => one !== null && isControlLike(one, element)))
      .filter((one) => one !== undefined);
    if (alike.length > 0) return alike;
    at = outer;
  }
  return [];
};
// Whether one of them says by now what another one there said, which says it no longer, or another one what it alone said: a list
// was drawn anew in place.
const isInOthersPlace = ({ places, row }, isLeftOut = () => false) => {
  if (row !== null && isConnected(row.own) && isAnothers(wordsOf(row.own), row)) return true;
  return places.some(({ element, says, said, beside }) => {
    if (isLeftOut(element)) return false;
    const now = isConnected(element) ? says(element) : said;
    if (now === said) return false;
    if (/\p{L}{2}/u.test(now) && saysAnothers((one) => one === now, beside, says)) return true;
    return /\p{L}{2}/u.test(said) && !saysStill(said, now) && isSaidByAnother(said, beside, says);
  });
};
// Whether one of those beside them says by now nothing of what it said: what has more words then may be another entry, too.
const hasOthersBeside = ({ places, row }) => {
  const all = row === null ? places : [...places, { says: (one) => wordsOf(one), beside: row.others }];
  return all.some(({ says, beside }) => beside.some(({ element, said }) => isConnected(element) && isOther(said, says(element))));
};

// Whether a name still says what it said, perhaps among more words, in the same order.
const saysStill = (before, now) => {
  const [parts, later] = [partsOf(before), partsOf(now)];
  if (parts.length === 0) return before === '' || before === now || now === '';
  let found = 0;
  for (const part of later) if (part === parts[found]) found++;
  return later.length === 0 || found === parts.length;
};
// Whether a name is what it was, or has more words after it, such as those of a tooltip, but no number: words before it or
// among it may say the opposite.
const goesOn = (before, now) => {
  const [parts, later] = [partsOf(before), partsOf(now)];
  return parts.every((part, at) => part === later[at]) && !later.slice(parts.length).some((part) => /[\p{N}\p{Sc}]/u.test(part));
};
// Whether the element still has the role, name and row that it was found with. As the pointer comes a name may go into a
// tooltip, or get more words.
const staysMeant = () => {
  if (meant === null) return true;
  if (!isHere(meant.element)) return false;
  if (meant.matches) return staysInRow();
  const now = meaningOf(meant.element, identityOf(meant.element));
  const isNamed = (saysStill(meant.name, now.name) && (partsOf(now.name).length === 0 || goesOn(meant.name, now.name))) || (actFieldKind(meant.element) === 'text' && isStillLabelled());
  if (partsOf(now.name).length > partsOf(meant.name).length && meant.name !== '' && hasOthersBeside(meant.standing)) return false;
  // What had no role may get one by the press, as the entry that the arrow keys lead to.
  return (now.role === meant.role || (meant.role === 'generic' && meant.name !== '' && now.name === meant.name)) && isNamed && isAmong(meant.shown, now.shown) && staysInRow();
};
// What the element is now, where that is no longer what was meant; null where it is, or has gone.
kit.changed = () => (meant === null || !isHere(meant.element) || staysMeant() ? null : identityOf(meant.element));
// The same of a field that has got the focus. Its role may follow its type, and what stands in it until then, a placeholder
// or the text of an editor, is no name that stays.
const staysField = () => {
  if (meant === null) return true;
  if (!isHere(meant.element)) return false;
  const now = identityOf(meant.element);
  return (meant.isHint || meant.matches || saysStill(meant.name, now.name || now.content) || isStillLabelled()) && staysInRow();
};
// Whether labels of the field say still what it was called: a date picker tells by `aria-label` what to do once it is open.
const isStillLabelled = () => meant.name !== ''
  && namedSoon(() => tidy([...labelsOf(meant.element)].map((label) => textIn(label, mayHaveText, false).slice(0, ABOUT_MAX_CHARS)).join(' ')) === meant.name);
// The same of what has got the focus for keys: the name of what stands alone may tell its state.
const staysFocused = (field) => {
  const isAlone = meant !== null && meant.standing.row === null && !meant.standing.places.some(({ beside }) => beside.length > 0);
  return (isAlone && !actFieldKind(field) && !(field instanceof HTMLSelectElement)) || staysField();
};
// Whether the row of the element still says what it said.
const staysInRow = (was = meant, isLeftOut = undefined) => {
  if (was === null) return true;
  const isOthers = (was.standing && isInOthersPlace(was.standing, isLeftOut)) || headWordsOf(was.element) !== was.heads;
  const row = wordsIn(rowWordsOf(was.element));
  const before = was.own.size > 0 && checkTyped(fieldFor(was.element)) ? was.row.difference(was.own) : was.row;
  const hasMore = isAmong(before, row) && row.size > before.size && was.standing && hasOthersBeside(was.standing);
  // What was found by a selector is not named by what is around it.
  if (was.matches) return !(isOthers || hasMore) || was.matches();
  if (isOthers || hasMore) return false;
  if (isAmong(before, row)) return true;
  if (row.size * 2 < before.size) return false;
  return isAmong(row, was.row) || (was.written !== null && isAmong(row, was.row.union(was.written.words)) && !was.written.others.has(wordsOf(was.written.row)));
};
// Notes what an element is meant as, and returns whether it is what it was shown or found as, and has stayed that since it was
// ready first. Until then the pointer has not come to it: what changes while it is waited for is not the pointer's work.
const noteMeant = (element, shown, { isByRef = false, matches = null } = {}) => {
  if (meant?.element === element && meant.wasReady) return staysMeant();
  if (!shown && !matches) return true;
  const now = identityOf(element);
  if (shown && !(isAsShown(element, now, shown) && (!isByRef || saysAsShown(element)))) return false;
  meant = { ...meaningOf(element, now), standing: standingOf(element), matches };
  return true;
};
// An entry itself is named by nothing but its words, of which it may have got more.
const saysAsShown = (element) => !entriesShown.has(element) || isAmong(entriesShown.get(element), entryWordsOf(element));
const isAsShown = (element, now, shown) => now.role === shown.role && now.row === shown.row
  && ((now.name === '' && shown.name !== '' ? now.content : now.name) === shown.name || isByTurns(element, now.name));
