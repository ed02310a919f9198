// An app in TypeScript that uses the package as it is published: what its declarations must allow, and refuse.
import { type BrowserCard, LiveView, phoneViewport } from '../elements/index.js';

const card = document.createElement('porthole-card');
const shown: BrowserCard = { type: 'browser-extract', data: { content: 'text', format: 'text' } };
card.card = shown;
card.card = null;
// @ts-expect-error: no such type of card
card.card = { type: 'browser-other', data: {} };
card.addEventListener('porthole-retry', (event) => event.detail.card.type.length);

const view: LiveView = document.createElement('porthole-live-view');
view.src = 'https://porthole.example/live#ticket=…';
view.snapshotReader = async () => '- main:';
view.renew = async () => null;
const width: number = phoneViewport()?.width ?? 1_280;
view.title = String(width);
// @ts-expect-error: told, not set
view.status = 'streaming';
