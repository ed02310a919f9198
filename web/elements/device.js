// This person's device: whether its line is slow, and the pictures that fit its screen.

/** Image pixels for a CSS pixel; more are not seen on a phone and cost as much again. */
const SCALE_MAX = 2;
/** Narrower windows are phones', which get pages in their own size. */
const PHONE_MAX_PX = 600;
const SLOW = ['slow-2g', '2g', '3g'];

/** Whether the person saves data, or the line is slow, where the browser tells it. */
export function savesData() {
  const { connection } = /** @type {any} */ (navigator);
  return connection?.saveData === true || SLOW.includes(connection?.effectiveType);
}

/** Image pixels for a CSS pixel of this screen that are worth asking for. */
export function pictureScale() {
  return savesData() ? 1 : Math.min(Math.max(devicePixelRatio || 1, 1), SCALE_MAX);
}

/**
 * Returns the `viewport` to ask for, so that a page's picture fits this screen: on a phone its window, of a mobile device.
 * Null on larger screens, where the default fits.
 *
 * @param {number} [height] the part of the window that the picture gets, in CSS pixels
 */
export function phoneViewport(height = innerHeight) {
  if (innerWidth >= PHONE_MAX_PX) return null;
  return { width: innerWidth, height: Math.max(Math.round(height), 200), mobile: true, device_scale_factor: pictureScale() };
}
