// The page as text, for people who can't see the picture: where it is, its tabs, what the agent did, and its content where
// the app can read it.
import { button, fill, make } from '../dom.js';
import { cut, label, line } from '../safe.js';

const TREE_MAX_CHARS = 60_000;
const ACTIONS_SHOWN = 5;

/** @typedef {{title: string, url: string, tabs: any[], tab: string, actions: string[]}} Known what is known of the page */

export class AsText {
  /**
   * @param {() => Known} known
   * @param {() => (() => Promise<string>) | null} reader reads the page's content, if the app can
   */
  constructor(known, reader) {
    this._known = known;
    this._reader = reader;
    this._head = make('div');
    this._read = button('Read the page', 'eye', () => void this._readPage(), { shown: true });
    this._content = make('pre', { dir: 'auto', tabindex: '0', hidden: true, 'aria-label': 'Content of the page' });
    this.section = make('section', { class: 'alternative', 'aria-label': 'The page as text', hidden: true }, this._head);
  }

  /** Shows or hides it, and returns whether it is shown. */
  toggle() {
    this.section.hidden = !this.section.hidden;
    this.show();
    return !this.section.hidden;
  }

  /** Shows what is known by now. Content that was read stays, since a person may be reading it. */
  show() {
    if (this.section.hidden) return;
    const { title, url, tabs, tab, actions } = this._known();
    const others = tabs.filter((one) => one?.tab !== tab).map((one) => line(one?.title || one?.url, 80));
    const told = actions.slice(-ACTIONS_SHOWN).map((one) => make('li', {}, label(one)));
    fill(
      this._head,
      make('h2', {}, label(title || 'Untitled page')),
      make('p', {}, label(line(url, 1_000), { dir: 'ltr' })),
      others.length > 0 ? make('p', {}, 'Other tabs: ', label(others.join(', '))) : null,
      told.length > 0 ? make('ul', { 'aria-label': 'What the agent did' }, ...told) : null,
    );
    if (!this._reader()) {
      this._read.remove();
      this._content.remove();
    } else if (!this.section.contains(this._read)) {
      this.section.append(this._read, this._content);
    }
  }

  /** Reads the page's content, and names it after the page that it is of. */
  async _readPage() {
    const reader = this._reader();
    if (!reader) return;
    const { title } = this._known();
    this._read.disabled = true;
    let content;
    try {
      content = cut(String(await reader()), TREE_MAX_CHARS);
    } catch {
      content = 'The page could not be read. Try again.';
    }
    this._content.textContent = content;
    this._content.setAttribute('aria-label', title ? `Content of ${title}` : 'Content of the page');
    this._content.hidden = false;
    this._read.disabled = false;
    this._content.focus();
  }
}
