// The kit: functions of ours that stay in a document's isolated world, so that later calls send a name and arguments only.
// It knows elements by numbers of this document. A number is given once and never to another element.
const kit = {};
// Tells this document from every other, also of the same frame. (`randomUUID` is for secure contexts alone.)
const documentId = Array.from(crypto.getRandomValues(new Uint32Array(4)), part => part.toString(36)).join('-');
const numbers = new WeakMap();
const elements = new Map();
let given = 0;

// The number of an element, given on first use.
function numberOf(element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++given;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
  }
  return number;
}

// The element of a number while it is in this document, else null.
function elementOf(number) {
  const element = elements.get(number)?.deref();
  return element && dom.isConnected(element) && dom.document(element) === document ? element : null;
}

// Numbers of elements that are no more are forgotten beyond so many.
const NUMBERS_MAX = 100_000;
function forgetNumbers() {
  if (elements.size > NUMBERS_MAX) for (const [number, element] of elements) if (!element.deref()) elements.delete(number);
}

kit.hello = () => ({ document: documentId });

// The element itself, for the protocol's own methods.
kit.element = (number) => elementOf(number);
