// Where the picture lies on the stage, and which point of the page is under a point of the stage. Pure: numbers in,
// numbers out. A stage is the space that the viewer has, in its own CSS pixels, so device pixels play no part; a page is
// the viewport whose picture is shown, in the page's CSS pixels. The picture keeps its shape: what is left is letterbox.

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{width: number, height: number}} Size
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{zoom: number, panX: number, panY: number}} View The viewer's own magnification: 1 fits the page into the
 *   stage; pan is the way of the picture's middle from the stage's, in stage pixels.
 */

export const ZOOM_MAX = 8;
/** The view that shows the whole page. @type {Readonly<View>} */
export const WHOLE = Object.freeze({ zoom: 1, panX: 0, panY: 0 });

/**
 * Returns the picture's box on the stage.
 *
 * @param {Size} stage
 * @param {Size} page
 * @param {View} [view]
 * @returns {Box}
 */
export function pictureBox(stage, page, view = WHOLE) {
  if (!(stage.width > 0 && stage.height > 0 && page.width > 0 && page.height > 0)) {
    return { x: 0, y: 0, width: 0, height: 0 };
  }
  const scale = Math.min(stage.width / page.width, stage.height / page.height) * view.zoom;
  const width = page.width * scale;
  const height = page.height * scale;
  return {
    x: (stage.width - width) / 2 + within(view.panX, slack(width, stage.width)),
    y: (stage.height - height) / 2 + within(view.panY, slack(height, stage.height)),
    width,
    height,
  };
}

/** How far a picture may be moved from the middle before its edge comes into the stage. @param {number} picture @param {number} stage */
function slack(picture, stage) {
  return Math.max(0, (picture - stage) / 2);
}

/** @param {number} value @param {number} limit */
function within(value, limit) {
  return Math.min(limit, Math.max(-limit, value));
}

/**
 * Returns the page's point under a point of the stage. `inside` is false over the letterbox; the point is then the
 * nearest one of the page, for a drag that left the picture.
 *
 * @param {Box} box the picture's
 * @param {Size} page
 * @param {Point} point
 * @returns {Point & {inside: boolean}}
 */
export function toPage(box, page, point) {
  if (!(box.width > 0 && box.height > 0)) return { x: 0, y: 0, inside: false };
  const x = ((point.x - box.x) * page.width) / box.width;
  const y = ((point.y - box.y) * page.height) / box.height;
  const inside = x >= 0 && y >= 0 && x < page.width && y < page.height;
  return { x: edge(x, page.width), y: edge(y, page.height), inside };
}

/** A coordinate on the page: its last pixel is the last that can be hit. @param {number} value @param {number} length */
function edge(value, length) {
  if (value < 0) return 0;
  if (value >= length) return Math.max(0, length - 1);
  return value;
}

/**
 * Returns the place on the stage of a box of the page.
 *
 * @param {Box} box the picture's
 * @param {Size} page
 * @param {Box} rect
 * @returns {Box}
 */
export function toStage(box, page, rect) {
  if (!(page.width > 0 && page.height > 0)) return { x: 0, y: 0, width: 0, height: 0 };
  const across = box.width / page.width;
  const down = box.height / page.height;
  return { x: box.x + rect.x * across, y: box.y + rect.y * down, width: rect.width * across, height: rect.height * down };
}

/**
 * Returns the view after magnifying by `factor`, with the page's point under `point` where it was.
 *
 * @param {Size} stage
 * @param {Size} page
 * @param {View} view
 * @param {Point} point on the stage
 * @param {number} factor
 * @returns {View}
 */
export function zoomAt(stage, page, view, point, factor) {
  const zoom = Math.min(ZOOM_MAX, Math.max(1, view.zoom * factor));
  const before = pictureBox(stage, page, view);
  const ratio = zoom / view.zoom;
  const middle = { x: before.x + before.width / 2, y: before.y + before.height / 2 };
  return settle(stage, page, {
    zoom,
    panX: point.x + (middle.x - point.x) * ratio - stage.width / 2,
    panY: point.y + (middle.y - point.y) * ratio - stage.height / 2,
  });
}

/**
 * Returns the view moved by so many stage pixels, no further than the picture's edge.
 *
 * @param {Size} stage
 * @param {Size} page
 * @param {View} view
 * @param {number} dx
 * @param {number} dy
 * @returns {View}
 */
export function panBy(stage, page, view, dx, dy) {
  return settle(stage, page, { zoom: view.zoom, panX: view.panX + dx, panY: view.panY + dy });
}

/**
 * @param {Size} stage
 * @param {Size} page
 * @param {View} view
 * @returns {View}
 */
function settle(stage, page, view) {
  const { width, height } = pictureBox(stage, page, view);
  return {
    zoom: view.zoom,
    panX: within(view.panX, slack(width, stage.width)),
    panY: within(view.panY, slack(height, stage.height)),
  };
}
