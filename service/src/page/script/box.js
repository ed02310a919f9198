// Returns the box of the first match of a selector, in CSS pixels of the document.
selector => {
  let element;
  try { element = document.querySelector(selector) } catch { return { invalid: true } }
  if (!element) return {};
  const box = element.getBoundingClientRect();
  const left = Math.max(0, box.left + scrollX), top = Math.max(0, box.top + scrollY);
  return { box: { left, top, width: box.right + scrollX - left, height: box.bottom + scrollY - top } };
}
