// Where a drag is let go: judged as its events come, as guard.js does it for presses. What is dragged, and what the page
// draws of it under the pointer, is looked through.

const DROPS = new Set(['dragenter', 'dragover', 'drop']);
const RELEASES = new Set(['pointerup', 'mouseup']);
const STACK_MAX = 30;
const ADDED_MAX = 10_000;
// An element that goes at least this part of the pointer's way goes with it.
const FOLLOWS_MIN = 0.5;
const STEP_PX_MIN = 4;
// How far what is drawn from the press to the pointer may reach beyond the source and the target.
const BAND_MARGIN_PX = 12;
const COPY_CHARS_MAX = 2_000;
// The drag under way: `{element, source, parent, box, added, at, under, by, done, until, end}`. `element` is the target, or
// the frame that it is in; `source` what is dragged, if it is in this document, `words` and `from` its text and place before.
// `under` is what was under the pointer `at` a point on its way, `late` the same of a point near its end.
let dropping = null;

// Whether the page has made a drag of the press, as HTML's drag and drop.
let dragged = false;
window.addEventListener('dragstart', (event) => {
  if (!event.isTrusted) return;
  dragged = true;
  // Once the page's listeners have had it.
  setTimeout(() => { dragged = !event.defaultPrevented; });
}, { capture: true });
kit.dragging = () => dragged;


const dropEnds = () => {
  dropping?.end();
  dropping = null;
};
// A drag begins, before its press. `source` is 0 where that is in another document.
kit.dropBegins = (number, source) => {
  dropEnds();
  const element = elementOf(number);
  if (!element) return GONE;
  const added = new WeakSet();
  let room = ADDED_MAX;
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const node of addedNodes) if (room-- > 0) added.add(node);
  });
  observer.observe(document, { subtree: true, childList: true });
  const dragging = source ? elementOf(source) : null;
  dropping = {
    element, source: dragging, words: dragging && wordsOfDragged(dragging), from: dragging && rectOf(dragging), late: null, parent: dragging && parentNodeOf(dragging), beside: dragging && [previousOf(dragging), nextOf(dragging)], box: rectOf(element),
    added, at: null, under: new Map(), by: null, done: false, until: 0, end: () => observer.disconnect(),
  };
  return { what: describe(element) };
};
const stackAt = (root, x, y) => elementsAt(root, x, y).slice(0, STACK_MAX);
// The pointer is on its way, here; or near its end, back from the target by a few pixels.
kit.dropPasses = async (x, y, isLate) => {
  if (!dropping) return;
  await frame();
  const under = new Map(stackAt(document, x, y).map((element) => [element, rectOf(element)]));
  if (isLate) dropping.late = { at: { x, y }, under };
  else Object.assign(dropping, { at: { x, y }, under });
};

// Whether an element has moved with the pointer since that was at a point.
const follows = (element, { at, under }, x, y) => {
  const then = under.get(element);
  if (!then) return false;
  const [wayX, wayY] = [x - at.x, y - at.y];
  const rect = rectOf(element);
  const [way, went] = Math.abs(wayX) > Math.abs(wayY) ? [wayX, rect.x - then.x] : [wayY, rect.y - then.y];
  return Math.abs(way) >= STEP_PX_MIN && went / way >= FOLLOWS_MIN;
};
const wordsOfDragged = (element) => trimmed(textOf(element).slice(0, COPY_CHARS_MAX));
// Whether an element that came since is drawn from what is dragged to the pointer, as a span of hours in a calendar: it
// touches the source, and reaches no further than source and target do.
const isBand = ({ from, element: target }, element, x, y) => {
  if (!from) return false;
  const [rect, to] = [rectOf(element), rectOf(target)];
  const touches = rect.left < from.right && rect.right > from.left && rect.top < from.bottom && rect.bottom > from.top;
  const isAt = rect.left <= x && x <= rect.right && rect.top <= y && y <= rect.bottom;
  return touches && isAt && rect.left >= Math.min(from.left, to.left) - BAND_MARGIN_PX && rect.right <= Math.max(from.right, to.right) + BAND_MARGIN_PX
    && rect.top >= Math.min(from.top, to.top) - BAND_MARGIN_PX && rect.bottom <= Math.max(from.bottom, to.bottom) + BAND_MARGIN_PX;
};
// Whether the element is the dragged one or a copy drawn for it: one that was under the pointer on its way, too, and has
// been added since or moves with it; of those added later only one that moves with the pointer, a copy, or one drawn up to
// the pointer.
const isDragged = (now, element, x, y) => {
  if (now.source && isWithin(element, now.source)) return true;
  const isEarly = now.under.has(element);
  if (isEarly && follows(element, now, x, y)) return true;
  let isAdded = false;
  for (let at = element; at && !isAdded; at = flatParent(at)) isAdded = now.added.has(at);
  if (!isAdded) return false;
  // HTML's drag and drop draws what is dragged itself, so what the page adds gets the drop, unless it goes along.
  if ((isEarly && !dragged) || (now.late && follows(element, now.late, x, y))) return true;
  for (let at = element; at; at = flatParent(at)) {
    if (isBand(now, at, x, y) || (now.words && wordsOfDragged(at) === now.words)) return true;
    if (now.added.has(at)) return false;
  }
  return false;
};
// What is at a point beneath what is dragged, as seen from the target's tree.
const dropHit = (now, x, y) => {
  const roots = [];
  for (let root = rootOf(now.element); ; root = rootOf(root.host)) {
    roots.unshift(root);
    if (!(root instanceof ShadowRoot)) break;
  }
  let hit = null;
  for (const [index, root] of roots.entries()) {
    const inner = stackAt(root, x, y).find((element) => !isDragged(now, element, x, y));
    if (!inner) break;
    hit = inner;
    if (index + 1 < roots.length && inner !== roots[index + 1].host) break;
  }
  return hit;
};
// A list that sorts itself while one of its items is dragged: the item is elsewhere in it, or the target made room for it.
const isSorted = (now, hit) => {
  const { element, source, parent, beside } = now;
  if (!source) return false;
  const list = parentNodeOf(source);
  // Room that is made on one side of the item moves others, and not the item.
  const isMoved = list !== parent || (previousOf(source) !== beside[0] && nextOf(source) !== beside[1]);
  if (isMoved && list === parentNodeOf(element) && isWithin(hit, list)) return true;
  const isRoot = hit === documentBody() || hit === documentRoot();
  return !isRoot && !sameRect(now.box, rectOf(element)) && isWithin(element, hit) && isWithin(source, hit);
};
// What would get the drop at this point instead of the target, described; null where the target would.
const dropCover = (now, x, y) => {
  const { element } = now;
  const hit = dropHit(now, x, y);
  if (!isConnected(element)) return describe(hit ?? documentRoot());
  if (!hit) return 'the edge of the window';
  return actAccepts(hit, element) || isSorted(now, hit) ? null : describe(actCoverRoot(hit, element));
};
// Whether the drop would come to the target, at a point of this document; from now on what comes there is checked.
kit.dropReady = (x, y) => {
  const now = dropping;
  if (!now) return { by: 'another document' };
  now.until = performance.now() + GUARDED_MS;
  globalThis.portholeHear();
  globalThis.portholeGuard = checkDrop;
  return { by: dropCover(now, x, y) };
};
const checkDrop = (event) => {
  const now = dropping;
  const isDrop = DROPS.has(event.type);
  if (!now || !event.isTrusted || !(isDrop || RELEASES.has(event.type))) return isDrop ? undefined : check(event);
  if (event.timeStamp > now.until) return dropEnds();
  // What the page makes of the first release that it got is the page's.
  if (!now.done) {
    try { now.by ??= dropCover(now, event.clientX, event.clientY); } catch { now.by ??= 'what could not be told'; }
  }
  if (now.by === null) {
    now.done ||= event.type === 'drop' || RELEASES.has(event.type);
    return isDrop ? undefined : check(event);
  }
  if (isDrop && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  event.preventDefault();
  event.stopImmediatePropagation();
};
// The drag is over: what would have got the drop, if that was not the target, and whether the target got it.
kit.dropEnds = () => {
  const { by = null, done = false } = dropping ?? {};
  if (globalThis.portholeGuard === checkDrop) globalThis.portholeGuard = guarded ? check : undefined;
  dropEnds();
  return { by, done };
};
