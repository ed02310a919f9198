// What is shown beside a result: the request as code, and the answer as it came.
import { copyText } from '../elements/clipboard.js';
import { fill, make } from '../elements/dom.js';
import { LANGUAGES } from './code.js';

/** Texts longer than this are cut in the answer that is shown. */
const STRING_MAX_CHARS = 600;
const ANSWER_MAX_CHARS = 20_000;

let language = 'curl';

/**
 * Makes a row of tabs. Arrow keys go along it.
 *
 * @param {HTMLElement} list
 * @param {string[]} names
 * @param {string} chosen
 * @param {(name: string) => void} choose
 */
export function tabs(list, names, chosen, choose) {
  const buttons = names.map((name) => make('button', {
    type: 'button', role: 'tab', 'aria-selected': String(name === chosen), tabindex: name === chosen ? '0' : '-1', on: { click: () => select(name) },
  }, name));
  const select = (/** @type {string} */ name) => {
    buttons.forEach((one, index) => {
      one.setAttribute('aria-selected', String(names[index] === name));
      one.tabIndex = names[index] === name ? 0 : -1;
    });
    choose(name);
  };
  list.addEventListener('keydown', (event) => {
    const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    if (!along || at < 0) return;
    const turn = getComputedStyle(list).direction === 'rtl' ? -along : along;
    const next = buttons[(at + turn + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
  fill(list, ...buttons);
}

/**
 * Shows a call's code.
 *
 * @param {import('./code.js').Call} call
 */
export function codeBox(call) {
  const pre = make('pre', { tabindex: '0', dir: 'ltr', 'aria-label': 'Code' });
  const list = make('div', { role: 'tablist', 'aria-label': 'Language' });
  const copy = make('button', { type: 'button', class: 'copy', on: { click: async () => {
    copy.textContent = (await copyText(pre.textContent ?? '', document.body)) ? 'Copied' : 'Select it and copy';
  } } }, 'Copy');
  const show = (/** @type {string} */ name) => {
    language = name;
    copy.textContent = 'Copy';
    pre.textContent = LANGUAGES[name](call);
  };
  tabs(list, Object.keys(LANGUAGES), language, show);
  show(language);
  return make('section', { class: 'box code' }, make('h2', {}, list, copy), pre);
}

/**
 * Shows an answer as JSON, its long texts cut.
 *
 * @param {import('./calls.js').Called} called
 */
export function answerBox(called) {
  const cut = (/** @type {string} */ _name, /** @type {any} */ value) =>
    typeof value === 'string' && value.length > STRING_MAX_CHARS ? `${value.slice(0, 120)}… (${value.length} characters)` : value;
  const hidden = (/** @type {string} */ name, /** @type {any} */ value) => (name === 'ticket' || name === 'owner_token' ? '…' : cut(name, value));
  const text = JSON.stringify(called.answer, hidden, 2)?.replace(/#ticket=[^"]+/g, '#ticket=…') ?? '';
  const pre = make('pre', { tabindex: '0', dir: 'auto', 'aria-label': 'Answer' }, text.slice(0, ANSWER_MAX_CHARS));
  const told = called.status === 0 ? 'no answer' : `HTTP ${called.status}, ${called.took_ms} ms`;
  return make('section', { class: 'box answer' }, make('h2', {}, 'Answer', make('span', {}, told)), pre);
}
