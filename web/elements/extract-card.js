// <porthole-extract-card>: what was read of a page, as text, Markdown, a table or JSON. Long contents come by pieces.
import { CardElement } from './base-card.js';
import { copyText, download, fileName } from './clipboard.js';
import { button, make } from './dom.js';
import { blockEnd, markdown } from './markdown.js';
import { cut, line } from './safe.js';

/** What is shown at once, and by each press of "more", in UTF-16 code units. */
const FIRST_CHARS = 6_000;
const MORE_CHARS = 60_000;
/** JSON and CSV above this are shown as text. */
const PARSED_MAX_CHARS = 400_000;
const ROWS_FIRST = 50;
const ROWS_MORE = 500;
const COLUMNS_MAX = 40;
const CELL_MAX_CHARS = 500;

const EXTENSIONS = /** @type {Record<string, [string, string]>} */ ({
  text: ['txt', 'text/plain'],
  markdown: ['md', 'text/markdown'],
  html: ['html.txt', 'text/plain'],
  csv: ['csv', 'text/csv'],
  json: ['json', 'application/json'],
});

export class ExtractCard extends CardElement {
  static type = 'browser-extract';

  _kind() {
    return 'Text of the page';
  }

  /** @param {any} data */
  _content(data) {
    const content = typeof data.content === 'string' ? data.content : (JSON.stringify(data.content, null, 2) ?? '');
    const format = line(data.format, 20) || 'text';
    const [extension, type] = EXTENSIONS[format] ?? EXTENSIONS.text;
    const said = make('span', { class: 'said', role: 'status' });
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    const copy = button('Copy', 'copy', async () => {
      said.textContent = (await copyText(content, root)) ? 'Copied' : 'Can’t be copied here: download it';
    }, { shown: true, attributes: { class: 'quiet' } });
    const save = button('Download', 'download', () => {
      download(new Blob([content], { type }), fileName(data.final_url || data.url, extension));
    }, { shown: true, attributes: { class: 'quiet' } });
    return [
      this._head(data, format),
      ...this._shown(content, format),
      ...this._notes(data, 'There is more on the page than was read.'),
      make('div', { class: 'tools' }, copy, save, said),
    ];
  }

  /**
   * @param {string} content
   * @param {string} format
   * @returns {Node[]}
   */
  _shown(content, format) {
    if (content.trim() === '') return [make('p', { class: 'note' }, 'Nothing was found.')];
    if (format === 'markdown') {
      const place = make('div', { class: 'content markdown', tabindex: '0', role: 'group', 'aria-label': 'Content' });
      const add = (/** @type {string} */ piece) => place.appendChild(make('div', { class: 'chunk' }, markdown(piece)));
      return pieces(content, place, add, blockEnd);
    }
    const rows = content.length > PARSED_MAX_CHARS ? null : format === 'csv' ? csv(content) : format === 'json' ? records(content) : null;
    if (rows) return table(rows);
    const pretty = format === 'json' ? indented(content) : content;
    const kind = format === 'text' ? 'plain' : 'code';
    const place = make('div', { class: `content ${kind}`, tabindex: '0', dir: kind === 'plain' ? 'auto' : 'ltr', role: 'group', 'aria-label': 'Content' });
    const add = (/** @type {string} */ piece) => place.appendChild(document.createTextNode(piece));
    return pieces(pretty, place, add, (text, max) => cut(text, max).length);
  }
}

/**
 * Shows the begin of a long text, and a button for more of it.
 *
 * @param {string} text
 * @param {HTMLElement} place
 * @param {(piece: string) => void} add
 * @param {(text: string, max: number) => number} endOf
 * @returns {Node[]}
 */
function pieces(text, place, add, endOf) {
  let at = 0;
  const next = (/** @type {number} */ max) => {
    const rest = text.slice(at, at + max + 1);
    const end = endOf(rest, max);
    add(rest.slice(0, end));
    at += end;
  };
  next(FIRST_CHARS);
  if (at >= text.length) return [place];
  const left = () => `Show more (${(text.length - at).toLocaleString('en')} characters left)`;
  const shown = make('span', {}, left());
  const more = make('button', { type: 'button', class: 'quiet more', on: { click: () => {
    next(MORE_CHARS);
    shown.textContent = left();
    if (at >= text.length) {
      place.focus();
      more.parentElement?.remove();
    }
  } } }, shown);
  return [place, make('div', { class: 'tools' }, more)];
}

/**
 * Shows rows, the first of which is the head.
 *
 * @param {string[][]} rows
 * @returns {Node[]}
 */
function table(rows) {
  const row = (/** @type {string[]} */ cells, /** @type {'th' | 'td'} */ tag) => {
    const scope = tag === 'th' ? { scope: 'col' } : {};
    return make('tr', {}, ...cells.slice(0, COLUMNS_MAX).map((cell) => make(tag, { dir: 'auto', ...scope }, cut(cell, CELL_MAX_CHARS))));
  };
  const body = make('tbody');
  let at = 1;
  const next = (/** @type {number} */ count) => {
    body.append(...rows.slice(at, at + count).map((cells) => row(cells, 'td')));
    at = Math.min(rows.length, at + count);
  };
  next(ROWS_FIRST);
  const place = make('div', { class: 'content', tabindex: '0', role: 'group', 'aria-label': 'Table' },
    make('table', {}, make('thead', {}, row(rows[0], 'th')), body));
  if (at >= rows.length) return [place];
  const left = () => `Show more (${rows.length - at} rows left)`;
  const shown = make('span', {}, left());
  const more = make('button', { type: 'button', class: 'quiet more', on: { click: () => {
    next(ROWS_MORE);
    shown.textContent = left();
    if (at >= rows.length) {
      place.focus();
      more.parentElement?.remove();
    }
  } } }, shown);
  return [place, make('div', { class: 'tools' }, more)];
}

/** @param {string} content */
function indented(content) {
  if (content.length > PARSED_MAX_CHARS) return content;
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content;
  }
}

/**
 * Returns a list of flat objects or of lists as rows, null for other JSON.
 *
 * @param {string} content
 * @returns {string[][] | null}
 */
function records(content) {
  let value;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length === 0) return null;
  const cell = (/** @type {unknown} */ one) => (one === null || one === undefined ? '' : String(one));
  const flat = (/** @type {unknown[]} */ values) => values.every((one) => one === null || typeof one !== 'object');
  if (value.every((row) => Array.isArray(row) && flat(row))) return value.map((row) => row.map(cell));
  if (!value.every((row) => row !== null && typeof row === 'object' && !Array.isArray(row) && flat(Object.values(row)))) return null;
  const names = [...new Set(value.slice(0, 1_000).flatMap((row) => Object.keys(row)))].slice(0, COLUMNS_MAX);
  return [names, ...value.map((row) => names.map((name) => cell(row[name])))];
}

/**
 * Reads comma-separated values.
 *
 * @param {string} text
 * @returns {string[][]}
 */
function csv(text) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',') {
      row.push(cell);
      cell = '';
    } else if (c === '\n' || c === '\r') {
      if (c === '\r' && text[at + 1] === '\n') at += 1;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += c;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows.length > 0 ? rows : [[text]];
}
