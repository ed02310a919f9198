// <porthole-live-view>: a session as its agent sees it, and the wheel for a person who may take it. `src` is the viewer's
// link, `https://worker/live#ticket=…`.
import { copyWhenThere, download, fileName } from './clipboard.js';
import { pictureScale, savesData } from './device.js';
import { fill, make } from './dom.js';
import { AsText } from './live/as-text.js';
import { Connection } from './live/connection.js';
import { Fields } from './live/fields.js';
import { Keyboard } from './live/keyboard.js';
import { WHOLE, panBy, pictureBox, toPage, toStage, zoomAt } from './live/mapping.js';
import { Marks } from './live/marks.js';
import { Notices } from './live/notices.js';
import { Pointer } from './live/pointer.js';
import { closed, cursorOf, readLink } from './live/protocol.js';
import { Screen } from './live/screen.js';
import { QUALITIES, Toolbar } from './live/toolbar.js';
import { view } from './live/view-styles.js';
import { line } from './safe.js';
import { told } from './sentences.js';
import { shared } from './styles.js';

/** The largest picture that is asked for, on its longer side. */
const PICTURE_MAX_PX = 1_920;
/** @type {Record<string, string>} */
const STATUSES = {
  connected: 'Waiting for the first picture…',
  browser_starting: 'The browser is starting…',
  browser_closed: 'The browser session has ended.',
};

export class LiveView extends HTMLElement {
  static observedAttributes = ['src'];

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [shared, view];
    this._src = '';
    this._status = 'idle';
    this._role = /** @type {'view' | 'control'} */ ('view');
    this._control = { holder: 'none', you: false };
    /** Whether control was given back, of which the server has not told yet: a move would take it again. */
    this._released = false;
    this._page = { width: 0, height: 0 };
    this._view = { ...WHOLE };
    this._quality = savesData() ? 'saving' : 'auto';
    /** @type {any[]} */
    this._tabs = [];
    /** The tab that the person chose; the view follows the active one without. */
    this._tab = '';
    this._activeTab = '';
    this._shownTab = '';
    this._title = '';
    this._url = '';
    this._cursor = 'default';
    this._latency = 0;
    this._renewed = false;
    /**
     * Reads the page as text for people who can't see the picture: a viewer's ticket alone can't, the app's owner token
     * can. Returns the tree of `session/snapshot`.
     *
     * @type {(() => Promise<string>) | null}
     */
    this.snapshotReader = /** @type {any} */ (this).snapshotReader ?? null;
    /** Returns a new link when the one there is has expired. @type {(() => Promise<string | null>) | null} */
    this.renew = /** @type {any} */ (this).renew ?? null;
    const send = (/** @type {object} */ message) => this._act(message);
    const active = () => this._active;
    this._canvas = make('canvas', { class: 'empty', role: 'img', 'aria-label': 'Live picture of the page' });
    this._typed = make('textarea', {
      class: 'typed', autocomplete: 'off', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', 'aria-label': 'The page. What you type goes there; press Escape twice to leave.',
    });
    this._notices = new Notices();
    this._overlay = make('div');
    this._stage = make('div', { class: 'stage' }, this._canvas, this._typed);
    this._marks = new Marks(this._stage, (rect) => toStage(this._box(), this._page, rect));
    this._stage.append(this._notices.state, this._overlay, this._notices.numbers, this._notices.toast);
    this._said = make('div', { class: 'away', 'aria-live': 'polite' });
    this._asText = new AsText(() => this._known(), () => this.snapshotReader);
    this._toolbar = new Toolbar({
      send,
      go: (url) => {
        this._act({ type: 'navigate', url });
        this._keyboard.focus();
      },
      control: () => (this._control.you ? this.releaseControl() : this.takeControl()),
      quality: (name) => this._choose(name),
      screenshot: () => void this._save(),
      full: () => void (document.fullscreenElement ? document.exitFullscreen() : this.requestFullscreen()),
      read: () => this._toolbar.readButton.setAttribute('aria-expanded', String(this._asText.toggle())),
      numbers: () => this._toggleNumbers(),
      keyboard: () => this._keyboard.focus(),
      zoom: (factor) => this._zoom({ x: this._stage.clientWidth / 2, y: this._stage.clientHeight / 2 }, factor),
      fit: () => this._act({ type: 'resize', width: Math.max(200, Math.round(this._stage.clientWidth)), height: Math.max(200, Math.round(this._stage.clientHeight)) }),
    });
    this._toolbar.quality.value = this._quality;
    this._screen = new Screen(this._canvas, (header) => this._drawn(header));
    this._keyboard = new Keyboard(this._typed, {
      send,
      active,
      leave: () => this._toolbar.control.hidden ? this._toolbar.readButton.focus() : this._toolbar.control.focus(),
      keep: (text) => void this._keep(text),
      say: (sentence) => this._notices.tell(sentence),
      suggests: (key) => this._fields.suggests(key),
    });
    this._pointer = new Pointer(this._stage, {
      send,
      sendMove: (message) => this._connection.sendIfIdle(message),
      active,
      hovers: () => this._active && this._control.you && !this._released,
      onStage: (event) => {
        const { left, top } = this._stage.getBoundingClientRect();
        return { x: event.clientX - left, y: event.clientY - top };
      },
      toPage: (point) => toPage(this._box(), this._page, point),
      zoom: (point, factor) => this._zoom(point, factor),
      pan: (dx, dy) => {
        this._view = panBy(this._size(), this._page, this._view, dx, dy);
        this._place();
      },
      pressed: (type, point) => this._pressed(type, point),
    });
    this._fields = new Fields(this._overlay, {
      send,
      active,
      toStage: (rect) => toStage(this._box(), this._page, rect),
      stage: () => this._size(),
      done: () => this._keyboard.focus(),
      suggested: (id) => this._keyboard.pointAt(id),
      say: (sentence) => this._notices.tell(sentence),
    });
    // What is drawn over the picture is no part of it.
    for (const event of ['pointerdown', 'wheel', 'mousedown', 'contextmenu']) {
      this._overlay.addEventListener(event, (one) => one.stopPropagation());
      this._notices.state.addEventListener(event, (one) => one.stopPropagation());
    }
    this._connection = new Connection(async () => (this._src ? readLink(this._src) : null), () => this._wishes(), {
      message: (message) => this._message(message),
      frame: (frame) => this._screen.show(frame),
      status: (status, sentence, again) => this._connectionStatus(status, sentence, again),
      latency: (ms) => {
        this._latency = ms;
      },
      opened: () => this._reset(),
    });
    this._resized = new ResizeObserver(() => this._place());
    fill(root, this._toolbar.bar, this._toolbar.tabs, this._stage, this._asText.section, this._said);
    this._toolbar.showControl(this._role, this._control, false);
  }

  /** The viewer's link. Setting it connects anew. */
  get src() {
    return this._src;
  }

  set src(link) {
    this._src = String(link ?? '');
    this._renewed = false;
    if (!this.isConnected) return;
    this._connection.stop();
    if (this._src) this._connection.start();
    else this._empty();
  }

  /** `idle`, `connecting`, `connected`, `browser_starting`, `streaming`, `paused`, `reconnecting`, or why it ended. */
  get status() {
    return this._status;
  }

  connectedCallback() {
    for (const name of ['src', 'snapshotReader', 'renew']) {
      const own = Object.getOwnPropertyDescriptor(this, name);
      if (name === 'src' && own) {
        delete (/** @type {any} */ (this).src);
        this._src = String(own.value);
      }
    }
    this._resized.observe(this._stage);
    addEventListener('blur', this._lost);
    document.addEventListener('visibilitychange', this._visibility);
    if (this._src) this._connection.start();
  }

  disconnectedCallback() {
    this._lost();
    this._connection.stop();
    this._resized.disconnect();
    removeEventListener('blur', this._lost);
    document.removeEventListener('visibilitychange', this._visibility);
    this._notices.stop();
    this._setStatus('idle');
  }

  /**
   * @param {string} _name
   * @param {string | null} before
   * @param {string | null} after
   */
  attributeChangedCallback(_name, before, after) {
    if (before !== after) this.src = after ?? '';
  }

  /** Takes control, where the ticket's role allows it. */
  takeControl() {
    this._connection.send({ type: 'control', action: 'take' });
  }

  /** Gives control back. */
  releaseControl() {
    this._released = true;
    this._lost();
    this._connection.send({ type: 'control', action: 'release' });
  }

  _lost = () => {
    this._pointer.release();
    this._keyboard.release();
  };

  _visibility = () => {
    if (document.hidden) this._lost();
    this._connection.send({ type: 'quality', ...this._pace() });
  };

  /** Whether input is sent: the role allows it, and no other viewer has control. */
  get _active() {
    return this._role === 'control' && this._connection.open && (this._control.you || this._control.holder !== 'viewer');
  }

  /** @param {object} message what only counts from who may act */
  _act(message) {
    const { type, tab } = /** @type {any} */ (message);
    if (type === 'tab') this._watch(tab);
    else if (this._active) this._connection.send(message);
  }

  /** @param {string | null} tab null follows the active one */
  _watch(tab) {
    this._connection.send({ type: 'tab', tab });
    this._tab = tab ?? '';
    this._showTabs();
  }

  /** Whether the tab that the person chose is there. */
  get _pinned() {
    return this._tabs.some((tab) => tab?.tab === this._tab);
  }

  /** The tab that this view shows: the chosen one while there is one. */
  get _watched() {
    return this._pinned ? this._tab : this._activeTab;
  }

  /** The quality and frame rate to ask for. A hidden view needs no more than a sign of life. */
  _pace() {
    const { quality, max_fps } = QUALITIES[this._quality];
    return { quality, max_fps: document.hidden ? 1 : max_fps };
  }

  /** What the hello asks for: a picture that fits this screen. */
  _wishes() {
    const scale = pictureScale();
    const side = (/** @type {number} */ px) => Math.max(200, Math.min(PICTURE_MAX_PX, Math.round(px * scale)));
    return { max_width: side(screen.width || innerWidth), max_height: side(screen.height || innerHeight), ...this._pace() };
  }

  /** A new connection knows nothing of what the one before told. */
  _reset() {
    this._screen.reset();
    this._fields.clear();
    this._marks.clear();
    this._keyboard.copied('');
    this._cursor = 'default';
    this._control = { holder: 'none', you: false };
    this._released = false;
  }

  /** Without a link there is nothing to show: no picture, no tabs, no address. */
  _empty() {
    this._lost();
    this._reset();
    this._canvas.classList.add('empty');
    this._canvas.setAttribute('aria-label', 'Live picture of the page');
    this._page = { width: 0, height: 0 };
    this._tabs = [];
    this._tab = this._activeTab = this._url = this._title = '';
    this._toolbar.showUrl('');
    this._showTabs();
    this._showControl();
    this._setStatus('idle');
  }

  /** @param {any} message */
  _message(message) {
    switch (message.type) {
      case 'welcome':
        this._role = message.role === 'control' ? 'control' : 'view';
        this._tab = '';
        this._renewed = false;
        this._stage.classList.remove('stale');
        this._setStatus('connected');
        this._showControl();
        break;
      case 'status':
        this._setStatus(String(message.status));
        break;
      case 'viewport':
        this._resize(message);
        break;
      case 'url':
        this._navigated(message);
        break;
      case 'tabs':
        this._tabs = Array.isArray(message.tabs) ? message.tabs : [];
        this._activeTab = String(message.active);
        this._showTabs();
        break;
      case 'cursor':
        this._cursor = cursorOf(message.cursor);
        this._showCursor();
        break;
      case 'select':
        this._fields.open(message);
        break;
      case 'select_closed':
        this._fields.closeField();
        break;
      case 'dialog':
        this._fields.openDialog(message);
        break;
      case 'dialog_closed':
        this._fields.closeDialog();
        break;
      case 'file_chooser':
        this._fields.openChooser(message);
        break;
      case 'control':
        this._control = { holder: String(message.holder), you: message.you === true };
        this._released = false;
        this._showControl();
        this.dispatchEvent(new CustomEvent('porthole-control', { detail: { ...this._control }, bubbles: true, composed: true }));
        break;
      case 'action':
        this._acted(message);
        break;
      case 'clipboard':
        this._keyboard.copied(typeof message.text === 'string' ? message.text : '');
        break;
      case 'error':
        this._notices.tell(told({ code: message.error, message: message.message }).message);
        break;
      default:
        break;
    }
  }

  /** @param {any} message */
  _resize({ width, height }) {
    if (!(Number.isFinite(width) && Number.isFinite(height) && width > 0 && height > 0)) return;
    this._page = { width, height };
    this._place();
  }

  /** @param {any} message */
  _navigated({ url, title }) {
    const before = this._url;
    this._url = typeof url === 'string' ? url : '';
    // A step to a fragment stays in its document, which waits for its files.
    if (before.split('#')[0] !== this._url.split('#')[0]) this._fields.closeChooser();
    this._title = line(title);
    this._toolbar.showUrl(this._url);
    const name = this._title || line(this._url) || 'the page';
    this._canvas.setAttribute('aria-label', `Live picture of ${name}`);
    this._said.textContent = `Now at ${name}`;
    this._asText.show();
    this.dispatchEvent(new CustomEvent('porthole-navigated', { detail: { url: this._url, title: this._title }, bubbles: true, composed: true }));
  }

  _showTabs() {
    const watched = this._watched;
    // The other tab's chooser is told of when one turns to it.
    if (watched !== this._shownTab) this._fields.closeChooser();
    this._shownTab = watched;
    this._toolbar.showTabs(this._tabs, watched, this._pinned);
    this._asText.show();
  }

  _showControl() {
    this._toolbar.showControl(this._role, this._control, this._active);
    this._typed.disabled = this._role !== 'control';
    if (!this._active) this._lost();
    this._showCursor();
    this._fields.allow();
  }

  /** The page's cursor is the one where this person's pointer is only while its moves are sent. */
  _showCursor() {
    this._canvas.style.setProperty('cursor', this._active && this._control.you ? this._cursor : 'default');
  }

  /** @param {any} action */
  _acted(action) {
    const sentence = this._marks.show(action);
    this._asText.show();
    this.dispatchEvent(new CustomEvent('porthole-action', { detail: { sentence }, bubbles: true, composed: true }));
  }

  /** @param {import('./live/protocol.js').FrameHeader} header */
  _drawn(header) {
    this._connection.send({ type: 'ack', seq: header.seq });
    if (this._page.width === 0) this._resize(header);
    if (this._canvas.classList.contains('empty')) this._canvas.classList.remove('empty');
    if (this._screen.frames === 1) this._showState();
  }

  _size() {
    return { width: this._stage.clientWidth, height: this._stage.clientHeight };
  }

  _box() {
    return pictureBox(this._size(), this._page, this._view);
  }

  /** Puts the picture and all that is drawn over it in their places. */
  _place() {
    const box = this._box();
    const { style } = this._canvas;
    style.setProperty('left', `${box.x}px`);
    style.setProperty('top', `${box.y}px`);
    style.setProperty('width', `${box.width}px`);
    style.setProperty('height', `${box.height}px`);
    this._marks.place();
    this._fields.place();
  }

  /**
   * @param {import('./live/mapping.js').Point} point
   * @param {number} factor 0 shows the whole page
   */
  _zoom(point, factor) {
    this._view = factor === 0 ? { ...WHOLE } : zoomAt(this._size(), this._page, this._view, point, factor);
    this._place();
  }

  /**
   * The text field goes where the person pressed, so that an input method shows its words there. A finger brings up no
   * keyboard: that is the button's.
   *
   * @param {string} type
   * @param {import('./live/mapping.js').Point} point
   */
  _pressed(type, point) {
    this._typed.style.setProperty('transform', `translate(${Math.round(point.x)}px, ${Math.round(point.y)}px)`);
    if (type !== 'touch') this._keyboard.focus();
    this._released = false;
    this._fields.closeField();
  }

  /** @param {string} name */
  _choose(name) {
    if (!Object.hasOwn(QUALITIES, name)) return;
    this._quality = name;
    this._connection.send({ type: 'quality', ...this._pace() });
  }

  async _save() {
    const picture = this._canvas.classList.contains('empty') ? null : await this._screen.picture();
    if (picture) download(picture, fileName(this._url, 'png'));
    else this._notices.tell('There is no picture yet.');
  }

  /** @param {Promise<string>} text */
  async _keep(text) {
    const { copied, kept } = await copyWhenThere(text, /** @type {ShadowRoot} */ (this.shadowRoot));
    if (!copied) {
      this._notices.tell('Nothing is selected in the page.');
      return;
    }
    this.dispatchEvent(new CustomEvent('porthole-copied', { detail: { text: copied, kept }, bubbles: true, composed: true }));
    if (kept) this._notices.tell('Copied');
    else this._fields.offer(copied);
  }

  /** What is known of the page without its picture. */
  _known() {
    return { title: this._title, url: this._url, tabs: this._tabs, tab: this._watched, actions: this._marks.told };
  }

  _toggleNumbers() {
    const count = () => `${Math.round(this._latency)} ms · ${this._screen.rate} fps · ${this._canvas.width} × ${this._canvas.height}`;
    this._toolbar.numbersButton.setAttribute('aria-pressed', String(this._notices.toggleNumbers(count)));
  }

  /**
   * @param {string} status
   * @param {string} sentence
   * @param {string} again
   */
  _connectionStatus(status, sentence, again) {
    this._pointer.release();
    this._keyboard.release();
    this._fields.clear();
    this._stage.classList.add('stale');
    if (status === 'expired' && this.renew && !this._renewed) {
      this._renewed = true;
      void this._renewLink();
      return;
    }
    this._setStatus(status, sentence, again);
    this._toolbar.showControl(this._role, this._control, false);
  }

  async _renewLink() {
    this._setStatus('reconnecting', closed(1006).sentence, 'by itself');
    const before = this._src;
    let link = null;
    try {
      link = await this.renew?.();
    } catch {
      link = null;
    }
    // The app has set another link meanwhile.
    if (this._src !== before) return;
    if (link) this._src = link;
    if (!this.isConnected) return;
    if (link) this._connection.start();
    else this._setStatus('expired', closed(4401).sentence, 'never');
  }

  /**
   * @param {string} status
   * @param {string} [sentence]
   * @param {string} [again]
   */
  _setStatus(status, sentence = '', again = 'by itself') {
    const changed = status !== this._status;
    this._status = status;
    this._sentence = sentence || STATUSES[status] || '';
    this._again = again;
    this.setAttribute('status', status);
    this._showState();
    if (changed) this.dispatchEvent(new CustomEvent('porthole-status', { detail: { status }, bubbles: true, composed: true }));
  }

  /** The sentence over the picture, where there is something to say. */
  _showState() {
    const waits = this._again === 'by itself' && !['browser_closed', 'paused'].includes(this._status);
    const says = !(this._status === 'connected' && this._screen.frames > 0);
    const again = this._again === 'when asked' ? () => this._connection.start() : null;
    this._notices.showState(says ? this._sentence ?? '' : '', waits, again);
  }
}

if (!customElements.get('porthole-live-view')) customElements.define('porthole-live-view', LiveView);
