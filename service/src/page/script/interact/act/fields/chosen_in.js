// The row of a box or a select, which may be another entry's once something is chosen in it.

// The box or the select that the action under way is on, as it began, and what its row and those beside it said. Lists give
// their elements to other entries once one is checked off: then the element says nothing of what was done. And they make the
// elements of a cell anew.
let chosenIn = null;
const ROWS_LOOKED_AT_MAX = 200;
const noteChosenIn = (element) => {
  const cache = new Map(), { own } = aroundOf(element, cache);
  const { role, name } = identityOf(element);
  const home = own && parentNodeOf(own), beside = home instanceof Element ? [...childrenOf(home)].slice(0, ROWS_LOOKED_AT_MAX) : [];
  const holds = wordsIn(element instanceof HTMLSelectElement ? choosable(element).map(labelOf).join(' ') : '');
  chosenIn = { ...entryOf(element, own, cache), number: numberOf(element), role, name, home, before: new WeakSet(beside), holds };
};
// Whether it is another entry's by now. What has left its row is asked by what it is called alone.
const isAnothersNow = (element) => chosenIn?.element === element && (chosenIn.own === null || isWithin(element, chosenIn.own)
  ? isInAnothers(chosenIn) : isCalledAsAnother(chosenIn.called));
kit.isAnothersNow = (number) => {
  const element = elementOf(number);
  return element !== null && isAnothersNow(element instanceof HTMLOptionElement ? closest(element, 'select') : fieldFor(element));
};
// Its row, as far as that says what it said; where it has left, the only one in its list that does, but for what is chosen, and
// has come since.
const rowAnew = ({ own, words, home, before, holds }) => {
  if (own === null || isHere(own)) return own !== null && wordsOf(own) === words ? own : null;
  const saidOf = (text) => [...wordsIn(text)].filter((word) => !holds.has(word)).join(' '), said = saidOf(words);
  if (said === '' || !(home instanceof Element) || !isHere(home)) return null;
  const isSuch = (row) => tagOf(row) === tagOf(own) && saidOf(wordsOf(row)) === said;
  const [found, another] = [...childrenOf(home)].slice(0, ROWS_LOOKED_AT_MAX).filter(isSuch);
  return found && !another && !before.has(found) ? found : null;
};
// The only element of its role and name in its row, where it has left.
const ROLE_SAID = 'input, select, [role]';
const madeAnew = (number) => {
  const row = chosenIn?.number === number ? rowAnew(chosenIn) : null;
  if (row === null) return null;
  const isSuch = (one) => roleOf(one) === chosenIn.role && ownName(one, chosenIn.role) === chosenIn.name;
  const [found, another] = [...findIn(row, ROLE_SAID)].slice(0, CONTROLS_LOOKED_AT_MAX).filter(isSuch);
  return found && !another ? found : null;
};
