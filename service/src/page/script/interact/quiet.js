// Whether the document changes: counted from before an action until it has come to rest.

const STILL_FRAMES = 2;
const CHANGES = ['input', 'change', 'toggle', 'scroll', 'focusin'];
let watched = null;

const watch = (element) => {
  watched?.end();
  const now = { changes: 0, changed: false, end: () => {} };
  const note = () => { now.changes++; now.changed = true; };
  const observer = new MutationObserver(note);
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  for (let root = element && rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) observer.observe(root, all);
  for (const type of CHANGES) window.addEventListener(type, note, { capture: true, passive: true });
  now.look = () => { if (observer.takeRecords().length > 0) note(); };
  now.end = () => {
    observer.disconnect();
    for (const type of CHANGES) window.removeEventListener(type, note, { capture: true });
  };
  watched = now;
};
kit.watch = () => {
  dragged = false;
  watch(null);
};

// What came of the action's events; see guard.js.
const cameOf = () => {
  const { by = null, seen = false, reached = 0, done = 0, lost = null } = underGuard() ?? {};
  return { by, seen, reached, done, lost };
};
// Waits until nothing has changed for two frames, `longestMs` at most. Says at once if the action's events were swallowed.
kit.rest = async (longestMs) => {
  if (underGuard()?.by) {
    const swallowed = cameOf();
    unguard();
    return { ...swallowed, still: true, changed: false };
  }
  if (!watched) watch(null);
  const until = performance.now() + longestMs;
  let still = 0;
  while (still < STILL_FRAMES) {
    watched.look();
    const before = watched.changes;
    await frame();
    watched.look();
    still = watched.changes === before ? still + 1 : 0;
    if (still < STILL_FRAMES && performance.now() > until) break;
  }
  return { ...cameOf(), still: still >= STILL_FRAMES, changed: watched.changed };
};

// The action is over.
kit.leave = () => {
  dropEnds();
  endGuard();
  [meant, nestedFirst, typedInto] = [null, null, null];
  watched?.end();
  watched = null;
};
