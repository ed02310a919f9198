// Checks an action's events as they come. What comes for another element than was meant is swallowed, before any
// listener of the page's.

const CLICKS = new Set(['click', 'auxclick', 'dblclick', 'contextmenu']);
const ENDS_PRESS = new Set(['click', 'auxclick']);
const KEYS = new Set(['keydown', 'keypress', 'keyup', 'beforeinput', 'textInput', 'paste']);
// Longer than a call may take (60 s), so that input which the page takes late is checked too. The end of a call ends the
// check sooner; the bound is for a service that was killed.
const GUARDED_MS = 70_000;
// The action under way: `{element, isKeys, until, seen, by, first, reached, done, lost}`. `reached` counts presses or keys
// that came to the element, `done` its clicks. `by` is what would have got the first one: nothing has happened. `lost` is
// what would have got a later one. `pressedIn` is the button in the element that was pressed. `hasMenu`: the press of another
// button came as `contextmenu`, too. `control` is that of its `label`, `nested` the control inside it that the point is on,
// `under` the innermost element there.
// Of keys: `stays()`, whether the element is still what it was, and `changed`, that it was not; `down`, the keydown of a key
// that has typed nothing yet; where `follows`, a key may type elsewhere, which is `followed`.
// Without an element nothing may come here, since the input is for a frame. What was sent before `until` is checked however
// late the page takes it.
let guarded = null;

const guard = (element, isKeys, { nested = null, under = null, stays = staysInRow, follows = false } = {}) => {
  unguard();
  // What comes now is meant for this document, which may have held its keys since it began.
  globalThis.portholeRelease?.();
  dragged = false;
  const label = element && !isKeys ? labelAround(element) : null;
  guarded = {
    label, control: label && controlOfLabel(label), nested, under,
    element, isKeys, until: performance.now() + GUARDED_MS, seen: false, by: null, first: null, pressedIn: null, reached: 0, done: 0, lost: null, hasMenu: false,
    stays, follows, followed: null, down: null, wentDown: false, changed: false, stops: false, ended: false, counted: null, hosts: [], roots: [], openings: new MutationObserver(globalThis.portholeHear),
  };
  globalThis.portholeHear();
  globalThis.portholeGuard = check;
  // `document.open` takes our listeners away; its changes are told before the next event comes.
  guarded.openings.observe(document, { childList: true });
  if (!element || isKeys) return;
  // The window sees the host of a closed shadow root alone.
  let isHidden = false;
  const around = [];
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) around.unshift(root);
  for (const root of around) {
    isHidden ||= root.mode === 'closed';
    if (!isHidden) continue;
    guarded.hosts.push(root.host);
    guarded.roots.push(root);
    for (const type of CLICKS) listen(root, type, checkInside, { capture: true, passive: false });
  }
};
// Checks a click inside a closed shadow root: the window took it for one of its host.
const checkInside = (event) => {
  const now = guarded;
  const [target] = event.composedPath();
  if (!now || !event.isTrusted || now.hosts.includes(target)) return;
  if (getsClick(target, now)) return countClick(event, now);
  refuse(now, told(target));
  event.preventDefault();
  event.stopImmediatePropagation();
};

// Whether the page gets the event.
const check = (event) => {
  const now = guarded;
  // Where a drag is let go is the matter of drop.js; a drag to a point may end anywhere.
  if (!now || !event.isTrusted || DROPS.has(event.type) || now.isKeys !== KEYS.has(event.type) || event.type === 'mouseover') return true;
  if (event.timeStamp > now.until) {
    unguard();
    return true;
  }
  let goesOn = false;
  try { goesOn = now.isKeys ? judgeKey(event, now) : judge(event, now); } catch { refuse(now, 'what could not be told'); }
  now.seen = true;
  if (goesOn) return true;
  event.preventDefault();
  event.stopImmediatePropagation();
  return false;
};
// Notes what an event would have gone to instead of the element, and stops those that come next, which belong to it. Returns
// that the page may not have it.
const refuse = (now, what) => {
  if (now.reached === 0) now.by ??= what;
  else now.lost ??= what;
  now.stops = true;
  return false;
};
// The button or link in an element that a node of it is in.
const buttonIn = (target, element) => {
  let button = null, at = target;
  for (; at instanceof Element && at !== element; at = flatParent(at)) if (isButton(at)) button ??= at;
  return at === element ? button : null;
};
const told = (target) => describe(target instanceof Element ? target : document.documentElement);

// Whether the page may have the event.
const judge = (event, now) => {
  const [target] = event.composedPath();
  if (now.stops) return false;
  if (!now.element) return event.type.endsWith('up') || refuse(now, told(target));
  if (event.type === 'pointerdown' || (event.type === 'mousedown' && !now.first)) {
    const by = actCover(now.element, event.clientX, event.clientY);
    if (by !== null) return refuse(now, by);
    // A locked or captured pointer's events come to another element than is at the point.
    if (!belongs(target, now)) return refuse(now, told(target));
    if (!staysMeant()) return refuse(now, `${told(now.element)}, which had changed,`);
    // What lay there before may get another cursor as the pointer comes.
    const isNew = innermostAt(event.clientX, event.clientY) !== now.under;
    const nested = nestedAt(now.element, event.clientX, event.clientY, isNew && isByCursor(now.element));
    if (nested !== null && nested !== now.nested) return refuse(now, describe(nested));
    now.first = target;
    now.pressedIn = buttonIn(target, now.element);
    now.reached++;
    notePress();
    return true;
  }
  if (event.type === 'pointerup' || event.type === 'mouseup') {
    // A press that came must be let go, wherever that is.
    if (!now.hasMenu && !belongs(target, now)) now.lost ??= told(target);
    return true;
  }
  // What the release of the button comes to then is the menu.
  if (now.hasMenu && ENDS_PRESS.has(event.type) && !getsClick(target, now)) return false;
  if (!CLICKS.has(event.type)) return belongs(target, now) || refuse(now, told(target));
  // As the press came, what had the focus until then may have changed the page.
  if (ENDS_PRESS.has(event.type) && now.done < now.reached && !dragged && !staysMeant()) return refuse(now, `${told(now.element)}, which had changed,`);
  if (now.hosts.includes(target)) return true;
  if (!getsClick(target, now)) return refuse(now, told(target));
  // A button that has come up in it since the press.
  const button = buttonIn(target, now.element);
  if (button !== null && button !== now.pressedIn) return refuse(now, describe(button));
  countClick(event, now);
  return true;
};
const countClick = (event, now) => {
  if (event.type === 'contextmenu') now.hasMenu = true;
  if (!ENDS_PRESS.has(event.type) || now.counted === event) return;
  now.counted = event;
  now.done++;
  if (now.done >= heardOf.count) heardOf.tell(null);
};
// Who waits for so many clicks to come, or for none to come any more. The answer is sent before the page's listeners get the
// click, which may have the document go.
let heardOf = { count: 0, tell: () => {} };
kit.clickHeard = (count) => {
  heardOf.tell(null);
  return new Promise((resolve) => {
    if ((underGuard()?.done ?? 0) >= count) resolve(null);
    else heardOf = { count, tell: resolve };
  });
};
// A click comes to what is common to press and release. Where that is an element around the one that was meant, it is no
// click of that one. After a drag it says nothing.
const getsClick = (target, now) => belongs(target, now)
  && (dragged || !(target instanceof Element) || target === now.element || !isWithin(now.element, target) || actAccepts(target, now.element));
// Input may come to an element around the one that was meant.
const belongs = (target, { element, first, label, control }) => {
  if (!(target instanceof Element)) return true;
  // One that the label has become for since.
  if (label && !(first && isWithin(first, target)) && isGivenByLabel(target, label, control, element)) return false;
  if (actAccepts(target, element) || isWithin(element, target) || (first && isWithin(first, target) && actAccepts(first, element))) return true;
  return control !== null && control === target;
};

// Whether a key does what a click on the element does.
const isActivating = (element, key) => (key === 'Enter' || key === ' ') && !actFieldKind(element);

// A key belongs to what has the focus when it goes down; what the page makes of that, such as going to the next field, is
// the page's. What the key types belongs to the same element.
const judgeKey = (event, now) => {
  const [target] = event.composedPath();
  // A key that went down here must come up. What Enter does comes with `keypress`, what the space bar does with `keyup`.
  const acts = event.type === 'keyup' ? event.key === ' ' : event.type === 'keypress' && event.key === 'Enter';
  const hasChanged = now.first !== null && acts && isActivating(now.element, event.key) && isHere(now.element) && !staysMeant();
  if (hasChanged && hasKeys(now.element, target)) return refuse(now, `${told(now.element)}, which had changed,`);
  if (event.type === 'keyup') return now.first !== null;
  if (now.stops || !now.element) return refuse(now, told(target));
  if (!hasKeys(now.element, target)) return letFollow(event, target, now) || refuse(now, told(target));
  if (now.reached === 0 && !judgeFirstKey(event, target, now)) return refuse(now, told(target));
  // A list may have given the field to another entry since the key before.
  if (now.reached > 0 && (event.type === 'keydown' || event.type === 'beforeinput') && isInAnothers(watched?.row)) return refuse(now, ROW_OF_ANOTHER);
  now.first ??= target;
  if (event.type === 'keydown' && types(event)) [now.down, now.wentDown] = [event, true];
  if (event.type === 'keypress') now.down = null;
  if (event.type === 'beforeinput') checkAfter(event, target, now);
  if (event.type !== 'keydown' || !['Alt', 'Control', 'Meta', 'Shift'].includes(event.key)) now.reached++;
  return true;
};
// Judges the first key, and notes whether the element has changed. A key that activates does so to what the element was shown
// as, and to no button inside it.
const judgeFirstKey = (event, target, now) => {
  const { element } = now;
  const activates = event.type === 'keydown' && isActivating(element, event.key);
  now.changed = !(activates ? staysMeant() : now.stays());
  return !now.changed && !(activates && target !== element && actsByItself(element) && isButton(target));
};
// Whether a key that goes down types something, if the page lets it.
const types = ({ key, altKey, ctrlKey, metaKey }) => (key === 'Enter' || key.length === 1) && !altKey && !ctrlKey && !metaKey;
// Lets what a key types follow the focus, and notes where to: it goes where the page puts the focus as the key goes down, as a
// person's key would. Cells of a table and pages that search as one types do so. But into fields alone whose text is shown: it
// neither activates nor chooses.
const TYPES = new Set(['keypress', 'textInput', 'beforeinput']);
const letFollow = (event, target, now) => {
  if (!now.follows || !now.wentDown || now.lost !== null || !TYPES.has(event.type)) return false;
  // Where nothing has the focus a key does nothing.
  if ((target === documentBody() || target === documentRoot()) && actFieldKind(target) === null) {
    now.down = null;
    return true;
  }
  if (event.key === 'Enter' || (event.type === 'beforeinput' && event.inputType !== 'insertText')) return false;
  if (!(target instanceof Element) || !['text', 'content'].includes(actFieldKind(target)) || isSecret(target) || actReadOnly(target)) return false;
  now.followed ??= describe(target);
  now.down = null;
  return true;
};
// What is typed goes to what has the focus once the page has heard of it: checked after the page's listeners, too.
const checkAfter = (event, target, now) => {
  const after = (later) => {
    if (later !== event || event.defaultPrevented || hasFocus(now.element)) return;
    refuse(now, describe(focused()));
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const on of [target, window]) listen(on, 'beforeinput', after, { once: true });
};
// Whether an event for `target` is one for the element: inside it, or at the host that is all one sees of a closed shadow
// root, or at the editable element that it is a part of.
const hasKeys = (element, target) => {
  if (isWithin(target, element)) return true;
  if (!isConnected(element)) return false;
  const active = activeIn(rootOf(element));
  if (target === active) return actFieldKind(element) === 'content' && actFieldKind(target) === 'content' && isWithin(element, target);
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) {
    if (root.host === target) return active !== null && (isWithin(active, element) || isWithin(element, active));
  }
  return false;
};

// Whether the element, or what it is a part of, has the focus.
const hasFocus = (element) => {
  if (!isConnected(element)) return false;
  const active = activeIn(rootOf(element));
  return active === element || (active instanceof HTMLElement && isEditable(active) && actFieldKind(element) === 'content' && isWithin(element, active));
};
// Focuses the element, or the whole editable element that it is a part of.
const giveFocus = (element) => {
  let meant = element;
  if (actFieldKind(element) === 'content') {
    for (let at = flatParent(element); at instanceof HTMLElement && isEditable(at); at = flatParent(at)) meant = at;
  }
  (meant instanceof HTMLElement ? focusOn : bound(SVGElement.prototype.focus))(meant, { preventScroll: true });
};
const ROW_OF_ANOTHER = 'the field of another row';
// What came of the keys so far, and where the focus is.
kit.keyed = (number) => {
  const element = elementOf(number);
  const now = underGuard();
  const { by, lost, reached, followed, changed, down } = now ?? { by: null, lost: null, reached: 0, followed: null, changed: false, down: null };
  const field = now?.element ?? element;
  // A list may have given the field to another entry, with the focus.
  const taken = isInAnothers(watched?.row) ? ROW_OF_ANOTHER : null;
  const moved = by ?? lost ?? taken ?? (field && !(isConnected(field) && hasFocus(field)) ? describe(focused()) : null);
  // The browser itself types nothing where another frame has got the focus.
  const isDropped = Boolean(now?.follows && moved !== null && down && !down.defaultPrevented);
  return { moved, gone: Boolean(field && !isConnected(field) && actFieldKind(field)), reached: reached > 0, stopped: (by ?? lost) !== null || isDropped, followed, is: changed && meant !== null && isHere(meant.element) ? identityOf(meant.element) : null };
};

// Input that was sent until now, and may be taken later by a page that a dialog or its own script holds, is checked still.
const endGuard = () => {
  if (guarded) Object.assign(guarded, { until: Math.min(guarded.until, performance.now()), ended: true });
};
const underGuard = () => (guarded && !guarded.ended ? guarded : null);
// How many presses came to the element so far; null where nothing is checked. Once the page's zero-delay timers are over, and the
// frame that it has asked for: pages defer their handling of a hover or a press by them, and no person lets go sooner.
kit.pressed = async () => {
  if (underGuard()?.reached) await askedComes();
  return underGuard()?.reached ?? null;
};
const unguard = () => {
  guarded?.openings.disconnect();
  for (const root of guarded?.roots ?? []) {
    for (const type of CLICKS) EventTarget.prototype.removeEventListener.call(root, type, checkInside, { capture: true });
  }
  guarded = null;
  globalThis.portholeGuard = undefined;
};
