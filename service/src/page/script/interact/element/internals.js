// Custom elements that keep their role and states in `ElementInternals`. No document can read these, the protocol can: it is
// asked about the elements that a walk or a search has come upon, and tells the kit.

// How many elements are asked about at once.
const INTERNALS_MAX = 100;
// What was told last: `{role, name, value, disabled, checked, expanded, selected, pressed, required, readonly, invalid}`, all texts.
const internals = new WeakMap();
let isAnyInternal = false;
// Those of which there was nothing to tell. They are not asked about again in their document.
const withoutInternals = new WeakSet();
let latestCustoms = [], askedCustoms = [];

const internalsOf = (element) => (isAnyInternal ? internals.get(element) : undefined);

// Whether an element may keep any: one that takes the focus, or is a field of forms. Pages have thousands of others.
function mayKeepInternals(element, tag) {
  return tag.includes('-') && isHtml(element) && !withoutInternals.has(element) && !dom.has(element, 'role')
    && dom.matches(element, ':is([tabindex], :enabled, :disabled):defined');
}

// Those of a tree that were not asked about yet.
function unaskedIn(tree) {
  const unasked = [];
  for (const element of allIn(tree, ':is([tabindex], :enabled, :disabled):defined')) {
    if (unasked.length === INTERNALS_MAX) break;
    if (!internals.has(element) && mayKeepInternals(element, dom.tag(element))) unasked.push(element);
  }
  return unasked;
}

// The elements that the latest walk or search wants to know of, and one that was told of before.
kit.customs = () => (askedCustoms = latestCustoms);
kit.customOf = (number) => (askedCustoms = [elementOf(number)].filter(element => element !== null && internals.has(element)));

// Keeps what is told of the elements that were asked for last, in their order; null where there is nothing. Whether any of it
// is new.
kit.keepInternals = (told) => {
  let isNew = false;
  for (const [at, now] of told.entries()) {
    const element = askedCustoms[at];
    if (element === undefined) continue;
    const before = internals.get(element);
    if (now === null || !ROLES.has(now.role) || now.role === 'none' || now.role === 'generic') {
      if (before === undefined) withoutInternals.add(element);
      continue;
    }
    isAnyInternal = true;
    internals.set(element, now);
    if (JSON.stringify(before) !== JSON.stringify(now)) isNew = true;
  }
  return isNew;
};
