// The live view against a scripted socket with real frames: what it draws, what it sends, how it comes back.
import '../elements/index.js';
import { typedUrl } from '../elements/safe.js';
import { all, assert, buttonOf, click, equal, find, person, runAll, socket, test, text, until } from './harness.js';

const LINK = `${location.origin}/live#ticket=a.ticket`;
const PAGE = { width: 800, height: 400 };
/** Two clicks that are further apart are two single ones. */
const DOUBLE_CLICK_MS = 500;
const sleepless = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** A view with a size in CSS pixels. @param {HTMLElement} place @param {number} width @param {number} height @returns {any} */
function view(place, width = 900, height = 700) {
  const element = /** @type {any} */ (document.createElement('porthole-live-view'));
  element.style.setProperty('inline-size', `${width}px`);
  element.style.setProperty('block-size', `${height}px`);
  place.appendChild(element);
  return element;
}

/** A view that is welcomed and shows a frame. @param {HTMLElement} place @param {'view' | 'control'} role @param {number[]} size @returns {Promise<any>} */
async function streaming(place, role = 'control', size = [900, 700]) {
  await socket({ forget: true });
  const element = view(place, ...size);
  element.src = LINK;
  await received('hello');
  await socket({ send: [
    { type: 'welcome', role, session: 'ses_1', tab: 't1' }, { type: 'status', status: 'connected' }, { type: 'viewport', ...PAGE, offset_top: 0, page_scale_factor: 1 },
    { type: 'url', url: 'https://example.com/', title: 'An example' }, { type: 'tabs', tabs: [{ tab: 't1', url: 'https://example.com/', title: 'An example' }], active: 't1' },
    { type: 'control', holder: 'none', you: false }, { type: 'status', status: 'streaming' },
  ], frame: { seq: 1, ...PAGE, colour: [90, 90, 90] } });
  await received('ack');
  return element;
}

/** The same, and this viewer has control. @param {HTMLElement} place @param {number[]} size @returns {Promise<any>} */
async function controlling(place, size = [900, 700]) {
  const element = await streaming(place, 'control', size);
  await socket({ send: [{ type: 'control', holder: 'viewer', you: true }] });
  await until(() => find(element, '.control').getAttribute('aria-pressed') === 'true', 'it has control');
  return element;
}

/** Messages of a type that the socket got. @param {string} type @returns {Promise<any[]>} */
async function sent(type) {
  return (await socket({})).received.filter((/** @type {any} */ message) => message.type === type);
}

/** Waits for a message. @param {string} type @param {(message: any) => boolean} [fits] @returns {Promise<any>} */
async function received(type, fits = () => true) {
  return until(async () => (await sent(type)).find(fits), `${type} ${fits}`);
}

/** Events of a type that the socket got, without their noise. @param {string} type @returns {Promise<any[]>} */
async function events(type) {
  return (await sent(type)).map((/** @type {any} */ { event }) => event);
}

/** The place in the window of a point of the page. @param {any} element @param {number} x @param {number} y */
function at(element, x, y) {
  const { left, top, width, height } = find(element, 'canvas').getBoundingClientRect();
  return { x: left + (x * width) / PAGE.width, y: top + (y * height) / PAGE.height };
}

test('the hello has the ticket, and asks for a picture that fits the screen', async (place) => {
  const element = await streaming(place);
  const [hello] = await sent('hello');
  equal([hello.ticket, hello.frames, hello.quality, hello.max_fps], ['a.ticket', 'binary', 70, 30]);
  assert(hello.max_width >= 200 && hello.max_width <= 1920 && hello.max_height <= 1920, JSON.stringify(hello));
  equal(element.status, 'streaming');
});

test('a frame is drawn as it is, and in its shape', async (place) => {
  const element = await streaming(place);
  const canvas = find(element, 'canvas');
  equal([canvas.width, canvas.height], [800, 400]);
  const pixel = (/** @type {number} */ x, /** @type {number} */ y) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3);
  const close = (/** @type {number[]} */ a, /** @type {number[]} */ b) => assert(a.every((value, index) => Math.abs(value - b[index]) < 12), `${a} is not ${b}`);
  close(pixel(20, 20), [220, 40, 40]);
  close(pixel(780, 20), [40, 160, 60]);
  close(pixel(20, 380), [40, 80, 220]);
  close(pixel(780, 380), [230, 190, 40]);
  close(pixel(400, 200), [90, 90, 90]);
  const { width, height } = canvas.getBoundingClientRect();
  assert(Math.abs(width / height - 2) < 0.01, `${width} × ${height}`);
  await person({ do: 'shot', name: 'live-streaming' });
});

test('the latest frame wins, and each that was drawn is acknowledged', async (place) => {
  const element = await streaming(place);
  for (let seq = 2; seq < 12; seq += 1) await socket({ frame: { seq, ...PAGE, colour: [seq * 20, 0, 0] } });
  await received('ack', ({ seq }) => seq === 11);
  const shown = [...find(element, 'canvas').getContext('2d').getImageData(400, 200, 1, 1).data];
  assert(Math.abs(shown[0] - 220) < 12, `the last frame is shown: ${shown}`);
  const acks = (await sent('ack')).map(({ seq }) => seq);
  equal(acks, [...acks].sort((a, b) => a - b), 'in their order');
});

test('a click goes to the point under it, at any size and zoom of the view', async (place) => {
  for (const [width, height] of [[900, 700], [400, 600], [700, 330]]) {
    place.replaceChildren();
    const element = await streaming(place, 'control', [width, height]);
    for (const [x, y] of [[100, 50], [797, 397], [2, 2], [400, 200]]) {
      await socket({ forget: true });
      const point = at(element, x, y);
      await person({ do: 'move', ...point });
      await person({ do: 'down', ...point, button: 'left', held: 1 });
      await person({ do: 'up', ...point, button: 'left' });
      const released = await received('mouse', ({ event }) => event.type === 'mouseReleased');
      const pressed = (await events('mouse')).find(({ type }) => type === 'mousePressed');
      const scale = PAGE.width / find(element, 'canvas').getBoundingClientRect().width;
      for (const event of [pressed, released.event]) {
        assert(Math.abs(event.x - x) <= scale && Math.abs(event.y - y) <= scale, `${event.x}, ${event.y} is not ${x}, ${y} at ${width} × ${height}`);
        equal([event.button, event.clickCount], ['left', 1]);
      }
    }
  }
});

test('clicks are counted, and buttons and modifiers told', async (place) => {
  const element = await streaming(place);
  const point = at(element, 300, 100);
  // On a busy machine two clicks may take longer than a double click may: they are made again.
  for (let started = -Infinity; performance.now() - started > DOUBLE_CLICK_MS;) {
    await new Promise((resolve) => setTimeout(resolve, DOUBLE_CLICK_MS));
    await socket({ forget: true });
    started = performance.now();
    for (const count of [1, 2]) {
      await person({ do: 'down', ...point, button: 'left', held: 1, count });
      await person({ do: 'up', ...point, button: 'left', count });
    }
    await until(async () => (await events('mouse')).filter(({ type }) => type === 'mouseReleased').length === 2);
  }
  equal((await events('mouse')).filter(({ type }) => type === 'mousePressed').map(({ clickCount }) => clickCount), [1, 2]);
  await socket({ forget: true });
  const other = at(element, 500, 100);
  await person({ do: 'down', ...other, button: 'right', held: 2 });
  await person({ do: 'up', ...other, button: 'right' });
  equal((await received('mouse', ({ event }) => event.type === 'mouseReleased')).event.button, 'right');
});

test('nothing is pressed over the letterbox', async (place) => {
  const element = await controlling(place, [900, 700]);
  const canvas = find(element, 'canvas').getBoundingClientRect();
  const stage = find(element, '.stage').getBoundingClientRect();
  assert(canvas.top - stage.top > 30, 'there is a letterbox');
  await socket({ forget: true });
  const over = { x: canvas.left + 100, y: stage.top + 10 };
  await person({ do: 'move', ...over });
  await person({ do: 'down', ...over, button: 'left', held: 1 });
  await person({ do: 'up', ...over, button: 'left' });
  const inside = at(element, 10, 10);
  await person({ do: 'move', ...inside });
  await received('mouse', ({ event }) => event.type === 'mouseMoved');
  equal((await events('mouse')).filter(({ type }) => type !== 'mouseMoved'), []);
});

test('a button that went down comes up: over the letterbox, outside, lost window, lost pointer', async (place) => {
  const element = await streaming(place);
  const stage = find(element, '.stage');
  const from = at(element, 400, 200);
  const box = stage.getBoundingClientRect();
  /** @type {[string, () => Promise<unknown> | unknown][]} */
  const ends = [
    ['over the letterbox', () => person({ do: 'up', x: box.left + 5, y: box.top + 5, button: 'left' })],
    ['outside the view', () => person({ do: 'up', x: 1_000, y: 5, button: 'left' })],
    ['a lost window', () => dispatchEvent(new Event('blur'))],
    ['a cancelled pointer', () => stage.dispatchEvent(new PointerEvent('pointercancel', { pointerId: held, pointerType: 'mouse' }))],
    ['a lost capture', async () => { await person({ do: 'move', x: from.x + 1, y: from.y, button: 'left', held: 1 }); stage.releasePointerCapture(held); return person({ do: 'move', x: from.x + 3, y: from.y, button: 'left', held: 1 }); }],
    ['a removed view', () => element.remove()],
  ];
  let held = 0;
  stage.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => { held = event.pointerId; });
  for (const [name, end] of ends) {
    await socket({ forget: true });
    await person({ do: 'move', ...from });
    await person({ do: 'down', ...from, button: 'left', held: 1 });
    await received('mouse', ({ event }) => event.type === 'mousePressed');
    await end();
    const released = await received('mouse', ({ event }) => event.type === 'mouseReleased').catch((error) => { throw new Error(`${name}: ${error}`); });
    assert(released.event.x >= 0 && released.event.x < 800 && released.event.y >= 0 && released.event.y < 400, `${name}: ${JSON.stringify(released)}`);
    if (!name.includes('letterbox') && !name.includes('outside')) await person({ do: 'up', ...from, button: 'left' });
    await sleepless();
    equal((await events('mouse')).filter(({ type }) => type === 'mouseReleased').length, 1, `${name}: releases`);
  }
});

test('a drag that leaves the picture goes on at its edge', async (place) => {
  const element = await streaming(place);
  const from = at(element, 400, 200);
  await person({ do: 'move', ...from });
  await person({ do: 'down', ...from, button: 'left', held: 1 });
  await received('mouse', ({ event }) => event.type === 'mousePressed');
  await socket({ forget: true });
  await person({ do: 'move', x: 1_010, y: from.y, button: 'left', held: 1 });
  const moved = await received('mouse', ({ event }) => event.type === 'mouseMoved');
  equal([moved.event.x, moved.event.button], [799, 'left']);
  await person({ do: 'up', x: 1_010, y: from.y, button: 'left' });
  equal((await received('mouse', ({ event }) => event.type === 'mouseReleased')).event.x, 799);
});

test('passing over the picture takes no control, and with control moves are sent', async (place) => {
  const element = await streaming(place);
  await socket({ forget: true });
  const [over, point] = [() => at(element, 100, 100), () => at(element, 300, 100)];
  await person({ do: 'move', ...over() });
  await sleepless();
  dispatchEvent(new Event('blur'));
  await person({ do: 'down', ...point(), button: 'left', held: 1 });
  await person({ do: 'up', ...point(), button: 'left' });
  await received('mouse', ({ event }) => event.type === 'mouseReleased');
  const told = await events('mouse');
  equal(told.slice(0, 2).map(({ type }) => type), ['mouseMoved', 'mousePressed'], 'the press brings the pointer');
  assert(told.every(({ x }) => Math.abs(x - 300) < 2), JSON.stringify(told));
  await socket({ send: [{ type: 'control', holder: 'viewer', you: true }], forget: true });
  await until(() => buttonOf(element, 'Release control'));
  await person({ do: 'move', ...over() });
  await received('mouse', ({ event }) => event.type === 'mouseMoved' && Math.abs(event.x - 100) < 2);
  // Before the server tells that control has ended.
  await click(buttonOf(element, 'Release control'));
  await received('control', ({ action }) => action === 'release');
  await socket({ forget: true });
  await person({ do: 'move', ...over() });
  await sleepless();
  await person({ do: 'down', ...point(), button: 'left', held: 1 });
  await person({ do: 'up', ...point(), button: 'left' });
  await received('mouse', ({ event }) => event.type === 'mouseReleased');
  assert((await events('mouse')).every(({ x }) => Math.abs(x - 300) < 2), 'no move takes control again');
});

test('moves are joined, and never follow the press that they precede', async (place) => {
  const element = await controlling(place);
  await socket({ forget: true });
  const canvas = find(element, 'canvas');
  const { x, y } = at(element, 100, 100);
  const send = (/** @type {string} */ type, /** @type {any} */ more) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, pointerType: 'mouse', pointerId: 77, clientX: x, clientY: y, ...more }));
  for (let step = 0; step < 200; step += 1) send('pointermove', { clientX: x + step, button: -1 });
  send('pointerdown', { clientX: x + 199, button: 0, buttons: 1 });
  send('pointerup', { clientX: x + 199, button: 0 });
  await received('mouse', ({ event }) => event.type === 'mouseReleased');
  const kinds = (await events('mouse')).map(({ type }) => type);
  equal(kinds, ['mouseMoved', 'mousePressed', 'mouseReleased']);
});

test('the wheel scrolls the page, and with Control magnifies the view', async (place) => {
  const element = await controlling(place);
  const point = at(element, 200, 100);
  await socket({ forget: true });
  await person({ do: 'wheel', ...point, dx: 0, dy: 120 });
  const wheel = await received('mouse', ({ event }) => event.type === 'mouseWheel');
  assert(wheel.event.deltaY > 0 && Math.abs(wheel.event.x - 200) < 2, JSON.stringify(wheel));
  const canvas = find(element, 'canvas');
  const before = canvas.getBoundingClientRect().width;
  canvas.dispatchEvent(new WheelEvent('wheel', { bubbles: true, composed: true, cancelable: true, ctrlKey: true, deltaY: -100, clientX: point.x, clientY: point.y }));
  await until(() => canvas.getBoundingClientRect().width > before * 1.3, 'it is larger');
  await socket({ forget: true });
  await person({ do: 'move', ...point });
  const moved = await received('mouse', ({ event }) => event.type === 'mouseMoved');
  assert(Math.abs(moved.event.x - 200) < 2, `the same point is under the pointer: ${JSON.stringify(moved)}`);
});

test('a turn of the wheel that fades arrives whole, and a trackpad’s line by line too', async (place) => {
  const element = await streaming(place);
  const canvas = find(element, 'canvas');
  const { x, y } = at(element, 200, 100);
  const fades = [400, 300, 225, 169, 127, 95, 71, 53, 40, 30, 23, 17, 13, 9, 7, 5, 4, 3, 2, 1];
  const sum = fades.reduce((all_, one) => all_ + one, 0);
  for (const [deltaMode, unit] of [[0, 1], [1, 32]]) {
    const turned = sum * unit / (deltaMode === 0 ? 1 : 8);
    await socket({ forget: true });
    for (const deltaY of fades) {
      canvas.dispatchEvent(new WheelEvent('wheel', { bubbles: true, composed: true, cancelable: true, deltaMode, deltaX: -1, deltaY: deltaMode === 0 ? deltaY : deltaY / 8, clientX: x, clientY: y }));
      if (deltaY % 5 === 0) await sleepless();
    }
    const told = async () => (await events('mouse')).filter(({ type }) => type === 'mouseWheel');
    const of = (/** @type {any[]} */ wheels, /** @type {string} */ name) => wheels.reduce((all_, one) => all_ + one[name], 0);
    await until(async () => Math.abs(of(await told(), 'deltaY') - turned) < 0.5, `all of ${turned}`);
    const wheels = await told();
    assert(Math.abs(of(wheels, 'deltaX') + fades.length * unit) < 0.5, 'sideways');
    assert(wheels.every(({ deltaY }) => deltaY <= 500), 'no part is larger than the server takes');
    if (unit === 1) assert(wheels.length < fades.length, `${wheels.length} messages: turns within a frame are joined`);
  }
});

test('keys go to the page with their codes, text and modifiers, and come up when the focus is lost', async (place) => {
  const element = await streaming(place);
  await click(find(element, 'canvas'));
  await socket({ forget: true });
  await person({ do: 'key', key: 'a' });
  await person({ do: 'key', key: 'Enter' });
  await person({ do: 'key', key: 'ArrowLeft' });
  await person({ do: 'key', key: 'b', modifiers: 2 });
  await received('keyboard', ({ event }) => event.key === 'b' && event.type === 'keyUp');
  const keys = (await events('keyboard')).filter(({ key }) => key !== 'Control').map(({ type, key, text, modifiers }) => [type, key, text ?? null, modifiers]);
  equal(keys, [
    ['keyDown', 'a', 'a', 0], ['keyUp', 'a', null, 0], ['keyDown', 'Enter', '\r', 0], ['keyUp', 'Enter', null, 0],
    ['keyDown', 'ArrowLeft', null, 0], ['keyUp', 'ArrowLeft', null, 0], ['keyDown', 'b', null, 2], ['keyUp', 'b', null, 2],
  ]);
  await socket({ forget: true });
  await person({ do: 'key', key: 'z', part: 'down' });
  await received('keyboard', ({ event }) => event.type === 'keyDown');
  dispatchEvent(new Event('blur'));
  await received('keyboard', ({ event }) => event.type === 'keyUp' && event.key === 'z');
  await person({ do: 'key', key: 'z', part: 'up' });
});

test('Escape twice leads out of the page, and who comes by Tab is shown so', async (place) => {
  const element = await streaming(place);
  await click(find(element, 'canvas'));
  equal(element.shadowRoot.activeElement.localName, 'textarea');
  const toast = find(element, '.toast');
  assert(toast.hidden, 'not at a press');
  find(element, 'textarea').dispatchEvent(new KeyboardEvent('keyup', { key: 'Tab', code: 'Tab', bubbles: true }));
  assert(!toast.hidden && toast.textContent.includes('Escape twice'), toast.textContent);
  await person({ do: 'key', key: 'Escape' });
  await person({ do: 'key', key: 'Escape' });
  await until(() => element.shadowRoot.activeElement?.localName === 'button', 'a button has the focus');
});

test('an input method composes, commits and cancels', async (place) => {
  const element = await streaming(place);
  await click(find(element, 'canvas'));
  await socket({ forget: true });
  const field = find(element, 'textarea');
  if (await person({ do: 'compose', text: 'に' })) {
    await person({ do: 'compose', text: 'にほ' });
    await person({ do: 'insert', text: '日本' });
  } else {
    field.dispatchEvent(new CompositionEvent('compositionstart', { data: '' }));
    for (const data of ['に', 'にほ']) field.dispatchEvent(new CompositionEvent('compositionupdate', { data }));
    field.dispatchEvent(new CompositionEvent('compositionend', { data: '日本' }));
  }
  await received('ime', ({ event }) => event.type === 'commit');
  const told = await events('ime');
  equal(told.filter(({ type }) => type === 'compose').map(({ text: composed }) => composed).slice(0, 2), ['に', 'にほ']);
  equal(told.filter(({ type }) => type === 'commit').map(({ text: done }) => done), ['日本']);
  equal(told[0].selectionEnd, 1);
  await socket({ forget: true });
  field.dispatchEvent(new CompositionEvent('compositionstart', { data: '' }));
  field.dispatchEvent(new CompositionEvent('compositionupdate', { data: '안' }));
  field.dispatchEvent(new CompositionEvent('compositionend', { data: '' }));
  await received('ime', ({ event }) => event.type === 'cancel');
  equal(await sent('keyboard'), [], 'no key is typed beside');
  await until(() => field.value === '\u200b\u200b', 'the field is empty again');
});

test('what an on-screen keyboard inserts is typed', async (place) => {
  const element = await streaming(place);
  const field = find(element, 'textarea');
  await socket({ forget: true });
  const insert = (/** @type {string} */ inputType, /** @type {string | null} */ data = null) => field.dispatchEvent(new InputEvent('beforeinput', { inputType, data, bubbles: true, cancelable: true }));
  insert('insertText', 'é');
  insert('insertText', 'word ');
  insert('insertLineBreak');
  insert('deleteContentBackward');
  await received('keyboard', ({ event }) => event.key === 'Backspace' && event.type === 'keyUp');
  const told = (await events('keyboard')).map(({ type, key, text: typed }) => [type, key, typed ?? null]);
  equal(told, [['char', 'é', 'é'], ['char', '', 'word '], ['keyDown', 'Enter', '\r'], ['keyUp', 'Enter', null], ['keyDown', 'Backspace', null], ['keyUp', 'Backspace', null]]);
});

test('a dead key waits for its letter, and a third level is text', async (place) => {
  const element = await streaming(place);
  const field = find(element, 'textarea');
  await socket({ forget: true });
  const key = (/** @type {string} */ name, /** @type {any} */ more = {}) => field.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more }));
  key('Dead', { code: 'BracketLeft' });
  key('é', { code: 'KeyE' });
  key('@', { code: 'KeyQ', ctrlKey: true, altKey: true, modifierAltGraph: true });
  key('å', { code: 'KeyA', altKey: true });
  key('#', { code: 'Digit3', ctrlKey: true, altKey: true });
  await received('keyboard', ({ event }) => event.key === '#');
  const typed = (await events('keyboard')).map(({ key: name, text: of }) => [name, of]);
  equal(typed, [['é', 'é'], ['@', '@'], ['å', 'å'], ['#', '#']]);
  equal((await events('keyboard'))[1].modifiers, 0, 'AltGr is no chord');
});

test('text is pasted in parts that fit, and no more than a million', async (place) => {
  const element = await streaming(place);
  const field = find(element, 'textarea');
  const paste = (/** @type {string} */ pasted) => {
    const data = new DataTransfer();
    data.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
    // Firefox takes no data from the constructor.
    Object.defineProperty(event, 'clipboardData', { value: data });
    field.dispatchEvent(event);
  };
  await socket({ forget: true });
  paste('short');
  const long = 'ä'.repeat(40_000);
  paste(long);
  await until(async () => (await sent('paste')).length === 4, 'four parts');
  const parts = (await sent('paste')).map(({ text: part }) => part);
  equal(parts[0], 'short');
  equal(parts.slice(1).join('') === long, true, 'together');
  assert(parts.every((part) => new TextEncoder().encode(JSON.stringify({ type: 'paste', text: part })).length < 65_536), 'each fits');
  await socket({ forget: true });
  paste('x'.repeat(1_000_001));
  await until(() => text(element).includes('too much text'), 'it says so');
  equal(await sent('paste'), []);
});

test('what is selected in the page is copied, and cut once it is here', async (place) => {
  const element = await streaming(place);
  await click(find(element, 'canvas'));
  const field = find(element, 'textarea');
  /** @type {any[]} */
  const copied = [];
  element.addEventListener('porthole-copied', (/** @type {any} */ event) => copied.push(event.detail));
  await socket({ forget: true });
  await person({ do: 'key', key: 'c', modifiers: 2 });
  await received('copy');
  await socket({ send: [{ type: 'clipboard', text: 'from the page' }] });
  await until(() => copied.length === 1, 'it is copied');
  equal(copied[0].text, 'from the page');
  if (!copied[0].kept) assert(find(element, '.panel textarea').value === 'from the page', 'it is offered');
  buttonOf(element, 'Close')?.click();
  await socket({ forget: true });
  field.dispatchEvent(new ClipboardEvent('cut', { bubbles: true, cancelable: true }));
  await received('copy');
  equal((await sent('keyboard')).filter(({ event }) => event.key === 'x'), [], 'not yet');
  await socket({ send: [{ type: 'clipboard', text: 'cut' }] });
  await received('keyboard', ({ event }) => event.key === 'x' && event.modifiers === 2);
  await until(() => copied.length === 2);

  const copies = () => field.dispatchEvent(new ClipboardEvent('copy', { bubbles: true, cancelable: true }));
  copies();
  copies();
  await socket({ send: [{ type: 'clipboard', text: 'of two the last' }] });
  await until(() => copied.length === 4, 'one answer is both copies’');
  // The service answers nothing to an empty selection.
  copies();
  await until(() => text(element).includes('Nothing is selected'));
  copies();
  await socket({ send: [{ type: 'clipboard', text: 'after nothing' }] });
  await until(() => copied.length === 5, 'a copy without an answer is in no other’s way');
  equal(copied.slice(2).map(({ text: of }) => of), ['of two the last', 'of two the last', 'after nothing']);
});

test('who only watches sends nothing that acts', async (place) => {
  const element = await streaming(place, 'view');
  await socket({ forget: true });
  await click(find(element, 'canvas'));
  await person({ do: 'wheel', ...at(element, 100, 100), dx: 0, dy: 100 });
  await person({ do: 'key', key: 'a' });
  for (const name of ['Back', 'Forward', 'Reload']) assert(buttonOf(element, name).disabled, name);
  assert(buttonOf(element, 'Take control').hidden && find(element, '[aria-label=Address]').readOnly, 'no control');
  assert(text(element).includes('Watching'));
  element.shadowRoot.querySelector('select').value = 'sharp';
  element.shadowRoot.querySelector('select').dispatchEvent(new Event('change'));
  equal((await received('quality')).quality, 92);
  equal((await socket({})).received.map((/** @type {any} */ { type }) => type), ['quality']);
});

test('the button that releases control can be read under the pointer, in both schemes', async (place) => {
  const pixel = (/** @type {string} */ colour) => {
    const context = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  // WCAG 2.2, 1.4.3.
  const luminance = (/** @type {string} */ colour) => pixel(colour).map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  for (const theme of ['light', 'dark']) {
    place.replaceChildren();
    const element = await streaming(place);
    element.setAttribute('theme', theme);
    await socket({ send: [{ type: 'control', holder: 'viewer', you: true }] });
    const release = await until(() => buttonOf(element, 'Release control'));
    const { left, top, width, height } = release.getBoundingClientRect();
    await person({ do: 'move', x: left + width / 2, y: top + height / 2 });
    await until(() => release.matches(':hover'), 'the pointer is over it');
    const { color, backgroundColor } = getComputedStyle(release);
    const [one, other] = [luminance(color), luminance(backgroundColor)].sort((a, b) => b - a);
    assert((one + 0.05) / (other + 0.05) >= 4.5, `${theme}: ${color} on ${backgroundColor}`);
  }
});

test('control is taken and released, and another viewer’s is respected', async (place) => {
  const element = await streaming(place);
  await click(buttonOf(element, 'Take control'));
  equal((await received('control')).action, 'take');
  await socket({ send: [{ type: 'control', holder: 'viewer', you: true }] });
  const release = await until(() => buttonOf(element, 'Release control'));
  equal(release.getAttribute('aria-pressed'), 'true');
  await socket({ forget: true });
  await click(release);
  equal((await received('control')).action, 'release');
  await socket({ send: [{ type: 'control', holder: 'viewer', you: false }] });
  await until(() => text(element).includes('Somebody else acts'));
  await socket({ forget: true });
  await click(find(element, 'canvas'));
  await socket({ send: [{ type: 'control', holder: 'agent', you: false }, { type: 'error', error: 'CONTROL_HELD', message: 'A person is using this browser - try again shortly' }] });
  await until(() => text(element).includes('The agent acts') && text(element).includes('A person is using this browser'));
  equal(await sent('mouse'), []);
});

test('the address, history and tabs are the session’s', async (place) => {
  const element = await streaming(place);
  const address = find(element, '[aria-label=Address]');
  equal(address.value, 'https://example.com/');
  address.focus();
  address.value = 'example.org/x';
  await person({ do: 'key', key: 'Enter' });
  equal((await received('navigate')).url, 'https://example.org/x');
  const typed = ['localhost:3000', ' example.com:8080/x ', 'http://a.example', 'about:blank', 'javascript:alert(1)', 'mailto:a@b.example'];
  equal(typed.map(typedUrl), ['http://localhost:3000', 'https://example.com:8080/x', ...typed.slice(2)]);
  await click(buttonOf(element, 'Back'));
  await received('navigate', ({ action }) => action === 'back');
  await socket({ send: [{ type: 'tabs', tabs: [{ tab: 't1', url: 'https://a/', title: 'First' }, { tab: 't2', url: 'https://b/', title: '<b>Second</b>' }], active: 't1' }] });
  const second = await until(() => all(element.shadowRoot).find((one) => one.getAttribute('role') === 'tab' && one.textContent === '<b>Second</b>'));
  await person({ do: 'shot', name: 'live-tabs' });
  await click(second);
  equal((await received('tab')).tab, 't2');
});

test('the tab that is watched is marked, not the active one', async (place) => {
  const element = await streaming(place);
  const tab = (/** @type {number} */ number) => ({ tab: `t${number}`, url: `https://${number}/`, title: `Tab ${number}` });
  const strip = () => all(element.shadowRoot).filter((one) => one.getAttribute('role') === 'tab');
  const marked = () => strip().filter((one) => one.getAttribute('aria-selected') === 'true').map((one) => one.textContent).join();
  const tells = async (/** @type {number[]} */ numbers, /** @type {string} */ active) => {
    await socket({ send: [{ type: 'tabs', tabs: numbers.map(tab), active }] });
    await until(() => strip().length === numbers.length);
  };
  await tells([1, 2], 't2');
  await until(() => marked() === 'Tab 2', 'it follows the active one');
  await click(strip()[0]);
  await received('tab', (message) => message.tab === 't1');
  await until(() => marked() === 'Tab 1', 'its own');
  equal(getComputedStyle(strip()[0]).fontWeight, '600');
  await tells([1, 2, 3], 't3');
  equal(marked(), 'Tab 1', 'its own although another one is active');
  assert(strip()[0].getAttribute('title')?.includes('follow the agent') && find(strip()[0], 'svg'), 'it shows how it is let go');
  await socket({ forget: true });
  await click(strip()[0]);
  equal((await received('tab')).tab, null);
  await until(() => marked() === 'Tab 3', 'it follows the active one again');
  await click(strip()[0]);
  await until(() => marked() === 'Tab 1');
  await tells([2, 3], 't3');
  await until(() => marked() === 'Tab 3', 'its own has gone');
});

const RECT = { x: 100, y: 50, width: 200, height: 24 };

test('a select list is drawn at its field, with groups, by mouse and by keys', async (place) => {
  const element = await streaming(place);
  const list = { type: 'select', kind: 'list', multiple: false, value: 'b', rect: RECT, options: [
    { label: 'Apple', value: 'a', disabled: false, selected: false, group: 'Fruit' }, { label: '<i>Pear</i>', value: 'b', disabled: false, selected: true, group: 'Fruit' },
    { label: 'Gone', value: 'c', disabled: true, selected: false, group: 'Fruit' }, { label: 'Leek', value: 'd', disabled: false, selected: false, group: 'Greens' },
  ] };
  await socket({ send: [list], forget: true });
  const options = () => all(element.shadowRoot).filter((one) => one.getAttribute('role') === 'option');
  await until(() => options().length === 4);
  equal(options().map((one) => [one.textContent, one.getAttribute('aria-selected')]), [['Apple', 'false'], ['<i>Pear</i>', 'true'], ['Gone', 'false'], ['Leek', 'false']]);
  const panel = find(element, '.panel').getBoundingClientRect();
  const field = at(element, RECT.x, RECT.y + RECT.height);
  assert(Math.abs(panel.left - field.x) < 3 && Math.abs(panel.top - field.y) < 3, `${panel.left}, ${panel.top} is not ${field.x}, ${field.y}`);
  await person({ do: 'shot', name: 'live-select' });
  await click(options()[2]);
  await click(options()[0]);
  equal((await received('choose')).values, ['a']);
  await until(() => options().length === 0, 'it closes');
  equal((await sent('choose')).length, 1, 'a disabled one can’t be chosen');

  await socket({ send: [list], forget: true });
  await until(() => options().length === 4);
  await person({ do: 'key', key: 'ArrowDown' });
  await person({ do: 'key', key: 'Enter' });
  equal((await received('choose')).values, ['d'], 'the disabled one is stepped over');
  await socket({ send: [list], forget: true });
  await until(() => options().length === 4);
  await person({ do: 'key', key: 'Escape' });
  equal((await received('choose')).values, null);

  await socket({ send: [{ ...list, multiple: true }], forget: true });
  await until(() => options().length === 4);
  await click(options()[3]);
  await click(buttonOf(element, 'Done'));
  equal((await received('choose')).values, ['b', 'd']);
  await socket({ send: [list], forget: true });
  await until(() => options().length === 4);
  await socket({ send: [{ type: 'select_closed' }] });
  await until(() => options().length === 0, 'the server closes it');
});

test('date, time and colour fields are the viewer’s own', async (place) => {
  const element = await streaming(place);
  for (const [kind, value, chosen] of [['date', '2026-11-23', '2027-01-02'], ['time', '10:00', '23:59'], ['datetime-local', '2026-11-23T10:00', '2026-12-24T18:30'], ['month', '2026-11', '2027-02'], ['week', '2026-W47', '2026-W50'], ['color', '#112233', '#abcdef']]) {
    await socket({ send: [{ type: 'select', kind, options: [], multiple: false, value, min: null, max: null, step: null, rect: RECT }], forget: true });
    const input = await until(() => find(element, '.panel input'));
    equal(input.value, value, kind);
    if (kind === 'date') await person({ do: 'shot', name: 'live-date' });
    input.value = chosen;
    await click(buttonOf(element, 'Set'));
    equal((await received('choose')).values, [chosen], kind);
  }
});

test('the key that confirms a field or answers a dialog is not the page’s', async (place) => {
  const element = await streaming(place);
  const field = (/** @type {string} */ kind, /** @type {string} */ value) => ({ type: 'select', kind, options: [], multiple: false, value, rect: RECT });
  const nothingElse = async (/** @type {string} */ of) => {
    await until(() => element.shadowRoot.activeElement?.localName === 'textarea', 'the page has the focus again');
    // Held, it repeats.
    await person({ do: 'key', key: 'Enter', part: 'up' });
    find(element, 'textarea').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', repeat: true, bubbles: true, cancelable: true }));
    await person({ do: 'key', key: 'ArrowLeft' });
    await received('keyboard', ({ event }) => event.type === 'keyUp');
    equal((await events('keyboard')).map(({ key }) => key), ['ArrowLeft', 'ArrowLeft'], of);
  };
  for (const [kind, value] of [['date', '2026-11-23'], ['time', '10:00'], ['color', '#112233']]) {
    await socket({ send: [field(kind, value)], forget: true });
    await until(() => find(element, '.panel input'));
    await person({ do: 'key', key: 'Enter', part: 'down' });
    equal((await received('choose')).values, [value], kind);
    await nothingElse(kind);
  }
  await socket({ send: [{ type: 'dialog', kind: 'prompt', message: 'Name?', default: 'Ada' }], forget: true });
  await until(() => find(element, 'form.panel input'));
  await person({ do: 'key', key: 'Enter', part: 'down' });
  equal((await received('dialog')).text, 'Ada');
  await nothingElse('a dialog');
});

test('suggestions leave the focus where one types', async (place) => {
  const element = await streaming(place);
  await click(find(element, 'canvas'));
  await socket({ send: [{ type: 'select', kind: 'datalist', options: [{ label: 'Berlin', value: 'Berlin', disabled: false, selected: false }], multiple: false, value: 'B', rect: RECT }], forget: true });
  const option = await until(() => find(element, '[role=option]'));
  equal(element.shadowRoot.activeElement.localName, 'textarea');
  await click(option);
  equal((await received('choose')).values, ['Berlin']);
});

test('suggestions are chosen by keys where one goes to them, and all others are the page’s', async (place) => {
  const element = await streaming(place);
  await click(find(element, 'canvas'));
  const options = ['Berlin', 'Bern', 'Bonn'].map((value) => ({ label: value, value, disabled: false, selected: false }));
  const offer = async () => {
    const before = find(element, '[role=option]');
    await socket({ send: [{ type: 'select', kind: 'datalist', options, multiple: false, value: 'B', rect: RECT }], forget: true });
    await until(() => find(element, '[role=option]') && find(element, '[role=option]') !== before, 'a new list');
  };
  const current = () => all(element.shadowRoot).filter((one) => one.classList.contains('current')).map((one) => one.textContent).join();
  await offer();
  equal(current(), '', 'none is gone to');
  await person({ do: 'key', key: 'e' });
  await person({ do: 'key', key: 'Enter' });
  await received('keyboard', ({ event }) => event.key === 'Enter' && event.type === 'keyUp');
  equal((await events('keyboard')).map(({ key }) => key), ['e', 'e', 'Enter', 'Enter'], 'the page’s');
  await offer();
  await person({ do: 'key', key: 'ArrowDown' });
  await person({ do: 'key', key: 'ArrowDown' });
  equal(current(), 'Bern');
  equal(find(element, 'textarea').getAttribute('aria-activedescendant'), find(element, '.current').id);
  await person({ do: 'key', key: 'ArrowUp' });
  equal(current(), 'Berlin');
  await person({ do: 'key', key: 'Enter' });
  equal((await received('choose')).values, ['Berlin']);
  await until(() => !find(element, '[role=option]'));
  equal(find(element, 'textarea').hasAttribute('aria-activedescendant'), false);
  await offer();
  await person({ do: 'key', key: 'Escape' });
  equal((await received('choose')).values, null);
  equal(await sent('keyboard'), [], 'none of these keys is the page’s');
});

test('dialogs show the page’s words as text, and are answered', async (place) => {
  const element = await streaming(place);
  const message = '<b>Sure?</b>\n\u202eevil';
  await socket({ send: [{ type: 'dialog', kind: 'prompt', message, default: 'Ada' }, { type: 'status', status: 'paused' }], forget: true });
  const input = await until(() => find(element, 'form.panel input'));
  equal(input.value, 'Ada');
  equal(find(element, '.said-by-page').textContent, message);
  assert(!find(element, '.said-by-page b'), 'no markup');
  await person({ do: 'shot', name: 'live-prompt' });
  input.value = 'Grace';
  await click(buttonOf(element, 'OK'));
  const answer = await received('dialog');
  equal([answer.accept, answer.text], [true, 'Grace']);
  await socket({ send: [{ type: 'dialog', kind: 'confirm', message: 'Sure?' }], forget: true });
  await until(() => buttonOf(element, 'Cancel'));
  await click(buttonOf(element, 'Cancel'));
  equal((await received('dialog')).accept, false);
  await socket({ send: [{ type: 'dialog', kind: 'alert', message: 'Note' }], forget: true });
  await until(() => buttonOf(element, 'OK'));
  assert(!buttonOf(element, 'Cancel'), 'an alert has one answer');
  await socket({ send: [{ type: 'dialog_closed' }] });
  await until(() => !buttonOf(element, 'OK'));
  await socket({ send: [{ type: 'dialog', kind: 'beforeunload', message: '' }], forget: true });
  await click(await until(() => buttonOf(element, 'Leave')));
  equal((await received('dialog')).accept, true);
});

test('files are chosen and sent, or none', async (place) => {
  const element = await streaming(place);
  await socket({ send: [{ type: 'file_chooser', multiple: true, accept: '.txt' }], forget: true });
  const input = await until(() => find(element, 'input[type=file]'));
  equal([input.multiple, input.accept], [true, '.txt']);
  const data = new DataTransfer();
  data.items.add(new File(['hello'], 'a.txt', { type: 'text/plain' }));
  input.files = data.files;
  input.dispatchEvent(new Event('change'));
  await socket({ send: [{ type: 'control', holder: 'agent', you: false }, { type: 'control', holder: 'viewer', you: false }] });
  await until(() => input.disabled && buttonOf(element, 'Upload').disabled, 'another person has control');
  await socket({ send: [{ type: 'control', holder: 'none', you: false }] });
  await click(await until(() => !buttonOf(element, 'Upload').disabled && buttonOf(element, 'Upload')));
  equal((await received('files')).files, [{ content_base64: btoa('hello'), mime_type: 'text/plain', name: 'a.txt' }]);
  await socket({ send: [{ type: 'file_chooser', multiple: false, accept: '' }], forget: true });
  await until(() => find(element, 'input[type=file]'));
  await click(buttonOf(element, 'Cancel'));
  equal((await received('files')).files, []);
});

test('a file chooser is hidden by who may not answer it, and goes with its page', async (place) => {
  const element = await streaming(place, 'view');
  const tabs = [1, 2].map((number) => ({ tab: `t${number}`, url: 'https://a/', title: `Tab ${number}` }));
  await socket({ send: [{ type: 'tabs', tabs, active: 't1' }] });
  const opens = async () => {
    await socket({ send: [{ type: 'file_chooser', multiple: false, accept: '' }] });
    await until(() => find(element, 'input[type=file]'));
  };
  await opens();
  assert(buttonOf(element, 'Cancel').disabled, 'it is another’s to answer');
  await click(buttonOf(element, 'Hide'));
  await until(() => !find(element, 'input[type=file]'));
  await opens();
  await socket({ send: [{ type: 'url', url: 'https://example.com/#part', title: 'Another title' }] });
  await until(() => text(element).includes('Now at Another title'));
  assert(find(element, 'input[type=file]'), 'its document is still there');
  await socket({ send: [{ type: 'url', url: 'https://example.com/next', title: 'Next' }] });
  await until(() => !find(element, 'input[type=file]'), 'it has gone with its page');
  await opens();
  await socket({ send: [{ type: 'tabs', tabs, active: 't2' }] });
  await until(() => !find(element, 'input[type=file]'), 'the other tab has none');
  equal(await sent('files'), []);
});

test('what was entered stays when control changes hands', async (place) => {
  const element = await streaming(place);
  const changes = async () => {
    for (const [holder, you] of [['viewer', true], ['viewer', false], ['none', false]]) {
      await socket({ send: [{ type: 'control', holder, you }] });
      await until(() => find(element, '.role').hidden === (holder === 'none' || you));
    }
    // What is told beside the picture has changed its size, and panels move with it.
    await sleepless();
  };
  await socket({ send: [{ type: 'dialog', kind: 'prompt', message: 'Name?', default: 'Ada' }] });
  const input = await until(() => find(element, 'form.panel input'));
  input.value = 'Grace';
  await changes();
  equal(find(element, 'form.panel input').value, 'Grace');
  await click(buttonOf(element, 'OK'));
  equal((await received('dialog')).text, 'Grace');
  const options = ['a', 'b'].map((value) => ({ label: value, value, disabled: false, selected: false }));
  await socket({ send: [{ type: 'select', kind: 'list', multiple: true, value: '', rect: RECT, options }] });
  await click(await until(() => all(element.shadowRoot).find((one) => one.textContent === 'b' && one.getAttribute('role') === 'option')));
  await changes();
  await click(buttonOf(element, 'Done'));
  equal((await received('choose')).values, ['b']);
});

test('what the agent does is drawn over the frame', async (place) => {
  const element = await streaming(place);
  await socket({ send: [{ type: 'action', tool: 'click', ref: '@e3', box: { x: 200, y: 100, width: 80, height: 40 } }] });
  const box = await until(() => find(element, '.box:not([hidden])'));
  const [corner, is] = [at(element, 200, 100), box.getBoundingClientRect()];
  assert(Math.abs(is.left - corner.x) < 4 && Math.abs(is.top - corner.y) < 4, 'the box is at its element');
  equal(find(element, '.badge').textContent, 'Agent clicks @e3');
  await person({ do: 'shot', name: 'live-action' });
  await socket({ send: [{ type: 'action', tool: 'press', key: 'Control+A' }] });
  await until(() => find(element, '.badge').textContent === 'Control+A');
  assert(box.hidden, 'no box without a place');
});

test('the cursor is the page’s, if it is one', async (place) => {
  const element = await controlling(place);
  const canvas = find(element, 'canvas');
  await socket({ send: [{ type: 'cursor', cursor: 'pointer' }] });
  await until(() => canvas.style.cursor === 'pointer');
  await socket({ send: [{ type: 'cursor', cursor: 'url(https://evil.example/x.png), auto' }] });
  await until(() => canvas.style.cursor === 'default');
});

test('every state is told, and a frame ends the wait', async (place) => {
  const element = await streaming(place);
  await socket({ send: [{ type: 'status', status: 'browser_starting' }] });
  await until(() => find(element, '.state').textContent.includes('starting') && element.getAttribute('status') === 'browser_starting');
  await socket({ send: [{ type: 'status', status: 'streaming' }] });
  await until(() => find(element, '.state').textContent === '');
  await socket({ send: [{ type: 'status', status: 'browser_closed' }] });
  await until(() => find(element, '.state').textContent.includes('ended'));
});

test('a lost connection comes back by itself, one that ended does not', async (place) => {
  const element = await streaming(place);
  await socket({ forget: true, close: 1001 });
  await until(() => element.getAttribute('status') === 'reconnecting');
  await person({ do: 'shot', name: 'live-reconnecting' });
  await received('hello');
  await socket({ send: [{ type: 'welcome', role: 'control', session: 'ses_1', tab: 't1' }, { type: 'status', status: 'streaming' }] });
  await until(() => element.getAttribute('status') === 'streaming');
  for (const [code, status] of [[4401, 'expired'], [4404, 'gone'], [4410, 'ended'], [4400, 'refused'], [4429, 'full']]) {
    place.replaceChildren();
    const other = await streaming(place);
    await socket({ forget: true, close: code });
    await until(() => other.getAttribute('status') === status, String(status));
    if (code === 4410) await person({ do: 'shot', name: 'live-ended' });
    assert(Boolean(buttonOf(other, 'Connect again')) === (code === 4429), `${code}: whether one may ask`);
  }
  await click(buttonOf(place, 'Connect again'));
  await received('hello');
  equal((await socket({})).opened, 1, 'no other came back');
});

test('a connection that answers no ping is opened anew', async (place) => {
  const { setInterval: every } = globalThis;
  let ping = () => {};
  /** @type {any} */ (globalThis).setInterval = (/** @type {() => void} */ tick) => { ping = tick; };
  const element = await streaming(place).finally(() => { globalThis.setInterval = every; });
  await socket({ mute: true });
  for (let count = 0; count < 5; count += 1) ping();
  equal(element.status, 'streaming', 'they may still be answered');
  ping();
  equal(element.status, 'reconnecting');
  await until(async () => (await sent('hello')).length === 2, 'it comes again');
});

test('a hidden view asks for one frame a second, and one without a link shows nothing', async (place) => {
  const element = await streaming(place);
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  await socket({ forget: true, close: 1001 });
  const hello = await received('hello').finally(() => delete (/** @type {any} */ (document).hidden));
  equal(hello.max_fps, 1);
  assert(find(element, '.state').textContent !== '' && !find(element, 'canvas.empty'), 'a status and a picture');
  element.src = '';
  equal([element.status, find(element, '.state').textContent, find(element, '[aria-label=Address]').value], ['idle', '', '']);
  assert(find(element, 'canvas.empty'), 'no picture');
});

test('an expired link is renewed once where the app can', async (place) => {
  const element = await streaming(place);
  let asked = 0;
  element.renew = async () => {
    asked += 1;
    return `${location.origin}/live#ticket=fresh`;
  };
  await socket({ forget: true, close: 4401 });
  equal((await received('hello')).ticket, 'fresh');
  await socket({ close: 4401 });
  await until(() => element.getAttribute('status') === 'expired');
  equal(asked, 1);
});

test('a late renewal opens nothing where the app has another link, or the view is gone', async (place) => {
  for (const goes of [true, false]) {
    place.replaceChildren();
    const element = await streaming(place);
    /** @type {(link: string) => void} */
    let renewed = () => {};
    const asked = new Promise((resolve) => {
      element.renew = () => {
        resolve(null);
        return new Promise((link) => { renewed = link; });
      };
    });
    await socket({ forget: true, close: 4401 });
    await asked;
    if (goes) element.remove();
    else element.src = `${location.origin}/live#ticket=newer`;
    renewed(`${location.origin}/live#ticket=late`);
    await sleepless();
    view(place).src = LINK;
    await received('hello', ({ ticket }) => ticket === 'a.ticket');
    if (!goes) await received('hello', ({ ticket }) => ticket === 'newer');
    equal((await sent('hello')).filter(({ ticket }) => ticket === 'late'), [], goes ? 'gone' : 'another link');
  }
});

test('a session’s card hands its renewal and its reader to the live view', async (place) => {
  await socket({ forget: true });
  const card = /** @type {any} */ (document.createElement('porthole-card'));
  card.renew = async () => `${location.origin}/live#ticket=fresh`;
  card.snapshotReader = async () => '- main:';
  place.appendChild(card);
  card.card = { type: 'browser-session', data: { session: 'ses_1', title: 'Shop', live_url: `${location.origin}/live#ticket=old` } };
  await click(buttonOf(find(card, 'porthole-session-card'), 'Watch live'));
  equal((await received('hello')).ticket, 'old');
  await socket({ forget: true, close: 4401 });
  equal((await received('hello')).ticket, 'fresh');
  await click(buttonOf(find(card, 'porthole-live-view'), 'Read as text'));
  assert(buttonOf(find(card, 'porthole-live-view'), 'Read the page'), 'the page can be read');
});

test('a link without a ticket, or of another scheme, opens nothing', async (place) => {
  await socket({ forget: true });
  for (const link of ['https://example.com/live', 'javascript:alert(1)#ticket=x', '::', 'ftp://x/live#ticket=y']) {
    const element = view(place);
    element.src = link;
    await until(() => element.getAttribute('status') === 'refused', link);
  }
  equal((await socket({})).opened, 0);
});

test('a malformed frame or message is passed over', async (place) => {
  const element = await streaming(place);
  await socket({ send: [null, 5, 'text', [], {}, { type: 5 }, { type: 'tabs', tabs: 'x' }, { type: 'tabs', tabs: [null, 7] }, { type: 'viewport', width: 'x' }, { type: 'url' }, { type: 'select', kind: 'other' }, { type: 'select', kind: 'list', options: [null, 3] },
    { type: 'select', kind: 'date', rect: 'x' }, { type: 'action' }, { type: 'action', box: { x: 'a' } }, { type: 'dialog' }, { type: 'file_chooser' }, { type: 'clipboard' }, { type: 'error' }, { type: 'control' }, { type: 'welcome' }] });
  await socket({ send: [{ type: 'url', url: 'https://after.example/', title: 'After' }] });
  await until(() => find(element, '[aria-label=Address]').value === 'https://after.example/');
});

test('the text alternative has title and address, and the page where the app can read it', async (place) => {
  const element = await streaming(place);
  await click(buttonOf(element, 'Read as text'));
  const section = await until(() => find(element, '.alternative:not([hidden])'));
  assert(section.textContent.includes('An example') && section.textContent.includes('https://example.com/'));
  assert(!buttonOf(element, 'Read the page'), 'a ticket alone can’t read');
  element.snapshotReader = async () => '- heading "Hello" [level=1]';
  await click(buttonOf(element, 'Read as text'));
  await click(buttonOf(element, 'Read as text'));
  await click(await until(() => buttonOf(element, 'Read the page')));
  const content = find(element, '.alternative pre');
  await until(() => content.textContent === '- heading "Hello" [level=1]');
  // A person reads it while the agent acts.
  element.snapshotReader = async () => {
    await socket({ send: [{ type: 'action', tool: 'click', ref: '@e9' }] });
    await until(() => section.textContent.includes('Agent clicks @e9'));
    return '- read meanwhile';
  };
  await click(buttonOf(element, 'Read the page'));
  await until(() => content.textContent === '- read meanwhile' && content.isConnected && element.shadowRoot.activeElement === content);
  equal(find(element, 'canvas').getAttribute('aria-label'), 'Live picture of An example');
  await person({ do: 'shot', name: 'live-text' });
});

test('latency and frame rate are shown when asked for', async (place) => {
  const element = await streaming(place);
  assert(find(element, '.numbers').hidden);
  await click(buttonOf(element, 'Latency and frame rate'));
  await until(() => /^\d+ ms · \d+ fps · 800 × 400$/.test(find(element, '.numbers').textContent));
});

test('the page gets the window’s size when that is asked for', async (place) => {
  const element = await streaming(place);
  await click(buttonOf(element, 'Fit page to window'));
  const { width, height } = await received('resize');
  const stage = find(element, '.stage');
  equal([width, height], [stage.clientWidth, stage.clientHeight]);
});

test('a finger taps, drags and is cancelled by a second one, which magnifies', async (place) => {
  const element = await streaming(place, 'control', [390, 700]);
  const finger = (/** @type {string} */ type, /** @type {any[]} */ points) => person({ do: 'touch', type, points });
  await person({ do: 'size', width: 390, height: 800, mobile: true, scale: 2 });
  await sleepless();
  const one = at(element, 200, 100);
  await socket({ forget: true });
  if (!(await finger('touchStart', [{ ...one, id: 1 }]))) return;
  await finger('touchMove', [{ x: one.x, y: one.y + 20, id: 1 }]);
  await finger('touchEnd', []);
  await received('touch', ({ event }) => event.type === 'touchEnd');
  const told = await events('touch');
  equal([told[0].type, told.at(-1).type, told.at(-1).points], ['touchStart', 'touchEnd', []]);
  assert(Math.abs(told[0].points[0].x - 200) < 4 && Math.abs(told[0].points[0].y - 100) < 4, JSON.stringify(told[0]));
  assert(told.some(({ type }) => type === 'touchMove'), 'it moves');
  await socket({ forget: true });
  const canvas = find(element, 'canvas');
  const before = canvas.getBoundingClientRect().width;
  const [a, b] = [at(element, 300, 200), at(element, 500, 200)];
  await finger('touchStart', [{ ...a, id: 1 }]);
  await finger('touchStart', [{ ...a, id: 1 }, { ...b, id: 2 }]);
  await received('touch', ({ event }) => event.type === 'touchCancel');
  for (let step = 1; step <= 5; step += 1) await finger('touchMove', [{ x: a.x - step * 10, y: a.y, id: 1 }, { x: b.x + step * 10, y: b.y, id: 2 }]);
  await finger('touchEnd', []);
  await until(() => canvas.getBoundingClientRect().width > before * 1.3, 'it is larger');
  equal((await events('touch')).filter(({ type }) => type === 'touchMove').length, 0, 'the page hears nothing of it');
  await person({ do: 'shot', name: 'live-phone' });
  await person({ do: 'size', width: 1024, height: 768 });
});

test('nothing is wider than 320 px, and the page is still operable', async (place) => {
  await person({ do: 'size', width: 320, height: 640 });
  for (const direction of ['ltr', 'rtl']) {
    place.replaceChildren();
    document.documentElement.dir = direction;
    const element = await streaming(place, 'control', [320 - 16, 560]);
    await socket({ send: [{ type: 'tabs', tabs: Array.from({ length: 8 }, (_, at) => ({ tab: `t${at + 1}`, url: 'https://a/', title: `A long title of tab ${at}` })), active: 't1' },
      { type: 'url', url: `https://example.com/${'x'.repeat(300)}`, title: 'T'.repeat(200) }] });
    await until(() => find(element, '.tabs').childElementCount === 8);
    const more = buttonOf(element, 'More');
    await click(more);
    await until(() => more.getAttribute('aria-expanded') === 'true');
    const width = document.documentElement.clientWidth;
    const wide = all(element.shadowRoot).filter((one) => {
      const { left, right, width: own } = one.getBoundingClientRect();
      return own > 0 && !one.closest('.tabs, .stage') && one.checkVisibility() && !one.closest('.away') && (right > width + 1 || left < -1);
    });
    equal([document.documentElement.scrollWidth - width, wide.map((one) => one.className)], [0, []], direction);
    await person({ do: 'shot', name: `live-320-${direction}` });
    await socket({ send: [{ type: 'dialog', kind: 'prompt', message: 'A question', default: '' }], forget: true });
    await click(await until(() => buttonOf(element, 'OK')));
    await received('dialog');
    await socket({ send: [{ type: 'control', holder: 'viewer', you: true }], forget: true });
    await until(() => find(element, '.control').getAttribute('aria-pressed') === 'true');
    const point = at(element, 400, 200);
    await person({ do: 'move', ...point });
    const moved = await received('mouse', ({ event }) => event.type === 'mouseMoved');
    assert(Math.abs(moved.event.x - 400) < 3, `the mapping holds from ${direction}: ${moved.event.x}`);
  }
  await person({ do: 'size', width: 1024, height: 768 });
});

test('the toolbar has two rows on a phone, with and without control', async (place) => {
  await person({ do: 'size', width: 390 + 16, height: 844, mobile: true, scale: 2 });
  const element = await streaming(place, 'control', [390, 700]);
  for (const control of [{ holder: 'none', you: false }, { holder: 'viewer', you: true }, { holder: 'agent', you: false }, { holder: 'viewer', you: false }]) {
    await socket({ send: [{ type: 'control', ...control }] });
    await until(() => Boolean(buttonOf(element, 'Release control')) === control.you);
    await until(() => find(element, '.role').hidden === (control.you || control.holder === 'none'));
    const shown = [...find(element, '.bar').children].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect());
    const rows = new Set(shown.filter(({ width }) => width > 0).map(({ top, height }) => Math.round((top + height / 2) / 8)));
    assert(rows.size <= 2, `${rows.size} rows with ${JSON.stringify(control)}`);
    equal(document.documentElement.scrollWidth, document.documentElement.clientWidth, 'nothing is wider');
  }
  await person({ do: 'shot', name: 'live-phone-bar' });
  await person({ do: 'size', width: 1024, height: 768 });
});

test('all that is pressed has a name', async (place) => {
  const element = await streaming(place);
  for (const one of all(element.shadowRoot)) {
    if (['button', 'input', 'select', 'textarea'].includes(one.localName)) assert(one.getAttribute('aria-label') || one.textContent?.trim(), one.outerHTML);
  }
});

await runAll();
