// <porthole-session-card>: what an agent does in a session, and the live view of it where the card has an address.
import { CardElement } from './base-card.js';
import { button, make } from './dom.js';
import { label, line, webUrl } from './safe.js';

export class SessionCard extends CardElement {
  static type = 'browser-session';

  _kind() {
    return 'Browser session';
  }

  /** @param {any} data */
  _content(data) {
    const live = webUrl(data.live_url);
    const place = make('div');
    const watch = button('Watch live', 'eye', () => this._watch(place, watch, live ?? ''), {
      shown: true,
      attributes: { class: 'quiet', 'aria-expanded': 'false' },
    });
    const action = line(data.action);
    return [
      this._head(data, 'session'),
      action ? make('p', { class: 'note', role: 'status' }, label(action)) : null,
      place,
      live ? make('div', { class: 'tools' }, watch) : null,
    ];
  }

  /**
   * @param {HTMLElement} place
   * @param {HTMLButtonElement} watch
   * @param {string} live
   */
  async _watch(place, watch, live) {
    if (place.firstChild) {
      place.replaceChildren();
      watch.setAttribute('aria-expanded', 'false');
      return;
    }
    await import('./live-view.js');
    const view = /** @type {import('./live-view.js').LiveView} */ (document.createElement('porthole-live-view'));
    const theme = this.getAttribute('theme');
    if (theme) view.setAttribute('theme', theme);
    view.renew = this.renew;
    view.snapshotReader = this.snapshotReader;
    view.src = live;
    place.replaceChildren(view);
    watch.setAttribute('aria-expanded', 'true');
  }
}
