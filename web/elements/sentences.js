// The sentence for each error code, as the contract has it. An error's own message wins; this table is for errors that
// come without one.

/** @type {Record<string, {message: string, retryable: boolean}>} */
export const SENTENCES = {
  INVALID_REQUEST: { message: "The request isn't valid", retryable: false },
  INVALID_URL: { message: "The URL couldn't be reached", retryable: false },
  UNAUTHORIZED: { message: "This sandbox isn't yours, or its token has expired", retryable: false },
  BLOCKED_TARGET: { message: "This URL points to a private or local network and can't be accessed", retryable: false },
  ORIGIN_NOT_ALLOWED: { message: 'This site may not use the browser service', retryable: false },
  NOT_FOUND: { message: 'There is nothing here', retryable: false },
  METHOD_NOT_ALLOWED: { message: 'There is nothing here', retryable: false },
  REQUEST_TOO_LARGE: { message: 'The request is too large', retryable: false },
  IMAGE_TOO_LARGE: { message: 'The screenshot was too large to capture', retryable: false },
  EMPTY_EXTRACTION: { message: 'No readable text was found on the page', retryable: false },
  SELECTOR_NOT_FOUND: { message: 'Nothing on the page matches the selector', retryable: false },
  RATE_LIMITED: { message: 'Too many requests - try again shortly', retryable: true },
  OVERLOADED: { message: 'The browser service is busy - try again shortly', retryable: true },
  SHUTTING_DOWN: { message: 'The browser service is restarting - try again', retryable: true },
  BROWSERBASE_NOT_CONFIGURED: { message: "Browser service isn't configured - contact your admin", retryable: false },
  SESSION_CREATE_FAILED: { message: "Couldn't start a browser session - try again", retryable: true },
  PROVIDER_RATE_LIMITED: { message: 'Too many browser sessions at once - try again shortly', retryable: true },
  BROWSER_CRASHED: { message: 'The browser stopped while loading the page - try again', retryable: true },
  NAVIGATION_FAILED: { message: "The page couldn't be loaded", retryable: false },
  NAVIGATION_TIMEOUT: { message: 'The page took too long to load', retryable: true },
  DEADLINE_EXCEEDED: { message: 'The request took too long', retryable: true },
  SERVICE_UNAVAILABLE: { message: "The sandbox service can't be reached", retryable: true },
  SERVICE_TIMEOUT: { message: 'The sandbox service did not answer', retryable: true },
  INTERNAL: { message: 'Something went wrong - try again', retryable: true },
  SESSION_NOT_FOUND: { message: 'This browser session has ended - open the page again', retryable: false },
  SESSION_LOST: { message: 'The browser session was lost - open the page again', retryable: false },
  SESSION_LIMIT: { message: 'Too many browser sessions are open - close one or try again shortly', retryable: true },
  NO_PAGE: { message: 'No page is open yet - open one first', retryable: false },
  STALE_REF: { message: 'The page has changed - look at it again', retryable: false },
  ELEMENT_NOT_FOUND: { message: 'Nothing on the page matches', retryable: false },
  NOT_VISIBLE: { message: "The element can't be seen", retryable: false },
  NOT_ENABLED: { message: 'The element is disabled', retryable: false },
  NOT_EDITABLE: { message: 'Nothing can be typed there', retryable: false },
  COVERED: { message: 'Something else covers the element', retryable: false },
  NO_EFFECT: { message: 'The page did not accept the input', retryable: false },
  DISPATCH_FAILED: { message: 'The input could not be delivered', retryable: false },
  CDP_ATTACH_FAILED: { message: 'The browser could not be reached', retryable: true },
  TIMEOUT: { message: 'The element was not ready in time', retryable: false },
  DIALOG_OPEN: { message: 'A dialog holds the page - answer it first', retryable: false },
  CONTROL_HELD: { message: 'A person is using this browser - try again shortly', retryable: true },
  TOOLS_DISABLED: { message: 'Browser tools are switched off', retryable: false },
};

/** What went wrong where nothing better is known. */
const UNKNOWN = 'Something went wrong - try again';

/**
 * @typedef {object} Told
 * @property {string} code
 * @property {string} message
 * @property {boolean} retryable
 */

/**
 * Returns an error of a card or an answer in one form. Absent parts come from the table.
 *
 * @param {any} error
 * @returns {Told}
 */
export function told(error) {
  const code = typeof error?.code === 'string' ? error.code : typeof error?.error === 'string' ? error.error : 'INTERNAL';
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  const message = typeof error?.message === 'string' && error.message ? error.message : (known?.message ?? UNKNOWN);
  const retryable = typeof error?.retryable === 'boolean' ? error.retryable : (known?.retryable ?? false);
  return { code: code.slice(0, 60), message: message.slice(0, 400), retryable };
}
