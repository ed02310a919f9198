// Fields: focus and selection, values by the native setters and the events that frameworks listen for, options, states
// of checks, files.

const VALUE_CHARS_MAX = 100_000;
const valueOf = (field) => {
  if (isInput(field)) return getter(HTMLInputElement, 'value')(field);
  if (field instanceof HTMLTextAreaElement) return getter(HTMLTextAreaElement, 'value')(field);
  if (field instanceof HTMLSelectElement) return getter(HTMLSelectElement, 'value')(field);
  return innerTextOf(field);
};
const isSecret = (field) => isSecretField(field);
const readOf = (field) => ({ value: valueOf(field).slice(0, VALUE_CHARS_MAX).toWellFormed(), secret: isSecret(field) });
const tell = (element, ...types) => {
  for (const type of types) dispatch(element, new Event(type, { bubbles: true, composed: type === 'input' }));
};
const GONE = { lacks: 'attached', what: 'the element' };

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
  const { length } = valueOf(field);
  // Numbers and addresses have no selection that can be set; focus puts the caret where it was.
  try { type.prototype.setSelectionRange.call(field, length, length); } catch { /* so */ }
};

// Puts the focus into the field that the element means, and selects what is in it (`clear`) or goes to its end. Keys and
// text are checked from now on (guard.js).
kit.focusField = (number, clear) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const field = actField(element);
  const kind = actFieldKind(field);
  if (!kind) return lacks('field', field);
  giveFocus(field);
  const focused = hasFocus(field);
  const read = readOf(field);
  if (focused && kind !== 'value') {
    selectAll(field, !clear);
    guard(field, true);
  }
  return { kind, focused, what: describe(field), ...read };
};
// Puts the focus onto an element, for keys, which are checked from now on. Whether it is there.
kit.focus = (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const meant = actField(actTarget(element));
  if (!hasFocus(meant)) giveFocus(meant);
  // Keys for a frame come to the document in it.
  const isFrame = ['iframe', 'frame'].includes(tagOf(meant));
  if (isFrame) unguard();
  else guard(meant, true);
  return { focused: hasFocus(meant), frame: isFrame, what: describe(meant) };
};
kit.read = (number) => {
  const element = elementOf(number);
  return element ? readOf(actField(element)) : { value: '', secret: false, gone: true };
};

// Sets the value of a field that is not typed into, as its framework expects.
kit.setValue = (number, text) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const field = actField(element);
  const type = isInput(field) ? HTMLInputElement : HTMLTextAreaElement;
  focusOn(field, { preventScroll: true });
  const set = setter(type, 'value');
  const before = valueOf(field);
  const wanted = isInput(field) && typeOf(field) === 'color' ? text.toLowerCase() : text;
  set(field, wanted);
  const refused = isInput(field) && VALUE_TYPES.has(typeOf(field)) && typeOf(field) !== 'range'
    && wanted !== '' && (valueOf(field) === '' || (typeOf(field) === 'color' && valueOf(field) !== wanted));
  if (refused) {
    set(field, before);
    return lacks('value', field, { type: typeOf(field) });
  }
  tell(field, 'input', 'change');
  return { kind: 'value', focused: true, what: describe(field), value: before, secret: isSecret(field) };
};
// Sets what is in an editable element, for input by the document.
kit.insert = (number, { text, clear }) => {
  const told = kit.focusField(number, clear);
  if (told.lacks || (told.kind === 'content' && !told.focused)) return told;
  const field = actField(elementOf(number));
  if (told.kind === 'content') document.execCommand('insertText', false, text);
  else return { ...kit.setValue(number, clear ? text : valueOf(field) + text), kind: told.kind };
  return told;
};

const trimmed = (text) => text.replace(/\s+/g, ' ').trim();
// Chooses options by value or label; of a select for one the first alone. Says what the select lacks.
kit.select = (number, wanted) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const select = actField(element);
  if (!(select instanceof HTMLSelectElement)) return lacks('select', select);
  const options = [...getter(HTMLSelectElement, 'options')(select)];
  const multiple = getter(HTMLSelectElement, 'multiple')(select);
  if (!multiple && wanted.length !== 1) return lacks('one', select);
  const tests = [
    (option, text) => option.value === text,
    (option, text) => option.label === text,
    (option, text) => trimmed(option.label).toLowerCase() === trimmed(text).toLowerCase(),
  ];
  const chosen = [];
  for (const text of wanted) {
    const found = tests.map((test) => options.find((option) => test(option, text))).find(Boolean);
    if (!found) return lacks('option', select, { by: text });
    if (matches(found, ':disabled')) return lacks('enabled', found);
    chosen.push(found);
  }
  const before = options.filter((option) => option.selected);
  focusOn(select, { preventScroll: true });
  if (before.length !== chosen.length || chosen.some((option) => !before.includes(option))) {
    if (multiple) for (const option of options) option.selected = chosen.includes(option);
    else chosen[0].selected = true;
    tell(select, 'input', 'change');
  }
  return { what: describe(select), labels: chosen.map((option) => trimmed(option.label).slice(0, 200).toWellFormed()) };
};
// Chooses the option that the element is, in a select that can be seen.
kit.choose = (number) => {
  const option = elementOf(number);
  const select = option instanceof HTMLOptionElement ? closest(option, 'select') : null;
  if (!select || !actVisible(select) || actDisabled(select) || matches(option, ':disabled')) return false;
  focusOn(select, { preventScroll: true });
  if (option.selected) return true;
  option.selected = true;
  tell(select, 'input', 'change');
  return true;
};
// Whether these, and no others, are chosen.
kit.selected = (number, wanted) => {
  const select = elementOf(number) && actField(elementOf(number));
  if (!(select instanceof HTMLSelectElement)) return null;
  const chosen = [...getter(HTMLSelectElement, 'selectedOptions')(select)].map((option) => trimmed(option.label).slice(0, 200).toWellFormed());
  return chosen.length === new Set(wanted).size && wanted.every((label) => chosen.includes(label));
};

const CHECKS = { checkbox: 'aria-checked', switch: 'aria-checked', radio: 'aria-checked', menuitemcheckbox: 'aria-checked',
  menuitemradio: 'aria-checked', option: 'aria-selected', treeitem: 'aria-checked', button: 'aria-pressed' };
// `{checked, radio}` of a check box, radio button or switch; `checked` is null of anything else.
kit.checked = (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const meant = element instanceof HTMLLabelElement ? controlOf(element) ?? element : element;
  const what = describe(meant);
  if (isInput(meant) && ['checkbox', 'radio'].includes(typeOf(meant))) {
    return { what, checked: getter(HTMLInputElement, 'checked')(meant), radio: typeOf(meant) === 'radio' };
  }
  const role = (attributeOf(meant, 'role') ?? tagOf(meant)).trim().toLowerCase();
  const name = Object.hasOwn(CHECKS, role) ? CHECKS[role] : null;
  const said = name && attributeOf(meant, name);
  if (!name || (name !== 'aria-checked' && said === null)) return { what, checked: null, radio: false };
  return { what, checked: said === 'true', radio: role === 'radio' || role === 'menuitemradio' };
};

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
// Gives files to a file input, hidden or not, or to the one that the element is the label or wrapper of.
kit.upload = (number, files) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const meant = element instanceof HTMLLabelElement ? controlOf(element) ?? element : element;
  const isFiles = (node) => isInput(node) && typeOf(node) === 'file';
  const input = isFiles(meant) ? meant : [...findIn(meant, 'input')].find(isFiles);
  if (!input) return lacks('files', meant);
  if (actDisabled(input)) return lacks('enabled', input);
  if (files.length > 1 && !hasAttribute(input, 'multiple') && !hasAttribute(input, 'webkitdirectory')) return lacks('many', input);
  const transfer = new DataTransfer();
  for (const { name, mime_type, content_base64 } of files) {
    transfer.items.add(new File([bytesOf(content_base64)], name, { type: mime_type }));
  }
  setter(HTMLInputElement, 'files')(input, transfer.files);
  tell(input, 'input', 'change');
  return { what: describe(input), count: getter(HTMLInputElement, 'files')(input).length };
};
