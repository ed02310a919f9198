// Editors that keep a text of their own beside what the document holds.

// Editors that keep a selection of their own hear of the document's by an event, which comes in a task of its own, and draw what
// they make of it by the next frame. Until then a text would go where the selection was.
const selectionIsTold = async () => {
  await new Promise((resolve) => {
    const heard = () => { clearTimeout(longest); resolve(); };
    const longest = setTimeout(heard, FRAME_LONGEST_MS);
    listen(document, 'selectionchange', heard, { once: true });
  });
  await frame();
};
// When the document's selection changed last. Slate reads it every 100 ms at most (slate-react's Editable): a key, a command or a
// button that comes sooner is for what was selected before.
let selectedAt = -Infinity;
listen(document, 'selectionchange', () => { selectedAt = performance.now(); });
const SELECTION_READ_MS = 110;
// Waits until an editor that has the focus has read the selection; whether it had to.
const selectionIsRead = async () => {
  const left = selectedAt + SELECTION_READ_MS - performance.now();
  if (left <= 0 || actFieldKind(focused()) !== 'content') return false;
  await new Promise((resolve) => { setTimeout(resolve, left); });
  return true;
};
// Whether the caret of an editor is in blocks that hold one another. What the browser inserts by itself changes them in a way in which
// the editor does not write them, and it loses some of it: it takes lines from a paste alone.
const CARET_DEPTH_MAX = 30;
const isInBlocks = (field) => {
  const blocks = [];
  let at = getSelection().focusNode;
  // Where all of the field is selected, its first text counts.
  if (at === field) {
    for (let down = 0; down < CARET_DEPTH_MAX && dom.firstChild(at) !== null; down++) at = dom.firstChild(at);
  }
  for (let up = 0; at && at !== field && up < CARET_DEPTH_MAX; up++, at = flatParent(at)) {
    if (at instanceof Element && !getComputedStyle(at).display.startsWith('inline')) blocks.push(tagOf(at));
  }
  return at === field && blocks.length > 1 && blocks.includes('div');
};
// Whether a text is to come to a field as if it were pasted. To editors that draw it beside the field: typed, it would be indented
// and completed line by line. To those of blocks, and to Lexical, which reads back the first of lines that come after others.
const isToBePasted = (field, text) => drawnText(field) !== null
  || (actFieldKind(field) === 'content' && text.includes('\n') && (matches(field, '[data-lexical-editor]') || isInBlocks(field)));
// Offers a text to an editor that has the focus, as if it were pasted: whether it took it.
kit.offer = (number, text) => {
  const element = elementOf(number);
  const field = element && fieldFor(element);
  return { taken: Boolean(field) && hasFocus(field) && isToBePasted(field, text) && !pastes(field, text) };
};
