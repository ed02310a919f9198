// Reads a page and prints its text: node extract.mjs URL [INSTRUCTION], as node extract.mjs https://example.com article
//
// Retries what may succeed later. PORTHOLE_URL says where the worker is, PORTHOLE_KEY is its client key if it asks for
// one. PORTHOLE_SANDBOX_ID and PORTHOLE_OWNER_TOKEN name a sandbox whose token was minted elsewhere (see mint_token.mjs);
// without them the worker makes one. Node 18 or later, no packages.
import { setTimeout as sleep } from 'node:timers/promises';

const [url, instruction] = process.argv.slice(2);
if (!url) {
  console.error('usage: node extract.mjs URL [INSTRUCTION]');
  process.exit(2);
}
const base = (process.env.PORTHOLE_URL ?? 'http://127.0.0.1:8787').replace(/\/+$/, '');
const headers = { 'content-type': 'application/json' };
if (process.env.PORTHOLE_KEY) headers.authorization = `Bearer ${process.env.PORTHOLE_KEY}`;

async function attempt(route, body) {
  try {
    const response = await fetch(`${base}/api/sandbox/${route}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      // Longer than every limit behind the worker, so that the part that failed is the one that answers.
      signal: AbortSignal.timeout(90_000),
    });
    return await response.json();
  } catch (error) {
    return { ok: false, error: 'SERVICE_UNAVAILABLE', message: String(error.cause ?? error), retryable: true };
  }
}

// At most 4 retries, after 2, 4, 8 and 16 s with up to 20 % added by chance; a longer retry_after_ms wins.
async function post(route, body) {
  for (let retry = 1; ; retry++) {
    const answer = await attempt(route, body);
    if (answer.ok) return answer;
    if (!answer.retryable || retry > 4) throw new Error(`${answer.error}: ${answer.message} (${answer.details ?? ''})`);
    const delay_ms = Math.max(1000 * 2 ** retry * (1 + 0.2 * Math.random()), answer.retry_after_ms ?? 0);
    console.error(`retry ${retry} in ${Math.round(delay_ms)} ms: ${answer.error}`);
    await sleep(delay_ms);
  }
}

let { PORTHOLE_SANDBOX_ID: sandbox_id, PORTHOLE_OWNER_TOKEN: owner_token } = process.env;
if (!sandbox_id || !owner_token) ({ sandbox_id, owner_token } = await post('create', {}));
const answer = await post('browser-extract', { sandbox_id, owner_token, url, instruction });
for (const warning of answer.warnings) console.error(warning);
console.log(answer.content);
