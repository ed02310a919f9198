// The named parts of a page around a control, the question of its dialog, and what else says what the control is for: the header of
// its column, the heading before its list, its description.

// Parts that may be used again for something else with the same buttons, as a dialog for another question or a menu for another
// entry.
const PARTS = 'dialog, fieldset, details, section, form, table, [popover], [role=dialog], [role=alertdialog], [role=tabpanel], [role=region], \
[role=group], [role=radiogroup], [role=menu], [role=tablist], [role=toolbar], [role=listbox], [role=form], [role=table], [role=grid], \
[role=treegrid], [role=tree], [role=status], [role=alert]';
const DIALOGS = 'dialog, [role=dialog], [role=alertdialog]';
const QUESTIONS = `${DIALOGS}, [popover]`;
const MESSAGES = '[role=status], [role=alert]';
const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading]';
const ASKED_MAX_CHARS = 300;
const BUTTONS = 'button, [role=button], input[type=button], input[type=submit]', QUESTION_BUTTONS_MAX = 5;
// This many buttons with names as short as those of days are a calendar, or keys.
const SHORT_BUTTONS_MIN = 7, SHORT_NAME_CHARS = 4, BUTTONS_MAX = 100;
const CONTROLS = `${BUTTONS}, input, select, textarea`;
// Amounts of money: part of what a question asks.
const SUMS = /[\p{Sc}]\s?\d[\d.,]*|\d[\d.,]*\s?[\p{Sc}]|\b[A-Z]{3}\s?\d[\d.,]*|\d[\d.,]*\s?[A-Z]{3}\b/gu;
const NUMBERS = /(?<![\p{L}\d])[-\u2212+]?\d+(?:[.,:]\d+)*/gu;
const ASKS = /[?\u061f\uff1f]/;
// What follows a number that counts down or is a share of something: such numbers change by themselves.
const UNITS = /^\s*(?:%|\/|(?:of|von|de|s|secs?|seconds?|sek|sekunden?|segundos?|secondes?|m|mins?|minutes?|minuten?|minutos?|h|hours?|stunden?|horas?|heures?)(?!\p{L})|\u79d2|\u5206)/iu;

// The words that name a part of a page. Of a dialog also its question, from its description or first heading. The heading of a
// section does not count, since it may be that of one entry. A message counts with its words if it has a button.
function partWordsOf(part, cache) {
  return noteOf(part, cache).partWords ??= readPart(part);
}
function readPart(part) {
  const name = nameOf(part, roleOf(part));
  if (dom.matches(part, QUESTIONS)) return dialogWords(part, name);
  const message = dom.matches(part, MESSAGES) && drawnIn(part, BUTTONS, 1).length > 0 ? textIn(part, isAsked, false) : '';
  // The name of a tab may end with a count of what is in its panel.
  const named = dom.attribute(part, 'role') === 'tabpanel' ? name.replace(/\s*\d+\+?$/, '') : `${name} ${summaryOf(part)}`;
  return namedWords(`${named} ${message.length > ASKED_MAX_CHARS ? '' : message}`);
}
// The title of `details`: the heading in their summary, or the first text in it. Later texts are often a choice or a state.
function summaryOf(part) {
  const summary = dom.tag(part) === 'details' ? childWithTag(part, 'summary') : null;
  return summary ? titleIn(summary) : '';
}
function titleIn(opener) {
  const heading = dom.find(opener, HEADINGS);
  return heading ? textIn(heading, mayHaveText, false).slice(0, ASKED_MAX_CHARS) : firstTextIn(opener);
}
// The panel of an accordion belongs to the button in the heading that opens it. A button elsewhere may open a menu.
const PANELS_MAX = 500, OPENERS = ':is(h1, h2, h3, h4, h5, h6, [role=heading]) > [aria-controls][aria-expanded]';
function panelsIn() {
  const panels = new Map(), openers = Document.prototype.querySelectorAll.call(document, OPENERS);
  for (let at = 0; at < openers.length && at < PANELS_MAX; at++) {
    for (const panel of byIds(openers[at], 'aria-controls').slice(0, 1)) panels.set(panel, openers[at]);
  }
  return panels;
}
function openedBy(element, cache) {
  const panels = noteOf(document, cache).panels ??= panelsIn();
  if (panels.size === 0) return '';
  return firstOutward(element, 'openedBy', cache, (at) => (panels.has(at) ? namedWords(titleIn(panels.get(at))) : null)) ?? '';
}
function dialogWords(part, name) {
  const said = byIds(part, 'aria-describedby');
  const heading = name === '' ? drawnIn(part, HEADINGS, 1)[0] : null;
  if (heading) said.push(heading);
  const named = said.reduce((text, one) => textIn(one, mayHaveText, false, `${text} `), name);
  const asks = askedIn(part);
  const all = `${named} ${asks}`;
  const numbers = ASKS.test(all) ? numbersAsked(all) : all.match(SUMS) ?? [];
  return [namedWords(named), wordsAlone(asks), ...numbers].join(' ').trim();
}
// The text of a question, up to the first field: what follows may be an error message about that. The value of a read-only field
// is part of the question. A list is not if there is a field to write in, since it may show what was written.
function askedIn(part) {
  const buttons = drawnIn(part, BUTTONS, BUTTONS_MAX);
  if (buttons.length > BUTTONS_MAX) return '';
  const isWritten = drawnIn(part, WRITTEN_IN, 1).length > 0;
  const isAbout = (node) => isLasting(node) && !(isWritten && isList(node));
  const text = textIn(part, isAbout, false, '', null, true).slice(0, ASKED_MAX_CHARS);
  return buttons.length <= QUESTION_BUTTONS_MAX || (ASKS.test(text) && !isCalendar(buttons)) ? text : '';
}
// A part with more buttons is a question only if it has a question mark and is no calendar.
const isCalendar = (buttons) =>
  buttons.filter((button) => textIn(button, mayHaveText, false).trim().length <= SHORT_NAME_CHARS).length >= SHORT_BUTTONS_MIN;
const WRITTEN_IN = 'textarea:not([readonly], [disabled]), [contenteditable], [role=textbox], \
input:not([readonly], [disabled], [type=checkbox], [type=radio], [type=button], [type=submit], [type=hidden])';
// Elements that show times, which change by themselves.
const TIMES = ['time', 'relative-time'];
// A list or table of what is asked about has no controls.
const ASKED_NOT = new Set(['button', 'select', 'textarea', 'script', 'style', 'template', ...TIMES]);
const ASKED_NOT_ROLES = new Set(['button', 'menu', 'menuitem', 'option', 'listbox', 'tree', 'tab', 'timer', 'status', 'progressbar']);
const isAsked = (node) => !ASKED_NOT.has(dom.tag(node)) && !ASKED_NOT_ROLES.has(dom.attribute(node, 'role')) && !(isList(node) && hasControls(node));
const isList = (node) => LISTS.has(dom.tag(node)) || dom.attribute(node, 'role') === 'list';
const LISTS = new Set(['ul', 'ol', 'table']);
const hasControls = (element) => dom.find(element, CONTROLS) !== null;

// Live regions, whose text changes by itself.
const saysWhatChanges = (node) => dom.has(node, 'aria-live') || ['alert', 'log', 'marquee'].includes(dom.attribute(node, 'role'));
// What has text that does not change by itself.
const withoutTimes = (node) => mayHaveText(node) && !saysWhatChanges(node) && !TIMES.includes(dom.tag(node));
// What neither is a control nor changes by itself.
const isLasting = (node) => isAsked(node) && !saysWhatChanges(node);

// The words of a name with those of its numbers that identify something, such as "Passenger 2": not prices, remaining times and
// counts, such as "Cart (2 items)".
const PRICE_BEFORE = /(?:\p{Sc}|\b[A-Z]{3})\s?$/u, PRICE_AFTER = /^\s?(?:\p{Sc}|[A-Z]{3}\b)/u;
const LEFT_BEFORE = /(?:\bin|:)\s*$/iu, LEFT_AFTER = /^\s*(?:left|remaining)/iu;
const NAMED_MAX_CHARS = 1_000, NEAR_CHARS = 30;
function namedWords(whole) {
  const name = whole.slice(0, NAMED_MAX_CHARS);
  const numbers = [...name.matchAll(NUMBERS)].filter(({ 0: number, index }) => {
    const before = name.slice(Math.max(0, index - NEAR_CHARS), index), after = name.slice(index + number.length, index + number.length + NEAR_CHARS);
    if (/[([{,;·|]\s*$/.test(before) || UNITS.test(after)) return false;
    if (/[.,]\d\d$/.test(number) || PRICE_BEFORE.test(before) || PRICE_AFTER.test(after)) return false;
    if (number.includes(':') && (LEFT_BEFORE.test(before) || LEFT_AFTER.test(after))) return false;
    return /[\p{L}\p{M}#:.-]\s*$/u.test(before) || !/^\s*\p{Ll}/u.test(after);
  });
  return [wordsAlone(name), ...numbers].join(' ').trim();
}
// The numbers of a question, without remaining times.
function numbersAsked(text) {
  return [...text.matchAll(NUMBERS)].filter(({ 0: number, index }) => {
    const after = text.slice(index + number.length);
    return !UNITS.test(after) && (!number.includes(':') || /^[^.!?]*\?/.test(after));
  });
}

// The header of the column of a table or grid that an element's cell is in.
const CELL = 'td, [role=cell], [role=gridcell]', TABLES = 'table, [role=table], [role=grid], [role=treegrid]', COLUMNS_MAX = 100;
function headerOf(element, cache) {
  // Most pages have no table, and long ones have many elements.
  if (seenRoots.length === 0 && !(noteOf(document, cache).hasTables ??= dom.find(documentRoot(), TABLES) !== null)) return '';
  const cell = dom.closest(element, CELL);
  const table = cell && dom.closest(cell, TABLES);
  if (!table) return '';
  const headers = noteOf(table, cache).headers ??= headersIn(table);
  if (headers.length === 0) return '';
  let column = 0;
  for (let at = dom.previousElement(cell); at && column < COLUMNS_MAX; at = dom.previousElement(at)) column += spanOf(at);
  return headers[column] ?? '';
}
const spanOf = (cell) => (cell instanceof HTMLTableCellElement ? cell.colSpan : 1);
// The header of each column. A header over several columns is added to the header of each. One over all columns does not count: it
// may be a message.
const HEADER_ROWS_MAX = 4, HEADERS = 'th, [role=columnheader]';
function headersIn(table) {
  const cells = [], held = [];
  const rows = headerRowsOf(table);
  for (const row of rows) {
    let at = dom.firstElement(row);
    for (let column = 0; (at || column < held.length) && column < COLUMNS_MAX; column++) {
      if (held[column] > 0) held[column]--;
      else if (at) {
        const span = Math.min(spanOf(at), COLUMNS_MAX - column), down = at instanceof HTMLTableCellElement ? at.rowSpan || HEADER_ROWS_MAX : 1;
        if (dom.matches(at, HEADERS)) cells.push({ words: headerWords(at), column, span, isLast: row === rows.at(-1) });
        for (const end = column + span; column < end; column++) held[column] = down - 1;
        column--;
        at = dom.nextElement(at);
      }
    }
  }
  return Array.from(held, (_, column) => cells
    .filter((cell) => cell.column <= column && column < cell.column + cell.span && (cell.isLast || cell.span < held.length))
    .map(({ words }) => words).filter((words) => words !== '').join(' '));
}
// The last rows of a head, or the first rows that have headers alone.
function headerRowsOf(table) {
  const head = childWithTag(table, 'thead'), rows = [];
  let row = (head && dom.lastElement(head)) ?? dom.find(table, 'tr, [role=row]');
  if (row === null || dom.closest(row, TABLES) !== table) return rows;
  // A row of data may have a header of its own.
  const isOfHeaders = (row) => dom.lastElement(row) !== null && dom.matches(dom.lastElement(row), `${HEADERS}, thead > tr > td`);
  if (!isOfHeaders(row)) return rows;
  rows.push(row);
  const isInHead = head !== null && dom.parent(row) === head, next = isInHead ? dom.previousElement : dom.nextElement;
  while ((row = next(row)) && rows.length < HEADER_ROWS_MAX && (isInHead || (isOfHeaders(row) && dom.matches(dom.firstElement(row), HEADERS)))) rows.push(row);
  return isInHead ? rows.reverse() : rows;
}
// The words of a header. If it is a button to sort by, only its first text counts: how the column is sorted follows.
function headerWords(header) {
  const words = namedWords(textIn(header, isAboutRow, false).slice(0, ASKED_MAX_CHARS));
  if (words !== '') return words;
  return namedWords(firstTextIn(header));
}
function firstTextIn(element, isAbout = (node) => mayHaveText(node) && !saysWhatChanges(node)) {
  let first = '';
  walkIn(element, isAbout, (node, type) => {
    if (type === 3 && /[\p{L}\p{N}]/u.test(node.data)) first = node.data.slice(0, ASKED_MAX_CHARS);
    return first === '';
  });
  return first;
}

// The month of a calendar's day, which often stands above the days without a role ("May 2024"). Some calendars use the elements of
// one month again for the next: the same day is then at the same place.
const DAY = /^\s*(?:[12]?\d|3[01])\s*$/, MONTH = /^\P{L}{0,3}(?:\p{L}{3,}\P{L}{1,3}(?:19|20)\d\d|(?:19|20)\d\d\P{L}{1,3}(?:\p{L}{3,}|[01]?\d))\P{L}{0,3}$/u;
const DAYS_MIN = 28, MONTH_LEVELS_MAX = 8;
function monthOf(element, cache) {
  if (dom.firstChild(element) === null || !DAY.test(textIn(element, mayHaveText, false).slice(0, SHORT_NAME_CHARS))) return '';
  let at = drawnParent(element);
  for (let level = 0; at && level < MONTH_LEVELS_MAX; level++, at = drawnParent(at)) {
    const month = noteOf(at, cache).month ??= monthIn(at);
    if (month !== '') return month;
  }
  return '';
}
// The month that stands in an element before the days of a calendar, in one text or two.
function monthIn(outer) {
  let month = '', before = '', days = 0;
  walkIn(outer, mayHaveText, (node, type) => {
    if (type !== 3 || !/[\p{L}\p{N}]/u.test(node.data)) return true;
    const text = node.data.trim().slice(0, ASKED_MAX_CHARS);
    if (DAY.test(text)) days++;
    else if (days === 0) month = [text, `${before} ${text}`].find((one) => MONTH.test(one)) ?? month;
    before = text;
    return days < DAYS_MIN && !(days > 0 && month === '');
  });
  return days >= DAYS_MIN ? month : '';
}

// The heading before the list or table of a row, if a list like it is beside it with a heading, too: "Staging" before one table
// of keys, "Production" before another. Which one that is, and how much of it counts, is decided at a snapshot and kept until the
// next: a list that comes beside this one, or a message before it, is no other heading.
const LIST_LEVELS_MAX = 4, LISTS_BESIDE_MAX = 8, HEADING_BEFORE_MAX = 3;
const listHeadings = new WeakMap(), headingsKept = new WeakSet();
function headingBefore(row, cache, looked) {
  const list = dom.parent(row);
  if (!list || dom.type(list) !== 1) return '';
  const note = noteOf(list, cache);
  if (note.heading === undefined) note.heading = readHeadingBefore(list, looked);
  return note.heading;
}
function readHeadingBefore(list, looked) {
  let found = listHeadings.get(list);
  if (looked || found === undefined || isNoLongerBefore(list, found)) {
    found = findHeadingBefore(list);
    if (looked) {
      listHeadings.set(list, found);
      if (found) headingsKept.add(found.heading);
    }
  }
  return found === null ? '' : found.says(found.heading);
}
// Whether a heading has gone, or the list stands behind another list or its heading by now. Messages may have come between.
function isNoLongerBefore(list, found) {
  if (found === null) return false;
  for (const at of listAndAround(list)) {
    let before = dom.previousElement(at);
    for (let count = 0; before && count < 2 * HEADING_BEFORE_MAX && dom.tag(before) !== dom.tag(at); before = dom.previousElement(before), count++) {
      if (dom.contains(before, found.heading)) return false;
      const heading = firstHeadingIn(before);
      if (heading !== null && headingsKept.has(heading)) return true;
    }
  }
  return true;
}
function findHeadingBefore(list) {
  for (const { at, heading } of headingsBefore(list)) {
    const isLike = (other) => dom.tag(other) === dom.tag(at) && headingRightBefore(other) !== null;
    const others = nearOf(at, LISTS_BESIDE_MAX, isLike).map(headingRightBefore);
    return others.length > 0 ? { heading, says: READINGS.find((says) => others.every((other) => says(other) !== says(heading))) ?? READINGS.at(-1) } : null;
  }
  return null;
}
// How a heading is read: without what follows its first words, such as a count or a state, if that tells it from the others.
const READINGS = [
  (heading) => namedWords(firstTextIn(heading, withoutTimes).split(/\s*[([{:;·•|–—]/u, 1)[0]),
  (heading) => namedWords(textIn(heading, withoutTimes, false).slice(0, ASKED_MAX_CHARS)),
];
const firstHeadingIn = (element) => (dom.matches(element, HEADINGS) ? element : dom.find(element, HEADINGS));
// The headings right before a list and the elements around it, from inside out.
function* headingsBefore(list) {
  for (const at of listAndAround(list)) {
    const heading = headingRightBefore(at);
    if (heading !== null) yield { at, heading };
  }
}
function* listAndAround(list) {
  let at = list;
  for (let level = 0; level < LIST_LEVELS_MAX && at && dom.type(at) === 1 && !dom.matches(at, PLAIN_ENDS); level++, at = dom.parent(at)) yield at;
}
function headingRightBefore(element) {
  let at = dom.previousElement(element);
  for (let count = 0; at && count < HEADING_BEFORE_MAX && dom.tag(at) !== dom.tag(element); at = dom.previousElement(at), count++) {
    const heading = firstHeadingIn(at);
    if (heading && dom.closest(heading, PASSING_WORDS) === null) return hasControls(at) ? null : heading;
  }
  return null;
}

// The question right before radio buttons, which may be in no group: the text up to its question mark, since an error message may
// follow. A text without a question mark is no question.
const CHOICES = 'input[type=radio], [role=radio]', CHOICE_LEVELS_MAX = 4, CHOICES_BESIDE_MAX = 20;
function questionBefore(element, cache) {
  if (!dom.matches(element, CHOICES)) return '';
  const group = dom.attribute(element, 'name');
  let at = element;
  for (let level = 0; at && level < CHOICE_LEVELS_MAX && !dom.matches(at, PARTS); level++, at = drawnParent(at)) {
    let before = dom.previousSibling(at);
    for (let count = 0; before && count < CHOICES_BESIDE_MAX; before = dom.previousSibling(before), count++) {
      const note = noteOf(before, cache);
      note.choice ??= readBefore(before);
      const { text, choice } = note.choice;
      if (choice !== null && dom.attribute(choice, 'name') !== group) return '';
      if (choice === null && text !== '') return ASKS.test(text) ? namedWords(text.replace(/[^?\u061f\uff1f]*$/, '')) : '';
    }
    if (before) return '';
  }
  return '';
}
// The text of a node before radio buttons, and the radio button that the node is, contains or labels.
function readBefore(node) {
  const type = dom.type(node);
  if (type !== 1) {
    const beside = type === 3 ? dom.previousSibling(node) : null, isLabel = beside && dom.type(beside) === 1 && dom.matches(beside, CHOICES);
    return { text: type === 3 && !isLabel ? node.data.slice(0, ASKED_MAX_CHARS).trim() : '', choice: null };
  }
  const choice = dom.matches(node, CHOICES) ? node : dom.find(node, CHOICES) ?? (node instanceof HTMLLabelElement ? node.control : null);
  const isText = choice === null && isLasting(node);
  return { text: isText ? textIn(node, isAsked, false).slice(0, ASKED_MAX_CHARS).trim() : '', choice };
}

// The words of the box around a button that is in no row and no dialog, if they say what it is for: a question, or a message that
// floats over the page. The search ends at a bar of the page, whose words say where one is.
const BARS = 'body, header, footer, nav, aside, main, form, [role=banner], [role=navigation], [role=toolbar]';
const BOX_LEVELS_MAX = 5, FLOATING_MAX_CHARS = 150;
function boxWords(element, { rows, parts }, cache) {
  if (rows.length > 0 || !dom.matches(element, BUTTONS) || parts.some((part) => dom.matches(part, QUESTIONS))) return '';
  let at = drawnParent(element);
  for (let level = 0; at && level < BOX_LEVELS_MAX && !dom.matches(at, BARS); level++, at = drawnParent(at)) {
    const said = noteOf(at, cache).box ??= readBox(at);
    if (said !== '') return said === TOO_MUCH ? '' : said;
  }
  return '';
}
const TOO_MUCH = '...';
// Reads a box up to its first button: the text after that may be the result of pressing it.
function readBox(box) {
  let text = '';
  walkIn(box, isLasting, (node, type) => {
    if (type === 3) text += ` ${node.data.trim().slice(0, ABOUT_MAX_CHARS)}`;
    return text.length <= ASKED_MAX_CHARS && !(type === 1 && dom.matches(node, BUTTONS));
  });
  text = text.trim();
  if (text.length > ASKED_MAX_CHARS || drawnIn(box, BUTTONS, QUESTION_BUTTONS_MAX).length > QUESTION_BUTTONS_MAX) return TOO_MUCH;
  if (text === '') return '';
  if (drawnIn(box, WRITTEN_IN, 1).length > 0) return TOO_MUCH;
  if (ASKS.test(text)) return `${wordsAlone(text)} ${numbersAsked(text).join(' ')}`.trim();
  return text.length <= FLOATING_MAX_CHARS && getComputedStyle(box).position === 'fixed' ? wordsAlone(text) : '';
}

// The description of a button or link. That of a field does not count, since it may be an error message, nor does a tooltip, which
// is there only while the pointer is.
const PASSING_WORDS = '[role=tooltip], [role=status], [role=alert], [aria-live], [popover]';
function describedAs(element) {
  if (FIELDS.has(roleOf(element))) return '';
  if (!dom.has(element, 'aria-describedby')) return namedWords((dom.attribute(element, 'aria-description') ?? '').slice(0, ASKED_MAX_CHARS));
  const said = byIds(element, 'aria-describedby').filter((one) => !dom.closest(one, PASSING_WORDS) && !dom.find(one, PASSING_WORDS));
  return namedWords(said.map((one) => textIn(one, mayHaveText, false).slice(0, ASKED_MAX_CHARS)).join(' '));
}

// The text that a button or link shows if its name is another one, such as "Approve" on a button named "Action". Not of one that
// has a state or opens a list, which may show that state or what is chosen.
const STATEFUL = '[aria-pressed], [aria-checked], [aria-selected], [aria-expanded], [aria-haspopup], [aria-busy]';
const SHOWN_MAX_CHARS = 80;
function shownInstead(element) {
  const hasOwnName = dom.has(element, 'aria-label') || dom.has(element, 'aria-labelledby');
  if (!hasOwnName || FIELDS.has(roleOf(element)) || dom.matches(element, STATEFUL)) return '';
  const shown = textIn(element, withoutTimes, false).trim();
  return shown.length > SHOWN_MAX_CHARS ? '' : wordsAlone(shown);
}
