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
// For how many frames the page must be still at the target before the release: some lists sort themselves every 50 ms.
const DROP_STILL_FRAMES = 4;
const DROP_RESTS_MS_MAX = 600;
const ANCESTORS_MAX = 10;
// The drag under way: `{element, source, carried, chain, box, aimed, added, at, under, by, is, done, until, changes, end}`. `element` is
// the target, or the frame that it is in; `meaning` what the target was shown or found as. `source` is what is dragged, if it
// is in this document, `words` and `from` its text and place before, `chain` its ancestors with their siblings and boxes.
// `aimed` is where the target was as the pointer was sent there. `under` is what was under the pointer `at` a point on its way,
// `late` the same of a point near its end. `scrolls` is how far what is around the target was scrolled, `said` what was said
// around source and target. Of a drop at a point `spot` is what was there: `{then, words}`, and null elements if all may come there.
let dropping = null;
// The last one, until it is known whether what was dragged has come back.
let dropped = null;
// Until when no click of a drag that has failed comes to this document.
let unclickedUntil = 0;

// Whether the page has made a drag of the press, as HTML's drag and drop; `dragHeard` also where it refused that.
let dragged = false;
let dragHeard = false;
window.addEventListener('dragstart', (event) => {
  if (!event.isTrusted) return;
  dragged = true;
  dragHeard = true;
  // Once the page's listeners have had it.
  setTimeout(() => { dragged = !event.defaultPrevented; });
}, { capture: true });
kit.dragging = () => dragged;

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

const dropEnds = () => {
  dropping?.end();
  dropping = null;
  unclickedUntil = Math.min(unclickedUntil, performance.now());
};
const scrollElement = method(Element, 'scrollTo');
const leftScrolled = getter(Element, 'scrollLeft');
const topScrolled = getter(Element, 'scrollTop');
const centerOf = (rect) => [rect.x + rect.width / 2, rect.y + rect.height / 2];
const siblingsOf = (node) => [previousOf(node), nextOf(node)];
const chainOf = (element) => {
  const chain = [];
  for (let at = element; at && chain.length < ANCESTORS_MAX; at = parentNodeOf(at)) chain.push({ node: at, parent: parentNodeOf(at), beside: siblingsOf(at), rect: at instanceof Element ? rectOf(at) : null });
  return chain;
};
// Counts what the page changes and notes what it adds. The focus that a press gives is no change.
const watchDrop = (now) => {
  let room = ADDED_MAX;
  const observer = new MutationObserver((records) => {
    now.changes++;
    for (const { addedNodes } of records) for (const node of addedNodes) if (room-- > 0) now.added.add(node);
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  const roots = new Set([document, ...rootsSeen()]);
  for (let root = rootOf(now.element); root instanceof ShadowRoot; root = rootOf(root.host)) roots.add(root);
  for (const root of roots) observer.observe(root, all);
  const values = valuesNow();
  const note = (event) => { if (event.type !== 'scroll' || !now.scrolls) now.changes++; };
  const types = ['input', 'change', 'toggle', 'scroll'];
  for (const type of types) window.addEventListener(type, note, { capture: true, passive: true });
  now.hasChanged = () => observer.takeRecords().length > 0 || now.changes > 0 || valuesNow() !== values;
  now.end = () => {
    observer.disconnect();
    for (const type of types) window.removeEventListener(type, note, { capture: true });
  };
};
// What an element says, as a number.
const SAID_CHARS_MAX = 200_000;
const hashOfText = (element) => hashOf(textOf(element).slice(0, SAID_CHARS_MAX));
// What the page says, and how the target looks by its attributes.
const pageNow = (target) => `${hashOfText(documentRoot())} ${shallowOf(target)}`;
const attributeNames = method(Element, 'getAttributeNames');
const shallowOf = (element) => attributeNames(element).map((name) => `${name}=${attributeOf(element, name).slice(0, 200)}`).join();
// What is dragged and its row, with what the entries beside them say. A list that is drawn anew in place may make another entry
// of what is held.
const carriedOf = (dragging) => {
  const { own } = aroundOf(dragging), all = new Set([dragging, own]);
  return [...all].filter((one) => one !== null).map((one) => ({ own: one, words: wordsOf(one), others: othersOf(one, new Map()) }));
};
// Whether it says what another entry said, or another entry says what it said. One in the target's list is sorted.
const isOtherEntry = (one, target) => {
  if (!isConnected(one.own) || isWithin(target, parentNodeOf(one.own))) return false;
  const words = wordsOf(one.own);
  return words !== '' && words !== one.words && (isAnothers(words, one) || othersOf(one.own, new Map()).some((beside) => beside.words === one.words));
};
// What is at a point before a drag to it: `{then, words}`, the elements there and what they say, innermost first. Null elements
// where all may come there: what is dragged is a thumb or an edge that says nothing, or is at the point itself.
const spotAt = (hit, dragging, x, y) => {
  if (dragging && (isWithin(hit, dragging) || wordsOfDragged(dragging) === '' || getComputedStyle(dragging).cursor.endsWith('-resize'))) return { then: null, words: [] };
  const then = new Set(stackAt(rootOf(hit), x, y));
  for (let at = hit; at instanceof Element; at = flatParent(at)) then.add(at);
  return { then, words: [...then].filter((one) => !isRoot(one)).slice(0, STACK_MAX).map(wordsOfDragged) };
};
// A drag begins, before its press. `source` is 0 where that is in another document. `asked` is `{shown, found}` as for
// `ready`, of the target alone.
kit.dropBegins = (number, source, asked) => {
  dropEnds();
  const hit = elementOf(number);
  if (!hit) return { lacks: 'attached', what: 'the target' };
  const dragging = source ? elementOf(source) : null;
  const spot = asked?.at ? spotAt(hit, dragging, ...asked.at) : null;
  const control = spot?.then ? controlAround(hit) : null;
  const isControl = control !== null && staysAsIs(control);
  const element = isControl ? control : hit;
  const shown = spot !== null || asked?.found ? foundAs.get(element) : asked?.shown;
  const is = shown || isControl ? identityOf(element) : null;
  if (shown && spot === null && !isAsShown(is, shown)) return lacks('same', element, { is });
  const meaning = isControl || (shown && spot === null) ? meaningOf(element, is) : null;
  if (meaning && asked.shown && shown.name === '') meaning.name = '';
  dropping = {
    element, spot, meaning, source: dragging, words: dragging && wordsOfDragged(dragging), from: dragging && rectOf(dragging),
    carried: dragging ? carriedOf(dragging) : [], chain: dragging ? chainOf(dragging) : [], holds: dragging !== null && isWithin(dragging, element), box: rectOf(element),
    isDraggable: dragging !== null && closest(dragging, '[draggable=true i]') !== null,
    said: null, aimed: null, late: null, scrolls: null, added: new WeakSet(), at: null, under: new Map(), by: null, is: null, done: false, until: 0, changes: 0, wentAlong: false,
  };
  dragHeard = false;
  const list = listOfBoth(dropping) ?? documentRoot();
  dropping.said = { list, hash: hashOfText(list) };
  Object.assign(dropping, { page: pageNow(element), values: valuesNow() });
  watchDrop(dropping);
  return {};
};
// Whether the target is still what it was shown or found as. What is dragged may leave the target, which a list's words tell.
const targetStays = ({ element, meaning, holds, words }) => {
  if (meaning === null || !isConnected(element)) return true;
  const now = meaningOf(element, identityOf(element));
  if (now.role !== meaning.role || !staysInRow(meaning)) return false;
  if (saysStill(meaning.name, now.name)) return true;
  const left = holds ? wordsIn(`${now.name} ${words}`) : new Set();
  return holds && isAmong(wordsIn(meaning.name), left);
};
// Whether a point is in view: neither outside of the window nor of what scrolls around the element.
const isInView = (element, x, y) => {
  if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false;
  for (let at = flatParent(element); at instanceof Element && at !== documentBody() && at !== documentRoot(); at = flatParent(at)) {
    const { left, right, top, bottom } = rectOf(at);
    const isOutside = x < left || x > right || y < top || y > bottom;
    if (isOutside && getComputedStyle(at).overflow !== 'visible' && getComputedStyle(at).display !== 'contents') return false;
  }
  return true;
};
const scrollsAround = (element) => {
  const scrolls = [];
  for (let at = flatParent(element); at instanceof Element; at = flatParent(at)) scrolls.push([at, leftScrolled(at), topScrolled(at)]);
  return scrolls;
};
// Where the target is, without scrolling, and what it lacks for a drop as far as that can be seen from here. `inner` is the
// target's point in the frame of this document that it is in. `isHeld`: what is dragged, and drawn for it, may cover it.
kit.dropSight = (inner, isHeld) => {
  const now = dropping;
  if (!now || !isConnected(now.element)) return { lacks: 'attached', what: 'the target' };
  const { element } = now;
  if (!inner && !isHeld && !actVisible(element)) return lacks('visible', element);
  if (!targetStays(now)) return lacks('same', element, { is: identityOf(element) });
  const [x, y] = inner ? outwards(element, inner.x, inner.y) : actPoints(element)[0] ?? centerOf(rectOf(element));
  const shown = isInView(element, x, y);
  if (!shown) now.scrolls ??= scrollsAround(element);
  const by = shown && !isHeld ? dropCover(now, x, y) : null;
  return by === null ? { x, y, what: describe(element), shown } : lacks('uncovered', element, { by });
};
// The pointer is sent to the target now.
kit.dropAims = () => {
  if (!dropping) return;
  const list = listOfBoth(dropping);
  const home = parentNodeOf(dropping.element);
  dropping.aimed = { box: rectOf(dropping.element), list, place: list && rectOf(list), home: home instanceof Element ? rectOf(home) : null };
};
// Waits until the target and what is dragged stand still and nothing has changed for some frames, within bounds.
kit.dropRests = async (frames) => {
  const seen = () => [dropping?.element, dropping?.source].map((one) => (one && isConnected(one) ? JSON.stringify(boxOf(rectOf(one))) : '')).join() + dropping?.changes;
  const until = performance.now() + DROP_RESTS_MS_MAX;
  let before = seen();
  for (let still = 0; still < (frames ?? DROP_STILL_FRAMES) && performance.now() < until;) {
    await frame();
    const now = seen();
    still = now === before || frames ? still + 1 : 0;
    before = now;
  }
};
const stackAt = (root, x, y) => elementsAt(root, x, y).slice(0, STACK_MAX);
// What is dragged goes along with the pointer.
const noteWay = (now) => {
  if (!now.source || !isConnected(now.source)) return;
  const { x, y } = rectOf(now.source);
  now.wentAlong ||= Math.hypot(x - now.from.x, y - now.from.y) >= STEP_PX_MIN;
};
// The pointer is on its way, here; or near its end, back from the target by a few pixels.
kit.dropPasses = async (x, y, isLate) => {
  if (!dropping) return;
  await frame();
  noteWay(dropping);
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
    if (isBand(now, at, x, y) || (!dragged && isVeil(now, at, x, y)) || (now.words && wordsOfDragged(at) === now.words)) return true;
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
  return under === entry ? isWithin(target, hit) : under === null || under === item || beside.includes(under);
};
// A list that sorts itself while one of its items is dragged: the item is elsewhere in it, or the target made room for it.
const isSorted = (now, hit, x, y) => {
  const { element, source, chain, from, box, aimed } = now;
  if (!source) return false;
  if (hasMadeRoom(now, hit, x, y)) return true;
  // What is dragged may be a handle in its item. Room that is made on one side of the item moves others, and not the item.
  const moved = chain.find((link) => link.node instanceof Element && link.parent && isConnected(link.node) && !isWithin(element, link.node)
    && (parentNodeOf(link.node) !== link.parent || isElsewhere(link)));
  if (moved && takesBeside(parentNodeOf(moved.node), moved.node, element, hit)) return true;
  const around = listOfBoth(now);
  if (!around || isRoot(around)) return false;
  const item = chain.find(({ parent }) => parent === around);
  // It was taken out of the list for the drag.
  if (item && !isConnected(item.node) && isWithin(hit, around)) return true;
  // Rows may be placed by their style alone.
  if (item?.rect && isWithin(hit, item.node) && hasPoint(rectOf(item.node), x, y) && !hasPoint(item.rect, x, y)) return true;
  if (!aimed || aimed.list !== around || isRoot(hit) || !isWithin(element, hit) || !isWithin(source, hit)) return false;
  // The target has gone from under the pointer towards where the item was, in a list that stands.
  const place = rectOf(around);
  if (place.x !== aimed.place.x || place.y !== aimed.place.y) return false;
  const [[fromX, fromY], [toX, toY], [thenX, thenY], [nowX, nowY]] = [from, box, aimed.box, rectOf(element)].map(centerOf);
  return (nowX - thenX) * (fromX - toX) + (nowY - thenY) * (fromY - toY) > 0;
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
  const { element, source, spot: { then, words }, from, box } = now;
  const hit = then && dropHit(now, x, y);
  if (!hit || (isConnected(element) && actAccepts(hit, element)) || isWithin(element, hit) || isSorted(now, hit, x, y)) return null;
  const came = [];
  for (let at = hit; at instanceof Element && !then.has(at) && !(source && isWithin(source, at)); at = flatParent(at)) {
    const said = wordsOfDragged(at);
    if ((said !== '' && words.includes(said)) || saysSameBut(now.words, said)) return null;
    if (said !== '' || matches(at, SHOWS)) came.push(at);
  }
  if (came.length === 0) return null;
  if (source && isConnected(source) && isConnected(element)) {
    const [went, plane] = [[source, from], [element, box]].map(([one, was]) => [rectOf(one).x - was.x, rectOf(one).y - was.y]);
    if (Math.hypot(...went) >= STEP_PX_MIN && went.every((way, axis) => Math.abs(way - plane[axis]) < STEP_PX_MIN)) return null;
  }
  return describe(came[0]);
};
// What would get the drop at this point instead of the target, described; null where the target would.
const dropCover = (now, x, y) => {
  if (now.spot) return spotCover(now, x, y);
  const { element } = now;
  const hit = dropHit(now, x, y);
  if (!isConnected(element)) return describe(hit ?? documentRoot());
  if (!hit) return 'the edge of the window';
  return actAccepts(hit, element) || isSorted(now, hit, x, y) ? null : describe(actCoverRoot(hit, element));
};
// The same, or that the target is no longer what was meant.
const dropStop = (now, x, y) => {
  if (now.carried.some((one) => isOtherEntry(one, now.element))) return `${describe(now.source)}, which is another entry by now,`;
  if (targetStays(now)) return dropCover(now, x, y);
  now.is ??= identityOf(now.element);
  return `${describe(now.element)}, which had changed,`;
};
// Whether the drop would come to the target, at a point of this document; from now on what comes there is checked.
kit.dropReady = (x, y) => {
  const now = dropping;
  if (!now) return { by: 'another document' };
  now.until = performance.now() + GUARDED_MS;
  // What was stopped before was on its way to where the target had been.
  if (!now.done) now.by = null;
  globalThis.portholeHear();
  globalThis.portholeGuard = checkDrop;
  noteWay(now);
  const by = dropStop(now, x, y);
  return { by, is: now.is };
};
const stopEvent = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};
const checkDrop = (event) => {
  const now = dropping;
  const isDrop = DROPS.has(event.type);
  if (!now || !event.isTrusted || !(isDrop || RELEASES.has(event.type))) {
    // The click of a release that was stopped.
    if (now && now.by !== null && event.isTrusted && CLICKS.has(event.type)) return stopEvent(event);
    return isDrop ? undefined : check(event);
  }
  if (event.timeStamp > now.until) return dropEnds();
  // What the page makes of the first release that it got is the page's.
  if (!now.done) {
    try { now.by ??= dropStop(now, event.clientX, event.clientY); } catch { now.by ??= 'what could not be told'; }
  }
  if (now.by === null) {
    now.done ||= event.type === 'drop' || RELEASES.has(event.type);
    renewEffects();
    return isDrop ? undefined : check(event);
  }
  if (isDrop && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  stopEvent(event);
};
const endChecks = () => {
  if (globalThis.portholeGuard === checkDrop) globalThis.portholeGuard = guarded ? check : undefined;
};
// The drop is over: what would have got it, if that was not the target, whether the target got it, and whether something
// draggable began no drag. What changes is counted until `dropChanged`.
kit.dropEnds = () => {
  const { by = null, is = null, done = false, isDraggable = false } = dropping ?? {};
  endChecks();
  return { by, is, done, unbegun: isDraggable && !dragHeard };
};
kit.dropChanged = () => {
  // What a canvas draws can't be compared.
  const changed = watched?.isOnCanvas || (dropping?.hasChanged() ?? true);
  dropped = dropping;
  dropEnds();
  return changed;
};
// Whether what went along with the pointer is back where it was, and nothing else is another than before, once the page has settled.
kit.dropReturned = () => {
  const was = dropped;
  dropped = null;
  if (!was?.wentAlong || !isConnected(was.source) || !isConnected(was.element)) return false;
  const [{ parent, beside }] = was.chain;
  const isBack = parentNodeOf(was.source) === parent && siblingsOf(was.source).every((one, way) => one === beside[way]);
  const stands = [[was.source, was.from], [was.element, was.box]].every(([one, { x, y, width, height }]) => {
    const now = rectOf(one);
    return Math.abs(now.x - x) <= 1 && Math.abs(now.y - y) <= 1 && Math.abs(now.width - width) <= 1 && Math.abs(now.height - height) <= 1;
  });
  return isBack && stands && was.page === pageNow(was.element) && was.values === valuesNow();
};
kit.dropLeaves = () => {
  dropped = null;
  endChecks();
  dropEnds();
};
// What was said around source and target before a drag that has failed, to be compared once it is let go.
let saidBefore = null;
kit.dropMoved = () => saidBefore !== null && saidBefore.hash !== hashOfText(saidBefore.list);
// The drag has failed: what was scrolled for it goes back, and the release that is to come clicks nothing here.
kit.dropAborts = () => {
  saidBefore = dropping?.said ?? null;
  for (const [element, left, top] of dropping?.scrolls ?? []) {
    if (leftScrolled(element) !== left || topScrolled(element) !== top) scrollElement(element, { left, top, behavior: 'instant' });
  }
  endChecks();
  dropEnds();
  unclickedUntil = performance.now() + GUARDED_MS;
  globalThis.portholeHear();
  globalThis.portholeGuard = stopClicks;
};
const stopClicks = (event) => {
  if (!event.isTrusted || !CLICKS.has(event.type)) return;
  if (event.timeStamp <= unclickedUntil) return stopEvent(event);
  if (globalThis.portholeGuard === stopClicks) globalThis.portholeGuard = undefined;
};
