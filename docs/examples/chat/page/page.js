// The chat's page. Events of the server say what to show, in order; after a lost connection the browser asks for the rest
// of them by itself. Words of people, models and web pages are shown as text; the elements show the cards.

const at = (id) => document.getElementById(id);
const [log, ask, text, send, state, browser] = ['log', 'ask', 'text', 'send', 'state', 'browser'].map(at);

/** What is under way, in words. */
const BUSY = { thinking: 'Thinking…', browser: 'Using the browser…' };
/** The cards and the person's messages on the page, by their names. @type {Map<string, HTMLElement>} */
const shown = new Map();
/** Messages that the server does not have yet, by their ids. @type {Map<string, string>} */
const unsent = new Map();

/** Asks this page's server. Throws a sentence for people. */
async function call(path, body = {}) {
  let response;
  try {
    response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  } catch {
    throw new Error('No connection');
  }
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

function add(kind, ...content) {
  const item = document.createElement('li');
  item.className = kind;
  item.append(...content);
  log.append(item);
  item.scrollIntoView({ block: 'end' });
  return item;
}

function button(name, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = name;
  made.addEventListener('click', act);
  return made;
}

/** Shows a person's message at once, and sends it; the server's event confirms it. */
async function say(id, words) {
  unsent.set(id, words);
  const item = shown.get(id) ?? add('words person');
  shown.set(id, item);
  item.classList.add('pending');
  item.replaceChildren(words);
  busy('Sending…');
  try {
    // The model is told the screen, so that pages are opened in its size.
    await call('message', { id, text: words, screen: { width: innerWidth, height: innerHeight } });
    unsent.delete(id);
  } catch (error) {
    if (!unsent.has(id)) return;
    busy(null);
    state.textContent = `Not sent: ${error.message}.`;
    item.replaceChildren(words, document.createElement('br'), button('Send again', () => void say(id, words)));
  }
}

/** Shows what is under way, and lets nothing be sent meanwhile; null is nothing. */
function busy(words) {
  state.textContent = words ?? '';
  send.disabled = words !== null;
}

/** Shows a card, waiting where it is null: a new one, or in place of the one of the same name. */
function showCard({ key, card, waiting }) {
  let element = shown.get(key);
  if (!element) {
    element = document.createElement('porthole-card');
    shown.set(key, element);
    element.addEventListener('porthole-retry', () => void again(key, element, element.card));
    add('card', element);
  }
  if (waiting) element.setAttribute('waiting', `${BUSY.browser} (${waiting})`);
  element.card = card;
}

/** Has a card's call made again. The card waits meanwhile; without a connection it is as it was. */
async function again(key, element, card) {
  try {
    await call('retry', { card: key });
  } catch (error) {
    element.card = card;
    state.textContent = `${error.message}. Try again.`;
  }
}

/** The browser session beside the talk: its live view, in which the person may act, too. */
async function showBrowser(open) {
  browser.hidden = !open;
  browser.replaceChildren();
  if (!open) return;
  const view = document.createElement('porthole-live-view');
  const link = async () => (await call('live')).url;
  view.renew = link;
  view.snapshotReader = async () => (await call('read')).text;
  view.addEventListener('porthole-status', () => {
    if (['ended', 'gone'].includes(view.status)) browser.hidden = true;
  });
  browser.append(view);
  try {
    view.src = (await link()) ?? '';
  } catch (error) {
    state.textContent = `${error.message}: the live view can’t be shown.`;
  }
}

const EVENTS = {
  said({ by, text: words, message }) {
    const item = shown.get(message);
    unsent.delete(message);
    if (!item) {
      shown.set(message ?? Symbol('a message of the model'), add(by === 'person' ? 'words person' : 'words', words));
      return;
    }
    item.classList.remove('pending');
    item.replaceChildren(words);
  },
  busy: (event) => busy(BUSY[event.with] ?? null),
  card: showCard,
  session: ({ open }) => void showBrowser(open),
  failed: ({ text: words }) => void add('failed', words),
};

function listen() {
  const events = new EventSource('events');
  events.addEventListener('message', ({ data }) => {
    const event = JSON.parse(data);
    EVENTS[event.type]?.(event);
  });
  events.addEventListener('error', () => {
    // The browser connects again by itself, unless the server refused.
    if (events.readyState !== EventSource.CLOSED) return;
    add('failed', 'This chat has ended. ', button('Start anew', () => location.reload()));
    busy('');
  });
}

ask.addEventListener('submit', (event) => {
  event.preventDefault();
  const words = text.value.trim();
  if (!words || send.disabled) return;
  text.value = '';
  void say([...crypto.getRandomValues(new Uint32Array(4))].join('-'), words);
});
text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  ask.requestSubmit();
});
// What could not be sent is sent once there is a connection.
addEventListener('online', () => {
  for (const [id, words] of unsent) void say(id, words);
});
// A picture takes its place when it is drawn.
log.addEventListener('porthole-shown', ({ target }) => target.scrollIntoView({ block: 'nearest' }));
listen();
