// The example for React (docs/examples/cards-react.mjs), bundled with React by `make web-check`.
import { assert, buttonOf, equal, find, runAll, socket, test, text, until } from './harness.js';

// @ts-expect-error: the bench has it
const { Card, LiveView, createElement, createRoot } = /** @type {any} */ (await import('/react.js'));

const PAGE = { url: 'https://example.com/a', title: 'An example', status_code: 200 };
const READ = { type: 'browser-extract', data: { ...PAGE, content: 'what was read', format: 'text' } };
const BUSY = { type: 'browser-extract', data: { ...PAGE, error: { code: 'OVERLOADED', message: 'Busy', retryable: true } } };

test('a card follows its properties and tells of a retry', async (place) => {
  const root = createRoot(place);
  const card = () => /** @type {any} */ (place.querySelector('porthole-card'));
  /** @type {any[]} */
  const asked = [];
  const show = (/** @type {any} */ shown) => root.render(createElement(Card, {
    card: shown, waiting: 'Reading a page', onRetry: (/** @type {any} */ event) => asked.push(event.detail.card.data.error.code),
  }));
  show(null);
  await until(() => card()?.state === 'waiting');
  await until(() => text(card()).includes('Reading a page'), 'the words of the wait');
  show(READ);
  await until(() => card().state === 'done');
  assert(text(card()).includes('what was read'));
  show(BUSY);
  await until(() => card().state === 'error');
  buttonOf(find(card(), 'porthole-extract-card'), 'Try again').click();
  await until(() => card().state === 'waiting');
  equal(asked, ['OVERLOADED']);
  root.unmount();
  assert(card() === null, 'it goes with the app');
});

test('a live view connects to its link, and leaves with the app', async (place) => {
  await socket({ forget: true });
  const root = createRoot(place);
  root.render(createElement(LiveView, { link: `${location.origin}/live#ticket=of-the-test`, renew: null }));
  const told = await until(async () => (await socket({})).received.find((/** @type {any} */ message) => message.type === 'hello'));
  equal(told.ticket, 'of-the-test');
  root.unmount();
  assert(place.querySelector('porthole-live-view') === null);
});

await runAll();
