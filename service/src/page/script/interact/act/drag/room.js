// Room around what is dragged and its target.

const scrollElement = method(Element, 'scrollTo');
const leftScrolled = getter(Element, 'scrollLeft');
const topScrolled = getter(Element, 'scrollTop');
// Pages scroll while something is held near an edge of what scrolls, often in its outer fifth, and what they know of places is
// old then. Source and target come away from there, where both fit between.
const EDGE_PART = 0.25, SCROLLERS_UP_MAX = 100;
kit.dragRoom = (number, other) => {
  const both = [elementOf(number), elementOf(other)];
  if (!both.every((one) => one)) return null;
  for (const axis of ['x', 'y']) {
    let at = both[0];
    for (let up = 0; at instanceof Element && up < SCROLLERS_UP_MAX && getComputedStyle(at).position !== 'fixed'; at = flatParent(at), up++) {
      if (at !== both[0] && isWithin(both[1], at) && canScroll(at, axis)) makeRoom(at, axis, both.map(rectOf));
    }
  }
  return null;
};
const makeRoom = (scroller, axis, rects) => {
  const [start, end, scrolled] = axis === 'x' ? ['left', 'right', leftScrolled] : ['top', 'bottom', topScrolled];
  const view = scroller === topScroller() ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : rectOf(scroller);
  const edge = (view[end] - view[start]) * EDGE_PART;
  const first = Math.min(...rects.map((rect) => rect[start])), last = Math.max(...rects.map((rect) => rect[end]));
  const isInside = first >= view[start] + edge && last <= view[end] - edge;
  if (isInside || last - first > view[end] - view[start] - 2 * edge) return;
  scrollElement(scroller, { [start]: scrolled(scroller) + (first + last - view[start] - view[end]) / 2, behavior: 'instant' });
};
