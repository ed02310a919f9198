// Frames on a canvas: decoded off the main thread, the latest wins, each acknowledged once it is drawn.

/** Frames in the last second are what the rate counts. */
const RATE_WINDOW_MS = 1_000;

export class Screen {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(header: import('./protocol.js').FrameHeader) => void} drawn
   */
  constructor(canvas, drawn) {
    this._canvas = canvas;
    this._context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false, desynchronized: true }));
    this._drawn = drawn;
    /** @type {{header: import('./protocol.js').FrameHeader, jpeg: Uint8Array<ArrayBuffer>} | null} */
    this._next = null;
    this._busy = false;
    this._generation = 0;
    /** @type {number[]} */
    this._times = [];
    this.frames = 0;
  }

  /** Frames drawn in the last second. */
  get rate() {
    const since = performance.now() - RATE_WINDOW_MS;
    return this._times.filter((time) => time >= since).length;
  }

  /** Forgets frames that are under way: they belong to a connection that ended. */
  reset() {
    this._generation += 1;
    this._next = null;
    this.frames = 0;
  }

  /** @param {{header: import('./protocol.js').FrameHeader, jpeg: Uint8Array<ArrayBuffer>}} frame */
  show(frame) {
    this._next = frame;
    if (!this._busy) void this._draw();
  }

  async _draw() {
    this._busy = true;
    while (this._next) {
      const { header, jpeg } = this._next;
      const generation = this._generation;
      this._next = null;
      try {
        const picture = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
        if (generation === this._generation) {
          if (this._canvas.width !== picture.width || this._canvas.height !== picture.height) {
            this._canvas.width = picture.width;
            this._canvas.height = picture.height;
          }
          this._context.drawImage(picture, 0, 0);
        }
        picture.close();
      } catch {
        // A damaged frame: the next one replaces it.
      }
      if (generation === this._generation) {
        const now = performance.now();
        this._times.push(now);
        while (this._times[0] < now - RATE_WINDOW_MS) this._times.shift();
        this.frames += 1;
        this._drawn(header);
      }
    }
    this._busy = false;
  }

  /** Returns what is shown as a PNG. @returns {Promise<Blob | null>} */
  picture() {
    return new Promise((resolve) => {
      this._canvas.toBlob(resolve, 'image/png');
    });
  }
}
