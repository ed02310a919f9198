// Playwright as in its guide: one warm browser, a new context for each shot. Reads one job a line,
// {url, until, shots, atOnce, width, height}, and writes one line for each, {tookMs, picture}, with the last picture.
import { createInterface } from 'node:readline';

import { chromium } from 'playwright-core';

const [, , executablePath, sandbox, ...args] = process.argv;
const browser = await chromium.launch({ executablePath, chromiumSandbox: sandbox === 'sandbox', args });

async function shot({ url, until, width, height }) {
  const started = performance.now();
  const context = await browser.newContext({ viewport: { width, height }, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  // A page that never becomes idle is captured at the timeout.
  await page.goto(url, { waitUntil: until, timeout: 8_000 }).catch((error) => {
    if (error.name !== 'TimeoutError') throw error;
  });
  const picture = await page.screenshot({ type: 'png' });
  const tookMs = performance.now() - started;
  await context.close();
  return { tookMs, picture };
}

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const tookMs = [];
  let last;
  await Promise.all(Array.from({ length: job.atOnce }, async (_, worker) => {
    for (let n = worker; n < job.shots; n += job.atOnce) {
      const taken = await shot(job);
      tookMs.push(taken.tookMs);
      last = taken.picture;
    }
  }));
  console.log(JSON.stringify({ tookMs, picture: last.toString('base64') }));
}
await browser.close();
