// Fields: focus and selection, values by the native setters and the events that frameworks listen for, options, states
// of checks, files.

const VALUE_CHARS_MAX = 100_000;
const fieldValue = (field) => {
  if (isInput(field)) return getter(HTMLInputElement, 'value')(field);
  if (field instanceof HTMLTextAreaElement) return getter(HTMLTextAreaElement, 'value')(field);
  if (field instanceof HTMLSelectElement) return getter(HTMLSelectElement, 'value')(field);
  return innerTextOf(field);
};
const isChecked = getter(HTMLInputElement, 'checked');
const isSecret = (field) => isSecretField(field);
// Whether more may belong to a field than what is in the document: editors that scroll leave out what is not in view.
const isLong = (field) => {
  for (let at = field, depth = 0; at instanceof HTMLElement && depth < 4; at = flatParent(at), depth++) {
    if (at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== 'visible') return true;
  }
  return false;
};
const NO_TEXT = 'img, picture, svg, video, audio, canvas, iframe, object, embed, hr, input, textarea, select, table';
// Whether nothing is in a field, not even what is no text: a picture, or a number that is none.
const isBare = (field) => {
  if (fieldValue(field) !== '') return false;
  if (isInput(field)) return !getter(HTMLInputElement, 'validity')(field).badInput;
  return actFieldKind(field) !== 'content' || ![...findIn(field, NO_TEXT)].some((one) => actVisible(one) && !closest(one, '[contenteditable=false]'));
};
// `drawn` is the text of an editor that draws it beside the field.
const readOf = (field) => ({
  value: fieldValue(field).slice(0, VALUE_CHARS_MAX).toWellFormed(), drawn: drawnText(field), bare: isBare(field),
  long: actFieldKind(field) === 'content' && isFieldItself(field) && isLong(field), secret: isSecret(field), unreadable: isOnCanvas(field),
  line: isInput(field),
});
const tell = (element, ...types) => {
  for (const type of types) dispatch(element, new Event(type, { bubbles: true, composed: type === 'input' }));
};
// Many fields listen for the key that comes up after a text.
const tellKey = (element, type, key, keyCode = 0) =>
  dispatch(element, new KeyboardEvent(type, { key, code: keyCode ? key : '', keyCode, bubbles: true, cancelable: true, composed: true, view: window }));
// The field that the action under way found for its element, `{element, field}`: a label may be for another one by then.
let typedInto = null;
// The fields that have been shown in the place of others; see `heirOf`.
const heirs = new WeakMap();
const fieldFor = (element) => {
  if (typedInto?.element === element) return typedInto.field;
  const field = actField(element), heir = heirs.get(field);
  return heir && isHere(heir) && actVisible(heir) && !actVisible(field) ? heir : field;
};

const selectAll = (field, toEnd) => {
  if (actFieldKind(field) === 'content') {
    const range = document.createRange();
    range.selectNodeContents(field);
    if (toEnd) range.collapse(false);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return;
  }
  const type = isInput(field) ? HTMLInputElement : HTMLTextAreaElement;
  if (!toEnd) return type.prototype.select.call(field);
  const { length } = fieldValue(field);
  try { type.prototype.setSelectionRange.call(field, length, length); } catch {
    // Numbers and addresses have no selection that can be set, but a caret that can be moved. With the focus it comes first.
    getSelection().modify('move', 'forward', 'documentboundary');
  }
};
const holdsCaret = (field) => {
  const { anchorNode, focusNode } = getSelection();
  return anchorNode !== null && isWithin(anchorNode, field) && isWithin(focusNode, field);
};
const WRITABLE_ROLES = new Set(['combobox', 'searchbox', 'spinbutton', 'textbox']);
// Whether an element takes the focus itself, so that its keys are not for a field inside it; one that is a field by its role
// is the field inside.
const takesFocus = (element) => isFocusable(element) && !matches(element, '[contenteditable=false]:not([tabindex])')
  && !(WRITABLE_ROLES.has(roleOf(element)) && actField(element) !== element);

// The field that has been shown in the place of one, with its focus, and takes what is typed: of a number, one shows it as it is
// written, and one as it is typed. Else the field itself.
const HEIR_UP_MAX = 3;
const heirOf = (field) => {
  const heir = focused();
  if (heir === field || actVisible(field) || actFieldKind(heir) !== 'text' || !actVisible(heir)) return field;
  let around = flatParent(field);
  for (let up = 0; around instanceof Element && up < HEIR_UP_MAX && !isWithin(heir, around); up++) around = flatParent(around);
  if (!(around instanceof Element && isWithin(heir, around)) || isSecret(heir) !== isSecret(field)) return field;
  const all = allIn(around, 'input, textarea, select'), called = ownName(heir, roleOf(heir));
  if (called !== '' && called !== ownName(field, roleOf(field))) return field;
  const isAlone = all.length <= CONTROLS_LOOKED_AT_MAX && [...all].every((one) => one === heir || one === field || !actVisible(one));
  return isAlone ? heir : field;
};
// The same, or the field itself once it is shown again: it may be hidden for a moment.
const HIDDEN_MS_MAX = 300;
const heirSoon = async (field) => {
  const until = performance.now() + HIDDEN_MS_MAX;
  for (;;) {
    const heir = heirOf(field);
    if (heir !== field || actVisible(field) || !isHere(field) || performance.now() > until) return heir;
    await frame();
  }
};
// Gives a document the focus whose body is to have it: without it the body is what would get keys, as if it had the focus. Editors
// in frames of their own are bodies.
const focusDocument = (field) => {
  if (field !== documentBody() || Document.prototype.hasFocus.call(document)) return;
  window.focus();
  giveFocus(field);
};
// Puts the focus into the field that the element means, and selects what is in it (`clear`) or goes to its end. Keys and
// text are checked from now on (guard.js).
kit.focusField = async (number, clear) => {
  const element = elementOf(number);
  if (!element) return GONE;
  let field = fieldFor(element);
  if (!isHere(field)) return GONE;
  if (!actFieldKind(field)) return lacks('field', field);
  focusDocument(field);
  if (!hasFocus(field)) {
    const [wasVisible, wasDisabled] = [actVisible(field), isActDisabled(field)];
    giveFocus(field);
    // What the page has put off until its listeners are over may hand the focus on.
    await null;
    if (hasAsked()) await timersEnd();
    const heir = wasVisible ? await heirSoon(field) : field;
    if (heir !== field) {
      heirs.set(field, heir);
      typedInto = { element, field: heir };
      field = heir;
    } else if (wasVisible && isHere(field) && !actVisible(field)) return lacks('visible', field);
    // A dialog that asks for the login first, for example.
    else if (!wasDisabled && isHere(field) && isActDisabled(field)) return lacks('enabled', field);
  }
  if (!isHere(field)) return GONE;
  if (!staysField()) return lacks('same', field, { is: identityOf(element) });
  // A text field may be one of a date once it has the focus.
  const kind = actFieldKind(field);
  if (!kind) return lacks('field', field);
  const focused = hasFocus(field);
  const read = readOf(field);
  if (focused && kind !== 'value') {
    // The selection of such a field tells its editor what its text stands for; keys select there.
    if (read.drawn === null) selectAll(field, !clear);
    guard(field, true, { stays: staysField });
  }
  forgetBeside();
  return { kind, focused, what: describe(field), ...read };
};
// Puts the focus onto an element, for keys, which are checked from now on. Whether it is there.
kit.focus = (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const target = actTarget(element);
  let field = typedInto?.element === element ? typedInto.field : takesFocus(target) ? target : actField(target);
  if (!isHere(field)) return GONE;
  focusDocument(field);
  if (!hasFocus(field)) {
    giveFocus(field);
    // A wrapper may hand its focus on to its field.
    const inner = hasFocus(field) ? field : actField(target);
    if (hasFocus(inner)) field = inner;
    if (!isHere(field)) return GONE;
    if (!staysFocused(field)) return lacks('same', field, { is: identityOf(element) });
  }
  // A part of an editor has no focus of its own: a key edits where the caret is.
  if (actFieldKind(field) === 'content' && hasFocus(field) && field !== activeIn(rootOf(field)) && drawnText(field) === null && !holdsCaret(field)) selectAll(field, true);
  // Keys for a frame come to the document in it.
  const isFrame = ['iframe', 'frame'].includes(tagOf(field));
  if (isFrame) unguard();
  else guard(field, true, { follows: true });
  forgetChanges();
  return { focused: hasFocus(field), frame: isFrame, what: describe(field) };
};
kit.read = (number) => {
  const element = elementOf(number);
  const field = element && fieldFor(element);
  return field && isHere(field) ? { ...readOf(field), another: isInAnothers(watched?.row) } : null;
};

// Gives a field the focus before its value is set; the answer where the page has taken the field away by it, else null.
const lostByFocus = (field, element) => {
  const wasDisabled = isActDisabled(field);
  focusOn(field, { preventScroll: true });
  if (!isHere(field)) return GONE;
  if (!wasDisabled && isActDisabled(field)) return lacks('enabled', field);
  return staysField() ? null : lacks('same', field, { is: identityOf(element) });
};
// Sets the value of a field that is not typed into, as its framework expects.
kit.setValue = (number, text) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const field = fieldFor(element);
  if (!isHere(field)) return GONE;
  const type = isInput(field) ? HTMLInputElement : HTMLTextAreaElement;
  const lost = lostByFocus(field, element);
  if (lost !== null) return lost;
  const set = setter(type, 'value');
  const before = fieldValue(field);
  // As far as a person could type it.
  const max = actFieldKind(field) === 'text' ? field.maxLength : -1;
  const wanted = isInput(field) && typeOfInput(field) === 'color' ? text.toLowerCase() : max >= 0 ? text.slice(0, max) : text;
  const isRange = isInput(field) && typeOfInput(field) === 'range';
  const hasSlid = isRange && slide(field, wanted);
  if (hasSlid === null) return lacks('same', field, { is: identityOf(element) });
  if (!hasSlid) set(field, wanted);
  const refused = isInput(field) && VALUE_TYPES.has(typeOfInput(field)) && typeOfInput(field) !== 'range'
    && wanted !== '' && (fieldValue(field) === '' || (typeOfInput(field) === 'color' && fieldValue(field) !== wanted));
  if (refused) {
    set(field, before);
    return lacks('value', field, { type: typeOfInput(field) });
  }
  if (!hasSlid) tell(field, 'input');
  const key = isRange ? '' : [...wanted].at(-1) ?? 'Delete';
  if (key.trim() !== '' && isHere(field)) tellKey(field, 'keyup', key);
  tell(field, 'change');
  return { kind: 'value', focused: true, what: describe(field), ...readOf(field), value: before };
};
// Moves a range to a value, by a key at last: some pages take the value that it was moved to only then. False where no step
// leads there, null where its row became another's at the first.
const slide = (range, wanted) => {
  const set = setter(HTMLInputElement, 'value');
  const before = fieldValue(range);
  set(range, wanted);
  const last = fieldValue(range);
  const step = Number(range.step || 1);
  if (last === before || !(step > 0)) return false;
  const [beside, ...key] = Number(last) - step >= Number(range.min || 0) ? [-step, 'ArrowUp', 38] : [step, 'ArrowDown', 40];
  set(range, String(Number(last) + beside));
  tell(range, 'input');
  if (isInAnothers(watched?.row)) return null;
  tellKey(range, 'keydown', ...key);
  set(range, last);
  tell(range, 'input');
  tellKey(range, 'keyup', ...key);
  return true;
};
// Writes into the field that `focusField` has prepared, for input by the document.
kit.insert = (number, { text, clear }) => {
  const element = elementOf(number);
  if (!element) return GONE;
  forgetBeside();
  const field = fieldFor(element);
  if (!isHere(field)) return GONE;
  if (actFieldKind(field) !== 'content' && drawnText(field) === null) return kit.setValue(number, clear ? text : fieldValue(field) + text);
  if (!hasFocus(field)) return {};
  if (!staysField()) return lacks('same', field, { is: identityOf(element) });
  if (drawnText(field) === null) {
    // A command comes without the event by which many editors take their text.
    const asks = new InputEvent('beforeinput', { inputType: 'insertText', data: text, bubbles: true, cancelable: true, composed: true });
    if (dispatch(field, asks)) document.execCommand('insertText', false, text);
  } else {
    const key = clear ? { key: 'a', code: 'KeyA', keyCode: 65 } : { key: 'End', code: 'End', keyCode: 35 };
    dispatch(field, new KeyboardEvent('keydown', { ...key, ctrlKey: true, bubbles: true, cancelable: true, composed: true, view: window }));
    return { taken: !pastes(field, text) };
  }
  return {};
};
// Offers a text to an editor that has the focus, as if it were pasted: whether it took it. Typed, it would be indented and
// completed line by line.
kit.offer = (number, text) => {
  const element = elementOf(number);
  const field = element && fieldFor(element);
  return { taken: Boolean(field) && hasFocus(field) && !pastes(field, text) };
};

// Of a field with a list that is open: whether the option that Enter would take says what was typed, while no other option is
// called exactly so; and whether that decides: the field names the option itself, which else is the first, or another is called
// so. Null of any other field.
const LISTED_OPTIONS_MAX = 500;
kit.listFits = (number, text) => {
  const element = elementOf(number);
  const field = element && fieldFor(element);
  if (!field || roleOf(field) !== 'combobox' || attributeOf(field, 'aria-expanded') !== 'true') return null;
  const [active] = byIds(field, 'aria-activedescendant');
  const [list] = [...byIds(field, 'aria-controls'), ...byIds(field, 'aria-owns')];
  const options = list ? [...findIn(list, '[role=option]')].slice(0, LISTED_OPTIONS_MAX) : [];
  const option = active ?? options[0];
  if (!option) return null;
  const said = (words) => tidy(words.slice(0, ABOUT_MAX_CHARS)).toLowerCase();
  const wanted = said(text), what = said(dom.textContent(option));
  const isAnother = what !== wanted && options.some((one) => one !== option && said(dom.textContent(one)) === wanted && actVisible(one));
  return { fits: what.includes(wanted) && !isAnother, is_decisive: Boolean(active) || isAnother, what: what.slice(0, 100).toWellFormed() };
};

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

const CHECKS = { checkbox: 'aria-checked', switch: 'aria-checked', radio: 'aria-checked', menuitemcheckbox: 'aria-checked',
  menuitemradio: 'aria-checked', option: 'aria-selected', treeitem: 'aria-checked', button: 'aria-pressed' };
const stateOfBox = (box) => ({
  checked: readTicked(box), mixed: getter(HTMLInputElement, 'indeterminate')(box) && typeOfInput(box) === 'checkbox', radio: typeOfInput(box) === 'radio',
});
// `{number, checked, mixed, radio}` of a check box, radio button or switch, or that of a label; `checked` is null of anything
// else. One that is partly checked is neither. `inner`: the native box in it that has its state. As an action ends
// (`!begins`), `another`: its row is another entry's by now; `anew`: this is the element that took its place.
kit.checked = (number, begins) => {
  const element = elementOf(number);
  if (element) return checkOf(element, begins);
  const anew = begins ? null : madeAnew(number);
  return anew ? { ...checkOf(anew, begins), anew: true } : GONE;
};
// The box of words that are no label of it: the one that they are in, or the only one in their row.
const BOX_ROLES = '[role=checkbox], [role=radio], [role=switch]', BOXES = `input[type=checkbox], input[type=radio], ${BOX_ROLES}`;
const BOXES_AROUND = `${BOX_ROLES}, [role=menuitemcheckbox], [role=menuitemradio], [role=option][aria-checked], [role=treeitem][aria-checked]`;
const ROWS_OF_BOXES = 'li, tr, [role=row], [role=option], [role=treeitem], [role=menuitem], [role=listitem]';
const boxBeside = (element) => {
  if (closest(element, 'a, button, input, select, textarea, [role=button], [role=link], [contenteditable]')) return null;
  const around = closest(element, BOXES_AROUND), row = closest(element, ROWS_OF_BOXES);
  if (around || !row) return around;
  const boxes = [...allIn(row, BOXES)].slice(0, CONTROLS_LOOKED_AT_MAX).filter((box) => closest(box, ROWS_OF_BOXES) === row);
  return boxes.length === 1 ? boxes[0] : null;
};
const checkOf = (element, begins) => {
  const told = stateOf(actLabelled(element), element, begins);
  // An entry of a tree that says no state may hold the box that has it.
  const isUnsaid = told.checked === null || (roleOf(element) === 'treeitem' && !hasAttribute(element, 'aria-checked') && told.inner === undefined);
  const box = begins && isUnsaid && !told.custom ? boxBeside(element) : null;
  if (!box || box === element) return told;
  const beside = stateOf(box, element, begins);
  return { ...beside, inner: beside.number };
};
// What its row says in place of a box that says nothing, not even what it is for, and is the only one there.
const rowStateOf = (box, role) => {
  const row = ['checkbox', 'radio'].includes(role) && ownName(box, role) === '' ? closest(box, ROWS_OF_BOXES) : null;
  if (!row || [...allIn(row, BOXES)].filter((one) => closest(one, ROWS_OF_BOXES) === row).length !== 1) return null;
  return attributeOf(row, 'aria-checked') ?? attributeOf(row, 'aria-selected');
};
const stateOf = (meant, element, begins) => {
  const what = describe(meant);
  // A box that is clicked for its label must stay what it is now.
  if (meant !== element) foundAs.set(meant, identityOf(meant));
  const tick = isBox(meant) ? meant : tickOf(meant, roleOf(meant));
  // A person clicks a box that is drawn, and else what it is in.
  const clicked = tick && isSeen(tick) ? tick : meant;
  if (begins) noteChosenIn(clicked);
  else if (isAnothersNow(clicked)) return { what, number: numberOf(clicked), checked: null, mixed: false, radio: false, another: true };
  if (begins && tick && tick !== meant) foundAs.set(tick, identityOf(tick));
  if (tick) return { what, number: numberOf(clicked), inner: tick === meant ? null : numberOf(tick), ...stateOfBox(tick) };
  const kept = internalsOf(meant);
  const role = (attributeOf(meant, 'role') ?? kept?.role ?? tagOf(meant)).trim().toLowerCase();
  const isOption = role === 'option';
  const name = isOption && hasAttribute(meant, 'aria-checked') ? 'aria-checked' : Object.hasOwn(CHECKS, role) ? CHECKS[role] : null;
  const said = name && (attributeOf(meant, name) ?? (kept?.[name.slice('aria-'.length)] || rowStateOf(meant, role)));
  const box = { what, number: numberOf(meant), checked: null, mixed: false, radio: false, custom: kept !== undefined };
  if (!name || (name === 'aria-pressed' && said === null)) return box;
  return { ...box, checked: said === 'true', mixed: said === 'mixed', radio: role === 'radio' || role === 'menuitemradio' };
};

// Gives files to a file input, hidden or not, or to the one that the element is the label or wrapper of.
kit.upload = (number, files) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const meant = element instanceof HTMLLabelElement ? controlOfLabel(element) ?? element : element;
  const isFiles = (node) => isInput(node) && typeOfInput(node) === 'file';
  const [input, another] = isFiles(meant) ? [meant] : [...findIn(meant, 'input')].filter(isFiles);
  if (!input) return actsByItself(meant) ? { what: describe(meant), count: 0, asks: true } : lacks('files', meant);
  if (another) return lacks('one-files', meant);
  // Which of its labels is clicked may tell the page what the file is.
  if (input === meant && element !== meant && labelsOf(input).length > 1 && actVisible(element)) return { what: describe(element), count: 0, asks: true };
  if (actDisabled(input)) return lacks('enabled', input);
  if (files.length > 1 && !hasAttribute(input, 'multiple') && !hasAttribute(input, 'webkitdirectory')) return lacks('many', input);
  giveFiles(input, files);
  forgetOwnEvents();
  return { what: describe(input), count: getter(HTMLInputElement, 'files')(input).length, unseen: !isSeen(input) };
};
