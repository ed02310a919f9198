// What the rows and parts around an element are about. Controls often have the same name in all rows ("Delete") and dialogs
// ("OK"), and lists use the elements of rows that were scrolled away again for other entries. So a control is identified by
// what stands around it, too.

const ROWS = 'tr, [role=row], li, [role=listitem], [role=treeitem], article, [role=article]';
const AROUND = `${ROWS}, ${PARTS}`;
// Left out of a row's words: those of controls, times, and the lists inside it.
const NOT_ABOUT = new Set(['button', 'select', 'textarea', 'ul', 'ol', 'table', 'script', 'style', 'template', ...TIMES]);
const NOT_ABOUT_ROLES = new Set(['button', 'menu', 'group', 'list', 'timer', 'status', 'progressbar']);
const ABOUT_MAX_CHARS = 1000;
const ABOUT_MAX_NODES = 1000;
const HREF_MAX_CHARS = 2000;
// How many rows and how many parts around an element count, and how far out they are looked for.
const ROWS_AROUND_MAX = 6, AROUND_STEPS_MAX = 20;
// An outer row whose own words are longer than this counts by its title alone: the other words change for other reasons.
const OUTER_MAX_CHARS = 300;

// Notes on an element for the time of one walk or action.
function noteOf(element, cache) {
  let note = cache.get(element);
  if (note === undefined) cache.set(element, note = {});
  return note;
}

// A hash of the words of the rows and parts around an element, of its heads, and of its address if it is a link; 0 if it has none
// of these. `cache` keeps the texts of rows and parts. A snapshot alone gives `looked` (see plain_row.js); it adds the heads once
// it has all lines, by `tellByHeads`.
function rowOf(element, cache = new Map(), looked = null) {
  const row = rowWithoutHeads(element, cache, looked);
  return looked === null ? withHeads(row, headWordsOf(element, cache) || titleOver(element, cache, null)) : row;
}
function rowWithoutHeads(element, cache, looked) {
  const around = noteOf(element, cache).around = aroundOf(element, cache, looked), { rows, parts } = around;
  const said = parts.map((part) => partWordsOf(part, cache));
  for (const { row, byTitle } of rows) {
    const read = readRow(row, byTitle, cache);
    const hash = read.hash ??= hashOf(wordsOf(row, byTitle, cache));
    if (hash !== 0) said.push(hash);
  }
  const leads = dom.tag(element) === 'a' || isArea(element) ? (dom.attribute(element, 'href') ?? dom.attribute(element, 'xlink:href') ?? '').slice(0, HREF_MAX_CHARS) : '';
  for (const more of [headerOf(element, cache), around.heading, openedBy(element, cache), questionBefore(element, cache), monthOf(element, cache), boxWords(element, around, cache), describedAs(element), shownInstead(element), leads]) if (more !== '') said.push(`: ${more}`);
  return hashOf(said.join('\n'));
}

// The words of the rows around an element, without those of parts, which may change with what the pointer is over.
function rowWordsOf(element, cache = new Map()) {
  const { rows, heading } = aroundOf(element, cache);
  return [...rows.map(({ row, byTitle }) => wordsOf(row, byTitle, cache)), heading].join(' ');
}

// The nearest row or part around an element as it is drawn: what a slot shows is in the rows and parts around the slot.
function outwardOf(element, cache) {
  if (seenRoots.length === 0) {
    const parent = dom.parent(element);
    return parent && dom.type(parent) === 1 ? dom.closest(parent, AROUND) : null;
  }
  return firstOutward(drawnParent(element), 'nearest', cache, (at) => (dom.matches(at, AROUND) ? at : null));
}
// The first answer of `tell` about an element or those around it as it is drawn, from inside out; null if it has none. Answers are
// kept under `key` in the notes of all elements that were passed.
function firstOutward(from, key, cache, tell) {
  const passed = [];
  let told = null;
  for (let at = from; at && told === null; at = drawnParent(at)) {
    const note = noteOf(at, cache);
    if (note[key] !== undefined) { told = note[key]; break }
    passed.push(note);
    told = tell(at);
  }
  for (const note of passed) note[key] = told;
  return told;
}
function holds(outer, inner) {
  if (dom.contains(outer, inner)) return true;
  if (seenRoots.length > 0) for (let at = drawnParent(inner); at; at = drawnParent(at)) if (at === outer) return true;
  return false;
}

// The rows and the named parts around an element, up to the first dialog: `{rows, parts, own, heading}`, from inside out. `own` is
// the nearest row that says anything: a row without words, such as the list item that holds a button alone, is followed by the
// next one outwards. `own` counts with all its words. Rows farther out count by their titles (`byTitle`), since they hold other
// entries as well. `heading` stands before the list of the outermost row.
function aroundOf(element, cache = new Map(), looked = null) {
  const rowsAround = [], parts = [];
  let isOutside = false, at = outwardOf(element, cache);
  for (let steps = 0; at && steps < AROUND_STEPS_MAX; steps++) {
    const note = noteOf(at, cache);
    note.kind ??= { isRow: dom.matches(at, ROWS), isPart: dom.matches(at, PARTS), isDialog: dom.matches(at, DIALOGS) };
    const { isRow, isPart, isDialog } = note.kind;
    if (isRow && (!isOutside || rowsAround.length === 0) && rowsAround.length < ROWS_AROUND_MAX) rowsAround.push(at);
    if (isPart && !isOutside && parts.length < ROWS_AROUND_MAX && partWordsOf(at, cache) !== '') parts.push(at);
    isOutside ||= isDialog;
    if (isOutside && rowsAround.length > 0) break;
    if (note.outer === undefined) note.outer = outwardOf(at, cache);
    at = note.outer;
  }
  const first = rowsAround.findIndex((row) => !decideSilent(row, cache, looked));
  const plains = plainRowsOf(element, rowsAround[first] ?? null, looked) ?? [];
  const plain = plains[0]?.row ?? null;
  const inner = rowsAround.filter((row, nth) => (plain ? holds(plain, row) : first < 0 || nth < first));
  const outer = rowsAround.slice(inner.length);
  const own = plain ?? outer.shift() ?? null;
  const rows = inner.map((row) => ({ row, byTitle: false }));
  if (plain) rows.push(...plains);
  else if (own) rows.push({ row: own, byTitle: inner.length > 0 && decideByTitle(own, cache, looked) });
  rows.push(...outer.map((row) => ({ row, byTitle: true })));
  const outermost = rowsAround.at(-1) ?? null;
  if (first >= 0) rows.push(...cardsAround(outermost, cache, looked) ?? []);
  return { rows, parts, own: own ?? inner[0] ?? null, heading: outermost === null ? '' : headingBefore(outermost, cache, looked) };
}
function rowAround(element) {
  return aroundOf(element).own;
}

// `decideSilent`: whether a row says nothing itself. `decideByTitle`: whether a row around such rows counts by its title. Both are
// decided at a snapshot and kept until the next.
const silentRows = new WeakMap(), titledRows = new WeakMap();
function decideOnce(known, row, cache, looked, decide) {
  const note = noteOf(row, cache);
  if (looked && note.decided?.has(known)) return known.get(row);
  if (!looked && known.has(row)) return known.get(row);
  known.set(row, decide());
  (note.decided ??= new Set()).add(known);
  return known.get(row);
}
function decideSilent(row, cache, looked) {
  return decideOnce(silentRows, row, cache, looked, () => !readRow(row, false, cache).saysWords);
}
function decideByTitle(row, cache, looked) {
  return decideOnce(titledRows, row, cache, looked, () => {
    const title = readRow(row, true, cache);
    const isAlone = [dom.previousElement(row), dom.nextElement(row)]
      .every((other) => !other || dom.tag(other) !== dom.tag(row) || readRow(other, true, cache).words !== title.words);
    return (title.words !== '' && isAlone) || readRow(row, false, cache).isLong;
  });
}

// How much of a row it takes to tell it from the rows beside it: how many of its `pieces`, of `more` (see `moreOf`) and, if these
// don't suffice, of its `signs`. The others don't count: a row whose quantity or price changes is still the same.
function toldBeside(row, byTitle, read, cache) {
  const told = { pieces: 0, more: 0, signs: 0 };
  const cell = cellRows.get(row), isPlain = plainRowsKnown.has(row);
  const most = (what, count) => { told[what] = Math.max(told[what], count) };
  for (const { other, isNext } of rowsBeside(row, cell)) {
    if (cell) cellRows.set(other, cell);
    if (isPlain) plainRowsKnown.add(other);
    const beside = readRow(other, byTitle, cache);
    if (isPlain) most('pieces', piecesTold(read, beside));
    else if (beside.words === read.words) {
      const pieces = differs(read.pieces, beside.pieces), more = byTitle ? 0 : differs(moreOf(row, read), moreOf(other, beside));
      if (isNext) most('pieces', pieces);
      most('more', more);
      if (!byTitle && pieces === 0 && more === 0) most('signs', differs(signsOf(row, read), signsOf(other, beside)));
    }
  }
  if (!isPlain) return told;
  // The other words of a post change for other reasons.
  if (postRows.has(row)) return { pieces: Math.min(told.pieces, 1), more: 0, signs: 0 };
  const others = rowsBeside(row, cell).map(({ other }) => ({ other, beside: readRow(other, byTitle, cache) }));
  told.more = namesTold(read, told.pieces, others.map(({ beside }) => beside));
  if (byTitle || cell || told.pieces > 0 || told.more > 0) return told;
  for (const { other, beside } of others) most('signs', differs(signsOf(row, read), signsOf(other, beside)));
  return told;
}
const differs = (all, others) => all.findIndex((one, at) => one !== others[at]) + 1;
// The rows of the same kind beside a row. Of a plain row the nearest alone on either side, with other elements between.
const ROWS_BESIDE = 3;
function rowsBeside(row, cell) {
  if (cell) return likeBeside(row, cell.isLike).filter((other) => other !== null).map((other) => ({ other, isNext: true }));
  const beside = [], isPlain = plainRowsKnown.has(row);
  for (const way of [dom.previousElement, dom.nextElement]) {
    for (let at = way(row), count = 0; at && count < ROWS_BESIDE; at = way(at), count++) {
      if (dom.tag(at) !== dom.tag(row) || (isPlain && firstClassOf(at) !== firstClassOf(row))) continue;
      beside.push({ other: at, isNext: count === 0 });
      if (isPlain) break;
    }
  }
  return beside;
}

// The nearest siblings of an element for which `isSuch` is true, up to `max` on either side.
const NEAR_STEPS_MAX = 30;
function nearOf(element, max, isSuch) {
  return [dom.previousElement, dom.nextElement].flatMap((way) => {
    const near = [];
    for (let at = way(element), steps = 0; at && steps < NEAR_STEPS_MAX && near.length < max; at = way(at), steps++) if (isSuch(at)) near.push(at);
    return near;
  });
}

// What identifies each row: `{words, pieces, more, signs}`, chosen when the row was first seen. This stays the same when a row
// like it is added beside it or leaves, and when a number changes that both had.
const rowsKnown = { full: new WeakMap(), title: new WeakMap() };
const isPrefix = (few, many) => few.every((one, at) => one === many[at]);
function wordsOf(row, byTitle = false, cache = new Map()) {
  const all = rowsKnown[byTitle ? 'title' : 'full'], read = readRow(row, byTitle, cache);
  let known = all.get(row);
  const isSame = known?.words === read.words;
  const isStill = (few, read) => few.length === 0 || isPrefix(few, read());
  if (!isSame || !isPrefix(known.pieces, read.pieces) || !isStill(known.more, () => moreOf(row, read)) || !isStill(known.signs, () => signsOf(row, read))) {
    const told = toldBeside(row, byTitle, read, cache);
    const [pieces, more, signs] = ['pieces', 'more', 'signs'].map((what) => Math.max(isSame ? known[what].length : 0, told[what]));
    const kept = known?.kept;
    known = {
      words: read.words, pieces: read.pieces.slice(0, pieces), more: more > 0 ? moreOf(row, read).slice(0, more) : [],
      signs: signs > 0 ? signsOf(row, read).slice(0, signs) : [],
    };
    all.set(row, known);
    if (kept && performance.now() < kept.before.until && isStillOwn(kept.before, kept) && !isGivenAway(toldAs(known), kept.before)) known.kept = kept;
  }
  return known.kept?.told ?? toldAs(known);
}
const toldAs = ({ words, pieces, more, signs }) => [words, ...pieces, ...more, ...signs].join(' ');

// FNV-1a, 32 bits, from a secret start: a page could look for other words with the same number.
const [HASH_START] = crypto.getRandomValues(new Uint32Array(1));
function hashOf(text) {
  if (text === '') return 0;
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
