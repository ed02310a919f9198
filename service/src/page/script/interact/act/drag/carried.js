// What a drag carries.

// Whether the page has made a drag of the press, as HTML's drag and drop; `dragHeard` also where it refused that.
let dragged = false;
let dragHeard = false;
window.addEventListener('dragstart', (event) => {
  if (!event.isTrusted) return;
  dragHeard = true;
  if (noteCarried(event)) return;
  dragged = true;
  // Once the page's listeners have had it.
  setTimeout(() => { dragged = !event.defaultPrevented; });
}, { capture: true });
kit.dragging = () => dragged;
// What HTML's drag and drop carries is found by another hit test at the point of the press, once the pointer moves: a page may have
// put something else there by then. Whether that is so; it is not dragged then. What is dragged may be in the source, or be the
// nearest element around it that can be dragged, whose handle it is.
const CARRIED = '[draggable=true i], a[href], img';
let carriedInstead = null;
const noteCarried = (event) => {
  const source = dropping?.source ?? watched?.pressed?.element ?? null, [carried] = event.composedPath();
  if (source === null || isWithin(carried, source) || carried === flatClosest(source, CARRIED)) return false;
  carriedInstead = `${carried instanceof Element ? describe(carried) : 'a text'}, which would have been dragged instead,`;
  stopEvent(event);
  return true;
};
// The same where the target is in another document.
kit.carriedInstead = () => carriedInstead;
const forgetCarried = () => { carriedInstead = null; };

// What is dragged and its row, with what the entries beside them say. A list that is drawn anew in place may make another entry
// of what is held.
const carriedOf = (dragging) => {
  const { own } = aroundOf(dragging), all = new Set([dragging, own]);
  return [...all].filter((one) => one !== null).map((one) => saidAmong(one, new Map()));
};
// Whether it says what another entry said, or another entry says what it said. One in the target's list is sorted.
const isOtherEntry = (one, target) => {
  if (!isConnected(one.own) || isWithin(target, parentNodeOf(one.own))) return false;
  const words = wordsOf(one.own);
  return words !== '' && words !== one.words && (isAnothers(words, one) || othersOf(one.own, new Map()).some((beside) => beside.said === one.words));
};
