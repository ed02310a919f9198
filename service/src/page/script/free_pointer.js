// The pointer of a page is not locked. A headless browser has no pointer that it could put back: it goes on moving it, before
// all other input. And Escape, by which a person ends a lock, is taken by a browser's window, which a viewer does not have.
addEventListener('pointerlockchange', () => Document.prototype.exitPointerLock.call(document), true);
