// Checks an action's events as they come. What comes for another element than was meant is swallowed, before any
// listener of the page's.

const CLICKS = new Set(['click', 'auxclick', 'dblclick', 'contextmenu']);
const NEAR_PX = 3;
const GUARDED_MS = 10_000;
// The action under way: `{element, x, y, until, seen, by, first}`. Without an element nothing may come at that point, since
// it belongs to a frame.
let guarded = null;

const guard = (element, x, y) => {
  dragged = false;
  guarded = { element, x, y, until: performance.now() + GUARDED_MS, seen: false, by: null, first: null };
  globalThis.portholeHear();
  globalThis.portholeGuard = check;
};

const check = (event) => {
  const now = guarded;
  if (!now || !event.isTrusted) return;
  if (performance.now() > now.until) return unguard();
  // A person may be using the same page.
  if (Math.abs(event.clientX - now.x) > NEAR_PX || Math.abs(event.clientY - now.y) > NEAR_PX) return;
  try { judge(event, now); } catch { now.by ??= 'what could not be told'; }
  now.seen = true;
  if (!now.by) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};
const judge = (event, now) => {
  const [target] = event.composedPath();
  if (event.type === 'pointerdown' || (event.type === 'mousedown' && !now.first)) {
    now.by ??= wrong(now, event, target);
    now.first = target;
  } else if (CLICKS.has(event.type) && !now.by && now.element && !belongs(target, now)) {
    now.by = describe(target instanceof Element ? target : document.documentElement);
  }
};
const wrong = (now, event, target) => {
  if (!now.element) return describe(target instanceof Element ? target : document.documentElement);
  return actCover(now.element, event.clientX, event.clientY);
};
// A click comes to what is common to press and release, so it may come to an element around the one that was meant.
const belongs = (target, { element, first }) => {
  if (!(target instanceof Element)) return true;
  if (actAccepts(target, element) || isWithin(element, target) || (first && isWithin(first, target))) return true;
  const label = element instanceof HTMLLabelElement ? element : closest(element, 'label');
  return label !== null && controlOf(label) === target;
};

// Whether the page has made a drag of the press, as HTML's drag and drop.
let dragged = false;
window.addEventListener('dragstart', (event) => {
  if (!event.isTrusted) return;
  dragged = true;
  // Once the page's listeners have had it.
  setTimeout(() => { dragged = !event.defaultPrevented; });
}, { capture: true });
kit.dragging = () => dragged;

const unguard = () => {
  guarded = null;
  globalThis.portholeGuard = undefined;
};
