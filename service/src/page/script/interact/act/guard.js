// Checks the events of an action as they come. An event for another element than the one that was meant is swallowed before the
// page's listeners get it.

const CLICKS = new Set(['click', 'auxclick', 'dblclick', 'contextmenu']);
const ENDS_PRESS = new Set(['click', 'auxclick']);
const KEYS = new Set(['keydown', 'keypress', 'keyup', 'beforeinput', 'textInput', 'paste']);
// How long events are checked: longer than a call may take (60 s), so that input which the page takes late is checked, too. The
// end of a call ends the check sooner. This bound is for the case that the service was killed.
const GUARDED_MS = 70_000;
// The action under way, or null. All actions have:
// - `element`: what the input is for. Null where it is for an element of another frame: then none may come to this document.
// - `isKeys`: whether the input is keys and text; else it is the mouse's.
// - `until`: input that was sent before this time is checked, however late the page takes it. `ended`: the action is over.
// - `seen`: whether any event of the input has come.
// - `reached`: how many presses or keys have come to the element. `done`: how many clicks have.
// - `first`: the target of the first one.
// - `by`: what would have got the first event instead of the element, so that nothing has happened. `lost`: what would have got
//   a later one. After either, `stops`: no other event gets through.
// Of the mouse:
// - `label`: the label around the element. `control`: that label's control.
// - `nested`: the control inside the element that is at the point. `under`: the innermost element at the point.
// - `pressedIn`: the button inside the element that was pressed. `pressedAround`: what was pressed, and what it was in, inside the
//   element.
// - `hasMenu`: whether a context menu was opened, by the press of another button.
// - `counted`: the event that was last counted as a click, which is heard at the window and in closed shadow roots.
// - `roots`: the closed shadow roots around the element, and the roots inside these. `hosts`: their hosts.
// Of keys:
// - `stays()`: whether the element is still what it was. `changed`: it was not as the first key came.
// - `down`: the keydown of a key that has typed nothing yet. `wentDown`: whether there was any. `left`: whether the element had
//   left the page before the key would have activated it.
// - `follows`: whether what a key types may go to another field, to which the page moves the focus. `followed`: that field.
let guarded = null;

const guard = (element, isKeys, { nested = null, under = null, stays = staysInRow, follows = false } = {}) => {
  unguard();
  // The input that comes now is meant for this document. It may have held back all keys since it began.
  globalThis.portholeRelease?.();
  dragged = false;
  const label = element && !isKeys ? labelAround(element) : null;
  guarded = {
    label, control: label && controlOfLabel(label), nested, under,
    element, isKeys, until: performance.now() + GUARDED_MS, seen: false, by: null, first: null, pressedIn: null, pressedAround: new Set(), reached: 0, done: 0, lost: null, hasMenu: false,
    stays, follows, followed: null, down: null, wentDown: false, left: false, changed: false, stops: false, ended: false, counted: null, hosts: [], roots: [], openings: new MutationObserver(globalThis.portholeHear),
  };
  globalThis.portholeHear();
  globalThis.portholeGuard = check;
  // `document.open` takes our listeners away; its changes are told before the next event comes.
  guarded.openings.observe(document, { childList: true });
  if (!element || isKeys) return;
  // Listeners of the window get the host as the target of what happens in a closed shadow root.
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
// Checks a click inside a closed shadow root, which the window's listener let through as one on the root's host.
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
  // The drop of a drag is checked by drop.js.
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
// Notes what would have got an event instead of the element. The events that follow belong to it, and are stopped, too. Returns
// false: the page does not get the event.
const refuse = (now, what) => {
  if (now.reached === 0) now.by ??= what;
  else now.lost ??= what;
  now.stops = true;
  return false;
};
// The innermost button or link inside an element that a node is or is in.
const buttonIn = (target, element) => {
  let button = null, at = target;
  for (; at instanceof Element && at !== element; at = flatParent(at)) if (isButton(at)) button ??= at;
  return at === element ? button : null;
};
// Whether what was pressed was in a control that is called by its words, and has only got its role since, as the entry that the
// arrow keys lead to.
const wasPressed = (control, { pressedAround }) => pressedAround.has(control) && !hasAuthorName(control);
const elementsAround = (target, element) => {
  const around = new Set();
  for (let at = target; at instanceof Element && at !== element; at = flatParent(at)) around.add(at);
  return around;
};
const told = (target) => describe(target instanceof Element ? target : document.documentElement);

// Whether the page gets an event of the mouse.
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
    // As the pointer comes, the page may give another cursor to what was at the point before. That makes it no other control.
    const isNew = innermostAt(event.clientX, event.clientY) !== now.under;
    const nested = nestedAt(now.element, event.clientX, event.clientY, isNew && isByCursor(now.element));
    if (nested !== null && nested !== now.nested && !wasPressed(nested, now)) return refuse(now, describe(nested));
    now.first = target;
    now.pressedIn = buttonIn(target, now.element);
    now.pressedAround = elementsAround(target, now.element);
    now.reached++;
    notePress();
    return true;
  }
  if (event.type === 'pointerup' || event.type === 'mouseup') {
    if (belongs(target, now)) return true;
    // Where the press opened a context menu under the pointer, the release would choose from it.
    if (now.hasMenu) return false;
    // Else it gets through, wherever it goes to: the page would believe the button still held.
    now.lost ??= told(target);
    return true;
  }
  // Where the press opened a context menu, the release goes to that menu.
  if (now.hasMenu && ENDS_PRESS.has(event.type) && !getsClick(target, now)) return false;
  if (!CLICKS.has(event.type)) return belongs(target, now) || refuse(now, told(target));
  // The press took the focus from another element, which may have changed the page by its `blur`.
  if (ENDS_PRESS.has(event.type) && now.done < now.reached && !dragged && !staysMeant()) return refuse(now, `${told(now.element)}, which had changed,`);
  if (now.hosts.includes(target)) return true;
  if (!getsClick(target, now)) return refuse(now, told(target));
  // A button that the page has put into the element since the press.
  const button = buttonIn(target, now.element);
  if (button !== null && button !== now.pressedIn && !wasPressed(button, now)) return refuse(now, describe(button));
  countClick(event, now);
  return true;
};
const countClick = (event, now) => {
  if (event.type === 'contextmenu') now.hasMenu = true;
  if (!ENDS_PRESS.has(event.type) || now.counted === event) return;
  now.counted = event;
  if (now.element instanceof HTMLSelectElement) selectClicked = now.element;
  now.done++;
  if (now.done >= heardOf.count) heardOf.tell(null);
};
// The call of `clickHeard` that waits until `count` clicks have come, or until no more can. It is answered before the page's
// listeners get the last of them, since these may make the document leave.
let heardOf = { count: 0, tell: () => {} };
kit.clickHeard = (count) => {
  heardOf.tell(null);
  return new Promise((resolve) => {
    if ((underGuard()?.done ?? 0) >= count) resolve(null);
    else heardOf = { count, tell: resolve };
  });
};
// Whether a click belongs to the element. The browser sends it to the innermost element that is around both the press and the
// release: where that is one around the element, the release was elsewhere. This does not apply after a drag.
const getsClick = (target, now) => belongs(target, now)
  && (dragged || !(target instanceof Element) || target === now.element || !isWithin(now.element, target) || actAccepts(target, now.element));
// Whether input that came to `target` is for the element. It may also come to an element around that.
const belongs = (target, { element, first, label, control }) => {
  if (!(target instanceof Element)) return true;
  // Not if it comes through the label, and the label belongs to another control by now.
  if (label && !(first && isWithin(first, target)) && isGivenByLabel(target, label, control, element)) return false;
  if (actAccepts(target, element) || isWithin(element, target) || (first && isWithin(first, target) && actAccepts(first, element))) return true;
  return control !== null && control === target;
};

// Whether a key does what a click on the element does.
const isActivating = (element, key) => (key === 'Enter' || key === ' ') && !actFieldKind(element);

// Whether the page gets an event of a key. A key belongs to the element that has the focus as it goes down, and so does what it
// types. What the page does then, such as moving the focus to the next field, is up to the page.
const judgeKey = (event, now) => {
  const [target] = event.composedPath();
  // Enter activates a control by its `keypress`, the space bar by its `keyup`. The `keyup` of a key that went down here gets
  // through otherwise.
  const acts = event.type === 'keyup' ? event.key === ' ' : event.type === 'keypress' && event.key === 'Enter';
  const hasChanged = now.first !== null && acts && isActivating(now.element, event.key) && isHere(now.element) && !staysMeant();
  if (hasChanged && hasKeys(now.element, target)) return refuse(now, `${told(now.element)}, which had changed,`);
  // A page that has prevented the key has acted by it itself.
  if (acts && now.first !== null && !now.down?.defaultPrevented && !isConnected(now.element) && matches(now.element, PRESSABLE)) now.left = true;
  if (event.type === 'keyup') return now.first !== null;
  if (now.stops || !now.element) return refuse(now, told(target));
  if (!hasKeys(now.element, target)) return letFollow(event, target, now) || refuse(now, told(target));
  if (now.reached === 0 && !judgeFirstKey(event, target, now)) return refuse(now, told(target));
  // A list may have used the field for another entry since the key before.
  if (now.reached > 0 && (event.type === 'keydown' || event.type === 'beforeinput') && isInAnothers(watched?.row)) return refuse(now, ROW_OF_ANOTHER);
  now.first ??= target;
  if (event.type === 'keydown' && types(event)) [now.down, now.wentDown] = [event, true];
  if (event.type === 'keypress') now.down = null;
  if (event.type === 'beforeinput') checkAfter(event, target, now);
  if (event.type !== 'keydown' || !['Alt', 'Control', 'Meta', 'Shift'].includes(event.key)) now.reached++;
  return true;
};
// Whether the first key gets through; notes whether the element has changed. A key that activates the element requires that this
// still is what it was shown as, and that the focus is on no button inside it.
const judgeFirstKey = (event, target, now) => {
  const { element } = now;
  const activates = event.type === 'keydown' && isActivating(element, event.key);
  now.changed = !(activates ? staysMeant() : now.stays());
  return !now.changed && !(activates && target !== element && actsByItself(element) && isButton(target));
};
// Whether a key that goes down types something, if the page lets it.
const types = ({ key, altKey, ctrlKey, metaKey }) => (key === 'Enter' || key.length === 1) && !altKey && !ctrlKey && !metaKey;
// Whether what a key types may go to the field to which the page moved the focus as the key went down; notes that field. A
// person's key would go there, too: cells of a table and pages that search as one types move the focus. Only fields that show
// their text get it, since elsewhere it could activate or choose something.
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
// Checks once more after the page's listeners have got a `beforeinput` event: the text goes to what has the focus then.
const checkAfter = (event, target, now) => {
  const after = (later) => {
    if (later !== event || event.defaultPrevented || hasFocus(now.element)) return;
    refuse(now, describe(focused()));
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const on of [target, window]) listen(on, 'beforeinput', after, { once: true });
};
// Whether an event of a key at `target` is for the element: `target` is the element or inside it, or the host of a closed shadow
// root that it is in, or the editable element that it is a part of.
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

// Whether the element has the focus, or the editable element that it is a part of.
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
// What has come of the keys so far: `moved` is what has the focus instead of the element, or got a key in its place.
kit.keyed = (number) => {
  const element = elementOf(number);
  const now = underGuard();
  const { by, lost, reached, followed, changed, down, left } = now ?? { by: null, lost: null, reached: 0, followed: null, changed: false, down: null, left: false };
  const field = now?.element ?? element;
  // A list may have used the field for another entry, without taking the focus from it.
  const taken = isInAnothers(watched?.row) ? ROW_OF_ANOTHER : null;
  const moved = by ?? lost ?? taken ?? (field && !(isConnected(field) && hasFocus(field)) ? describe(focused()) : null);
  // The browser itself types nothing where another frame has got the focus.
  const isDropped = Boolean(now?.follows && moved !== null && down && !down.defaultPrevented);
  return { moved, gone: Boolean(field && !isConnected(field) && actFieldKind(field)), reached: reached > 0, stopped: (by ?? lost) !== null || isDropped, followed, unpressed: left, is: changed && meant !== null && isHere(meant.element) ? identityOf(meant.element) : null };
};

// Ends the action. Input that was sent before is still checked: a page that a dialog or its own script holds takes it later.
const endGuard = () => {
  if (guarded) Object.assign(guarded, { until: Math.min(guarded.until, performance.now()), ended: true });
};
const underGuard = () => (guarded && !guarded.ended ? guarded : null);
// How many presses have come to the element so far; null where nothing is checked. After a press it answers once the page's
// zero-delay timers and the animation frame that it has asked for are over: pages defer their handling of a hover or a press by
// these, and no person releases the button sooner.
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
