// What a row, a list item or an article is about. The controls inside are often alike in all rows ("Delete"), and lists give
// rows that they have scrolled away to other entries: a control belongs to what its row is about.

const ROWS = 'tr, [role=row], li, [role=listitem], [role=treeitem], article, [role=article]';
// Left out: what controls say of themselves, and lists within.
const NOT_ABOUT = new Set(['button', 'select', 'textarea', 'ul', 'ol', 'table', 'script', 'style', 'template']);
const NOT_ABOUT_ROLES = new Set(['button', 'menu', 'group', 'list', 'timer', 'status', 'progressbar']);
const ABOUT_MAX_CHARS = 1000;
const ABOUT_MAX_NODES = 1000;

// The row's words, as a number; 0 for what is in no row. Short numbers are left out, since a quantity or a price that changes
// makes no other row, unless the row next to it has the same words: then the numbers tell them apart. `cache` has the texts
// of rows.
function rowOf(element, cache = new Map()) {
  const row = rowAround(element);
  if (!row) return 0;
  const read = readRow(row, cache);
  return read.hash ??= hashOf(wordsOf(row, cache));
}

function rowAround(element) {
  const parent = dom.parent(element);
  return parent && dom.type(parent) === 1 ? Element.prototype.closest.call(parent, ROWS) : null;
}

function rowWordsOf(element) {
  const row = rowAround(element);
  return row ? wordsOf(row) : '';
}

function wordsOf(row, cache = new Map()) {
  const { words, text } = readRow(row, cache);
  const beside = [row.previousElementSibling, row.nextElementSibling];
  const isAlike = beside.some((other) => other && other.nodeName === row.nodeName && readRow(other, cache).words === words);
  return isAlike ? (text.match(/\p{L}+|\d+/gu) ?? []).join(' ') : words;
}

// The text of a row, and its words without short numbers. One with controls alone is told by what they and its images say.
function readRow(row, cache) {
  let read = cache.get(row);
  if (read !== undefined) return read;
  const label = dom.attribute(row, 'aria-label') ?? '';
  const textAbout = (isAbout, saysMore) => {
    let text = label.slice(0, ABOUT_MAX_CHARS);
    let node = dom.firstChild(row);
    for (let nodes = 0; node && nodes < ABOUT_MAX_NODES && text.length < ABOUT_MAX_CHARS; nodes++) {
      const type = dom.type(node);
      if (type === 3) text += ` ${node.data.slice(0, ABOUT_MAX_CHARS)}`;
      else if (type === 1 && saysMore) text += ` ${(dom.attribute(node, 'aria-label') ?? dom.attribute(node, 'alt') ?? '').slice(0, ABOUT_MAX_CHARS)}`;
      let next = type === 1 && isAbout(node) ? dom.firstChild(node) : null;
      for (; next === null && node !== row; node = dom.parent(node)) next = dom.nextSibling(node);
      node = next;
    }
    return text.slice(0, ABOUT_MAX_CHARS);
  };
  const wordsAlone = (text) => (text.match(/\p{L}+|\d{4,}/gu) ?? []).join(' ');
  let text = textAbout((node) => !NOT_ABOUT.has(dom.tag(node)) && !NOT_ABOUT_ROLES.has(dom.attribute(node, 'role')), false);
  let words = wordsAlone(text);
  if (words === '') {
    text = textAbout((node) => !SKIPPED.has(dom.tag(node)) && dom.tag(node) !== 'textarea', true);
    words = wordsAlone(text);
  }
  read = { text, words };
  cache.set(row, read);
  return read;
}

// FNV-1a, 32 bits.
function hashOf(text) {
  if (text === '') return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
