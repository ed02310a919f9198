// One chat: what was said, the model's turns, the cards, the browser session. It knows no HTTP. What people are to see is
// a list of events, so that a page that was reloaded or lost its connection gets the rest.
import { PortholeError } from './porthole.mjs';

/** What the results of calls begin with, in the message that hands them to the model. */
export const RESULTS = 'Results of your calls:\n';
/** Answers of the model to one message. */
const ROUNDS_MAX = 12;
/** Messages that the model sees, beside the system prompt. */
const MESSAGES_MAX = 40;
/** Events that a page can get again; pictures make most of their size. */
const EVENTS_MAX = 300;
const EVENTS_MAX_CHARS = 16_000_000;
/** Ids of people's messages that are remembered, so that one that was sent twice is read once. */
const IDS_MAX = 100;

export class Chat {
  #porthole;
  #model;
  #messages = [];
  #events = [];
  #next = 1;
  #listeners = new Set();
  #ids = [];
  #calls = new Map();
  #sandbox = null;
  #session = null;
  #busy = false;

  constructor(porthole, model) {
    this.#porthole = porthole;
    this.#model = model;
  }

  /** How many pages listen. */
  get listeners() {
    return this.#listeners.size;
  }

  /** Calls `listener` with each event after the one of this number, now and from now on. Returns what ends that. */
  listen(after, listener) {
    for (const event of this.#events) if (event.id > after) listener(event);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes a person's message. False while the model works. `screen` is the person's, in CSS pixels. */
  say(id, text, screen) {
    if (this.#ids.includes(id)) return true;
    if (this.#busy) return false;
    this.#ids = [...this.#ids, id].slice(-IDS_MAX);
    this.#tell({ type: 'said', by: 'person', message: id, text });
    void this.#turn(screen, async () => {
      const hint = await this.#porthole.hint(text);
      this.#add('user', hint ? `${hint}\n\n${text}` : text);
    });
    return true;
  }

  /** Runs the call of a card again, and tells the model. False while the model works, or where there is no such card. */
  retry(card) {
    const call = this.#calls.get(card);
    if (!call || this.#busy) return false;
    void this.#turn(null, async () => {
      this.#tell({ type: 'card', key: card, card: null, waiting: call.tool });
      const ran = await this.#porthole.run(await this.#owner(), this.#session, { call });
      this.#ran(ran, () => card);
    });
    return true;
  }

  /** A link for the live view of the session that is open; null without one. */
  async live() {
    return this.#session && this.#porthole.live(await this.#owner(), this.#session);
  }

  /** The session's page as text; null without one. */
  async read() {
    return this.#session && this.#porthole.read(await this.#owner(), this.#session);
  }

  /** Forgets the chat. */
  async end() {
    if (this.#session && this.#sandbox) await this.#porthole.close(this.#sandbox.owner, this.#session).catch(() => {});
  }

  /** The model's answers and their calls, until it makes none. */
  async #turn(screen, begin) {
    this.#busy = true;
    this.#tell({ type: 'busy', with: 'thinking' });
    try {
      await this.#prepare(screen);
      await begin();
      await this.#rounds();
    } catch (error) {
      // Only sentences that were written for people leave here.
      const known = error instanceof PortholeError;
      console.error(`a turn failed: ${known ? error.code : error.name}`);
      this.#tell({ type: 'failed', text: known ? error.message : 'The model could not be asked. Try again.' });
    }
    this.#busy = false;
    this.#tell({ type: 'busy', with: null });
  }

  async #prepare(screen) {
    if (!screen && this.#messages.length > 0) return;
    const { width, height } = screen ?? { width: 1280, height: 800 };
    const content = `You are a helpful assistant. Answer briefly, in plain text.\nThe person's screen has ${width} by ${height} `
      + `CSS pixels: open pages with a viewport that fits it.\n\n${await this.#porthole.prompt()}`;
    this.#messages[0] = { role: 'system', content };
  }

  async #rounds() {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const text = await this.#model([...this.#messages]);
      this.#add('assistant', text);
      // Where it is no call after all, the answer follows at once.
      if (text.includes('"tool"')) this.#tell({ type: 'busy', with: 'browser' });
      const ran = await this.#porthole.run(await this.#owner(), this.#session, { message: text });
      if (ran.rest) this.#tell({ type: 'said', by: 'model', text: ran.rest });
      if (ran.calls.length === 0) return;
      this.#ran(ran, () => `card-${this.#next}`);
      this.#tell({ type: 'busy', with: 'thinking' });
    }
    this.#tell({ type: 'failed', text: 'The model made too many calls. Ask again, for less.' });
  }

  /** Shows what came of calls, and hands it to the model. */
  #ran({ calls, session = null }, keyOf) {
    for (const { tool, args, card, error } of calls) {
      if (!card) continue;
      const key = keyOf();
      // The page asks for a ticket when it shows the live view: this one would lie in the chat's history.
      if (card.type === 'browser-session') delete card.data.live_url;
      if (error?.retryable) this.#calls.set(key, { tool, args });
      else this.#calls.delete(key);
      this.#tell({ type: 'card', key, card });
    }
    if (session !== this.#session) {
      this.#session = session;
      this.#tell({ type: 'session', open: session !== null });
    }
    this.#add('user', RESULTS + calls.map(({ result }) => result).join('\n\n'));
  }

  /** The chat's sandbox. Without one, or where its token is about to expire, a new one; its sessions are its own. */
  async #owner() {
    if (!this.#sandbox || this.#sandbox.expires < Date.now()) {
      this.#sandbox = await this.#porthole.sandbox();
      if (this.#session) this.#tell({ type: 'session', open: false });
      this.#session = null;
    }
    return this.#sandbox.owner;
  }

  #add(role, content) {
    const [system, ...rest] = [...this.#messages, { role, content }];
    this.#messages = [system, ...rest.slice(-MESSAGES_MAX)];
  }

  #tell(content) {
    const event = { id: this.#next, data: JSON.stringify(content) };
    this.#next += 1;
    this.#events.push(event);
    let chars = this.#events.reduce((sum, { data }) => sum + data.length, 0);
    while (this.#events.length > EVENTS_MAX || chars > EVENTS_MAX_CHARS) chars -= this.#events.shift().data.length;
    for (const listener of this.#listeners) listener(event);
  }
}
