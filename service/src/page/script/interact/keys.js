// Keys, with what they do by default where a script may do that.
//
// A key that only real input can give its effect (Tab, arrows, shortcuts) is not sent where real input can follow: nothing
// is ever done twice.

const KEY_CODES = { Enter: 13, Tab: 9, Escape: 27, Backspace: 8, Delete: 46, ' ': 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40,
  Home: 36, End: 35, PageUp: 33, PageDown: 34, Insert: 45, Shift: 16, Control: 17, Alt: 18, Meta: 91 };

// Reads `Control+Shift+A`: its modifiers and its key. Null where that is no key.
function readKey(text) {
  const parts = text === '+' ? ['+'] : text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text.split('+');
  let key = parts.pop();
  if (!parts.every(name => Object.hasOwn(MODIFIERS, name))) return null;
  if (key === 'Space') key = ' ';
  const isFunction = /^F([1-9]|1\d|2[0-4])$/.test(key);
  if ([...key].length !== 1 && !Object.hasOwn(KEY_CODES, key) && !isFunction) return null;
  const isLetter = /^[a-z]$/i.test(key), isDigit = /^\d$/.test(key);
  const code = isLetter ? `Key${key.toUpperCase()}` : isDigit ? `Digit${key}` : key === ' ' ? 'Space' : [...key].length === 1 ? '' : key;
  const keyCode = KEY_CODES[key] ?? (isFunction ? 111 + +key.slice(1) : isLetter || isDigit ? key.toUpperCase().charCodeAt(0) : 0);
  if (isLetter && parts.length) key = parts.includes('Shift') ? key.toUpperCase() : key.toLowerCase();
  return { key, code, keyCode, modifiers: parts };
}

const isButton = (element) => dom.matches(element, 'button, summary, input[type=button], input[type=submit], input[type=reset]');
const isTicked = (element) => dom.matches(element, 'input[type=checkbox], input[type=radio]');
const isLine = (element) => element instanceof HTMLInputElement && !isButton(element) && !isTicked(element);

// What a key does to an element where no listener prevents it; null where a script can't do that.
function defaultOf(element, { key, modifiers }) {
  if (modifiers.some(name => name !== 'Shift')) return null;
  const click = () => clickOn(element, pointOf(element), {}, new Effect(element));
  const isEdited = isTyped(element) || element.isContentEditable;
  if (key === 'Enter') {
    if (isButton(element) || dom.matches(element, 'a[href]')) return click;
    if (element instanceof HTMLTextAreaElement || element.isContentEditable) return () => insertAt(element, '\n');
    return isLine(element) || isTicked(element) ? () => submitFrom(element) : () => {};
  }
  if (key === ' ' && (isButton(element) || isTicked(element))) return click;
  if (isEdited && (key === 'Backspace' || key === 'Delete')) return () => Document.prototype.execCommand.call(document, key === 'Delete' ? 'forwardDelete' : 'delete');
  if ([...key].length === 1) return isEdited ? () => insertAt(element, key) : key === ' ' ? null : () => {};
  return null;
}

const insertAt = (element, text) => Document.prototype.execCommand.call(document, text === '\n' ? (element.isContentEditable ? 'insertParagraph' : 'insertLineBreak') : 'insertText', false, text);

// Enter in a field: its form's default button is clicked, or the form is submitted.
function submitFrom(element) {
  const form = element.form;
  if (!form) return;
  const fields = [...getterOf(HTMLFormElement.prototype, 'elements')(form)];
  const button = fields.find(field => dom.matches(field, 'button:not([type]), button[type=submit], input[type=submit], input[type=image]'));
  if (button) {
    if (!isDisabled(button)) send(button, pointer('click', pointOf(button), { detail: 0 }));
  } else if (fields.filter(isLine).length === 1) HTMLFormElement.prototype.requestSubmit.call(form);
}

// The element that has the focus, or the body; `is_frame` where that is in a frame.
kit.domFocused = () => {
  const active = focusedElement() ?? documentBody() ?? documentRoot();
  return active ? { number: numberOf(active), is_frame: isFrame(active) } : null;
};

kit.domPress = (number, options) => {
  const element = elementOf(number);
  if (!element) return { missed: 'gone' };
  const read = readKey(options.key);
  if (!read) return { missed: 'no_key' };
  if (options.focus) {
    bringIntoView(element);
    focusOn(element);
  }
  const target = options.focus ? element : focusedElement() ?? element;
  const byDefault = defaultOf(target, read);
  if (byDefault === null && options.real_follows) return { took: false, changed: false };
  const { key, code, keyCode } = read;
  const event = (type, more) => new KeyboardEvent(type, { bubbles: true, cancelable: true, composed: true, view: window, key, code, keyCode, ...modifiersOf(read.modifiers), ...more });
  const effect = new Effect(target);
  effect.hears(target, 'keydown');
  let goesOn = send(target, event('keydown'));
  const char = key === 'Enter' ? 13 : [...key].length === 1 ? key.codePointAt(0) : 0;
  if (goesOn && char && !read.modifiers.some(name => name !== 'Shift')) goesOn = send(target, event('keypress', { charCode: char, keyCode: char }));
  if (goesOn && dom.isConnected(target)) byDefault?.();
  if (dom.isConnected(target)) send(focusedElement() ?? target, event('keyup'));
  return effect.end(() => ({ took: effect.reached.has('keydown') }));
};
