// Runs in each document as it begins, in our world: the first listeners on its window are ours, so that an event which
// must not reach the page reaches none of its listeners. They do nothing until an action sets `portholeGuard`. It is part of
// the kit, too: in a document without script nothing runs as it begins.
if (!globalThis.portholeHear) {
  const hear = (event) => globalThis.portholeGuard?.(event);
  const TYPES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  // Again where `document.open` has taken them away.
  globalThis.portholeHear = () => {
    for (const type of TYPES) window.addEventListener(type, hear, { capture: true, passive: false });
  };
  globalThis.portholeHear();
}
