// The heads of rows in lists without an element around each group: "Staging", two rows, "Production", two rows. Where rows of
// two groups say the same ("db"), their controls are told by the heads that stand before them: by what neither the row nor a part
// around it says. Which heads count is decided at a snapshot for lines that are called and told the same.

// For each such element its heads: `{isBy, level, sort, head, says, key, seen, whole, others}`. `key` is what the head said when it was
// chosen, by which the element is told until it is under another head. `seen` and `whole` are what it said at the latest snapshot, and
// `others` the heads that it was told from then, `{head, said, whole}`. `headsKept`: all elements that were heads.
const headsKnown = new WeakMap(), headsKept = new WeakSet();
// How many elements with twins a snapshot looks at, how many nodes before these in all, and how far heads are looked for.
const TWINS_MAX = 3000, HEAD_LOOKED_MAX = 30_000, HEAD_LEVELS_MAX = 8, HEAD_STEPS_MAX = 2000, HEADS_MAX = 3, HEAD_CELLS_MAX = 4, HEAD_SORTS_MAX = 20;
const IN_HEADS = `${IN_ROWS}, a[href]`;
const ROW_TAGS = 'tr, [role=row]', HEADS_FIRST = `${HEADINGS}, dt, legend, th`, LEVELLED = '[aria-level]';
const CONTROLS_IN_HEADS_MAX = 3, HEADS_COMPARED_MAX = 50;
// What may name a group: words, or numbers such as those of orders. A heading needs no more than a letter or a day.
const SAYS_HEAD = /\p{L}{2}|\p{N}{3}|\p{L}\p{N}/u, SAYS_HEADING = /[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
// A letter or a flag that is all that it says.
const IS_HEAD = /^\s*(?:\p{L}|\p{RGI_Emoji})\s*$/v;

// Tells elements that are called the same and in rows that say the same by their heads, and others by the title over them: sets
// `row` of `entries`, which are `{element, called, row}`.
function tellByHeads(entries, cache) {
  const alike = new Map(), looked = { count: 0 };
  for (const entry of entries) {
    if (leadsElsewhere(entry.element)) continue;
    const key = `${entry.row} ${entry.called}`;
    if (alike.has(key)) alike.get(key).push(entry.element);
    else alike.set(key, [entry.element]);
  }
  let count = 0;
  for (const twins of alike.values()) {
    if (twins.length > 1 && (count += twins.length) <= TWINS_MAX) noteHeads(twins, cache, looked);
  }
  for (const entry of entries) {
    for (const place of headsKnown.get(entry.element) ?? []) if (place.cache !== cache) lookAgain(entry.element, place, cache);
    entry.row = withHeads(entry.row, headWordsOf(entry.element, cache) || titleOver(entry.element, cache, looked));
  }
}
// Links that lead to the same place do the same.
const leadsElsewhere = (element) => dom.tag(element) === 'a' && /^(?!#|javascript:)./iu.test(dom.attribute(element, 'href') ?? '');
const withHeads = (row, words) => (words === '' ? row : hashOf(`${row}\n${words}`));

// The words of the heads that tell an element from its twins.
const headWordsOf = (element, cache = new Map()) => (headsKnown.get(element) ?? []).map((place) => keyNow(element, place, cache)).join('\n');
// The key of a place, or what the head says that the element is under by now; that may have said before what the key is.
function keyNow(element, place, cache) {
  const head = headNow(element, place, cache);
  return head !== null && isAnotherHead(head, place, cache) ? `now: ${place.says(head)}` : place.key;
}
// Whether a head is another one than at the latest snapshot: it is one of the others, it says what another one said, which says it no
// longer, another one says what this one said, or several have lost all that told them apart. A head that says something else is the
// same one with another state, and a mark that has gone to another one leaves the rest of its words.
function isAnotherHead(head, place, cache) {
  const { says, seen, others } = place, now = says(head);
  if (others.some((other) => other.head === head)) return true;
  if (now === seen) return false;
  const nowOf = (other) => (dom.isConnected(other.head) ? says(other.head) : null);
  const hasPlaces = others.some((other) => other.said === now && nowOf(other) !== now)
    || others.some((other) => other.said !== seen && nowOf(other) === seen) || isSaidBeside(head, place, cache)
    || (head !== place.head && dom.isConnected(place.head) && says(place.head) === seen);
  if (hasPlaces) return !keepsRest(head, place);
  const all = [seen, ...others.map(({ said }) => said)].map(wordsIn), shared = all.reduce((one, other) => one.intersection(other));
  const hasLost = (said, after) => {
    const [before, words] = [wordsIn(said).difference(shared), wordsIn(after).difference(shared)];
    return before.size > 0 && words.size > 0 && before.isDisjointFrom(words);
  };
  const isGone = !dom.isConnected(place.head);
  return hasLost(seen, now) && others.some((other) => { const after = nowOf(other); return after === null ? isGone : hasLost(other.said, after) });
}
// Whether a head says still all that it alone said, and no other one does.
function keepsRest(head, { whole, others }) {
  let rest = wordsIn(whole);
  for (const other of others) rest = rest.difference(wordsIn(other.whole)).difference(wordsIn(dom.isConnected(other.head) ? wholeOfHead(other.head) : ''));
  return rest.size > 0 && isAmong(rest, wordsIn(wholeOfHead(head)));
}
// Brings a place up to date at a snapshot in which its element has no twins.
function lookAgain(element, place, cache) {
  const head = headNow(element, place, cache);
  place.cache = cache;
  if (head === null) return;
  if (isAnotherHead(head, place, cache)) place.key = place.says(head);
  Object.assign(place, { head, seen: place.says(head), whole: wholeOfHead(head) });
  place.others = place.others.filter((other) => other.head !== head && dom.isConnected(other.head))
    .map((other) => readHead(other.head, place.says));
}
const readHead = (head, says) => ({ head, said: says(head), whole: wholeOfHead(head) });
// Whether a head of the same kind beside a head says by now what that one said.
function isSaidBeside(head, { sort, isBy, says, seen }, cache) {
  if (isBy !== 'place') return false;
  const isSuch = (node) => dom.type(node) === dom.type(head) && headAt(node, cache).sort === sort;
  return [dom.previousSibling, dom.nextSibling].some((way) => {
    let at = way(head);
    for (let steps = 0; at && steps < HEAD_STEPS_MAX; steps++, at = way(at)) if (isSuch(at) && says(at) === seen) return true;
    return false;
  });
}

// Chooses the heads that tell twins apart, from those that stand nearest: those known already first, then headings, then what has
// nothing to press.
function noteHeads(twins, cache, looked) {
  const all = new Map(twins.map((twin) => [twin, headsBefore(twin, cache, looked)]));
  const kinds = new Map();
  for (const heads of all.values()) for (const [kind, found] of heads) if (!kinds.has(kind)) kinds.set(kind, found);
  const known = new Set(twins.flatMap((twin) => headsKnown.get(twin) ?? []).map(headKindOf));
  const rank = ([kind, { head, isBy }]) => (known.has(kind) ? 0 : isBy !== 'place' || isNamedHead(head) ? 1 : headAt(head, cache).isBare ? 2 : 3);
  const ordered = [...kinds].sort((one, other) => rank(one) - rank(other)).map(([kind]) => kind);
  const places = new Map(twins.map((twin) => [twin, []]));
  let groups = [twins];
  for (const kind of ordered) {
    groups = groups.flatMap((group) => {
      const parted = group.length > 1 && places.get(group[0]).length < HEADS_MAX ? partedBy(group, kind, all) : null;
      if (parted === null) return [group];
      for (const twin of group) {
        const found = all.get(twin).get(kind);
        if (found) places.get(twin).push({ ...found, ...placeUnder(twin, found, kind, parted, cache) });
      }
      return parted.groups;
    });
  }
  for (const [twin, found] of places) {
    if (found.length === 0) continue;
    headsKnown.set(twin, found);
    for (const { head } of found) headsKept.add(head);
  }
}
const headKindOf = ({ isBy, level, sort }) => `${isBy} ${level} ${sort}`;
const isNamedHead = (head) => dom.type(head) === 1 && (dom.matches(head, HEADS_FIRST) || dom.find(head, HEADINGS) !== null);
// What a twin's head says, and what it was told from. One that was chosen before keeps its key.
function placeUnder(twin, { head }, kind, { says, heads }, cache) {
  const before = headsKnown.get(twin)?.find((place) => headKindOf(place) === kind), now = before ? headNow(twin, before, cache) : null;
  const isSame = now !== null && now === head && !isAnotherHead(now, before, cache);
  return {
    says, key: isSame ? before.key : says(head), seen: says(head), whole: wholeOfHead(head), cache, others: heads.filter((other) => other.head !== head),
  };
}
// The groups of twins that heads of a kind tell apart, how these are read, and the heads; null where they don't.
function partedBy(group, kind, all) {
  const heads = new Set(group.map((twin) => all.get(twin).get(kind)?.head).filter((head) => head !== undefined));
  if (heads.size < 2) return null;
  const countOf = (says) => new Set([...heads].map(says)).size;
  const whole = countOf(HEAD_READINGS.at(-1));
  const says = whole < 2 ? undefined : HEAD_READINGS.find((says) => countOf(says) === whole);
  if (says === undefined) return null;
  const groups = new Map();
  for (const twin of group) {
    const head = all.get(twin).get(kind)?.head, said = head === undefined ? '' : says(head);
    if (groups.has(said)) groups.get(said).push(twin);
    else groups.set(said, [twin]);
  }
  return { says, groups: [...groups.values()], heads: [...heads].slice(0, HEADS_COMPARED_MAX).map((head) => readHead(head, says)) };
}
// Most counts and states follow the first words, or are numbers.
const textOfHead = (node) => (dom.type(node) === 3 ? node.data : textIn(node, withoutTimes, false)).slice(0, ASKED_MAX_CHARS);
const firstOfHead = (node) => (dom.type(node) === 3 ? node.data.slice(0, ASKED_MAX_CHARS) : firstTextIn(node, withoutTimes)).split(/\s*[([{:;·•|–—]|,\s|\s-\s/u, 1)[0];
const wholeOfHead = (node) => tidy(dom.type(node) === 3 || !dom.matches(node, HEADS_FIRST) ? textOfHead(node) : textIn(node, mayHaveText, false).slice(0, ASKED_MAX_CHARS));
const firstWordsOfHead = (head) => wordsAlone(firstOfHead(head));
const HEAD_READINGS = [firstWordsOfHead, (head) => namedWords(firstOfHead(head)), (head) => namedWords(textOfHead(head)), wholeOfHead];

// The nearest head of each kind before an element's row, `{head, sort, level, isBy}` by the kind: by level in a tree, by the cells
// of a table that reach into the row or stand above its empty ones, and else what stands before it and the elements around it.
const headsBefore = (element, cache, looked) =>
  noteOf(element, cache).heads ??= looked.count > HEAD_LOOKED_MAX ? NO_HEADS : findHeadsBefore(element, cache, looked);
function findHeadsBefore(element, cache, looked) {
  const heads = new Map();
  for (const { at, level } of rowAndAround(element, cache)) {
    const add = (isBy, sort, head) => {
      const kind = headKindOf({ isBy, level, sort });
      if (!heads.has(kind)) heads.set(kind, { head, sort, level, isBy });
    };
    if (dom.has(at, 'aria-level')) headsByLevel(at, add, cache, looked);
    if (dom.matches(at, ROW_TAGS)) headsInCells(at, add, cache, looked);
    const own = sortOf(at), shown = shortOf(element, cache);
    for (const [sort, { bare, pressed }] of beforeIn(at, cache, looked)) {
      if (bare) add('place', sort, bare);
      else if (sort !== own && !(shown !== '' && headAt(pressed, cache).says.has(shown))) add('place', sort, pressed);
    }
    if (looked.count > HEAD_LOOKED_MAX) break;
  }
  return heads;
}
const shortOf = (element, cache) => noteOf(element, cache).short ??= tidy(textIn(element, mayHaveText, false).slice(0, SHOWN_MAX_CHARS));
// An element's row and what is around it, from inside out.
function* rowAndAround(element, cache) {
  const own = aroundOf(element, cache).own;
  let at = own !== null && holds(own, element) ? own : element;
  for (let level = 0; at && dom.type(at) === 1 && level < HEAD_LEVELS_MAX && !dom.matches(at, PLAIN_ENDS); level++, at = drawnParent(at)) yield { at, level };
}
// The head that an element has at a place now; null where there is none. A node that was a head at an earlier snapshot is preferred
// to a nearer one of its sort, which may be a notice.
function headNow(element, { isBy, level, sort, head }, cache) {
  const found = headsBefore(element, cache, { count: 0 }).get(headKindOf({ isBy, level, sort }))?.head ?? null;
  if (found === head || isBy !== 'place') return found;
  const around = [...rowAndAround(element, cache)][level]?.at;
  if (!around) return null;
  let at = dom.previousSibling(around), nearest = null;
  const isGone = !dom.isConnected(head);
  for (let steps = 0; at && steps < HEAD_STEPS_MAX; steps++, at = dom.previousSibling(at)) {
    if (at === head) return at;
    if (sortOf(at) !== sort) continue;
    // A head that was drawn anew stands in the place of the one that has gone.
    if (headsKept.has(at)) return isGone ? nearest ?? at : at;
    if (nearest === null && headAt(at, cache).isBare) nearest = at;
  }
  return nearest;
}
// The rows that an entry of a tree is under, in trees whose entries are beside each other.
function headsByLevel(entry, add, cache, looked) {
  for (let at = entryOver(entry, cache, looked), up = 0; at && up < HEAD_LEVELS_MAX; at = entryOver(at, cache, looked), up++) add('level', dom.attribute(at, 'aria-level'), at);
}
// The nearest entry before one that is of a lower level. Entries between that know theirs are passed at once.
function entryOver(entry, cache, looked) {
  const note = noteOf(entry, cache);
  if (note.over !== undefined) return note.over;
  const levelOf = (row) => Number(dom.attribute(row, 'aria-level')), indexOf = (row) => Number(dom.attribute(row, 'aria-rowindex'));
  const depth = levelOf(entry);
  let at = depth > 1 ? dom.previousElement(entry) : null;
  for (let steps = 0; at && steps < HEAD_STEPS_MAX; steps++) {
    looked.count++;
    if (dom.matches(at, LEVELLED) && levelOf(at) < depth && !(indexOf(at) > indexOf(entry))) break;
    at = cache.get(at)?.over ?? dom.previousElement(at);
  }
  return note.over = at;
}
// The first cells of a row, `{cell, column}`.
function* firstCells(row) {
  let cell = dom.firstElement(row);
  for (let column = 0; cell && column < HEAD_CELLS_MAX; column++, cell = dom.nextElement(cell)) yield { cell, column };
}
// Cells of the rows before: those that span this row, and those above a cell at its start that is empty.
function headsInCells(row, add, cache, looked) {
  if (row instanceof HTMLTableRowElement) for (const { cell, column } of spansOver(row, cache, looked)) if (saysHead(cell, cache)) add('span', column, cell);
  let over = null;
  for (const { cell, column } of firstCells(row)) {
    if (hasControls(cell)) continue;
    if (saysHead(cell, cache)) return;
    over ??= foldedRows(row, cache, 'cellsOver', [], (cells, at) => cellsWith(cells, at, cache), looked);
    if (over[column]) add('above', column, over[column]);
  }
}
const saysHead = (cell, cache) => noteOf(cell, cache).saysHead ??= SAYS_HEAD.test(textOfHead(cell));
// The cells of earlier rows that reach into a row.
const spansOver = (row, cache, looked) => foldedRows(row, cache, 'spansOver', [], (spans, at) => {
  const still = spans.map(({ cell, column, left }) => ({ cell, column, left: left - 1 })).filter(({ left }) => left > 0);
  for (const { cell, column } of firstCells(at)) {
    const rows = cell instanceof HTMLTableCellElement ? cell.rowSpan : 1;
    if (rows !== 1) still.push({ cell, column, left: rows === 0 ? Infinity : rows - 1 });
  }
  return still.length === 0 && spans.length === 0 ? spans : still;
}, looked);
// The last cell of each of the first columns that says something.
function cellsWith(cells, row, cache) {
  const next = [...cells];
  for (const { cell, column } of firstCells(row)) if (saysHead(cell, cache)) next[column] = cell;
  return next;
}
// What `fold` makes of all rows before a row, from the first on; kept under `key` for each of them.
function foldedRows(row, cache, key, empty, fold, looked) {
  const chain = [], tag = dom.tag(row);
  let at = dom.previousElement(row), folded = empty;
  for (let steps = 0; at && dom.tag(at) === tag && steps < HEAD_STEPS_MAX; steps++, at = dom.previousElement(at)) {
    chain.push(at);
    const known = cache.get(at)?.[key];
    if (known !== undefined) { folded = known; break }
  }
  for (const before of chain.reverse()) {
    looked.count++;
    noteOf(before, cache)[key] = folded;
    folded = fold(folded, before);
  }
  return noteOf(row, cache)[key] = folded;
}
// The nearest heads before an element among its siblings, by their sort: `{bare, pressed}`, of which `pressed` has something to
// press. What stands before one of them is told once for all that follow it.
function beforeIn(element, cache, looked) {
  const chain = [];
  let at = dom.previousSibling(element), heads = NO_HEADS;
  for (let steps = 0; at && steps < HEAD_STEPS_MAX; steps++, at = dom.previousSibling(at)) {
    chain.push(at);
    const known = cache.get(at)?.headsBefore;
    if (known !== undefined) { heads = known; break }
  }
  for (const node of [...chain.reverse(), element]) {
    noteOf(node, cache).headsBefore = heads;
    const type = dom.type(node);
    if (node === element || (type !== 1 && type !== 3)) continue;
    looked.count++;
    const { sort, isBare, isNamed } = headAt(node, cache);
    if (sort === '' || (!isNamed && isInText(node, sort, cache)) || (heads.size >= HEAD_SORTS_MAX && !heads.has(sort))) continue;
    heads = new Map(heads).set(sort, { ...heads.get(sort), [isBare ? 'bare' : 'pressed']: node });
  }
  return heads;
}
const NO_HEADS = new Map();
// What elements of the same kind have in common: tag, role, first class, and as rows their number of cells.
const sortOf = (node) => {
  if (dom.type(node) !== 1) return dom.type(node) === 3 ? '#text' : '';
  if (dom.matches(node, HEADS_FIRST)) return dom.tag(node);
  return `${dom.tag(node)} ${dom.attribute(node, 'role') ?? ''} ${firstClassOf(node)} ${dom.matches(node, ROW_TAGS) ? dom.elementCount(node) : ''}`;
};
// Paragraphs of a text stand before each other: one that is followed or preceded by another is no head.
function isInText(node, sort, cache) {
  return [dom.previousElement, dom.nextElement].some((way) => {
    const beside = dom.type(node) === 1 ? way(node) : null;
    return beside !== null && headAt(beside, cache).isBare && headAt(beside, cache).sort === sort;
  });
}
// `{sort, isBare, isNamed, says}` of a node: `sort` is empty if it can be no head. `isBare`: without anything to press but what folds
// the group. `isNamed`: a heading, or what its class tells from paragraphs. `says`: what its controls say.
const headAt = (node, cache) => noteOf(node, cache).headAt ??= readHeadAt(node);
const NO_HEAD = { sort: '', isBare: false, isNamed: false, says: new Set() };
function readHeadAt(node) {
  if (dom.type(node) === 3) return SAYS_HEAD.test(node.data.slice(0, ASKED_MAX_CHARS)) ? { ...NO_HEAD, sort: '#text', isBare: true } : NO_HEAD;
  if (dom.type(node) !== 1 || SKIPPED.has(dom.tag(node)) || TIMES.includes(dom.tag(node)) || dom.matches(node, PASSING_WORDS) || saysWhatChanges(node)) return NO_HEAD;
  const isHeading = dom.matches(node, HEADS_FIRST), isToggle = (one) => dom.matches(one, TOGGLES);
  const isButton = dom.matches(node, BUTTONS) && !isToggle(node);
  if (dom.matches(node, CONTROLS) && !dom.matches(node, BUTTONS)) return NO_HEAD;
  const pressed = drawnIn(node, IN_HEADS, CONTROLS_IN_HEADS_MAX);
  if (pressed.length > CONTROLS_IN_HEADS_MAX && !isHeading) return NO_HEAD;
  const text = textIn(node, isHeading ? mayHaveText : withoutTimes, false);
  const isNamed = isHeading || firstClassOf(node) !== '' || dom.matches(node, ROW_TAGS);
  const isTold = (isHeading ? SAYS_HEADING : SAYS_HEAD).test(text) || (isNamed && IS_HEAD.test(text));
  if (text.length > ASKED_MAX_CHARS || !isTold) return NO_HEAD;
  const says = new Set([...pressed, ...(isButton ? [node] : [])].map((one) => tidy(textIn(one, mayHaveText, false).slice(0, SHOWN_MAX_CHARS))));
  // A row that is named by nothing but what it has to press is none.
  const isBare = isHeading || (pressed.length === 0 && !isButton) || (pressed.length === 1 && isToggle(pressed[0]));
  if (!isBare && !isButton && pressed.every((one) => dom.matches(one, CONTROLS)) && ![...wordsIn(text)].some((word) => ![...says].some((said) => wordsIn(said).has(word)))) return NO_HEAD;
  return { sort: sortOf(node), isBare, isNamed, says };
}
const TOGGLES = '[aria-expanded]:not([aria-haspopup])';
