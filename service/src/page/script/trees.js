// Trees within trees: shadow roots and frames. Used by find.js and by interact/find/locate.js, each inside a function of its own.

const FRAMES_DEEP_MAX = 16;

// A form or a document answers with its field of that name where it has one, so these are asked by the prototypes.
const accessor = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return node => get.call(node);
};
const nodeType = accessor(Node.prototype, 'nodeType');
// Numbers and texts that XPath computes are no nodes.
const typeOf = node => (typeof node.literal === 'string' ? 0 : nodeType(node));
const localNameOf = accessor(Element.prototype, 'localName');
// The kit knows closed roots too, as far as the protocol has told of them.
const shadowRootOf = typeof shadowOf === 'function' ? shadowOf : accessor(Element.prototype, 'shadowRoot');
const parentOf = accessor(Node.prototype, 'parentNode');
const QUERIED = { 1: Element.prototype, 9: Document.prototype, 11: DocumentFragment.prototype };
const queryAll = (scope, selector) => QUERIED[typeOf(scope)].querySelectorAll.call(scope, selector);

const isElement = node => typeOf(node) === 1;
const documentOf = frame => { try { return frame.contentDocument } catch { return null } };
const isFrame = element => localNameOf(element) === 'iframe' || localNameOf(element) === 'frame';

// The trees right inside `scope` that a selector does not see by itself, each with the element that holds it: shadow
// roots, and of a frame the document that `inFrame` gives for it, if any.
function treesInside(scope, inFrame) {
  const trees = [];
  const look = element => {
    const shadow = shadowRootOf(element);
    if (shadow) trees.push([element, shadow]);
    else if (isFrame(element)) {
      const inner = inFrame(element);
      if (inner) trees.push([element, inner]);
    }
  };
  if (isElement(scope)) look(scope);
  for (const element of queryAll(scope, '*')) look(element);
  return trees;
}

// All that `find` finds in a tree and in the trees inside it (`innerTrees` tells which), in the order of the page.
function pierceWith(innerTrees, scope, find, depth = 0) {
  const found = find(scope);
  if (depth >= FRAMES_DEEP_MAX) return found;
  const trees = innerTrees(scope);
  if (trees.length === 0) return found;
  const merged = [];
  let next = 0;
  for (const [holder, tree] of trees) {
    const inside = pierceWith(innerTrees, tree, find, depth + 1);
    if (inside.length === 0) continue;
    while (next < found.length) {
      // XPath finds numbers and texts as well, which have no place.
      if (typeof found[next].literal === 'string') { merged.push(found[next++]); continue }
      const place = Node.prototype.compareDocumentPosition.call(holder, found[next]);
      if (found[next] !== holder && !(place & Node.DOCUMENT_POSITION_PRECEDING)) break;
      merged.push(found[next++]);
    }
    for (const one of inside) merged.push(one);
  }
  while (next < found.length) merged.push(found[next++]);
  return merged;
}

const holderOf = node => {
  const parent = parentOf(node);
  if (parent) return parent;
  if (typeOf(node) === 11) return node.host ?? null;
  if (typeOf(node) === 9) { try { return node.defaultView?.frameElement ?? null } catch { return null } }
  return null;
};
const contains = (scope, node) => Node.prototype.contains.call(scope, node);
const rootOf = node => Node.prototype.getRootNode.call(node);
function isInside(node, scope) {
  if (contains(scope, node)) return true;
  for (let at = rootOf(node); at; ) {
    const holder = holderOf(at);
    if (!holder) return false;
    if (scope === at || contains(scope, holder)) return true;
    at = rootOf(holder);
  }
  return false;
}

// An inner scope is searched with the outer one around it.
function outermost(scopes) {
  const outer = [];
  for (const scope of scopes) {
    const last = outer[outer.length - 1];
    if (!last || typeof scope.literal === 'string' || !isInside(scope, last)) outer.push(scope);
  }
  return outer;
}

const squeezed = text => text.replace(/\s+/g, ' ').trim();
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'head', 'title']);
