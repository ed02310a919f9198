// Acting through the document instead of the browser's input: the events that a click, a hover or a key would bring, and
// one activation. Says whether the decisive event reached its target.

const mouse = (element, type, { x, y }, more) => {
  const kind = type.startsWith('pointer') ? PointerEvent : MouseEvent;
  const quiet = type.endsWith('enter') || type.endsWith('leave');
  return dispatch(element, new kind(type, {
    bubbles: !quiet, cancelable: !quiet, composed: true, view: window, clientX: x, clientY: y,
    ...(kind === PointerEvent ? { pointerId: 1, pointerType: 'mouse', isPrimary: true } : {}), ...more,
  }));
};
const middleOf = (element) => {
  const rect = actBoxes(element)[0] ?? rectOf(element);
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
};
const heldOf = (modifiers) => ({
  altKey: (modifiers & 1) !== 0, ctrlKey: (modifiers & 2) !== 0, metaKey: (modifiers & 4) !== 0, shiftKey: (modifiers & 8) !== 0,
});
// Whether an event of this type comes to the element, or to the page's listeners on the way to it, while `act` runs. What
// the page's have heard has happened, so the first on the window are asked (hear.js), and the element's own, which one that
// has left the document still has. What a label gives to another control than it had then is stopped.
let isRelabelled = false;
const reaches = (element, type, act, inner = element) => {
  const whetherCame = heed(element, type, inner);
  try { act(); } finally { whetherCame.ends(); }
  return whetherCame.came;
};
// The same for what takes several tasks: heeds events until it is told that this has ended.
const heed = (element, type, inner) => {
  const heeded = { came: false, ends: null };
  isRelabelled = false;
  const label = labelAround(element);
  const control = label && controlOfLabel(label);
  const hosts = new Set([element, inner]);
  for (let root = rootOf(inner); root instanceof ShadowRoot; root = rootOf(root.host)) hosts.add(root.host);
  const note = (event) => {
    const [target] = event.composedPath();
    if (event.type === type && hosts.has(target)) heeded.came = true;
    else if (event.type === 'click' && label && target !== inner && isGivenByLabel(target, label, control, element)) {
      isRelabelled = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  globalThis.portholeHear();
  globalThis.portholeReached = note;
  for (const one of new Set([element, inner])) listen(one, type, note, { capture: true });
  heeded.ends = () => {
    globalThis.portholeReached = undefined;
    for (const one of new Set([element, inner])) EventTarget.prototype.removeEventListener.call(one, type, note, { capture: true });
  };
  return heeded;
};
// What a pointer would be over at the point of an element that was found ready: the innermost that acts on it, so that a
// wrapper's link is followed, or a box that is laid over it; the element itself where something else is drawn in its place, or
// nothing is.
const isHitFor = (inner, element) => isLaidOver(inner, element) || isTickedFor(inner, element);
const innermostOf = (element) => {
  if (aimed?.asked !== element || aimed.element !== element) return element;
  // A control that has come up inside it is not what is meant.
  const nested = nestedFirst?.element === element ? nestedFirst.nested : null;
  if (nestedAt(element, aimed.x, aimed.y) !== nested) return element;
  const inner = innermostAt(aimed.x, aimed.y);
  if (!(inner instanceof Element)) return element;
  return (isWithin(inner, element) && actAccepts(inner, element)) || isHitFor(inner, element) ? inner : element;
};
const pointOf = (element) => (aimed?.asked === element ? { x: aimed.x, y: aimed.y } : middleOf(element));
// What keeps a pointer now from an element that was free when it was found ready, described; null where nothing does.
const coverNow = (element) => {
  if (aimed?.asked !== element) return null;
  const inert = inertBy(aimed.element);
  return inert ? describeInert(inert, aimed.element) : actCover(aimed.element, aimed.x, aimed.y);
};
const isHiddenNow = (element) => aimed?.asked === element && !actVisible(aimed.element);
// The pointer comes to `inner`, which is the element or in it.
const enter = (element, inner, at, more) => {
  const entered = [];
  for (let one = inner; one instanceof Element; one = flatParent(one)) {
    entered.unshift(one);
    if (one === element) break;
  }
  for (const kind of ['pointer', 'mouse']) {
    mouse(inner, `${kind}over`, at, more);
    for (const one of entered) mouse(one, `${kind}enter`, at, more);
  }
  for (const kind of ['pointer', 'mouse']) mouse(inner, `${kind}move`, at, more);
};

const FOCUSED_BY_PRESS = 'a[href], button, input, select, textarea, [tabindex], [contenteditable]';
// A press on what takes no focus takes it from what has it, be that around or in another frame.
const leaveFocus = () => {
  const had = focusedElement();
  if (had instanceof HTMLElement) HTMLElement.prototype.blur.call(had);
};
const RELABELLED = 'its label is for another field now';
// What the page's script has put off until its listener is over runs first: a press and a release are two tasks.
const nextTask = () => new Promise((resolve) => { scheduler.postTask(resolve, { priority: 'user-blocking' }); });
// Waits until promises that follow one another, so deep at most, have called what waits for them.
const MICROTASK_TURNS = 10;
const promisesEnd = async () => { for (let turn = 0; turn < MICROTASK_TURNS; turn++) await null; };
// The element that the pointer came to last, and whether it was disabled before.
let entered = null;
// The pointer comes to an element that is clicked next. A person's press comes later: pages defer their hover handling by a
// zero-delay timer, which is over as this ends.
kit.domEnter = async (number, { modifiers }) => {
  const element = elementOf(number);
  if (!element) return GONE;
  entered = { element, wasDisabled: isActDisabled(element) };
  enter(element, innermostOf(element), pointOf(element), heldOf(modifiers));
  // What its listeners have put off by promises may set one.
  await null;
  if (hasAsked()) await timersEnd();
  return {};
};
// Resolves before the first click of the next `domClick` comes, or none does. A document that leaves before got no click.
let clickComes = () => {};
kit.clickComes = () => new Promise((resolve) => { clickComes = resolve; });
kit.domClick = async (number, options) => {
  try { return await domClick(number, options); } finally { clickComes(null); }
};
const domClick = async (number, { button, count, modifiers }) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const at = pointOf(element);
  const wasDisabled = entered?.element === element && entered.wasDisabled;
  const held = heldOf(modifiers);
  const down = { ...held, button, buttons: [1, 4, 2][button] };
  // Another element is there since, or it is another one by what it says.
  if (!isHere(element)) return GONE;
  if (!staysMeant()) return lacks('same', element, { is: identityOf(element) });
  const isDisabled = () => !wasDisabled && isActDisabled(element);
  if (isDisabled()) return lacks('enabled', element);
  if (isHiddenNow(element)) return lacks('visible', element);
  const cover = coverNow(element);
  if (cover !== null) return lacks('uncovered', element, { by: cover });
  // The browser chooses in its lists by its own input alone.
  if (element instanceof HTMLOptionElement && closest(element, 'select') !== null) return { reached: false, lost: null, box: boxOf(rectOf(element)), what: describe(element) };
  const inner = innermostOf(element);
  const type = button === 0 ? 'click' : 'auxclick';
  const label = labelAround(element);
  const control = label && controlOfLabel(label);
  const pressedIn = buttonIn(inner, element);
  let lost = null, isTaken = false;
  // A browser sends no click to what has left under the press, or what another element has come over.
  const lostNow = () => {
    if (!isHere(element)) return 'the element left the page';
    if (!staysMeant()) return 'the element had changed';
    if (label && controlOfLabel(label) !== control) return RELABELLED;
    if (isDisabled()) return 'the element was disabled';
    if (isHiddenNow(element)) return 'the element was hidden';
    if (isHere(inner) && !isWithin(inner, element) && !isHitFor(inner, element)) return 'what was pressed in it was moved';
    const button = buttonIn(inner, element);
    if (button !== null && button !== pressedIn) return `${describe(button)} was there by then`;
    const cover = coverNow(element);
    return cover === null ? null : `${cover} came over it`;
  };
  const press = async () => {
    for (let detail = 1; detail <= count; detail++) {
      notePress();
      mouse(inner, 'pointerdown', at, { ...down, detail });
      const goesOn = mouse(inner, 'mousedown', at, { ...down, detail });
      // What its listeners have put off comes before the focus, as in a real press.
      await promisesEnd();
      let focusable = inner;
      while (focusable instanceof Element && !matches(focusable, FOCUSED_BY_PRESS)) focusable = flatParent(focusable);
      if (goesOn && focusable instanceof HTMLElement) focusOn(focusable, { preventScroll: true });
      else if (goesOn && !(focusable instanceof Element)) leaveFocus();
      await nextTask();
      await askedComes();
      mouse(inner, 'pointerup', at, { ...held, button, detail });
      mouse(inner, 'mouseup', at, { ...held, button, detail });
      await promisesEnd();
      lost = lostNow();
      if (lost === null) {
        // The service hears of it before the page's listeners may have the document go.
        clickComes(null);
        await promisesEnd();
        lost = lostNow();
      }
      if (lost !== null && tookPress()) [lost, isTaken] = [null, true];
      if (lost !== null || isTaken) return;
      mouse(isHere(inner) ? inner : element, type, at, { ...held, button, detail });
      if (button === 2) mouse(element, 'contextmenu', at, { ...held, button });
    }
    if (count === 2 && button === 0) mouse(isHere(inner) ? inner : element, 'dblclick', at, { ...held, button, detail: 2 });
  };
  const whetherCame = heed(element, type, inner);
  try { await press(); } finally { whetherCame.ends(); }
  if (isRelabelled) lost ??= RELABELLED;
  return { reached: whetherCame.came || isTaken || lost !== null, lost, box: boxOf(rectOf(element)), what: describe(element) };
};
const MOVES = ['pointerover', 'pointerenter', 'pointermove', 'mouseover', 'mouseenter', 'mousemove'];
// Longer than the browser takes for a move; the bound is for a service that was killed.
const HUSHED_MOVES_MS = 1_000;
let movesHushedUntil = 0, hushedFor = null;
// What the element is in hears that the pointer has come: no event of ours tells it.
const isAroundHushed = ({ type, target }) => type.endsWith('enter') && target instanceof Node && target !== hushedFor && isWithin(hushedFor, target);
const hush = (event) => {
  if (event.isTrusted && event.timeStamp < movesHushedUntil && !isAroundHushed(event)) event.stopImmediatePropagation();
};
// The element hears of no pointer that comes, until `tellMoves`.
kit.hushMoves = (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  movesHushedUntil = performance.now() + HUSHED_MOVES_MS;
  hushedFor = element;
  for (const type of MOVES) listen(window, type, hush, { capture: true });
  return {};
};
kit.tellMoves = () => {
  movesHushedUntil = 0;
  for (const type of MOVES) EventTarget.prototype.removeEventListener.call(window, type, hush, { capture: true });
};
kit.domHover = (number) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const inner = innermostOf(element);
  const reached = reaches(element, 'mouseover', () => enter(element, inner, pointOf(element), {}), inner);
  return { reached, box: boxOf(rectOf(element)), what: describe(element) };
};
// The element that has the focus, within shadow roots too.
const focused = () => {
  let element = activeIn(document) ?? document.documentElement;
  for (let root = shadowOf(element); root && activeIn(root); root = shadowOf(element)) element = activeIn(root);
  return element;
};
const PRESSABLE = 'button, summary, a[href], input[type=button], input[type=submit], input[type=reset]';
// Does what a key does by default, as far as it is one of the most usual; whether it is.
const keyDefault = (element, key, modifiers) => {
  if ((modifiers & ~8) !== 0) return false;
  const isPressed = key === 'Enter' ? matches(element, PRESSABLE)
    : key === ' ' && matches(element, 'button, summary, input:is([type=button], [type=submit], [type=checkbox], [type=radio])');
  if (isPressed) HTMLElement.prototype.click.call(element);
  else if (key === 'Enter' && isInput(element)) {
    const form = getter(HTMLInputElement, 'form')(element);
    if (!form) return false;
    submitBy(form);
  } else if ([...key].length === 1 && actFieldKind(element) && hasFocus(element)) document.execCommand('insertText', false, key);
  else return false;
  return true;
};
// What Enter in a field does to its form, by HTML's implicit submission: a click on its first button that sends it, or without
// one its submission, if it has no second field.
const SENDS = 'button:not([type=button i], [type=reset i]), input:is([type=submit i], [type=image i])';
const BLOCKS_SENDING = new Set([...TEXT_TYPES, 'date', 'time', 'month', 'week', 'datetime-local']);
const submitBy = (form) => {
  const formOf = (one) => getter(isInput(one) ? HTMLInputElement : HTMLButtonElement, 'form')(one);
  const by = [...allIn(rootOf(form), SENDS)].find((one) => (isInput(one) || one instanceof HTMLButtonElement) && formOf(one) === form);
  if (by) return HTMLElement.prototype.click.call(by);
  const fields = [...allIn(rootOf(form), 'input')].filter((one) => isInput(one) && formOf(one) === form && BLOCKS_SENDING.has(typeOfInput(one)));
  if (fields.length <= 1) HTMLFormElement.prototype.requestSubmit.call(form);
};
// Keys that neither edit a field nor move its caret.
const EDITS_NOTHING = /^(Escape|Shift|Control|Alt|Meta|CapsLock|F\d+)$/;
// A key, with what the most usual ones do by default: a browser does that for its own input alone. `goesOn`: the page
// prevented nothing. `isLeftOut`: it is for a field, which events alone do not edit so. With a number the element gets the
// focus first, and the key only if it has it then.
kit.domKey = async ({ key, code, modifiers, keyCode }, number) => {
  if (number) {
    const told = await kit.focus(number);
    if (told.lacks || !told.focused) return { reached: false, goesOn: false, isLeftOut: false, what: told.what };
  }
  const element = focused();
  const init = { key, code, keyCode, which: keyCode, bubbles: true, cancelable: true, composed: true, view: window, ...heldOf(modifiers) };
  let goesOn = true, copied = null;
  const press = () => { goesOn = dispatch(element, new KeyboardEvent('keydown', init)); };
  const copies = () => { copied = copiedBy(press); };
  const reached = reaches(element, 'keydown', COPIES.test(key) && modifiers !== 0 ? copies : press);
  const isFor = goesOn && isConnected(element) && (!isActivating(element, key) || staysMeant());
  const isDone = isFor && keyDefault(element, key, modifiers);
  dispatch(element, new KeyboardEvent('keyup', init));
  const isLeftOut = isFor && !isDone && actFieldKind(element) !== null && !EDITS_NOTHING.test(key);
  return { reached, goesOn, isLeftOut, copied: goesOn ? null : copied, what: describe(element) };
};

const CLIPBOARD_CHARS_MAX = 1_000_000;
const forClipboard = (text) => text.slice(0, CLIPBOARD_CHARS_MAX).toWellFormed();
// Calls `act`, and `note` with each event of these types that has passed the page's listeners meanwhile.
const hearing = (types, note, act) => {
  for (const type of types) listen(window, type, note);
  try { return act(); } finally {
    for (const type of types) EventTarget.prototype.removeEventListener.call(window, type, note);
  }
};
// What a page copies by itself as it is told of a key: what it gives to the clipboard, or else what it has selected for that.
const COPIES = /^[cx]$/i;
const copiedBy = (press) => {
  const before = selected(focused());
  let given = null;
  const note = (event) => { given = event.defaultPrevented ? event.clipboardData.getData('text/plain') : selected(event.target); };
  hearing(['copy', 'cut'], note, press);
  const after = selected(focused());
  const text = given ?? (after !== before ? after : '');
  return text === '' ? null : forClipboard(text);
};
const selected = (element) => {
  if (isSecret(element)) return '';
  if (isInput(element) || element instanceof HTMLTextAreaElement) {
    try { return fieldValue(element).slice(element.selectionStart, element.selectionEnd); } catch { return ''; }
  }
  return String(getSelection());
};
// What the events of the clipboard go to: what has the focus, or else what the selection begins in.
const holder = () => {
  const element = focused();
  if (element !== documentBody() && element !== documentRoot()) return element;
  const node = getSelection()?.anchorNode ?? null;
  const parent = node && !(node instanceof Element) ? parentNodeOf(node) : node;
  return parent instanceof Element && isConnected(parent) ? parent : element;
};
// What would get the keys of the clipboard instead of the element that they are for (guard.js), described; else null.
const elsewhereOf = (element) => {
  const now = underGuard();
  return !now?.isKeys || !now.element || hasKeys(now.element, element) ? null : told(element);
};
// Copies or cuts by the page's own handlers, or else what is selected; `{text, remove, elsewhere}`. The browser's clipboard, which
// other pages share, is not touched.
kit.copy = (cut) => {
  const element = holder();
  const elsewhere = elsewhereOf(element);
  if (elsewhere !== null) return { text: '', remove: false, elsewhere };
  const clipboardData = new DataTransfer();
  const text = selected(element);
  const goesOn = dispatch(element, new ClipboardEvent(cut ? 'cut' : 'copy', { clipboardData, bubbles: true, cancelable: true, composed: true }));
  const taken = goesOn ? text : clipboardData.getData('text/plain');
  const isField = actFieldKind(element) && !actReadOnly(element);
  return { text: forClipboard(taken), remove: Boolean(cut && goesOn && text && isField), elsewhere: null };
};
// Tells an element of a text that is pasted; whether the page leaves it to the browser. An editor or a terminal that takes it
// may do no more than keep the event from what is around it.
const pastes = (element, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
  let isLeft = false;
  const note = (event) => { isLeft ||= event === paste };
  const isAllowed = hearing(['paste'], note, () => dispatch(element, paste));
  return isAllowed && (isLeft || !isUnseenField(element));
};
// Offers a text to the page's own handlers: `{inserts, elsewhere}`, whether it is left to be inserted.
kit.paste = (text) => {
  const element = holder();
  const elsewhere = elsewhereOf(element);
  if (elsewhere !== null) return { inserts: false, elsewhere };
  return { inserts: pastes(element, text) && actFieldKind(element) !== null && !actReadOnly(element), elsewhere: null };
};

// The first element that a selector matches, as a number; 0 where none does.
kit.first = (selector) => {
  const found = Document.prototype.querySelector.call(document, selector);
  return found ? numberOf(found) : 0;
};
// What the focus is in: this document's element, and whether that is a frame.
kit.focusedFrame = () => {
  globalThis.portholeRelease?.();
  const element = activeIn(document);
  return element && (tagOf(element) === 'iframe' || tagOf(element) === 'frame') ? numberOf(element) : 0;
};
