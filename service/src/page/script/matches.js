// Returns whether a selector matches; null if it is invalid.
selector => { try { return document.querySelector(selector) !== null } catch { return null } }
