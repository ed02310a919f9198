// What the agent does, drawn over the frame: a box around the element, a pointer that goes there, the key that it
// presses. Marks fade by themselves; the list of the latest is for the text alternative.
import { make } from '../dom.js';
import { label, line } from '../safe.js';

const SHOWN_MS = 1_800;
const KEPT = 20;

/** @type {Record<string, string>} */
const VERBS = {
  navigate: 'opens a page', click: 'clicks', type: 'types', press: 'presses a key', hover: 'points', select: 'selects', check: 'checks',
  drag: 'drags', scroll: 'scrolls', upload: 'uploads', wait: 'waits', interactWithPage: 'acts', screenshot: 'takes a picture', extract: 'reads',
  snapshot: 'looks', dialog: 'answers a dialog', tabs: 'changes tabs', open: 'opens a page', files: 'looks at files',
};

export class Marks {
  /**
   * @param {HTMLElement} place
   * @param {(rect: import('./mapping.js').Box) => import('./mapping.js').Box} toStage
   */
  constructor(place, toStage) {
    this._place = place;
    this._toStage = toStage;
    this._pointer = make('div', { class: 'agent', hidden: true });
    this._box = make('div', { class: 'box', hidden: true });
    this._badge = make('div', { class: 'badge', hidden: true });
    place.append(this._box, this._pointer, this._badge);
    this._timer = 0;
    /** @type {import('./mapping.js').Box | null} */
    this._at = null;
    /** What the agent did last, the latest at the end. @type {string[]} */
    this.told = [];
  }

  /**
   * @param {any} action
   * @returns {string} what the agent does, as a sentence
   */
  show(action) {
    const tool = line(action.tool, 60).replace(/^browser_/, '');
    const verb = Object.hasOwn(VERBS, tool) ? VERBS[tool] : tool || 'acts';
    const key = line(action.key, 40);
    const reference = line(action.ref, 20);
    const sentence = `Agent ${verb}${key ? ` ${key}` : ''}${reference ? ` ${reference}` : ''}`;
    this.told = [...this.told, sentence].slice(-KEPT);
    const { x, y, width, height } = action.box ?? {};
    const placed = [x, y, width, height].every(Number.isFinite);
    this._at = placed ? { x, y, width, height } : null;
    this._badge.replaceChildren(label(key && !reference ? key : sentence));
    this._badge.hidden = false;
    this._pointer.hidden = !placed;
    // A box without a size is a point.
    this._box.hidden = !placed || width === 0 || height === 0;
    this.place();
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.clear(), SHOWN_MS);
    return sentence;
  }

  /** Puts the marks where their element is, after a resize or zoom too. */
  place() {
    if (!this._at) {
      for (const side of ['left', 'top']) this._badge.style.removeProperty(side);
      this._badge.classList.add('cornered');
      return;
    }
    const box = this._toStage(this._at);
    const { style } = this._box;
    style.setProperty('left', `${box.x - 2}px`);
    style.setProperty('top', `${box.y - 2}px`);
    style.setProperty('width', `${box.width + 4}px`);
    style.setProperty('height', `${box.height + 4}px`);
    this._pointer.style.setProperty('transform', `translate(${box.x + box.width / 2}px, ${box.y + box.height / 2}px)`);
    this._badge.classList.remove('cornered');
    this._badge.style.setProperty('left', `${Math.max(4, box.x)}px`);
    this._badge.style.setProperty('top', `${box.y > 34 ? box.y - 30 : box.y + box.height + 6}px`);
  }

  clear() {
    clearTimeout(this._timer);
    this._box.hidden = this._pointer.hidden = this._badge.hidden = true;
    this._at = null;
  }
}
