// Whether a loaded document shows anything yet. Applications that are drawn by their server's messages are blank until the first.

const PICTURED = 'img, svg, canvas, video, audio, iframe, embed, object, input, select, textarea, button';
const FIRST_NODES_MAX = 2000;
// A host of a closed shadow root shows something if it has a size.
const isShown = (node) => (dom.type(node) === 3
  ? /\S/.test(node.data.slice(0, 1000)) && !SKIPPED.has(tagOf(dom.parent(node))) && actVisible(dom.parent(node))
  : (matches(node, PICTURED) || tagOf(node).includes('-') || shadowOf(node) !== null) && actVisible(node));
const showsAnything = () => {
  const body = documentBody();
  if (!body) return false;
  if (shadowOf(body) !== null) return true;
  const walker = Document.prototype.createTreeWalker.call(document, body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  let nodes = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (++nodes > FIRST_NODES_MAX || isShown(node)) return true;
  return false;
};
// Waits until a document whose scripts may draw something shows anything, `longestMs` at most; whether it does.
kit.showsFirst = (longestMs) => new Promise((done) => {
  const shows = showsAnything();
  if (shows || document.scripts.length === 0) return done(shows);
  const ends = () => { observer.disconnect(); clearTimeout(timer); done(showsAnything()) };
  const observer = new MutationObserver(() => { if (showsAnything()) ends() });
  const timer = setTimeout(ends, longestMs);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
});
