// What fields hold, and where the caret is.

// A page sets a value without an event, and no observer tells.
const VALUES_MAX = 300;
const valuesNow = () => {
  const fields = Document.prototype.querySelectorAll.call(document, 'input, textarea, select');
  let all = '';
  for (let at = 0; at < fields.length && at < VALUES_MAX; at++) {
    const field = fields[at];
    const held = field instanceof HTMLSelectElement ? `${field.selectedIndex} ${field.selectedOptions[0]?.label ?? ''}` : isInput(field) ? `${fieldValue(field)}${isChecked(field)}` : fieldValue(field);
    all += `${String(held).slice(0, 1000)}\u0000`;
  }
  return all;
};

// Where the caret is, and what is selected: many keys do no more than move it.
const caretNow = () => {
  const field = focused(), all = getSelection();
  const { selectionStart = null, selectionEnd = null } = isInput(field) || field instanceof HTMLTextAreaElement ? field : {};
  return [all?.anchorNode, all?.anchorOffset, all?.focusNode, all?.focusOffset, selectionStart, selectionEnd];
};

// The same, and what stands for fields that are lists says, but for the options of one of them.
const LISTS_MAX = 50;
const chosenNow = (options) => {
  const lists = Document.prototype.querySelectorAll.call(document, '[role=combobox], [aria-haspopup=listbox]');
  let all = valuesNow();
  for (let at = 0; at < lists.length && at < LISTS_MAX; at++) all += `${tidy(textIn(lists[at], (node) => node !== options && mayHaveText(node), false))}\u0000`;
  return all;
};
