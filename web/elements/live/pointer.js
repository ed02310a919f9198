// Mouse, pen, fingers and wheel on the stage. A button that went down on the picture always comes up again: on a release
// anywhere, a cancelled or lost pointer, a lost window.
import { modifiersOf } from './protocol.js';

/** Presses so close in time and place are one more click of the same. */
const CLICKS_WITHIN_MS = 500;
const CLICKS_WITHIN_PX = 6;
/** A wheel that counts lines or pages. */
const LINE_PX = 32;
const PAGE_PX = 600;
/** The largest turn of a message; the server cuts what is more. In a frame more parts than these are no person's. */
const TURN_MAX_PX = 500;
const TURN_PARTS_MAX = 20;
const BUTTONS = /** @type {const} */ (['left', 'middle', 'right']);
/** The same buttons in `buttons`. */
const BITS = [1, 4, 2];

/**
 * @typedef {import('./mapping.js').Point} Point
 * @typedef {object} Handlers
 * @property {(message: object) => void} send
 * @property {(message: object) => void} sendMove what may be left out when the line is slow
 * @property {() => boolean} active whether input is sent
 * @property {() => boolean} hovers whether moves without a button are sent: they would take control of anyone who passes by
 * @property {(point: Point) => Point & {inside: boolean}} toPage
 * @property {(event: PointerEvent) => Point} onStage
 * @property {(point: Point, factor: number) => void} zoom magnifies the view
 * @property {(dx: number, dy: number) => void} pan
 * @property {(pointerType: string, point: Point) => void} pressed gives the text field the focus
 */

export class Pointer {
  /**
   * @param {HTMLElement} stage
   * @param {Handlers} handlers
   */
  constructor(stage, handlers) {
    this._stage = stage;
    this._handlers = handlers;
    /** The buttons that are down, with the pointer that holds them. @type {Map<string, number>} */
    this._held = new Map();
    this._last = { x: 0, y: 0 };
    this._modifiers = 0;
    this._click = { time: 0, x: 0, y: 0, count: 0, button: '' };
    /** @type {{x: number, y: number, button: string, modifiers: number} | null} */
    this._move = null;
    /** @type {{x: number, y: number, deltaX: number, deltaY: number, modifiers: number} | null} */
    this._wheel = null;
    this._frame = 0;
    /** The fingers on the stage. @type {Map<number, Point>} */
    this._fingers = new Map();
    /** Whether the page is told of the fingers; with a second one the view takes them. */
    this._touching = false;
    this._pinching = false;
    stage.addEventListener('pointerdown', (event) => this._down(event));
    stage.addEventListener('pointermove', (event) => this._moved(event));
    stage.addEventListener('pointerup', (event) => this._up(event));
    stage.addEventListener('pointercancel', (event) => this._cancelled(event));
    stage.addEventListener('lostpointercapture', (event) => this._lost(event));
    stage.addEventListener('contextmenu', (event) => event.preventDefault());
    stage.addEventListener('wheel', (event) => this._wheeled(event), { passive: false });
    // A press of the middle button would scroll the app, the fourth and fifth would leave it.
    stage.addEventListener('mousedown', (event) => event.preventDefault());
    stage.addEventListener('auxclick', (event) => event.preventDefault());
  }

  /** Releases all that is held. */
  release() {
    if (this._held.size === 0 && !this._handlers.hovers()) this._move = null;
    this._flush();
    for (const button of this._held.keys()) {
      this._mouse('mouseReleased', this._last, button, 1);
    }
    this._held.clear();
    if (this._touching) this._touch('touchCancel', []);
    this._touching = false;
    this._pinching = false;
    this._fingers.clear();
  }

  /**
   * @param {string} type
   * @param {Point} point
   * @param {string} button
   * @param {number} clickCount
   * @param {object} [more]
   */
  _mouse(type, point, button, clickCount, more = {}) {
    const event = { type, x: round(point.x), y: round(point.y), button, clickCount, deltaX: 0, deltaY: 0, modifiers: this._modifiers, ...more };
    this._handlers.send({ type: 'mouse', event });
  }

  /**
   * @param {string} type
   * @param {Iterable<[number, Point]>} fingers
   */
  _touch(type, fingers) {
    const points = [...fingers].map(([id, at]) => {
      const { x, y } = this._handlers.toPage(at);
      return { x: round(x), y: round(y), id };
    });
    const send = type === 'touchMove' ? this._handlers.sendMove : this._handlers.send;
    send({ type: 'touch', event: { type, points } });
  }

  /** Sends the moves that wait, so that no press overtakes them. */
  _flush() {
    cancelAnimationFrame(this._frame);
    this._frame = 0;
    const move = this._move;
    const wheel = this._wheel;
    this._move = this._wheel = null;
    if (move) this._handlers.sendMove({ type: 'mouse', event: { type: 'mouseMoved', ...move, x: round(move.x), y: round(move.y), clickCount: 0, deltaX: 0, deltaY: 0 } });
    if (wheel) this._turn(wheel);
  }

  /** Tells a turn of the wheel, in parts of which the server takes each whole. @param {{x: number, y: number, deltaX: number, deltaY: number, modifiers: number}} wheel */
  _turn({ x, y, deltaX, deltaY, modifiers }) {
    const parts = Math.ceil(Math.max(Math.abs(deltaX), Math.abs(deltaY)) / TURN_MAX_PX);
    for (let part = 0; part < Math.min(parts, TURN_PARTS_MAX); part += 1) {
      const event = { type: 'mouseWheel', x: round(x), y: round(y), deltaX: deltaX / parts, deltaY: deltaY / parts, modifiers, button: 'none', clickCount: 0 };
      this._handlers.send({ type: 'mouse', event });
    }
  }

  _soon() {
    if (!this._frame) this._frame = requestAnimationFrame(() => this._flush());
  }

  /** @param {PointerEvent} event */
  _down(event) {
    const at = this._handlers.onStage(event);
    const point = this._handlers.toPage(at);
    this._modifiers = modifiersOf(event);
    if (event.pointerType === 'touch') {
      event.preventDefault();
      this._fingerDown(event, at, point);
      return;
    }
    const button = BUTTONS[event.button];
    event.preventDefault();
    if (!button || !point.inside || !this._handlers.active()) return;
    this._capture(event);
    // A press takes control, and the page has seen no move before it.
    if (!this._handlers.hovers()) this._move = { x: point.x, y: point.y, button: 'none', modifiers: this._modifiers };
    this._flush();
    this._last = point;
    this._held.set(button, event.pointerId);
    this._handlers.pressed(event.pointerType, at);
    this._mouse('mousePressed', point, button, this._clicks(event, button));
  }

  /** @param {PointerEvent} event */
  _capture(event) {
    try {
      this._stage.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is gone already: its end has come or comes as an event.
    }
  }

  /**
   * @param {PointerEvent} event
   * @param {string} button
   */
  _clicks(event, button) {
    const last = this._click;
    const near = Math.abs(event.clientX - last.x) <= CLICKS_WITHIN_PX && Math.abs(event.clientY - last.y) <= CLICKS_WITHIN_PX;
    const again = last.button === button && near && event.timeStamp - last.time <= CLICKS_WITHIN_MS;
    const count = again ? (last.count % 3) + 1 : 1;
    this._click = { time: event.timeStamp, x: event.clientX, y: event.clientY, count, button };
    return count;
  }

  /** @param {PointerEvent} event */
  _moved(event) {
    const at = this._handlers.onStage(event);
    this._modifiers = modifiersOf(event);
    if (event.pointerType === 'touch') {
      this._fingerMoved(event, at);
      return;
    }
    const point = this._handlers.toPage(at);
    // While one button is down another goes down or up as a move; one may have come up where no event reached us.
    if (this._held.size > 0 && this._holds(event.pointerId)) this._changed(event, point);
    if (!this._handlers.active() || (!point.inside && this._held.size === 0)) return;
    const held = this._held.keys().next().value;
    if (held === undefined && !this._handlers.hovers()) return;
    this._last = point;
    this._move = { x: point.x, y: point.y, button: held ?? 'none', modifiers: this._modifiers };
    this._soon();
  }

  /**
   * @param {PointerEvent} event
   * @param {Point} point
   */
  _changed(event, point) {
    BUTTONS.forEach((button, index) => {
      const down = (event.buttons & BITS[index]) !== 0;
      if (down === this._held.has(button)) return;
      this._flush();
      this._last = point;
      if (down) this._held.set(button, event.pointerId);
      else this._held.delete(button);
      this._mouse(down ? 'mousePressed' : 'mouseReleased', point, button, 1);
    });
  }

  /** @param {PointerEvent} event */
  _up(event) {
    const at = this._handlers.onStage(event);
    this._modifiers = modifiersOf(event);
    if (event.pointerType === 'touch') {
      this._fingerUp(event, at);
      return;
    }
    const button = BUTTONS[event.button];
    if (!button || !this._held.delete(button)) return;
    this._flush();
    this._last = this._handlers.toPage(at);
    this._mouse('mouseReleased', this._last, button, this._click.button === button ? this._click.count : 1);
  }

  /** @param {PointerEvent} event */
  _cancelled(event) {
    if (event.pointerType === 'touch') {
      if (this._fingers.has(event.pointerId)) this.release();
    } else if (this._holds(event.pointerId)) {
      this.release();
    }
  }

  /** @param {PointerEvent} event */
  _lost(event) {
    // After a release nothing is held any more.
    if (this._holds(event.pointerId) && event.buttons === 0) this.release();
    else if (this._holds(event.pointerId) && !this._stage.hasPointerCapture(event.pointerId)) this.release();
    else if (this._fingers.has(event.pointerId)) this.release();
  }

  /** @param {number} pointerId */
  _holds(pointerId) {
    return [...this._held.values()].includes(pointerId);
  }

  /**
   * @param {PointerEvent} event
   * @param {Point} at
   * @param {Point & {inside: boolean}} point
   */
  _fingerDown(event, at, point) {
    this._capture(event);
    this._fingers.set(event.pointerId, at);
    if (this._fingers.size === 1) {
      if (!point.inside || !this._handlers.active()) return;
      this._touching = true;
      this._last = point;
      this._handlers.pressed('touch', at);
      this._touch('touchStart', this._fingers);
      return;
    }
    // Two fingers are the view's: the page forgets the first.
    if (this._touching) this._touch('touchCancel', []);
    this._touching = false;
    this._pinching = this._fingers.size === 2;
  }

  /**
   * @param {PointerEvent} event
   * @param {Point} at
   */
  _fingerMoved(event, at) {
    const before = this._fingers.get(event.pointerId);
    if (!before) return;
    if (this._pinching && this._fingers.size === 2) {
      const other = [...this._fingers].find(([id]) => id !== event.pointerId)?.[1] ?? before;
      const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(at.x - other.x, at.y - other.y);
      this._fingers.set(event.pointerId, at);
      this._handlers.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
      if (was > 1 && is > 1) this._handlers.zoom(middle, is / was);
      return;
    }
    this._fingers.set(event.pointerId, at);
    if (this._touching) this._touch('touchMove', this._fingers);
  }

  /**
   * @param {PointerEvent} event
   * @param {Point} at
   */
  _fingerUp(event, at) {
    if (!this._fingers.has(event.pointerId)) return;
    // The page learns the place of the release by a last move.
    if (this._touching) {
      const before = this._fingers.get(event.pointerId);
      this._fingers.set(event.pointerId, at);
      if (before && (before.x !== at.x || before.y !== at.y)) this._touch('touchMove', this._fingers);
    }
    this._fingers.delete(event.pointerId);
    if (this._touching) this._touch('touchEnd', this._fingers);
    if (this._fingers.size === 0) this._touching = this._pinching = false;
    if (this._fingers.size < 2) this._pinching = false;
  }

  /** @param {WheelEvent} event */
  _wheeled(event) {
    const at = this._handlers.onStage(/** @type {any} */ (event));
    // A trackpad's pinch comes as a wheel with Control.
    if (event.ctrlKey) {
      event.preventDefault();
      this._handlers.zoom(at, Math.exp(-event.deltaY / 200));
      return;
    }
    const point = this._handlers.toPage(at);
    if (!point.inside || !this._handlers.active()) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? PAGE_PX : 1;
    const wheel = this._wheel ?? { x: 0, y: 0, deltaX: 0, deltaY: 0, modifiers: 0 };
    this._wheel = {
      x: point.x,
      y: point.y,
      deltaX: wheel.deltaX + event.deltaX * unit,
      deltaY: wheel.deltaY + event.deltaY * unit,
      modifiers: modifiersOf(event),
    };
    this._soon();
  }
}

/** Coordinates need no more than a tenth of a pixel. @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
