// The title over an element that is in no row: the heading, or the question, that stands nearest before it or what is around it. A
// page may show another entry in the same place, such as the next message or film, with the same buttons.

// For each such element `{key, seen, level, changes, actions}`: what tells it, what its title said at the latest snapshot and how far
// out that stood, in how many snapshots without an action between them it said something else, and how many actions there were then.
const titlesOver = new WeakMap();
let actionsBegun = 0;
// What changes so soon after an action is taken for what it asked for: an answer may come after the action's own.
const ANSWERED_WITHIN_MS = 3000, TITLED_MAX = 3000;
let answeredBy = 0, answerTimer = null, titled = new Set();
// An action begins: titles don't count until what it asks for has come.
const beginsAction = () => {
  actionsBegun++;
  answeredBy = performance.now() + ANSWERED_WITHIN_MS;
  clearTimeout(answerTimer);
  answerTimer = setTimeout(keepTitles, ANSWERED_WITHIN_MS);
};
// What titles say now is what they said at the latest snapshot.
const keepTitles = () => {
  const cache = new Map();
  for (const element of titled) {
    const known = titlesOver.get(element), { title, level } = dom.isConnected(element) ? titleBefore(element, cache) : known;
    if (level === known.level && title) known.seen = titleSays(title);
  }
};
const TITLE_LEVELS_MAX = 8, TITLE_STEPS_MAX = 300, CONTROLS_BY_TITLE_MAX = 3;
// A title that changes so often by itself is written letter by letter, or takes turns.
const CHANGES_MAX = 2;
// What is inside is not about what the page shows at the moment.
const TITLE_ENDS = `body, nav, footer, aside, [role=navigation], [role=contentinfo], [role=complementary], [role=menu], [role=menubar], \
[role=listbox], [role=tablist], ${QUESTIONS}`;

// What tells an element by the title over it. A snapshot alone gives `looked`. Until the next one the title counts only if it has
// other words instead of some that it had: with more or fewer of them it has another state. After an action it may be what was
// asked for, as where a title says what is typed.
function titleOver(element, cache, looked) {
  const { rows, parts } = aroundOf(element, cache);
  if (rows.length > 0 || leadsElsewhere(element) || parts.some((part) => dom.matches(part, QUESTIONS))) return '';
  const known = titlesOver.get(element);
  if (!looked && (known === undefined || known.changes >= CHANGES_MAX)) return '';
  if (!looked && (known.actions !== actionsBegun || performance.now() < answeredBy)) return known.key;
  const { title, level } = titleBefore(element, cache);
  const now = title === null ? '' : titleSays(title);
  // Where a nearer title has gone or come, the others say nothing new.
  const isAnother = known !== undefined && known.level === level && hasOtherWords(known.seen, now);
  if (!looked) return isAnother ? now : known.key;
  const isByItself = isAnother && known.actions === actionsBegun;
  const changes = isByItself ? known.changes + 1 : known?.actions === actionsBegun ? known.changes : 0;
  const key = known !== undefined && known.level === level && !isAnother ? known.key : now;
  titlesOver.set(element, { key, seen: now, level, changes, actions: actionsBegun });
  if (titled.size < TITLED_MAX) titled.add(element);
  return changes >= CHANGES_MAX ? '' : key;
}
const hasOtherWords = (before, now) => {
  const [had, has] = [wordsIn(before), wordsIn(now)];
  return !isAmong(had, has) && !isAmong(has, had);
};
// The first words: a count or a state follows them. A question counts whole.
const titleSays = (title) => wordsAlone(isQuestion(title) ? textOfHead(title) : firstOfHead(title));

function titleBefore(element, cache) {
  let at = element, level = 0;
  for (; at && dom.type(at) === 1 && level < TITLE_LEVELS_MAX && !dom.matches(at, TITLE_ENDS); level++, at = drawnParent(at)) {
    const title = titleBeside(at, cache);
    if (title !== null) return { title: isNoneOf(title, element) ? null : title, level };
  }
  return { title: null, level: -1 };
}
// A question is for the few buttons after it.
const isQuestion = (title) => dom.type(title) === 3 || !dom.matches(title, HEADINGS);
const isNoneOf = (title, element) => isQuestion(title)
  && (!dom.matches(element, BUTTONS) || drawnIn(dom.parent(title), BUTTONS, QUESTION_BUTTONS_MAX).length > QUESTION_BUTTONS_MAX);
// The nearest title among the siblings before a node. What stands before one of them is told once for all that follow it.
function titleBeside(node, cache) {
  const chain = [];
  let at = node, title = null;
  for (let steps = 0; steps < TITLE_STEPS_MAX; steps++) {
    const note = noteOf(at, cache);
    if (note.titleBeside !== undefined) { title = note.titleBeside; break }
    chain.push(note);
    at = dom.previousSibling(at);
    if (!at) break;
    title = (noteOf(at, cache).titleAt ??= { title: titleOf(at) }).title;
    if (title !== null) break;
  }
  for (const note of chain) note.titleBeside = title;
  return title;
}
const NO_TITLES = `${CONTROLS}, ${PASSING_WORDS}, ${ROWS}`;
function titleOf(node) {
  const type = dom.type(node);
  if (type === 3) return ASKS.test(node.data.slice(0, ASKED_MAX_CHARS)) ? node : null;
  if (type !== 1 || SKIPPED.has(dom.tag(node)) || dom.matches(node, NO_TITLES) || saysWhatChanges(node)) return null;
  if (dom.matches(node, HEADINGS)) return node;
  const heading = dom.find(node, HEADINGS), text = textIn(node, isLasting, false);
  if (text.length > ASKED_MAX_CHARS || drawnIn(node, CONTROLS, CONTROLS_BY_TITLE_MAX).length > CONTROLS_BY_TITLE_MAX) return null;
  if (heading !== null) return dom.closest(heading, ROWS) === dom.closest(node, ROWS) ? heading : null;
  return ASKS.test(text) && !hasControls(node) ? node : null;
}
