// The live view's wire: frames, close codes, the address behind a viewer's link. Pure, but for decoding text.

export const SUBPROTOCOL = 'porthole.live.v1';
/** A frame's JSON header is some hundred bytes. */
const HEADER_MAX_BYTES = 4_096;
/** The longest message that the server takes, with room for what surrounds the text. */
export const TEXT_MAX_CHARS = 15_000;
/** All files of one chooser: 14 MB as a message in base64. */
export const FILES_MAX_BYTES = 10_000_000;

/**
 * @typedef {object} FrameHeader
 * @property {number} seq
 * @property {number} width the picture's, in pixels
 * @property {number} height
 * @property {number} timestamp_ms
 */

/**
 * Takes a binary message apart: four bytes with the header's length, the header as JSON, the JPEG.
 *
 * @param {ArrayBuffer} message
 * @returns {{header: FrameHeader, jpeg: Uint8Array<ArrayBuffer>} | null} null for a malformed one
 */
export function parseFrame(message) {
  if (message.byteLength < 4) return null;
  const length = new DataView(message).getUint32(0);
  if (length > HEADER_MAX_BYTES || 4 + length >= message.byteLength) return null;
  try {
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(message, 4, length)));
    if (!Number.isFinite(header?.seq)) return null;
    return { header, jpeg: new Uint8Array(message, 4 + length) };
  } catch {
    return null;
  }
}

/**
 * Reads a viewer's link, `https://worker/live#ticket=…`.
 *
 * @param {string} link
 * @param {string} [base]
 * @returns {{socket: string, ticket: string} | null}
 */
export function readLink(link, base = location.href) {
  try {
    const url = new URL(link, base);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    const ticket = new URLSearchParams(url.hash.slice(1)).get('ticket');
    if (!ticket) return null;
    return { socket: socketOf(new URL(url.pathname.replace(/\/live\/?$/, '') || '/', url)), ticket };
  } catch {
    return null;
  }
}

/**
 * Returns the WebSocket's address at a worker.
 *
 * @param {URL} worker
 */
export function socketOf(worker) {
  const url = new URL(worker);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/sandbox/live`;
  url.search = url.hash = '';
  return url.href;
}

/**
 * What a close code means to a person, and whether the viewer comes again by itself.
 *
 * @param {number} code
 * @returns {{sentence: string, again: 'by itself' | 'when asked' | 'never', status: string}}
 */
export function closed(code) {
  switch (code) {
    case 1000:
      return { sentence: 'The live view was closed.', again: 'when asked', status: 'closed' };
    case 4400:
      return { sentence: 'The viewer and the server don’t understand each other.', again: 'never', status: 'refused' };
    case 4401:
      return { sentence: 'This link has expired. Ask for a new one.', again: 'never', status: 'expired' };
    case 4404:
      return { sentence: 'This browser session is gone.', again: 'never', status: 'gone' };
    case 4410:
      return { sentence: 'The browser session has ended.', again: 'never', status: 'ended' };
    case 4429:
      return { sentence: 'Too many people are watching. Try again shortly.', again: 'when asked', status: 'full' };
    default:
      return { sentence: 'The connection was lost. Connecting again…', again: 'by itself', status: 'reconnecting' };
  }
}

/** The names of CSS cursors, which are all that a server may choose. */
const CURSORS = new Set(
  ('alias all-scroll auto cell col-resize context-menu copy crosshair default e-resize ew-resize grab grabbing help move ' +
    'n-resize ne-resize nesw-resize no-drop none not-allowed ns-resize nw-resize nwse-resize pointer progress row-resize ' +
    's-resize se-resize sw-resize text vertical-text w-resize wait zoom-in zoom-out').split(' '),
);

/** @param {unknown} name */
export function cursorOf(name) {
  return typeof name === 'string' && CURSORS.has(name) ? name : 'default';
}

/** Modifiers as the protocol counts them. @param {{altKey: boolean, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean}} event */
export function modifiersOf(event) {
  return (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}

/** Whether the person sits at a Mac, whose Command key stands for Control in the session. */
export const APPLE = /Mac|iPhone|iPad/.test(navigator.platform ?? '');
