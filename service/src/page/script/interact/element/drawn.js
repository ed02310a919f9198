// Editors that draw their text themselves, such as Monaco, CodeMirror 5 and Ace. What has the focus is an element with an
// `EditContext`, or a text area too small to be seen, and holds some of the text or none. The text is drawn on a surface
// around it, wherever the pointer is a text cursor; what is not in view may not be drawn at all.
const UNSEEN_PX_MAX = 4;
const SURFACE_WIDTH_MIN = 30, SURFACE_HEIGHT_MIN = 12, SURFACE_UP_MAX = 6;
const DRAWN_NODES_MAX = 10_000, DRAWN_DEPTH_MAX = 100, DRAWN_CHARS_MAX = 100_000;
// A page may have thousands of such fields.
const DRAWN_NODES_IN_A_SECOND_MAX = 200_000;
let drawnSince = 0, drawnNodes = 0;

const editContextOf = 'editContext' in HTMLElement.prototype ? getterOf(HTMLElement.prototype, 'editContext') : () => null;
const hasEditContext = (element) => element instanceof HTMLElement && Boolean(editContextOf(element));

function isUnseenField(element) {
  if (hasEditContext(element)) return true;
  // One that is not rendered can't have the focus.
  if (!(element instanceof HTMLTextAreaElement) || !Element.prototype.checkVisibility.call(element)) return false;
  const isTiny = (one) => { const box = dom.box(one); return box.width < UNSEEN_PX_MAX || box.height < UNSEEN_PX_MAX };
  const outer = drawnParent(element);
  const isClipped = outer instanceof HTMLElement && isTiny(outer) && getComputedStyle(outer).overflowY !== 'visible';
  return isTiny(element) || isClipped || getComputedStyle(element).opacity === '0';
}

// What such a field's text is drawn on, with its lines: `{surface, lines}`; null of every other element.
function drawingOf(field) {
  if (!isUnseenField(field)) return null;
  for (let at = drawnParent(field), up = 0; at && up < SURFACE_UP_MAX; at = drawnParent(at), up++) {
    const box = dom.box(at);
    if (box.width < SURFACE_WIDTH_MIN || box.height < SURFACE_HEIGHT_MIN) continue;
    const lines = drawnLines(at, field);
    if (lines !== null) return { surface: at, lines };
  }
  return null;
}

// The lines on a surface from above to below; null where the pointer is a text cursor nowhere.
function drawnLines(surface, field) {
  if (performance.now() - drawnSince > 1000) [drawnSince, drawnNodes] = [performance.now(), 0];
  const lines = new Map();
  let isText = false, nodes = 0, chars = 0;
  const visit = (element, block, depth) => {
    const style = styleOf(element);
    if (style.display === 'none' || element === field) return;
    const own = style.display === 'inline' || style.display === 'contents' ? block : element;
    const isShown = style.cursor === 'text' && style.visibility === 'visible';
    isText ||= isShown;
    for (const child of dom.children(element)) {
      if (++nodes > DRAWN_NODES_MAX || ++drawnNodes > DRAWN_NODES_IN_A_SECOND_MAX || chars > DRAWN_CHARS_MAX) return;
      const type = dom.type(child);
      if (type === 1 && depth < DRAWN_DEPTH_MAX && !SKIPPED.has(dom.tag(child))) visit(child, own, depth + 1);
      else if (type === 3 && isShown) {
        lines.set(own, (lines.get(own) ?? '') + child.data);
        chars += child.data.length;
      }
    }
  };
  visit(surface, surface, 0);
  if (!isText) return null;
  const placed = [...lines].map(([block, text]) => ({ top: dom.box(block).top, text: text.replace(/[\u200b\ufeff]/g, '') }));
  const drawn = placed.sort((a, b) => a.top - b.top).map(({ text }) => text.replaceAll('\u00a0', ' '));
  // A caret that is drawn by a space.
  const first = drawn.findIndex((line) => line.trim() !== '');
  return drawn.slice(Math.max(first, 0));
}

// Whether an editor draws its text as a picture, as terminals do, so that none of it can be read.
function isOnCanvas(field) {
  const drawing = drawingOf(field);
  return drawing !== null && drawing.lines.every((line) => line.trim() === '') && dom.find(drawing.surface, 'canvas') !== null;
}

// The text that is drawn for a field, as far as it is in view; null of a field that shows its own.
function drawnText(field) {
  const drawing = drawingOf(field);
  const text = drawing ? drawing.lines.join('\n') : hasEditContext(field) ? editContextOf(field).text : null;
  return text === null ? null : text.slice(0, DRAWN_CHARS_MAX).toWellFormed();
}
