// Builds DOM trees by calls alone: no markup is parsed, and no inline style is written, so that every element here works
// under a strict Content Security Policy and a page's words stay text.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Makes an element. Attributes that are `null`, `undefined` or `false` are left out, `true` is an empty one; `on` has
 * listeners by event.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  add(element, children);
  return element;
}

/**
 * Appends nodes and texts, and skips what is absent.
 *
 * @param {Node} parent
 * @param {Child[]} children
 */
export function add(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  }
}

/**
 * Replaces all children.
 *
 * @param {Element | ShadowRoot} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

const SVG = 'http://www.w3.org/2000/svg';

/** Outlines on a grid of 24. @type {Record<string, string>} */
const ICONS = {
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  reload: 'M19 12a7 7 0 1 1-2-5M19 4v4h-4',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20M10.5 8v5M8 10.5h5',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  retry: 'M5 12a7 7 0 1 0 2-5M5 4v4h4',
  hand: 'M8 12V6.5a1.5 1.5 0 0 1 3 0V11M11 11V5a1.5 1.5 0 0 1 3 0v6M14 11V6.5a1.5 1.5 0 0 1 3 0V14c0 4-2 6-5 6-2.5 0-4-1-5-3l-2.5-4.5a1.4 1.4 0 0 1 2.4-1.4L8 12',
  keyboard: 'M3 7h18v10H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  camera: 'M4 8h4l1.5-2.5h5L16 8h4v11H4zM12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  full: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  fit: 'M4 6h16v12H4zM8 12h8M8 12l2-2M8 12l2 2M16 12l-2-2M16 12l-2 2',
  gauge: 'M4 17a8 8 0 1 1 16 0M12 17l4-5',
  text: 'M5 6h14M5 10h14M5 14h9M5 18h11',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  eye: 'M3 12c3-5 6-7 9-7s6 2 9 7c-3 5-6 7-9 7s-6-2-9-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  go: 'M5 12h14M13 6l6 6-6 6',
  pin: 'M9 4h6l-1 7 3 3H7l3-3zM12 14v6',
};

/**
 * Draws an icon that says nothing to a screen reader: the button beside it has the name.
 *
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `icon icon-${name}`);
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name] ?? '');
  svg.appendChild(path);
  return svg;
}

/**
 * Makes a button of an icon and a name; the name shows when `shown` is true, and is its tooltip otherwise.
 *
 * @param {string} name
 * @param {string} symbol
 * @param {(event: MouseEvent) => void} act
 * @param {{shown?: boolean, attributes?: Record<string, any>}} [options]
 */
export function button(name, symbol, act, { shown = false, attributes = {} } = {}) {
  const label = shown ? make('span', {}, name) : null;
  const named = shown ? {} : { 'aria-label': name, title: name };
  return make('button', { type: 'button', ...named, ...attributes, on: { click: act } }, icon(symbol), label);
}

/**
 * Makes a style sheet that no Content Security Policy forbids.
 *
 * @param {string} css
 */
export function sheet(css) {
  const made = new CSSStyleSheet();
  made.replaceSync(css);
  return made;
}
