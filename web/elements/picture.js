// A picture from base64, drawn on a canvas: that needs no image source in the page's Content Security Policy. It can be
// enlarged in a dialog with zoom.
import { button, fill, make } from './dom.js';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];
/** The longest base64 text that is decoded: 20 MB of picture. */
const BASE64_MAX_CHARS = 28_000_000;
/** The largest canvas, in pixels and on one side: above that some browsers draw nothing. */
const PIXELS_MAX = 16_000_000;
const SIDE_MAX_PX = 16_384;
const ZOOM_STEP = 1.5;
const ZOOM_MAX = 8;

/**
 * Decodes base64 to a picture's file.
 *
 * @param {unknown} base64
 * @param {unknown} mime
 * @returns {Blob | null} null where it is no picture that is shown here
 */
export function pictureFile(base64, mime) {
  if (typeof base64 !== 'string' || base64.length === 0 || base64.length > BASE64_MAX_CHARS) return null;
  if (typeof mime !== 'string' || !TYPES.includes(mime)) return null;
  try {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return new Blob([bytes], { type: mime });
  } catch {
    return null;
  }
}

/**
 * Draws a picture's file.
 *
 * @param {Blob} file
 * @returns {Promise<HTMLCanvasElement>} rejected for a broken picture
 */
export async function draw(file) {
  const whole = await createImageBitmap(file);
  const { width, height } = whole;
  const scale = Math.min(1, SIDE_MAX_PX / width, SIDE_MAX_PX / height, Math.sqrt(PIXELS_MAX / (width * height)));
  const canvas = make('canvas', {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(whole, 0, 0, canvas.width, canvas.height);
  whole.close();
  return canvas;
}

/**
 * Shows a drawn picture over the whole window, with zoom by buttons, keys and wheel.
 *
 * @param {HTMLCanvasElement} small
 * @param {string} name
 * @param {ShadowRoot} root
 */
export function enlarge(small, name, root) {
  const large = make('canvas', { width: small.width, height: small.height, role: 'img', 'aria-label': name });
  /** @type {CanvasRenderingContext2D} */ (large.getContext('2d')).drawImage(small, 0, 0);
  const scroll = make('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Enlarged picture' }, large);
  const shown = make('output', { class: 'said' });
  let zoom = 0;
  const fit = () => Math.min(1, (scroll.clientWidth || innerWidth) / large.width);
  const set = (/** @type {number} */ wanted) => {
    zoom = Math.min(ZOOM_MAX, Math.max(Math.min(fit(), 0.1), wanted));
    large.style.setProperty('inline-size', `${Math.round(large.width * zoom)}px`);
    shown.textContent = `${Math.round(zoom * 100)} %`;
  };
  const dialog = make(
    'dialog',
    { 'aria-label': name },
    make(
      'div',
      { class: 'tools' },
      button('Zoom out', 'minus', () => set(zoom / ZOOM_STEP), { attributes: { class: 'quiet' } }),
      button('Zoom in', 'plus', () => set(zoom * ZOOM_STEP), { attributes: { class: 'quiet' } }),
      button('Fit', 'full', () => set(fit()), { shown: true, attributes: { class: 'quiet' } }),
      shown,
      button('Close', 'close', () => dialog.close(), { shown: true, attributes: { class: 'quiet' } }),
    ),
    scroll,
  );
  dialog.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') set(zoom * ZOOM_STEP);
    else if (event.key === '-') set(zoom / ZOOM_STEP);
    else if (event.key === '0') set(fit());
  });
  scroll.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    set(event.deltaY < 0 ? zoom * 1.15 : zoom / 1.15);
  }, { passive: false });
  dialog.addEventListener('close', () => dialog.remove());
  root.appendChild(dialog);
  dialog.showModal();
  set(fit());
  scroll.focus();
}

/**
 * Fills a place with the picture once it is decoded, or with a sentence where it is broken.
 *
 * @param {HTMLElement} place
 * @param {Blob | null} file
 * @param {string} name
 * @param {ShadowRoot} root
 * @returns {Promise<HTMLCanvasElement | null>}
 */
export async function show(place, file, name, root) {
  try {
    if (!file) throw new Error('no picture');
    const canvas = await draw(file);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', name);
    fill(place, make('button', { type: 'button', 'aria-label': `Enlarge: ${name}`, on: { click: () => enlarge(canvas, name, root) } }, canvas));
    return canvas;
  } catch {
    fill(place, make('p', { class: 'note', role: 'status' }, 'The picture is damaged and can’t be shown.'));
    return null;
  }
}
