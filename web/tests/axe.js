// axe-core (of npm, `make web-check`) looks at every element in every state.
import '../elements/index.js';
import { assert, find, person, png, runAll, socket, test, until } from './harness.js';

// A bundle of the classic kind, which sets a global.
// @ts-expect-error: the bench has it
await import('/axe.js');
const { axe } = /** @type {any} */ (globalThis);

/** @param {string} what @param {Element} [part] */
async function nothingIn(what, part) {
  const { violations } = await axe.run(part ?? document.querySelector('main'), { resultTypes: ['violations'] });
  const found = violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => `${node.target.join(' ')} ${node.html} ${node.failureSummary}`).join('; ')}`);
  assert(found.length === 0, `${what}: ${found.join('\n')}`);
}

const PAGE = { url: 'https://example.com/a', title: 'An example', status_code: 404, truncated: true };
const CARDS = [
  null, { type: 'browser-extract', data: { ...PAGE, content: '# A\n\ntext [link](https://x.example)\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```', format: 'markdown' } },
  { type: 'browser-extract', data: { ...PAGE, content: 'word '.repeat(3_000), format: 'text' } }, { type: 'browser-extract', data: { ...PAGE, content: 'a,b\n1,2', format: 'csv' } },
  { type: 'browser-screenshot', data: { ...PAGE, image_base64: png(400, 300, '#357'), mime_type: 'image/png', width: 400, height: 300 } }, { type: 'browser-screenshot', data: { ...PAGE, image_base64: 'x' } },
  { type: 'browser-extract', data: { ...PAGE, error: { code: 'OVERLOADED' } } }, { type: 'browser-session', data: { ...PAGE, action: 'Clicked', live_url: 'http://127.0.0.1:1/live#ticket=x' } },
];

for (const theme of ['light', 'dark']) {
  test(`cards, ${theme}`, async (place) => {
    // The page's own ground is no matter of the elements.
    document.documentElement.style.setProperty('background', theme === 'dark' ? '#101419' : '#ffffff');
    for (const card of CARDS) {
      const element = /** @type {any} */ (document.createElement('porthole-card'));
      element.setAttribute('theme', theme);
      place.appendChild(element);
      element.card = card;
      await until(() => !find(element, '.picture') || find(element, '.picture canvas, .picture .note'));
    }
    await nothingIn('cards');
    find(place, '.picture button').click();
    await until(() => find(place, 'dialog[open]'));
    await nothingIn('enlarged');
    find(place, 'dialog').close();
  });

  test(`live view, ${theme}`, async (place) => {
    await socket({ forget: true });
    const element = /** @type {any} */ (document.createElement('porthole-live-view'));
    element.setAttribute('theme', theme);
    place.appendChild(element);
    element.src = `${location.origin}/live#ticket=x`;
    await nothingIn('connecting');
    await until(async () => (await socket({})).received.length > 0);
    const tabs = [{ tab: 't1', url: 'https://a/', title: 'A' }, { tab: 't2', url: 'https://b/', title: 'B' }];
    await socket({ send: [{ type: 'welcome', role: 'control', session: 's', tab: 't1' }, { type: 'viewport', width: 800, height: 400 }, { type: 'tabs', tabs, active: 't1' }, { type: 'status', status: 'streaming' },
      { type: 'url', url: 'https://a/', title: 'A' }, { type: 'action', tool: 'click', ref: '@e1', box: { x: 10, y: 10, width: 50, height: 20 } }], frame: { seq: 1, width: 800, height: 400, colour: [200, 200, 200] } });
    await until(() => !find(element, 'canvas.empty'));
    find(element, '[aria-label="Read as text"]').click();
    await nothingIn('streaming');
    const rect = { x: 100, y: 50, width: 200, height: 20 };
    const option = (/** @type {string} */ label, more = {}) => ({ label, value: label, disabled: false, selected: false, ...more });
    await socket({ send: [{ type: 'select', kind: 'list', multiple: true, value: '', rect, options: [option('a', { group: 'G' }), option('b', { selected: true }), option('c', { disabled: true })] }] });
    await until(() => find(element, '[role=listbox]'));
    await nothingIn('a list');
    await socket({ send: [{ type: 'select_closed' }, { type: 'select', kind: 'date', options: [], multiple: false, value: '2026-11-23', rect }] });
    await until(() => find(element, 'input[type=date]'));
    await nothingIn('a date');
    await socket({ send: [{ type: 'select_closed' }, { type: 'dialog', kind: 'prompt', message: 'Sure?', default: '' }] });
    await until(() => find(element, 'form.panel'));
    await nothingIn('a prompt');
    await socket({ send: [{ type: 'dialog_closed' }, { type: 'file_chooser', multiple: false, accept: '' }] });
    await until(() => find(element, 'input[type=file]'));
    await nothingIn('a file chooser');
    await socket({ close: 4429 });
    await until(() => element.status === 'full');
    await nothingIn('ended');
  });
}

test('the window’s other sizes', async (place) => {
  await person({ do: 'size', width: 320, height: 640 });
  const element = /** @type {any} */ (document.createElement('porthole-card'));
  place.appendChild(element);
  element.card = CARDS[1];
  await nothingIn('320 px');
  await person({ do: 'size', width: 1024, height: 768 });
});

await runAll();
