// Takes a picture of a page and writes it to a file: node screenshot.mjs URL FILE
//
// PORTHOLE_URL says where the worker is, PORTHOLE_KEY is its client key if it asks for one. Node 18 or later, no packages.
import { writeFile } from 'node:fs/promises';

const [url, file] = process.argv.slice(2);
if (!url || !file) {
  console.error('usage: node screenshot.mjs URL FILE');
  process.exit(2);
}
const base = (process.env.PORTHOLE_URL ?? 'http://127.0.0.1:8787').replace(/\/+$/, '');
const headers = { 'content-type': 'application/json' };
if (process.env.PORTHOLE_KEY) headers.authorization = `Bearer ${process.env.PORTHOLE_KEY}`;

async function post(route, body) {
  const response = await fetch(`${base}/api/sandbox/${route}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(90_000),
  });
  const answer = await response.json();
  if (!answer.ok) throw new Error(`${answer.error}: ${answer.message} (${answer.details})`);
  return answer;
}

// One sandbox serves any number of requests until its token expires, after a day by default.
const { sandbox_id, owner_token } = await post('create', {});
const answer = await post('browser-screenshot', { sandbox_id, owner_token, url });
await writeFile(file, Buffer.from(answer.image_base64, 'base64'));
for (const warning of answer.warnings) console.error(warning);
console.log(`${file}: ${answer.width}x${answer.height} ${answer.mime_type}`);
