// Whether an element can be acted on, and where: visible, enabled, editable, still, in view, and hit at that point.

const BOXES_LOOKED_AT_MAX = 200;
const INTERACTIVE = 'a[href], button, input, select, textarea, [role=button], [role=link]';
// What may be inside one of those and acts by itself there: a button in a card.
const NESTED = `${INTERACTIVE}, summary, [contenteditable], [role=checkbox], [role=combobox], [role=listbox], [role=menuitem], [role=menuitemcheckbox], \
[role=menuitemradio], [role=option], [role=radio], [role=searchbox], [role=slider], [role=spinbutton], [role=switch], [role=tab], [role=textbox], [role=treeitem]`;
const TEXT_TYPES = new Set(['text', 'search', 'tel', 'url', 'email', 'password', 'number']);
const VALUE_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'range', 'color']);

const isInput = (element) => element instanceof HTMLInputElement;
const typeOf = getter(HTMLInputElement, 'type');
const controlOf = getter(HTMLLabelElement, 'control');
const labelsOf = (element) => {
  const type = [HTMLInputElement, HTMLSelectElement].find((one) => element instanceof one);
  return [...(type && getter(type, 'labels')(element)) ?? []];
};

const isBox = (element) => isInput(element) && ['checkbox', 'radio'].includes(typeOf(element));

// The boxes of an element; of one without a box of its own, those of its children.
const actBoxes = (element, room = { left: BOXES_LOOKED_AT_MAX }) => {
  if (room.left-- <= 0) return [];
  const own = [...rectsOf(element)].filter((rect) => rect.width > 0 && rect.height > 0);
  if (own.length > 0) return isRendered(element, { visibilityProperty: true }) ? own : [];
  if (getComputedStyle(element).display === 'none') return [];
  return [...childrenOf(element)].flatMap((child) => actBoxes(child, room));
};
const actVisible = (element) => actBoxes(element).length > 0;

const actDisabled = (element) => {
  if (matches(element, ':disabled')) return true;
  for (let at = element; at instanceof Element; at = flatParent(at)) {
    const said = attributeOf(at, 'aria-disabled');
    if (said !== null && said !== '') return said.toLowerCase() === 'true';
  }
  return false;
};

// What an element's state is asked of: a label's control, the button or link that a plain element is in.
const actTarget = (element) => {
  const control = element instanceof HTMLLabelElement ? controlOf(element) : null;
  if (control) return control;
  const isOne = matches(element, NESTED) || Number.parseInt(attributeOf(element, 'tabindex'), 10) >= 0;
  return isOne ? element : closest(element, 'button, [role=button], a[href], [role=link]') ?? element;
};
// A button that is disabled takes no pointer for what is in it either.
const isActDisabled = (element) => actDisabled(actTarget(element)) || closest(element, 'button:disabled') !== null;

// How text gets into an element: `text` by input, `value` by its setter, `content` into what is editable; null: not at all.
const actFieldKind = (element) => {
  if (isInput(element)) {
    const type = typeOf(element);
    return TEXT_TYPES.has(type) ? 'text' : VALUE_TYPES.has(type) ? 'value' : null;
  }
  if (element instanceof HTMLTextAreaElement) return 'text';
  return element instanceof HTMLElement && (isEditable(element) || hasEditContext(element)) ? 'content' : null;
};
const isFieldItself = (element) => {
  const kind = actFieldKind(element);
  return kind === 'content' ? isEditingHost(element) || hasEditContext(element) : kind !== null;
};
// The field that an element means: itself, a label's control, or the only field inside.
const actField = (element) => {
  const meant = element instanceof HTMLLabelElement ? controlOf(element) ?? element : element;
  if (actFieldKind(meant) || meant instanceof HTMLSelectElement || isInput(meant)) return meant;
  const inside = [...findIn(meant, 'input, textarea, [contenteditable], [tabindex]')]
    .filter((field) => isFieldItself(field) && (actVisible(field) || drawingOf(field)));
  const writable = inside.filter((field) => !actReadOnly(field));
  return inside.length === 1 ? inside[0] : writable.length === 1 ? writable[0] : meant;
};
const actReadOnly = (element) =>
  (actFieldKind(element) !== 'content' && hasAttribute(element, 'readonly')) || attributeOf(element, 'aria-readonly') === 'true';

// Whether acting on what is at the point acts on `element`: it is inside, or its label, or the button that it is in.
const actAccepts = (hit, element) => {
  if (isWithin(hit, element)) {
    // A link in a label is not what the label is for.
    const control = element instanceof HTMLLabelElement ? controlOf(element) : null;
    const inner = control && hit instanceof Element ? closest(hit, INTERACTIVE) : null;
    return !inner || inner === control || !contains(element, inner);
  }
  // An icon of its own component may be drawn in a label.
  const label = flatClosest(hit, 'label');
  if (label && controlOf(label) === element) {
    const inner = flatClosest(hit, INTERACTIVE);
    return !inner || inner === element || !isWithin(inner, label);
  }
  const target = actTarget(element);
  return (target !== element && !isNested(element) && isWithin(hit, target)) || isLeftToHost(hit, element) || isDrawnBy(hit, element)
    || isShownFor(hit, element) || isLaidOver(hit, element);
};
// Whether a field stands for a list that is drawn beside it: by its role, or as one that can't be written in and is clipped
// away.
const isOfList = (element) => isInput(element)
  && (['combobox', 'listbox'].includes(roleOf(element)) || (hasAttribute(element, 'readonly') && (isFoldedAway(element) || !actVisible(element))));
// Whether an element is drawn for such a field, which is in it: in one line, without another control but the button that
// opens the list.
const SHOWN_HEIGHTS_MAX = 3, SHOWN_HEIGHT_MIN = 24;
const isLineOf = (field, around) => rectOf(around).height <= SHOWN_HEIGHTS_MAX * Math.max(rectOf(field).height, SHOWN_HEIGHT_MIN)
  && isOnlyControl(field, around, (one) => tagOf(one) !== 'button' || !hasAttribute(one, 'aria-haspopup'));
// Whether it shows what a list's field holds: drawn over the field by an element beside it.
const isShownFor = (hit, element) => {
  if (!(hit instanceof HTMLElement) || !isOfList(element)) return false;
  let at = hit;
  for (; at instanceof Element && !isWithin(element, at); at = flatParent(at)) if (matches(at, NESTED) || hasAttribute(at, 'onclick')) return false;
  return at instanceof HTMLElement && isLineOf(element, at);
};
// What is drawn in place of a field that is not: the surface of an editor, or the element around the field of a list.
const DRAWN_UP_MAX = 3;
const drawnFor = (field) => {
  const surface = drawingOf(field)?.surface;
  if (surface || actVisible(field) || !isOfList(field)) return surface ?? null;
  for (let at = flatParent(field), up = 0; at instanceof HTMLElement && up < DRAWN_UP_MAX; at = flatParent(at), up++) {
    const { width, height } = rectOf(at);
    if (width > DOT_PX_MAX && height > DOT_PX_MAX) return actVisible(at) && isLineOf(field, at) ? at : null;
  }
  return null;
};
// Whether a transparent box is laid over the element that draws it, so that a click there is one of the box.
const isLaidOver = (hit, element) => {
  const around = flatParent(hit);
  if (!isBox(hit) || !(around instanceof Element) || !isWithin(element, around) || getComputedStyle(hit).opacity !== '0') return false;
  const [over, under] = [hit, element].map(rectOf);
  const isOver = over.left <= under.left + 1 && over.top <= under.top + 1 && over.right >= under.right - 1 && over.bottom >= under.bottom - 1;
  return isOver && isOnlyControl(hit, around) && nameOf(hit) === '';
};
// Whether an input that is clipped away is drawn by the small element around it that holds nothing else, as a slider's thumb.
const isDrawnBy = (hit, element) => {
  if (!isInput(element) || !(hit instanceof HTMLElement) || !isWithin(element, hit) || getComputedStyle(element).clip === 'auto') return false;
  const [inner, outer] = [element, hit].map(rectOf);
  return outer.width * outer.height <= HOST_AREA_MAX * inner.width * inner.height && contentOf(hit) === '' && isOnlyControl(element, hit);
};
// Whether a part of a component leaves the pointer to its host, which is not much larger.
const HOST_AREA_MAX = 4;
const isLeftToHost = (hit, element) => {
  const root = rootOf(element);
  if (!(root instanceof ShadowRoot) || hit !== root.host || getComputedStyle(element).pointerEvents !== 'none') return false;
  const [inner, outer] = [element, hit].map(rectOf);
  return outer.width * outer.height <= HOST_AREA_MAX * inner.width * inner.height;
};

// Whether an element acts by itself within another one that does.
const isNested = (element) => matches(element, NESTED) || reasonToClick(element) !== '';
const reasonToClick = (element) => {
  const around = flatParent(element);
  const pointer = around instanceof Element && getComputedStyle(around).cursor === 'pointer';
  return clickable(element, tagOf(element), getComputedStyle(element), { pointer });
};
// The control inside an element that a point of it is on, which is acted on instead. `byCursor`: also what a cursor alone
// tells, which it does not of what is in a field.
const isByCursor = (element) => element !== documentRoot() && actFieldKind(element) === null;
const nestedAt = (element, x, y, byCursor = isByCursor(element)) => {
  const control = element instanceof HTMLLabelElement ? controlOf(element) : null;
  for (let at = innermostAt(x, y); at instanceof Element && at !== element; at = flatParent(at)) {
    if (at !== control && (byCursor ? isNested(at) : matches(at, NESTED))) return isWithin(at, element) ? at : null;
  }
  return null;
};
const isButton = (nested) => nested !== null && matches(nested, 'a[href], button, summary, [role=button], [role=link]');
// Whether a click on an element is for itself although no role says so: then a button inside it is not what is meant.
const actsByItself = (element) => !actFieldKind(element)
  && (matches(element, INTERACTIVE) || clickable(element, tagOf(element), getComputedStyle(element), { pointer: false }) !== '');

// Whether an element is in this document still: a page may also put it into that of a frame.
const isHere = (element) => isConnected(element) && dom.document(element) === document;

// What an element was shown or found as, and what its row was about, when the action under way found it ready first:
// `{element, role, name, row, own, written}`. `own` is what its field held, which the row says no longer once it is typed
// into. `written` is what stands in a field of the same row that has the focus: once the press takes that from it, the page may
// show it in the row. Lists give their elements to other entries as they scroll, pages rename what the pointer is over.
let meant = null;
const WORDS_IN = /[\p{L}\p{M}\p{N}]+(?:[+#]+|[-\u2212](?![\p{L}\p{N}-]))?|\p{Emoji_Presentation}|\p{Extended_Pictographic}(?=\ufe0f)/gu;
const wordsIn = (text) => new Set(text.toLowerCase().match(WORDS_IN) ?? []);
const isAmong = (few, many) => [...few].every((word) => many.has(word));
// A name's words, symbols and signs of numbers, in order.
const partsOf = (name) => name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|\p{S}|[-\u2212](?=\p{N})/gu) ?? name.match(/\p{Pd}/gu) ?? [];
const hintOf = (element) => tidy(attributeOf(element, 'placeholder') || attributeOf(element, 'aria-placeholder') || '');
const writtenBeside = (element) => {
  const field = focusedElement(), row = rowAround(element);
  if (!row || !field || field === element || !isWithin(field, row) || !['text', 'content'].includes(actFieldKind(field)) || isSecret(field)) return null;
  const text = isInput(field) || field instanceof HTMLTextAreaElement ? field.value : dom.textContent(field);
  // What other rows say is another entry's.
  const others = new Set(othersOf(row, new Map()).map(({ words }) => words));
  return { row, words: wordsIn(text.slice(0, ABOUT_MAX_CHARS)), others };
};
const ownWordsOf = (element) => {
  const value = setValueOf(fieldFor(element));
  return value === '' ? new Set() : wordsIn(`${value} ${wordsAlone(value)}`);
};
const meaningOf = (element, { role, name, content }) => ({
  element, role, name: name || content, row: wordsIn(rowWordsOf(element)), own: ownWordsOf(element), written: writtenBeside(element),
  isHint: name === '' ? !(element instanceof HTMLLabelElement) : name === hintOf(element),
});
// Whether a name still says what it said, perhaps among more words, in the same order.
const saysStill = (before, now) => {
  const [parts, later] = [partsOf(before), partsOf(now)];
  if (parts.length === 0) return before === '' || before === now || now === '';
  let found = 0;
  for (const part of later) if (part === parts[found]) found++;
  return later.length === 0 || found === parts.length;
};
// Whether a name is what it was, or has more words after it, such as those of a tooltip, but no number: words before it or
// among it may say the opposite.
const goesOn = (before, now) => {
  const [parts, later] = [partsOf(before), partsOf(now)];
  return parts.every((part, at) => part === later[at]) && !later.slice(parts.length).some((part) => /[\p{N}\p{Sc}]/u.test(part));
};
// Whether it still is that. As the pointer comes a name may go into a tooltip, or get more words.
const staysMeant = () => {
  if (meant === null) return true;
  if (!isHere(meant.element)) return false;
  const now = meaningOf(meant.element, identityOf(meant.element));
  const isNamed = saysStill(meant.name, now.name) && (partsOf(now.name).length === 0 || goesOn(meant.name, now.name));
  return now.role === meant.role && isNamed && staysInRow();
};
// What the element is now, where that is no longer what was meant; null where it is, or has gone.
kit.changed = () => (meant === null || !isHere(meant.element) || staysMeant() ? null : identityOf(meant.element));
// The same of a field that has got the focus. Its role may follow its type, and what stands in it until then, a placeholder
// or the text of an editor, is no name that stays.
const staysField = () => {
  if (meant === null) return true;
  if (!isHere(meant.element)) return false;
  const now = identityOf(meant.element);
  return (meant.isHint || saysStill(meant.name, now.name || now.content)) && staysInRow();
};
// The same of its row alone.
const staysInRow = (was = meant) => {
  if (was === null) return true;
  const row = wordsIn(rowWordsOf(was.element));
  const before = was.own.size > 0 && isTyped(fieldFor(was.element)) ? was.row.difference(was.own) : was.row;
  if (isAmong(before, row)) return true;
  if (row.size * 2 < before.size) return false;
  return isAmong(row, was.row) || (was.written !== null && isAmong(row, was.row.union(was.written.words)) && !was.written.others.has(wordsOf(was.written.row)));
};
// The control inside the element of the action under way that was under its point at first, `{element, nested}`: one that
// comes up later is not clicked.
let nestedFirst = null;
const CONTROLS_LOOKED_AT_MAX = 200;
// Whether a control is the only one in an element, or in the component inside that it is a part of.
const isOnlyControl = (nested, element, counts = () => true) => {
  const root = rootOf(nested);
  const inside = [element, ...(root instanceof ShadowRoot ? [root] : [])].flatMap((one) => [...allIn(one, NESTED)].slice(0, CONTROLS_LOOKED_AT_MAX));
  return inside.every((one) => isWithin(one, nested) || isWithin(nested, one) || !isWithin(one, element) || !actVisible(one) || isFoldedAway(one) || !counts(one));
};
// All that an element says: words, symbols, dashes. What is in a field is its value.
const saidBy = (element) => {
  const role = shownRole(element);
  const name = ownName(element, role) || (FIELDS.has(role) ? '' : contentOf(element));
  return name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|[\p{S}\p{Pd}]/gu) ?? [];
};
// Whether a click on an element may be one of a control in it: of one that says all that the element says, as a link does in
// an item of a list, or of the only one in a wrapper, where one of the two says nothing. A panel that is called like its tab
// does not mean the button in it. A field only gets the focus.
const standsFor = (nested, element) => {
  if (['text', 'content'].includes(actFieldKind(nested))) return true;
  const [inner, all] = [nested, element].map(saidBy);
  if (inner.length > 0 && all.length > 0) return all.length <= inner.length && isAmong(new Set(all), new Set(inner));
  // An icon beside words is for something that they don't say.
  if (inner.length === 0 && !FIELDS.has(shownRole(nested)) && contentOf(element) !== '') return false;
  return (all.length === 0 || !PANELS.has(roleOf(element))) && isOnlyControl(nested, element);
};
// The first point that may be clicked: not on a control that is for something else. Of an element that acts by itself, other
// points than those of what is in it come first, and parts of it that are no controls leave it the click.
const pointToClick = (element, free, nestedOf) => {
  const acts = actsByItself(element), known = new Map([[null, true]]);
  const mayBe = (nested) => {
    if (!known.has(nested)) known.set(nested, (acts && !matches(nested, NESTED)) || standsFor(nested, element));
    return known.get(nested);
  };
  const point = (acts ? free.find((one) => nestedOf(one) === null) : null) ?? free.find((one) => mayBe(nestedOf(one)));
  if (point) return point;
  // A link that is stretched over its whole card is what a person clicks, wherever that is.
  const [all, ...others] = new Set(free.map(nestedOf));
  return free.length > 1 && others.length === 0 && !PANELS.has(roleOf(element)) && isOnlyControl(all, element) ? free[0] : undefined;
};
// Which of an element's points that are hit is to be clicked, or pressed for a drag or hovered over, and the control inside
// it there.
const chosenPoint = (element, free, clicks) => {
  const nestedOf = (point) => nestedAt(element, ...point);
  if (nestedFirst?.element === element) {
    const point = free.find((one) => [null, nestedFirst.nested].includes(nestedOf(one)));
    return { point, nested: nestedOf(point ?? free[0]) };
  }
  const point = clicks ? pointToClick(element, free, nestedOf)
    : (actsByItself(element) && (free.find((one) => nestedOf(one) === null) ?? free.find((one) => !isButton(nestedOf(one))))) || free[0];
  if (!point) return { point, nested: nestedOf(free[0]) };
  nestedFirst = { element, nested: nestedOf(point) };
  return { point, nested: nestedFirst.nested };
};

// Whether an element is what it was shown or found as, and has stayed that since it was ready first. Until then the pointer
// has not come to it: what changes while it is waited for is not the pointer's work.
const isMeant = (element, shown) => {
  if (meant?.element === element && meant.wasReady) return staysMeant();
  if (!shown) return true;
  const now = identityOf(element);
  if (!isAsShown(now, shown)) return false;
  meant = meaningOf(element, now);
  return true;
};
const isAsShown = (now, shown) => now.role === shown.role && now.row === shown.row
  && (now.name === '' && shown.name !== '' ? now.content : now.name) === shown.name;

// The element at a point as seen from the tree of `element`: from the document down through the shadow roots it is in.
const actHit = (element, x, y) => {
  const roots = [];
  for (let root = rootOf(element); ; root = rootOf(root.host)) {
    roots.unshift(root);
    if (!(root instanceof ShadowRoot)) break;
  }
  let hit = null;
  for (const [index, root] of roots.entries()) {
    const inner = elementAt(root, x, y);
    if (!inner) break;
    // The text of a host is no element: what is hit is the slot that shows it.
    hit = root instanceof ShadowRoot && inner === root.host ? slotAt(root, x, y) ?? inner : inner;
    if (index + 1 < roots.length && inner !== roots[index + 1].host) break;
  }
  return hit;
};
// What covers the element at a point, described; null where nothing does.
const actCover = (element, x, y) => {
  if (!isConnected(element)) return describe(elementAt(document, x, y) ?? element);
  const hit = actHit(element, x, y);
  if (hit && actAccepts(hit, element)) return null;
  return hit ? describe(actCoverRoot(hit, element)) : 'the edge of the window';
};
// The outermost element of what covers, which says more than the word in it.
const actCoverRoot = (hit, element) => {
  let outermost = hit;
  for (let at = hit; at instanceof Element && !isWithin(element, at); at = flatParent(at)) outermost = at;
  return outermost;
};

// What stands before the whole page and a field, such as a question about cookies, so that a person could not get to the
// field: keys would. Null where nothing does, or where what covers the field is drawn around it.
const wallBefore = (element, points) => {
  if (points.length === 0 || hasFocus(element) || points.some(([x, y]) => actCover(element, x, y) === null)) return null;
  for (let at = actHit(element, ...points[0]); at instanceof Element; at = flatParent(at)) {
    if (isWithin(element, at)) return null;
    if (getComputedStyle(at).position === 'fixed' || matches(at, ':popover-open')) return at;
  }
  return null;
};

const spreadOver = ({ left, top, width, height }) => [1 / 2, 1 / 6, 5 / 6].flatMap((down) => [1 / 6, 5 / 6, 1 / 2].map((along) => [left + width * along, top + height * down]));
// Points to try: the middle of each box that is in view, then points spread over the first.
const actPoints = (element) => {
  const clipped = actBoxes(element).map((rect) => {
    const [left, top] = [Math.max(rect.left, 0), Math.max(rect.top, 0)];
    return { left, top, width: Math.min(rect.right, innerWidth) - left, height: Math.min(rect.bottom, innerHeight) - top };
  }).filter((rect) => rect.width > 0 && rect.height > 0 && rect.width * rect.height > 0.99).slice(0, 8);
  const points = clipped.map((rect) => [rect.left + rect.width / 2, rect.top + rect.height / 2]);
  return clipped.length === 0 ? points : [...points, ...spreadOver(clipped[0])];
};

const sameRect = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
const lacks = (what, element, more) => ({ lacks: what, what: describe(element), ...more });

const scrollTo = (element, align) => {
  const before = rectOf(element);
  scrollIntoView(element, { block: align, inline: align, behavior: 'instant' });
  return !sameRect(before, rectOf(element));
};

// Where an element was when it was last looked at. One that is there still, and is not animated, stands still: no frame
// need be waited for.
const lastSeen = new WeakMap();
const SEEN_MS_MIN = 20;
const SEEN_MS_MAX = 60_000;
kit.sees = (element, rect) => { lastSeen.set(element, { rect, at: performance.now() }); };
const isAnimated = (element) => Document.prototype.getAnimations.call(document)
  .some(({ playState, effect }) => playState === 'running' && effect?.target && isWithin(drawnOf(element), effect.target));
const stoodStill = (element, rect) => {
  const last = lastSeen.get(element);
  const ago = performance.now() - (last?.at ?? 0);
  return last && ago > SEEN_MS_MIN && ago < SEEN_MS_MAX && sameRect(last.rect, rect) && !isAnimated(element);
};

// Whether a person would click an element's label in its place: a box that is not drawn, or that stands beyond the page's
// edge, and a select that something else is drawn for.
const DOT_PX_MAX = 2;
const isLeftToLabel = (element, ask) => {
  if (!actVisible(element)) return ask.labels || isBox(element);
  if (isBox(element)) return isBeyondPage(element);
  const box = rectOf(element);
  return Boolean(ask.clicks) && element instanceof HTMLSelectElement && box.width <= DOT_PX_MAX && box.height <= DOT_PX_MAX;
};
// Where the element of the action under way was hit when it was ready last: `{asked, element, x, y}`, `element` being what
// is drawn in place of the one that was asked for.
let aimed = null;
// What a click at a point is for, of the innermost element there: the control that it is in, or else the page, in which no
// control may come up under the pointer. `{number, role, name}`, without a name of the page; null of a document that is not
// ours to ask.
kit.actedOnAt = (number) => {
  const hit = elementOf(number);
  if (!hit || ['object', 'embed'].includes(tagOf(hit))) return null;
  const control = flatClosest(hit, `${NESTED}, label`);
  if (!control) return { number: numberOf(documentRoot()), role: '', name: '' };
  foundAs.set(control, identityOf(control));
  const { role, name, content } = identityOf((control instanceof HTMLLabelElement && controlOf(control)) || control);
  return { number: numberOf(control), role, name: (name || (FIELDS.has(role) ? '' : content)).slice(0, 200).toWellFormed() };
};
// The same as `ready` for a given point: the element is still what it was, and hit there.
const readyAt = (element, { at: [x, y], found }) => {
  if (!isMeant(element, found ? foundAs.get(element) : null)) return lacks('same', element, { is: identityOf(element) });
  const box = boxOf(rectOf(element)), by = actCover(element, x, y);
  if (by !== null) return lacks('uncovered', element, { box, by });
  guard(element, false, { nested: nestedAt(element, x, y), under: innermostAt(x, y) });
  if (meant?.element === element) meant.wasReady = true;
  watch(element);
  return { x, y, box, what: describe(element), waited: false };
};
// Brings an element into the state that `ask` wants, as far as that is ours, and says what it still lacks:
// `{visible, enabled, editable, still, hit, clicks, reached, labels, at, align, shown, found, matched}`. `shown` is the role, name
// and row that it must have, `found` those that it was found with; with `matched` its target must match it still. With `hit`,
// events at the point are checked from now on (guard.js), and changes of the document are counted (quiet.js). `waited`: the
// page's script may have run meanwhile.
kit.ready = async (number, ask) => {
  let waited = false;
  const asked = elementOf(number);
  let element = asked;
  if (!element) return { lacks: 'attached', what: 'the element' };
  if (ask.at) return readyAt(element, ask);
  if (ask.editable) {
    element = actField(asked);
    typedInto = { element: asked, field: element };
  }
  // A pointer goes where the text is drawn.
  else if (ask.hit) element = drawnFor(element) ?? element;
  if (isLeftToLabel(element, ask)) element = labelsOf(element).find(actVisible) ?? element;
  const kind = actFieldKind(element);
  if (ask.editable && !kind) return lacks('field', element);
  if (element instanceof HTMLOptionElement && !actVisible(element)) return lacks('list', element);
  const seen = ask.visible && !actVisible(element) ? drawnFor(element) ?? element : element;
  if (ask.visible && !actVisible(seen)) return lacks('visible', element);
  if (ask.enabled && isActDisabled(element)) return lacks('enabled', element);
  if (ask.editable && actReadOnly(element)) return lacks('editable', element);
  const inert = ask.enabled ? inertBy(element) : null;
  if (inert) return lacks('uncovered', element, { by: describe(inert) });
  if (ask.still) {
    const before = rectOf(element);
    if (!stoodStill(element, before)) {
      waited = true;
      // A transition begins with the frame after its style, and no animation goes on without one.
      const isDrawn = await frame() && (!isAnimated(element) || await frame());
      if (!isConnected(element)) return { lacks: 'attached', what: 'the element' };
      kit.sees(element, rectOf(element));
      if (!sameRect(before, rectOf(element)) || (!isDrawn && isAnimated(element))) return lacks('still', element);
    }
  }
  // In a frame its parents' windows may not show it, which is not known here.
  const align = ask.align ?? (actPoints(element).length === 0 ? 'center' : parent === window ? null : 'nearest');
  if (align && scrollTo(element, align)) {
    waited = true;
    await frame();
  }
  if (ask.matched && aimed?.asked !== asked && foundBy.get(asked)?.() === false) return lacks('same', element, { is: identityOf(asked) });
  if (!isMeant(asked, ask.found ? foundAs.get(asked) : ask.shown)) return lacks('same', element, { is: identityOf(asked) });
  kit.sees(element, rectOf(element));
  const box = boxOf(rectOf(element));
  const points = actPoints(element);
  let point = points[0] ?? [box.x + box.width / 2, box.y + box.height / 2];
  const wall = ask.reached ? wallBefore(seen, points) : null;
  if (wall) return lacks('uncovered', element, { box, by: describe(wall) });
  if (ask.hit) {
    if (points.length === 0) return lacks('view', element, { box });
    const freeOf = (one) => actPoints(one).filter(([x, y]) => actCover(one, x, y) === null);
    let free = freeOf(element);
    // Boxes that are not drawn may lie under one another's labels. A click on its own label is one of the box.
    const label = free.length === 0 && isBox(element) ? labelsOf(element).find((one) => freeOf(one).length > 0) : null;
    if (label) {
      element = label;
      free = freeOf(label);
    }
    if (free.length === 0) return lacks('uncovered', element, { box, by: actCover(element, ...points[0]) });
    const chosen = chosenPoint(element, free, ask.clicks);
    if (!chosen.point) return lacks('uncovered', element, { box, by: describe(chosen.nested) });
    ({ point } = chosen);
    guard(element, false, { nested: chosen.nested, under: innermostAt(...point) });
  }
  aimed = ask.hit ? { asked, element, x: point[0], y: point[1] } : null;
  if (meant?.element === asked) meant.wasReady = true;
  watch(element);
  return { x: point[0], y: point[1], box, what: describe(element), waited };
};

// Points of a box inside a frame that are in view in this document, its own point first.
const pointsThrough = (element, { x, y, box }) => {
  const map = frameMap(element), part = partInside(element, box);
  return [[x, y], ...spreadOver({ ...part, left: part.x, top: part.y })].map(([h, v]) => outwards(element, h, v, map))
    .filter(([h, v]) => h >= 0 && v >= 0 && h <= innerWidth && v <= innerHeight);
};
// Where a point and a box inside a frame are in this document, with the checks that the frame is hit there (`hit`), that
// nothing stands before it and the whole page (`reached`), and that it takes input (`enabled`).
kit.through = (number, inside) => {
  const { x, y, box, hit, reached, enabled } = inside;
  const element = elementOf(number);
  if (!element) return { lacks: 'attached', what: 'the frame' };
  const [outerX, outerY] = outwards(element, x, y);
  const outer = boxOutwards(element, box);
  const before = (enabled ? inertBy(element) : null) ?? (reached ? wallBefore(element, pointsThrough(element, inside)) : null);
  if (before) return lacks('uncovered', element, { box: outer, by: describe(before) });
  if (hit) {
    if (outerX < 0 || outerY < 0 || outerX > innerWidth || outerY > innerHeight) return lacks('view', element);
    const by = actCover(element, outerX, outerY);
    if (by !== null) return lacks('uncovered', element, { by });
    guard(null, false);
  }
  watch(element);
  return { x: outerX, y: outerY, box: outer, what: describe(element) };
};
