// Where a drag is let go: judged as its events come, as guard.js does it for presses, by drop_cover.js.

const DROPS = new Set(['dragenter', 'dragover', 'drop']);
const RELEASES = new Set(['pointerup', 'mouseup']);
const STEP_PX_MIN = 4;
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

const dropEnds = () => {
  dropping?.end();
  dropping = null;
  unclickedUntil = Math.min(unclickedUntil, performance.now());
};
const centerOf = (rect) => [rect.x + rect.width / 2, rect.y + rect.height / 2];
const siblingsOf = (node) => [previousOf(node), nextOf(node)];
const chainOf = (element) => {
  const chain = [];
  for (let at = element; at && chain.length < ANCESTORS_MAX; at = parentNodeOf(at)) chain.push({ node: at, parent: parentNodeOf(at), beside: siblingsOf(at), rect: at instanceof Element ? rectOf(at) : null });
  return chain;
};
// A drag begins, before its press. `source` is 0 where that is in another document. `asked` is `{shown, found}` as for
// `ready`, of the target alone.
kit.dropBegins = (number, source, asked) => {
  dropEnds();
  const hit = elementOf(number);
  if (!hit) return { ...GONE, what: 'the target' };
  const dragging = source ? elementOf(source) : null;
  const spot = asked?.at ? spotAt(hit, dragging, ...asked.at) : null;
  const control = spot?.then ? controlAround(hit) : null;
  const isControl = control !== null && staysAsIs(control);
  const element = isControl ? control : hit;
  const shown = spot !== null || asked?.found ? foundAs.get(element) : asked?.shown;
  const is = shown || isControl ? identityOf(element) : null;
  if (shown && spot === null && !(isAsShown(element, is, shown) && (!asked.shown || saysAsShown(element)))) return lacks('same', element, { is });
  const meaning = isControl || (shown && spot === null) ? meaningOf(element, is) : null;
  if (meaning) meaning.standing = standingOf(element);
  if (meaning && asked.shown && shown.name === '') meaning.name = '';
  dropping = {
    element, spot, meaning, source: dragging, words: dragging && wordsOfDragged(dragging), from: dragging && rectOf(dragging),
    carried: dragging ? carriedOf(dragging) : [], chain: dragging ? chainOf(dragging) : [], holds: dragging !== null && isWithin(dragging, element), box: rectOf(element),
    isDraggable: dragging !== null && closest(dragging, '[draggable=true i]') !== null,
    said: null, aimed: null, late: null, scrolls: null, added: new WeakSet(), at: null, under: new Map(), by: null, is: null, done: false, until: 0, changes: 0, wentAlong: false, copy: null,
  };
  dragHeard = false;
  forgetCarried();
  const list = listOfBoth(dropping) ?? documentRoot();
  dropping.said = { list, hash: hashOfText(list) };
  // What is in another document is not looked for afterwards.
  if (dragging) dropping.page = pageNow(element);
  watchDrop(dropping);
  return {};
};
// Whether the target is still what it was shown or found as. What is dragged may leave the target, which a list's words tell.
const targetStays = ({ element, meaning, holds, words, source }) => {
  if (meaning === null || !isConnected(element)) return true;
  const now = meaningOf(element, identityOf(element));
  // A list may take what is dragged on its way.
  const hasTaken = (one) => one === element && ((source !== null && isWithin(source, element)) || (words !== '' && textOf(element).slice(0, COPY_CHARS_MAX).includes(words)));
  if (now.role !== meaning.role || !staysInRow(meaning, hasTaken)) return false;
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
  if (!now || !isConnected(now.element)) return { ...GONE, what: 'the target, which left the page during the drag (`at` names a point)' };
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
  dropping.aimed = { box: rectOf(dropping.element), list, place: list && rectOf(list), home: home instanceof Element ? rectOf(home) : null, around: placesAround(dropping.element), scrolls: scrollsAround(dropping.element) };
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

// The same, or that the target is no longer what was meant.
const dropStop = (now, x, y) => {
  if (carriedInstead !== null) return carriedInstead;
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
  // Libraries make it draggable by the press.
  now.isDraggable ||= now.source !== null && isConnected(now.source) && closest(now.source, '[draggable=true i]') !== null;
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
    if (!isDrop) check(event);
    return;
  }
  if (event.timeStamp > now.until) return dropEnds();
  // What the page makes of the first release that it got is the page's.
  if (!now.done) {
    try { now.by ??= dropStop(now, event.clientX, event.clientY); } catch { now.by ??= 'what could not be told'; }
  }
  if (now.by === null) {
    renewEffects();
    if (isDrop || check(event)) now.done ||= event.type === 'drop' || RELEASES.has(event.type);
    // Another press came meanwhile, with which the release was stopped.
    else now.by = guarded?.lost ?? guarded?.by ?? 'another press';
    return;
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
kit.dropLeaves = () => {
  dropped = null;
  endChecks();
  dropEnds();
};
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
