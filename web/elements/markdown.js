// Markdown as DOM nodes: headings, paragraphs, lists, quotes, code, tables, emphasis, links. Markup in it stays text,
// pictures become links, and nothing is fetched. One pass over the text; nesting is bounded.
import { make } from './dom.js';
import { link, webUrl } from './safe.js';

/** Quotes and lists within one another. */
const NESTING_MAX = 6;
/** Emphasis and links within one another. */
const INLINE_NESTING_MAX = 6;
/** The longest span between two marks, in UTF-16 code units: a mark without its partner costs this much. */
const SPAN_MAX_CHARS = 2_000;
/** A table's columns. */
const COLUMNS_MAX = 40;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const QUOTE = /^ {0,3}> ?/;
const DELIMITERS = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/**
 * Returns Markdown as nodes.
 *
 * @param {string} text
 * @returns {DocumentFragment}
 */
export function markdown(text) {
  const fragment = document.createDocumentFragment();
  blocks(text.replace(/\r\n?/g, '\n').split('\n'), fragment, 0);
  return fragment;
}

/**
 * Returns where a long Markdown text may be parted: before a block, not within a fence. At most `max`.
 *
 * @param {string} text
 * @param {number} max
 */
export function blockEnd(text, max) {
  if (text.length <= max) return text.length;
  let fenced = false;
  let at = 0;
  let end = 0;
  while (at < max) {
    const next = text.indexOf('\n', at);
    const stop = next < 0 ? text.length : next;
    const one = text.slice(at, Math.min(stop, at + 200));
    if (FENCE.test(one)) fenced = !fenced;
    else if (!fenced && one.trim() === '' && at > 0) end = at;
    if (next < 0) break;
    at = next + 1;
  }
  return end > 0 ? end : max;
}

/**
 * @param {string[]} lines
 * @param {Node} into
 * @param {number} depth
 */
function blocks(lines, into, depth) {
  let at = 0;
  while (at < lines.length) {
    const one = lines[at];
    if (one.trim() === '') {
      at += 1;
      continue;
    }
    const fence = FENCE.exec(one);
    if (fence) {
      at = fenced(lines, at, fence[1], into);
      continue;
    }
    const heading = HEADING.exec(one);
    if (heading) {
      // A card is no document of its own: its top heading is the third level.
      const level = /** @type {'h3' | 'h4' | 'h5' | 'h6'} */ (`h${Math.min(6, heading[1].length + 2)}`);
      const node = make(level, { dir: 'auto' });
      inline(withoutClosing(one.slice(heading[0].length)), node, 0);
      into.appendChild(node);
      at += 1;
    } else if (one.length < 200 && RULE.test(one)) {
      into.appendChild(make('hr'));
      at += 1;
    } else if (depth < NESTING_MAX && QUOTE.test(one)) {
      let end = at;
      while (end < lines.length && lines[end].trim() !== '' && (QUOTE.test(lines[end]) || !begins(lines[end]))) end += 1;
      const node = make('blockquote', { dir: 'auto' });
      blocks(lines.slice(at, end).map((quoted) => quoted.replace(QUOTE, '')), node, depth + 1);
      into.appendChild(node);
      at = end;
    } else if (depth < NESTING_MAX && ITEM.test(one)) {
      at = list(lines, at, into, depth);
    } else if (one.includes('|') && at + 1 < lines.length && isDelimiter(lines[at + 1])) {
      at = table(lines, at, into);
    } else {
      let end = at + 1;
      while (end < lines.length && lines[end].trim() !== '' && !begins(lines[end])) end += 1;
      const node = make('p', { dir: 'auto' });
      inline(lines.slice(at, end).map((part) => part.replace(/^[ \t]+/, '')).join('\n'), node, 0);
      into.appendChild(node);
      at = end;
    }
  }
}

/**
 * A heading's text without the marks that close it. By hand: a regular expression would try each length of a run of spaces.
 *
 * @param {string} text
 */
function withoutClosing(text) {
  const trimmed = text.trimEnd();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === '#') end -= 1;
  const closes = end > 0 && end < trimmed.length && ' \t'.includes(trimmed[end - 1]);
  return closes ? trimmed.slice(0, end).trimEnd() : trimmed;
}

/** @param {string} one */
function begins(one) {
  return FENCE.test(one) || HEADING.test(one) || QUOTE.test(one) || ITEM.test(one) || (one.length < 200 && RULE.test(one));
}

/** @param {string} one */
function isDelimiter(one) {
  return one.length < 1_000 && one.includes('-') && DELIMITERS.test(one);
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {string} mark
 * @param {Node} into
 */
function fenced(lines, at, mark, into) {
  let end = at + 1;
  while (end < lines.length) {
    const closing = FENCE.exec(lines[end]);
    if (closing && closing[1][0] === mark[0] && closing[1].length >= mark.length) break;
    end += 1;
  }
  const code = make('code', { dir: 'auto' }, lines.slice(at + 1, end).join('\n'));
  into.appendChild(make('pre', { tabindex: '0' }, code));
  return end + 1;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Node} into
 * @param {number} depth
 */
function list(lines, at, into, depth) {
  const first = /** @type {RegExpExecArray} */ (ITEM.exec(lines[at]));
  const ordered = /\d/.test(first[2]);
  const kind = first[2].slice(-1);
  const start = ordered ? Number.parseInt(first[2], 10) : 1;
  const node = ordered ? make('ol', { start: start === 1 ? null : start, dir: 'auto' }) : make('ul', { dir: 'auto' });
  let next = at;
  while (next < lines.length) {
    const mark = ITEM.exec(lines[next]);
    if (!mark || mark[2].slice(-1) !== kind) break;
    const indent = Math.min(mark[0].length, mark[1].length + mark[2].length + 4);
    const inside = [lines[next].slice(mark[0].length)];
    next += 1;
    while (next < lines.length) {
      const one = lines[next];
      const indented = one.length - one.trimStart().length;
      if (one.trim() === '') {
        const after = lines[next + 1];
        if (after === undefined || after.length - after.trimStart().length < Math.min(indent, 2)) break;
        inside.push('');
      } else if (indented >= Math.min(indent, 2)) {
        inside.push(one.slice(Math.min(indented, indent)));
      } else if (begins(one)) {
        break;
      } else {
        inside.push(one);
      }
      next += 1;
    }
    node.appendChild(item(inside, depth));
    while (next + 1 < lines.length && lines[next].trim() === '' && ITEM.test(lines[next + 1])) next += 1;
  }
  into.appendChild(node);
  return next;
}

/**
 * @param {string[]} inside
 * @param {number} depth
 */
function item(inside, depth) {
  const node = make('li');
  blocks(inside, node, depth + 1);
  const only = node.firstElementChild;
  if (only?.tagName === 'P') only.replaceWith(...only.childNodes);
  return node;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Node} into
 */
function table(lines, at, into) {
  const head = make('tr');
  const columns = cells(lines[at]);
  for (const cell of columns) {
    const node = make('th', { scope: 'col', dir: 'auto' });
    inline(cell, node, 0);
    head.appendChild(node);
  }
  const body = make('tbody');
  let next = at + 2;
  while (next < lines.length && lines[next].trim() !== '' && lines[next].includes('|')) {
    const row = make('tr');
    for (const cell of cells(lines[next]).slice(0, columns.length)) {
      const node = make('td', { dir: 'auto' });
      inline(cell, node, 0);
      row.appendChild(node);
    }
    body.appendChild(row);
    next += 1;
  }
  const node = make('table', {}, make('thead', {}, head), body);
  into.appendChild(make('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': 'Table' }, node));
  return next;
}

/**
 * @param {string} one
 * @returns {string[]}
 */
function cells(one) {
  const found = [];
  let cell = '';
  const text = one.trim().replace(/^\|/, '');
  for (let at = 0; at < text.length && found.length < COLUMNS_MAX; at += 1) {
    if (text[at] === '\\' && text[at + 1] === '|') {
      cell += '|';
      at += 1;
    } else if (text[at] === '|') {
      found.push(cell.trim());
      cell = '';
    } else {
      cell += text[at];
    }
  }
  if (cell.trim() !== '' && found.length < COLUMNS_MAX) found.push(cell.trim());
  return found;
}

const ESCAPABLE = /[!-/:-@[-`{-~]/;

/**
 * Writes text with emphasis, code and links into a node.
 *
 * @param {string} text
 * @param {Node} into
 * @param {number} depth
 */
function inline(text, into, depth) {
  // The lines before, which are only added to, and the one that is read.
  let before = '';
  let plain = '';
  let at = 0;
  const flush = () => {
    if (before || plain) into.appendChild(document.createTextNode(before + plain));
    before = plain = '';
  };
  while (at < text.length) {
    const c = text[at];
    if (c === '\\' && at + 1 < text.length && ESCAPABLE.test(text[at + 1])) {
      plain += text[at + 1];
      at += 2;
      continue;
    }
    if (c === '\n') {
      const hard = plain.endsWith('  ') || plain.endsWith('\\');
      let end = plain.length;
      if (plain.endsWith('\\')) end -= 1;
      else while (end > 0 && plain[end - 1] === ' ') end -= 1;
      plain = plain.slice(0, end);
      if (hard) {
        flush();
        into.appendChild(make('br'));
      } else {
        before += `${plain} `;
        plain = '';
      }
      at += 1;
      continue;
    }
    const found = c === '`' ? codeAt(text, at) : depth < INLINE_NESTING_MAX ? spanAt(text, at, depth) : null;
    if (found) {
      flush();
      into.appendChild(found.node);
      at = found.end;
    } else if (c === '`' || c === '*' || c === '_') {
      const run = runAt(text, at);
      plain += text.slice(at, at + run);
      at += run;
    } else {
      plain += c;
      at += 1;
    }
  }
  flush();
}

/** How often the character at `at` is repeated. @param {string} text @param {number} at */
function runAt(text, at) {
  let end = at + 1;
  while (end < text.length && text[end] === text[at]) end += 1;
  return end - at;
}

/**
 * @param {string} text
 * @param {number} at
 */
function codeAt(text, at) {
  const run = runAt(text, at);
  const window = text.slice(at + run, at + run + SPAN_MAX_CHARS);
  let end = window.indexOf('`');
  while (end >= 0) {
    const closing = runAt(window, end);
    if (closing === run) {
      const inside = window.slice(0, end).replace(/\n/g, ' ').replace(/^ (.*) $/, '$1');
      return { node: make('code', { dir: 'auto' }, inside), end: at + run + end + run };
    }
    end = window.indexOf('`', end + closing);
  }
  return null;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 * @returns {{node: Node, end: number} | null}
 */
function spanAt(text, at, depth) {
  const c = text[at];
  if (c === '*' || c === '_') return emphasisAt(text, at, depth);
  if (c === '[' || (c === '!' && text[at + 1] === '[')) return linkAt(text, at, depth);
  if (c === '<' || c === 'h') return autolinkAt(text, at);
  return null;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 */
function emphasisAt(text, at, depth) {
  const mark = text[at];
  const run = runAt(text, at);
  if (run > 3) return null;
  const after = text[at + run];
  if (after === undefined || /\s/.test(after)) return null;
  // An underscore within a word is a letter of it: snake_case.
  if (mark === '_' && at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1])) return null;
  const marks = mark.repeat(run);
  const limit = Math.min(text.length, at + SPAN_MAX_CHARS);
  let end = text.indexOf(marks, at + run);
  while (end >= 0 && end < limit) {
    const closing = runAt(text, end);
    const inWord = mark === '_' && end + run < text.length && /[\p{L}\p{N}]/u.test(text[end + run]);
    if (closing === run && !/\s/.test(text[end - 1]) && text[end - 1] !== '\\' && !inWord) {
      const node = make(run === 1 ? 'em' : 'strong');
      inline(text.slice(at + run, end), run === 3 ? node.appendChild(make('em')) : node, depth + 1);
      return { node, end: end + run };
    }
    end = text.indexOf(marks, end + closing);
  }
  return null;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 */
function linkAt(text, at, depth) {
  const picture = text[at] === '!';
  const open = picture ? at + 1 : at;
  const limit = Math.min(text.length, open + SPAN_MAX_CHARS);
  let level = 0;
  let close = open;
  for (; close < limit; close += 1) {
    if (text[close] === '\\') close += 1;
    else if (text[close] === '[') level += 1;
    else if (text[close] === ']' && --level === 0) break;
  }
  if (close >= limit || text[close + 1] !== '(') return null;
  let end = close + 2;
  let depthOf = 1;
  for (; end < Math.min(text.length, close + SPAN_MAX_CHARS); end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === '(') depthOf += 1;
    else if (text[end] === ')' && --depthOf === 0) break;
  }
  if (text[end] !== ')') return null;
  const inside = text.slice(close + 2, end).trim();
  const target = inside.startsWith('<') ? inside.slice(1).split('>')[0] : inside.split(/\s/)[0];
  const url = webUrl(target.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  const words = text.slice(open + 1, close);
  const holder = url === null ? make('bdi') : link(url, [], { title: url.slice(0, 300) });
  if (picture) holder.appendChild(document.createTextNode(words.trim() || 'picture'));
  else inline(words, holder, depth + 1);
  if (!holder.textContent?.trim() && url !== null) holder.appendChild(document.createTextNode(url));
  return { node: holder, end: end + 1 };
}

const AUTOLINK = /(<?)(https?:\/\/[^\s<>"'`\u202a-\u202e\u2066-\u2069]{1,1000})(>?)/y;

/**
 * @param {string} text
 * @param {number} at
 */
function autolinkAt(text, at) {
  AUTOLINK.lastIndex = at;
  const found = AUTOLINK.exec(text);
  if (!found || (text[at] === 'h' && at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]))) return null;
  const bracketed = found[1] === '<' && found[3] === '>';
  if (found[1] === '<' && !bracketed) return null;
  let shown = found[2];
  if (!bracketed) {
    shown = shown.replace(/[.,:;!?*_~\])]+$/, (tail) => (tail.startsWith(')') && shown.includes('(') ? ')' : ''));
  }
  const url = webUrl(shown);
  if (url === null) return null;
  return { node: link(url, [shown], { dir: 'ltr' }), end: bracketed ? at + found[0].length : at + shown.length };
}
