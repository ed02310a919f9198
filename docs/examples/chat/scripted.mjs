// A stand-in for a model, without a network: it understands a few English sentences and answers as a model would, with
// calls as text. It knows nothing but the messages, as a model does. To use a real one, see models.mjs.
import { RESULTS } from './chat.mjs';

const HELP = 'I am a script that stands in for a model. Ask me for one of these:\n'
  + '• Take a screenshot of https://example.com\n'
  + '• Read https://example.com\n'
  + '• Open https://example.com, type "Ada" into "Your name", check "On board" and click "Cast off"\n'
  + '• Close the browser';

/** How the result of a call that failed begins. */
const FAILED = /^(browser|sandbox)_\w+ failed: /m;

/** @param {{role: string, content: string}[]} messages */
export async function scripted(messages) {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && !content.startsWith(RESULTS));
  const since = messages.slice(asked + 1).filter(({ role }) => role === 'user').map(({ content }) => content);
  if (FAILED.test(since.at(-1) ?? '')) return 'That did not work: the card says why.';
  const done = since.filter((results) => !FAILED.test(results));
  // A hint stands before what the person wrote.
  const steps = plan(messages[asked].content.split('\n').at(-1), screenOf(messages[0].content));
  const step = steps[done.length];
  return step ? step(done.at(-1) ?? '', messages.map(({ content }) => content).join('\n')) : HELP;
}

/** What is written at each turn, given the results of the turn before and all that was written so far. */
function plan(message, screen) {
  const url = /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)]/.exec(message)?.[0];
  if (/\bclose\b/i.test(message)) return [() => call('I close it.', 'browser_close', {}), () => 'The browser is closed.'];
  const acts = [...message.matchAll(/\b(type|check|click)\s+"([^"]+)"(?:\s+into\s+"([^"]+)")?/gi)];
  if (acts.length > 0 || (url && /\bopen\b/i.test(message))) return session(url, acts, screen);
  if (url && /\b(screenshot|picture|look)\b/i.test(message)) {
    return [() => call('I take a picture of it.', 'sandbox_browser_screenshot', { url }), () => 'This is how the page looks now.'];
  }
  if (url && /\b(read|extract|summari[sz]e|say)/i.test(message)) {
    return [() => call('I read it.', 'sandbox_browser_extract', { url, instruction: 'article' }), () => 'That is what the page says.'];
  }
  return [];
}

/** Opens a page that fits the person's screen, then acts on elements by their names, one act a turn. */
function session(url, acts, screen) {
  const { width, height } = screen;
  const viewport = { width: Math.min(width, 1280), height: Math.min(height, 800), mobile: width < 600 };
  const open = url ? [() => call('I open it.', 'browser_navigate', { url, viewport })] : [];
  const act = ([, verb, first, into]) => (_results, all) => {
    const name = into ?? first;
    const ref = refOf(all, name);
    if (!ref) return `There is no “${name}” on the page.`;
    if (verb.toLowerCase() === 'type') return call(`I fill in “${name}”.`, 'browser_type', { ref, text: first });
    if (verb.toLowerCase() === 'check') return call(`I check “${name}”.`, 'browser_check', { ref });
    return call(`I click “${name}”.`, 'browser_click', { ref });
  };
  const end = (results) => {
    const shown = changed(results);
    return shown.length > 0 ? `Done. The page now shows: ${shown.join('; ')}` : 'Done. You see the page in the live view.';
  };
  return [...open, ...acts.map(act), end];
}

function call(words, tool, args) {
  return `${words}\n\n\`\`\`json\n${JSON.stringify({ tool, args })}\n\`\`\``;
}

/** The ref that was last shown for an element of this name. */
function refOf(results, name) {
  const lines = results.split('\n').filter((line) => line.includes(` ${JSON.stringify(name)} `));
  return lines.map((line) => /\[ref=(@e\d+)\]/.exec(line)?.[1]).findLast(Boolean);
}

/** The texts that came with the last act: lines with a star, without what only carries a ref. */
function changed(results) {
  const lines = results.split('\n').filter((line) => /^\s*- \* /.test(line) && !line.includes('[ref='));
  return lines.map((line) => line.replace(/^\s*- \* /, ''));
}

/** The screen of which the system prompt tells. */
function screenOf(prompt) {
  const [, width, height] = /screen has (\d+) by (\d+)/.exec(prompt) ?? [0, 1280, 800];
  return { width: Number(width), height: Number(height) };
}
