// Fields: focus and selection, values by the native setters and the events that frameworks listen for.

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
// Whether nothing is in a field but an empty line, not even what is no text: a picture, or a number that is none.
const isBare = (field) => {
  if (!/^\n?$/.test(fieldValue(field))) return false;
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

// Selects what is in a field, or goes to its end.
const selectAll = async (field, toEnd) => {
  if (actFieldKind(field) === 'content') {
    const range = document.createRange();
    range.selectNodeContents(field);
    if (toEnd) range.collapse(false);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    // Editors look for the caret in the last of their blocks.
    if (toEnd && isEditingHost(field)) selection.modify('move', 'forward', 'documentboundary');
    await selectionIsTold();
    return;
  }
  const type = isInput(field) ? HTMLInputElement : HTMLTextAreaElement;
  if (!toEnd) {
    type.prototype.select.call(field);
    return;
  }
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
    // The selection of such a field tells its editor what its text stands for; keys select there. In an empty editor the caret is
    // where the editor wants it.
    if (read.drawn === null && !(kind === 'content' && read.bare && holdsCaret(field))) await selectAll(field, !clear);
    if (!isHere(field)) return GONE;
    guard(field, true, { stays: staysField });
  }
  forgetBeside();
  return { kind, focused, holder: holderBeside(field), what: describe(field), ...read };
};
// What has the focus instead of a field, such as the field of a dialog that the focus opened.
const holderBeside = (field) => {
  const focused = hasFocus(field) ? null : focusedElement();
  return focused && describe(focused);
};
// The part of a slider that has its keys, where it is another one that says what it is; null of any other element.
const partWithKeys = (element) => {
  if (roleOf(element) !== 'slider') return null;
  const parts = [...allIn(element, '[tabindex]')].filter((part) => Number.parseInt(attributeOf(part, 'tabindex'), 10) >= 0 && actVisible(part));
  return parts.length === 1 && shownRole(parts[0]) === 'generic' && nameOf(parts[0]) === '' ? parts[0] : null;
};
// Puts the focus onto an element, for keys, which are checked from now on. Whether it is there.
kit.focus = async (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const target = actTarget(element);
  let field = typedInto?.element === element ? typedInto.field : takesFocus(target) ? target : partWithKeys(target) ?? actField(target);
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
  if (actFieldKind(field) === 'content' && hasFocus(field) && field !== activeIn(rootOf(field)) && drawnText(field) === null && !holdsCaret(field)) await selectAll(field, true);
  if (!isHere(field)) return GONE;
  // Keys for a frame come to the document in it.
  const isFrame = ['iframe', 'frame'].includes(tagOf(field));
  if (isFrame) unguard();
  else guard(field, true, { follows: true });
  forgetChanges();
  return { focused: hasFocus(field), holder: holderBeside(field), frame: isFrame, what: describe(field) };
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
    if ((losesLines(field, text) || matches(field, DRAFT)) && !pastes(field, text)) return { taken: true };
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
// Whether all parts of a text are shown beside its field: pages make tags of what ends with a comma or a line.
const PART_ENDS = /[,;\n\t]/, BESIDE_FIELD_UP_MAX = 4;
kit.hasTaken = (number, text) => {
  const element = elementOf(number), field = element && fieldFor(element);
  const [last, ...parts] = text.split(PART_ENDS).map((part) => tidy(part.slice(0, ABOUT_MAX_CHARS)).toLowerCase()).reverse();
  const told = parts.filter((part) => part !== '');
  if (!field || !isHere(field) || last !== '' || told.length === 0) return false;
  for (let at = flatParent(field), up = 0; at instanceof Element && up < BESIDE_FIELD_UP_MAX; up++, at = flatParent(at)) {
    const said = contentOf(at).toLowerCase();
    // A message that repeats the text as a whole refuses it.
    if (told.every((part) => said.includes(part))) return !said.includes(tidy(text).toLowerCase());
  }
  return false;
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
