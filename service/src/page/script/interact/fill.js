// Typing, selecting and ticking: values are set as the browser sets them, events told as it tells them, and what became of
// the value is read back after the page had its say.

const UNTYPED = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);
const LINES_OF_TEXT = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'textarea']);
const VALUE_MAX = 1000;

const isTyped = (element) => element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !UNTYPED.has(element.type));
// What a label is for; of anything else the element itself.
const controlOf = (element) => (element instanceof HTMLLabelElement ? element.control ?? element : element);
const changes = (element) => send(element, new Event('change', { bubbles: true }));
const input = (type, inputType, data, cancelable) => new InputEvent(type, { bubbles: true, cancelable, composed: true, inputType, data });
const shownValue = (element, value) => (element.type === 'password' ? null : said(value, VALUE_MAX));

// The outermost editable element around one that is edited.
function editingHostOf(element) {
  if (!element.isContentEditable) return null;
  let host = element;
  for (const at of ancestorsOf(element)) {
    if (!at.isContentEditable) break;
    host = at;
  }
  return host;
}

kit.domType = (number, { text, clear }) => {
  let element = elementOf(number);
  if (!element) return { missed: 'gone' };
  element = controlOf(element);
  const host = editingHostOf(element);
  if (!host && !isTyped(element)) return { missed: 'not_editable' };
  if (isDisabled(element)) return { missed: 'disabled' };
  if (element.readOnly || dom.attribute(element, 'aria-readonly') === 'true') return { missed: 'not_editable' };
  bringIntoView(element);
  focusOn(element);
  return host ? typeRich(host, text, clear) : typeField(element, text, clear);
};

function typeField(element, text, clear) {
  const before = element.value;
  const effect = new Effect(element);
  const isCut = element.maxLength >= 0 && LINES_OF_TEXT.has(element.type);
  const wanted = (clear ? '' : before) + text.replace(/\r\n?/g, '\n');
  const kind = text === '' ? 'deleteContentBackward' : 'insertText';
  if (send(element, input('beforeinput', kind, text || null, true))) {
    element.value = isCut ? wanted.slice(0, Math.max(element.maxLength, clear ? 0 : before.length)) : wanted;
    if (element.value !== before || wanted === before) {
      send(element, input('input', kind, text || null, false));
      changes(element);
    }
  }
  return effect.end(() => {
    const after = element.value;
    const took = after === wanted || (after !== before && (after !== '' || text === ''));
    return { took, value: shownValue(element, after), differs: after !== wanted };
  });
}

function typeRich(host, text, clear) {
  const spaceless = (of) => of.replace(/\s+/g, '');
  const run = (name, value) => Document.prototype.execCommand.call(document, name, false, value);
  const before = host.innerText;
  const effect = new Effect(host);
  const selection = getSelection();
  selection.selectAllChildren(host);
  if (!clear) selection.collapseToEnd();
  if (text !== '') run('insertText', text);
  else if (clear) run('delete');
  return effect.end(() => {
    const after = host.innerText;
    const differs = spaceless(after) !== spaceless(clear ? text : before + text);
    const took = !differs || (after !== before && (after.trim() !== '' || text === ''));
    return { took, value: said(after, VALUE_MAX), differs };
  });
}

kit.domSelect = (number, { values }) => {
  let element = elementOf(number);
  if (!element) return { missed: 'gone' };
  element = controlOf(element);
  const select = element instanceof HTMLSelectElement ? element : element instanceof HTMLOptionElement ? dom.closest(element, 'select') : null;
  if (!select) return { missed: 'not_editable' };
  if (isDisabled(select)) return { missed: 'disabled' };
  if (values.length > 1 && !select.multiple) return { missed: 'one_only' };
  const options = [...select.options];
  const chosen = new Set();
  for (const value of values) {
    const named = new Texts(value, 'case'), called = new Texts(value, 'whole');
    const option = options.find(option => option.value === value) ?? options.find(option => named.fit(option.label)) ?? options.find(option => called.fit(option.label));
    if (!option) return { missed: 'no_option', value };
    if (option.disabled || dom.closest(option, 'optgroup:disabled')) return { missed: 'option_disabled', value };
    chosen.add(option);
  }
  bringIntoView(select);
  focusOn(select);
  const effect = new Effect(select);
  const isDone = () => options.every(option => option.selected === chosen.has(option));
  if (!isDone()) {
    if (select.multiple) for (const option of options) option.selected = chosen.has(option);
    else select.selectedIndex = chosen.size ? options.indexOf([...chosen][0]) : -1;
    send(select, new Event('input', { bubbles: true, composed: true }));
    changes(select);
  }
  return effect.end(() => ({ took: isDone(), value: said([...selectedOptions(select)].map(option => option.value).join(', '), VALUE_MAX) }));
};

// Whether a checkbox, radio button or switch is on; null where it is none of these.
function tickOf(element) {
  if (element instanceof HTMLInputElement && isTicked(element)) return element.indeterminate ? 'mixed' : element.checked;
  if (!['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio'].includes(roleOf(element))) return null;
  const said = dom.attribute(element, 'aria-checked');
  return said === 'mixed' ? 'mixed' : said === 'true';
}

kit.domCheck = (number, { checked }) => {
  let element = elementOf(number);
  if (!element) return { missed: 'gone' };
  element = controlOf(element);
  const before = tickOf(element);
  if (before === null) return { missed: 'not_editable' };
  if (before === checked) return { took: true, changed: false, value: String(before) };
  if (!isEnabled(element)) return { missed: 'disabled' };
  if (!checked && ['radio', 'menuitemradio'].includes(roleOf(element))) return { missed: 'radio' };
  bringIntoView(element);
  const point = pointOf(shownBy(element) ?? element);
  const effect = new Effect(element);
  clickOn(innermost(element, point), point, {}, effect);
  return effect.end(() => {
    const after = tickOf(element);
    return { took: after === checked, value: String(after) };
  });
};
