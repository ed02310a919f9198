// The model: one that speaks OpenAI's chat completions, or the scripted stand-in. Either is a function of the messages so
// far that returns what the model writes next.
import { scripted } from './scripted.mjs';

const ANSWER_WITHIN_MS = 120_000;
/** Longer answers are cut: a call is much shorter. */
const ANSWER_MAX_CHARS = 100_000;

/**
 * The model of `MODEL_URL`, such as `https://api.openai.com/v1`, with `MODEL_NAME` and `MODEL_KEY`; the stand-in without.
 *
 * @param {Record<string, string | undefined>} environment
 */
export function chosenModel({ MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key }) {
  if (!url) return scripted;
  if (!name) throw new Error('MODEL_NAME is missing: MODEL_URL goes with it');
  // Else fetch would refuse it, and name it in its error.
  if (key && !/^[\x21-\x7e]+$/.test(key)) throw new Error('MODEL_KEY has characters that no header can have');
  const endpoint = `${url.replace(/\/+$/, '')}/chat/completions`;
  const headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
  return async (messages) => {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const body = JSON.stringify({ model: name, messages });
    const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'error', signal });
    // What a failing server says is not shown: some repeat the key.
    if (!response.ok) throw new Error(`the model answered with status ${response.status}`);
    const answer = await response.json();
    return String(answer.choices?.[0]?.message?.content ?? '').slice(0, ANSWER_MAX_CHARS);
  };
}
