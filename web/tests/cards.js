// The cards: what they show, in every state, of hostile contents, on narrow and dark screens, to a screen reader.
import '../elements/index.js';
import { all, assert, buttonOf, click, equal, find, person, png, runAll, test, text, until } from './harness.js';

/** @param {HTMLElement} place @param {any} card @param {string} [tag] @returns {any} */
function shown(place, card, tag = 'porthole-card') {
  const element = /** @type {any} */ (document.createElement(tag));
  place.appendChild(element);
  element.card = card;
  return element;
}

const PAGE = { url: 'https://example.com/a', final_url: 'https://example.com/a', title: 'An example', status_code: 200, truncated: false };
const extract = (/** @type {string} */ content, format = 'text', more = {}) => ({ type: 'browser-extract', data: { ...PAGE, content, format, ...more } });
const screenshot = (more = {}) => ({
  type: 'browser-screenshot', data: { ...PAGE, image_base64: png(300, 200, '#3a7ca5'), mime_type: 'image/png', width: 300, height: 200, ...more },
});
const OVERRIDE = 'abc\u202efed\u2066 \u200fx';

test('a card waits with progress at once, and shows how long', async (place) => {
  const element = shown(place, null);
  equal(element.getAttribute('state'), 'waiting');
  assert(find(element, '[role=progressbar]'), 'there is a bar');
  assert(find(element, '[role=status]').textContent.includes('Waiting'), 'there are words');
  element.setAttribute('waiting', 'Opening https://example.com');
  equal(find(element, '[role=status] bdi').textContent, 'Opening https://example.com');
  await until(() => /^[1-9]\d* s$/.test(find(element, '.seconds').textContent ?? ''), 'a second passes');
  await person({ do: 'shot', name: 'card-waiting' });
});

test('a screenshot is drawn, enlarged and closed again', async (place) => {
  const element = shown(place, screenshot());
  const canvas = await until(() => find(element, 'canvas'));
  equal([canvas.width, canvas.height], [300, 200]);
  equal([...canvas.getContext('2d').getImageData(150, 100, 1, 1).data], [0x3a, 0x7c, 0xa5, 255]);
  equal(canvas.getAttribute('aria-label'), 'Screenshot: An example');
  equal(element.getAttribute('state'), 'done');
  await click(find(element, '.picture button'));
  const dialog = await until(() => find(element, 'dialog'));
  const large = find(element, 'dialog canvas');
  const before = large.getBoundingClientRect().width;
  await click(buttonOf(element, 'Zoom in'));
  await until(() => large.getBoundingClientRect().width > before, 'it grows');
  await person({ do: 'key', key: 'Escape' });
  await until(() => !dialog.isConnected, 'Escape closes it');
  await person({ do: 'shot', name: 'card-screenshot' });
});

test('what is broken is told calmly', async (place) => {
  for (const data of [{ image_base64: 'not base64!' }, { image_base64: btoa('no picture') }, { mime_type: 'image/svg+xml' }, { image_base64: '' }, { image_base64: 5 }]) {
    const element = shown(place, screenshot(data));
    await until(() => text(element).includes('damaged'), JSON.stringify(data));
    assert(buttonOf(element, 'Download').disabled, 'nothing to download');
  }
});

test('an error is the code’s sentence, with a retry where that helps', async (place) => {
  const error = { code: 'NAVIGATION_TIMEOUT', message: 'The page took too long to load', retryable: true };
  const element = shown(place, { type: 'browser-extract', data: { ...PAGE, error } });
  equal(element.getAttribute('state'), 'error');
  assert(text(element).includes('The page took too long to load') && text(element).includes('NAVIGATION_TIMEOUT'));
  /** @type {any[]} */
  const asked = [];
  place.addEventListener('porthole-retry', (event) => asked.push(/** @type {any} */ (event).detail.card.type, /** @type {any} */ (event).target));
  await person({ do: 'shot', name: 'card-error' });
  await click(buttonOf(element, 'Try again'));
  await until(() => asked.length > 0, 'the app is asked');
  equal(asked[0], 'browser-extract');
  assert(asked.length === 2 && asked[1] === element, 'once, of the element that the app made');
  equal(element.getAttribute('state'), 'waiting');
  const final = shown(place, { type: 'browser-screenshot', data: { url: 'https://x.example', error: { code: 'BLOCKED_TARGET', message: 'Not there', retryable: false } } });
  assert(!buttonOf(final, 'Try again'), 'no retry where none helps');
  const bare = shown(place, { type: 'browser-screenshot', data: { error: { code: 'OVERLOADED' } } });
  assert(text(bare).includes('The browser service is busy - try again shortly') && buttonOf(bare, 'Try again'), 'the table fills in');
});

test('a retry without a connection waits for it', async (place) => {
  const element = shown(place, { type: 'browser-extract', data: { ...PAGE, error: { code: 'OVERLOADED' } } });
  let asked = 0;
  element.addEventListener('porthole-retry', () => { asked += 1; });
  Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
  buttonOf(element, 'Try again').click();
  assert(asked === 0 && text(element).includes('No connection'), 'it waits');
  delete (/** @type {any} */ (navigator).onLine);
  dispatchEvent(new Event('online'));
  equal(asked, 1);
});

test('what is no card is an error and no exception', (place) => {
  for (const card of [{}, { type: 'browser-screenshot' }, { type: 'other', data: {} }, { type: 'toString', data: {} }, { type: 5, data: 5 }, 'text', 7, { type: 'browser-extract', data: 'x' }]) {
    const element = shown(place, card);
    equal(element.getAttribute('state'), 'error', JSON.stringify(card));
    assert(text(element).includes('can’t be shown'), JSON.stringify(card));
  }
  const wrong = shown(place, extract('a'), 'porthole-screenshot-card');
  equal(wrong.getAttribute('state'), 'error', 'a card of another type');
});

test('markup is text everywhere', async (place) => {
  const evil = '<img src=x onerror="globalThis.evil=1"><script>globalThis.evil=1</script><style>*{display:none}</style>';
  const data = { url: `javascript:${evil}`, final_url: `data:text/html,${evil}`, title: evil, status_code: evil, truncated: evil, width: evil, height: evil, action: evil, session: evil, live_url: 'javascript:globalThis.evil=1' };
  const cards = [
    extract(evil, 'text', data), extract(evil, 'markdown', data), extract(evil, 'html', data), extract(evil, evil, data), extract(`"a","b"\n"${evil.replaceAll('"', '""')}",2`, 'csv', data),
    extract(JSON.stringify([{ [evil]: evil }]), 'json', data), screenshot(data), { type: 'browser-session', data },
    { type: 'browser-extract', data: { ...data, error: { code: evil, message: evil, retryable: true } } },
  ];
  for (const card of cards) {
    const element = shown(place, card);
    await until(() => !find(element, '.picture') || find(element, '.picture canvas, .picture .note'));
    const tags = new Set(all(element.shadowRoot).map((one) => one.localName));
    for (const tag of ['img', 'script', 'style', 'iframe', 'object', 'link', 'svg:script']) assert(!tags.has(tag), `${tag} in ${JSON.stringify(card).slice(0, 60)}`);
    assert(all(element.shadowRoot).every((one) => !one.hasAttribute('style') && ![...one.attributes].some(({ name }) => name.startsWith('on'))), 'no inline style or handler in markup');
    assert(all(element.shadowRoot).every((one) => one.localName !== 'a' || /^https?:/.test(/** @type {any} */ (one).href)), 'links are of the web');
    assert(text(element).includes('<img'), 'and it is shown');
  }
  equal(/** @type {any} */ (globalThis).evil, undefined);
  assert(!buttonOf(place, 'Watch live'), 'no live view without an address of the web');
});

test('a direction override ends with its label', (place) => {
  const element = shown(place, extract(OVERRIDE, 'text', { title: OVERRIDE }));
  const title = find(element, '.title bdi');
  equal(title.textContent.includes('\u202e'), true, 'it is shown as it came');
  equal(getComputedStyle(title).unicodeBidi, 'isolate');
  equal(getComputedStyle(find(element, '.content')).unicodeBidi, 'plaintext');
});

test('five megabytes are cut, and come by pieces', async (place) => {
  const line = 'All work and no play makes a long page. ';
  const long = line.repeat(Math.ceil(5_000_000 / line.length));
  for (const format of ['text', 'markdown', 'html', 'csv', 'json']) {
    const element = shown(place, extract(format === 'markdown' ? long.replaceAll('page. ', 'page.\n\n') : long, format));
    const content = find(element, '.content');
    assert(content.textContent.length <= 6_001 && content.textContent.length > 1_000, `${format}: ${content.textContent.length}`);
    const before = content.textContent.length;
    const more = find(element, 'button.more');
    assert(/Show more \([\d,]+ characters left\)/.test(more.textContent), more.textContent);
    await click(more);
    await until(() => content.textContent.length > before + 30_000, `${format}: more comes`);
    element.remove();
  }
  const rows = shown(place, extract(JSON.stringify(Array.from({ length: 3_000 }, (_, at) => ({ at, name: `n${at}` }))), 'json'));
  equal(find(rows, 'tbody').rows.length, 50);
  await click(find(rows, 'button.more'));
  await until(() => find(rows, 'tbody').rows.length === 550, 'more rows');
});

test('half of a character is never cut off', (place) => {
  const element = shown(place, extract('😀'.repeat(20_000).slice(0), 'text'));
  assert(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(find(element, '.content').textContent), 'whole characters');
});

test('tables, lists and JSON have their form', async (place) => {
  const table = shown(place, extract('name,price\n"a ""b"", c",1\nd,2\n', 'csv'));
  equal([...find(table, 'table').rows].map((row) => [...row.cells].map((cell) => cell.textContent)), [['name', 'price'], ['a "b", c', '1'], ['d', '2']]);
  const nested = shown(place, extract('{"a":{"b":[1]}}', 'json'));
  equal(find(nested, '.content').textContent, '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}');
  const markdown = shown(place, extract('# Prices\n\nA *fine* list of [links](https://example.com/x):\n\n- one\n- two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```', 'markdown', { status_code: 404, truncated: true }));
  equal(find(markdown, 'h3').textContent, 'Prices');
  assert(text(markdown).includes('status 404') && text(markdown).includes('more on the page'), 'the notes');
  await person({ do: 'shot', name: 'card-markdown' });
});

test('the text is copied', async (place) => {
  const element = shown(place, extract('what is copied', 'text'));
  await click(buttonOf(element, 'Copy'));
  await until(() => text(element).includes('Copied'), 'it says so');
});

test('the attribute for the theme reaches the inner card', (place) => {
  const element = shown(place, extract('a'));
  element.setAttribute('theme', 'dark');
  equal(getComputedStyle(find(element, 'porthole-extract-card')).colorScheme, 'dark');
});

/** Whether something is wider than the window. */
function overflow() {
  const width = document.documentElement.clientWidth;
  const wide = all(document.body).filter((element) => {
    const { right, left, width: own } = element.getBoundingClientRect();
    const scrolls = element.closest('.content, .wide, .scroll, .where, pre') ?? /** @type {any} */ (element.getRootNode()).host?.closest?.('.content');
    return own > 0 && !scrolls && !element.closest('.away') && (right > width + 1 || left < -1);
  });
  return { page: document.documentElement.scrollWidth - width, wide: wide.map((element) => `${element.localName}.${element.className}`) };
}

test('nothing is wider than 320 px, from left or from right', async (place) => {
  const long = 'https://example.com/' + 'x'.repeat(400);
  const cards = [
    null, extract('word '.repeat(300)), extract('x'.repeat(3_000)), extract(`| ${'column | '.repeat(12)}\n|${'---|'.repeat(12)}\n| ${'wide-cell-content | '.repeat(12)}`, 'markdown'),
    extract('a,b,c,d,e,f,g,h\n' + 'wide cell,'.repeat(8), 'csv'), screenshot({ image_base64: png(1280, 800, '#456'), title: 'T'.repeat(300), final_url: long }),
    { type: 'browser-session', data: { session: 'ses_1', url: long, title: 'Shop', action: 'Clicked “Add to cart”', live_url: 'http://127.0.0.1:1/live#ticket=x' } },
    { type: 'browser-extract', data: { url: long, error: { code: 'OVERLOADED' } } },
  ];
  const sized = await person({ do: 'size', width: 320, height: 900 });
  assert(sized, 'the window is 320 px wide');
  for (const direction of ['ltr', 'rtl']) {
    place.replaceChildren();
    document.documentElement.dir = direction;
    const elements = cards.map((card) => shown(place, card));
    for (const element of elements) await until(() => !find(element, '.picture') || find(element, '.picture canvas'));
    equal(overflow(), { page: 0, wide: [] }, direction);
    await person({ do: 'shot', name: `cards-320-${direction}` });
  }
  await person({ do: 'size', width: 1024, height: 768 });
});

/** The luminance of an `rgb()` colour. @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** A computed colour as numbers, by drawing it. @param {string} colour */
function numbers(colour) {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data];
}

/** What is behind an element. @param {Element} element */
function ground(element) {
  for (let at = /** @type {any} */ (element); at; at = at.parentElement ?? at.getRootNode()?.host) {
    const [r, g, b, a] = numbers(getComputedStyle(at).backgroundColor);
    if (a === 255) return [r, g, b];
  }
  return [255, 255, 255];
}

test('text has contrast enough, light and dark', async (place) => {
  for (const theme of ['light', 'dark']) {
    place.replaceChildren();
    const cards = [null, extract('# A\n\n> quoted `code` [link](https://x.example)', 'markdown', { status_code: 404 }), screenshot({ truncated: true }), { type: 'browser-extract', data: { ...PAGE, error: { code: 'OVERLOADED' } } },
      { type: 'browser-session', data: { ...PAGE, action: 'Clicked', live_url: 'http://127.0.0.1:1/live#ticket=x' } }];
    const elements = cards.map((card) => {
      const element = shown(place, card);
      element.setAttribute('theme', theme);
      return element;
    });
    for (const element of elements) await until(() => !find(element, '.picture') || find(element, '.picture canvas'));
    for (const element of elements.flatMap((one) => all(one.shadowRoot))) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
      if (!own || element.matches(':disabled *, :disabled')) continue;
      const [front, back] = [luminance(numbers(getComputedStyle(element).color).slice(0, 3)), luminance(ground(element))];
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      assert(contrast >= 4.5, `${theme}: ${element.localName} "${element.textContent?.slice(0, 30)}" has ${contrast.toFixed(2)}`);
    }
    await person({ do: 'shot', name: `cards-${theme}` });
  }
});

test('the system’s wishes are followed: dark, less motion', async (place) => {
  const element = shown(place, null);
  const bar = () => getComputedStyle(find(element, '.bar > span')).animationName;
  equal(bar(), 'wait');
  if (!(await person({ do: 'media', scheme: 'dark', motion: 'reduce' }))) return;
  await until(() => bar() === 'none', 'nothing moves');
  const surface = numbers(getComputedStyle(find(element, '.card')).backgroundColor);
  assert(luminance(surface.slice(0, 3)) < 0.1, `dark is ${surface}`);
  await person({ do: 'media' });
});

test('all that is pressed has a name, and is reached by keys', async (place) => {
  const element = shown(place, screenshot());
  await until(() => find(element, 'canvas'));
  for (const one of all(element.shadowRoot)) {
    if (one.localName === 'button') assert(one.getAttribute('aria-label') || one.textContent?.trim(), one.outerHTML);
  }
  // A browser that is driven may not press buttons by keys at all; a plain one shows it.
  const plain = document.createElement('button');
  let pressed = false;
  plain.addEventListener('click', () => { pressed = true; });
  place.appendChild(plain);
  plain.focus();
  await person({ do: 'key', key: 'Enter' });
  if (!pressed) return;
  find(element, '.picture button').focus();
  await person({ do: 'key', key: 'Enter' });
  await until(() => find(element, 'dialog[open]'), 'Enter enlarges');
  await person({ do: 'key', key: 'Escape' });
  await until(() => !find(element, 'dialog'), 'Escape closes');
});

test('a property that was set before the element was there counts', (place) => {
  const frame = /** @type {any} */ (document.createElement('porthole-extract-card'));
  frame.card = extract('early');
  place.appendChild(frame);
  equal(find(frame, '.content').textContent, 'early');
});

await runAll();
