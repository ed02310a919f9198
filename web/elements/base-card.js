// What all cards share: a property `card`, the three states, the error with its retry.
import { button, fill, make } from './dom.js';
import { told } from './sentences.js';
import { address, label, line } from './safe.js';
import { cards, shared } from './styles.js';

/**
 * A card: waiting while `card` is null, then done or an error. Sends `porthole-retry` when a person asks for another try.
 */
export class CardElement extends HTMLElement {
  static observedAttributes = ['waiting'];

  /** The type of card that this element shows; null is any. @type {string | null} */
  static type = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [shared, cards];
    /** @type {any} */
    this._card = null;
    this._since = 0;
    this._ticking = 0;
    /** Of a session's card: returns a new link where that of the live view has expired. @type {(() => Promise<string | null>) | null} */
    this.renew = /** @type {any} */ (this).renew ?? null;
    /** Of a session's card: reads the page for people who can't see it, as the live view's. @type {(() => Promise<string>) | null} */
    this.snapshotReader = /** @type {any} */ (this).snapshotReader ?? null;
  }

  /** What is shown; null is waiting. */
  get card() {
    return this._card;
  }

  set card(card) {
    this._card = card ?? null;
    this._since = performance.now();
    if (this.isConnected) this._draw();
  }

  /** The state: `waiting`, `done` or `error`. */
  get state() {
    if (this._card === null) return 'waiting';
    return this._data().error ? 'error' : 'done';
  }

  connectedCallback() {
    // A property that was set before the element was defined hides the accessor.
    if (Object.hasOwn(this, 'card')) {
      const { card } = this;
      delete (/** @type {any} */ (this).card);
      this.card = card;
    }
    if (!this._since) this._since = performance.now();
    this._draw();
  }

  disconnectedCallback() {
    clearInterval(this._ticking);
    removeEventListener('online', this._online);
  }

  attributeChangedCallback() {
    if (this.isConnected && this._card === null) this._draw();
  }

  /** The card's data; that of something else is an error. */
  _data() {
    const { type } = /** @type {typeof CardElement} */ (this.constructor);
    const data = this._card?.data;
    const fits = data !== null && typeof data === 'object' && (type === null || this._card.type === type);
    return fits ? data : { error: { code: 'INTERNAL', message: 'This card can’t be shown', retryable: false } };
  }

  _draw() {
    clearInterval(this._ticking);
    removeEventListener('online', this._online);
    const { state } = this;
    this.setAttribute('state', state);
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    if (state === 'waiting') fill(root, make('div', { class: 'card' }, this._waiting()));
    else if (state === 'error') fill(root, this._shell([this._error(this._data())]));
    else fill(root, this._shell(this._content(this._data())));
  }

  /**
   * @param {import('./dom.js').Child[]} content
   */
  _shell(content) {
    const name = this._name();
    return make('article', { class: 'card', 'aria-label': name }, ...content);
  }

  /** The card's name for a screen reader. */
  _name() {
    const data = this._data();
    return `${this._kind()}: ${line(data.title) || line(data.url) || 'web page'}`;
  }

  /** What kind of card it is, in words. */
  _kind() {
    return 'Browser';
  }

  /**
   * @param {any} _data
   * @returns {import('./dom.js').Child[]}
   */
  _content(_data) {
    return [];
  }

  /** The progress, which shows at once. */
  _waiting() {
    const what = this.getAttribute('waiting') || 'Waiting for the browser…';
    const seconds = make('span', { class: 'seconds', 'aria-hidden': 'true' });
    const tick = () => {
      const passed = Math.floor((performance.now() - this._since) / 1_000);
      seconds.textContent = passed > 0 ? `${passed} s` : '';
    };
    tick();
    this._ticking = setInterval(tick, 1_000);
    return make(
      'div',
      { class: 'waiting', role: 'status' },
      make('div', { class: 'row' }, label(what), seconds),
      make('div', { class: 'bar', role: 'progressbar', 'aria-label': 'Loading' }, make('span')),
    );
  }

  /**
   * The calm error: the code's sentence, and a button where another try can help.
   *
   * @param {any} data
   */
  _error(data) {
    const error = told(data.error);
    const where = line(data.final_url || data.url);
    const said = make('span', { class: 'said', role: 'status' });
    const retry = button('Try again', 'retry', () => this._retry(said), { shown: true });
    return make(
      'div',
      { class: 'error', role: 'group', 'aria-label': 'Not done' },
      make('p', { role: 'status' }, label(error.message)),
      where ? make('p', { class: 'where' }, address(data.final_url || data.url)) : null,
      make('p', { class: 'code' }, line(error.code)),
      error.retryable ? make('div', { class: 'tools' }, retry, said) : null,
    );
  }

  /**
   * Asks the app to try again; without a connection, as soon as there is one.
   *
   * @param {HTMLElement} said
   */
  _retry(said) {
    if (navigator.onLine === false) {
      said.textContent = 'No connection. Trying again when it is back…';
      addEventListener('online', this._online, { once: true });
      return;
    }
    this._online();
  }

  _online = () => {
    const detail = { card: this._card };
    const event = new CustomEvent('porthole-retry', { detail, bubbles: true, composed: true, cancelable: true });
    // The app says with preventDefault that it shows the wait itself.
    if (this.dispatchEvent(event)) this.card = null;
  };

  /**
   * The head of a card: title, address, a tag.
   *
   * @param {any} data
   * @param {string} [tag]
   */
  _head(data, tag = '') {
    const url = data.final_url || data.url;
    return make(
      'header',
      {},
      make(
        'div',
        { class: 'names' },
        make('span', { class: 'title' }, label(line(data.title) || line(url) || 'Untitled page')),
        line(url) ? make('span', { class: 'where' }, address(url)) : null,
      ),
      tag ? make('span', { class: 'tag' }, label(tag)) : null,
    );
  }

  /**
   * What the person should know beside the content: a page that answered 404, a cut.
   *
   * @param {any} data
   * @param {string} cutNote
   */
  _notes(data, cutNote) {
    const status = Number(data.status_code);
    const failed = Number.isInteger(status) && status >= 400 && status < 600;
    return [
      failed ? make('p', { class: 'note' }, `The page answered with status ${status}.`) : null,
      data.truncated === true ? make('p', { class: 'note' }, cutNote) : null,
    ];
  }
}
