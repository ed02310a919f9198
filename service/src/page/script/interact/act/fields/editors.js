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
// Editors that lose lines which the browser inserts, and take them from a paste alone. They are known by their names: other editors
// make of a paste what they want, and pages something else than a text. BlockNote loses any lines, Lexical and Draft.js those that are
// added to a text; Draft.js does not hear of what a command writes.
const [BLOCKNOTE, DRAFT, LEXICAL] = ['.bn-editor', '.public-DraftEditor-content', '[data-lexical-editor]'];
const losesLines = (field, text) => text.includes('\n')
  && (matches(field, BLOCKNOTE) || (matches(field, `${DRAFT}, ${LEXICAL}`) && getSelection().isCollapsed && !isBare(field)));
// Offers a text as if it were pasted, to an editor that has the focus and loses lines or draws them beside its field, which would indent
// and complete each that is typed: whether it took it.
kit.offer = (number, text) => {
  const element = elementOf(number);
  const field = element && fieldFor(element);
  return { taken: Boolean(field) && hasFocus(field) && (losesLines(field, text) || drawnText(field) !== null) && !pastes(field, text) };
};
