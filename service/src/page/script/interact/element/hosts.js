// Elements that may have closed shadow roots. No document can see these, the protocol can: it is asked about the elements that a walk
// or a search has come upon, and tells the kit.

// How many elements are asked about at once, and when a search asks again.
const HOSTS_MAX = 64, HOSTS_AGAIN_MS = 900;
// Elements that can have shadow roots beside those whose names have a hyphen.
const HOST_TAGS = new Set(['article', 'aside', 'blockquote', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main',
  'nav', 'p', 'section', 'span']);
const HOST_PX_MIN = 4, HOSTS_LOOKED_AT_MAX = 20_000;
// When an element was asked about last, and its size then: with a root that has come since it is often another.
const askedHosts = new WeakMap();
let likelyHosts = [];

// What the protocol has found: `root` is the closed root of its host.
kit.closed = (root) => { if (root instanceof ShadowRoot) closedRoots.set(root.host, root) };
// The elements that the latest walk or search asks about.
kit.hosts = () => likelyHosts;

const sizeOfHost = (element) => { const { width, height } = dom.box(element); return `${width} ${height}` };
// An element that shows nothing of its own has a size by its style, or by what is in its root.
const isLargeHost = (element) => { const { width, height } = dom.box(element); return width > HOST_PX_MIN && height > HOST_PX_MIN };
// Adds an element to `hosts`, unless it was asked about as it is now.
function addHost(hosts, element) {
  if (hosts.length >= HOSTS_MAX || shadowOf(element)) return;
  const size = sizeOfHost(element);
  if (askedHosts.get(element)?.size === size) return;
  noteAskedHost(element, size);
  hosts.push(element);
}
// An element that its page has yet to define is asked about again.
function noteAskedHost(element, size) {
  if (dom.matches(element, ':defined')) askedHosts.set(element, { size, at: performance.now() });
}
// Of all elements in these trees: those that were not asked about yet, else those that were some time ago.
function hostsAmong(trees) {
  const hosts = [], again = [], before = performance.now() - HOSTS_AGAIN_MS;
  let room = HOSTS_LOOKED_AT_MAX;
  for (const tree of trees) {
    for (const element of allIn(tree, '*')) {
      if (hosts.length >= HOSTS_MAX) return hosts;
      const tag = dom.tag(element), isCustom = tag.includes('-');
      if (!isCustom && !(HOST_TAGS.has(tag) && room-- > 0 && mayHideRoot(element))) continue;
      addHost(hosts, element);
      if (again.length < HOSTS_MAX && askedHosts.get(element)?.at < before && !shadowOf(element)) again.push(element);
    }
  }
  if (hosts.length > 0) return hosts;
  for (const element of again) noteAskedHost(element, sizeOfHost(element));
  return again;
}
// Whether nothing that is in an element is drawn.
function mayHideRoot(element) {
  const child = dom.firstElement(element);
  // Without a style a child is drawn nowhere: no slot shows it.
  return child === null ? dom.firstChild(element) === null && isLargeHost(element) : getComputedStyle(child).display === '';
}
