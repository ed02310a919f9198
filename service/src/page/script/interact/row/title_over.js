// The title over an element that is in no row: the heading that stands nearest before it or what is around it. A page may show another
// entry in the same place, such as the next message or film, with the same buttons.

// For each such element `{key, seen, changes, actions}`: what tells it, its title at the latest snapshot, in how many snapshots without
// an action between them that was another entry's, and how many actions there were then. Of a title `{title, level, says, rest,
// isUnderWay}`: its element, how far out it stands, its words, those that stand beside it, and whether it ends like "Loading…".
const titlesOver = new WeakMap();
// How many actions have begun, and until when what changes is taken for what the latest one asked for: an answer may come after the
// action's own.
let actionsBegun = 0, answeredBy = 0;
const ANSWERED_WITHIN_MS = 3000;
const beginsAction = () => {
  actionsBegun++;
  answeredBy = performance.now() + ANSWERED_WITHIN_MS;
};
// Whether what has changed since something was noted has changed by itself: no action has begun since, and none is to be answered
// still. Until then it may be what was asked for, as where a title says what is typed.
const isByItself = (noted) => noted.actions === actionsBegun && performance.now() >= answeredBy;
// How far out a title is looked for, how many siblings before each level, how long for all elements of a snapshot, and how many
// controls may be in what holds it.
const TITLE_LEVELS_MAX = 8, TITLE_STEPS_MAX = 300, TITLES_MS_MAX = 100, CONTROLS_BY_TITLE_MAX = 3;
// A title that changes so often by itself is written letter by letter, or takes turns.
const CHANGES_MAX = 2;
// Bars, menus and dialogs: what is inside them is no part of an entry beside them.
const TITLE_ENDS = `body, nav, footer, aside, [role=navigation], [role=contentinfo], [role=complementary], [role=menu], [role=menubar], \
[role=listbox], [role=tablist], ${QUESTIONS}`;

// What tells an element by the title over it. A snapshot alone gives `looked`.
function titleOver(element, cache, looked) {
  if (leadsElsewhere(element) || dom.tag(element) === 'iframe') return '';
  const { rows, parts } = noteOf(element, cache).around ?? aroundOf(element, cache, looked);
  if (rows.length > 0 || parts.some((part) => dom.matches(part, QUESTIONS))) return '';
  const known = titlesOver.get(element);
  if (!looked && (known === undefined || known.changes >= CHANGES_MAX)) return '';
  if (!looked && !isByItself(known)) return known.key;
  const now = titleNow(element, cache);
  // Where a nearer title has gone or come, the others say nothing new.
  const isThere = known?.seen.level === now.level, isAnother = isThere && isAnotherTitle(known.seen, now);
  if (!looked) return isAnother ? now.says : known.key;
  const changes = known?.actions === actionsBegun ? known.changes + Number(isAnother) : 0;
  const key = isThere && !isAnother ? known.key : now.says;
  titlesOver.set(element, { key, seen: now, changes, actions: actionsBegun });
  return changes >= CHANGES_MAX ? '' : key;
}
// Whether a title stands where it stood and says the same: one that came between is a notice.
const isStillThere = ({ title, says }) => title !== null && dom.isConnected(title) && isVisible(title) && firstWordsOfHead(title) === says;
// Another entry has other words in its title, and in what else stands beside that. With more or fewer words, or other ones in the title
// alone ("Loading…", "Offline"), it has another state.
const isAnotherTitle = (seen, now) => hasOtherWords(seen.says, now.says) && !seen.isUnderWay && !now.isUnderWay
  && ((seen.rest === '' && now.rest === '') || hasOtherWords(seen.rest, now.rest)) && !(now.title !== seen.title && isStillThere(seen));
const UNDER_WAY = /(?:…|\.\.\.)\s*$/;
const hasOtherWords = (before, now) => {
  const [had, has] = [wordsIn(before), wordsIn(now)];
  return !isAmong(had, has) && !isAmong(has, had);
};
// The title over an element by now. Of a title the first words count, since a count or a state follows them.
function titleNow(element, cache) {
  const { title, level } = titleBefore(element, cache);
  const read = title === null ? NO_TITLE : noteOf(title, cache).asTitle ??= readTitleOver(title);
  return { title, level, ...read };
}
const NOT_REST = `${IN_HEADS}, label`;
const NO_TITLE = { says: '', rest: '', isUnderWay: false };
function readTitleOver(title) {
  const around = drawnParent(title), isRest = (node) => node !== title && isLasting(node) && !dom.matches(node, NOT_REST);
  return {
    says: firstWordsOfHead(title), rest: around === null ? '' : wordsAlone(textIn(around, isRest, false)), isUnderWay: UNDER_WAY.test(textOfHead(title)),
  };
}

// The nearest title before an element or what is around it, and how far out that is.
function titleBefore(element, cache) {
  let at = element, level = 0;
  for (; at && dom.type(at) === 1 && level < TITLE_LEVELS_MAX && !dom.matches(at, TITLE_ENDS); level++, at = drawnParent(at)) {
    const title = titleBeside(at, cache);
    if (title !== null) return { title, level };
  }
  return { title: null, level: -1 };
}
// The nearest title among the siblings before a node. What stands before one of them is told once for all that follow it.
function titleBeside(node, cache) {
  const chain = [], until = noteOf(document, cache).titlesUntil ??= performance.now() + TITLES_MS_MAX;
  let at = node, title = null;
  for (let steps = 0; steps < TITLE_STEPS_MAX && performance.now() < until; steps++) {
    const note = noteOf(at, cache);
    if (note.titleBeside !== undefined) { title = note.titleBeside; break }
    chain.push(note);
    at = dom.previousSibling(at);
    if (!at) break;
    title = titleOf(at);
    if (title !== null) break;
  }
  for (const note of chain) note.titleBeside = title;
  return title;
}
// The title that a node is or holds; null where there is none.
const NO_TITLES = `${CONTROLS}, ${PASSING_WORDS}, ${ROWS}, ${TITLE_ENDS}`;
function titleOf(node) {
  if (dom.type(node) !== 1 || SKIPPED.has(dom.tag(node)) || dom.matches(node, NO_TITLES) || saysWhatChanges(node)) return null;
  const heading = firstHeadingIn(node);
  if (heading === null || !isVisible(heading)) return null;
  if (heading === node) return node;
  // Of several entries none is the title.
  const isEntry = (other) => dom.tag(other) === dom.tag(node) && firstClassOf(other) === firstClassOf(node) && firstHeadingIn(other) !== null;
  if (allIn(node, HEADINGS).length > 1 || nearOf(node, 1, isEntry).length > 0 || getComputedStyle(node).position === 'fixed') return null;
  if (textIn(node, isLasting, false).length > ASKED_MAX_CHARS || drawnIn(node, CONTROLS, CONTROLS_BY_TITLE_MAX).length > CONTROLS_BY_TITLE_MAX) return null;
  return dom.closest(heading, ROWS) === dom.closest(node, ROWS) && dom.closest(heading, TITLE_ENDS) === dom.closest(node, TITLE_ENDS) ? heading : null;
}
