// A short text that an action brings is what came of it, wherever it stands. What brings more is another view, whose texts
// are shown as any others; where numbers alone are others, a clock or a count goes on.
const OUTCOMES_MAX = 12, OUTCOMES_CHARS_MAX = 500, OUTCOMES_NODES_MAX = 300;
const wordsOfTexts = (texts) => texts.map((text) => text.data.slice(0, OUTCOMES_CHARS_MAX)).join('').replace(/\p{N}+/gu, '').trim();
const noteSaid = (now, records) => {
  for (let at = 0; at < records.length && now.said !== null; at++) {
    const { type, target, addedNodes, removedNodes } = records[at];
    if (at > RECORDS_MAX) now.said = null;
    else if (type === 'characterData' && dom.type(target) === 3) now.said.add(target);
    else if (type === 'childList') {
      const before = textsAmong(now, removedNodes), texts = textsAmong(now, addedNodes);
      if (now.said === null) continue;
      const isNew = wordsOfTexts(texts) !== wordsOfTexts(before);
      for (const text of texts) (isNew ? now.said : drawnTexts).add(text);
    }
    if (now.said?.size > OUTCOMES_MAX) now.said = null;
  }
};
// The texts in some nodes; none once there are too many.
const textsAmong = (now, nodes) => {
  const texts = [];
  for (let at = 0; at < nodes.length && now.said !== null; at++) {
    const walker = Document.prototype.createTreeWalker.call(document, nodes[at], NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (++now.saidNodes > OUTCOMES_NODES_MAX) {
        now.said = null;
        return [];
      }
      if (dom.type(node) === 3) texts.push(node);
    }
  }
  return texts;
};
// Elements whose attributes may have brought what was hidden before.
const REVEALS = new Set(['class', 'style', 'hidden', 'open', 'data-state', 'aria-hidden']);
const REVEALED_MAX = 20, REVEALED_NODES_MAX = 3000;
const noteRevealed = (now, records) => {
  for (let at = 0; at < records.length && at < RECORDS_MAX && now.revealed.size < REVEALED_MAX; at++) {
    if (records[at].type === 'attributes' && REVEALS.has(records[at].attributeName)) now.revealed.add(records[at].target);
  }
};
const hasWords = (text) => /\p{L}{3}/u.test(text.data.slice(0, OUTCOMES_CHARS_MAX));
// The texts in them that are drawn and were not as the last snapshot was taken; none where they are too many.
const revealedTexts = (now) => {
  const texts = new Set();
  let nodes = 0, looks = 0;
  for (const target of drawnAreKnown ? now.revealed : []) {
    const walker = Document.prototype.createTreeWalker.call(document, target, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (++nodes > REVEALED_NODES_MAX) return [];
      if (drawnTexts.has(text) || texts.has(text) || !hasWords(text)) continue;
      if (++looks > OUTCOMES_NODES_MAX) return [];
      if (isVisible(flatParent(text)) && closest(flatParent(text), '[aria-hidden=true]') === null) texts.add(text);
      if (texts.size > OUTCOMES_MAX) return [];
    }
  }
  return [...texts];
};
const keepSaid = (now) => {
  const isShown = (text) => isConnected(text) && hasWords(text) && isVisible(flatParent(text));
  for (const texts of [[...now.said ?? []].filter(isShown), revealedTexts(now)]) {
    if (texts.reduce((chars, text) => chars + text.data.length, 0) <= OUTCOMES_CHARS_MAX) for (const text of texts) outcomes.add(text);
  }
};
