// Gives files to a file input, as a browser does once a person has chosen them.
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const giveFiles = (input, files) => {
  const transfer = new DataTransfer();
  for (const { name, mime_type, content_base64 } of files) {
    transfer.items.add(new File([bytesOf(content_base64)], name, { type: mime_type }));
  }
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'files').set.call(input, transfer.files);
  for (const type of ['input', 'change']) {
    EventTarget.prototype.dispatchEvent.call(input, new Event(type, { bubbles: true, composed: type === 'input' }));
  }
};
