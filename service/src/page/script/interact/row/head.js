// The heads of rows in lists without an element around each group: "Staging", two rows, "Production", two rows. Where rows of
// two groups say the same ("db"), their controls are told by the heads that stand before them: by what neither the row nor a part
// around it says. Which heads count is decided at a snapshot for lines that are called and told the same.

// For each such element where its heads stand, `{kind, says}`, and all elements that were heads.
const headsKnown = new WeakMap(), headsKept = new WeakSet();
// How many elements with twins a snapshot looks at, how many nodes before these in all, and how far heads are looked for.
const TWINS_MAX = 1000, HEAD_LOOKED_MAX = 100_000, HEAD_LEVELS_MAX = 6, HEAD_STEPS_MAX = 200, HEADS_MAX = 3, HEAD_CELLS_MAX = 3;
const IN_HEADS = `${IN_ROWS}, a[href]`, TOGGLES = '[aria-expanded]:not([aria-haspopup])';
const ROW_TAGS = 'tr, [role=row]', HEADS_FIRST = `${HEADINGS}, dt, legend`, LEVELLED = '[aria-level]';
const CONTROLS_IN_HEADS_MAX = 3;
const SAYS_HEAD = /\p{L}{2}|\p{N}{3}|\p{L}\p{N}/u;

// Tells elements that are called the same and in rows that say the same by their heads: sets `row` of `entries`, which are
// `{element, called, row}` in the order of the document.
function tellByHeads(entries, cache, looked) {
  const alike = new Map();
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
  for (const entry of entries) entry.row = withHeads(entry.row, headWordsOf(entry.element, cache));
}
// Links that lead to the same place do the same.
const leadsElsewhere = (element) => dom.tag(element) === 'a' && /^(?!#|javascript:)./iu.test(dom.attribute(element, 'href') ?? '');
const withHeads = (row, words) => (words === '' ? row : hashOf(`${row}\n${words}`));

// The words of the heads that tell an element from its twins.
function headWordsOf(element, cache = new Map()) {
  const places = headsKnown.get(element);
  if (places === undefined) return '';
  const heads = headsBefore(element, cache, { count: 0 });
  return places.map(({ kind, says }) => (heads.has(kind) ? says(heads.get(kind)) : '')).join('\n');
}

// Chooses the heads that tell twins apart, from those that stand nearest; headings come first, and those known already before all.
function noteHeads(twins, cache, looked) {
  const all = new Map(twins.map((twin) => [twin, headsBefore(twin, cache, looked)]));
  const kinds = new Map();
  for (const heads of all.values()) for (const [kind, head] of heads) if (!kinds.has(kind)) kinds.set(kind, isFirstHead(kind, head));
  const known = new Set(twins.flatMap((twin) => headsKnown.get(twin) ?? []).map(({ kind }) => kind));
  const rank = ([kind, isFirst]) => (known.has(kind) ? 0 : isFirst ? 1 : 2);
  const ordered = [...kinds].sort((one, other) => rank(one) - rank(other)).map(([kind]) => kind);
  const places = new Map(twins.map((twin) => [twin, []]));
  let groups = [twins];
  for (const kind of ordered) {
    groups = groups.flatMap((group) => {
      const parted = group.length > 1 && places.get(group[0]).length < HEADS_MAX ? partedBy(group, kind, all) : null;
      if (parted === null) return [group];
      for (const twin of group) places.get(twin).push({ kind, says: parted.says });
      return parted.groups;
    });
  }
  for (const [twin, found] of places) {
    if (found.length === 0) continue;
    headsKnown.set(twin, found);
    for (const { kind } of found) if (all.get(twin).has(kind)) headsKept.add(all.get(twin).get(kind));
  }
}
// Kinds of what only stands before an element begin with a space.
const isFirstHead = (kind, head) => !kind.startsWith(' ') || (dom.type(head) === 1 && (dom.matches(head, HEADS_FIRST) || dom.find(head, HEADINGS) !== null));
// The groups of twins that heads of a kind tell apart, and how these are read; null where they don't.
function partedBy(group, kind, all) {
  const heads = new Set(group.map((twin) => all.get(twin).get(kind)).filter((head) => head !== undefined));
  if (heads.size < 2) return null;
  const countOf = (says) => new Set([...heads].map(says)).size;
  const says = HEAD_READINGS.find((says) => countOf(says) === heads.size) ?? HEAD_READINGS.at(-1);
  if (countOf(says) < 2) return null;
  const groups = new Map();
  for (const twin of group) {
    const head = all.get(twin).get(kind), said = head === undefined ? '' : says(head);
    groups.set(said, [...groups.get(said) ?? [], twin]);
  }
  return { says, groups: [...groups.values()] };
}
// Most counts and states follow the first words, or are numbers.
const textOfHead = (node) => (dom.type(node) === 3 ? node.data.slice(0, ASKED_MAX_CHARS) : textIn(node, withoutTimes, false).slice(0, ASKED_MAX_CHARS));
const firstOfHead = (node) => (dom.type(node) === 3 ? node.data.slice(0, ASKED_MAX_CHARS) : firstTextIn(node, withoutTimes)).split(/\s*[([{:;·•|–—]/u, 1)[0];
const HEAD_READINGS = [(head) => wordsAlone(firstOfHead(head)), (head) => namedWords(firstOfHead(head)), (head) => namedWords(textOfHead(head))];

// The nearest head of each kind before an element's row: by level in a tree, by the cells of a table that reach into the row or
// stand above its empty ones, and else what stands before it and the elements around it and has words, but no controls.
const headsBefore = (element, cache, looked) => noteOf(element, cache).heads ??= findHeadsBefore(element, cache, looked);
function findHeadsBefore(element, cache, looked) {
  const heads = new Map(), add = (kind, head) => { if (!heads.has(kind)) heads.set(kind, head) };
  const own = aroundOf(element, cache).own, row = own !== null && holds(own, element) ? own : element;
  const ofRow = new Set(cellRows.has(row) ? nodesOfCell(row) : []);
  let at = row;
  for (let level = 0; at && dom.type(at) === 1 && level < HEAD_LEVELS_MAX && !dom.matches(at, PLAIN_ENDS); level++, at = drawnParent(at)) {
    if (dom.has(at, 'aria-level')) headsByLevel(at, level, add, looked);
    if (dom.matches(at, ROW_TAGS)) headsInCells(at, level, add, looked);
    headsBeside(at, level, ofRow, add, cache, looked);
    if (looked.count > HEAD_LOOKED_MAX) break;
  }
  return heads;
}
// The rows that an entry of a tree is under, in trees whose entries are beside each other.
function headsByLevel(entry, level, add, looked) {
  const levelOf = (row) => Number(dom.attribute(row, 'aria-level')), indexOf = (row) => Number(dom.attribute(row, 'aria-rowindex'));
  let depth = levelOf(entry), at = dom.previousElement(entry);
  for (let steps = 0; at && depth > 1 && steps < HEAD_STEPS_MAX; steps++, at = dom.previousElement(at)) {
    looked.count++;
    if (!dom.matches(at, LEVELLED) || !(levelOf(at) < depth) || indexOf(at) > indexOf(entry)) continue;
    depth = levelOf(at);
    add(`level ${level} ${depth}`, at);
  }
}
// Cells of the rows before: those that span this row, and those above a cell at its start that is empty.
function headsInCells(row, level, add, looked) {
  const empty = [];
  let cell = dom.firstElement(row);
  for (let column = 0; cell && column < HEAD_CELLS_MAX; column++, cell = dom.nextElement(cell)) {
    if (hasControls(cell)) continue;
    if (SAYS_HEAD.test(textIn(cell, mayHaveText, false))) break;
    empty.push(column);
  }
  const tag = dom.tag(row);
  let at = dom.previousElement(row);
  for (let steps = 1; at && dom.tag(at) === tag && steps < HEAD_STEPS_MAX; steps++, at = dom.previousElement(at)) {
    cell = dom.firstElement(at);
    for (let column = 0; cell && column < HEAD_CELLS_MAX; column++, cell = dom.nextElement(cell)) {
      looked.count++;
      const isOver = cell instanceof HTMLTableCellElement && (cell.rowSpan === 0 || cell.rowSpan > steps);
      if ((isOver || empty.includes(column)) && SAYS_HEAD.test(textOfHead(cell))) add(isOver ? `span ${level} ${column}` : `above ${level} ${column}`, cell);
    }
  }
}
// What stands before an element beside it. One that is like the element itself counts only if it has nothing to press; one that
// was a head before comes first, since a row may lose its controls for a while.
function headsBeside(element, level, ofRow, add, cache, looked) {
  const own = sortOf(element), loose = [];
  let at = dom.previousSibling(element), below = '';
  for (let steps = 0; at && steps < HEAD_STEPS_MAX; steps++, at = dom.previousSibling(at)) {
    looked.count++;
    const type = dom.type(at);
    if ((type !== 1 && type !== 3) || ofRow.has(at)) continue;
    const { kind, isBare, isNamed } = headAt(at, cache), isLike = type === 1 && sortOf(at) === own;
    const place = ` ${level} ${kind}`;
    if (kind !== '' && (isNamed || !isInText(at, kind, below, cache))) {
      if (!isLike || headsKept.has(at)) add(place, at);
      else if (isBare) loose.push([place, at]);
    }
    below = kind;
  }
  for (const [place, head] of loose) add(place, head);
}
// What elements of the same kind have in common: tag, role, first class, and as rows their number of cells.
const sortOf = (element) => {
  const cells = dom.matches(element, ROW_TAGS) ? dom.elementCount(element) : '';
  return `${dom.tag(element)} ${dom.attribute(element, 'role') ?? ''} ${cells === 1 ? '' : firstClassOf(element)} ${cells}`;
};
// Paragraphs of a text stand before each other: one that is followed or preceded by another is no head.
function isInText(node, kind, below, cache) {
  if (kind === below) return true;
  const before = dom.type(node) === 1 ? dom.previousElement(node) : null;
  return before !== null && headAt(before, cache).kind === kind;
}
// `{kind, isBare, isNamed}` of a node: `kind` is empty if it can be no head. `isBare`: without anything to press. `isNamed`: a
// heading, or what its class tells from paragraphs.
const headAt = (node, cache) => noteOf(node, cache).headAt ??= readHeadAt(node);
const NO_HEAD = { kind: '', isBare: false, isNamed: false };
function readHeadAt(node) {
  if (dom.type(node) === 3) return SAYS_HEAD.test(node.data.slice(0, ASKED_MAX_CHARS)) ? { kind: '#text', isBare: true, isNamed: false } : NO_HEAD;
  if (SKIPPED.has(dom.tag(node)) || TIMES.includes(dom.tag(node)) || dom.matches(node, PASSING_WORDS) || saysWhatChanges(node)) return NO_HEAD;
  const isHeading = dom.matches(node, HEADS_FIRST), isToggle = (one) => dom.matches(one, TOGGLES);
  if (dom.matches(node, IN_HEADS) && !isToggle(node)) return NO_HEAD;
  const pressed = drawnIn(node, IN_HEADS, CONTROLS_IN_HEADS_MAX);
  const mayHold = isHeading || pressed.length === 0 || (pressed.length === 1 && isToggle(pressed[0])) || (pressed.length <= CONTROLS_IN_HEADS_MAX && dom.find(node, HEADINGS) !== null);
  if (!mayHold) return NO_HEAD;
  const text = textIn(node, withoutTimes, false);
  if (text.length > ASKED_MAX_CHARS || !SAYS_HEAD.test(text)) return NO_HEAD;
  const sort = isHeading ? dom.tag(node) : sortOf(node);
  return { kind: sort, isBare: pressed.length === 0, isNamed: isHeading || firstClassOf(node) !== '' || dom.matches(node, ROW_TAGS) };
}
