// What the view itself says over the picture: the connection's state, short messages, and the numbers.
import { button, fill, make } from '../dom.js';
import { label } from '../safe.js';

const TOAST_MS = 4_000;
const NUMBERS_EVERY_MS = 500;

export class Notices {
  constructor() {
    this.state = make('div', { class: 'state' });
    this.toast = make('div', { class: 'toast', role: 'status', hidden: true });
    this.numbers = make('div', { class: 'numbers', hidden: true });
    /** @type {number | undefined} */
    this._toasting = undefined;
    /** @type {number | undefined} */
    this._counting = undefined;
  }

  /**
   * Shows a message for a while.
   *
   * @param {string} sentence
   */
  tell(sentence) {
    clearTimeout(this._toasting);
    this.toast.replaceChildren(label(sentence));
    this.toast.hidden = false;
    this._toasting = setTimeout(() => {
      this.toast.hidden = true;
    }, TOAST_MS);
  }

  /**
   * Shows the state: a sentence, a sign that it waits, and a button to connect again where that is up to the person.
   *
   * @param {string} sentence nothing is shown without one
   * @param {boolean} waits
   * @param {(() => void) | null} again
   */
  showState(sentence, waits, again) {
    if (!sentence) {
      this.state.replaceChildren();
      return;
    }
    const spin = waits ? make('div', { class: 'spin', 'aria-hidden': 'true' }) : null;
    const retry = again ? button('Connect again', 'retry', again, { shown: true, attributes: { class: 'main' } }) : null;
    fill(this.state, make('div', { role: 'status' }, spin, make('p', {}, sentence), retry));
  }

  /**
   * Shows or hides the numbers, and returns whether they are shown.
   *
   * @param {() => string} count
   */
  toggleNumbers(count) {
    this.numbers.hidden = !this.numbers.hidden;
    this.stop();
    if (this.numbers.hidden) return false;
    const tick = () => {
      this.numbers.textContent = count();
    };
    tick();
    this._counting = setInterval(tick, NUMBERS_EVERY_MS);
    return true;
  }

  /** Counts no more. */
  stop() {
    clearInterval(this._counting);
    this._counting = undefined;
  }
}
