// Whether a selector matches; null where it is not a selector.
selector => { try { return document.querySelector(selector) !== null } catch { return null } }
