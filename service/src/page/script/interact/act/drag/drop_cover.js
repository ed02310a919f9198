// What would get a drop at a point: what is dragged, and what the page draws of it under the pointer, is looked through; lists
// that sort themselves take it for their entries.

const STACK_MAX = 30;
// An element that goes at least this part of the pointer's way goes with it.
const FOLLOWS_MIN = 0.5;
// How far what is drawn from the press to the pointer may reach beyond the source and the target.
const BAND_MARGIN_PX = 12;
const COPY_CHARS_MAX = 2_000;
const stackAt = (root, x, y) => elementsAt(root, x, y).slice(0, STACK_MAX);

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
  return touches && hasPoint(rect, x, y) && rect.left >= Math.min(from.left, to.left) - BAND_MARGIN_PX && rect.right <= Math.max(from.right, to.right) + BAND_MARGIN_PX
    && rect.top >= Math.min(from.top, to.top) - BAND_MARGIN_PX && rect.bottom <= Math.max(from.bottom, to.bottom) + BAND_MARGIN_PX;
};
// Whether an element that came since only marks the place, as a calendar colours its days: it says and shows nothing, is a part
// of what holds source and target, and lies over the target's middle.
const SHOWS = `${NESTED}, img, svg, canvas, video, picture, [aria-label], [title], [role]`;
const isVeil = (now, element, x, y) => {
  if (wordsOfDragged(element) !== '' || matches(element, SHOWS) || allIn(element, SHOWS).length > 0) return false;
  const list = listOfBoth(now), rect = rectOf(element);
  return list !== null && !isRoot(list) && element !== list && isWithin(element, list) && hasPoint(rect, x, y) && hasPoint(rect, ...centerOf(rectOf(now.element)));
};
// Whether an element with these words is a copy of the dragged one. A page's own drag may draw it with the hour that it would have.
const isCopy = ({ words }, said) => (words && said === words) || (!dragged && saysSameBut(words, said));
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
    if (isBand(now, at, x, y) || (!dragged && isVeil(now, at, x, y)) || isCopy(now, wordsOfDragged(at))) return true;
    if (now.added.has(at)) return false;
  }
  return false;
};
// What is at a point beneath what is dragged, as seen from the target's tree.
const dropHit = (now, x, y) => {
  const roots = [];
  for (let root = isConnected(now.element) ? rootOf(now.element) : document; ; root = rootOf(root.host)) {
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
// The innermost element around both the target and what is dragged, or was before the page took it out.
const listOfBoth = ({ element, source, chain }) => {
  if (!source) return null;
  const first = isConnected(source) ? parentNodeOf(source) : chain.find(({ parent }) => parent && isConnected(parent))?.parent;
  for (let at = first; at instanceof Element; at = flatParent(at)) if (isWithin(element, at)) return at;
  return null;
};
const isRoot = (element) => element === documentBody() || element === documentRoot();
const isElsewhere = ({ node, beside }) => {
  const [previous, next] = siblingsOf(node);
  return previous !== beside[0] && next !== beside[1];
};
// Whether the target has gone aside within its own list, which stands, from under the pointer: there the drop is to come.
const hasMadeRoom = ({ element, aimed }, hit, x, y) => {
  const home = parentNodeOf(element);
  if (!aimed?.home || hit !== home || isRoot(home)) return false;
  const { left, right, top, bottom } = rectOf(home);
  const stands = left === aimed.home.left && right === aimed.home.right && top === aimed.home.top && bottom >= aimed.home.bottom;
  return stands && hasPoint(aimed.box, x, y) && hasPoint(rectOf(home), ...centerOf(rectOf(element)));
};
// The entry of a list that a node is in; null of the list itself.
const entryIn = (list, node) => {
  let at = node;
  while (at && at !== list && parentNodeOf(at) !== list) at = parentNodeOf(at);
  return at === list ? null : at;
};
const neighboursOf = (node) => [dom.previousElement(node), dom.nextElement(node)];
// Whether a list takes a drop here that has put the item beside the target by now: at the item, at the entry on its other side, or
// in the list's own room. Pages also draw what is dragged in front of all else, by moving it to the end of its parent.
const takesBeside = (list, item, target, hit) => {
  const beside = neighboursOf(item), entry = entryIn(list, target);
  if (!isWithin(hit, list) || !beside.includes(entry)) return false;
  const under = entryIn(list, hit);
  return under === null || under === item || beside.includes(under);
};
// Whether source and target have gone the same way, within some pixels: with a plane, or because something came before or after both.
const wentTogether = ({ element, source, from, box }, within) => {
  if (!source || !isConnected(source) || !isConnected(element)) return false;
  const [way, other] = [[source, from], [element, box]].map(([one, was]) => [rectOf(one).x - was.x, rectOf(one).y - was.y]);
  return Math.hypot(...way) >= STEP_PX_MIN && way.every((went, axis) => Math.abs(went - other[axis]) < within);
};
// Whether an entry of a list is what is dragged, and not a list of such: it says the same, the source is a handle in it, or there is
// no other like the source or what it is in, within the entry.
const isEntryOf = ({ words, chain, source }, node) => {
  if (words === '' || words === wordsOfDragged(node)) return true;
  const draggable = closest(source, '[draggable=true i]');
  if (draggable) return isWithin(node, draggable);
  for (const link of chain) {
    if (link.node === node) return true;
    if (nearOf(link.node, NEIGHBOURS_MAX, (one) => tagOf(one) === tagOf(link.node)).length > 0) return false;
  }
  return false;
};
// Whether a list that has taken what is dragged out takes a drop here: in its own room, on the target or on what came since, which
// marks the place. Another entry that was there before may be a place of its own, such as a folder.
const takesInstead = ({ element, added }, list, hit) => {
  if (!isWithin(hit, list)) return false;
  const under = entryIn(list, hit);
  return under === null || added.has(under) || isWithin(element, under);
};
// A list that sorts itself while one of its items is dragged: the item is elsewhere in it, or the target made room for it.
const isSorted = (now, hit, x, y) => {
  const { element, source, chain, from, box, aimed } = now;
  // Nothing was sorted then.
  if (!source || wentTogether(now, 1)) return false;
  if (hasMadeRoom(now, hit, x, y)) return true;
  // What is dragged may be a handle in its item. Room that is made on one side of the item moves others, and not the item.
  const moved = chain.find((link) => link.node instanceof Element && link.parent && isConnected(link.node) && !isWithin(element, link.node)
    && (parentNodeOf(link.node) !== link.parent || isElsewhere(link)) && isEntryOf(now, link.node));
  if (moved && takesBeside(parentNodeOf(moved.node), moved.node, element, hit)) return true;
  const around = listOfBoth(now);
  if (!around || isRoot(around)) return false;
  const item = chain.find(({ parent }) => parent === around);
  // It was taken out of the list for the drag. Where it is only not drawn, the entry under the pointer is another one than a target: that
  // holds for points alone.
  if (item && now.spot && !(isConnected(item.node) && actVisible(item.node)) && isWithin(hit, around)) return true;
  if (item && !isConnected(item.node) && takesInstead(now, around, hit)) return true;
  // Rows may be placed by their style alone.
  if (item?.rect && isEntryOf(now, item.node) && isWithin(hit, item.node) && hasPoint(rectOf(item.node), x, y) && !hasPoint(item.rect, x, y)) return true;
  if (!aimed || aimed.list !== around || isRoot(hit) || !isWithin(element, hit) || !isWithin(source, hit)) return false;
  // The target has gone from under the pointer towards where the item was, in a list that stands.
  const place = rectOf(around);
  if (place.x !== aimed.place.x || place.y !== aimed.place.y) return false;
  const [[fromX, fromY], [toX, toY], [thenX, thenY], [nowX, nowY]] = [from, box, aimed.box, rectOf(element)].map(centerOf);
  return (nowX - thenX) * (fromX - toX) + (nowY - thenY) * (fromY - toY) > 0;
};
// Whether the target has gone from under the pointer to where what is dragged was, or is on its way there: it makes way, and what
// is left there is nothing, or what the page marks the place with.
const WAY_COSINE_MIN = 0.95, NEIGHBOURS_MAX = 3;
// An element and those around it, with where they are and those beside them.
const PLACES_UP_MAX = 6;
const placesAround = (element) => {
  const places = [];
  for (let at = element; at instanceof Element && places.length < PLACES_UP_MAX; at = flatParent(at)) {
    places.push({ one: at, rect: rectOf(at), beside: nearOf(at, NEIGHBOURS_MAX, actVisible).map((one) => ({ one, rect: rectOf(one) })) });
  }
  return places;
};
// Whether what the target is a part of has gone by itself: what is around that stands, and so does something beside it.
const wentAlone = (source, { around, scrolls }) => {
  if (scrolls.some(([one, left, top]) => leftScrolled(one) !== left || topScrolled(one) !== top)) return false;
  const stands = ({ one, rect }) => isConnected(one) && sameRect(rect, rectOf(one));
  const outer = around.findIndex(stands);
  if (outer <= 0 || (source && isWithin(source, around[outer - 1].one))) return false;
  const beside = around[outer - 1].beside.filter(({ one }) => !(source && isWithin(source, one)));
  return beside.length === 0 || beside.some(stands);
};
const hasMadeWay = ({ element, source, from, aimed, added }, hit, x, y) => {
  if (!source || !from || !aimed || !hasPoint(aimed.box, x, y) || hasPoint(rectOf(element), x, y)) return false;
  // What scrolls, or is moved as a whole, takes all of it along.
  if (!wentAlone(source, aimed)) return false;
  let mark = hit;
  while (mark instanceof Element && !added.has(mark)) mark = flatParent(mark);
  const isMark = mark instanceof Element && wordsOfDragged(mark) === '' && !matches(mark, SHOWS) && allIn(mark, SHOWS).length === 0;
  if (!isMark && !(isWithin(element, hit) && isWithin(source, hit))) return false;
  const [[fromX, fromY], [thenX, thenY], [nowX, nowY]] = [from, aimed.box, rectOf(element)].map(centerOf);
  const [way, went] = [[fromX - thenX, fromY - thenY], [nowX - thenX, nowY - thenY]];
  const length = Math.hypot(...way) * Math.hypot(...went);
  return Math.hypot(...went) >= STEP_PX_MIN && way[0] * went[0] + way[1] * went[1] >= WAY_COSINE_MIN * length;
};
// What is at a point before a drag to it: `{then, words}`, the elements there and what they say, innermost first. Null elements
// where all may come there: what is dragged is a thumb or an edge that says nothing, or is at the point itself.
const spotAt = (hit, dragging, x, y) => {
  if (dragging && (isWithin(hit, dragging) || wordsOfDragged(dragging) === '' || getComputedStyle(dragging).cursor.endsWith('-resize'))) return { then: null, words: [] };
  const then = new Set(stackAt(rootOf(hit), x, y));
  for (let at = hit; at instanceof Element; at = flatParent(at)) then.add(at);
  return { then, words: [...then].filter((one) => !isRoot(one)).slice(0, STACK_MAX).map(wordsOfDragged) };
};
// Whether two texts say the same but for numbers and what is as short: an event in a calendar is drawn with the hour that it would
// have.
const LONG_WORD = /[\p{L}\p{M}]{3,}/gu;
const saysSameBut = (one, other) => {
  const [long, also] = [one, other].map((text) => (text ?? '').match(LONG_WORD) ?? []);
  return long.length > 0 && long.join() === also.join();
};
// What has come to the point of a drop with words of its own since before the press, described; null where nothing has. What is
// drawn anew says what was there. What goes along with what is dragged is a plane that is moved under the window, such as a map.
const spotCover = (now, x, y) => {
  const { element, source, spot: { then, words } } = now;
  const hit = then && dropHit(now, x, y);
  if (!hit || (isConnected(element) && actAccepts(hit, element)) || isWithin(element, hit) || isSorted(now, hit, x, y)) return null;
  const came = [];
  for (let at = hit; at instanceof Element && !then.has(at) && !(source && isWithin(source, at)); at = flatParent(at)) {
    const said = wordsOfDragged(at);
    if ((said !== '' && words.includes(said)) || saysSameBut(now.words, said)) return null;
    if (said !== '' || matches(at, SHOWS)) came.push(at);
  }
  return came.length === 0 || wentTogether(now, STEP_PX_MIN) ? null : describe(came[0]);
};
// What would get the drop at this point instead of the target, described; null where the target would.
const dropCover = (now, x, y) => {
  if (now.spot) return spotCover(now, x, y);
  const { element } = now;
  const hit = dropHit(now, x, y);
  if (!isConnected(element)) return describe(hit ?? documentRoot());
  if (!hit) return 'the edge of the window';
  return actAccepts(hit, element) || isSorted(now, hit, x, y) || hasMadeWay(now, hit, x, y) ? null : describe(actCoverRoot(hit, element));
};
