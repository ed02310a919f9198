// The bar above the picture: history, address, tabs, control, and what is needed less often.
import { button, icon, make } from '../dom.js';
import { label, line, typedUrl } from '../safe.js';

/** What the person chooses by a word. @type {Record<string, {name: string, quality: number, max_fps: number}>} */
export const QUALITIES = {
  auto: { name: 'Balanced', quality: 70, max_fps: 30 },
  sharp: { name: 'Sharp', quality: 92, max_fps: 30 },
  smooth: { name: 'Smooth', quality: 60, max_fps: 60 },
  saving: { name: 'Save data', quality: 40, max_fps: 8 },
};
const TABS_MAX = 16;

/**
 * @typedef {object} Handlers
 * @property {(message: object) => void} send
 * @property {(url: string) => void} go
 * @property {() => void} control takes or releases it
 * @property {(name: string) => void} quality
 * @property {() => void} screenshot
 * @property {() => void} full
 * @property {() => void} read shows the text alternative
 * @property {() => void} numbers
 * @property {() => void} keyboard
 * @property {(factor: number) => void} zoom 0 shows the whole page
 * @property {() => void} fit gives the page the window's size
 */

export class Toolbar {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    const quiet = { attributes: { class: 'quiet' } };
    const step = (/** @type {string} */ action) => () => handlers.send({ type: 'navigate', action });
    this.back = button('Back', 'back', step('back'), quiet);
    this.forward = button('Forward', 'forward', step('forward'), quiet);
    this.reload = button('Reload', 'reload', step('reload'), quiet);
    this.address = make('input', {
      type: 'text', inputmode: 'url', 'aria-label': 'Address', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', dir: 'ltr', enterkeyhint: 'go',
    });
    const form = make('form', { role: 'search', 'aria-label': 'Go to an address' }, this.address);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.address.value.trim()) handlers.go(typedUrl(this.address.value));
    });
    this.address.addEventListener('focus', () => this.address.select());
    this.address.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.address.value = this._url;
      this.address.blur();
    });
    this.control = button('Take control', 'hand', handlers.control, { shown: true, attributes: { class: 'control', 'aria-pressed': 'false' } });
    this.role = make('span', { class: 'role' }, 'Watching');
    this.quality = make('select', { 'aria-label': 'Picture quality' },
      ...Object.entries(QUALITIES).map(([value, { name }]) => make('option', { value }, name)));
    this.quality.addEventListener('change', () => handlers.quality(this.quality.value));
    this.readButton = button('Read as text', 'text', handlers.read, { attributes: { class: 'quiet', 'aria-expanded': 'false' } });
    this.numbersButton = button('Latency and frame rate', 'gauge', handlers.numbers, { attributes: { class: 'quiet', 'aria-pressed': 'false' } });
    this.fitButton = button('Fit page to window', 'fit', handlers.fit, quiet);
    const full = button('Full screen', 'full', handlers.full, quiet);
    full.hidden = !document.fullscreenEnabled;
    this.extra = make('div', { class: 'extra' },
      this.quality,
      make('div', { class: 'group' },
        this.readButton,
        button('Save picture', 'camera', handlers.screenshot, quiet),
        button('Magnify', 'plus', () => handlers.zoom(1.5), { attributes: { class: 'quiet only-touch' } }),
        button('Whole page', 'minus', () => handlers.zoom(0), { attributes: { class: 'quiet only-touch' } }),
        this.numbersButton,
        this.fitButton,
        full,
      ),
    );
    this.keyboard = button('Keyboard', 'keyboard', handlers.keyboard, { attributes: { class: 'quiet only-touch' } });
    this.more = button('More', 'more', () => this._toggle(), { attributes: { class: 'quiet more', 'aria-expanded': 'false' } });
    this.tabs = make('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Tabs', hidden: true });
    this.bar = make('div', { class: 'bar', role: 'toolbar', 'aria-label': 'Browser' },
      make('div', { class: 'group main-group' }, this.back, this.forward, this.reload), form, this.control, this.role, this.keyboard, this.more, this.extra);
    this._handlers = handlers;
    this._url = '';
  }

  _toggle() {
    const shown = this.extra.classList.toggle('shown');
    this.more.setAttribute('aria-expanded', String(shown));
  }

  /** @param {string} url */
  showUrl(url) {
    const root = /** @type {ShadowRoot} */ (this.address.getRootNode());
    const typing = root.activeElement === this.address && this.address.value !== this._url;
    this._url = line(url, 2_000);
    if (!typing) this.address.value = this._url;
  }

  /**
   * @param {any[]} tabs
   * @param {string} watched
   * @param {boolean} pinned whether the person chose it; chosen once more, it is let go
   */
  showTabs(tabs, watched, pinned) {
    const shown = tabs.slice(0, TABS_MAX);
    this.tabs.hidden = shown.length < 2;
    const focused = /** @type {ShadowRoot} */ (this.tabs.getRootNode()).activeElement;
    const refocus = focused && this.tabs.contains(focused);
    this.tabs.replaceChildren(...shown.map((tab) => {
      const selected = tab?.tab === watched;
      const kept = selected && pinned;
      return make('button', {
        type: 'button', role: 'tab', 'aria-selected': String(selected), title: kept ? 'You stay on this tab. Press it again to follow the agent.' : line(tab?.url),
        on: { click: () => this._handlers.send({ type: 'tab', tab: kept ? null : String(tab?.tab) }) },
      }, kept ? icon('pin') : null, label(line(tab?.title, 80) || line(tab?.url, 80) || 'New tab'));
    }));
    if (refocus) /** @type {HTMLElement | null} */ (this.tabs.querySelector('[aria-selected="true"]'))?.focus();
  }

  /**
   * @param {'view' | 'control'} role
   * @param {{holder: string, you: boolean}} control
   * @param {boolean} active
   */
  showControl(role, control, active) {
    const acts = role === 'control';
    this.control.hidden = !acts;
    this.keyboard.hidden = this.fitButton.hidden = !acts;
    this.back.disabled = this.forward.disabled = this.reload.disabled = !active;
    this.address.readOnly = !active;
    this.control.setAttribute('aria-pressed', String(control.you));
    const name = control.you ? 'Release control' : 'Take control';
    /** @type {HTMLElement} */ (this.control.lastChild).textContent = name;
    this.control.setAttribute('aria-label', name);
    const holder = control.holder === 'agent' ? 'The agent acts' : control.holder === 'viewer' && !control.you ? 'Somebody else acts' : '';
    this.role.textContent = holder || (acts ? '' : 'Watching');
    this.role.hidden = this.role.textContent === '';
  }
}
