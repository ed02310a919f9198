// Maps between this window and that of an inline frame, with the frame's borders, its zoom and the transforms around it.

// The map of a frame's window into ours. Affine transforms keep the middle of a box in the middle of the rectangle around
// it, so the linear part is all that is needed of them.
const frameMap = (element) => {
  const style = getComputedStyle(element);
  const px = (name) => parseFloat(style[name]) || 0;
  let linear = new DOMMatrix();
  for (let at = element; at; at = drawnParent(at)) {
    const own = getComputedStyle(at);
    if (own.rotate === 'none' && own.scale === 'none' && own.transform === 'none') continue;
    const rotated = own.rotate === 'none' ? '' : `rotate(${own.rotate})`;
    const scaled = own.scale === 'none' ? '' : `scale(${own.scale.split(' ').slice(0, 2).join(', ')})`;
    try {
      linear = new DOMMatrix(`${rotated} ${scaled} ${own.transform === 'none' ? '' : own.transform}`).multiply(linear);
    } catch { /* a rotation about another axis: as if it were none */ }
  }
  const rect = dom.box(element);
  // Lengths of its style, and of its window, are in units that `zoom` scales: its own and those around it.
  const { a, b, c, d } = linear.scale(element.currentCSSZoom ?? 1);
  const [alongX, alongY] = [px('borderLeftWidth') + px('paddingLeft') - element.offsetWidth / 2, px('borderTopWidth') + px('paddingTop') - element.offsetHeight / 2];
  return new DOMMatrix([a, b, c, d, rect.x + rect.width / 2 + a * alongX + c * alongY, rect.y + rect.height / 2 + b * alongX + d * alongY]);
};
// `[x, y, a, b, c, d]`: a point (h, v) of a frame's window is at (x + a h + c v, y + b h + d v) in ours.
const mapLine = (element) => {
  const { a, b, c, d, e, f } = frameMap(element);
  return [e, f, a, b, c, d].map((px) => Math.max(-1e9, Math.min(1e9, px)) || 0);
};
// A point of a frame's window in ours.
const outwards = (element, x, y, { a, b, c, d, e, f } = frameMap(element)) => [e + a * x + c * y, f + b * x + d * y];
// Whether a frame is drawn in perspective, so that parts of it are scaled otherwise than others.
const isInPerspective = (element) => {
  let isFlat = true;
  for (let at = element; at; at = drawnParent(at)) {
    const { perspective, rotate, translate, transform } = getComputedStyle(at);
    if (perspective !== 'none' && !isFlat) return true;
    const { m13, m14, m23, m24, m34, m43 } = new DOMMatrix(transform);
    if (m14 !== 0 || m24 !== 0 || m34 !== 0) return true;
    // An axis, a depth.
    if (rotate.includes(' ') || translate.split(' ').length > 2 || m13 !== 0 || m23 !== 0 || m43 !== 0) isFlat = false;
  }
  return false;
};
// A point of this window in that of a frame; null where that can't be told, of a frame that is turned out of its plane.
const inwards = (element, x, y) => {
  if (isInPerspective(element)) return null;
  const point = frameMap(element).invertSelf().transformPoint(new DOMPoint(x, y));
  return Number.isFinite(point.x) && Number.isFinite(point.y) ? point : null;
};
// The box around what a box inside a frame is in ours.
const boxOutwards = (element, { x, y, width, height }) => {
  const map = frameMap(element);
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(([h, v]) => outwards(element, h, v, map));
  const [xs, ys] = [corners.map(([h]) => h), corners.map(([, v]) => v)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
};
// The part of a box that a frame's window has room for.
const partInside = (element, { x, y, width, height }) => {
  const style = getComputedStyle(element), px = (name) => parseFloat(style[name]) || 0;
  const room = [element.clientWidth - px('paddingLeft') - px('paddingRight'), element.clientHeight - px('paddingTop') - px('paddingBottom')];
  const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
  return { x: left, y: top, width: Math.max(0, Math.min(x + width, room[0]) - left), height: Math.max(0, Math.min(y + height, room[1]) - top) };
};

// Where a box inside a frame is in this document; with `isPart` only what is in the frame's view.
kit.outward = (number, box, isPart) => {
  const element = elementOf(number);
  return element && boxOutwards(element, isPart ? partInside(element, box) : box);
};
