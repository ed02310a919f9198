// A session in the playground: the live view beside the snapshot, whose refs are buttons that act.
import '../elements/live-view.js';
import { phoneViewport } from '../elements/device.js';
import { fill, make } from '../elements/dom.js';
import { line } from '../elements/safe.js';
import { told } from '../elements/sentences.js';

/** A line's ref. */
const REF = /\[ref=(@e\d+)\]/;
const LINES_MAX = 1_500;
/** What the live view's toolbar takes of its height on a phone. */
const TOOLBAR_PX = 110;
/** What is done to an element, and whether a text goes with it. @type {Record<string, {name: string, text: string}>} */
const ACTS = {
  click: { name: 'Click', text: '' },
  type: { name: 'Type', text: 'text' },
  select: { name: 'Select', text: 'value or label' },
  check: { name: 'Check', text: '' },
  hover: { name: 'Hover', text: '' },
  press: { name: 'Press key', text: 'Enter' },
};

/** Errors that say that there is no such session any more. */
const ENDED = ['SESSION_NOT_FOUND', 'SESSION_LOST'];

export class SessionPanel {
  /**
   * @param {(route: string, body: any) => Promise<import('./calls.js').Called>} call shows the request and the answer, too
   * @param {(route: string, body: any) => Promise<import('./calls.js').Called>} ask shows neither: nobody asked for a ticket, and it
   *   would take the place of the request that was made
   */
  constructor(call, ask) {
    this._call = call;
    this._ask = ask;
    this._session = '';
    this._chosen = '';
    this._live = /** @type {import('../elements/live-view.js').LiveView} */ (document.createElement('porthole-live-view'));
    this._live.renew = () => this._ticket();
    this._live.snapshotReader = async () => {
      const { answer } = await this._call('session/snapshot', { session: this._session, interactive_only: false });
      if (!answer.ok) throw new Error(answer.error);
      return answer.snapshot.tree;
    };
    this._tree = make('div', { class: 'tree', role: 'group', 'aria-label': 'Snapshot', tabindex: '0' });
    this._acts = make('div', { class: 'act' });
    this._told = make('span', { role: 'status' });
    const look = make('button', { type: 'button', class: 'copy', on: { click: () => void this._look() } }, 'Look again');
    const close = make('button', { type: 'button', on: { click: () => void this.close() } }, 'Close session');
    this.node = make('div', { class: 'pair' }, this._live,
      make('section', { class: 'box', 'aria-label': 'Snapshot' }, make('h2', {}, 'Snapshot', this._told, look, close), this._tree, this._acts));
    this._showActs();
  }

  /** Whether a session is open. */
  get open() {
    return this._session !== '';
  }

  /**
   * Goes to a page: in a new session the first time, and where the one before has ended by itself.
   *
   * @param {string} url
   */
  async go(url) {
    this._tell('Opening…');
    const had = this._session;
    let answer = await this._navigate(url);
    if (had && ENDED.includes(answer.error)) {
      this._session = '';
      answer = await this._navigate(url);
    }
    const fresh = answer.session && answer.session !== this._session;
    if (answer.session) this._session = answer.session;
    this._done(answer);
    if (fresh) await this._watch();
  }

  /** @param {string} url */
  async _navigate(url) {
    // On a phone the page is opened as large as the live view shows it.
    const viewport = phoneViewport(this._live.clientHeight - TOOLBAR_PX);
    const of = this._session ? { session: this._session } : viewport ? { viewport } : {};
    const { answer } = await this._call('session/navigate', { ...of, url, snapshot: 'full' });
    return answer;
  }

  /** Ends the session. */
  async close() {
    if (!this._session) return;
    const session = this._session;
    this._forget();
    await this._call('session/close', { session });
    this._tell('The session is closed.');
  }

  /** The session has ended, and its refs with it: the next page is opened in another. */
  _forget() {
    this._session = '';
    fill(this._tree);
    this._choose('');
  }

  async _watch() {
    const link = await this._ticket();
    if (link) this._live.src = link;
  }

  /** A link for the live view. Where the worker is behind another name the ticket is used with this page's own. */
  async _ticket() {
    if (!this._session) return null;
    const { answer } = await this._ask('session/viewer', { session: this._session, role: 'control' });
    if (!answer.ok) return null;
    return new URL(`live#ticket=${encodeURIComponent(answer.ticket)}`, location.href).href;
  }

  async _look() {
    if (!this._session) return;
    this._tell('Looking…');
    const { answer } = await this._call('session/snapshot', { session: this._session });
    this._done(answer);
  }

  /**
   * @param {any} answer
   */
  _done(answer) {
    if (ENDED.includes(answer.error)) this._forget();
    if (answer.ok) this._tell(answer.warnings?.length ? line(answer.warnings[0]) : line(answer.title));
    else this._tell(`${told(answer).code}: ${told(answer).message}`);
    if (answer.snapshot?.tree !== undefined) this._show(answer.snapshot.tree);
  }

  /** @param {string} sentence */
  _tell(sentence) {
    this._told.textContent = sentence;
  }

  /**
   * Shows a tree, its refs as buttons.
   *
   * @param {string} tree
   */
  _show(tree) {
    this._choose('');
    const rows = tree.split('\n').slice(0, LINES_MAX).map((one) => {
      const deep = (one.length - one.trimStart().length) / 2;
      const text = one.trimStart();
      // The ref stands after the name, in which brackets can be, too: the last one counts.
      const quoted = text.lastIndexOf('"');
      const found = REF.exec(text.slice(quoted + 1)) ?? REF.exec(text);
      const row = make('div', { class: /^- \* /.test(text) ? 'new' : null });
      row.style.setProperty('--deep', `${Math.min(deep, 20) * 0.9}rem`);
      if (!found) {
        row.append(text);
        return row;
      }
      const ref = found[1];
      const at = text.lastIndexOf(found[0]);
      row.append(text.slice(0, at), make('button', {
        type: 'button', 'aria-pressed': 'false', 'data-ref': ref, 'aria-label': `${ref}: ${text.slice(2, at).trim().slice(0, 120)}`, on: { click: () => this._choose(ref) },
      }, ref), text.slice(at + found[0].length));
      return row;
    });
    fill(this._tree, ...rows);
  }

  /** @param {string} ref */
  _choose(ref) {
    this._chosen = ref;
    for (const one of this._tree.querySelectorAll('button')) one.setAttribute('aria-pressed', String(one.dataset.ref === ref));
    this._showActs();
  }

  _showActs() {
    if (!this._chosen) {
      fill(this._acts, make('p', {}, 'Press a ref in the snapshot to act on its element.'));
      return;
    }
    const which = make('select', { 'aria-label': 'Action' }, ...Object.entries(ACTS).map(([value, { name }]) => make('option', { value }, name)));
    const text = make('input', { type: 'text', 'aria-label': 'Text', hidden: true });
    which.addEventListener('change', () => {
      text.hidden = !ACTS[which.value].text;
      text.placeholder = ACTS[which.value].text;
    });
    const act = make('button', { type: 'button', class: 'main', id: 'act', on: { click: () => void this._act(which.value, text.value, act) } }, `Do it to ${this._chosen}`);
    text.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') act.click();
    });
    fill(this._acts, which, text, act);
  }

  /**
   * @param {string} act
   * @param {string} text
   * @param {HTMLButtonElement} pressed
   */
  async _act(act, text, pressed) {
    pressed.disabled = true;
    this._tell('Acting…');
    const fields = { type: { text }, select: { values: [text] }, press: { key: text || 'Enter' } }[act] ?? {};
    const { answer } = await this._call(`session/${act}`, { session: this._session, ref: this._chosen, ...fields, snapshot: 'full' });
    pressed.disabled = false;
    this._done(answer);
  }
}
