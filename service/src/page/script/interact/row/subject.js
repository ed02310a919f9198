// What a whole page is about, as its first heading and its title in the window say together: a page of settings that is another
// person's by now has the same rows and the same headings over its buttons.

// At the latest snapshot `{says, title, changes, actions}`: the words of that heading and of the document's title, in how many snapshots
// without an action between them both were others, and how many actions had begun.
let subject = null;
const SUBJECT_HEADS_MAX = 20;
const lettersOf = (text) => (text.match(/\p{L}[\p{L}\p{M}]+/gu) ?? []).join(' ');
const documentTitle = getterOf(Document.prototype, 'title');
// `{head, says, title}`, with the heading itself.
function subjectNow() {
  let head = null;
  for (const one of [...Document.prototype.querySelectorAll.call(document, 'h1, [role=heading][aria-level="1"]')].slice(0, SUBJECT_HEADS_MAX)) {
    if (isVisible(one)) { head = one; break }
  }
  return { head, says: head === null ? '' : lettersOf(firstWordsOfHead(head)), title: lettersOf(documentTitle(document).slice(0, ASKED_MAX_CHARS)) };
}
// Headings alone may take turns, and titles count messages. A title may have said nothing of the heading before.
const isAnotherSubject = (now) => hasOtherWords(subject.says, now.says) && now.title !== subject.title
  && (hasOtherWords(subject.title, now.title) || isAmong(wordsIn(now.says), wordsIn(now.title)));
function noteSubject() {
  const now = subjectNow(), { says, title } = now;
  const changes = subject?.actions === actionsBegun ? subject.changes + Number(isAnotherSubject(now)) : 0;
  subject = { says, title, changes, actions: actionsBegun };
}
// Whether the page is about something else than the latest snapshot showed, and the element is a part of what that is about.
function isOfAnotherSubject(element) {
  if (subject === null || subject.changes >= CHANGES_MAX || !isByItself(subject)) return false;
  if (subject.says === '' || leadsElsewhere(element)) return false;
  const now = subjectNow();
  if (!isAnotherSubject(now)) return false;
  let at = element;
  for (let root = dom.rootNode(at); root instanceof ShadowRoot; root = dom.rootNode(at)) at = root.host;
  const isAfter = (dom.compare(now.head, at) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return isAfter && dom.closest(element, SUBJECT_ENDS) === null;
}
const SUBJECT_ENDS = `nav, footer, aside, [role=navigation], [role=contentinfo], [role=complementary], ${QUESTIONS}`;
