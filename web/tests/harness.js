// The tests of a page: they run one after the other, each with an empty place, and their results go to the bench.

/** @type {{name: string, run: (place: HTMLElement) => Promise<void> | void}[]} */
const tests = [];
/** What the page's Content Security Policy refused: nothing may be. @type {string[]} */
const violations = [];
addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.violatedDirective} refused ${event.blockedURI || event.sourceFile} ${event.sample}`);
});
/** Errors that no test caught. @type {string[]} */
const errors = [];
addEventListener('error', (event) => errors.push(String(event.message)));
addEventListener('unhandledrejection', (event) => errors.push(`unhandled: ${event.reason}`));

/** How long a condition may take to come true. */
const WITHIN_MS = 15_000;

/**
 * @param {string} name
 * @param {(place: HTMLElement) => Promise<void> | void} run
 */
export function test(name, run) {
  tests.push({ name, run });
}

/** Runs all tests and reports. */
export async function runAll() {
  const results = [];
  for (const { name, run } of tests) {
    const place = /** @type {HTMLElement} */ (document.querySelector('main'));
    place.replaceChildren();
    document.documentElement.removeAttribute('dir');
    /** @type {any} */ (globalThis).running = name;
    let error = null;
    try {
      await run(place);
      const wrong = [...violations, ...errors];
      if (wrong.length > 0) throw new Error(wrong.join('; '));
    } catch (thrown) {
      error = `${thrown instanceof Error ? `${thrown.message}\n${thrown.stack}` : thrown}`;
    }
    violations.length = errors.length = 0;
    results.push({ name, error });
  }
  await fetch('/report', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ results }) });
}

/**
 * @param {unknown} holds
 * @param {string} [why]
 */
export function assert(holds, why = 'does not hold') {
  if (!holds) throw new Error(why);
}

/**
 * @param {unknown} is
 * @param {unknown} expected
 * @param {string} [of]
 */
export function equal(is, expected, of = '') {
  const [left, right] = [JSON.stringify(is), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${of} is ${left}, not ${right}`);
}

/**
 * Waits until a condition holds, and returns its value.
 *
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {string} [what]
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(condition, what = String(condition)) {
  const began = performance.now();
  for (;;) {
    const value = await condition();
    if (value) return /** @type {NonNullable<T>} */ (value);
    if (performance.now() - began > WITHIN_MS) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/**
 * Has the browser do what a person does. Returns false where this browser can't be told to.
 *
 * @param {Record<string, any>} action
 * @returns {Promise<boolean>}
 */
export async function person(action) {
  const answer = await fetch('/do', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(action) });
  return (await answer.json()).done;
}

/** The middle of an element, in the window. @param {Element} element */
export function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/** Clicks an element. @param {Element} element */
export async function click(element) {
  element.scrollIntoView({ block: 'center' });
  await until(() => element.getBoundingClientRect().width > 0, 'a size');
  const at = middle(element);
  await person({ do: 'move', ...at });
  await person({ do: 'down', ...at, button: 'left', held: 1 });
  await person({ do: 'up', ...at, button: 'left' });
}

/** Tells the live view's socket what to do, and returns what it received. @param {Record<string, any>} order */
export async function socket(order) {
  const answer = await fetch('/socket', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order) });
  return answer.json();
}

/** Every element below a root, those in shadow roots, too. @param {Element | ShadowRoot} root @returns {Element[]} */
export function all(root) {
  return [...root.querySelectorAll('*')].flatMap((element) => [element, ...(element.shadowRoot ? all(element.shadowRoot) : [])]);
}

/** The first match below an element, in shadow roots, too. @param {Element} root @param {string} selector @returns {any} */
export function find(root, selector) {
  const places = [root, ...(root.shadowRoot ? [root.shadowRoot] : []), ...all(root), ...(root.shadowRoot ? all(root.shadowRoot) : [])];
  for (const place of places) {
    if (place instanceof Element && place !== root && place.matches(selector)) return place;
  }
  return null;
}

/** All text of an element, that in shadow roots, too. @param {Element} root */
export function text(root) {
  const of = (/** @type {Element | ShadowRoot} */ place) => place.textContent ?? '';
  return [root, ...(root.shadowRoot ? [root.shadowRoot] : []), ...all(root.shadowRoot ?? root).flatMap((element) => (element.shadowRoot ? [element.shadowRoot] : []))].map(of).join('\n');
}

/** The button with this name. @param {Element} root @param {string} name @returns {any} */
export function buttonOf(root, name) {
  return all(root.shadowRoot ?? root).find((element) => element instanceof HTMLButtonElement
    && (element.getAttribute('aria-label') === name || element.textContent === name)) ?? null;
}

/** A PNG as base64. @param {number} width @param {number} height @param {string} colour @param {string} [mime] */
export function png(width, height, colour, mime = 'image/png') {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  return canvas.toDataURL(mime).split(',')[1];
}
