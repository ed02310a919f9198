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
    this.section = make('section', { class: 'alternative', 'aria-label': 'The page as text', hidden: true });
  }

  /** Shows or hides it, and returns whether it is shown. */
  toggle() {
    this.section.hidden = !this.section.hidden;
    this.show();
    return !this.section.hidden;
  }

  /** Shows what is known by now. */
  show() {
    if (this.section.hidden) return;
    const { title, url, tabs, tab, actions } = this._known();
    const others = tabs.filter((one) => one?.tab !== tab).map((one) => line(one?.title || one?.url, 80));
    const told = actions.slice(-ACTIONS_SHOWN).map((one) => make('li', {}, label(one)));
    const reader = this._reader();
    fill(
      this.section,
      make('h2', {}, label(title || 'Untitled page')),
      make('p', {}, label(line(url, 1_000), { dir: 'ltr' })),
      others.length > 0 ? make('p', {}, 'Other tabs: ', label(others.join(', '))) : null,
      told.length > 0 ? make('ul', { 'aria-label': 'What the agent did' }, ...told) : null,
      ...(reader ? contents(reader) : []),
    );
  }
}

/**
 * A button that reads the page's content, and where that is shown.
 *
 * @param {() => Promise<string>} reader
 */
function contents(reader) {
  const out = make('pre', { dir: 'auto', tabindex: '0', hidden: true, 'aria-label': 'Content of the page' });
  const read = button('Read the page', 'eye', async () => {
    read.disabled = true;
    try {
      out.textContent = cut(String(await reader()), TREE_MAX_CHARS);
    } catch {
      out.textContent = 'The page could not be read. Try again.';
    }
    out.hidden = false;
    read.disabled = false;
    out.focus();
  }, { shown: true });
  return [read, out];
}
