// The DOM's own accessors. A form or a document answers `form.parentNode` with its field of that name where it has one,
// in every world, so nodes that may be one of these are read through the prototypes' accessors.
const getterOf = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (node) => get.call(node);
};
const methodOf = (prototype, name) => {
  const method = prototype[name];
  return (node, first, second) => method.call(node, first, second);
};

const dom = {
  type: getterOf(Node.prototype, 'nodeType'),
  parent: getterOf(Node.prototype, 'parentNode'),
  children: getterOf(Node.prototype, 'childNodes'),
  firstChild: getterOf(Node.prototype, 'firstChild'),
  nextSibling: getterOf(Node.prototype, 'nextSibling'),
  previousSibling: getterOf(Node.prototype, 'previousSibling'),
  isConnected: getterOf(Node.prototype, 'isConnected'),
  document: getterOf(Node.prototype, 'ownerDocument'),
  textContent: getterOf(Node.prototype, 'textContent'),
  rootNode: methodOf(Node.prototype, 'getRootNode'),
  contains: methodOf(Node.prototype, 'contains'),
  compare: methodOf(Node.prototype, 'compareDocumentPosition'),
  tag: getterOf(Element.prototype, 'localName'),
  namespace: getterOf(Element.prototype, 'namespaceURI'),
  openRoot: getterOf(Element.prototype, 'shadowRoot'),
  slot: getterOf(Element.prototype, 'assignedSlot'),
  elementCount: getterOf(Element.prototype, 'childElementCount'),
  firstElement: getterOf(Element.prototype, 'firstElementChild'),
  lastElement: getterOf(Element.prototype, 'lastElementChild'),
  nextElement: getterOf(Element.prototype, 'nextElementSibling'),
  previousElement: getterOf(Element.prototype, 'previousElementSibling'),
  attribute: methodOf(Element.prototype, 'getAttribute'),
  attributeNames: methodOf(Element.prototype, 'getAttributeNames'),
  has: methodOf(Element.prototype, 'hasAttribute'),
  matches: methodOf(Element.prototype, 'matches'),
  closest: methodOf(Element.prototype, 'closest'),
  find: methodOf(Element.prototype, 'querySelector'),
  ownBox: methodOf(Element.prototype, 'getBoundingClientRect'),
  box: (element) => (isArea(element) ? areaBox(element) : dom.ownBox(element)),
  boxes: methodOf(Element.prototype, 'getClientRects'),
};
// What a selector finds in a document, a shadow root or an element.
const allIn = (root, selector) => {
  const query = root instanceof Document ? Document : root instanceof DocumentFragment ? DocumentFragment : Element;
  return query.prototype.querySelectorAll.call(root, selector);
};
const documentRoot = () => getterOf(Document.prototype, 'documentElement')(document);
const documentBody = () => getterOf(Document.prototype, 'body')(document);
const isElementNode = (node) => dom.type(node) === 1;
const isHtml = (element) => dom.namespace(element) === 'http://www.w3.org/1999/xhtml';

// Fields that ever were for passwords: pages show one by making it a plain field.
const secrets = new WeakSet();
const OFFERING = '[role=combobox], [role=searchbox], [aria-autocomplete], [list]';
function isSecretField(element) {
  if (secrets.has(element)) return true;
  const tag = dom.tag(element);
  if (tag !== 'input' && tag !== 'textarea') return false;
  const kept = (dom.attribute(element, 'autocomplete') ?? '').toLowerCase().split(/\s+/);
  // Lists to choose from say so too, to have no browser offer others.
  const isPassword = (kept.includes('current-password') || kept.includes('new-password')) && !dom.matches(element, OFFERING);
  const isSecret = (tag === 'input' && element.type === 'password') || isPassword
    || !['none', undefined, ''].includes(getComputedStyle(element).webkitTextSecurity);
  if (isSecret) secrets.add(element);
  return isSecret;
}

// Closed shadow roots by their hosts, as the protocol has told of them.
const closedRoots = new WeakMap();
const shadowOf = (element) => dom.openRoot(element) ?? closedRoots.get(element) ?? null;

// What a slot shows.
const assignedNodes = methodOf(HTMLSlotElement.prototype, 'assignedNodes');

// The slot of a closed root that shows a child of its host: a node itself tells of open ones alone. Kept until the page's
// script may run again, since a host may have many children.
let closedSlots = null;
function closedSlotOf(node, host) {
  const root = closedRoots.get(host);
  if (root === undefined) return null;
  if (closedSlots === null) {
    closedSlots = new Map();
    queueMicrotask(() => { closedSlots = null });
  }
  let shown = closedSlots.get(host);
  if (shown === undefined) {
    closedSlots.set(host, shown = new Map());
    for (const slot of allIn(root, 'slot')) for (const one of assignedNodes(slot)) shown.set(one, slot);
  }
  return shown.get(node) ?? null;
}

// The parent in the tree that is drawn: slots and shadow hosts count. Null above the document's root.
function drawnParent(node) {
  const slot = isElementNode(node) || dom.type(node) === 3 ? node.assignedSlot ?? null : null;
  if (slot instanceof HTMLSlotElement) return slot;
  const parent = dom.parent(node);
  if (parent === null) return null;
  if (dom.type(parent) === 11) return parent instanceof ShadowRoot ? parent.host : null;
  return dom.type(parent) === 1 ? closedSlotOf(node, parent) ?? parent : null;
}

// The shadow roots that were walked through, for what observes changes: one can't select them.
const SEEN_ROOTS_MAX = 500;
let seenRoots = [];
const notedRoots = new WeakSet();
function noteRoot(root) {
  if (notedRoots.has(root)) return;
  if (seenRoots.length >= SEEN_ROOTS_MAX) seenRoots = seenRoots.filter(seen => seen.deref()?.isConnected);
  if (seenRoots.length >= SEEN_ROOTS_MAX) return;
  notedRoots.add(root);
  seenRoots.push(new WeakRef(root));
}
function rootsSeen() {
  return seenRoots.map(seen => seen.deref()).filter(root => root?.isConnected);
}

// The nodes that an element draws: of its shadow root, assigned to its slot, or its own.
function drawnChildren(element) {
  const shadow = shadowOf(element);
  if (shadow) {
    noteRoot(shadow);
    return dom.children(shadow);
  }
  if (element instanceof HTMLSlotElement) {
    const assigned = assignedNodes(element);
    if (assigned.length) return assigned;
  }
  return dom.children(element);
}

// The same, at most so many, faster where all of them are read one after the other.
function manyDrawnChildren(element, max) {
  if (shadowOf(element) || element instanceof HTMLSlotElement) return drawnChildren(element);
  const nodes = [];
  for (let node = dom.firstChild(element); node !== null && nodes.length < max; node = dom.nextSibling(node)) nodes.push(node);
  return nodes;
}

// An element by its id in the tree (document or shadow root) that `beside` is in.
function byId(beside, id) {
  const root = dom.rootNode(beside);
  if (id === '' || root === null) return null;
  if (root instanceof Document) return Document.prototype.getElementById.call(root, id);
  return root instanceof DocumentFragment ? DocumentFragment.prototype.getElementById.call(root, id) : null;
}

// The elements that an attribute's list of ids names, at most a hundred.
function byIds(element, attribute) {
  const ids = dom.attribute(element, attribute);
  if (ids === null || ids.length > 10_000) return [];
  return ids.split(/\s+/, 100).map(id => byId(element, id)).filter(found => found !== null);
}

// The element that has the focus, in shadow roots too; null where it is the document's own or a frame's.
function focusedElement() {
  let focused = getterOf(Document.prototype, 'activeElement')(document);
  for (let depth = 0; focused && depth < 100; depth++) {
    const inside = shadowOf(focused)?.activeElement;
    if (!inside) break;
    focused = inside;
  }
  return focused === documentBody() || focused === documentRoot() ? null : focused;
}
