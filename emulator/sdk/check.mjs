// npm's @browserbasehq/sdk and playwright-core, unchanged, against the emulator at BROWSERBASE_BASE_URL.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import Browserbase from '@browserbasehq/sdk';
import { chromium } from 'playwright-core';

const projectId = process.env.BROWSERBASE_PROJECT_ID;
const bb = new Browserbase();
const running = async () =>
  (await bb.sessions.list({ status: 'RUNNING', q: "user_metadata['check']:'node'" })).map((session) => session.id);

const session = await bb.sessions.create({
  projectId,
  region: 'eu-central-1',
  api_timeout: 120,
  userMetadata: { check: 'node' },
  browserSettings: { viewport: { width: 800, height: 600 }, recordSession: false, blockAds: true },
});
assert.equal(session.status, 'RUNNING');
assert.deepEqual(await running(), [session.id]);

const browser = await chromium.connectOverCDP(session.connectUrl);
const [context] = browser.contexts();
const [page] = context.pages();
await page.goto('data:text/html,<title>from node</title><body style="background:teal"><h1>Hello');
assert.equal(await page.title(), 'from node');
const picture = await page.screenshot();
assert.equal(picture.subarray(1, 4).toString(), 'PNG');
assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [800, 600]);
fs.writeFileSync(path.join(process.env.CHECK_FOLDER, 'node.png'), picture);

const live = await bb.sessions.debug(session.id);
assert.equal(live.pages[0].title, 'from node');
const second = await chromium.connectOverCDP(live.wsUrl);
assert.equal(second.contexts()[0].pages()[0].url(), page.url());
await second.close();

const released = await bb.sessions.update(session.id, { projectId, status: 'REQUEST_RELEASE' });
assert.equal(released.status, 'COMPLETED');
assert.deepEqual(await running(), []);
await browser.close();
assert.equal((await bb.sessions.retrieve(session.id)).status, 'COMPLETED');
assert.ok((await bb.sessions.logs.list(session.id)).some((entry) => entry.method === 'Page.navigate'));
assert.equal((await bb.projects.retrieve(projectId)).id, projectId);
assert.ok((await bb.projects.usage(projectId)).browserMinutes >= 1);
assert.ok((await bb.projects.list()).length >= 1);
await assert.rejects(bb.sessions.retrieve('unknown'), Browserbase.NotFoundError);
await assert.rejects(new Browserbase({ apiKey: 'wrong' }).sessions.list(), Browserbase.AuthenticationError);
await assert.rejects(bb.sessions.create({ projectId, api_timeout: 1 }), Browserbase.BadRequestError);

// A session ends when its socket closes, without a release.
const closing = await bb.sessions.create({ projectId, userMetadata: { check: 'node' } });
const closed = await chromium.connectOverCDP(closing.connectUrl);
await closed.close();
while ((await bb.sessions.retrieve(closing.id)).status !== 'COMPLETED') await pause(20);

// The SDK's own retries overcome temporary faults.
await fetch(`${process.env.BROWSERBASE_BASE_URL}/__emulator/faults`, {
  method: 'POST',
  headers: { 'X-BB-API-Key': process.env.BROWSERBASE_API_KEY },
  body: JSON.stringify([
    { create: { status: { code: 500 } }, times: 1 },
    { create: { status: { code: 429, retry_after_s: 1 } }, times: 1 },
  ]),
});
const retried = await bb.sessions.create({ projectId });
await bb.sessions.update(retried.id, { projectId, status: 'REQUEST_RELEASE' });
console.log(`node: ok (${process.env.BROWSERBASE_BASE_URL})`);
