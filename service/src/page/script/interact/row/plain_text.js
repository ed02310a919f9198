// What plain rows say: which of their texts tell them from the rows beside them; see plain_row.js.

// A longer text is a part of a page, whose words change for other reasons.
const PLAIN_ROW_CHARS_MAX = 300;
const PIECES_MAX = 30;
const PICKED_TYPES = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'range', 'color']);
// Rows around others with so long a text before these that only what names things in it counts.
const namedRows = new WeakSet();

const isWrittenIn = (element) => {
  const tag = dom.tag(element);
  return tag === 'textarea' || (tag === 'input' && !PICKED_TYPES.has(dom.attribute(element, 'type')));
};

// What a row says of its own; null where that is nothing, or too much. One without words may be told by signs. Where there are
// labels, they say what fields are.
function ownTextOf(row, element, looked) {
  const text = textIn(row, (node) => isAboutRow(node) && node !== element, false, '', {});
  if (text.length > PLAIN_ROW_CHARS_MAX) return null;
  if (!/[\p{L}\p{N}]/u.test(text) && (dom.matches(row, ROWS) || !hasSigns(once(looked, signsIn, row), element))) return null;
  return isNamedByLabel(row, element) ? null : text;
}
// Notes a row of a long text that begins with a heading, a link or bold text, and returns whether it does. The lines of a log
// may begin with bold texts, too.
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
// What a snapshot or an action asks a row once, however many controls are in it.
function once(looked, asks, row) {
  const known = looked[asks.name] ??= new Map();
  if (!known.has(row)) known.set(row, asks(row));
  return known.get(row);
}
const isNamedByLabel = (row, element) => isWrittenIn(element) && dom.find(row, 'label') !== null;

// Returns whether a row that holds others says something before them. One with a long text there is noted: only what names
// things in it counts.
function noteTitled(row) {
  let { pieces } = piecesIn(row, true);
  if (pieces.join('').length > PLAIN_ROW_CHARS_MAX) {
    namedRows.add(row);
    pieces = piecesIn(row, true).pieces;
  }
  return pieces.some((piece) => piece !== '');
}

// Where the rows begin that a plain row holds, as a question to its nodes: what has a control as the one of its kind beside it
// has, or is known as a row.
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

// How many of a plain row's texts tell it from the row beside it: up to the first with a word that the other does not have, and
// one more after a short word, which may be a badge if it is no heading or link, unless that one begins with a number ("3 hours
// ago"). What comes after, such as a message or a state, says nothing of which entry it is. Numbers tell it where no word does:
// a place in a ranking stays where it is.
function piecesTold({ pieces, titles, links }, { pieces: beside }) {
  const isOwn = (piece) => !beside.includes(piece);
  const at = pieces.findIndex((piece) => isOwn(piece) && /\p{L}{3}/u.test(piece));
  if (at < 0) return pieces.findIndex(isOwn) + 1;
  const isBadge = /^\p{L}{3,8}$/u.test(pieces[at]) && !titles.includes(at) && !links.includes(at);
  return isBadge && !/^\p{N}/u.test(pieces[at + 1] ?? '') ? at + 2 : at + 1;
}

// What a plain row says, text by text, `pieces`, and those of them that name things: headings, then links and bold texts,
// `more`. `titles`, `links` and `bolds` are the places of these among all. `byTitle`: what it says before the rows in it,
// without what is counted there.
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
  // Where links lead stands after their text, so that what comes later in the row changes no place.
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
  // What is said for assistive technology alone goes on by itself.
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

// How many of the texts that name things tell a plain row besides its first `count` texts: what comes first may be a badge or
// a category. The first heading that the rows beside it do not have; after a single word else, the first bold text or link. All
// of them, and the button before the row, if the row says what those beside it say.
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
