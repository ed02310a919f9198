// Rows without an element: in a grid of cells without rows, and in a list of terms, a control belongs to what stands between it
// and the one before it that is alike.

// Cells that stand for rows without an element: what the others of their kind are, and the way to their words.
const cellRows = new WeakMap();
// What may tell a row: words, and numbers such as those of orders, versions and addresses. A short one may count something.
const TELLS_ROW = /\p{L}{2}|\p{N}{3}|\p{L}\p{N}/u;
// How far the cell before may be, and how deep in it the control.
const CELLS_BESIDE_MAX = 8, CELL_NODES_MAX = 30, CELL_LEVELS_MAX = 2;

// Takes a cell for its row if it holds the control of a row without an element: others of its kind are beside it, with other
// texts between. Returns whether it does. Such a control has words: a stepper has two signs around a number.
function noteCellRow(cell, path, control, looked) {
  if (!dom.parent(cell) || isWrittenIn(control.element)) return false;
  const steps = [...path];
  const isLike = (other) => dom.type(other) === 1 && dom.tag(other) === dom.tag(cell) && hasLike(other, steps, control, looked, true);
  if (likeBeside(cell, isLike).every((like) => like === null) || !/\p{L}/u.test(saidBy(control, looked) ?? '')) return false;
  cellRows.set(cell, { isLike, way: wordsBeforeFirst(cell, isLike) ? dom.previousSibling : dom.nextSibling });
  // The text of a link is read with what stands around it.
  const own = dom.tag(control.element) === 'a' ? tidy(textIn(control.element, isAboutRow, false)) : '';
  const pieces = piecesIn(cell).pieces.filter((piece) => piece !== own);
  const isRow = pieces.some((piece) => TELLS_ROW.test(piece)) && pieces.join('').length <= PLAIN_ROW_CHARS_MAX;
  if (!isRow) cellRows.delete(cell);
  return isRow;
}

// The cells before and after that are like it; null where none is near.
function likeBeside(cell, isLike) {
  return [dom.previousElement, dom.nextElement].map((way) => {
    for (let at = way(cell), count = 0; at && count < CELLS_BESIDE_MAX; at = way(at), count++) if (isLike(at)) return at;
    return null;
  });
}

// Whether the first cell of its kind has words before it, as the others have then.
function wordsBeforeFirst(cell, isLike) {
  let at = dom.firstChild(dom.parent(cell));
  for (let count = 0; at && count < PLAIN_PLACES_MAX && at !== cell && !isLike(at); at = dom.nextSibling(at), count++) {
    if (saysWords(at)) return true;
  }
  return !at || (at !== cell && !isLike(at));
}
const saysWords = (node) => {
  if (dom.type(node) === 3) return /[\p{L}\p{N}]/u.test(node.data.slice(0, ABOUT_MAX_CHARS));
  return dom.type(node) === 1 && isAboutRow(node) && /[\p{L}\p{N}]/u.test(textIn(node, isAboutRow, false));
};

// The nodes that belong to a cell, from the one like it until there. The first has as many as are between it and the next.
function nodesOfCell(cell) {
  const { isLike, way } = cellRows.get(cell);
  const until = (way) => {
    const nodes = [];
    let at = way(cell);
    for (; at && nodes.length < CELL_NODES_MAX && !isLike(at); at = way(at)) nodes.push(at);
    return { nodes, isFirst: !at };
  };
  const { nodes, isFirst } = until(way);
  const own = isFirst ? nodes.slice(0, until(way === dom.previousSibling ? dom.nextSibling : dom.previousSibling).nodes.length) : nodes;
  return way === dom.previousSibling ? own.reverse() : own;
}
