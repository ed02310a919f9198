// What a row, a list item, an article or a part of a page is about. The controls inside are often alike in all rows
// ("Delete") and dialogs ("OK"), and lists give rows that they have scrolled away to other entries: a control belongs to what
// is around it.

const ROWS = 'tr, [role=row], li, [role=listitem], [role=treeitem], article, [role=article]';
// Left out: what controls say of themselves, times, and lists within.
const NOT_ABOUT = new Set(['button', 'select', 'textarea', 'ul', 'ol', 'table', 'script', 'style', 'template',
  'time', 'relative-time']);
const NOT_ABOUT_ROLES = new Set(['button', 'menu', 'group', 'list', 'timer', 'status', 'progressbar']);
const ABOUT_MAX_CHARS = 1000;
const ABOUT_MAX_NODES = 1000;
const HREF_MAX_CHARS = 2000;
const ASKED_MAX_CHARS = 300;
const BUTTONS = 'button, [role=button], input[type=button], input[type=submit]', QUESTION_BUTTONS_MAX = 5;
// Amounts of money, which a question is about.
const SUMS = /[\p{Sc}]\s?\d[\d.,]*|\d[\d.,]*\s?[\p{Sc}]/gu;

// Parts of a page that have names: a dialog that is used again for another question has the same buttons.
const PARTS = 'dialog, fieldset, section, [role=dialog], [role=alertdialog], [role=tabpanel], [role=region], [role=group]';
const DIALOGS = 'dialog, [role=dialog], [role=alertdialog]';
const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading]';

// What the row and the part of the page around an element are about, and where it leads as a link, as a number; 0 for what
// is in neither and no link. `cache` has the texts of rows and parts; `looked` is a snapshot's, see plain_row.js.
function rowOf(element, cache = new Map(), looked = null) {
  const row = rowAround(element, looked), part = partWordsOf(element, cache);
  const hash = row ? readRow(row, cache).hash ??= hashOf(wordsOf(row, cache)) : 0;
  const leads = dom.tag(element) === 'a' || isArea(element) ? (dom.attribute(element, 'href') ?? '').slice(0, HREF_MAX_CHARS) : '';
  return part === '' && leads === '' ? hash : hashOf(`${part}\n${hash}\n${leads}`);
}

// The words of its row alone: what is around it may tell what the pointer is over.
function rowWordsOf(element) {
  const row = rowAround(element);
  return row ? wordsOf(row) : '';
}

// The nearest element around another that a selector matches, also around the shadow roots that it is in.
const HOSTS_AROUND_MAX = 20;
// The element whose shadow root a node is in; null in none.
const hostOf = (node) => {
  const root = dom.rootNode(node);
  return root instanceof ShadowRoot ? root.host : null;
};
function outwardOf(element, selector) {
  let at = dom.parent(element);
  for (let hosts = 0; at && hosts < HOSTS_AROUND_MAX; hosts++) {
    const found = dom.type(at) === 1 ? dom.closest(at, selector) : null;
    // Asking each element for its root takes long in a long page.
    if (found || seenRoots.length === 0) return found;
    at = hostOf(at);
  }
  return null;
}
function holds(outer, inner) {
  for (let at = inner, hosts = 0; at && hosts < HOSTS_AROUND_MAX; hosts++) {
    if (dom.contains(outer, at)) return true;
    at = hostOf(at);
  }
  return false;
}
function rowAround(element, looked = null) {
  const row = outwardOf(element, ROWS);
  return plainRowOf(element, row, looked) ?? row;
}

// The words that name the dialog, the group or the section around an element. What a dialog asks stands in its description,
// or its first heading; a section's heading may be one of its entries'.
function partWordsOf(element, cache = new Map()) {
  const part = outwardOf(element, PARTS);
  if (!part) return '';
  let words = cache.get(part)?.partWords;
  if (words !== undefined) return words;
  let name = nameOf(part, roleOf(part));
  if (dom.matches(part, DIALOGS)) {
    const said = byIds(part, 'aria-describedby');
    const heading = name === '' ? Element.prototype.querySelector.call(part, HEADINGS) : null;
    if (heading) said.push(heading);
    name = said.reduce((text, one) => textIn(one, () => true, false, `${text} `), name);
    // What a question asks, as far as the first field: what comes after may be what is wrong with that. One with more buttons,
    // such as a calendar, is no question.
    const isQuestion = allIn(part, BUTTONS).length <= QUESTION_BUTTONS_MAX;
    const asks = !isQuestion ? '' : textIn(part, (node) => isAboutRow(node) && !saysWhatChanges(node), false, '', null, true).slice(0, ASKED_MAX_CHARS);
    name = `${name} ${asks}`;
  }
  words = `${wordsAlone(name)} ${dom.matches(part, DIALOGS) ? (name.match(SUMS) ?? []).join(' ') : ''}`.trim();
  cache.set(part, { ...cache.get(part), partWords: words });
  return words;
}

// How many of a row's numbers, links and titles tell it from the rows beside it. Short numbers are left out else, since a quantity or a price
// that changes makes no other row.
function numbersTold(row, { words, numbers }, cache) {
  let count = 0;
  const cell = cellRows.get(row);
  const others = cell ? likeBeside(row, cell.isLike) : [row.previousElementSibling, row.nextElementSibling];
  for (const other of others) {
    if (!other || other.nodeName !== row.nodeName) continue;
    if (cell) cellRows.set(other, cell);
    const isPlain = isPlainRow.has(row);
    if (isPlain) isPlainRow.add(other);
    const beside = readRow(other, cache);
    if (isPlain) count = Math.max(count, piecesTold(numbers, beside.numbers));
    else if (beside.words === words) count = Math.max(count, numbers.findIndex((number, at) => number !== beside.numbers[at]) + 1);
  }
  return count;
}

// What rows have been about: `{words, numbers}`, with the numbers that told them apart when they were seen first. A row keeps
// these when one like it comes beside it or leaves, or when a number becomes another one that was the same in both.
const rowsKnown = new WeakMap();
const isPrefix = (few, many) => few.every((one, at) => one === many[at]);
function wordsOf(row, cache = new Map()) {
  const read = readRow(row, cache);
  let known = rowsKnown.get(row);
  const isSame = known?.words === read.words;
  if (!isSame || !isPrefix(known.numbers, read.numbers)) {
    const count = Math.max(isSame ? known.numbers.length : 0, numbersTold(row, read, cache));
    const before = known?.before;
    rowsKnown.set(row, known = { words: read.words, numbers: read.numbers.slice(0, count) });
    if (before && performance.now() < before.until && isHeld(before)) Object.assign(known, { told: before.told, before });
  }
  return known.told ?? [known.words, ...known.numbers].join(' ');
}

// Fields whose value was typed or chosen, which says nothing of the row.
const typedFields = new WeakSet();
// What an element's row says as an action on it begins, and what its field holds once it was typed into. A row that changes by
// that or soon after, and still has the field with that value, is about the same: a preview, a hint, the text itself.
const OWN_CHANGES_MS = 2000;
const rowBefore = (element) => {
  const row = rowAround(element);
  return row && { row, element, told: wordsOf(row), held: null, until: 0 };
};
const heldBy = (field) => (isWrittenIn(field) || dom.tag(field) === 'select' ? field.value : field.checked ?? dom.textContent(field));
const noteTyped = (before, event) => {
  const [target] = event.composedPath();
  if (!(target instanceof Element)) return;
  const isActedOn = target === before?.element;
  if (isActedOn || event.isTrusted) typedFields.add(target);
  if (isActedOn) before.held = { field: target, value: heldBy(target) };
};
const isHeld = ({ row, element, held }) =>
  held !== null && dom.isConnected(element) && rowAround(element) === row && heldBy(held.field) === held.value;
const keepRow = (before) => {
  if (!isHeld(before)) return;
  wordsOf(before.row);
  Object.assign(rowsKnown.get(before.row), { told: before.told, before });
};
// The row that may change until the next action, whose own blur and press are judged by what they do.
let rowLeft = null;
const keepRowAfter = (before) => {
  if (before.held === null) return;
  before.until = performance.now() + OWN_CHANGES_MS;
  keepRow(before);
  rowLeft = { before, timer: setTimeout(() => keepRow(before), OWN_CHANGES_MS - 100) };
};
const endRowLeft = () => {
  if (rowLeft === null) return;
  const { before, timer } = rowLeft;
  clearTimeout(timer);
  if (performance.now() < before.until) keepRow(before);
  before.until = 0;
  rowLeft = null;
};

// Words and whole long numbers, such as an order's; one and many of a thing are the same word. A number with a fraction is a
// price or a measure.
const wordsAlone = (text) => (text.replace(/\d+(?:[.,]\d+)+/g, ' ').match(/\p{L}+|\d{4,}/gu) ?? []).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)).join(' ');

// The text of an element as far as `isAbout` leads into what is inside; pictures are their descriptions, and with `saysMore`
// controls are what they are called. `marks` gets where the first link leads and the first title.
function textIn(element, isAbout, saysMore, text = '', marks = null, untilField = false) {
  walkIn(element, isAbout, (node, type) => {
    if (text.length >= ABOUT_MAX_CHARS || (untilField && type === 1 && isWrittenIn(node))) return false;
    if (type === 3) text += ` ${node.data.slice(0, ABOUT_MAX_CHARS)}`;
    else if (type === 1) {
      const tag = dom.tag(node);
      if (marks !== null) {
        if (tag === 'a') marks.leads ??= dom.attribute(node, 'href')?.slice(0, HREF_MAX_CHARS);
        marks.title ??= dom.attribute(node, 'title')?.slice(0, ABOUT_MAX_CHARS);
      }
      const value = marks !== null && FIELD_TAGS.has(tag) ? setValueOf(node) : '';
      if (value !== '') text += ` ${value}`;
      else if (saysMore || tag === 'img') text += ` ${(dom.attribute(node, 'aria-label') ?? dom.attribute(node, 'alt') ?? '').slice(0, ABOUT_MAX_CHARS)}`;
    }
    return true;
  });
  return text.slice(0, ABOUT_MAX_CHARS);
}

// The value of a field, unless it was typed or chosen.
const FIELD_TAGS = new Set(['input', 'select']);
function setValueOf(node) {
  const tag = dom.tag(node);
  if (!FIELD_TAGS.has(tag) || typedFields.has(node)) return '';
  if (tag === 'select') return node.selectedOptions?.[0]?.text.slice(0, ABOUT_MAX_CHARS) ?? '';
  return isWrittenIn(node) && !isSecretField(node) ? node.value.slice(0, ABOUT_MAX_CHARS) : '';
}

// Visits what is inside an element, as far as `isAbout` leads into it and until `visit` returns false. Of an element that has
// a shadow root, also what is in that and in others there.
function walkIn(element, isAbout, visit) {
  const isHost = shadowOf(element) !== null;
  const firstIn = !isHost ? dom.firstChild : (outer) => {
    const root = shadowOf(outer);
    return (root && dom.firstChild(root)) ?? dom.firstChild(outer);
  };
  let node = firstIn(element);
  for (let nodes = 0; node && nodes < ABOUT_MAX_NODES; nodes++) {
    const type = dom.type(node);
    if (!visit(node, type)) return;
    let next = type === 1 && isAbout(node) ? firstIn(node) : null;
    while (next === null && node !== element) {
      next = dom.nextSibling(node);
      if (next) break;
      const outer = dom.parent(node);
      if (!isHost || !(outer instanceof ShadowRoot)) node = outer;
      else {
        // What the host itself holds comes after its root.
        node = outer.host;
        next = dom.firstChild(node);
      }
    }
    node = next;
  }
}

// A button in a heading is the row's title.
const isTitle = (node) => {
  if (dom.tag(node) !== 'button') return false;
  const outer = dom.parent(node);
  return outer !== null && dom.type(outer) === 1 && /^h[1-6]$/.test(dom.tag(outer));
};

// Messages of a dialog, and what counts there.
const saysWhatChanges = (node) => dom.has(node, 'aria-live') || ['alert', 'log', 'marquee'].includes(dom.attribute(node, 'role'));

const isAboutRow = (node) => (!NOT_ABOUT.has(dom.tag(node)) && !NOT_ABOUT_ROLES.has(dom.attribute(node, 'role'))) || isTitle(node);

// What a row says: `{words, numbers}`, the words with long numbers among them; where its first link leads, its first title,
// and the short numbers. One with controls alone
// is told by what they and its images say.
function readRow(row, cache) {
  const known = cache.get(row);
  if (known?.words !== undefined) return known;
  const label = (dom.attribute(row, 'aria-label') ?? '').slice(0, ABOUT_MAX_CHARS);
  if (isPlainRow.has(row)) {
    const read = { ...known, words: '', numbers: piecesIn(row) };
    cache.set(row, read);
    return read;
  }
  const marks = {};
  let text = textIn(row, isAboutRow, false, label, marks);
  if (wordsAlone(text) === '') {
    const title = (dom.attribute(row, 'title') ?? '').slice(0, ABOUT_MAX_CHARS);
    text = textIn(row, (node) => !SKIPPED.has(dom.tag(node)) && dom.tag(node) !== 'textarea', true, `${label} ${title}`);
  }
  const numbers = text.match(/\d+(?:[.,]\d+)+|(?<!\d)\d{1,3}(?!\d)/g) ?? [];
  const read = { ...known, words: wordsAlone(text), numbers: [marks.leads ?? '', marks.title ?? '', ...numbers] };
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
