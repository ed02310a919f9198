// Runs in each document of a session's page as it begins, in the page's own world: only there errors of its scripts are
// heard. Tells our world (console_kept.js) of them by events of a name that the page does not know. What it uses is taken
// before the page's scripts can replace it.
((name, TEXT_CHARS_MAX) => {
  const ARGUMENTS_MAX = 10;
  const { apply } = Reflect;
  const [Custom, Fault, toText] = [CustomEvent, Error, String];
  const dispatch = EventTarget.prototype.dispatchEvent;
  const cut = String.prototype.slice;
  const view = window;
  let isTelling = false;
  const worded = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'symbol' || typeof value === 'function') return typeof value;
    if (typeof value !== 'object' || value === null) return toText(value);
    return value instanceof Fault ? toText(value.stack ?? value) : 'object';
  };
  // Reading a value may run the page's code, which may fail, or come here again.
  const tell = (head, values) => {
    if (isTelling) return;
    isTelling = true;
    try {
      let text = head;
      for (let at = 0; at < values.length && at < ARGUMENTS_MAX && text.length < TEXT_CHARS_MAX; at++) {
        text += (text === '' ? '' : ' ') + apply(cut, worded(values[at]), [0, TEXT_CHARS_MAX]);
      }
      apply(dispatch, view, [new Custom(name, { detail: apply(cut, text, [0, TEXT_CHARS_MAX]) })]);
    } catch { /* not told */ }
    isTelling = false;
  };
  view.addEventListener('error', (event) => {
    if (event.target === view) tell('', [event.message, `(${event.filename}:${event.lineno})`]);
  }, true);
  view.addEventListener('unhandledrejection', (event) => tell('Uncaught (in promise)', [event.reason]), true);
  // It looks native, as a function that a page compares must.
  console.error = new Proxy(console.error, {
    apply: (error, self, values) => {
      tell('', values);
      return apply(error, self, values);
    },
  });
})