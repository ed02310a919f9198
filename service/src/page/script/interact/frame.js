// Where the window of an inline frame is in ours, whatever its borders, its zoom and the transforms around it.

// Maps a point from a frame's window to ours. Affine transforms keep the middle of a box in the middle of the rectangle
// around it, so the linear part is all that is needed of them.
const outwards = (element, x, y) => {
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
  const zoom = element.currentCSSZoom ?? 1;
  linear = linear.scale(zoom);
  const [width, height] = [element.offsetWidth, element.offsetHeight];
  const [alongX, alongY] = [px('borderLeftWidth') + px('paddingLeft') + x - width / 2, px('borderTopWidth') + px('paddingTop') + y - height / 2];
  return [
    rect.x + rect.width / 2 + linear.a * alongX + linear.c * alongY,
    rect.y + rect.height / 2 + linear.b * alongX + linear.d * alongY,
  ];
};
// `[x, y, a, b, c, d]`: a point (h, v) of a frame's window is at (x + a h + c v, y + b h + d v) in ours.
const frameMap = (element) => {
  const [x, y] = outwards(element, 0, 0);
  const [rightX, rightY] = outwards(element, 1, 0);
  const [downX, downY] = outwards(element, 0, 1);
  return [x, y, rightX - x, rightY - y, downX - x, downY - y].map((px) => Math.max(-1e9, Math.min(1e9, px)) || 0);
};
// A point of this window in that of a frame; null where the frame is turned out of its plane.
const inwards = (element, x, y) => {
  const [left, top] = outwards(element, 0, 0);
  const [rightX, rightY] = outwards(element, 1, 0);
  const [downX, downY] = outwards(element, 0, 1);
  const map = new DOMMatrix([rightX - left, rightY - top, downX - left, downY - top, left, top]).invertSelf();
  const point = map.transformPoint(new DOMPoint(x, y));
  return Number.isFinite(point.x) && Number.isFinite(point.y) ? point : null;
};
// The box around what a box inside a frame is in ours.
const boxOutwards = (element, { x, y, width, height }) => {
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(corner => outwards(element, ...corner));
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
