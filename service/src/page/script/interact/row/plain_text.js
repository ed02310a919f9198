// The texts of plain rows, and which of these tell a row from those beside it; see plain_row.js.

// An element with a longer text is a part of the page rather than a row: its words change for other reasons.
const PLAIN_ROW_CHARS_MAX = 300;
const PIECES_MAX = 30;
const PICKED_TYPES = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'range', 'color']);
// Rows around others that have a long text before these: of that text only headings, links and bold texts count.
const namedRows = new WeakSet();

const isWrittenIn = (element) => {
  const tag = dom.tag(element);
  return tag === 'textarea' || (tag === 'input' && !PICKED_TYPES.has(dom.attribute(element, 'type')));
};

// The text of a plain row around a control, without the control's own; null if it can't identify the row, because it is too long
// or the row has neither words nor signs. Also null for a field with a label in the row, which says what the field is.
function ownTextOf(row, element, looked) {
  const text = textIn(row, (node) => isAboutRow(node) && node !== element, false, '', {});
  if (text.length > PLAIN_ROW_CHARS_MAX) return null;
  if (!/[\p{L}\p{N}]/u.test(text) && (dom.matches(row, ROWS) || !hasSigns(once(looked, signsIn, row), element))) return null;
  return isNamedByLabel(row, element) ? null : text;
}
// Notes a row as a post if it has a long text that begins with a heading, a link or bold text. Returns whether it does. A row with
// more bold texts may be a log, each line of which begins with one.
const POST_BOLDS_MAX = 2;
const postRows = new WeakSet();
function notePost(row) {
  if (textIn(row, isAboutRow, false, '', {}).length <= PLAIN_ROW_CHARS_MAX) return false;
  const { titles, links, bolds } = piecesIn(row);
  if (![titles, links, bolds.length > POST_BOLDS_MAX ? [] : bolds].some((names) => names.includes(0))) return false;
  postRows.add(row);
  return true;
}
const hasSigns = ({ signs, lead }, element) => signs.length > (lead === element ? 1 : 0);
// Calls `asks` once for each row in a snapshot or an action, however many controls the row has.
function once(looked, asks, row) {
  const known = looked[asks.name] ??= new Map();
  if (!known.has(row)) known.set(row, asks(row));
  return known.get(row);
}
// Whether a label in the row is the field's: its own, or one that is for no field.
const ROW_LABELS_MAX = 20;
const isNamedByLabel = (row, element) => isWrittenIn(element)
  && [...allIn(row, 'label')].slice(0, ROW_LABELS_MAX).some((label) => label.control === null || label.control === element);

// Whether a row that holds others has a title: words before these. If the text there is long, the row is noted in `namedRows`.
function noteTitled(row) {
  let { pieces } = piecesIn(row, true);
  if (pieces.join('').length > PLAIN_ROW_CHARS_MAX) {
    namedRows.add(row);
    pieces = piecesIn(row, true).pieces;
  }
  return pieces.some((piece) => piece !== '');
}

// Returns a function that recognises the rows inside a plain row: elements that are known as rows, or have a control as the
// siblings of their kind have.
const IN_ROWS = `${CONTROLS}, a[role=button], a[href^="#"], a[href^="javascript:"], [tabindex], [onclick]`;
function rowsInside(row) {
  const holders = new Set();
  walkIn(row, () => true, (node, type) => {
    if (type !== 1 || !dom.matches(node, IN_ROWS)) return true;
    for (let at = drawnParent(node); at && at !== row && !holders.has(at); at = drawnParent(at)) holders.add(at);
    return true;
  });
  return (node) => plainRowsKnown.has(node) || dom.matches(node, ROWS) || (holders.has(node) && elementsBeside(node).some((other) => holders.has(other)));
}

// How many texts of a plain row it takes to tell it from the row beside it: up to the first text of its own that has a word. If
// that is a single short word that is no heading or link, it may be a badge: then the next text counts, too, unless it begins with
// a number ("3 hours ago"). Later texts, such as a message or a state, don't say which entry the row is. Where no word differs,
// the first text of its own counts, such as a place in a ranking.
function piecesTold({ pieces, titles, links }, { pieces: beside }) {
  const isOwn = (piece) => !beside.includes(piece);
  const at = pieces.findIndex((piece) => isOwn(piece) && /\p{L}{3}/u.test(piece));
  if (at < 0) return pieces.findIndex(isOwn) + 1;
  const isBadge = /^\p{L}{3,8}$/u.test(pieces[at]) && !titles.includes(at) && !links.includes(at);
  return isBadge && !/^\p{N}/u.test(pieces[at + 1] ?? '') ? at + 2 : at + 1;
}

// The texts of a plain row: `pieces`, all of them in their order, and `more`, those that name things: headings, then links, then
// bold texts, then the button before the row. `titles`, `links` and `bolds` are indices in `pieces`. With `byTitle`: only the
// texts before the rows inside, without their counts.
const NAMES = `${HEADINGS}, b, strong, a, th, dt`;
function piecesIn(row, byTitle = false) {
  const pieces = [], titles = [], links = [], bolds = [];
  const isInner = byTitle ? rowsInside(row) : null, isNamed = byTitle && namedRows.has(row);
  const listFor = (name) => (dom.matches(name, HEADINGS) ? titles : dom.matches(name, 'a') ? links : bolds);
  const add = (text) => {
    if (!/[\p{L}\p{N}]/u.test(text ?? '')) return false;
    pieces.push(tidy(text.slice(0, ABOUT_MAX_CHARS)));
    return true;
  };
  // The address of a link follows its text, so that what comes later in the row does not move it.
  const leads = [], led = new Set();
  const visit = (node, type) => {
    if (pieces.length >= PIECES_MAX) return false;
    if (type === 3) {
      const around = dom.parent(node), name = around !== null && dom.type(around) === 1 ? dom.closest(around, NAMES) : null;
      const isName = name !== null && !dom.contains(name, row);
      if ((isNamed && !isName) || !add(node.data)) return true;
      if (isName) listFor(name).push(pieces.length - 1);
      if (name && dom.tag(name) === 'a' && !led.has(name)) {
        led.add(name);
        add(dom.attribute(name, 'href'));
      }
    } else if (type === 1) {
      if (isInner?.(node)) return false;
      add(dom.tag(node) === 'img' ? dom.attribute(node, 'alt') : setValueOf(node));
      leads.push({ link: dom.tag(node) === 'a' ? node : null, title: dom.attribute(node, 'title') });
    }
    return true;
  };
  // Live regions change by themselves.
  const isAbout = (node) => isAboutRow(node) && !saysWhatChanges(node);
  const isCell = cellRows.has(row);
  for (const node of isCell ? nodesOfCell(row) : []) {
    if (visit(node, dom.type(node)) && dom.type(node) === 1 && isAbout(node)) walkIn(node, isAbout, visit);
  }
  if (!isCell || isAboutRow(row)) walkIn(row, isAbout, visit);
  for (const lead of [dom.attribute(row, 'aria-label'), dom.attribute(row, 'title')]) add(lead);
  for (const { link, title } of leads) {
    if (link && !led.has(link)) add(dom.attribute(link, 'href'));
    add(title);
  }
  // The button that opens a panel may stand before it.
  const opener = dom.previousElement(row);
  const opens = opener && dom.matches(opener, BUTTONS) ? tidy(textIn(opener, mayHaveText, false)) : '';
  const names = [...titles, ...links, ...bolds].map((at) => namedWords(pieces[at]));
  return { pieces: byTitle ? pieces.map(namedWords) : pieces, more: [...names, opens], titles, links, bolds };
}

// How many of the texts that name things it takes besides the first `count` pieces, which may be a badge or a category: up to the
// first heading that a row beside it does not have; if there is none and the pieces are single words, up to the first such link
// or bold text. If no piece tells the row from those beside it, all of them where the button before the row does.
function namesTold({ pieces, more, titles, links, bolds }, count, beside) {
  const isOwn = (text) => /\p{L}{2}/u.test(text) && beside.some((other) => !other.more.includes(text));
  if (count === 0) return beside.some((other) => other.more.at(-1) !== more.at(-1)) ? more.length : 0;
  if (titles.some((at) => at < count)) return 0;
  const title = titles.findIndex((_, nth) => isOwn(more[nth]));
  if (title >= 0) return title + 1;
  if ([...links, ...bolds].some((at) => at < count) || pieces.slice(0, count).some((text) => text.includes(' '))) return 0;
  const named = [...titles, ...links, ...bolds];
  return named.findIndex((at, nth) => nth >= titles.length && isOwn(more[nth]) && /^\P{N}/u.test(pieces[at])) + 1;
}
