// Shows a page's text on a card, with progress before and a retry after an error. The worker's address is the query's
// `porthole`, or the default one. A real app calls the worker from its server, which holds the client key and the token.
const porthole = new URLSearchParams(location.search).get('porthole') ?? 'http://127.0.0.1:8787';
await import(`${porthole}/elements/index.js`);

const form = document.querySelector('form');
const card = document.querySelector('porthole-card');

async function post(route, body) {
  const response = await fetch(`${porthole}/api/sandbox/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

let sandbox;

async function look() {
  const url = form.elements.url.value;
  card.hidden = false;
  card.setAttribute('waiting', `Reading ${url}`);
  card.card = null;
  let answer;
  try {
    sandbox ??= await post('create', {});
    const { sandbox_id, owner_token } = sandbox;
    answer = await post('browser-extract', { sandbox_id, owner_token, url, instruction: 'article' });
  } catch {
    answer = { ok: false, error: 'SERVICE_UNAVAILABLE' };
  }
  const error = answer.ok ? undefined : { code: answer.error, message: answer.message, retryable: answer.retryable };
  card.card = { type: 'browser-extract', data: { ...answer, url, error } };
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  look();
});
card.addEventListener('porthole-retry', look);
