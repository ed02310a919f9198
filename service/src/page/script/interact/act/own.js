// The document's methods and getters, taken from their prototypes: in a form or a document with an element named `id`,
// `closest` or `activeElement` the property of that name is the element.
const bound = (functionOf) => Function.prototype.call.bind(functionOf);
const getter = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const setter = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).set);
const method = (type, name) => bound(type.prototype[name]);

const parentNodeOf = dom.parent;
const nextOf = dom.nextSibling;
const previousOf = dom.previousSibling;
const nodeTypeOf = dom.type;
const isConnected = dom.isConnected;
const rootOf = dom.rootNode;
const contains = dom.contains;
const textOf = dom.textContent;
const childrenOf = getter(Element, 'children');
const slotOf = dom.slot;
const tagOf = dom.tag;
const attributeOf = dom.attribute;
const hasAttribute = dom.has;
const closest = dom.closest;
const matches = dom.matches;
const rectOf = dom.box;
const ownRectsOf = method(Element, 'getClientRects');
const hasPoint = (rect, x, y) => rect.left <= x && x <= rect.right && rect.top <= y && y <= rect.bottom;
const rectsOf = (element) => (isArea(element) ? [areaBox(element)] : ownRectsOf(element));
// What is drawn of an element, or in its place.
const drawnOf = (element) => (isArea(element) ? imageOf(element) : null) ?? element;
const ownScrollIntoView = method(Element, 'scrollIntoView');
const scrollIntoView = (element, how) => ownScrollIntoView(drawnOf(element), how);
const findIn = method(Element, 'querySelectorAll');
const ownIsRendered = method(Element, 'checkVisibility');
const isRendered = (element, how) => ownIsRendered(drawnOf(element), how);
const focusOn = method(HTMLElement, 'focus');
const isEditable = getter(HTMLElement, 'isContentEditable');
const innerTextOf = getter(HTMLElement, 'innerText');
const dispatch = method(EventTarget, 'dispatchEvent');
const listen = method(EventTarget, 'addEventListener');
const activeIn = (root) => (root instanceof ShadowRoot ? getter(ShadowRoot, 'activeElement') : getter(Document, 'activeElement'))(root);
const elementAt = (root, x, y) =>
  (root instanceof ShadowRoot ? ShadowRoot : Document).prototype.elementFromPoint.call(root, x, y);
const elementsAt = (root, x, y) =>
  (root instanceof ShadowRoot ? ShadowRoot : Document).prototype.elementsFromPoint.call(root, x, y);

// The parent as the page is drawn: an element in a slot is inside the slot, one in a shadow root inside its host.
const flatParent = (node) => {
  const slot = node instanceof Element ? slotOf(node) : null;
  const parent = slot ?? parentNodeOf(node);
  if (parent instanceof ShadowRoot) return parent.host;
  return slot === null && parent instanceof Element ? closedSlotOf(node, parent) ?? parent : parent;
};
const flatClosest = (node, selector) => {
  for (let at = node; at instanceof Element; at = flatParent(at)) if (matches(at, selector)) return at;
  return null;
};
const isWithin = (node, outer) => {
  for (let at = node; at; at = flatParent(at)) if (at === outer) return true;
  return false;
};

const DESCRIBED_CHARS_MAX = 60;
// An element as a person would write it down: `<div id="consent">`.
const describe = (element) => {
  let told = `<${tagOf(element).slice(0, DESCRIBED_CHARS_MAX)}`;
  for (const name of ['id', 'name', 'type', 'role', 'aria-label', 'class']) {
    const value = attributeOf(element, name);
    if (value === null || (name === 'class' && told.includes(' '))) continue;
    told += ` ${name}=${JSON.stringify(value.slice(0, DESCRIBED_CHARS_MAX).toWellFormed())}`;
  }
  return `${told}>`;
};

const FRAME_LONGEST_MS = 250;
// The next frame. A page that draws none, in a window behind another, goes on after a while: whether one was drawn.
const frame = () => new Promise((resolve) => {
  const longest = setTimeout(() => resolve(false), FRAME_LONGEST_MS);
  requestAnimationFrame(() => { clearTimeout(longest); resolve(true); });
});
const boxOf = (rect) => ({ x: rect.x, y: rect.y, width: rect.width, height: rect.height });
