// The worker's calls, as any program makes them. The key is kept in memory only.

/** How long an answer may take: longer than the worker's own limit. */
const ANSWER_WITHIN_MS = 90_000;

/**
 * @typedef {object} Called
 * @property {string} route
 * @property {any} body without the sandbox and its token
 * @property {number} status 0 where no answer came
 * @property {any} answer
 * @property {number} took_ms
 */

export class Calls {
  constructor() {
    /** Where the worker is: this page's folder. */
    this.base = new URL('.', location.href).href.replace(/\/$/, '');
    this.key = '';
    /** @type {{sandbox_id: string, owner_token: string} | null} */
    this._sandbox = null;
  }

  /** Whether the code that is shown needs a key. */
  get keyed() {
    return this.key !== '';
  }

  /** The sandbox's name, for the code that is shown. */
  get sandboxId() {
    return this._sandbox?.sandbox_id ?? 'sb-…';
  }

  /**
   * Calls a route with the sandbox's name and token, which it creates first.
   *
   * @param {string} route
   * @param {any} body
   * @returns {Promise<Called>}
   */
  async call(route, body) {
    if (!this._sandbox) {
      const created = await this._post('create', {});
      if (!created.answer.ok) return { ...created, route: 'create', body: {} };
      this._sandbox = { sandbox_id: created.answer.sandbox_id, owner_token: created.answer.owner_token };
    }
    const called = await this._post(route, { ...this._sandbox, ...body });
    return { ...called, body };
  }

  /**
   * @param {string} route
   * @param {any} body
   * @returns {Promise<Called>}
   */
  async _post(route, body) {
    const began = performance.now();
    /** @type {Record<string, string>} */
    const headers = { 'content-type': 'application/json' };
    if (this.key) headers.authorization = `Bearer ${this.key}`;
    let status = 0;
    let answer;
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const keepalive = route === 'session/close';
      const response = await fetch(`${this.base}/api/sandbox/${route}`, { method: 'POST', headers, body: JSON.stringify(body), signal, keepalive });
      status = response.status;
      answer = await response.json();
    } catch {
      answer = { ok: false, error: 'SERVICE_UNAVAILABLE', message: 'The worker can’t be reached', details: '', retryable: true };
    }
    return { route, body, status, answer, took_ms: Math.round(performance.now() - began) };
  }
}
