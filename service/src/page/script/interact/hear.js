// Runs in each document as it begins, in our world: the first listeners on its window are ours, so that an event which
// must not reach the page reaches none of its listeners. They do nothing until an action sets `portholeGuard` (guard.js),
// `portholeReached` (events.js) or `portholeHold`. It is part of the kit, too: in a document without script nothing runs as
// it begins.
if (!globalThis.portholeHear) {
  const POINTER = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  const KEYS = ['keydown', 'keypress', 'keyup', 'beforeinput', 'textInput', 'paste'];
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
    if (held && performance.now() > held.until) held = null;
    return held !== null && event.isTrusted && held.types.includes(event.type);
  };
  const hear = (event) => {
    globalThis.portholeReached?.(event);
    if (!isHeld(event)) return globalThis.portholeGuard?.(event);
    // A release alone acts on nothing.
    if (!event.type.endsWith('up')) held.by ??= named(event.composedPath()[0]);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // Again where `document.open` has taken them away.
  globalThis.portholeHear = () => {
    for (const type of [...POINTER, ...KEYS, 'mouseover']) window.addEventListener(type, hear, { capture: true, passive: false });
  };
  // Stops input in this document for `ms`; then `portholeRelease` says what would have got it.
  globalThis.portholeHold = (keys, ms) => {
    globalThis.portholeHear();
    held = { types: keys ? KEYS : POINTER, until: performance.now() + ms, by: null };
  };
  globalThis.portholeRelease = () => {
    const by = held?.by ?? null;
    held = null;
    return by;
  };
  globalThis.portholeHear();
}
