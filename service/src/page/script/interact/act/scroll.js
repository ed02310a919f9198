// Scrolling: the page or an element inside it, always at once: `scroll-behavior` does not count.

const SCROLLING = new Set(['auto', 'scroll', 'overlay']);
const PART_OF_VIEW = 0.85;

const topScroller = () => getter(Document, 'scrollingElement')(document) ?? getter(Document, 'documentElement')(document);
const canScroll = (element, axis) => {
  const [room, view, style] = axis === 'x'
    ? [element.scrollWidth, element.clientWidth, 'overflowX'] : [element.scrollHeight, element.clientHeight, 'overflowY'];
  return room > view + 1 && (element === topScroller() || SCROLLING.has(getComputedStyle(element)[style]));
};
// What scrolls along an axis: the nearest around `element`, or the page, or else what fills the middle of the window.
const scrollerOf = (element, axis) => {
  const from = element ?? (canScroll(topScroller(), axis) ? topScroller() : elementAt(document, innerWidth / 2, innerHeight / 2));
  for (let at = from; at instanceof Element; at = flatParent(at)) if (canScroll(at, axis)) return at;
  return topScroller();
};

// Where nothing scrolls the page may do something else by the wheel: zoom a map, turn to the next slide.
const turnWheel = (element, axis, by) => {
  const [[clientX, clientY] = [innerWidth / 2, innerHeight / 2]] = actPoints(element);
  const hit = elementAt(document, clientX, clientY), target = hit instanceof Element && isWithin(hit, element) ? hit : element;
  const init = { bubbles: true, cancelable: true, composed: true, view: window, clientX, clientY, [axis === 'x' ? 'deltaX' : 'deltaY']: by };
  EventTarget.prototype.dispatchEvent.call(target, new WheelEvent('wheel', init));
};

const positionOf = (scroller) => [scroller.scrollLeft, scroller.scrollTop];
// `{direction, to, amount}`; without an element's number (0) the page.
kit.scroll = (number, { direction, to, amount }) => {
  const element = number ? elementOf(number) : null;
  if (number && !element) return GONE;
  watch(element);
  const axis = direction === 'left' || direction === 'right' ? 'x' : 'y';
  const scroller = scrollerOf(element, axis);
  const before = positionOf(scroller);
  const view = axis === 'x' ? scroller.clientWidth : scroller.clientHeight;
  const by = (amount ?? Math.round(view * PART_OF_VIEW)) * (direction === 'left' || direction === 'up' ? -1 : 1);
  // Where columns are reversed the top is below zero; elsewhere that is taken for zero.
  const options = to === 'top' ? { top: -scroller.scrollHeight } : to === 'bottom' ? { top: scroller.scrollHeight }
    : axis === 'x' ? { left: before[0] + by } : { top: before[1] + by };
  Element.prototype.scrollTo.call(scroller, { ...options, behavior: 'instant' });
  // A page may put it back.
  watched.hasScrolled = () => positionOf(scroller).some((at, axis) => at !== before[axis]);
  if (to === undefined && !watched.hasScrolled()) turnWheel(element ?? scroller, axis, by);
  return { box: boxOf(rectOf(element ?? scroller)) };
};
kit.scrollIntoView = (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  watch(element);
  if (!actVisible(element)) return lacks('visible', element);
  const rect = rectOf(element);
  const inView = rect.top >= 0 && rect.left >= 0 && rect.bottom <= innerHeight && rect.right <= innerWidth;
  scrollTo(element, inView && parent === window ? 'nearest' : 'center', 'nearest');
  return { box: boxOf(rectOf(element)) };
};

// Where an element is in its frame's viewport, which is scrolled to it where an action on it would do that, too.
kit.place = (number) => {
  const element = elementOf(number);
  if (!element) return null;
  if (actVisible(element) && actPoints(element).length === 0) scrollTo(element, 'center', 'nearest');
  return boxOf(rectOf(element));
};
