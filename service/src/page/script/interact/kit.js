// The kit: functions of ours that stay in a document's isolated world, so that later calls send a name and arguments only.
// It knows elements by numbers of this document. A number is given once and never to another element.
const kit = {};
// Tells this document from every other, also of the same frame.
// Not `randomUUID`, which only secure origins have.
const documentId = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
const numbers = new WeakMap();
const elements = new Map();
let given = 0;
const isConnectedOf = Object.getOwnPropertyDescriptor(Node.prototype, 'isConnected').get;
const ownerDocumentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'ownerDocument').get;

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
  // By the prototype's getters: a form with a field of that name hides its own.
  return element && isConnectedOf.call(element) && ownerDocumentOf.call(element) === document ? element : null;
}

kit.hello = () => ({ document: documentId });

// The element itself, for the protocol's own methods.
kit.element = (number) => elementOf(number);
