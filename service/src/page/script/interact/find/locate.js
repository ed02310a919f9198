// What a plan comes to in this document, and waiting until it comes to something else.
//
// A plan is `{ tries, lenient, visible, enabled, doing }`: chains (see search.js), of which the first that matches
// counts, or `{ element }`, the number of one element. `lenient` ones may be in the wrong language. `doing`: what
// is to be done with it, `click`, `type` or `other`.

// No evaluation begins earlier than this many times what the last one took after it.
const EVALUATION_REST = 3;
// Without a sign of change an evaluation follows all the same: style sheets and timers leave none.
const UNTOLD_MIN_MS = 16, UNTOLD_MAX_MS = 250;
// How long a frame is waited for, where the browser draws none.
const FRAME_MAX_MS = 50;
const SIGNS = ['input', 'change', 'toggle', 'load', 'resize', 'scroll', 'transitionend', 'animationend', 'slotchange'];
const STANDS_FOR = 'input[type=checkbox], input[type=radio], input[type=file]';

// A box that is drawn by its label is seen where its label is, and an editor where its text is drawn.
function shownBy(element) {
  if (isVisible(element)) return element;
  const drawing = drawingOf(element);
  if (drawing && isVisible(drawing.surface)) return drawing.surface;
  if (!dom.matches(element, STANDS_FOR)) return null;
  for (const label of element.labels ?? []) if (isVisible(label)) return label;
  return null;
}

function isEnabled(element) {
  if (isDisabled(element) || dom.closest(element, 'button:disabled, option:disabled, select:disabled')) return false;
  const control = element instanceof HTMLLabelElement ? element.control : null;
  return !control || !isDisabled(control);
}

// What is read must be there to see: a message that is drawn beforehand, or has faded away, is not.
const isOpaque = (element) => Element.prototype.checkVisibility.call(element, { opacityProperty: true });
// Whether it is a part that no one sees of a control that is seen: the other icon of a button with two.
const isUnseenPart = (element) => {
  // What has no box of its own is as opaque as what it is in.
  const control = styleOf(element).display === 'contents' ? null : dom.closest(element, IN_BUTTON);
  return control !== null && control !== element && isOpaque(control);
};
// The first that is seen, not hidden from assistive technology, and enabled; else the first seen, else the first of those that
// are rendered at all, else the first. Of those that are alike in that, one that is written as the target is, and of those in one
// list one in view. Where a dialog or a popup stands before that one, those in it are meant, and where a list is open, its options.
function preferred(elements, step, doing) {
  const best = bestOf(elements, step);
  if (doing === 'click' && best?.shown === null) return optionOf(elements, step) ?? best;
  const select = openSelect(), options = select === null ? [] : elements.filter(element => isInside(element, select));
  // Its options are drawn outside of the page.
  if (options.length > 0) return { ...bestOf(options, step), shown: select };
  const before = elements.length > 1 && best.shown !== null ? dialogBefore(best.shown) ?? openList() ?? popupBefore(best.shown) : null;
  const inside = before ? elements.filter(element => isInside(element, before)) : [];
  const other = inside.length > 0 ? bestOf(inside, step) : null;
  return other?.shown && isSeen(other.shown) ? other : best;
}
// An option of a select that is drawn, which a click chooses; null where there is none.
function optionOf(elements, step) {
  const selectOf = (element) => (element instanceof HTMLOptionElement ? dom.closest(element, 'select') : null);
  const options = elements.filter(element => selectOf(element) !== null && isVisible(selectOf(element)));
  if (options.length === 0) return null;
  const best = bestOf(options, step);
  return { ...best, shown: selectOf(best.element) };
}
// How many matches are looked at more closely.
const LOOKED_AT_MAX = 50;
const RANKS = { shown: 16, seen: 8, told: 4, enabled: 2, written: 1 };
const SCROLLS = /auto|scroll/;
// The nearest box around an element that can be scrolled, other than the page, where the element's middle is scrolled out of
// it; else null.
function scrollerAway(element) {
  const { left, top, width, height } = dom.box(element);
  const [x, y] = [left + width / 2, top + height / 2];
  let { position } = getComputedStyle(element);
  for (let at = drawnParent(element), up = 0; at && up < 200 && position !== 'fixed'; at = drawnParent(at), up++) {
    if (at === documentBody() || at === documentRoot()) return null;
    const { overflowX, overflowY, position: own } = getComputedStyle(at);
    // What is placed by an element further out does not scroll with this one.
    if (position === 'absolute' && own === 'static') continue;
    position = own;
    if (!SCROLLS.test(overflowX) && !SCROLLS.test(overflowY)) continue;
    const box = dom.box(at);
    return x < box.left || x > box.right || y < box.top || y > box.bottom ? at : null;
  }
  return null;
}
// Of a list whose entries are alike, as the months of a calendar, the one is meant that is in view.
function inViewOf(best, ranked) {
  const scroller = best?.shown ? scrollerAway(best.shown) : null;
  const isAlike = (one) => one.rank === best.rank && one.shown !== null && isInside(one.shown, scroller) && scrollerAway(one.shown) === null;
  return scroller === null ? best : ranked.find(isAlike) ?? best;
}

// What covers an element's middle; null where nothing does.
function hitBefore(element) {
  const { left, top, width, height } = dom.box(element);
  const hit = Document.prototype.elementFromPoint.call(document, left + width / 2, top + height / 2);
  return hit === null || contains(element, hit) ? null : hit;
}
// The dialog that covers an element's middle, itself or by what is drawn around it, and that the element is not in; null where none
// does.
function dialogBefore(element) {
  const hit = hitBefore(element), dialog = hit && dom.closest(hit, DIALOGS);
  if (hit === null || dialog) return dialog && !isInside(element, dialog) ? dialog : null;
  let cover = null;
  for (let at = hit; at instanceof Element && !isInside(element, at); at = drawnParent(at)) cover = at;
  return cover && [...queryAll(cover, DIALOGS)].slice(0, LOOKED_AT_MAX).find(isVisible) || null;
}
// What lies over all of an element and moves with the page, such as the list of a cell's editor; null where nothing does. What is
// fixed to the window no longer lies there once the page has been scrolled.
const OVER_POINTS = [[1 / 2, 1 / 2], [1 / 6, 1 / 6], [5 / 6, 1 / 6], [1 / 6, 5 / 6], [5 / 6, 5 / 6]];
function popupBefore(element) {
  let popup = null;
  for (let at = hitBefore(element); popup === null && at instanceof Element && !isInside(element, at); at = drawnParent(at)) {
    const { position } = getComputedStyle(at);
    if (position === 'fixed' || position === 'sticky') return null;
    if (position === 'absolute') popup = at;
  }
  if (popup === null) return null;
  const { left, top, width, height } = dom.box(element);
  const isOver = ([along, down]) => {
    const hit = Document.prototype.elementFromPoint.call(document, left + along * width, top + down * height);
    return hit !== null && isInside(hit, popup);
  };
  return OVER_POINTS.every(isOver) ? popup : null;
}

// The select that was clicked last and is open; null where none is. One stays open in the browser's eyes after an option of it was set.
function openSelect() {
  const focused = focusedElement();
  return focused instanceof HTMLSelectElement && focused === selectClicked && dom.matches(focused, ':open') ? focused : null;
}
// The list of the field that has the focus, where that says that it is open.
const OPEN_FIELD = '[role=combobox][aria-expanded=true], [aria-haspopup][aria-expanded=true]';
function openList() {
  const focused = focusedElement(), field = focused && dom.closest(focused, OPEN_FIELD);
  if (!field) return null;
  const lists = ['aria-controls', 'aria-owns'].flatMap(name => byIds(field, name)).concat(byIds(focused, 'aria-controls'));
  return lists.find(isVisible) ?? null;
}

function bestOf(elements, step) {
  const written = step?.by === 'role' ? step.name : ['text', 'label'].includes(step?.by) ? step.value : null;
  // Those that have the case of the target, too, or of those that contain it those that say nothing else.
  const closer = elements.length > 1 && written ? { whole: 'case', contains: 'whole' }[step.mode] : undefined;
  const closest = closer === undefined ? null : new Texts(written, closer);
  const isWritten = (element) => closest.fit(textOf(element)) || closest.fit(nameOf(element));
  const most = Object.values(RANKS).reduce((sum, rank) => sum + rank) - (closest === null ? RANKS.written : 0);
  const ranked = [];
  let best = null;
  for (const element of elements) {
    const drawn = shownBy(element), enabled = isEnabled(element);
    const shown = drawn && !isOpaque(drawn) && (step?.mode === 'shown' || isUnseenPart(drawn)) ? null : drawn;
    let rank = (shown ? RANKS.shown : 0) + (shown && isSeen(shown) ? RANKS.seen : 0) + (enabled ? RANKS.enabled : 0);
    const isLookedAt = elements.length > 1 && ranked.length < LOOKED_AT_MAX;
    if (isLookedAt) {
      if (shown && !isKeptBack(shown)) rank += RANKS.told;
      if (closest !== null && isWritten(element)) rank += RANKS.written;
      ranked.push({ element, shown, enabled, rank });
    } else if (shown) rank += RANKS.told;
    if (best === null || rank > best.rank) best = { element, shown, enabled, rank };
    // One that is not looked at more closely would come to no more.
    if (!isLookedAt && best.rank >= RANKS.shown + RANKS.seen + RANKS.told + RANKS.enabled) break;
    if (ranked.length > 1 && best.rank === most && scrollerAway(best.shown) === null) break;
  }
  return inViewOf(best, ranked);
}

function boxOf(element) {
  let box = dom.box(element);
  if (box.width === 0 && box.height === 0) {
    const range = new Range();
    range.selectNodeContents(element);
    box = range.getBoundingClientRect();
  }
  return { x: box.left, y: box.top, width: box.width, height: box.height };
}

const takesText = (element) => dom.matches(element, TYPED_INTO) || (dom.tag(element) === 'label' && element.control !== null)
  || queryAll(element, TYPED_INTO).length === 1;

const IN_BUTTON = 'a[href], button, summary, [role=button], [role=link]';
// How many ancestors are checked for being clickable.
const CLICKABLE_UP_MAX = 3;
// Whether an element is a field, acts when it is clicked, or is in what does, as an icon is.
function isControl(element) {
  const role = roleOf(element), tag = dom.tag(element);
  if (ACTED_ON.has(role) || LABELABLE.has(tag) || dom.matches(element, TYPED_INTO)) return true;
  if (PANELS.has(role)) return false;
  if (isClickable(element, tag)) return true;
  for (let at = drawnParent(element), up = 0; at; at = drawnParent(at), up++) {
    if (dom.matches(at, IN_BUTTON)) return true;
    if (up >= CLICKABLE_UP_MAX) continue;
    if (!madeClickable.has(at)) madeClickable.set(at, isMadeClickable(at));
    if (madeClickable.get(at)) return true;
  }
  return false;
}
// Whether an element is made clickable, and is neither a panel nor has other controls in it: its words stand for it.
function isMadeClickable(element) {
  const tag = dom.tag(element);
  return tag !== 'label' && !PANELS.has(roleOf(element)) && isClickable(element, tag) && queryAll(element, FOCUSABLE).length === 0;
}
const isClickable = (element, tag) => {
  const outer = drawnParent(element);
  return clickable(element, tag, styleOf(element), { pointer: outer !== null && styleOf(outer).cursor === 'pointer' }) !== '';
};
// What was found so, while a plan is evaluated.
let madeClickable = new WeakMap();

// How many matches are looked at for what a click does.
const CONTROLS_AMONG_MAX = 100;
// Those of the found elements that can be meant. A word in a text is not the field that is to be typed into; and where the
// kind is to be guessed, a panel or a form is not the control that is called alike, such as its tab or its button.
function fittingOf(found, plan, steps) {
  if (plan.doing === 'type') {
    const fields = found.filter(takesText);
    // The list that a field opens is often called as the field is.
    const besideLists = fields.filter(element => !dom.matches(element, '[role=listbox]'));
    return besideLists.length > 0 ? besideLists : fields;
  }
  if (plan.doing === 'select') {
    const lists = found.filter(element => dom.tag((element instanceof HTMLLabelElement ? element.control : null) ?? element) === 'select');
    return lists.length > 0 ? lists : found;
  }
  const by = steps?.at(-1).by;
  // Where a heading and a button say the same, the button is clicked, and a box by its label.
  if (plan.doing === 'click' && by === 'text' && found.length > 1) {
    const controls = found.slice(0, CONTROLS_AMONG_MAX).filter(element => isControl(element) || dom.closest(element, 'label')?.control);
    // A hidden list for screen readers is no better than the one that is drawn.
    const isShown = (element) => shownBy(element) !== null;
    return controls.some(isShown) || (controls.length > 0 && !found.some(isShown)) ? controls : found;
  }
  return plan.lenient && ['label', 'name'].includes(by) ? found.filter(isControl) : found;
}

// Whether a value whose kind is to be guessed is a word that a person reads, and no selector: as CSS it would be any element of
// that name, and `Form` or `Menu` is one.
const isOnlyAWord = ({ by, value }) => /^[a-z][a-z0-9]*$/i.test(value) && (by === 'xpath' || (by === 'css' && /[A-Z]/.test(value)));

// Evaluates a plan: how many each try matched, and the element that is preferred of the try that counts.
function evaluate(plan, search) {
  const counts = [];
  let chosen = null;
  search.isGuess = plan.lenient;
  madeClickable = new WeakMap();
  const tries = plan.element === undefined ? plan.tries : [null];
  for (const [at, steps] of tries.entries()) {
    let found;
    const isNone = plan.lenient && steps !== null && isOnlyAWord(steps[0]);
    try { found = isNone ? [] : steps ? search.chain(steps) : [elementOf(plan.element)].filter(Boolean) }
    catch (error) {
      if (!(error instanceof Unfit)) throw error;
      if (!plan.lenient) return { invalid: error.what };
      found = [];
    }
    counts.push(found.length);
    const fitting = fittingOf(found, plan, steps);
    const step = steps?.at(-1);
    let best = preferred(fitting.length ? fitting : found, step, plan.doing);
    if (best === null) continue;
    // A field that is hidden is no better than what is shown, if no other kind is tried.
    if (!plan.lenient && best.shown === null) best = preferred(found, step, plan.doing);
    const isFree = best.shown !== null && inertBy(best.shown) === null;
    const counted = (isFree || !plan.visible) && fitting.length > 0;
    if (chosen === null || (counted && !chosen.counted)) chosen = { ...best, at, counted, fits: plan.doing !== 'type' || fitting.length > 0 };
    if (counted) break;
  }
  return { counts, chosen };
}

const said = (text, max) => text.slice(0, max).toWellFormed();

// What an evaluation comes to, as it is told.
function told(plan, search = new Search(plan.doing)) {
  const { invalid, counts, chosen } = evaluate(plan, search);
  if (invalid !== undefined) return { invalid: said(invalid, 1000), stamp: 'invalid' };
  // A frame that is not drawn shows nothing, although its own document takes its elements for visible.
  const isDrawn = frame => !plan.visible || Element.prototype.checkVisibility.call(frame, { visibilityProperty: true });
  const frames = plan.element === undefined ? search.frames().slice(0, plan.frames).filter(isDrawn).map(numberOf) : [];
  const outcome = { counts, frames, chosen: null, customs: 0 };
  if (chosen) {
    outcome.chosen = { at: chosen.at, number: numberOf(chosen.element), visible: chosen.shown !== null, enabled: chosen.enabled, fits: chosen.fits, is_frame: isFrame(chosen.element) };
  }
  outcome.stamp = JSON.stringify(outcome);
  return outcome;
}

kit.locate = (plan) => {
  const search = new Search(plan.doing);
  const outcome = told(plan, search);
  latestCustoms = unaskedBy(plan, search, outcome.chosen && elementOf(outcome.chosen.number));
  outcome.customs = latestCustoms.length;
  if (plan.element === undefined && !outcome.chosen?.visible) likelyHosts = hostsAmong([document, ...search.shadowRoots()]);
  else likelyHosts = [];
  outcome.hosts = likelyHosts.length;
  if (outcome.chosen) {
    const element = elementOf(outcome.chosen.number);
    foundAs.set(element, identityOf(element));
    const steps = plan.tries?.[outcome.chosen.at];
    if (steps) foundBy.set(element, () => matchesStill(element, steps, plan));
    Object.assign(outcome.chosen, { bounding_box: boxOf(shownBy(element) ?? element), ...calledAs(element, steps?.at(-1)?.by === 'text'),
      rival: hasRival(plan, search, outcome.chosen.at, element) });
  }
  return outcome;
};

// The role and the name of what is acted on: of a text in a button those of the button.
function calledAs(element, isText) {
  const own = { role: roleOf(element), name: said(nameOf(element), 200) };
  const control = isText && own.name === '' && ['generic', 'none'].includes(own.role) ? dom.closest(element, IN_BUTTON) : null;
  return control === null ? own : { role: roleOf(control), name: said(nameOf(control), 200) };
}

// Whether a target without a kind was found by an attribute that no one sees, and is what another control says.
const UNSEEN_KINDS = ['testid', 'placeholder', 'name'];
function hasRival(plan, search, at, element) {
  if (!plan.lenient || !UNSEEN_KINDS.includes(plan.tries?.[at]?.at(-1).by)) return false;
  const steps = plan.tries.find((one, nth) => nth > at && one.at(-1).by === 'text');
  if (!steps || new Texts(steps.at(-1).value, steps.at(-1).mode).fit(textOf(element))) return false;
  try {
    const others = search.chain(steps);
    return others.some(other => isVisible(other) && isControl(other) && !contains(element, other) && !contains(other, element));
  } catch { return false }
}

function matchesStill(element, steps, plan) {
  try { return new Search(plan.doing).chain(steps).includes(element) }
  catch { return false }
}

// What has to be known of custom elements before a plan's outcome counts: of the element that it comes to, and of all that may
// have the role that it looks for.
function unaskedBy(plan, search, chosen) {
  const isForRole = (plan.tries ?? []).some(steps => steps.some(step => step.by === 'role'));
  const unasked = new Set(isForRole ? search.pierce(document, unaskedIn) : []);
  if (chosen && !internals.has(chosen) && mayKeepInternals(chosen, dom.tag(chosen))) unasked.add(chosen);
  return [...unasked].slice(-INTERNALS_MAX);
}

const pause = (ms) => new Promise(resolve => setTimeout(resolve, ms));
const nextFrame = () => new Promise(resolve => {
  const timer = setTimeout(resolve, FRAME_MAX_MS);
  requestAnimationFrame(() => { clearTimeout(timer); resolve() });
});

// Tells when something may have changed: mutations and events of the document and its open shadow roots.
class Signs {
  constructor() {
    this.wake = () => {};
    this.came = false;
    const note = () => { this.came = true; this.wake() };
    this.observer = new MutationObserver(note);
    this.observed = new WeakSet();
    this.ending = new AbortController();
    for (const sign of SIGNS) EventTarget.prototype.addEventListener.call(window, sign, note, { capture: true, passive: true, signal: this.ending.signal });
  }

  observe(roots) {
    for (const root of roots) {
      if (this.observed.has(root)) continue;
      this.observed.add(root);
      this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  }

  // The next sign, or the end of the time.
  async next(ms) {
    if (!this.came) await Promise.race([new Promise(resolve => { this.wake = resolve }), pause(ms)]);
    this.came = false;
  }

  end() { this.observer.disconnect(); this.ending.abort() }
}

// Waits until a plan comes to something else than `stamp`, `ms` at most; whether it does.
kit.locateChanges = async (plan, stamp, ms) => {
  const until = performance.now() + ms;
  const signs = new Signs();
  let untold = UNTOLD_MIN_MS;
  try {
    for (;;) {
      const began = performance.now();
      const search = new Search(plan.doing);
      const now = told(plan, search);
      if (now.stamp !== stamp) return true;
      signs.observe([document, ...search.shadowRoots()]);
      const left = until - performance.now();
      if (left <= 0) return false;
      await pause(Math.min(left, EVALUATION_REST * (performance.now() - began)));
      await signs.next(Math.min(until - performance.now(), untold));
      await nextFrame();
      untold = Math.min(2 * untold, UNTOLD_MAX_MS);
    }
  } finally {
    signs.end();
  }
};

kit.url = () => location.href;

// Waits until the document's URL is another, `ms` at most.
kit.urlChanges = async (url, ms) => {
  const until = performance.now() + ms;
  const signs = new Signs();
  try {
    globalThis.navigation?.addEventListener('currententrychange', () => signs.wake(), { signal: signs.ending.signal });
    while (location.href === url && performance.now() < until) await Promise.race([signs.next(UNTOLD_MAX_MS), pause(until - performance.now())]);
  } finally {
    signs.end();
  }
  return location.href;
};
