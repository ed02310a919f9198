// Rows of long documents. Most of their lines are not shown, and to tell which row a line is in takes as long as the line
// itself. So the rows are told once it is known which lines are shown, if nothing has changed since the lines were read.

const ROWS_AT_ONCE_MAX = 1000;
// Which lines were read last without their rows: whether they are as they were.
let stillAsRead = null;

// A document that has changed meanwhile is read as a whole for as long.
const CHANGES_AGAIN_MS = 60_000;
let lastChanged = -Infinity;

// Changes in shadow roots are not watched for.
const hasLateRows = (walk) => walk.collected > ROWS_AT_ONCE_MAX && seenRoots.length === 0 && performance.now() > lastChanged + CHANGES_AGAIN_MS;

// `called` says what each line that may get a ref is called, by its number.
const beginLateRows = (called) => {
  stillAsRead?.end();
  let hasChanged = false;
  const observer = new MutationObserver(() => { hasChanged = true; observer.disconnect() });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const end = () => { hasChanged ||= observer.takeRecords().length > 0; observer.disconnect(); return !hasChanged };
  stillAsRead = { end, called };
};

// The rows of elements by their numbers; null where the document has changed since its lines were read.
kit.rows = (wanted) => {
  const isStill = stillAsRead?.end() ?? false, called = stillAsRead?.called;
  stillAsRead = null;
  if (!isStill) {
    lastChanged = performance.now();
    return null;
  }
  const cache = new Map(), looked = { count: 0 };
  beginWalk();
  try {
    const told = new Map(withTwins(wanted, called).map((number) => [number, elementOf(number)]).filter(([, element]) => element !== null)
      .map(([number, element]) => [number, { element, called: called.get(number), row: rowOf(element, cache, looked) }]));
    for (const number of wanted) if (told.has(number)) noteEntry(told.get(number).element, cache);
    tellByHeads([...told.values()].filter((entry) => entry.called !== undefined), cache);
    return wanted.map((number) => told.get(number)?.row ?? 0);
  } finally { endWalk() }
};
// The numbers that are wanted, with those of lines that are called the same and not shown: they may be told by their heads.
const TWINS_NOT_SHOWN_MAX = 500;
function withTwins(wanted, called) {
  const names = new Set(wanted.map((number) => called.get(number))), shown = new Set(wanted);
  const twins = [...called].filter(([number, name]) => names.has(name) && !shown.has(number)).map(([number]) => number);
  return [...wanted, ...twins.slice(0, TWINS_NOT_SHOWN_MAX)];
}
