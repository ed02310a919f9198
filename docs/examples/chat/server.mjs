// A small chat app with a browser: node server.mjs, then open the address that it prints. Node 20 or later, no packages.
//
// The page talks to this server alone, but for the elements and the live view, which come from the worker. What may not
// reach a browser (the client key, owner tokens, the model's key) stays here. Settings are in README.md.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Chat } from './chat.mjs';
import { chosenModel } from './models.mjs';
import { Porthole, PortholeError } from './porthole.mjs';

const HOST = '127.0.0.1';
const BODY_MAX_BYTES = 64_000;
const TEXT_MAX_CHARS = 8_000;
/** Chats at once; the one that was not used for longest is forgotten for a new one. */
const CHATS_MAX = 50;
/** Pages that listen to one chat. */
const LISTENERS_MAX = 4;
/** What a page that reads slowly may leave in this server's memory. */
const UNREAD_MAX_BYTES = 40_000_000;
/** Comments on a quiet stream, so that proxies keep it and a page that is gone is noticed. */
const KEEP_ALIVE_MS = 15_000;
/** When the browser connects again. */
const RECONNECT_MS = 500;
const COOKIE = 'chat';

const { PORTHOLE_URL = 'http://127.0.0.1:8787', PORTHOLE_PUBLIC_URL, PORTHOLE_KEY, PORT = '8080', CHAT_ORIGIN } = process.env;
const porthole = new Porthole({ url: PORTHOLE_URL, publicUrl: PORTHOLE_PUBLIC_URL, key: PORTHOLE_KEY });
const model = chosenModel(process.env);
/** The chats, by the random name in their cookie; the one used last is the last. @type {Map<string, Chat>} */
const chats = new Map();

// What a page of this server may load: its own files, and the worker's elements and live view. Styles are sheets, pictures
// are drawn on canvases, and no script writes markup.
const worker = porthole.publicOrigin;
const POLICY = `default-src 'none'; script-src 'self' ${worker}; style-src 'self'; connect-src 'self' ${worker.replace(/^http/, 'ws')}; `
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const HEADERS = { 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' };

const file = (name) => readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
const FILES = {
  '/': ['text/html; charset=utf-8', file('index.html').replaceAll('https://porthole.example', worker)],
  '/page.js': ['text/javascript; charset=utf-8', file('page.js')],
  '/page.css': ['text/css; charset=utf-8', file('page.css')],
};

/** The chat of a request's cookie, if there is one. */
function chatOf(request) {
  const name = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
  const chat = name && chats.get(name);
  if (!chat) return null;
  chats.delete(name);
  chats.set(name, chat);
  return chat;
}

/** Makes a chat and returns its cookie. */
function newChat() {
  const name = randomBytes(24).toString('base64url');
  chats.set(name, new Chat(porthole, model));
  for (const [oldest, chat] of chats) {
    if (chats.size <= CHATS_MAX) break;
    chats.delete(oldest);
    void chat.end();
  }
  return `${COOKIE}=${name}; Path=/; HttpOnly; SameSite=Strict${origins[0].startsWith('https:') ? '; Secure' : ''}`;
}

function answer(response, status, body) {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Reads a request's JSON; null where it is none, or too long. */
async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) return null;
    chunks.push(chunk);
  }
  try {
    return Object(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    return null;
  }
}

/** Sends the chat's events, from the one after the last that the page has. */
function stream(request, response, chat) {
  if (chat.listeners >= LISTENERS_MAX) {
    answer(response, 429, { message: 'This chat is open in too many windows' });
    return;
  }
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
  response.write(`retry: ${RECONNECT_MS}\n\n`);
  const after = Number(request.headers['last-event-id']) || 0;
  const end = chat.listen(after, ({ id, data }) => {
    response.write(`id: ${id}\ndata: ${data}\n\n`);
    // It comes again, for what it has not read.
    if (response.writableLength > UNREAD_MAX_BYTES) response.destroy();
  });
  const alive = setInterval(() => response.write(':\n\n'), KEEP_ALIVE_MS);
  response.on('close', () => {
    end();
    clearInterval(alive);
  });
}

/** A length in CSS pixels that a screen can have. */
const pixels = (value, least) => Math.round(Math.min(3_840, Math.max(least, Number(value) || least)));

/** What the page asks for: a status and an answer each. */
const CALLS = {
  '/message': (chat, { id, text, screen }) => {
    if (typeof id !== 'string' || id.length > 64 || typeof text !== 'string' || !text.trim() || text.length > TEXT_MAX_CHARS) {
      return [400, { message: 'The message is empty or too long' }];
    }
    const fits = { width: pixels(screen?.width, 200), height: pixels(screen?.height, 200) };
    return chat.say(id, text, fits) ? [202, {}] : [409, { message: 'The model is still at work' }];
  },
  '/retry': (chat, { card }) => (chat.retry(card) ? [202, {}] : [409, { message: 'This can’t be tried again now' }]),
  '/live': async (chat) => [200, { url: await chat.live() }],
  '/read': async (chat) => [200, { text: await chat.read() }],
};

async function call(request, response, chat, path) {
  const body = await bodyOf(request);
  if (!body) {
    answer(response, 400, { message: 'The request is no JSON, or too long' });
    return;
  }
  try {
    answer(response, ...(await CALLS[path](chat, body)));
  } catch (error) {
    const known = error instanceof PortholeError;
    console.error(`${path} failed: ${known ? error.code : error.name}`);
    answer(response, 502, { message: known ? error.message : 'Something went wrong' });
  }
}

/** Whether a request comes from a page of this server: no name that was bound to this address, no other site's page. */
function isOurs({ method, headers }) {
  if (!origins.some((origin) => new URL(origin).host === headers.host)) return false;
  if (method === 'GET') return true;
  return origins.includes(headers.origin) && headers['content-type'] === 'application/json';
}

async function handle(request, response) {
  const { pathname } = new URL(request.url, 'http://chat');
  if (!isOurs(request)) return answer(response, 403, { message: `Open ${origins[0]}` });
  if (request.method === 'GET' && Object.hasOwn(FILES, pathname)) {
    const [type, content] = FILES[pathname];
    const cookie = pathname === '/' && !chatOf(request) ? { 'set-cookie': newChat() } : {};
    return response.writeHead(200, { ...HEADERS, ...cookie, 'content-type': type }).end(content);
  }
  const chat = chatOf(request);
  if (!chat) return answer(response, 404, { message: 'There is no such chat: reload the page' });
  if (request.method === 'GET' && pathname === '/events') return stream(request, response, chat);
  if (request.method === 'POST' && Object.hasOwn(CALLS, pathname)) return call(request, response, chat, pathname);
  return answer(response, 404, { message: 'There is nothing here' });
}

let origins = [];
const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    console.error(`a request failed: ${error.name}`);
    response.destroy();
  });
});
server.listen(Number(PORT), HOST, () => {
  const { port } = server.address();
  // Behind a proxy: the origin that people open.
  origins = CHAT_ORIGIN ? [new URL(CHAT_ORIGIN).origin] : [`http://${HOST}:${port}`, `http://localhost:${port}`];
  console.log(`open ${origins[0]}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server.close();
    await Promise.all([...chats.values()].map((chat) => chat.end()));
    process.exit(0);
  });
}
