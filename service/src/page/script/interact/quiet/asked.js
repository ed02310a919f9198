// Whether the page's script has asked for a frame, a timer or an idle time, and what else is due.

// The ids of a frame, a timer and an idle time that are asked for now, and not waited for. A document gives them in turn to
// all worlds, so those that the page's script was given since the last ones are missing between them.
const handedOut = () => {
  const ids = [requestAnimationFrame(() => {}), setTimeout(() => {}), requestIdleCallback(() => {})];
  cancelAnimationFrame(ids[0]);
  clearTimeout(ids[1]);
  cancelIdleCallback(ids[2]);
  return ids;
};
// Notes whether the page's script has asked for one since the last note; what `own` asks for at once is ours.
const noteAsked = (now, own = () => {}) => {
  const handed = handedOut();
  const isAsked = handed.map((id, nth) => id > now.handed[nth] + 1);
  now.asked ||= isAsked.includes(true);
  now.askedFrame ||= isAsked[0];
  const result = own();
  now.handed = handedOut();
  return result;
};
// Whether the page's script has asked for one since the action began.
const hasAsked = () => {
  if (watched) noteAsked(watched);
  return !watched || watched.asked;
};
// Whether the page has databases, which answer in their own time: a write and a read may take more than a frame.
const hasDatabases = async () => {
  try {
    return (await indexedDB.databases()).length > 0;
  } catch {
    return false; // a document without an origin has none
  }
};
// Waits for `delay`, and until all tasks of this document have run, also those that they post; false if the next frame comes
// before.
const tasksEnd = (delay) => new Promise((resolve) => {
  const next = requestAnimationFrame(() => resolve(false));
  const longest = setTimeout(() => resolve(false), FRAME_LONGEST_MS);
  const end = () => {
    cancelAnimationFrame(next);
    clearTimeout(longest);
    resolve(true);
  };
  scheduler.postTask(end, { priority: 'background', delay });
});
// Waits until no task is left that the page's script has posted, such as the slices of work of React's scheduler: tasks of a lower
// priority come after all of these. A page that posts them at all times is not waited for longer than one that never rests.
const TASKS_LONGEST_MS = 500;
const noTaskIsLeft = (longestMs) => new Promise((resolve) => {
  const longest = setTimeout(resolve, longestMs);
  scheduler.postTask(() => {
    clearTimeout(longest);
    resolve();
  }, { priority: 'background' });
});
// Notes whether the document had no task left since the action began, before anything came of it.
const noteIdle = (now) => { scheduler.postTask(() => { now.wasIdle = true; }, { priority: 'background' }); };
// Whether the page has databases, also those that the action made; waits for two answers of their process then. A write and a
// read take three; so many have come by the second frame, also where that process is slower than frames.
const databasesAnswer = () => Promise.race([
  hasDatabases().then((has) => has && hasDatabases()),
  new Promise((resolve) => { setTimeout(resolve, FRAME_LONGEST_MS); }),
]);
// Waits until the timers have run that were over before.
const timersEnd = () => new Promise((resolve) => { setTimeout(resolve); });
// Waits until the frame and the timers have come that the page's script has asked for since the action began, if it has. Between a
// press and the release pages set up what heeds the release so.
const askedComes = async () => {
  if (!hasAsked()) return;
  if (!watched || watched.askedFrame) await frame();
  await timersEnd();
};
// Half a frame: so long a document must be still at least. Frames come at any time after an action, and what other threads
// and processes answer, a database or the history, takes some of it.
const STILL_MS_MIN = 8;
// Whether a second frame would show nothing that the first did not: the page's script has asked for no frame, timer or idle
// time since the action began and has no database, nothing moves, and no task is left. `since`: when it was still first.
const nothingIsDue = async (now, since) => {
  const isQuiet = () => !now.asked && !now.stores && Document.prototype.getAnimations.call(document).length === 0;
  const delay = Math.max(0, since + STILL_MS_MIN - performance.now());
  const ended = noteAsked(now, () => (isQuiet() ? tasksEnd(delay) : false));
  if (!await ended) return false;
  noteAsked(now);
  return isQuiet();
};
