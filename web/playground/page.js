// The playground: one address, seven ways to look at its page, each with the request that did it.
import '../elements/index.js';
import { phoneViewport, savesData } from '../elements/device.js';
import { fill, make } from '../elements/dom.js';
import { typedUrl } from '../elements/safe.js';
import { told } from '../elements/sentences.js';
import { Calls } from './calls.js';
import { SessionPanel } from './session.js';
import { answerBox, codeBox, tabs } from './shown.js';

const calls = new Calls();
const at = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const [result, state, request, work, url, options, key, keyField] = ['result', 'state', 'request', 'work', 'url', 'options', 'key', 'key-field'].map(at);

const MAP = '{"heading": "h1", "links": ["a", {"text": "", "url": "@href"}]}';
let mode = 'Picture';
/** @type {SessionPanel | null} */
let session = null;
/** Calls shown are those of the latest press. */
let turn = 0;

/** An option of a mode. @param {string} name @param {string} text */
function box(name, text) {
  return make('label', {}, make('input', { type: 'checkbox', name }), text);
}

/** @type {Record<string, {options: () => Node[], ask?: (form: any) => [string, any]}>} */
const MODES = {
  Picture: {
    options: () => [
      make('label', {}, 'Window ', make('select', { name: 'viewport' },
        phoneViewport() ? make('option', { value: 'own' }, `this screen, ${innerWidth} × ${innerHeight}`) : null,
        make('option', { value: '1280x800' }, 'desktop, 1280 × 800'), make('option', { value: '390x844' }, 'phone, 390 × 844'))),
      box('full_page', 'whole page'),
      box('dark', 'dark'),
    ],
    ask: (form) => {
      const [width, height] = form.viewport.value.split('x').map(Number);
      const own = form.viewport.value === 'own' ? phoneViewport() : null;
      const viewport = own ?? { width, height, ...(width < 500 ? { mobile: true, device_scale_factor: 2 } : {}) };
      return ['browser-screenshot', { viewport, ...(savesData() ? { format: 'webp' } : {}), ...(form.full_page.checked ? { full_page: true } : {}), ...(form.dark.checked ? { color_scheme: 'dark' } : {}) }];
    },
  },
  Text: { options: () => [box('include_hidden', 'with what is hidden')], ask: (form) => ['browser-extract', { instruction: 'text', ...(form.include_hidden.checked ? { include_hidden: true } : {}) }] },
  Markdown: { options: () => [box('article', 'only the article')], ask: (form) => ['browser-extract', { instruction: form.article.checked ? 'article' : 'markdown' }] },
  Tables: {
    options: () => [make('label', {}, 'Selector ', make('input', { name: 'selector', type: 'text', placeholder: 'the largest table' })), box('csv', 'as CSV')],
    ask: (form) => ['browser-extract', { instruction: `${form.csv.checked ? 'csv' : 'table'}${form.selector.value.trim() ? `: ${form.selector.value.trim()}` : ''}` }],
  },
  'JSON map': {
    options: () => [make('label', { class: 'long' }, 'A field’s name, and where its value is', make('textarea', { name: 'map', rows: '3', spellcheck: 'false', dir: 'ltr' }, MAP))],
    ask: (form) => ['browser-extract', { instruction: `json: ${form.map.value}` }],
  },
  Session: { options: () => [make('span', {}, 'A browser that stays: watch it, take the wheel, or act by refs.')] },
};

/** @param {import('./calls.js').Called} called */
function show(called) {
  const code = { base: calls.base, sandboxId: calls.sandboxId, keyed: calls.keyed, route: called.route, body: called.body };
  fill(request, codeBox(code), answerBox(called));
  if (called.status === 401 && called.answer?.error === 'UNAUTHORIZED') {
    key.hidden = false;
    keyField.focus();
  }
}

/**
 * @param {string} route
 * @param {any} body
 */
async function call(route, body) {
  const called = await calls.call(route, body);
  show(called);
  return called;
}

/**
 * The card of an answer, as a chat app would make it.
 *
 * @param {import('./calls.js').Called} called
 */
function cardOf({ answer, route, body }) {
  const type = route === 'browser-screenshot' ? 'browser-screenshot' : 'browser-extract';
  if (!answer.ok) {
    const { error, message, retryable } = answer;
    return { type, data: { url: body.url, error: { code: error, message, retryable } } };
  }
  return { type, data: { ...answer, url: body.url } };
}

/**
 * @param {string} route
 * @param {any} body
 */
async function look(route, body) {
  turn += 1;
  const mine = turn;
  const card = /** @type {import('../elements/card.js').AnyCard} */ (document.createElement('porthole-card'));
  card.setAttribute('waiting', `Looking at ${body.url}`);
  card.addEventListener('porthole-retry', () => void look(route, body));
  fill(result, card);
  state.textContent = '';
  const called = await call(route, body);
  if (mine !== turn) return;
  card.card = /** @type {any} */ (cardOf(called.route === 'create' ? { ...called, route, body } : called));
  // A result is too long to be read out whole.
  state.textContent = called.answer.ok ? 'The result is there.' : told(called.answer).message;
}

function go() {
  const { ask } = MODES[mode];
  if (!ask) {
    session ??= new SessionPanel(call, (route, body) => calls.call(route, body));
    if (!session.node.isConnected) fill(result, session.node);
    void session.go(typedUrl(url.value));
    return;
  }
  const [route, body] = ask(at('ask'));
  void look(route, { url: typedUrl(url.value), ...body });
}

/** @param {string} name */
function choose(name) {
  mode = name;
  fill(options, ...MODES[name].options());
  work.classList.toggle('session', name === 'Session');
  at('go').textContent = name === 'Session' ? 'Open' : 'Look';
  if (name === 'Session' && session) fill(result, session.node);
  else fill(result, make('p', { class: 'empty' }, 'Nothing yet: type an address and press the button.'));
}

tabs(at('modes'), Object.keys(MODES), mode, choose);
choose(mode);
at('ask').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  go();
});
key.addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  calls.key = keyField.value.trim();
  keyField.value = '';
  key.hidden = true;
  if (url.value.trim()) go();
});
// An idle session ends by itself; leaving the page ends it sooner.
addEventListener('pagehide', () => void session?.close());
