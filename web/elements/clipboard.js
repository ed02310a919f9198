// Copies and downloads. Neither makes a request.
import { make } from './dom.js';

/**
 * Copies text, also where the page has no clipboard of its own (plain http, a foreign frame).
 *
 * @param {string} text
 * @param {Node} root where a field may stand for a moment
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyText(text, root) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, root);
  }
}

/**
 * @param {string} text
 * @param {Node} root
 */
function copyBySelection(text, root) {
  const focused = /** @type {any} */ (root).activeElement ?? null;
  const field = make('textarea', { class: 'away', 'aria-hidden': 'true', tabindex: '-1' });
  field.value = text;
  root.appendChild(field);
  field.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  field.remove();
  focused?.focus?.();
  return copied;
}

/**
 * Copies text that is still to come: the promise keeps the right to copy that a key press gave.
 *
 * @param {Promise<string>} text
 * @param {Node} root where a field may stand for a moment
 * @returns {Promise<{copied: string, kept: boolean}>} the text, and whether the clipboard has it
 */
export async function copyWhenThere(text, root) {
  let kept = false;
  try {
    const blob = text.then((copied) => {
      if (!copied) throw new Error('nothing');
      return new Blob([copied], { type: 'text/plain' });
    });
    blob.catch(() => {});
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    kept = true;
  } catch {
    kept = false;
  }
  const copied = await text;
  if (copied && !kept) kept = await copyText(copied, root);
  return { copied, kept };
}

/**
 * Copies a picture, as PNG since clipboards take nothing else.
 *
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyPicture(canvas) {
  try {
    /** @type {Promise<Blob>} */
    const png = new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
    });
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Offers bytes as a file.
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Returns a file's name for what came from a URL: its host, and nothing that a file system minds.
 *
 * @param {unknown} url
 * @param {string} extension
 */
export function fileName(url, extension) {
  let host = '';
  try {
    host = new URL(String(url)).hostname.replace(/[^a-z0-9.-]+/gi, '-').slice(0, 80);
  } catch {
    host = '';
  }
  return `${host || 'page'}.${extension}`;
}
