// Pointer and mouse events as a person's come, sent to an element by the page's own means.
//
// Every action tells `took`, whether it reached its element, and `changed`, whether something in the page changed by the
// next frame.

const MODIFIERS = { Alt: 'altKey', Control: 'ctrlKey', Meta: 'metaKey', Shift: 'shiftKey' };
const BUTTONS = { left: [0, 1], middle: [1, 4], right: [2, 2] };
const EDITED = 'input, textarea, select, [contenteditable]';

const send = (target, event) => EventTarget.prototype.dispatchEvent.call(target, event);
const listen = (target, type, heard, signal) => EventTarget.prototype.addEventListener.call(target, type, heard, { capture: true, signal });
const modifiersOf = names => Object.fromEntries((names ?? []).map(name => [MODIFIERS[name], true]));
const middle = (from, to, max) => (Math.max(from, 0) + Math.min(to, max)) / 2;

function bringIntoView(element) {
  const box = dom.box(element);
  if (box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth) return;
  Element.prototype.scrollIntoView.call(element, { block: 'center', inline: 'center', behavior: 'instant' });
}

// The middle of what is in view of an element's first box.
function pointOf(element) {
  const box = dom.boxes(element)[0] ?? dom.box(element);
  return { clientX: Math.round(middle(box.left, box.right, innerWidth)), clientY: Math.round(middle(box.top, box.bottom, innerHeight)) };
}

// Within an element that draws a shadow root, what is under the point there: a person can hit nothing else of it.
function innermost(element, { clientX, clientY }) {
  for (let depth = 0; depth < 100; depth++) {
    const root = shadowOf(element);
    const inside = root?.elementFromPoint(clientX, clientY);
    if (!inside || inside === element || dom.rootNode(inside) !== root) break;
    element = inside;
  }
  return element;
}

// What changes in the page from now on, and which events reach an element.
class Effect {
  constructor(element) {
    this.element = element;
    this.isMutated = false;
    this.reached = new Set();
    this.ending = new AbortController();
    this.observer = new MutationObserver(() => { this.isMutated = true });
    for (let at = element, depth = 0; at && depth < 100; depth++) {
      const root = dom.rootNode(at);
      this.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      at = root instanceof ShadowRoot ? root.host : null;
    }
    this.before = this.state();
  }

  state() {
    const element = dom.closest(this.element, 'label')?.control ?? this.element;
    const focused = dom.matches(element, EDITED) && focusedElement() === element;
    return JSON.stringify([location.href, element.value, element.checked, element.selectedIndex, scrollX, scrollY, focused]);
  }

  hears(target, ...types) {
    for (const type of types) listen(target, type, () => this.reached.add(type), this.ending.signal);
  }

  // `judge` looks once the page had its say, and answers with `took` and whatever else is to be told.
  async end(judge) {
    await nextFrame();
    const judged = judge();
    const changed = this.isMutated || this.observer.takeRecords().length > 0 || this.before !== this.state();
    this.observer.disconnect();
    this.ending.abort();
    return { changed, ...judged };
  }
}

const mouse = (type, point, more) => new MouseEvent(type, { bubbles: true, cancelable: true, composed: true, view: window, ...point, ...more });
const pointer = (type, point, more) => new PointerEvent(type, {
  bubbles: true, cancelable: true, composed: true, view: window, pointerId: 1, pointerType: 'mouse', isPrimary: true, width: 1, height: 1, ...point, ...more,
});

// Where our pointer was last.
let pointed = null;

function ancestorsOf(element) {
  const line = [];
  for (let at = element; at && line.length < 1000; at = drawnParent(at)) line.push(at);
  return line;
}

// Moves our pointer over an element, away from where it was.
function moveOver(target, point, keys) {
  const last = pointed?.deref();
  const line = ancestorsOf(target);
  const quiet = { ...keys, bubbles: false, cancelable: false, composed: false };
  if (last !== target) {
    if (last && dom.isConnected(last)) {
      send(last, pointer('pointerout', point, { ...keys, relatedTarget: target }));
      send(last, mouse('mouseout', point, { ...keys, relatedTarget: target }));
      for (const left of ancestorsOf(last).filter(element => !line.includes(element))) {
        send(left, pointer('pointerleave', point, quiet));
        send(left, mouse('mouseleave', point, quiet));
      }
    }
    const within = last && dom.isConnected(last) ? new Set(ancestorsOf(last)) : new Set();
    const entered = line.filter(element => !within.has(element)).reverse();
    send(target, pointer('pointerover', point, keys));
    for (const element of entered) send(element, pointer('pointerenter', point, quiet));
    send(target, mouse('mouseover', point, keys));
    for (const element of entered) send(element, mouse('mouseenter', point, quiet));
    pointed = new WeakRef(target);
  }
  send(target, pointer('pointermove', point, keys));
  send(target, mouse('mousemove', point, keys));
}

// Gives the focus to an element, or to the nearest around it that takes it; else takes it from what has it.
function focusOn(element) {
  const had = focusedElement();
  for (const at of ancestorsOf(element)) {
    if (typeof at.focus !== 'function') continue;
    (at instanceof HTMLElement ? HTMLElement : SVGElement).prototype.focus.call(at, { preventScroll: true });
    const now = focusedElement();
    if (now === at || (now !== null && now !== had)) return;
  }
  if (had instanceof HTMLElement) HTMLElement.prototype.blur.call(had);
}

// One click, or a double one, with all that precedes it.
function clickOn(target, point, options, effect) {
  const [button, pressed] = BUTTONS[options.button ?? 'left'];
  const keys = modifiersOf(options.modifiers);
  moveOver(target, point, keys);
  for (let detail = 1; detail <= (options.click_count ?? 1); detail++) {
    const down = { ...keys, button, buttons: pressed, detail }, up = { ...keys, button, buttons: 0, detail };
    const isMouse = send(target, pointer('pointerdown', point, { ...down, detail: 0, pressure: 0.5 }));
    if (!isMouse || send(target, mouse('mousedown', point, down))) if (isMouse) focusOn(target);
    send(target, pointer('pointerup', point, { ...up, detail: 0 }));
    if (isMouse) send(target, mouse('mouseup', point, up));
    // A page that took the element away when it was pressed had all of the click that it wanted.
    if (!dom.isConnected(target)) return effect.reached.has('pointerdown') || effect.reached.has('mousedown');
    if (button === 0) send(target, pointer('click', point, up));
    else {
      if (button === 2) send(target, mouse('contextmenu', point, up));
      send(target, pointer('auxclick', point, up));
    }
    if (detail === 2 && button === 0) send(target, mouse('dblclick', point, up));
  }
  return effect.reached.has(button === 0 ? 'click' : 'auxclick');
}

kit.domClick = (number, options) => {
  const element = elementOf(number);
  if (!element) return { missed: 'gone' };
  if (!isEnabled(element)) return { missed: 'disabled' };
  bringIntoView(element);
  const point = pointOf(shownBy(element) ?? element);
  const target = innermost(element, point);
  const effect = new Effect(element);
  effect.hears(target, 'pointerdown', 'mousedown', 'click', 'auxclick');
  const took = clickOn(target, point, options, effect);
  return effect.end(() => ({ took }));
};

kit.domHover = (number, options) => {
  const element = elementOf(number);
  if (!element) return { missed: 'gone' };
  bringIntoView(element);
  const point = pointOf(element);
  const target = innermost(element, point);
  const effect = new Effect(element);
  effect.hears(target, 'mousemove');
  moveOver(target, point, modifiersOf(options.modifiers));
  return effect.end(() => ({ took: effect.reached.has('mousemove') }));
};
