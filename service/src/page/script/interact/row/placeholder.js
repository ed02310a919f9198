// Placeholders that name fields: some take turns, as examples of what may be asked. One that has changed by itself while no action
// was to be answered, twice or from one snapshot to the next, tells its field no longer: another question changes it once.

const ownPlaceholder = (element) => tidy(dom.attribute(element, 'placeholder') || dom.attribute(element, 'aria-placeholder') || '');
// Of each field that was shown with its placeholder as its name `{name, actions, isAlone, changes}`: that name, how many actions had
// begun by then, whether none was to be answered still, and how often it has changed by itself since it was first shown.
const placeholders = new WeakMap();
const PLACEHOLDERS_WATCHED_MAX = 50, TURNS_MIN = 2;
let placeholdersWatched = 0;
const placeholderWatch = new MutationObserver((records) => {
  for (const field of new Set(records.map(({ target }) => target))) {
    const known = placeholders.get(field);
    if (known && isByItself(known)) known.changes++;
  }
});
const notePlaceholder = (field, name) => {
  if (name === '' || name !== ownPlaceholder(field)) return;
  const known = placeholders.get(field);
  if (known) {
    if (isByItself(known) && known.isAlone && known.name !== name) known.changes = Math.max(known.changes, TURNS_MIN);
  } else if (placeholdersWatched++ < PLACEHOLDERS_WATCHED_MAX) {
    placeholderWatch.observe(field, { attributeFilter: ['placeholder', 'aria-placeholder'] });
  }
  placeholders.set(field, { name, actions: actionsBegun, isAlone: performance.now() >= answeredBy, changes: known?.changes ?? 0 });
};
const isByTurns = (field, name) => (placeholders.get(field)?.changes ?? 0) >= TURNS_MIN && name === ownPlaceholder(field);
