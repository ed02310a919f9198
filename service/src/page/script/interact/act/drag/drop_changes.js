// What the page changes by a drag, and whether what was dragged has come back.

const ADDED_MAX = 10_000;
const COPIES_LOOKED_AT_MAX = 200, COVERS_LOOKED_AT_MAX = 200;
// Whether an element lies over the whole window and shows nothing. Pages have one while something is dragged, so that the pointer
// is over nothing else.
const isBlankCover = (element, { element: target, source }) => {
  if (getComputedStyle(element).position !== 'fixed' || isWithin(target, element) || (source && isWithin(source, element))) return false;
  const { left, top, right, bottom } = rectOf(element);
  return left <= 0 && top <= 0 && right >= innerWidth && bottom >= innerHeight && isClear(element) && !matches(element, SHOWS);
};
// Counts what the page changes and notes what it adds. The focus that a press gives is no change.
const watchDrop = (now) => {
  let room = ADDED_MAX, copies = COPIES_LOOKED_AT_MAX, covers = COVERS_LOOKED_AT_MAX;
  const observer = new MutationObserver((records) => {
    now.changes++;
    for (const { addedNodes, type, target } of records) {
      // One that is kept from drag to drag comes by its attributes.
      if (type === 'attributes' && !now.added.has(target) && covers-- > 0 && isBlankCover(target, now)) now.added.add(target);
      for (const node of addedNodes) {
        if (room-- <= 0) continue;
        now.added.add(node);
        // A node with the same words is taken for a copy that is drawn under the pointer.
        if (now.words && node instanceof Element && copies-- > 0 && wordsOfDragged(node) === now.words) now.copy = node;
      }
    }
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  const roots = new Set([document, ...rootsSeen()]);
  for (let root = rootOf(now.element); root instanceof ShadowRoot; root = rootOf(root.host)) roots.add(root);
  for (const root of roots) observer.observe(root, all);
  now.values = valuesNow();
  const note = (event) => { if (event.type !== 'scroll' || !now.scrolls) now.changes++; };
  const types = ['input', 'change', 'toggle', 'scroll'];
  for (const type of types) window.addEventListener(type, note, { capture: true, passive: true });
  now.hasChanged = () => observer.takeRecords().length > 0 || now.changes > 0 || valuesNow() !== now.values;
  now.end = () => {
    observer.disconnect();
    for (const type of types) window.removeEventListener(type, note, { capture: true });
  };
};
// What an element says, as a number.
const SAID_CHARS_MAX = 200_000;
const hashOfText = (element) => hashOf(textOf(element).slice(0, SAID_CHARS_MAX));
// What the page says, and how the target looks by its attributes.
const pageNow = (target) => `${hashOfText(documentRoot())} ${shallowOf(target)}`;
const shallowOf = (element) => dom.attributeNames(element).map((name) => `${name}=${attributeOf(element, name).slice(0, 200)}`).join();

kit.dropChanged = () => {
  // What a canvas draws can't be compared.
  const changed = watched?.isOnCanvas || (dropping?.hasChanged() ?? true);
  dropped = dropping;
  // HTML's drag and drop carries a picture of it. What is dropped elsewhere than in its own list may be taken there unseen.
  if (dropped && dragged) dropped.wentAlong = dropped.source !== null && parentNodeOf(dropped.source) === parentNodeOf(dropped.element);
  dropEnds();
  return changed;
};
// Whether what went along with the pointer is back where it was, and nothing else is another than before, once the page has settled.
kit.dropReturned = () => {
  const was = dropped;
  dropped = null;
  const wentAlong = was?.wentAlong || (was?.copy && !isConnected(was.copy));
  if (!wentAlong || !isConnected(was.source) || !isConnected(was.element)) return false;
  const [{ parent, beside }] = was.chain;
  const isBack = parentNodeOf(was.source) === parent && siblingsOf(was.source).every((one, way) => one === beside[way]);
  const stands = [[was.source, was.from], [was.element, was.box]].every(([one, { x, y, width, height }]) => {
    const now = rectOf(one);
    return Math.abs(now.x - x) <= 1 && Math.abs(now.y - y) <= 1 && Math.abs(now.width - width) <= 1 && Math.abs(now.height - height) <= 1;
  });
  return isBack && stands && was.page === pageNow(was.element) && was.values === valuesNow();
};

// What was said around source and target before a drag that has failed, to be compared once it is let go.
let saidBefore = null;
kit.dropMoved = () => saidBefore !== null && saidBefore.hash !== hashOfText(saidBefore.list);
