// What a page or a model wrote, made fit to be shown: links, one-line labels, long texts. Everything is text. And what a
// person typed as an address.
import { make } from './dom.js';

/** The longest one-line label shown, in UTF-16 code units. */
const LABEL_MAX_CHARS = 300;

/**
 * Returns the URL as the standard writes it, or null unless it is http or https.
 *
 * @param {unknown} text
 * @returns {string | null}
 */
export function webUrl(text) {
  if (typeof text !== 'string' || text.length > 20_000) return null;
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * Returns what a person typed as an address, with a scheme. A colon before a digit is a port's: `example.com:8080/x`. Names
 * without a dot and addresses are mostly local servers, which speak plain HTTP.
 *
 * @param {string} text
 */
export function typedUrl(text) {
  const typed = text.trim();
  if (/^[a-z][a-z0-9+.-]*:(\/\/|(?!\d))/i.test(typed)) return typed;
  const host = /^(\[[^\]]*\]|[^:/?#]*)/.exec(typed)?.[0] ?? '';
  const isLocal = !host.includes('.') || /^\[|\.localhost$|^[\d.]+$/i.test(host);
  return `${isLocal ? 'http' : 'https'}://${typed}`;
}

/**
 * Returns any value as a string on one line, without control characters, cut at 300 characters.
 *
 * @param {unknown} value
 * @param {number} [max]
 */
export function line(value, max = LABEL_MAX_CHARS) {
  if (value === null || value === undefined || typeof value === 'object') return '';
  const text = String(value).slice(0, max * 4).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/gu, ' ').trim();
  return text.length > max ? `${cut(text, max - 1)}…` : text;
}

/**
 * Returns at most `max` code units, and no half of a character.
 *
 * @param {string} text
 * @param {number} max
 */
export function cut(text, max) {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/**
 * Shows a one-line label. It is isolated: direction overrides in it end with it.
 *
 * @param {unknown} value
 * @param {Record<string, any>} [attributes]
 */
export function label(value, attributes = {}) {
  return make('bdi', attributes, line(value));
}

/**
 * Shows a URL, as a link if it is http or https, otherwise as text.
 *
 * @param {unknown} value
 * @param {Record<string, any>} [attributes]
 */
export function address(value, attributes = {}) {
  const url = webUrl(value);
  if (url === null) return make('bdi', { dir: 'ltr', ...attributes }, line(value));
  return link(url, [line(url)], { dir: 'ltr', ...attributes });
}

/**
 * Makes a link that opens beside the app and tells the page nothing.
 *
 * @param {string} url an http or https URL
 * @param {import('./dom.js').Child[]} children
 * @param {Record<string, any>} [attributes]
 */
export function link(url, children, attributes = {}) {
  const rel = 'noopener noreferrer nofollow ugc';
  return make('a', { href: url, target: '_blank', rel, referrerpolicy: 'no-referrer', ...attributes }, ...children);
}
