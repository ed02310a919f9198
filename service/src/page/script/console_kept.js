// Runs in each document of a session's page as it begins, in our world: keeps the first errors that console.js tells of,
// until they are read.
((name, ERRORS_MAX, TEXT_CHARS_MAX) => {
  let kept = [];
  window.addEventListener(name, (event) => {
    event.stopImmediatePropagation();
    if (kept.length < ERRORS_MAX && typeof event.detail === 'string') kept.push(event.detail.slice(0, TEXT_CHARS_MAX).toWellFormed());
  }, true);
  globalThis.portholeErrors = () => kept.splice(0);
})