// Whether an element can be acted on, and where: visible, enabled, editable, still, in view, and hit at that point.

const BOXES_LOOKED_AT_MAX = 200;
const INTERACTIVE = 'a[href], button, input, select, textarea, [role=button], [role=link]';
// What may be inside one of those and acts by itself there: a button in a card.
const NESTED = `${INTERACTIVE}, summary, [contenteditable], [role=checkbox], [role=combobox], [role=listbox], [role=menuitem], [role=menuitemcheckbox], \
[role=menuitemradio], [role=option], [role=radio], [role=searchbox], [role=slider], [role=spinbutton], [role=switch], [role=tab], [role=textbox], [role=treeitem]`;
const TEXT_TYPES = new Set(['text', 'search', 'tel', 'url', 'email', 'password', 'number']);
const VALUE_TYPES = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'range', 'color']);

const isInput = (element) => element instanceof HTMLInputElement;
const typeOfInput = getter(HTMLInputElement, 'type');
const controlOfLabel = getter(HTMLLabelElement, 'control');
const labelsFor = (element) => {
  const type = [HTMLInputElement, HTMLSelectElement, HTMLButtonElement].find((one) => element instanceof one);
  return [...(type && getter(type, 'labels')(element)) ?? []];
};

const isBox = (element) => isInput(element) && ['checkbox', 'radio'].includes(typeOfInput(element));
// Whether it is a switch that is not drawn, but for its label.
const isUndrawnSwitch = (element) => {
  if (!(element instanceof HTMLButtonElement) || !['switch', 'checkbox'].includes(roleOf(element))) return false;
  const { width, height } = rectOf(element);
  return width <= DOT_PX_MAX && height <= DOT_PX_MAX;
};

// The boxes of an element; of one without a box of its own, those of its children.
const actBoxes = (element, room = { left: BOXES_LOOKED_AT_MAX }) => {
  if (room.left-- <= 0) return [];
  const own = [...rectsOf(element)].filter((rect) => rect.width > 0 && rect.height > 0);
  if (own.length > 0) return isRendered(element, { visibilityProperty: true }) ? own : [];
  const { display, visibility } = getComputedStyle(element);
  if (display === 'none') return [];
  const inside = [...childrenOf(element)].flatMap((child) => actBoxes(child, room));
  return display === 'contents' && visibility === 'visible' ? [...inside, ...textBoxes(element)] : inside;
};
// The text nodes right in an element that say something.
const textsRightIn = (element) => {
  const texts = [];
  for (let node = dom.firstChild(element), nodes = 0; node && nodes++ < BOXES_LOOKED_AT_MAX; node = nextOf(node)) {
    if (nodeTypeOf(node) === Node.TEXT_NODE && node.data.trim() !== '') texts.push(node);
  }
  return texts;
};
// The boxes of these in an element that has none of its own, as what a slot shows where nothing is given to it.
const textBoxes = (element) => textsRightIn(element).flatMap((node) => {
  const range = new Range();
  range.selectNodeContents(node);
  return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
});
const actVisible = (element) => actBoxes(element).length > 0;

const actDisabled = (element) => {
  if (matches(element, ':disabled')) return true;
  for (let at = element; at instanceof Element; at = flatParent(at)) {
    const said = attributeOf(at, 'aria-disabled');
    if (said !== null && said !== '') return said.toLowerCase() === 'true';
  }
  return false;
};

// The label that an element is, is in, or whose words it has in a slot.
const labelAround = (element) => flatClosest(element, 'label') ?? flatClosest(slotOfWords(element), 'label');
// Whether a click on a label goes to an element that the label has become for since it was for `control`.
const isGivenByLabel = (target, label, control, element) => target !== control && target === controlOfLabel(label) && (!isWithin(target, element) || isWithin(label, element))
  && !(control !== null && !isConnected(control) && isSameKind(control, target));
// A component may draw its field anew.
const isSameKind = (one, other) => tagOf(one) === tagOf(other) && attributeOf(one, 'type') === attributeOf(other, 'type') && attributeOf(one, 'aria-label') === attributeOf(other, 'aria-label');

// What an element's state is asked of: a label's control, the button or link that a plain element is in.
const actTarget = (element) => {
  const control = element instanceof HTMLLabelElement ? controlOfLabel(element) : null;
  if (control) return control;
  const isOne = matches(element, NESTED) || Number.parseInt(attributeOf(element, 'tabindex'), 10) >= 0;
  return isOne ? element : flatClosest(element, 'button, [role=button], a[href], [role=link]') ?? element;
};
// A button that is disabled takes no pointer for what is in it either.
const isActDisabled = (element) => actDisabled(actTarget(element)) || flatClosest(element, 'button:disabled') !== null;

// Whether a label is to be dragged or pointed at, and its control is not drawn: whether that is enabled is nothing to it.
const isCarriedLabel = (element, ask) => {
  const control = !ask.clicks && element instanceof HTMLLabelElement ? controlOfLabel(element) : null;
  return control !== null && !actVisible(control);
};

// How text gets into an element: `text` by input, `value` by its setter, `content` into what is editable; null: not at all.
const actFieldKind = (element) => {
  if (isInput(element)) {
    const type = typeOfInput(element);
    return TEXT_TYPES.has(type) ? 'text' : VALUE_TYPES.has(type) ? 'value' : null;
  }
  if (element instanceof HTMLTextAreaElement) return 'text';
  return element instanceof HTMLElement && (isEditable(element) || hasEditContext(element)) ? 'content' : null;
};
const isFieldItself = (element) => {
  const kind = actFieldKind(element);
  return kind === 'content' ? isEditingHost(element) || hasEditContext(element) : kind !== null;
};
// What an element is the label of, or words in one, by themselves or in a slot; else the element.
const actLabelled = (element) => {
  if (element instanceof HTMLLabelElement) return controlOfLabel(element) ?? element;
  if (actsByItself(element) || isFieldItself(element) || flatClosest(element, INTERACTIVE)) return element;
  const label = flatClosest(slotOfWords(element) ?? element, 'label');
  return (label && controlOfLabel(label)) ?? element;
};
// The slot that the words right in an element are shown in by its component.
const slotOfWords = (element) => {
  const [words] = textsRightIn(element), parent = words ? drawnParent(words) : null;
  return parent instanceof HTMLSlotElement ? parent : null;
};
// An element, with the shadow roots of it and of the components in it. So many, and components among so many elements.
const TREES_MAX = 20, COMPONENTS_AMONG_MAX = 1000;
const treesIn = (element) => {
  const trees = [element];
  const enter = (host) => {
    const root = trees.length < TREES_MAX ? shadowOf(host) : null;
    if (root) trees.push(root);
  };
  enter(element);
  for (const tree of trees) for (const inner of [...allIn(tree, '*')].slice(0, COMPONENTS_AMONG_MAX)) if (tagOf(inner).includes('-')) enter(inner);
  return trees;
};
// The field that an element means: itself, a label's control, or the only field inside.
const actField = (element) => {
  const meant = actLabelled(element);
  if (actFieldKind(meant) || meant instanceof HTMLSelectElement || isInput(meant)) return meant;
  const inside = treesIn(meant).flatMap((tree) => [...allIn(tree, 'input, textarea, [contenteditable], [tabindex]')])
    .filter((field) => isFieldItself(field) && (actVisible(field) || drawingOf(field)));
  const writable = inside.filter((field) => !actReadOnly(field));
  return inside.length === 1 ? inside[0] : writable.length === 1 ? writable[0] : meant;
};
const actReadOnly = (element) =>
  (actFieldKind(element) !== 'content' && hasAttribute(element, 'readonly')) || attributeOf(element, 'aria-readonly') === 'true';

const spreadOver = ({ left, top, width, height }) => [1 / 2, 1 / 6, 5 / 6].flatMap((down) => [1 / 6, 5 / 6, 1 / 2].map((along) => [left + width * along, top + height * down]));
// What an entry of a tree or menu shows above the entries that it holds, which may be most of its box; null where it holds none.
const HOLDERS = new Set(['treeitem', 'menuitem']), HELD = '[role=group], [role=menu], [role=tree]', STRIP_PX_MIN = 4;
const stripAboveHeld = (element) => {
  const held = HOLDERS.has(roleOf(element)) ? dom.find(element, HELD) : null;
  if (held === null || !actVisible(held)) return null;
  const { left, top, right, bottom: end } = rectOf(element), bottom = Math.min(rectOf(held).top, end);
  return bottom - top < STRIP_PX_MIN ? null : { left, top, right, bottom, width: right - left, height: bottom - top };
};
// Points to try: the middle of each box that is in view, then points spread over the first.
const actPoints = (element) => {
  const strip = stripAboveHeld(element);
  const clipped = (strip ? [strip] : actBoxes(element)).map((rect) => {
    const [left, top] = [Math.max(rect.left, 0), Math.max(rect.top, 0)];
    return { left, top, width: Math.min(rect.right, innerWidth) - left, height: Math.min(rect.bottom, innerHeight) - top };
  }).filter((rect) => rect.width > 0 && rect.height > 0 && rect.width * rect.height > 0.99).slice(0, 8);
  const points = clipped.map((rect) => [rect.left + rect.width / 2, rect.top + rect.height / 2]);
  return clipped.length === 0 ? points : [...points, ...spreadOver(clipped[0]), ...pointsAlong(element)];
};
// Points on a line that is drawn, which may be nowhere near the middle of its box.
const LINE_PARTS = 8;
const pointsAlong = (element) => {
  const line = element instanceof SVGGeometryElement ? element : element instanceof SVGGElement ? dom.find(element, 'path, line, polyline') : null;
  const matrix = line?.getScreenCTM() ?? null;
  if (matrix === null) return [];
  // A line without points has no length.
  let length = 0;
  try { length = line.getTotalLength(); } catch {}
  return length === 0 ? [] : Array.from({ length: LINE_PARTS - 1 }, (_, at) => line.getPointAtLength((length * (at + 1)) / LINE_PARTS).matrixTransform(matrix))
    .map(({ x, y }) => [x, y]).filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
};

const sameRect = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
// What an element lacks for an action, by a code of `Lack` in `interact/act/readiness.rs`; what it has become (`is`) or what is
// before it (`by`) with it.
const lacks = (what, element, more) => ({ lacks: what, what: describe(element), ...more });
// An element may be inert by an attribute of its own.
const describeInert = (inert, element) => (inert === element ? 'its `inert` attribute' : describe(inert));
const GONE = { lacks: 'attached', what: 'the element' };

const scrollTo = (element, align, inline = align) => {
  const before = rectOf(element);
  scrollIntoView(element, { block: align, inline, behavior: 'instant' });
  return !sameRect(before, rectOf(element));
};

// Where an element was when it was last looked at. One that is there still, and is not animated, stands still: no frame
// need be waited for.
const lastSeen = new WeakMap();
const SEEN_MS_MIN = 20;
const SEEN_MS_MAX = 60_000;
kit.sees = (element, rect) => { lastSeen.set(element, { rect, at: performance.now() }); };
const isAnimated = (element, counts = () => true) => Document.prototype.getAnimations.call(document)
  .some(({ playState, effect }) => playState === 'running' && effect?.target && counts(effect) && isWithin(drawnOf(element), effect.target));
// Whether an animation without end moves an element around its middle, such as one that pulses: a person clicks it there.
const MIDDLE_PX_MAX = 1;
const isMovedInPlace = (element, before) => {
  const [[x, y], [nowX, nowY]] = [before, rectOf(element)].map((rect) => [rect.x + rect.width / 2, rect.y + rect.height / 2]);
  if (Math.max(Math.abs(x - nowX), Math.abs(y - nowY)) > MIDDLE_PX_MAX) return false;
  return isAnimated(element, (effect) => effect.getComputedTiming().endTime === Infinity);
};
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
// What draws a box that has no size: the element around it that says and holds nothing else.
const BOX_UP_MAX = 2;
const drawnAround = (box) => {
  if (!isBox(box) || actVisible(box)) return null;
  for (let at = flatParent(box), up = 0; at instanceof HTMLElement && up < BOX_UP_MAX; at = flatParent(at), up++) {
    if (!saysNoMore(at, box) || !isOnlyControl(box, at)) return null;
    if (actVisible(at)) return at;
  }
  return null;
};
// Where the element of the action under way was hit when it was ready last: `{asked, element, x, y}`, `element` being what
// is drawn in place of the one that was asked for.
let aimed = null;
// The nearest control around an element, or itself; null where there is none.
const controlAround = (hit) => {
  let control = hit;
  while (control instanceof Element && !isNested(control) && !(control instanceof HTMLLabelElement)) control = flatParent(control);
  return control instanceof Element ? control : null;
};
// What says by no role that it can be clicked may say more as the pointer comes.
const staysAsIs = (control) => matches(control, `${NESTED}, label`);
// What a click at a point is for, of the innermost element there: the control that it is in, or else the page, in which no
// control may come up under the pointer. `{number, stays, role, name}`, without a name of the page; null of what can't be
// asked. `stays`: it must be what it is now.
kit.actedOnAt = (number) => {
  const hit = elementOf(number);
  // The browser keeps events on its own controls of a video to itself.
  if (!hit || ['object', 'embed'].includes(tagOf(hit)) || (hit instanceof HTMLMediaElement && hasAttribute(hit, 'controls'))) return null;
  const control = controlAround(hit);
  if (control === null) return { number: numberOf(documentRoot()), stays: false, role: '', name: '' };
  const stays = staysAsIs(control);
  const own = identityOf(control), labelled = control instanceof HTMLLabelElement ? controlOfLabel(control) : null;
  if (stays) foundAs.set(control, own);
  const { role, name, content } = labelled ? identityOf(labelled) : own;
  return { number: numberOf(control), stays, role, name: (name || (FIELDS.has(role) ? '' : content)).slice(0, 200).toWellFormed() };
};
// The same as `ready` for a given point: the element is still what it was, and hit there.
const readyAt = (element, { at: [x, y], found }) => {
  if (!noteMeant(element, found ? foundAs.get(element) : null)) return lacks('same', element, { is: identityOf(element) });
  const box = boxOf(rectOf(element)), by = actCover(element, x, y);
  if (by !== null) return lacks('uncovered', element, { box, by });
  const nested = nestedAt(element, x, y);
  if (nestedFirst?.element !== element) nestedFirst = { element, nested, under: innermostAt(x, y) };
  // It came with the pointer, before a second look.
  else if (nested !== null && nested !== nestedFirst.nested) return lacks('uncovered', element, { box, by: describe(nested) });
  guard(element, false, { nested, under: nestedFirst.under });
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
  let waited = await selectionIsRead();
  const asked = elementOf(number);
  let element = asked;
  if (!element) return GONE;
  if (ask.at) return readyAt(element, ask);
  if (ask.editable) {
    element = actField(asked);
    typedInto = { element: asked, field: element };
  }
  // A pointer goes where the text is drawn.
  else if (ask.hit) element = drawnFor(element) ?? element;
  if (isLeftToLabel(element, ask)) element = labelsFor(element).find(actVisible) ?? drawnAround(element) ?? element;
  const kind = actFieldKind(element);
  if (ask.editable && !kind) return lacks('field', element);
  if (element instanceof HTMLOptionElement && !actVisible(element)) return lacks('list', element);
  const seen = ask.visible && !actVisible(element) ? drawnFor(element) ?? element : element;
  if (ask.visible && !actVisible(seen)) return lacks('visible', element);
  if (ask.enabled && (isCarriedLabel(element, ask) ? actDisabled(element) : isActDisabled(element))) return lacks('enabled', element);
  if (ask.editable && actReadOnly(element)) return lacks('editable', element);
  const inert = ask.enabled ? inertBy(element) : null;
  if (inert) return lacks('uncovered', element, { by: describeInert(inert, element) });
  if (ask.still) {
    const before = rectOf(element);
    if (!stoodStill(element, before)) {
      waited = true;
      // A transition begins with the frame after its style, and no animation goes on without one.
      const isDrawn = await frame() && (!isAnimated(element) || await frame());
      if (!isConnected(element)) return GONE;
      kit.sees(element, rectOf(element));
      // One that turns back is in the same place for two frames, and not in the third.
      const staysInPlace = async () => isMovedInPlace(element, before) && await frame() && isMovedInPlace(element, before);
      const isStill = sameRect(before, rectOf(element)) ? isDrawn || !isAnimated(element) : isDrawn && await staysInPlace();
      if (!isStill) return lacks('still', element);
    }
  }
  // In a frame its parents' windows may not show it, which is not known here.
  const toView = stripAboveHeld(element) ? 'start' : 'center';
  const align = ask.align ?? (actPoints(element).length === 0 ? toView : parent === window ? null : 'nearest');
  // Sideways no more than is needed: no person scrolls back what a page hides at its sides. Another try may need more.
  if (align && scrollTo(element, align, ask.align ?? 'nearest')) {
    waited = true;
    await frame();
  }
  if (ask.matched && aimed?.asked !== asked && foundBy.get(asked)?.() === false) return lacks('same', element, { is: identityOf(asked) });
  const how = { isByRef: Boolean(ask.shown), matches: ask.matched ? foundBy.get(asked) : null };
  if (!noteMeant(asked, ask.found ? foundAs.get(asked) : ask.shown, how)) return lacks('same', element, { is: identityOf(asked) });
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
    const label = free.length === 0 && (isBox(element) || isUndrawnSwitch(element)) ? labelsFor(element).find((one) => freeOf(one).length > 0) : null;
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
  if (!element) return { ...GONE, what: 'the frame' };
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
