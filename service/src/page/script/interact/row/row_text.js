// What rows and parts of a page say: their texts, words and numbers.

// The set of words of a text. `isAmong`: whether the second set has all words of the first.
const WORDS_IN = /[\p{L}\p{M}\p{N}]+(?:[+#]+|[-\u2212](?![\p{L}\p{N}-]))?|\p{Emoji_Presentation}|\p{Extended_Pictographic}(?=\ufe0f)/gu;
const wordsIn = (text) => new Set(text.toLowerCase().match(WORDS_IN) ?? []);
const isAmong = (few, many) => [...few].every((word) => many.has(word));

// The words of a text without most of its numbers. Words keep the signs that are part of them ("C++", "A-"), and lose their
// plural after a number, so that "1 item" and "2 items" have the same words. Long integers, such as those of orders, stay; a
// number with a fraction is a price or a measure.
const WORDS = /\p{L}[\p{L}\p{M}]*(?:[+#]+|[-\u2212](?![\p{L}\p{N}-]))?|\d[\d.,]*/gu;
const COUNTED_WORDS = 3;
function wordsAlone(text) {
  const words = [];
  let since = COUNTED_WORDS + 1;
  for (const [word] of text.matchAll(WORDS)) {
    if (/^\d/.test(word)) {
      since = 0;
      if (!/\d[.,]\d/.test(word)) words.push(...word.match(/\d{4,}/g) ?? []);
      continue;
    }
    since++;
    const isCounted = since <= COUNTED_WORDS && word.length > 3 && (since === 1 || /^\p{Ll}/u.test(word));
    words.push(isCounted ? word.replace(/s$/, '') : word);
  }
  return words.join(' ');
}

// The text of an element, without the elements inside for which `isAbout` is false. Pictures count by their descriptions, and
// with `saysMore` controls by their names. `marks` gets the address of the first link and the first title. With `untilField` the
// text ends at the first field that can be written in.
function textIn(element, isAbout, saysMore, text = '', marks = null, untilField = false) {
  walkIn(element, isAbout, (node, type) => {
    if (text.length >= ABOUT_MAX_CHARS) return false;
    if (type === 3) text += ` ${node.data.slice(0, ABOUT_MAX_CHARS)}`;
    else if (type === 1) {
      const isField = untilField && isWrittenIn(node);
      if (isField && !dom.has(node, 'readonly') && !dom.has(node, 'disabled')) return false;
      const tag = dom.tag(node);
      if (marks !== null) {
        if (tag === 'a') marks.leads ??= dom.attribute(node, 'href')?.slice(0, HREF_MAX_CHARS);
        marks.title ??= dom.attribute(node, 'title')?.slice(0, ABOUT_MAX_CHARS);
      }
      const value = isField || (marks !== null && FIELD_TAGS.has(tag)) ? setValueOf(node) : '';
      if (value !== '') text += ` ${value}`;
      else if (saysMore || tag === 'img') text += ` ${(dom.attribute(node, 'aria-label') ?? dom.attribute(node, 'alt') ?? '').slice(0, ABOUT_MAX_CHARS)}`;
    }
    return true;
  });
  return text.slice(0, ABOUT_MAX_CHARS);
}

// The value that the page gave to a field: empty if it was typed or chosen since.
const FIELD_TAGS = new Set(['input', 'select', 'textarea']);
function setValueOf(node) {
  const tag = dom.tag(node);
  if (!FIELD_TAGS.has(tag) || checkTyped(node)) return '';
  if (tag === 'select') return node.selectedOptions?.[0]?.text.slice(0, ABOUT_MAX_CHARS) ?? '';
  // A field whose editor draws its text holds what is selected there.
  return isWrittenIn(node) && node.value !== '' && !isSecretField(node) && !isUnseenField(node) ? node.value.slice(0, ABOUT_MAX_CHARS) : '';
}

// Whether an element may hold text for readers, unlike a script or a style sheet.
const mayHaveText = (node) => !SKIPPED.has(dom.tag(node));

// Visits the nodes inside an element in the order in which they are drawn, until `visit` returns false: the shadow root of an
// element that has one instead of its children, and what a slot shows instead of the slot's. Elements for which `isAbout` is false
// are visited, but not entered.
function walkIn(element, isAbout, visit) {
  // The slots around a node, with what they show and which of these the node is in.
  const slots = [];
  const firstIn = (outer) => {
    const root = shadowOf(outer);
    if (root) return dom.firstChild(root);
    const shown = outer instanceof HTMLSlotElement ? assignedNodes(outer) : [];
    if (shown.length === 0) return dom.firstChild(outer);
    slots.push({ slot: outer, shown, at: 0 });
    return shown[0];
  };
  let node = firstIn(element);
  for (let nodes = 0; node && nodes < ABOUT_MAX_NODES; nodes++) {
    const type = dom.type(node);
    if (!visit(node, type)) return;
    let next = type === 1 && isAbout(node) ? firstIn(node) : null;
    while (next === null && node !== element) {
      const around = slots.at(-1);
      if (around && around.shown[around.at] === node) {
        next = around.shown[++around.at] ?? null;
        if (next) break;
        slots.pop();
        node = around.slot;
        continue;
      }
      next = dom.nextSibling(node);
      if (next) break;
      const outer = dom.parent(node);
      node = outer instanceof ShadowRoot ? outer.host : outer;
    }
    node = next;
  }
}
// The elements inside an element that match a selector, those in shadow roots included; somewhat more than `max` at most.
function drawnIn(element, selector, max) {
  const found = new Set(), all = allIn(element, selector);
  for (let at = 0; at < all.length && at <= max; at++) found.add(all[at]);
  if (seenRoots.length > 0) {
    walkIn(element, () => true, (node, type) => {
      if (type === 1 && dom.matches(node, selector)) found.add(node);
      return found.size <= max;
    });
  }
  return [...found];
}

// A button in a heading is the row's title.
const isTitle = (node) => {
  if (dom.tag(node) !== 'button') return false;
  const outer = dom.parent(node);
  return outer !== null && dom.type(outer) === 1 && /^h[1-6]$/.test(dom.tag(outer));
};

const isAboutRow = (node) => (!NOT_ABOUT.has(dom.tag(node)) && !NOT_ABOUT_ROLES.has(dom.attribute(node, 'role'))) || isTitle(node);

// What a row says: `{words, pieces}`. `words` include long numbers. `pieces` may tell it from a row of the same words: the address
// of its first link, its first title, its own, and the short numbers. A row of controls alone has their words and those of its images. A
// plain row has no `words`: all its texts are pieces.
function readRow(row, byTitle, cache) {
  const note = noteOf(row, cache);
  if (byTitle) return plainRowsKnown.has(row) ? note.plainTitle ??= { words: '', ...piecesIn(row, true) } : note.title ??= readTitle(row);
  return plainRowsKnown.has(row) ? note.plain ??= { words: '', saysWords: true, ...piecesIn(row) } : note.full ??= readFull(row, cache);
}
// The other elements of a row in a grid that draws its pinned columns apart from the others.
const GRIDS = '[role=grid], [role=treegrid], [role=table]', GRID_ROWS_MAX = 5000, ROW_DRAWN_MAX = 4;
function restOfRow(row, cache) {
  const index = dom.attribute(row, 'aria-rowindex'), grid = index === null ? null : dom.closest(row, GRIDS);
  if (grid === null) return [];
  const note = noteOf(grid, cache);
  if (note.byIndex === undefined) {
    note.byIndex = new Map();
    const rows = allIn(grid, '[role=row][aria-rowindex]');
    for (let at = 0; at < rows.length && at < GRID_ROWS_MAX; at++) {
      const of = dom.attribute(rows[at], 'aria-rowindex'), drawn = note.byIndex.get(of);
      if (drawn === undefined) note.byIndex.set(of, [rows[at]]);
      else if (drawn.length < ROW_DRAWN_MAX) drawn.push(rows[at]);
    }
  }
  return (note.byIndex.get(index) ?? []).filter((other) => other !== row);
}
const numbersIn = (text) => text.match(/\d+(?:[.,]\d+)+|(?<!\d)\d{1,3}(?!\d)/g) ?? [];
function readFull(row, cache) {
  const label = (dom.attribute(row, 'aria-label') ?? '').slice(0, ABOUT_MAX_CHARS);
  const marks = {};
  let text = textIn(row, isAboutRow, false, label, marks);
  for (const other of restOfRow(row, cache)) text = textIn(other, isAboutRow, false, `${text} `, marks);
  const isSaid = () => /[\p{L}\p{N}]/u.test(text);
  if (!isSaid()) text = wordsByStyle(row);
  const saysWords = isSaid(), isLong = text.length > OUTER_MAX_CHARS;
  const title = (dom.attribute(row, 'title') ?? '').slice(0, ABOUT_MAX_CHARS);
  if (wordsAlone(text) === '') {
    text = textIn(row, (node) => mayHaveText(node) && dom.tag(node) !== 'textarea', true, `${label} ${title}`);
  }
  const words = `${wordsAlone(text)} ${versionOf(row)} ${codeOf(row)}`.trim();
  return { words, pieces: [marks.leads ?? '', marks.title ?? '', wordsAlone(title), ...numbersIn(text)], saysWords, isLong };
}
// The words that style sheets draw in a row, of what is no control. They must be in an attribute, as those of an entry are: a style
// sheet's own words are the same in all rows, and often others under the pointer.
const BY_STYLE_LOOKED_MAX = 30;
function wordsByStyle(row) {
  let text = '', looked = 0;
  const add = (node, drawn) => {
    const words = tidy(drawn);
    if (words !== '' && dom.attributeNames(node).some((name) => (dom.attribute(node, name) ?? '').slice(0, ABOUT_MAX_CHARS).includes(words))) text += ` ${words}`;
  };
  const look = (node) => {
    if (mayDrawPseudo(node)) for (const which of ['::before', '::after']) add(node, new Naming().pseudo(node, which));
    return ++looked < BY_STYLE_LOOKED_MAX && text.length < ABOUT_MAX_CHARS;
  };
  add(row, /^"(.*)"$/.exec(getComputedStyle(row).listStyleType)?.[1] ?? '');
  look(row);
  walkIn(row, isAboutRow, (node, type) => type !== 1 || !isAboutRow(node) || look(node));
  return text.slice(0, ABOUT_MAX_CHARS);
}
// The first text of a row, if it is nothing but a date, an address or a number that letters begin: it names the row.
const BYTE = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)', CODE_MAX_CHARS = 100;
const CODE = new RegExp(`^(?:\\d{4}-\\d\\d-\\d\\d|\\d\\d?([./])\\d\\d?\\1\\d{4}|(?:${BYTE}\\.){3}${BYTE}|[^\\s@]+@[^\\s@]+|#?\\p{L}{2,}[-_]?\\d{1,3})$`, 'u');
function codeOf(row) {
  const first = firstTextIn(row, isAboutRow).trim();
  return first.length <= CODE_MAX_CHARS && CODE.test(first) ? first : '';
}
// The number in a row's heading that names it, as in "Section 4.2". Elsewhere one with a fraction is a price or a measure.
function versionOf(row) {
  const heading = dom.find(row, HEADINGS);
  if (heading === null || dom.closest(heading, ROWS) !== row) return '';
  const text = textIn(heading, mayHaveText, false).slice(0, OUTER_MAX_CHARS);
  return /\p{L}\s+(\d+(?:\.\d+)+)(?!\s?[\p{Sc}%])/u.exec(text)?.[1] ?? '';
}
// The label or the heading of a row that holds others, or else what it says before them.
function readTitle(row) {
  const label = (dom.attribute(row, 'aria-label') ?? '').slice(0, ABOUT_MAX_CHARS);
  const heading = label === '' ? dom.find(row, HEADINGS) : null;
  const isOwn = heading !== null && dom.closest(heading, ROWS) === row;
  const text = isOwn ? textIn(heading, mayHaveText, false) : label || wordsBeforeRows(row);
  return { words: wordsAlone(text), pieces: numbersIn(text), more: [] };
}
function wordsBeforeRows(row) {
  const said = [];
  let isBefore = false;
  walkIn(row, isAboutRow, (node, type) => {
    if (type === 3 && /[\p{L}\p{N}]/u.test(node.data)) said.push(node.data.slice(0, ABOUT_MAX_CHARS));
    isBefore = type === 1 && (isList(node) || dom.matches(node, ROWS));
    return !isBefore;
  });
  // Where the rows inside have no elements of a list, what comes first is before them.
  const text = (isBefore ? said : said.slice(0, 1)).join(' ');
  return text.length > OUTER_MAX_CHARS ? '' : text;
}

// Further texts that may tell a row from others of the same words: its first button, the `aria-label`s of its controls, its lists
// and tables without controls, times of day and dates.
const moreOf = (row, read) => read.more ??= readMore(row);
const LABELLED = 'a, button, input, select, [role=button], [role=checkbox], [role=link]', CALLED_IN_ROW_MAX = 5;
const TIME_OR_DATE = /\d[:.]\d\d|\d{4}|\d[/.-]\d/;
function readMore(row) {
  const leads = [], called = [], lists = [], times = [];
  const says = (node) => textIn(node, (one) => !SKIPPED.has(dom.tag(one)), false).slice(0, OUTER_MAX_CHARS);
  walkIn(row, isAboutRow, (node, type) => {
    if (type !== 1) return true;
    const hasState = dom.has(node, 'aria-pressed');
    const label = !hasState && dom.matches(node, LABELLED) ? dom.attribute(node, 'aria-label') : null;
    if (label !== null && called.length < CALLED_IN_ROW_MAX) called.push(wordsAlone(label.slice(0, OUTER_MAX_CHARS)));
    if (leads.length === 0 && !hasState && dom.matches(node, BUTTONS)) {
      leads.push(wordsAlone(dom.tag(node) === 'input' ? (node.value || (dom.attribute(node, 'alt') ?? '')).slice(0, OUTER_MAX_CHARS) : says(node)));
    } else if (isList(node) && !hasControls(node)) lists.push(wordsAlone(says(node)));
    else if (dom.tag(node) === 'time' && TIME_OR_DATE.test(says(node))) times.push(tidy(says(node)));
    return true;
  });
  return [...leads, ...called, ...lists, ...times];
}

// Signs, which tell a row from others that say the same: its pictographs; of a plain row also times of day and dates, before
// these, and the words of its first button, after them. Left out are pictographs in controls and live regions, which show a state,
// and characters that are drawn as text by default (★, ▶, ©): these belong to ratings, players and texts.
const PICTOGRAPHS = /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)(?:\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic}\ufe0f?)*/gu;
const SIGNS_MAX = 30, SIGN_NODES_MAX = 100;
const PRESSED_IN_ROWS = `a, label, summary, ${MADE_CLICKABLE}, [role=switch], [role=checkbox], [role=radio], [role=option], [role=tab], [role=menuitem]`;
const signsOf = (row, read) => read.signs ??= plainRowsKnown.has(row) ? signsIn(row).signs : pictographsIn(row).signs;
// `{signs, lead}`, with the button whose words are the last of the signs.
function signsIn(row) {
  const { times, signs, lead } = pictographsIn(row);
  const isTitle = lead !== null && !dom.has(lead, 'aria-pressed');
  const title = isTitle ? wordsAlone(textIn(lead, mayHaveText, true).slice(0, OUTER_MAX_CHARS)) : '';
  return { signs: [...times, ...signs, title].filter((sign) => sign !== ''), lead: title === '' ? null : lead };
}
function pictographsIn(row) {
  const times = [], signs = [];
  let lead = null, looked = 0;
  const isPointed = (node) => node !== null && dom.type(node) === 1 && getComputedStyle(node).cursor === 'pointer';
  const add = (text, around) => {
    const found = text.length <= ABOUT_MAX_CHARS ? text.match(PICTOGRAPHS) : null;
    // An element with a cursor of its own is a control, though only its script says so.
    if (found !== null && looked++ < SIGN_NODES_MAX && (!isPointed(around) || isPointed(row))) signs.push(...found);
  };
  walkIn(row, (node) => isAboutRow(node) && !dom.matches(node, PRESSED_IN_ROWS) && !saysWhatChanges(node), (node, type) => {
    if (type === 3) add(node.data, dom.parent(node));
    if (type !== 1) return true;
    if (dom.tag(node) === 'img') add(dom.attribute(node, 'alt') ?? '', node);
    else if (dom.tag(node) === 'time') times.push(wordOfTime(node));
    else if (lead === null && dom.matches(node, BUTTONS)) lead = node;
    return signs.length < SIGNS_MAX && times.length < SIGNS_MAX;
  });
  return { times, signs: signs.slice(0, SIGNS_MAX), lead };
}
// A time that does not go on by itself, as "2 hours ago" does.
const wordOfTime = (time) => {
  const text = tidy(textIn(time, mayHaveText, false).slice(0, OUTER_MAX_CHARS));
  return TIME_OR_DATE.test(text) ? text : '';
};
