// Runs in each document as it begins, in our world: the first listeners on its window are ours, so that an event which
// must not reach the page reaches none of its listeners. They do nothing until an action sets `portholeGuard` (guard.js),
// `portholeReached` (events.js), `portholeHold` or `portholeHushedUntil` (outside.js). It is part of the kit, too: in a document without script nothing runs as
// it begins.
if (!globalThis.portholeHear) {
  const POINTER = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  const KEYS = ['keydown', 'keypress', 'keyup', 'beforeinput', 'textInput', 'paste'];
  // Those of HTML's drag and drop.
  const DROPS = ['dragenter', 'dragover', 'drop'];
  const HELD = { pointer: POINTER, keys: KEYS, drops: DROPS };
  const ID_CHARS_MAX = 60;
  // Of a document that no input is meant for: `{types, until, by}`.
  let held = null;
  const named = (target) => {
    if (!(target instanceof Element)) return 'another document';
    const id = Element.prototype.getAttribute.call(target, 'id');
    const tag = Object.getOwnPropertyDescriptor(Element.prototype, 'localName').get.call(target).slice(0, ID_CHARS_MAX);
    return `<${tag}${id === null ? '' : ` id=${JSON.stringify(id.slice(0, ID_CHARS_MAX).toWellFormed())}`}> in another frame`;
  };
  const isHeld = (event) => {
    if (held && event.timeStamp > held.until) held = null;
    return held !== null && event.isTrusted && held.types.includes(event.type);
  };
  // An Escape for a popup of the browser's own (outside.js).
  const isHushed = (event) => event.isTrusted && event.key === 'Escape' && performance.now() < globalThis.portholeHushedUntil;
  const hear = (event) => {
    if (isHushed(event)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    globalThis.portholeReached?.(event);
    if (!isHeld(event)) return globalThis.portholeGuard?.(event);
    // A release alone acts on nothing.
    if (!event.type.endsWith('up')) held.by ??= named(event.composedPath()[0]);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // Again where `document.open` has taken them away.
  globalThis.portholeHear = () => {
    for (const type of [...POINTER, ...KEYS, ...DROPS, 'mouseover']) window.addEventListener(type, hear, { capture: true, passive: false });
  };
  // Stops input of a kind (`pointer`, `keys`, `drops`) in this document for `ms`; then `portholeRelease` says what would
  // have got it.
  globalThis.portholeHold = (kind, ms) => {
    globalThis.portholeHear();
    const now = performance.now();
    // Told again, it still knows what it has stopped.
    held = { types: HELD[kind], until: now + ms, by: held && now < held.until ? held.by : null };
  };
  globalThis.portholeRelease = () => {
    if (!held) return null;
    // What was sent before and comes later is stopped still.
    held.until = Math.min(held.until, performance.now());
    return held.by;
  };
  globalThis.portholeHushedUntil = 0;
  globalThis.portholeHear();
}
