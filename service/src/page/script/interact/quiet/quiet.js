// Whether the document changes: counted from before an action until it has come to rest.

// For how many frames a document must be still. One is enough where nothing is due: `nothingIsDue`.
const STILL_FRAMES = 2;
// How many after a transition that the action began: React's and Vue's libraries take what has faded out from the page up to
// four frames later (measured on Ant Design).
const STILL_FRAMES_AFTER_EFFECTS = 5;
const ACTS = ['pointerdown', 'click', 'keydown'];
const CHANGES = ['input', 'change', 'toggle', 'scroll', 'focusin'];
// So many records of one batch of changes are looked at.
const RECORDS_MAX = 1000;
// The action under way, from its watch to its end.
let watched = null;

// Whether an event tells of a text that was typed before: its field has lost the focus, or got Enter. What it holds is compared.
const isOfTypedText = (event) => event?.type === 'change' && event.composedPath()[0] instanceof Element && isWrittenIn(event.composedPath()[0]);
// Whether an event is of the focus that a press gives to a button, a link or a box, which is nothing that came of it.
const PRESSED = 'a[href], button, summary, input:is([type=button], [type=submit], [type=reset], [type=image], [type=checkbox], [type=radio]), [role=button], [role=link]';
const isFocusOfPress = (event) => {
  const acted = actedOn(), [focused] = event?.type === 'focusin' ? event.composedPath() : [];
  if (acted === null || !(focused instanceof Element) || !matches(focused, PRESSED)) return false;
  const label = closest(acted, 'label');
  return isWithin(acted, focused) || isWithin(focused, acted) || (label !== null && controlOfLabel(label) === focused);
};

// Whether something comes or goes beside the field that is written into: the page has made something of the text. A style or
// a class follows the focus.
const noteBeside = (now, records, element) => {
  if (now.beside || !element) return;
  const field = typedInto?.field ?? element;
  for (let at = 0; at < records.length && at < RECORDS_MAX && !now.beside; at++) now.beside = records[at].type !== 'attributes' && !isWithin(records[at].target, field);
};
const forgetBeside = () => {
  watched?.look();
  if (watched) watched.beside = false;
};

const watch = (element) => {
  if (element) beginsAction();
  if (watched?.row) keepRow(watched.row);
  endRowLeft();
  watched?.end();
  if (element !== selectClicked) selectClicked = null;
  const now = {
    changes: 0, changed: false, beside: false, isOnCanvas: false, isByKey: false, isNew: false, frame: 0, end: () => {},
    row: element && rowBefore(element, typedInto?.field === element),
    // asked.js
    asked: false, askedFrame: false, handed: handedOut(), stores: true, wasIdle: false,
    // effects.js
    effects: new Set(animationsNow()), effectsUntil: null, faded: false, styled: new Map(), movedBefore: new Set(),
    // outcomes.js, pressed.js, saves.js
    said: new Set(), saidNodes: 0, revealed: new Set(), pressed: null, saves: [],
    tellChanged: () => {},
  };
  noteIdle(now);
  hasDatabases().then((has) => { now.stores = has; });
  const note = (event) => {
    now.changes++;
    now.changed ||= !isFocusOfPress(event) && !isOfTypedText(event) && !(event?.type === 'scroll' && now.hasScrolled);
    if (event?.type === 'input' || event?.type === 'change') noteTyped(now.row, event);
    if (now.changed) now.tellChanged();
  };
  // What a canvas draws can't be compared. A key that is for no element may be for any.
  const noteCanvas = (event) => {
    const [target] = event.composedPath();
    const isForAny = event.type === 'keydown' && (target === documentBody() || target === documentRoot());
    now.isOnCanvas ||= target instanceof HTMLCanvasElement || (isForAny && Document.prototype.querySelector.call(document, 'canvas') !== null);
    now.isByKey ||= event.type === 'keydown';
  };
  const noteClick = (event) => noteSave(now, event);
  const noteEnd = (event) => noteFaded(now, event);
  // What is sent by Enter the page may keep to itself.
  const noteSubmit = () => { now.changed ||= now.isByKey };
  const observe = (records) => {
    note();
    noteBeside(now, records, element);
    noteSaid(now, records);
    noteRevealed(now, records);
    noteStyled(now, records);
  };
  const observer = new MutationObserver(observe);
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  for (let root = element && rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) observer.observe(root, all);
  for (const type of CHANGES) window.addEventListener(type, note, { capture: true, passive: true });
  for (const type of ACTS) window.addEventListener(type, noteCanvas, { capture: true, passive: true });
  window.addEventListener('click', noteClick, { capture: true, passive: true });
  window.addEventListener('submit', noteSubmit, { capture: true, passive: true });
  window.addEventListener('transitionend', noteEnd, { capture: true, passive: true });
  for (const root of rootsSeen()) observer.observe(root, all);
  [now.values, now.caret] = [valuesNow(), caretNow()];
  now.look = () => {
    const records = observer.takeRecords();
    if (records.length > 0) observe(records);
  };
  const hasMovedCaret = () => now.isByKey && caretNow().some((one, at) => one !== now.caret[at]);
  now.hasChanged = () => now.changed || now.hasScrolled?.() || now.isOnCanvas || valuesNow() !== now.values || hasMovedCaret();
  now.end = () => {
    observer.disconnect();
    for (const type of CHANGES) window.removeEventListener(type, note, { capture: true });
    for (const type of ACTS) window.removeEventListener(type, noteCanvas, { capture: true });
    window.removeEventListener('click', noteClick, { capture: true });
    window.removeEventListener('submit', noteSubmit, { capture: true });
    window.removeEventListener('transitionend', noteEnd, { capture: true });
  };
  watched = now;
};
// Begins to count changes anew: that an element gets the focus first is not what its key did.
const forgetChanges = () => {
  if (!watched) return;
  watched.look();
  [watched.changed, watched.values, watched.caret] = [false, valuesNow(), caretNow()];
};
// The same after events that were dispatched for an action: that they came is no change, unlike what the page did with them.
const forgetOwnEvents = () => { if (watched) [watched.changed, watched.values] = [false, valuesNow()]; };
kit.watch = async () => {
  await selectionIsRead();
  dragged = false;
  watch(null);
};

// What came of the action's events; see guard.js.
const cameOf = () => {
  const { by = null, seen = false, reached = 0, done = 0, lost = null } = underGuard() ?? {};
  const isDone = reached > done && tookPress();
  return { by, seen, reached, done: isDone ? reached : done, lost: isDone ? null : lost };
};
// Waits until nothing has changed for two frames, or for one after which nothing is due, `longestMs` at most. Says at once
// if the action's events were swallowed.
kit.rest = async (longestMs) => {
  heardOf.tell(null);
  if (underGuard()?.by) {
    const swallowed = cameOf();
    unguard();
    return { ...swallowed, changed: false, beside: false, saves: 0 };
  }
  // A document that the action led to: what it has asked for until now is not known, nor what moves in it at all times.
  if (!watched) {
    watch(null);
    watched.asked = true;
    watched.isNew = true;
  }
  const now = watched;
  let until = performance.now() + longestMs;
  let [still, wanted] = [0, STILL_FRAMES];
  let since = performance.now(), tasksEnded = false;
  for (;;) {
    now.look();
    const before = now.changes;
    await noteAsked(now, frame);
    now.frame++;
    if (await noteAsked(now, databasesAnswer) !== false) now.stores = true;
    // A busy browser may draw frames before it runs timers that are over.
    if (now.asked) await noteAsked(now, timersEnd);
    now.look();
    still = now.changes === before ? still + 1 : 0;
    let isOver = still >= wanted || performance.now() > until;
    if (still >= wanted && !tasksEnded) {
      // Once: a page may post tasks and change at all times.
      tasksEnded = true;
      await noTaskIsLeft(now.wasIdle ? TASKS_LONGEST_MS : longestMs);
      now.look();
      if (now.changes !== before) [isOver, still, since, until] = [false, 0, performance.now(), performance.now() + longestMs];
    }
    if (!isOver) {
      const isDone = still > 0 && await nothingIsDue(now, since);
      now.look();
      if (now.changes !== before) [still, since] = [0, performance.now()];
      else isOver = isDone;
    }
    if (!isOver) continue;
    if (!now.isNew && movesOn(now)) {
      until = Math.min(now.effectsUntil, performance.now() + longestMs);
      continue;
    }
    if (!await effectsEnd(now) && (!now.faded || wanted === STILL_FRAMES_AFTER_EFFECTS)) break;
    [wanted, now.asked] = [STILL_FRAMES_AFTER_EFFECTS, false];
    [still, since, until] = [0, performance.now(), performance.now() + longestMs];
  }
  if (!now.isNew) keepSaid(now);
  return { ...cameOf(), changed: now.hasChanged(), beside: now.beside, saves: savesBegun(now) };
};

// Whether the action's first change comes within `longestMs`. What a page has a worker do, or asks over a socket, is not seen to
// begin.
kit.changeComes = (longestMs) => new Promise((resolve) => {
  if (!watched || watched.hasChanged()) return resolve(true);
  watched.tellChanged = () => resolve(true);
  setTimeout(() => resolve(false), longestMs);
});

// All input of the action has come.
kit.endInput = () => endGuard();
// The action is over.
kit.leave = () => {
  heardOf.tell(null);
  dropEnds();
  endGuard();
  [meant, nestedFirst, typedInto, aimed] = [null, null, null, null];
  if (watched?.row) keepRowAfter(watched.row);
  watched?.end();
  watched = null;
};
