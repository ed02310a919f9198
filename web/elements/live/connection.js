// The socket: hello, messages, frames, reconnection. It knows nothing of what is drawn.
import { SUBPROTOCOL, closed, parseFrame } from './protocol.js';

/** Waits between two attempts: doubled from the first to the last, with a fifth of chance. */
const BACKOFF_FIRST_MS = 300;
const BACKOFF_LAST_MS = 10_000;
/** Time for a handshake. */
const OPEN_WITHIN_MS = 15_000;
const PING_EVERY_MS = 2_000;
/** So many pings without an answer are a lost connection. Counted, not timed: a hidden tab's timers are late. */
const PINGS_UNANSWERED_MAX = 5;
/** Bytes that wait in the socket, above which moves are left out. */
const BUFFERED_MAX_BYTES = 64 * 1_024;

/**
 * @typedef {object} Handlers
 * @property {(message: any) => void} message a JSON message of the server's
 * @property {(frame: {header: import('./protocol.js').FrameHeader, jpeg: Uint8Array<ArrayBuffer>}) => void} frame
 * @property {(status: string, sentence: string, again: string) => void} status
 * @property {(ms: number) => void} latency
 * @property {() => void} opened before the first message of each connection
 */

export class Connection {
  /**
   * @param {() => Promise<{socket: string, ticket: string} | null>} link asked before each attempt
   * @param {() => object} wishes what the hello says beside the ticket
   * @param {Handlers} handlers
   */
  constructor(link, wishes, handlers) {
    this._link = link;
    this._wishes = wishes;
    this._handlers = handlers;
    /** @type {WebSocket | null} */
    this._socket = null;
    this._attempt = 0;
    this._generation = 0;
    /** @type {number | undefined} */
    this._timer = undefined;
    /** @type {number | undefined} */
    this._pinging = undefined;
    /** @type {Map<number, number>} */
    this._pings = new Map();
    this._pingId = 0;
    /** Pings since the last sign of life. */
    this._silent = 0;
    this._buffered = 0;
    this._ended = true;
  }

  /** Whether messages can be sent. */
  get open() {
    return this._socket?.readyState === WebSocket.OPEN;
  }

  start() {
    this._ended = false;
    this._attempt = 0;
    addEventListener('online', this._online);
    void this._connect();
  }

  /** Ends the connection for good. */
  stop() {
    this._ended = true;
    this._generation += 1;
    removeEventListener('online', this._online);
    this._forget();
  }

  _online = () => {
    // The network is another one: a ping that has waited for a while goes unanswered.
    if (!this._ended && (!this._socket || this._silent > 1)) void this._connect();
  };

  _forget() {
    clearTimeout(this._timer);
    clearInterval(this._pinging);
    this._pings.clear();
    this._silent = this._buffered = 0;
    const socket = this._socket;
    this._socket = null;
    if (socket && socket.readyState <= WebSocket.OPEN) socket.close(1000);
  }

  async _connect() {
    this._forget();
    this._generation += 1;
    const generation = this._generation;
    this._handlers.status(this._attempt === 0 ? 'connecting' : 'reconnecting', this._attempt === 0 ? 'Connecting…' : closed(1006).sentence, 'by itself');
    const link = await this._link();
    if (generation !== this._generation || this._ended) return;
    if (!link) {
      this._end('refused', 'This link has no ticket.', 'never');
      return;
    }
    let socket;
    try {
      socket = new WebSocket(link.socket, SUBPROTOCOL);
    } catch {
      this._end('refused', 'This page may not open the live view.', 'never');
      return;
    }
    socket.binaryType = 'arraybuffer';
    this._socket = socket;
    const current = () => this._socket === socket && !this._ended;
    this._timer = setTimeout(() => socket.close(), OPEN_WITHIN_MS);
    socket.addEventListener('open', () => {
      if (!current()) return;
      clearTimeout(this._timer);
      this._handlers.opened();
      this.send({ type: 'hello', ticket: link.ticket, frames: 'binary', ...this._wishes() });
      this._pinging = setInterval(() => this._ping(), PING_EVERY_MS);
    });
    socket.addEventListener('message', (event) => {
      if (!current()) return;
      this._silent = 0;
      if (typeof event.data === 'string') this._text(event.data);
      else this._binary(event.data);
    });
    socket.addEventListener('close', (event) => {
      if (current()) this._closed(event.code);
    });
  }

  /** @param {string} text */
  _text(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message === null || typeof message !== 'object') return;
    // Being welcomed is what a working connection is; the next loss starts with the first wait again.
    if (message.type === 'welcome') this._attempt = 0;
    if (message.type === 'pong') {
      const sent = this._pings.get(message.id);
      this._pings.clear();
      if (sent !== undefined) this._handlers.latency(performance.now() - sent);
      return;
    }
    this._handlers.message(message);
  }

  /** @param {ArrayBuffer} data */
  _binary(data) {
    const frame = parseFrame(data);
    if (frame) this._handlers.frame(frame);
  }

  _ping() {
    // A ping waits behind what is being uploaded.
    const buffered = this._socket?.bufferedAmount ?? 0;
    if (buffered < this._buffered) this._silent = 0;
    this._buffered = buffered;
    if (this._silent >= PINGS_UNANSWERED_MAX) {
      this._closed(1006);
      return;
    }
    this._silent += 1;
    this._pingId += 1;
    this._pings.set(this._pingId, performance.now());
    this.send({ type: 'ping', id: this._pingId });
  }

  /** @param {number} code */
  _closed(code) {
    this._forget();
    const { status, sentence, again } = closed(code);
    if (again !== 'by itself') {
      this._end(status, sentence, again);
      return;
    }
    this._handlers.status(status, sentence, again);
    const wait = Math.min(BACKOFF_LAST_MS, BACKOFF_FIRST_MS * 2 ** this._attempt) * (0.9 + Math.random() * 0.2);
    this._attempt += 1;
    this._timer = setTimeout(() => void this._connect(), wait);
  }

  /**
   * @param {string} status
   * @param {string} sentence
   * @param {string} again
   */
  _end(status, sentence, again) {
    this.stop();
    this._handlers.status(status, sentence, again);
  }

  /**
   * Sends a message if the connection is open.
   *
   * @param {object} message
   */
  send(message) {
    if (this.open) this._socket?.send(JSON.stringify(message));
  }

  /** Sends what may be left out when the line is slow: a move. @param {object} message */
  sendIfIdle(message) {
    if (this.open && /** @type {WebSocket} */ (this._socket).bufferedAmount < BUFFERED_MAX_BYTES) this.send(message);
  }
}
