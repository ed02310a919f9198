// Options of selects, by value or label.

const trimmed = (text) => text.replace(/\s+/g, ' ').trim();
const labelOf = (option) => trimmed(option.label).slice(0, 200).toWellFormed();
const optionsIn = (select) => [...getter(HTMLSelectElement, 'options')(select)];
// The option that a text names, by value or label. Where it is one's value and another's label it means the label: that is
// what one sees.
const namedAmong = (options, text) => {
  const [byValue, byLabel] = [options.filter((option) => option.value === text), options.find((option) => option.label === text)];
  return byValue.find((option) => option.label === text) ?? byLabel ?? byValue[0]
    ?? options.find((option) => tidy(option.label).toLowerCase() === tidy(text).toLowerCase());
};
// The options that a person can choose.
const choosable = (select) => optionsIn(select).filter(isOffered);
// Whether a text names several options alike, so that the first of them is taken.
const hasTwin = (select, text) => {
  const options = choosable(select);
  return options.filter((option) => option.value === text).length !== 1 && options.filter((option) => option.label === text).length > 1;
};
// The options that texts name as they are now.
const namedIn = (select, wanted) => {
  const options = choosable(select);
  return wanted.map((text) => namedAmong(options, text));
};
const pairOf = (option) => option && { value: option.value.slice(0, VALUE_CHARS_MAX).toWellFormed(), label: labelOf(option) };
const isPair = (one, other) => one?.value === other?.value && one?.label === other?.label;
// Whether an option that was chosen still is that one, perhaps with more words.
const staysPair = (one, now) => isPair(one, now) || (one?.value === now?.value && saysStill(one.label, now.label));
// The option that was chosen by itself, as it was then.
let chosenAs = { option: null, pair: null };
// Chooses options by value or label; of a select for one the first alone. Says what the select lacks. The focus comes first:
// pages fill a select, or replace its options, as it gets it. What they replace by something else is not chosen.
kit.select = (number, wanted) => {
  selectClicked = null;
  const element = elementOf(number);
  if (!element) return GONE;
  const select = actField(element);
  if (!(select instanceof HTMLSelectElement)) return lacks('select', select);
  typedInto = { element, field: select };
  const multiple = getter(HTMLSelectElement, 'multiple')(select);
  if (!multiple && wanted.length !== 1) return lacks('one', select);
  const meant = namedIn(select, wanted).map(pairOf);
  noteChosenIn(select);
  const lost = lostByFocus(select, element);
  if (lost !== null) return lost;
  const chosen = namedIn(select, wanted);
  if (meant.some((pair, at) => pair && !isPair(pair, pairOf(chosen[at])))) return lacks('options', select);
  const missing = chosen.findIndex((option) => !option);
  if (missing !== -1) return lacks('option', select, { by: wanted[missing] });
  const disabled = chosen.find((option) => matches(option, ':disabled'));
  if (disabled) return lacks('enabled', disabled);
  const options = optionsIn(select);
  const before = options.filter((option) => option.selected);
  // The page may relabel them as it hears of the choice.
  const pairs = chosen.map(pairOf);
  const isNew = before.length !== chosen.length || chosen.some((option) => !before.includes(option));
  if (isNew) {
    if (multiple) for (const option of options) option.selected = chosen.includes(option);
    else chosen[0].selected = true;
    tell(select, 'input', 'change');
  }
  // Another element is drawn in its place, which may not hear of it.
  const unseen = isNew && attributeOf(select, 'tabindex') === '-1' && (!isSeen(select) || getComputedStyle(select).clip !== 'auto');
  return { what: describe(select), chosen: pairs, unseen, twins: wanted.filter((text) => hasTwin(select, text)) };
};
// Chooses the option that the element is, in a select that can be seen; false where it is none of those.
kit.choose = (number) => {
  const option = elementOf(number);
  const select = option instanceof HTMLOptionElement ? closest(option, 'select') : null;
  if (!select || !actVisible(select) || actDisabled(select) || matches(option, ':disabled') || !isOffered(option)) return false;
  const meant = pairOf(option);
  noteChosenIn(select);
  focusOn(select, { preventScroll: true });
  if (!isHere(option) || !staysInRow() || closest(option, 'select') !== select || !isPair(meant, pairOf(option))) return lacks('options', select);
  chosenAs = { option, pair: meant };
  if (option.selected) return true;
  option.selected = true;
  tell(select, 'input', 'change');
  return true;
};
// Whether these, and no others, are chosen.
kit.selected = (number, wanted) => {
  const element = elementOf(number) ?? madeAnew(number);
  const select = element instanceof HTMLOptionElement ? closest(element, 'select') : element && fieldFor(element);
  if (!(select instanceof HTMLSelectElement)) return null;
  if (element instanceof HTMLOptionElement) return element.selected && (chosenAs.option !== element || staysPair(chosenAs.pair, pairOf(element)));
  const chosen = [...getter(HTMLSelectElement, 'selectedOptions')(select)].map(pairOf);
  return chosen.every((now) => wanted.some((pair) => staysPair(pair, now))) && wanted.every((pair) => chosen.some((now) => staysPair(pair, now)));
};
