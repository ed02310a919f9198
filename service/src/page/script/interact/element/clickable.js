// What can be clicked although no role says so.
const HANDLED = '[onclick], [ondblclick], [onmousedown], [onmouseup], [onpointerdown], [onpointerup], [ontouchstart]';
const MADE_CLICKABLE = `${HANDLED}, [tabindex], [contenteditable], [draggable=true], [aria-sort]`;

// Roles of what holds controls. Such an element may take the focus only to be scrolled, and have handlers for what is inside it.
const PANELS = new Set(['alertdialog', 'application', 'banner', 'complementary', 'contentinfo', 'dialog', 'document', 'feed', 'form', 'grid', 'group',
  'list', 'log', 'main', 'menu', 'menubar', 'navigation', 'radiogroup', 'region', 'rowgroup', 'search', 'table', 'tablist', 'tabpanel', 'toolbar', 'tree',
  'treegrid']);

// Elements that a script makes draggable, such as the cards of a board, often show it by the cursor alone. A map or a board that
// is dragged as a whole is larger, or has more in it.
const GRABS = new Set(['grab', 'move']);
const GRABBED_CHARS_MAX = 200, GRABBED_CONTROLS_MAX = 3, GRABBED_AREA_MAX = 0.25;
function isGrabbed(element, tag) {
  const around = drawnParent(element);
  if (around !== null && GRABS.has(styleOf(around).cursor)) return isOneOfSeveral(element, tag);
  const { width, height } = dom.box(element);
  if (width * height > GRABBED_AREA_MAX * innerWidth * innerHeight || PANELS.has(roleOf(element))) return false;
  const words = tidy(dom.textContent(element).slice(0, 10 * GRABBED_CHARS_MAX));
  return words !== '' && words.length <= GRABBED_CHARS_MAX && allIn(element, FOCUSABLE).length <= GRABBED_CONTROLS_MAX;
}

const isDraggable = (element) => dom.attribute(element, 'draggable')?.toLowerCase() === 'true';

// Whether the arrow keys lead to an entry: of entries of a kind the page keeps one alone in the order of the tab key (a roving
// tabindex). Cells are acted on by their row, and texts take the focus as the targets of jumps.
const ROVING_UP_MAX = 4, JUMPED_TO = new Set(['heading', 'paragraph']);
function isRoving(element, tag) {
  const role = roleOf(element);
  if (CELLS.has(role) || PANELS.has(role) || JUMPED_TO.has(role) || allIn(element, FOCUSABLE).length > 0 || !isShortText(element)) return false;
  const kind = `${tag}.${firstClassOf(element)}`;
  let around = drawnParent(element);
  for (let up = 0; around && up < ROVING_UP_MAX; up++, around = drawnParent(around)) {
    const stops = stopsIn(around);
    if (stops.size > 0) return stops.get(kind) === up;
  }
  return false;
}
const isShortText = (element) => { const text = dom.textContent(element); return text.length <= CONTENT_NAME_MAX && tidy(text) !== '' };
// The kinds of elements in the order of the tab key inside an element, each with how many elements are between; kept while a tree is
// walked.
const STOPS_MAX = 100;
function stopsIn(around) {
  const before = tabStops?.get(around);
  if (before !== undefined) return before;
  const stops = new Map(), all = allIn(around, '[tabindex="0"]');
  for (let at = 0; at < all.length && at < STOPS_MAX; at++) {
    if (!isShortText(all[at])) continue;
    let between = 0;
    for (let outer = drawnParent(all[at]); outer && outer !== around && between < ROVING_UP_MAX; outer = drawnParent(outer)) between++;
    stops.set(`${dom.tag(all[at])}.${firstClassOf(all[at])}`, between);
  }
  tabStops?.set(around, stops);
  return stops;
}

// Why an element can be clicked without a role that says so: 'own' by itself, 'pointer' for its cursor alone, '' not.
function clickable(element, tag, style, outer) {
  if (tag === 'html' || tag === 'body') return '';
  if (dom.matches(element, MADE_CLICKABLE)) {
    const tabindex = dom.attribute(element, 'tabindex');
    // A header that says how its table is sorted sorts it, unless a button in it does.
    const sorts = dom.has(element, 'aria-sort') && allIn(element, FOCUSABLE).length === 0;
    if (isDraggable(element) || sorts || dom.matches(element, HANDLED) || Number.parseInt(tabindex, 10) >= 0 || isEditingHost(element)) return 'own';
    if (tabindex === '-1' && isRoving(element, tag)) return 'own';
  }
  if (hiddenControl(element, tag) || isCalledButton(element, tag)) return 'own';
  if (GRABS.has(style.cursor)) return isGrabbed(element, tag) ? 'pointer' : '';
  if (style.cursor !== 'pointer') return style.cursor === 'auto' && !outer.pointer && isPointedAtHover(element) ? 'pointer' : '';
  if (isDrawingOfBox(element)) return '';
  if (!outer.pointer) {
    if (tag !== 'label') return 'pointer';
    const control = element.control;
    return control && isVisible(control) ? '' : 'own';
  }
  return isOneOfSeveral(element, tag) ? 'pointer' : '';
}

function liesOver(hit, element) {
  const [over, under] = [hit, element].map(dom.box);
  return over.left <= under.left + 1 && over.top <= under.top + 1 && over.right >= under.right - 1 && over.bottom >= under.bottom - 1;
}
// What is drawn beside a box that is there to be clicked itself, and says nothing.
function isDrawingOfBox(element) {
  if (dom.firstChild(element) !== null) return false;
  return [dom.previousElement(element), dom.nextElement(element)]
    .some((beside) => beside !== null && isTickBox(beside) && isVisible(beside) && liesOver(beside, element) && isHitInside(beside));
}

// A component that says so by its tag alone, and whose handlers are its own, such as `<ons-alert-dialog-button>`.
function isCalledButton(element, tag) {
  return tag.endsWith('-button') && isHtml(element) && shadowOf(element) === null && !dom.has(element, 'role') && ![...allIn(element, FOCUSABLE)].some(isVisible)
    && tidy(dom.textContent(element)) !== '';
}

// The box or file field that is not shown and that a label stands for.
const STOOD_FOR = new Set(['checkbox', 'radio', 'file']);
function hiddenControl(element, tag) {
  const control = tag === 'label' && isHtml(element) ? element.control : null;
  return control && dom.tag(control) === 'input' && STOOD_FOR.has(inputType(control)) && !Element.prototype.checkVisibility.call(control, { visibilityProperty: true }) ? control : null;
}

// The only item of a list in another item, as a file in a folder of a tree.
function isInnerItem(item, list) {
  const outer = dom.closest(list, 'li');
  const box = dom.box(item);
  return outer !== null && box.width > 0 && box.height > 0 && box.height < dom.box(outer).height;
}

const tagAndClass = (element) => `${dom.tag(element)}.${dom.attribute(element, 'class') ?? ''}`;
// Whether it is one of a list whose others are of one kind, marked by a class more or less, as the active one of several tabs.
const MARKED_AMONG_MAX = 20;
function isMarkedOne(element, tag) {
  const classes = (one) => new Set((dom.attribute(one, 'class') ?? '').split(/\s+/).filter(Boolean));
  const own = classes(element);
  let at = dom.firstElement(drawnParent(element));
  for (let seen = 0; at && seen < MARKED_AMONG_MAX; seen++) {
    const next = dom.nextElement(at);
    const isPair = next && at !== element && next !== element && dom.tag(at) === tag && tagAndClass(at) === tagAndClass(next);
    if (isPair && [at, next].every((one) => tidy(dom.textContent(one).slice(0, TEXT_MAX)) !== '')) {
      const others = classes(at);
      return others.isSubsetOf(own) || own.isSubsetOf(others);
    }
    at = next;
  }
  return false;
}
// Below an inherited pointer cursor: an item beside others of its kind, with a box of its own.
function isOneOfSeveral(element, tag) {
  const parent = drawnParent(element);
  if (parent === null || tag === 'option' || dom.closest(element, 'a[href], button, [role=button], [role=link]')) return false;
  if (dom.elementCount(parent) < 2) return tag === 'li' && isInnerItem(element, parent);
  const kind = tag === 'li' || tag === 'tr' || dom.textContent(element).length < 1000 && tidy(dom.textContent(element)) === '' ? tag : tagAndClass(element);
  if (!isHtml(element) && tag !== 'svg') return false;
  if (kind === 'span.' || kind === 'b.' || kind === 'p.' || kind === 'br') return false;
  const beside = dom.nextElement(element) ?? dom.previousElement(element);
  if (!beside || (kind === tag ? dom.tag(beside) !== tag : tagAndClass(beside) !== kind && !isMarkedOne(element, tag))) return false;
  // A part of how a label draws its box.
  if (dom.closest(element, 'label')?.control && tidy(dom.textContent(element)) === '') return false;
  const box = dom.box(element), outer = dom.box(parent);
  return box.width > 0 && box.height > 0 && (box.width < outer.width || box.height < outer.height);
}
