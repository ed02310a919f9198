// What a hit at a point acts on: the element that is meant, what is drawn for it, or a control that is for something else.

// Whether acting on what is at the point acts on `element`: it is inside, or its label, or the button that it is in.
const actAccepts = (hit, element) => {
  if (isWithin(hit, element)) {
    // A link in a label is not what the label is for.
    const control = element instanceof HTMLLabelElement ? controlOfLabel(element) : null;
    const inner = control && hit instanceof Element ? closest(hit, INTERACTIVE) : null;
    return !inner || inner === control || !contains(element, inner) || isDrawnByButton(control, inner, element);
  }
  // An icon of its own component may be drawn in a label.
  const label = flatClosest(hit, 'label');
  if (label && controlOfLabel(label) === element) {
    const inner = flatClosest(hit, INTERACTIVE);
    return !inner || inner === element || !isWithin(inner, label);
  }
  const target = actTarget(element);
  return (target !== element && !isNested(element) && isWithin(hit, target)) || isLeftToHost(hit, element) || isDrawnBy(hit, element)
    || isShownFor(hit, element) || isLaidOver(hit, element) || isTouchTargetOf(hit, element) || isHandleIn(hit, element)
    || isTickedFor(hit, element) || isGlassOver(hit, element) || leavesPointerTo(hit, element);
};
// Whether a radio button that is not drawn is drawn by a button in its label, which no key leads to, such as a star of a rating.
const isDrawnByButton = (control, button, label) => isInput(control) && typeOfInput(control) === 'radio' && !isSeen(control) && tagOf(button) === 'button'
  && attributeOf(button, 'tabindex') === '-1' && isOnlyControl(button, label, (one) => one !== control);
// Whether words leave the pointer to what they are in, which can be clicked and says nothing else.
const leavesPointerTo = (hit, element) => {
  if (!(hit instanceof Element) || isNested(element) || !isWithin(element, hit) || !isNested(hit) || matches(element, 'a') || contentOf(hit) !== contentOf(element)) return false;
  let at = element;
  while (at instanceof Element && at !== hit && getComputedStyle(at).pointerEvents === 'none') at = flatParent(at);
  return at === hit;
};
// Whether what is dragged, or dropped on, leaves the pointer to the entry that it is the handle of.
const isHandleIn = (hit, element) => {
  const isAnEnd = element === dropping?.source || element === dropping?.element;
  const entry = isAnEnd && getComputedStyle(element).pointerEvents === 'none' ? closest(element, '[draggable=true i]') : null;
  return entry !== null && isWithin(element, hit) && isWithin(hit, entry);
};
// Whether a field stands for a list that is drawn beside it: by its role, or as one that can't be written in and is clipped
// away.
const isOfList = (element) => isHiddenList(element) || isInput(element)
  && (['combobox', 'listbox'].includes(roleOf(element)) || (hasAttribute(element, 'readonly') && (isFoldedAway(element) || !actVisible(element) || isTransparent(element))));
const isHiddenList = (element) => element instanceof HTMLSelectElement && isTransparent(element);
const isTransparent = (element) => { const { opacity, pointerEvents } = getComputedStyle(element); return opacity === '0' && pointerEvents === 'none'; };
// Whether an element is drawn for such a field, which is in it: in one line, without another control but the button that
// opens the list, or a field that keeps its value for a form. In a field that only shows what was chosen the buttons take that back.
const SHOWN_HEIGHTS_MAX = 3, SHOWN_HEIGHT_MIN = 24;
const BESIDE_LIST = 'button[aria-haspopup], [role=button][aria-haspopup], input[aria-hidden=true][tabindex="-1"]', SHOWS_CHOSEN = '[readonly][aria-expanded]';
const isLineOf = (field, around) => rectOf(around).height <= SHOWN_HEIGHTS_MAX * Math.max(rectOf(field).height, SHOWN_HEIGHT_MIN)
  && isOnlyControl(field, around, (one) => (isHiddenList(field) ? matches(one, INTERACTIVE) : !matches(one, BESIDE_LIST) && !(matches(field, SHOWS_CHOSEN) && matches(one, 'button, [role=button]'))));
// Whether it shows what a list's field holds: drawn over the field by an element beside it.
const isShownFor = (hit, element) => {
  if (!(hit instanceof HTMLElement) || !isOfList(element)) return false;
  // What is drawn for a select may say that it is a list with the option that was chosen.
  const acts = isHiddenList(element) ? INTERACTIVE : NESTED;
  let at = hit;
  for (; at instanceof Element && !isWithin(element, at); at = flatParent(at)) if (matches(at, acts) || hasAttribute(at, 'onclick')) return false;
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
  return liesOver(hit, element) && isOnlyControl(hit, around) && nameOf(hit) === '';
};
// Whether what stands for an element is not much larger.
const HOST_AREA_MAX = 4;
const isAsLargeAs = (outer, element) => {
  const [inner, around] = [element, outer].map(rectOf);
  return around.width * around.height <= HOST_AREA_MAX * inner.width * inner.height;
};
// Whether an element has nothing in it, and draws nothing.
const isClear = (element) => {
  const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
  const isEmpty = dom.elementCount(element) === 0 && shadowOf(element) === null && contentOf(element) === '';
  return isEmpty && (opacity === '0' || (backgroundImage === 'none' && /^rgba\(.*, 0\)$/.test(backgroundColor)));
};
// Whether it is laid over a field to be touched in its place: clear, without a name, not much larger, beside nothing else. A button
// or link under such an element may be for something else than that.
const isTouchTargetOf = (hit, element) => {
  const around = flatParent(hit);
  if (!(hit instanceof HTMLElement) || !(around instanceof HTMLElement) || around === documentBody() || !isWithin(element, around)) return false;
  const { position, cursor } = getComputedStyle(hit);
  const isTarget = position === 'absolute' && cursor === 'pointer' && nameOf(hit) === '' && ['generic', 'none'].includes(roleOf(hit)) && isClear(hit);
  return isTarget && FIELDS.has(shownRole(element)) && liesOver(hit, element) && isAsLargeAs(hit, element) && isOnlyControl(element, around);
};
// Whether it is a label for nothing that is laid over a box which shows nothing, both being alone in what is around them: its page
// ticks the box itself.
const isLabelBeside = (hit, element) => {
  const label = isBox(element) && getComputedStyle(element).opacity === '0' ? flatClosest(hit, 'label') : null, around = flatParent(element);
  return label !== null && around instanceof Element && flatParent(label) === around && controlOfLabel(label) === null && isOnlyControl(element, around);
};
// Whether the page ticks a box itself once what is drawn in its place is clicked.
const isTickedFor = (hit, element) => isLabelBeside(hit, element) || isDrawingBeside(hit, element);
// Whether it is the drawing of a box that draws nothing by itself, both being all that is in what is around them: its page ticks the
// box itself.
const isDrawingBeside = (hit, element) => {
  const around = isBox(element) && getComputedStyle(element).appearance === 'none' ? flatParent(element) : null;
  return around instanceof HTMLElement && !isRoot(around) && isWithin(hit, around) && contentOf(around) === '' && isAsLargeAs(around, element)
    && isOnlyControl(element, around);
};
// Whether it is laid over words that do nothing by themselves, clear, in what says no more than they do: what a page draws over an
// entry that is selected.
const isGlassOver = (hit, element) => {
  const around = flatParent(hit);
  if (!(hit instanceof HTMLElement) || !(around instanceof HTMLElement) || isRoot(around) || !isWithin(element, around) || element === around) return false;
  if (reasonToClick(hit) !== '' || getComputedStyle(hit).position === 'fixed' || !isAsLargeAs(hit, element)) return false;
  if (matches(hit, NESTED) || nameOf(hit) !== '' || actsByItself(element) || flatClosest(element, INTERACTIVE) || !isClear(hit) || !liesOver(hit, element)) return false;
  return contentOf(element) !== '' && contentOf(around) === contentOf(element) && allIn(around, NESTED).length === 0;
};
// Whether an element is the thumb of a slider, by its size and its cursor.
const THUMB_PX_MAX = 64;
const isThumb = (hit, element) => {
  const { width, height } = rectOf(hit);
  return typeOfInput(element) === 'range' && Math.max(width, height) <= THUMB_PX_MAX && /grab|move|resize/.test(getComputedStyle(hit).cursor);
};
// Whether an input that is clipped away, by itself or with what is around it, is drawn by the small element around that which holds
// nothing else, as a slider's thumb or a star.
const isClipped = (element) => [element, flatParent(element)].some((one) => one instanceof HTMLElement && getComputedStyle(one).clip !== 'auto');
// Whether what is around a field has no words but those that the field is called by.
const saysNoMore = (around, field) => ['', nameOf(field)].includes(contentOf(around));
const isDrawnBy = (hit, element) => {
  if (!isInput(element) || !isClipped(element)) return false;
  let around = hit;
  for (; around instanceof Element && !isWithin(element, around); around = flatParent(around)) if (matches(around, NESTED)) return false;
  if (!(around instanceof HTMLElement)) return false;
  return (isThumb(around, element) || isAsLargeAs(around, element)) && saysNoMore(around, element) && isOnlyControl(element, around);
};
// Whether a part of a component leaves the pointer to its host.
const isLeftToHost = (hit, element) => {
  const root = rootOf(element);
  return root instanceof ShadowRoot && hit === root.host && getComputedStyle(element).pointerEvents === 'none' && isAsLargeAs(hit, element);
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
const isByCursor = (element) => actFieldKind(element) === null;
// Of the page itself, on which shapes and tooltips may move with the pointer: what has a handler, or says what it is for.
const actsOnPage = (element) => matches(element, NESTED) || matches(element, HANDLED) || (reasonToClick(element) !== '' && contentOf(element) !== '');
const nestedAt = (element, x, y, byCursor = isByCursor(element)) => {
  const control = element instanceof HTMLLabelElement ? controlOfLabel(element) : null;
  const acts = element === documentRoot() ? actsOnPage : byCursor ? isNested : (at) => matches(at, NESTED);
  for (let at = innermostAt(x, y); at instanceof Element && at !== element; at = flatParent(at)) {
    if (at !== control && acts(at)) return isWithin(at, element) ? at : null;
  }
  return null;
};
const isButton = (nested) => nested !== null && matches(nested, 'a[href], button, summary, [role=button], [role=link]');
// Whether a click on an element is for itself although no role says so: then a button inside it is not what is meant.
const actsByItself = (element) => !actFieldKind(element)
  && (matches(element, INTERACTIVE) || clickable(element, tagOf(element), getComputedStyle(element), { pointer: false }) !== '');

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
const textsSaid = (element) => {
  const role = shownRole(element);
  const name = ownName(element, role) || (FIELDS.has(role) ? '' : contentOf(element));
  return name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|[\p{S}\p{Pd}]/gu) ?? [];
};
// Whether a click on an element may be one of a control in it: of one that says all that the element says, as a link does in
// an item of a list, or of the only one in a wrapper, where one of the two says nothing. A panel that is called like its tab
// does not mean the button in it. A field only gets the focus.
const standsFor = (nested, element) => {
  if (['text', 'content'].includes(actFieldKind(nested))) return true;
  const [inner, all] = [nested, element].map(textsSaid);
  if (inner.length > 0 && all.length > 0) return all.length <= inner.length && isAmong(new Set(all), new Set(inner));
  // An icon beside words is for something that they don't say.
  if (inner.length === 0 && !FIELDS.has(shownRole(nested)) && contentOf(element) !== '') return false;
  return (all.length === 0 || !PANELS.has(roleOf(element))) && isOnlyControl(nested, element);
};
// The part of a box beside its words that a click switches, where the box itself does not show that a click does.
const DRAWN_BOXES = new Set(['switch', 'checkbox', 'radio']);
const isSwitchIn = (nested) => nested !== null && !matches(nested, NESTED) && contentOf(nested) === '';
// The first point that may be clicked: not on a control that is for something else. Of an element that acts by itself, other
// points than those of what is in it come first, and parts of it that are no controls leave it the click.
const pointToClick = (element, free, nestedOf) => {
  const acts = actsByItself(element), known = new Map([[null, true]]);
  const mayBe = (nested) => {
    if (!known.has(nested)) known.set(nested, (acts && !matches(nested, NESTED)) || standsFor(nested, element));
    return known.get(nested);
  };
  const isDrawn = DRAWN_BOXES.has(roleOf(element)) && getComputedStyle(element).cursor !== 'pointer';
  const point = (isDrawn ? free.find((one) => isSwitchIn(nestedOf(one))) : null)
    ?? (acts ? free.find((one) => nestedOf(one) === null) : null) ?? free.find((one) => mayBe(nestedOf(one)));
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
