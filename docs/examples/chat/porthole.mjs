// The worker as this app calls it. The client key and the owner tokens stay in this process: no answer of these methods
// holds one, except the live view's ticket, which opens one session's live view and nothing else.

/** Longer than every limit behind the worker, so that the part that failed is the one that answers. */
const ANSWER_WITHIN_MS = 90_000;
/** A sandbox is replaced this long before its token expires. */
const EXPIRY_MARGIN_MS = 60_000;

export class Porthole {
  #url;
  #publicUrl;
  #headers;

  /**
   * @param {{url: string, publicUrl?: string, key?: string}} settings where this process reaches the worker, where
   *   browsers do, and the client key
   */
  constructor({ url, publicUrl, key }) {
    this.#url = url.replace(/\/+$/, '');
    this.#publicUrl = (publicUrl || url).replace(/\/+$/, '');
    this.#headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
  }

  /** The origin from which browsers load the elements. */
  get publicOrigin() {
    return new URL(this.#publicUrl).origin;
  }

  /** The text that tells a model of its tools. */
  async prompt() {
    const { prompt } = await this.#answer('tools?format=prompt', { headers: { ...this.#headers, accept: 'application/json' } });
    return prompt;
  }

  /** What to put before a person's message, if it asks for a browser; null otherwise. */
  async hint(message) {
    return (await this.#post('tools/intent', { message })).hint;
  }

  /** Makes a sandbox: one for each chat. */
  async sandbox() {
    const { sandbox_id, owner_token, expires_at } = await this.#post('create', {});
    return { owner: { sandbox_id, owner_token }, expires: Date.parse(expires_at) - EXPIRY_MARGIN_MS };
  }

  /** Runs the calls in what a model wrote (`{message}`) or one call (`{call}`). */
  async run(owner, session, what) {
    return this.#post('tools/run', { ...owner, ...(session ? { session } : {}), ...what });
  }

  /** A link for the live view, with which a person may act, too. */
  async live(owner, session) {
    const { ticket } = await this.#post('session/viewer', { ...owner, session, role: 'control' });
    return `${this.#publicUrl}/live#ticket=${encodeURIComponent(ticket)}`;
  }

  /** The page as text, for people who can't see the live view. */
  async read(owner, session) {
    return (await this.#post('session/snapshot', { ...owner, session, interactive_only: false })).snapshot.tree;
  }

  async close(owner, session) {
    await this.#post('session/close', { ...owner, session });
  }

  async #post(route, body) {
    return this.#answer(route, { method: 'POST', headers: this.#headers, body: JSON.stringify(body) });
  }

  async #answer(route, request) {
    let answer;
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const response = await fetch(`${this.#url}/api/sandbox/${route}`, { ...request, redirect: 'error', signal });
      answer = await response.json();
    } catch {
      // The error itself may name headers.
      throw new PortholeError('SERVICE_UNAVAILABLE', "The browser service can't be reached");
    }
    if (!answer.ok) throw new PortholeError(answer.error, answer.message);
    return answer;
  }
}

/** A failure with the contract's code and its sentence for people. */
export class PortholeError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
