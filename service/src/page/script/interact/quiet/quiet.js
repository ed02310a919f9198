// Whether the document changes: counted from before an action until it has come to rest.

// For how many frames a document must be still. One is enough where nothing is due: `nothingIsDue`.
const STILL_FRAMES = 2;
// How many after a transition that the action began: React's and Vue's libraries take what has faded out from the page up to
// four frames later (measured on Ant Design).
const STILL_FRAMES_AFTER_EFFECTS = 5;
// Half a frame: so long a document must be still at least. Frames come at any time after an action, and what other threads
// and processes answer, a database or the history, takes some of it.
const STILL_MS_MIN = 8;
const ACTS = ['pointerdown', 'click', 'keydown'];
const CHANGES = ['input', 'change', 'toggle', 'scroll', 'focusin'];
let watched = null;

// The ids of a frame, a timer and an idle time that are asked for now, and not waited for. A document gives them in turn to
// all worlds, so those that the page's script was given since the last ones are missing between them.
const handedOut = () => {
  const ids = [requestAnimationFrame(() => {}), setTimeout(() => {}), requestIdleCallback(() => {})];
  cancelAnimationFrame(ids[0]);
  clearTimeout(ids[1]);
  cancelIdleCallback(ids[2]);
  return ids;
};
// Notes whether the page's script has asked for one since the last note; what `own` asks for at once is ours.
const noteAsked = (now, own = () => {}) => {
  const handed = handedOut();
  const isAsked = handed.map((id, nth) => id > now.handed[nth] + 1);
  now.asked ||= isAsked.includes(true);
  now.askedFrame ||= isAsked[0];
  const result = own();
  now.handed = handedOut();
  return result;
};
// Whether the page's script has asked for one since the action began.
const hasAsked = () => {
  if (watched) noteAsked(watched);
  return !watched || watched.asked;
};
// Whether the page has databases, which answer in their own time: a write and a read may take more than a frame.
const hasDatabases = async () => {
  try {
    return (await indexedDB.databases()).length > 0;
  } catch {
    return false; // a document without an origin has none
  }
};
// Waits for `delay`, and until all tasks of this document have run, also those that they post; false if the next frame comes
// before.
const tasksEnd = (delay) => new Promise((resolve) => {
  const next = requestAnimationFrame(() => resolve(false));
  const longest = setTimeout(() => resolve(false), FRAME_LONGEST_MS);
  const end = () => {
    cancelAnimationFrame(next);
    clearTimeout(longest);
    resolve(true);
  };
  scheduler.postTask(end, { priority: 'background', delay });
});
// Whether the page has databases, also those that the action made; waits for two answers of their process then. A write and a
// read take three; so many have come by the second frame, also where that process is slower than frames.
const databasesAnswer = () => Promise.race([
  hasDatabases().then((has) => has && hasDatabases()),
  new Promise((resolve) => { setTimeout(resolve, FRAME_LONGEST_MS); }),
]);
// Waits until the timers have run that were over before.
const timersEnd = () => new Promise((resolve) => { setTimeout(resolve); });
// Waits until the frame and the timers have come that the page's script has asked for since the action began, if it has. Between a
// press and the release pages set up what heeds the release so.
const askedComes = async () => {
  if (!hasAsked()) return;
  if (!watched || watched.askedFrame) await frame();
  await timersEnd();
};
// Whether a second frame would show nothing that the first did not: the page's script has asked for no frame, timer or idle
// time since the action began and has no database, nothing moves, and no task is left. `since`: when it was still first.
const nothingIsDue = async (now, since) => {
  const isQuiet = () => !now.asked && !now.stores && Document.prototype.getAnimations.call(document).length === 0;
  const delay = Math.max(0, since + STILL_MS_MIN - performance.now());
  const ended = noteAsked(now, () => (isQuiet() ? tasksEnd(delay) : false));
  if (!await ended) return false;
  noteAsked(now);
  return isQuiet();
};

// Transitions that the action begins are waited for, where their end may show something else than they do: a dialog comes once
// what lies behind it has faded in, and goes once it has faded out itself. Those that only paint, or move what was acted on
// itself, answer the pointer.
const EFFECTS_MS_MAX = 1000;
const PAINTS = /color|shadow|outline|^(fill|stroke|filter|backdrop-filter|background.*|text-.*|border.*-radius)$/;
const animationsNow = () => {
  const inRoots = rootsSeen().flatMap((root) => ShadowRoot.prototype.getAnimations.call(root));
  return [...Document.prototype.getAnimations.call(document), ...inRoots];
};
// What was there as the press came: transitions that the pointer began, and what the press may change by itself.
const pressedState = (element) => dom.attribute(element, 'aria-expanded');
const notePress = () => {
  if (!watched) return;
  carriedInstead = null;
  watched.effects = new Set(animationsNow());
  watched.movedBefore = new Set(watched.styled.keys());
  const { element = aimed?.element, role, name } = meant ?? {};
  const options = role === 'option' ? closest(element, '[role=listbox]') : null;
  watched.pressed = element && { element, role, name, options, state: pressedState(element), hadFocus: hasFocus(element), values: chosenNow(options),
    text: role === 'option' ? tidy(dom.textContent(element).slice(0, NAME_MAX)) : '' };
};
// Whether the press was what the element waits for: a text field has the focus by it, what it opens is open or closed now, or it
// was to be chosen and has gone, and a field holds what it is called. A list that only closes because its field lost the focus
// has chosen nothing.
const tookPress = () => {
  const was = watched?.pressed;
  if (!was) return false;
  if (isHere(was.element) && pressedState(was.element) !== was.state) return true;
  const isField = isHere(was.element) && ['text', 'content'].includes(actFieldKind(was.element));
  if (isField && !was.hadFocus && hasFocus(was.element) && staysMeant() && !isActDisabled(was.element) && actVisible(was.element)) return true;
  if (was.role !== 'option' || was.name === '' || (isHere(was.element) && actVisible(was.element))) return false;
  // A style sheet may add to its name what is not chosen with it, such as "Press Enter".
  const chosen = chosenNow(was.options);
  return [was.name, was.text].some((one) => one !== '' && chosen.includes(one) && !was.values.includes(one));
};
// What was dragged is let go: what moves now is its end.
const renewEffects = () => { if (watched) watched.effectsUntil = null; };
// A transition that was over before it was looked for: a busy browser draws its first frame late.
const noteFaded = (now, { target, propertyName }) => {
  const acted = actedOn();
  const isOfPointer = [...now.effects].some(({ effect }) => effect?.target === target) || (acted && isWithin(target, acted));
  now.faded ||= !isOfPointer && !PAINTS.test(propertyName) && !(target instanceof HTMLLabelElement);
};
// The element that is acted on, whose own movement answers the pointer; null of a drop.
const actedOn = () => (dropping ?? dropped ? null : (meant ?? aimed)?.element ?? null);
const isEffect = (animation, now, acted) => {
  if (now.effects.has(animation) || animation.playState !== 'running') return false;
  const { effect } = animation;
  const target = effect?.target;
  // A field's label moves out of its way.
  if (!target || (acted && isWithin(target, acted)) || target instanceof HTMLLabelElement) return false;
  if (animation instanceof CSSTransition && PAINTS.test(animation.transitionProperty)) return false;
  const left = (effect.getComputedTiming().endTime - animation.currentTime) / Math.abs(animation.playbackRate);
  return left <= now.effectsUntil - performance.now();
};
// Waits until they have ended; false where there are none.
const effectsEnd = async (now) => {
  now.effectsUntil ??= performance.now() + EFFECTS_MS_MAX;
  const acted = actedOn();
  const effects = animationsNow().filter((animation) => isEffect(animation, now, acted));
  if (effects.length === 0) return false;
  const longest = new Promise((resolve) => { setTimeout(resolve, Math.max(0, now.effectsUntil - performance.now())); });
  await Promise.race([longest, Promise.all(effects.map((effect) => effect.finished.catch(() => {})))]);
  return true;
};

// Animations by script, as of jQuery: elements whose style changes frame after frame since the press. They are waited for as
// transitions are. One that goes on for longer has no end: it is not waited for again, nor is any other of a document in which
// that happens once more.
const STYLED_MAX = 200, RECORDS_MAX = 1000, MOVING_FRAMES_MIN = 3, ENDLESS_MAX = 2;
// A busy browser skips frames of a timer's animation.
const SKIPPED_FRAMES_MAX = 4;
const endless = new WeakSet();
let endlessSeen = 0;
const noteStyled = (now, records) => {
  if (endlessSeen >= ENDLESS_MAX) return;
  for (let at = 0; at < records.length && at < RECORDS_MAX; at++) {
    const { attributeName, target } = records[at];
    if (attributeName !== 'style' || endless.has(target)) continue;
    const moved = now.styled.get(target);
    if (!moved) {
      if (now.styled.size < STYLED_MAX) now.styled.set(target, { since: performance.now(), frames: 1, last: now.frame });
    } else if (moved.last !== now.frame) {
      moved.frames++;
      moved.last = now.frame;
    }
  }
};
// Whether something moves that is to be waited for.
const movesOn = (now) => {
  now.effectsUntil ??= performance.now() + EFFECTS_MS_MAX;
  const acted = actedOn();
  const isMoving = ([element, { frames, last }]) => frames >= MOVING_FRAMES_MIN && last >= now.frame - SKIPPED_FRAMES_MAX && !now.movedBefore.has(element)
    && isHere(element) && !(acted && isWithin(element, acted));
  const moving = [...now.styled].filter(isMoving);
  if (moving.length === 0) return false;
  if (performance.now() < now.effectsUntil) return true;
  const withoutEnd = moving.filter(([, { since }]) => performance.now() - since >= EFFECTS_MS_MAX);
  for (const [element] of withoutEnd) endless.add(element);
  if (withoutEnd.length > 0) endlessSeen++;
  return false;
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

// A short text that an action brings is what came of it, wherever it stands. What brings more is another view, whose texts
// are shown as any others; where numbers alone are others, a clock or a count goes on.
const OUTCOMES_MAX = 12, OUTCOMES_CHARS_MAX = 500, OUTCOMES_NODES_MAX = 300;
const wordsOfTexts = (texts) => texts.map((text) => text.data.slice(0, OUTCOMES_CHARS_MAX)).join('').replace(/\p{N}+/gu, '').trim();
const noteSaid = (now, records) => {
  for (let at = 0; at < records.length && now.said !== null; at++) {
    const { type, target, addedNodes, removedNodes } = records[at];
    if (at > RECORDS_MAX) now.said = null;
    else if (type === 'characterData' && dom.type(target) === 3) now.said.add(target);
    else if (type === 'childList') {
      const before = textsAmong(now, removedNodes), texts = textsAmong(now, addedNodes);
      if (now.said === null) continue;
      const isNew = wordsOfTexts(texts) !== wordsOfTexts(before);
      for (const text of texts) (isNew ? now.said : drawnTexts).add(text);
    }
    if (now.said?.size > OUTCOMES_MAX) now.said = null;
  }
};
// The texts in some nodes; none once there are too many.
const textsAmong = (now, nodes) => {
  const texts = [];
  for (let at = 0; at < nodes.length && now.said !== null; at++) {
    const walker = Document.prototype.createTreeWalker.call(document, nodes[at], NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (++now.saidNodes > OUTCOMES_NODES_MAX) {
        now.said = null;
        return [];
      }
      if (dom.type(node) === 3) texts.push(node);
    }
  }
  return texts;
};
// Elements whose attributes may have brought what was hidden before.
const REVEALS = new Set(['class', 'style', 'hidden', 'open', 'data-state', 'aria-hidden']);
const REVEALED_MAX = 20, REVEALED_NODES_MAX = 3000;
const noteRevealed = (now, records) => {
  for (let at = 0; at < records.length && at < RECORDS_MAX && now.revealed.size < REVEALED_MAX; at++) {
    if (records[at].type === 'attributes' && REVEALS.has(records[at].attributeName)) now.revealed.add(records[at].target);
  }
};
const hasWords = (text) => /\p{L}{3}/u.test(text.data.slice(0, OUTCOMES_CHARS_MAX));
// The texts in them that are drawn and were not as the last snapshot was taken; none where they are too many.
const revealedTexts = (now) => {
  const texts = new Set();
  let nodes = 0, looks = 0;
  for (const target of drawnAreKnown ? now.revealed : []) {
    const walker = Document.prototype.createTreeWalker.call(document, target, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (++nodes > REVEALED_NODES_MAX) return [];
      if (drawnTexts.has(text) || texts.has(text) || !hasWords(text)) continue;
      if (++looks > OUTCOMES_NODES_MAX) return [];
      if (isVisible(flatParent(text)) && closest(flatParent(text), '[aria-hidden=true]') === null) texts.add(text);
      if (texts.size > OUTCOMES_MAX) return [];
    }
  }
  return [...texts];
};
const keepSaid = (now) => {
  const isShown = (text) => isConnected(text) && hasWords(text) && isVisible(flatParent(text));
  for (const texts of [[...now.said ?? []].filter(isShown), revealedTexts(now)]) {
    if (texts.reduce((chars, text) => chars + text.data.length, 0) <= OUTCOMES_CHARS_MAX) for (const text of texts) outcomes.add(text);
  }
};

// What fields hold: a page sets it without an event, and no observer tells.
const VALUES_MAX = 300;
const valuesNow = () => {
  const fields = Document.prototype.querySelectorAll.call(document, 'input, textarea, select');
  let all = '';
  for (let at = 0; at < fields.length && at < VALUES_MAX; at++) {
    const field = fields[at];
    const held = field instanceof HTMLSelectElement ? `${field.selectedIndex} ${field.selectedOptions[0]?.label ?? ''}` : isInput(field) ? `${fieldValue(field)}${isChecked(field)}` : fieldValue(field);
    all += `${String(held).slice(0, 1000)}\u0000`;
  }
  return all;
};

// Where the caret is, and what is selected: many keys do no more than move it.
const caretNow = () => {
  const field = focused(), all = getSelection();
  const { selectionStart = null, selectionEnd = null } = isInput(field) || field instanceof HTMLTextAreaElement ? field : {};
  return [all?.anchorNode, all?.anchorOffset, all?.focusNode, all?.focusOffset, selectionStart, selectionEnd];
};

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

// The same, and what stands for fields that are lists says, but for the options of one of them.
const LISTS_MAX = 50;
const chosenNow = (options) => {
  const lists = Document.prototype.querySelectorAll.call(document, '[role=combobox], [aria-haspopup=listbox]');
  let all = valuesNow();
  for (let at = 0; at < lists.length && at < LISTS_MAX; at++) all += `${tidy(textIn(lists[at], (node) => node !== options && mayHaveText(node), false))}\u0000`;
  return all;
};

// Links that save what they lead to. The browser asks for that file without telling anyone, and tells of the download once the
// server answers. Whether the page prevents it is known once the event is over.
const SAVES_MAX = 20;
const savingLink = (event) => event.composedPath().find((node) => node instanceof HTMLAnchorElement && dom.attribute(node, 'download') !== null);
// Elsewhere than on its own site a link's file is opened as any other.
const isSaved = (link) => ['blob:', 'data:'].includes(link.protocol) || link.origin === origin;
const noteSave = (now, event) => {
  const link = savingLink(event);
  if (link && now.saves.length < SAVES_MAX && isSaved(link)) now.saves.push(event);
};
// How many were clicked since this was asked last.
const savesBegun = (now) => now.saves.splice(0).filter((event) => !event.defaultPrevented).length;

const watch = (element) => {
  if (watched?.row) keepRow(watched.row);
  endRowLeft();
  watched?.end();
  if (element !== selectClicked) selectClicked = null;
  const now = { changes: 0, changed: false, beside: false, said: new Set(), saidNodes: 0, revealed: new Set(), isOnCanvas: false, isByKey: false, asked: false, askedFrame: false, handed: handedOut(), stores: true, effects: new Set(animationsNow()), effectsUntil: null, faded: false, saves: [],
    isNew: false, row: element && rowBefore(element, typedInto?.field === element), frame: 0, styled: new Map(), movedBefore: new Set(), pressed: null, end: () => {} };
  hasDatabases().then((has) => { now.stores = has; });
  const note = (event) => {
    now.changes++;
    now.changed ||= !isFocusOfPress(event) && !isOfTypedText(event) && !(event?.type === 'scroll' && now.hasScrolled);
    if (event?.type === 'input' || event?.type === 'change') noteTyped(now.row, event);
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
kit.watch = () => {
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
  let since = performance.now();
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
