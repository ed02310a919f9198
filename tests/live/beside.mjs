// Porthole's live view beside agent-browser's stream and Playwright's screencast, one after the other in one run: frames a
// second of a moving page, the time from a press to its frame, processor time; and Porthole's viewer in a second Chromium,
// from a press to the pixels on its canvas. Prints Markdown.
//
//   node beside.mjs MODULES < JSON
//
// MODULES is the folder that npm installed into; the JSON on stdin says what runs already: {"moving", "turns"} are URLs of
// pages, {"stream", "hello"} two WebSocket URLs and hellos for them, {"viewer"} a page of the viewer, {"pids"} Porthole's
// processes, {"chromium"}, {"seconds"}, {"clicks"}.
import { execFileSync, fork } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [folder, role] = process.argv.slice(2);
const modules = resolve(folder);
const require = createRequire(join(modules, 'node_modules/'));
const SIZE = { width: 1280, height: 720 };
const QUALITY = 70;
const PRESS_AT = { x: 200, y: 200 };
/** Time for a page to come to rest, and for what comes first of a stream. */
const REST_MS = 1_000;
const NEVER_MS = 20_000;
/** Chromium knocks on its maker's hosts otherwise; as root it needs the first one. */
const FLAGS = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const TICKS_PER_SECOND = 100;

const rest = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const at = (/** @type {number[]} */ sorted, /** @type {number} */ percent) => sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];

/** Processor time of processes and all their descendants, in seconds. */
function processorTime(roots) {
  const processes = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      processes.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended meanwhile.
    }
  }
  const family = new Set(roots);
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    for (const [pid, { parent }] of processes) if (family.has(parent)) family.add(pid);
  }
  return [...family].reduce((sum, pid) => sum + (processes.get(pid)?.ticks ?? 0), 0) / TICKS_PER_SECOND;
}

/** Frames of a contender as they come. */
class Frames {
  constructor() {
    this.count = 0;
    this.bytes = 0;
    /** The last one's bytes. @type {Buffer} */
    this.last = Buffer.alloc(0);
    this.waiting = () => {};
  }

  came(jpeg) {
    this.count += 1;
    this.bytes += jpeg.length;
    const isNew = !jpeg.equals(this.last);
    this.last = jpeg;
    if (isNew) this.waiting();
  }

  /** Waits for a frame that shows something else than the last one. */
  next() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no frame came')), NEVER_MS);
      this.waiting = () => { clearTimeout(timer); this.waiting = () => {}; resolve(performance.now()); };
    });
  }
}

/** Frames a second, kilobytes of a frame, and percent of a core while a moving page is watched. */
async function moving(frames, roots, seconds) {
  await rest(REST_MS);
  const [before, count, bytes, began] = [processorTime(roots()), frames.count, frames.bytes, performance.now()];
  await rest(seconds * 1000);
  const took = (performance.now() - began) / 1000;
  const percent = (100 * (processorTime(roots()) - before)) / took;
  return { rate: (frames.count - count) / took, kilobytes: (frames.bytes - bytes) / (frames.count - count) / 1000, percent };
}

/** Milliseconds from presses to the frames that show them, sorted. */
async function presses(frames, press, count) {
  const times = [];
  await rest(REST_MS);
  for (let number = 0; number < count; number += 1) {
    const next = frames.next();
    const began = performance.now();
    await press('mousePressed');
    times.push((await next) - began);
    await press('mouseReleased');
    await rest(80);
  }
  return times.sort((a, b) => a - b);
}

/** A WebSocket's messages. */
async function socket(url, protocol) {
  const { WebSocket } = require('ws');
  const opened = new WebSocket(url, protocol);
  await new Promise((resolve, reject) => opened.once('open', resolve).once('error', reject));
  return opened;
}

async function porthole(given) {
  const watch = async (kind) => {
    const frames = new Frames();
    const opened = await socket(given.stream, 'porthole.live.v1');
    opened.on('message', (data, isBinary) => {
      if (isBinary) frames.came(data.subarray(4 + data.readUInt32BE(0)));
    });
    opened.send(JSON.stringify({ ...given.hello[kind], type: 'hello', max_width: SIZE.width, max_height: SIZE.height, quality: QUALITY, max_fps: 60 }));
    return { frames, opened };
  };
  const first = await watch('moving');
  const moved = await moving(first.frames, () => given.pids, given.seconds);
  first.opened.close();
  const second = await watch('turns');
  const press = (type) => second.opened.send(JSON.stringify({ type: 'mouse', event: { type, ...PRESS_AT, button: 'left', clickCount: 1 } }));
  const times = await presses(second.frames, press, given.clicks);
  second.opened.close();
  return { ...moved, times };
}

async function agentBrowser(given) {
  const folder = mkdtempSync(join(tmpdir(), 'porthole-beside-'));
  const program = join(modules, 'node_modules/agent-browser/bin/agent-browser-linux-x64');
  chmodSync(program, 0o755);
  const env = { ...process.env, AGENT_BROWSER_SOCKET_DIR: folder, AGENT_BROWSER_STREAM_QUALITY: String(QUALITY) };
  const run = (...words) => execFileSync(program, ['--session', 'beside', ...words], { env, timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  try {
    run('--executable-path', given.chromium, '--args', FLAGS.join(','), 'open', given.moving);
    run('set', 'viewport', String(SIZE.width), String(SIZE.height));
    const { port } = JSON.parse(run('stream', 'status', '--json')).data;
    const daemon = Number(readFileSync(join(folder, 'beside.pid'), 'utf8'));
    const frames = new Frames();
    const opened = await socket(`ws://127.0.0.1:${port}/`);
    opened.on('message', (data) => {
      const message = JSON.parse(data.toString());
      if (message.type === 'frame') frames.came(Buffer.from(message.data, 'base64'));
    });
    const moved = await moving(frames, () => [daemon], given.seconds);
    run('open', given.turns);
    const press = (eventType) => opened.send(JSON.stringify({ type: 'input_mouse', eventType, ...PRESS_AT, button: 'left', clickCount: 1 }));
    const times = await presses(frames, press, given.clicks);
    opened.close();
    return { ...moved, times };
  } finally {
    run('close');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a process of its own, whose time counts: the browser is its child. */
async function playwright(given) {
  const { chromium } = require('playwright-core');
  const browser = await chromium.launch({ executablePath: given.chromium, args: FLAGS });
  const page = await browser.newPage({ viewport: SIZE });
  const frames = new Frames();
  await page.goto(given.moving);
  await page.screencast.start({ onFrame: ({ data }) => frames.came(data), size: SIZE, quality: QUALITY, fps: 60 });
  const moved = await moving(frames, () => [process.pid], given.seconds);
  await page.goto(given.turns);
  await page.mouse.move(PRESS_AT.x, PRESS_AT.y);
  const press = (type) => (type === 'mousePressed' ? page.mouse.down() : page.mouse.up());
  const times = await presses(frames, press, given.clicks);
  await page.screencast.stop();
  await browser.close();
  return { ...moved, times };
}

async function inProcess(given) {
  const child = fork(process.argv[1], [modules, 'playwright']);
  child.send(given);
  const [answer] = await Promise.race([
    new Promise((resolve) => child.once('message', (message) => resolve([message]))),
    new Promise((_, reject) => child.once('exit', (code) => reject(new Error(`Playwright ended with ${code}`)))),
  ]);
  return answer;
}

/** Milliseconds from a press in the viewer's page to its effect on the viewer's canvas, alone and behind 300 moves. */
async function canvas(given) {
  const { chromium } = require('playwright-core');
  const browser = await chromium.launch({ executablePath: given.chromium, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
  await page.goto(given.viewer);
  await page.waitForFunction(() => {
    const view = document.querySelector('porthole-live-view');
    return view?.status === 'streaming' && !view.shadowRoot.querySelector('canvas.empty');
  });
  const place = await page.evaluate(() => {
    const drawn = document.querySelector('porthole-live-view').shadowRoot.querySelector('canvas');
    const context = drawn.getContext('2d');
    const isRed = () => { const [red, , blue] = context.getImageData(drawn.width / 2, drawn.height / 2, 1, 1).data; return red > blue; };
    globalThis.turned = (moves) => new Promise((found) => {
      const before = isRed();
      let began = 0;
      addEventListener('pointerdown', (event) => {
        began = event.timeStamp;
        const { clientX, clientY } = event;
        for (let step = 0; step < moves; step += 1) {
          const moved = { bubbles: true, composed: true, pointerType: 'mouse', pointerId: 99, clientX: clientX + (step % 50), clientY };
          drawn.dispatchEvent(new PointerEvent('pointermove', moved));
        }
      }, { capture: true, once: true });
      const look = () => (began && isRed() !== before ? found(performance.now() - began) : requestAnimationFrame(look));
      look();
    });
    const box = drawn.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  const rows = [];
  for (const moves of [0, 300]) {
    const times = [];
    for (let number = 0; number < given.clicks; number += 1) {
      await page.mouse.move(place.x, place.y);
      // It must listen before the press comes.
      await page.evaluate((count) => { globalThis.turning = globalThis.turned(count); }, moves);
      await page.mouse.down();
      times.push(await page.evaluate(() => globalThis.turning));
      await page.mouse.up();
      await rest(moves ? 400 : 80);
    }
    rows.push({ moves, times: times.sort((a, b) => a - b) });
  }
  await browser.close();
  return rows;
}

async function main() {
  const given = JSON.parse(readFileSync(0, 'utf8'));
  const load = () => readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ');
  console.log(`\n## Beside other streams: 1280×720, JPEG ${QUALITY}, 60 frames a second asked for (load before: ${load()})\n`);
  console.log('| | frames a second | KB a frame | % of a core | press to its frame, ms: median | p95 |\n|---|---|---|---|---|---|');
  for (const [name, run] of [['Porthole', porthole], ['agent-browser 0.41.2, stream', agentBrowser], ['Playwright 1.65.1, `page.screencast`', inProcess]]) {
    const { rate, kilobytes, percent, times } = await run(given);
    console.log(`| ${name} | ${rate.toFixed(1)} | ${kilobytes.toFixed(0)} | ${percent.toFixed(0)} | ${at(times, 50).toFixed(0)} | ${at(times, 95).toFixed(0)} |`);
  }
  console.log(`\n## From a press in the viewer's page to its canvas, in a second Chromium, ms (load before: ${load()})\n`);
  console.log('| with the press | median | p95 | most |\n|---|---|---|---|');
  for (const { moves, times } of await canvas(given)) {
    console.log(`| ${moves ? `${moves} moves` : 'nothing'} | ${at(times, 50).toFixed(0)} | ${at(times, 95).toFixed(0)} | ${at(times, 100).toFixed(0)} |`);
  }
}

if (role === 'playwright') {
  process.once('message', async (given) => {
    process.send?.(await playwright(given), () => process.exit(0));
  });
} else {
  await main();
}
