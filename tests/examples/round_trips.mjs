// Playwright and Puppeteer, used as in their guides. Reads one job a line, {driver, connectUrl, url, intercept}; writes
// one line for each picture, {width, height, intercepted, chromium}.
import { createInterface } from 'node:readline';

import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';

const viewport = { width: 390, height: 844 };

const drivers = {
  async playwright({ connectUrl, url, intercept }) {
    const browser = await chromium.connectOverCDP(connectUrl);
    const page = browser.contexts()[0].pages()[0];
    await page.setViewportSize(viewport);
    let intercepted = 0;
    if (intercept) {
      await page.route('**/*', (route) => {
        intercepted += route.request().isNavigationRequest() ? 1 : 0;
        return route.continue();
      });
    }
    await page.goto(url, { waitUntil: 'load' });
    const picture = await page.screenshot({ type: 'png' });
    return { picture, intercepted, chromium: browser.version(), leave: () => browser.close() };
  },

  async puppeteer({ connectUrl, url, intercept }) {
    // Setting the viewport while connecting saves a separate await.
    const browser = await puppeteer.connect({ browserWSEndpoint: connectUrl, defaultViewport: viewport });
    const [page] = await browser.pages();
    let intercepted = 0;
    if (intercept) {
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        intercepted += request.isNavigationRequest() ? 1 : 0;
        return request.continue();
      });
    }
    await page.goto(url, { waitUntil: 'load' });
    const picture = Buffer.from(await page.screenshot({ type: 'png' }));
    return { picture, intercepted, leave: () => browser.disconnect() };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const { picture, leave, ...rest } = await drivers[job.driver](job);
  // The offsets of the size in a PNG.
  const size = { width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) };
  process.stdout.write(`${JSON.stringify({ ...size, ...rest })}\n`);
  await leave();
}
