// Rows without an element of their own. In a grid of cells without row elements, and in a list of terms (`dl`), each cell with a
// control ends a row, or begins one: the row's words are in the nodes between this cell and the next one of its kind.

// The cells with a control that stand for such rows, each with `isLike`, which recognises others of its kind, and `way`, the
// direction in which the row's words are.
const cellRows = new WeakMap();
// Texts that may identify a row: words, and numbers such as those of orders, versions and addresses. A short number may be a
// count.
const TELLS_ROW = /\p{L}{2}|\p{N}{3}|\p{L}\p{N}/u;
// How far away the next cell of the kind may be, how many nodes a row may have, and how deep in its cell the control may be.
const CELLS_BESIDE_MAX = 8, CELL_NODES_MAX = 30, CELL_LEVELS_MAX = 2;

// Notes a cell that holds a control as its row if others of its kind are beside it with texts between them. Returns whether it
// did. The control must have words: the two signs of a stepper are around a number, and end no row.
function noteCellRow(cell, path, control, looked) {
  if (!dom.parent(cell) || isWrittenIn(control.element)) return false;
  const steps = [...path];
  const isLike = (other) => dom.type(other) === 1 && dom.tag(other) === dom.tag(cell) && hasLike(other, steps, control, looked, true);
  if (likeBeside(cell, isLike).every((like) => like === null) || !/\p{L}/u.test(saidBy(control, looked) ?? '')) return false;
  cellRows.set(cell, { isLike, way: wordsBeforeFirst(cell, isLike) ? dom.previousSibling : dom.nextSibling });
  // The words of a row include those of links, also of the control itself if it is one: these don't count here.
  const own = dom.tag(control.element) === 'a' ? tidy(textIn(control.element, isAboutRow, false)) : '';
  const pieces = piecesIn(cell).pieces.filter((piece) => piece !== own);
  const isRow = pieces.some((piece) => TELLS_ROW.test(piece)) && pieces.join('').length <= PLAIN_ROW_CHARS_MAX;
  if (!isRow) cellRows.delete(cell);
  return isRow;
}

// The nearest cells of its kind before and after a cell; null where none is near.
function likeBeside(cell, isLike) {
  return [dom.previousElement, dom.nextElement].map((way) => {
    for (let at = way(cell), count = 0; at && count < CELLS_BESIDE_MAX; at = way(at), count++) if (isLike(at)) return at;
    return null;
  });
}

// Whether words stand before the first cell of its kind. If so, each row ends with its cell; else each begins with it.
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

// The nodes of a cell's row: those between it and the next cell of its kind. The outermost row has no such end: it has as many
// nodes as the row beside it.
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
