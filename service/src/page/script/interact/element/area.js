// Areas of image maps: links of which nothing is drawn but the image. An area's box is that of its shape on the image.

const AREAS_MAX = 500, IMAGES_MAX = 500, COORDS_MAX_CHARS = 10_000;

const isArea = (element) => element instanceof HTMLAreaElement;
const mapName = (image) => (dom.attribute(image, 'usemap') ?? '').replace(/^[^#]*#/, '');

// The image that an area is of; null of one that is of none that is drawn.
function imageOf(area) {
  const map = dom.closest(area, 'map');
  const name = map && dom.attribute(map, 'name');
  if (!name) return null;
  const images = allIn(dom.rootNode(map), 'img[usemap]');
  for (let at = 0; at < images.length && at < IMAGES_MAX; at++) {
    if (mapName(images[at]) === name && Element.prototype.checkVisibility.call(images[at], { visibilityProperty: true })) return images[at];
  }
  return null;
}

// The areas of an image that lead somewhere.
function areasOf(image) {
  const name = mapName(image);
  if (name === '') return [];
  const maps = allIn(dom.rootNode(image), 'map');
  for (let at = 0; at < maps.length && at < IMAGES_MAX; at++) {
    if (dom.attribute(maps[at], 'name') === name) return [...allIn(maps[at], 'area[href], area[onclick]')].slice(0, AREAS_MAX);
  }
  return [];
}

// Where an area is in the viewport; without size where its image is not drawn.
function areaBox(area) {
  const image = imageOf(area);
  if (!image) return new DOMRect();
  const outer = dom.ownBox(image);
  const style = getComputedStyle(image);
  const px = (name) => Number.parseFloat(style[name]) || 0;
  const left = px('borderLeftWidth') + px('paddingLeft'), top = px('borderTopWidth') + px('paddingTop');
  const width = outer.width - left - px('borderRightWidth') - px('paddingRight');
  const height = outer.height - top - px('borderBottomWidth') - px('paddingBottom');
  const [x1, y1, x2, y2] = shapeBox(area) ?? [0, 0, width, height];
  const within = (at, size) => Math.max(0, Math.min(at, size));
  const [fromX, toX, fromY, toY] = [within(x1, width), within(x2, width), within(y1, height), within(y2, height)];
  return new DOMRect(outer.x + left + fromX, outer.y + top + fromY, toX - fromX, toY - fromY);
}

// The box of an area's shape on its image; null of the whole image.
function shapeBox(area) {
  const shape = (dom.attribute(area, 'shape') ?? '').toLowerCase();
  if (shape === 'default') return null;
  const numbers = (dom.attribute(area, 'coords') ?? '').slice(0, COORDS_MAX_CHARS).split(/[\s,;]+/).map(Number.parseFloat).filter(Number.isFinite);
  if (shape.startsWith('circ')) {
    const [x = 0, y = 0, radius = 0] = numbers;
    return [x - radius, y - radius, x + radius, y + radius];
  }
  const [along, down] = [0, 1].map((odd) => numbers.filter((_, at) => at % 2 === odd));
  if (along.length === 0 || down.length === 0) return [0, 0, 0, 0];
  return [Math.min(...along), Math.min(...down), Math.max(...along), Math.max(...down)];
}
