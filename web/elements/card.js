// <porthole-card>: any card, shown by the element of its type.
import { CardElement } from './base-card.js';
import { make } from './dom.js';

/** @type {Record<string, string>} */
const ELEMENTS = {
  'browser-screenshot': 'porthole-screenshot-card',
  'browser-extract': 'porthole-extract-card',
  'browser-session': 'porthole-session-card',
};

export class AnyCard extends CardElement {
  static observedAttributes = ['waiting', 'theme'];

  attributeChangedCallback() {
    const inner = this.shadowRoot?.firstElementChild;
    if (inner instanceof CardElement) inner.setAttribute('theme', this.getAttribute('theme') ?? '');
    super.attributeChangedCallback();
  }

  _draw() {
    const type = this._card?.type;
    const tag = typeof type === 'string' && Object.hasOwn(ELEMENTS, type) ? ELEMENTS[type] : undefined;
    if (!tag) {
      super._draw();
      return;
    }
    clearInterval(this._ticking);
    this.setAttribute('state', this.state);
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    const element = /** @type {CardElement} */ (make(/** @type {any} */ (tag)));
    const theme = this.getAttribute('theme');
    if (theme) element.setAttribute('theme', theme);
    element.renew = this.renew;
    element.snapshotReader = this.snapshotReader;
    element.card = this._card;
    // The event goes on to the app, with this element as its target, which then shows the wait.
    element.addEventListener('porthole-retry', (event) => {
      event.stopPropagation();
      event.preventDefault();
      this._online();
    });
    root.replaceChildren(element);
  }

  _data() {
    const known = typeof this._card?.type === 'string' && Object.hasOwn(ELEMENTS, this._card.type);
    return known ? super._data() : { error: { code: 'INTERNAL', message: 'This card can’t be shown', retryable: false } };
  }
}
