// What a person looks for that is in no frame of a screencast: the pointer's shape, and the field whose popup is open. A
// document tells nothing of these by itself: it is asked after input (page/input/look.rs), and what it answers is bounded here.

const CURSORS = new Set(['default', 'none', 'context-menu', 'help', 'pointer', 'progress', 'wait', 'cell', 'crosshair', 'text',
  'vertical-text', 'alias', 'copy', 'move', 'no-drop', 'not-allowed', 'grab', 'grabbing', 'e-resize', 'n-resize', 'ne-resize',
  'nw-resize', 's-resize', 'se-resize', 'sw-resize', 'w-resize', 'ew-resize', 'ns-resize', 'nesw-resize', 'nwse-resize',
  'col-resize', 'row-resize', 'all-scroll', 'zoom-in', 'zoom-out']);
const OPEN_OPTIONS_MAX = 1_000;
const LABEL_CHARS_MAX = 200;
const FIELD_VALUE_CHARS_MAX = 1_000;
// All labels and values of a field together.
const FIELD_CHARS_MAX = 100_000;
const PICKERS = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color']);
// A browser's popups come with `:open`; one that does not know it opens them by a click.
const knowsOpen = CSS.supports('selector(:open)');

const cutTo = (text, max) => (text.length > max ? text.slice(0, max) : text).toWellFormed();

const SLOTS_MAX = 100;
// The slot of a shadow root that shows the text at a point: a text is no element, and its parent is the host.
const slotAt = (root, x, y) => {
  const slots = DocumentFragment.prototype.querySelectorAll.call(root, 'slot');
  for (let at = 0; at < slots.length && at < SLOTS_MAX; at++) {
    for (const node of assignedNodes(slots[at]).slice(0, SLOTS_MAX)) {
      if (nodeTypeOf(node) !== 3) continue;
      const range = document.createRange();
      range.selectNode(node);
      const boxes = [...range.getClientRects()];
      if (boxes.some((box) => hasPoint(box, x, y))) return slots[at];
    }
  }
  return null;
};
// The innermost element at a point, through shadow roots.
const innermostAt = (x, y) => {
  let element = elementAt(document, x, y);
  for (let depth = 0; element && depth < 100; depth++) {
    const root = shadowOf(element);
    if (!root) break;
    const inner = elementAt(root, x, y);
    if (!inner || inner === element) return slotAt(root, x, y) ?? element;
    element = inner;
  }
  return element;
};

// The element that is hit at a point of this document's viewport, and where that is inside it, if it is a frame. Null where
// there is none, or where the point inside the frame can't be told.
kit.at = (x, y) => {
  let element = innermostAt(x, y);
  // A slot is no element that a person sees: what it is in shows the text.
  while (element instanceof HTMLSlotElement) element = flatParent(element);
  if (!(element instanceof Element)) return null;
  const isFrame = isFrameElement(element);
  const inside = isFrame ? inwards(element, x, y) : { x, y };
  return inside && { number: numberOf(element), isFrame, x: inside.x, y: inside.y };
};

// Whether a point is on a letter that can be selected.
const isOnText = (element, x, y) => {
  if (getComputedStyle(element).userSelect === 'none') return false;
  const roots = [];
  for (let root = rootOf(element); root instanceof ShadowRoot; root = rootOf(root.host)) roots.push(root);
  const caret = Document.prototype.caretPositionFromPoint?.call(document, x, y, { shadowRoots: roots });
  const [node, offset] = caret ? [caret.offsetNode, caret.offset] : [null, 0];
  if (!node || nodeTypeOf(node) !== 3 || parentNodeOf(node) !== element) return false;
  const range = document.createRange();
  range.setStart(node, Math.max(offset - 1, 0));
  range.setEnd(node, Math.min(offset + 1, node.length));
  return [...range.getClientRects()].some((box) => hasPoint(box, x, y));
};

const cursorOf = (element, x, y) => {
  const told = getComputedStyle(element).cursor;
  // `url(…) 2 2, pointer`: the browser's own name stands last.
  const name = told.slice(told.lastIndexOf(',') + 1).trim();
  if (name !== 'auto') return CURSORS.has(name) ? name : 'default';
  const isText = actFieldKind(element) === 'content' || isOnText(element, x, y);
  return isText ? 'text' : 'default';
};

const isFrameElement = (element) => ['iframe', 'frame'].includes(tagOf(element));

const listOf = (field) => (isInput(field) ? getter(HTMLInputElement, 'list')(field) : null);
// What kind of popup a field has that the browser draws outside of the page; null: none.
const popupOf = (field) => {
  if (field instanceof HTMLSelectElement) {
    const isBox = getter(HTMLSelectElement, 'multiple')(field) || getter(HTMLSelectElement, 'size')(field) > 1;
    // One that the page styles is drawn in the page, its list too.
    const isDrawn = getComputedStyle(field, '::picker(select)').appearance === 'base-select' && getComputedStyle(field).appearance === 'base-select';
    return isBox || isDrawn ? null : 'list';
  }
  if (!isInput(field)) return null;
  const type = typeOfInput(field);
  if (PICKERS.has(type)) return type;
  return TEXT_TYPES.has(type) && type !== 'password' && listOf(field) && !isSecret(field) ? 'datalist' : null;
};

// The field whose popup this document has opened by other means than `:open`: suggestions, which no headless browser shows.
let offered = null;
const offer = (focused, { pressed, typed, closes, x, y }) => {
  if (offered && (offered !== focused || closes)) offered = null;
  if (!focused || actDisabled(focused)) return;
  const kind = popupOf(focused);
  const isPressed = pressed && x !== undefined && innermostAt(x, y) === focused;
  const isReadOnly = hasAttribute(focused, 'readonly');
  if (kind === 'datalist' && (isPressed || typed) && !isReadOnly) offered = focused;
  if (kind !== null && kind !== 'datalist' && !knowsOpen && isPressed && !isReadOnly) offered = focused;
};
const isOpen = (field) => field === offered || (knowsOpen && matches(field, ':open'));

const optionOf = (option, chosen) => {
  const parent = parentNodeOf(option);
  const group = parent instanceof HTMLOptGroupElement ? parent : null;
  const told = {
    label: cutTo(trimmed(cutTo(getter(HTMLOptionElement, 'label')(option), LABEL_CHARS_MAX * 10)), LABEL_CHARS_MAX),
    value: cutTo(getter(HTMLOptionElement, 'value')(option), FIELD_VALUE_CHARS_MAX),
    disabled: matches(option, ':disabled'), selected: chosen(option),
  };
  if (group) told.group = cutTo(trimmed(attributeOf(group, 'label') ?? ''), LABEL_CHARS_MAX);
  return told;
};
// The options that a person may see, the first of them where they are too many.
const optionsOf = (field, kind) => {
  const all = kind === 'list' ? getter(HTMLSelectElement, 'options')(field) : getter(HTMLDataListElement, 'options')(listOf(field));
  const typed = kind === 'datalist' ? fieldValue(field).toLowerCase() : '';
  const chosen = kind === 'list' ? getter(HTMLOptionElement, 'selected') : () => false;
  const shown = [];
  let room = FIELD_CHARS_MAX;
  for (let at = 0; at < all.length && at < OPEN_OPTIONS_MAX * 10 && shown.length < OPEN_OPTIONS_MAX; at++) {
    const option = all[at];
    if (kind === 'list' && !isOffered(option)) continue;
    const told = optionOf(option, chosen);
    if (kind === 'datalist') told.label ||= cutTo(told.value, LABEL_CHARS_MAX);
    if (kind === 'datalist' && (told.disabled || told.value === '' || !(told.value.toLowerCase().includes(typed) || told.label.toLowerCase().includes(typed)))) continue;
    room -= told.label.length + told.value.length + (told.group?.length ?? 0);
    if (room < 0) break;
    shown.push(told);
  }
  return shown;
};
const fieldOf = (field, kind) => {
  const told = { kind, options: [], multiple: false, value: cutTo(fieldValue(field), FIELD_VALUE_CHARS_MAX), rect: boxOf(rectOf(field)) };
  if (kind === 'list' || kind === 'datalist') told.options = optionsOf(field, kind);
  if (kind === 'datalist') told.multiple = typeOfInput(field) === 'email' && hasAttribute(field, 'multiple');
  else if (kind !== 'list' && kind !== 'color') {
    for (const name of ['min', 'max', 'step']) {
      const said = attributeOf(field, name);
      if (said !== null) told[name] = cutTo(said, LABEL_CHARS_MAX);
    }
  }
  return told;
};

// Those that were asked about already.
const hostsLookedAt = new WeakSet();
let focusedHosts = [];
kit.focusedHosts = () => focusedHosts;
// Whether what has the focus may be in a closed shadow root of this element, which is all that is seen of it.
const hides = (element) => {
  if (shadowOf(element) || hostsLookedAt.has(element) || !(HOST_TAGS.has(tagOf(element)) || tagOf(element).includes('-'))) return false;
  hostsLookedAt.add(element);
  return true;
};

// What is at a point (`x`, `y`) and what is open, `focus` being asked for. `pressed`: something was pressed there since it was
// asked last, `typed`: something typed, `closes`: Escape, Enter or Tab pressed.
kit.look = (asked) => {
  const told = { cursor: null, frame: null, field: null, number: 0, focusedFrame: 0, hides: false };
  const hit = asked.x === undefined ? null : innermostAt(asked.x, asked.y);
  if (hit && isFrameElement(hit)) {
    const inside = inwards(hit, asked.x, asked.y);
    if (inside) told.frame = { number: numberOf(hit), x: inside.x, y: inside.y };
  }
  if (hit && !told.frame) told.cursor = cursorOf(hit, asked.x, asked.y);
  if (!asked.focus) return told;
  const focused = focusedElement();
  if (focused && isFrameElement(focused)) told.focusedFrame = numberOf(focused);
  else if (focused) {
    told.hides = hides(focused);
    if (told.hides) focusedHosts = [focused];
    offer(focused, asked);
    const kind = popupOf(focused);
    if (kind && isOpen(focused)) {
      told.number = numberOf(focused);
      told.field = fieldOf(focused, kind);
    }
  } else offered = null;
  return told;
};

// A popup of the browser's own gets an Escape, which the page must not get where the popup has just gone.
const HUSHED_MS = 1_000;
kit.closes = (number) => {
  const field = elementOf(number);
  if (!field) return false;
  const isNative = knowsOpen && matches(field, ':open');
  if (offered === field) offered = null;
  if (isNative) {
    globalThis.portholeHear();
    globalThis.portholeHushedUntil = performance.now() + HUSHED_MS;
  }
  return isNative;
};
// Gives an open field what a person chose, by the values that were told. Whether it took them.
kit.chooses = (number, values) => {
  globalThis.portholeHushedUntil = 0;
  const field = elementOf(number);
  const kind = field && !actDisabled(field) ? popupOf(field) : null;
  if (!kind || values.length === 0) return false;
  if (kind === 'list') return choosesOption(field, values);
  if (hasAttribute(field, 'readonly')) return false;
  const wanted = kind === 'datalist' ? values.join(',') : kind === 'color' ? values[0].toLowerCase() : values[0];
  const before = fieldValue(field);
  const set = setter(HTMLInputElement, 'value');
  set(field, wanted);
  const now = fieldValue(field);
  if (now !== wanted && kind !== 'datalist') {
    // A browser writes times its own way, and refuses what is none.
    const isNone = wanted !== '' && (now === '' || (kind === 'color' && now !== wanted));
    if (isNone) {
      set(field, before);
      return false;
    }
  }
  if (now === before) return true;
  const init = { bubbles: true, composed: true };
  dispatch(field, kind === 'datalist' ? new InputEvent('input', { ...init, inputType: 'insertReplacementText', data: wanted }) : new Event('input', init));
  tell(field, 'change');
  return true;
};
const choosesOption = (select, values) => {
  if (values.length !== 1) return false;
  const all = getter(HTMLSelectElement, 'options')(select);
  for (let at = 0; at < all.length && at < OPEN_OPTIONS_MAX * 10; at++) {
    const option = all[at];
    if (cutTo(getter(HTMLOptionElement, 'value')(option), FIELD_VALUE_CHARS_MAX) !== values[0] || matches(option, ':disabled')) continue;
    if (!isOffered(option)) continue;
    if (getter(HTMLOptionElement, 'selected')(option)) return true;
    setter(HTMLOptionElement, 'selected')(option, true);
    tell(select, 'input', 'change');
    return true;
  }
  return false;
};

// Inserts a text where the focus is, as one that is pasted: the page's own handlers come first. Whether it went anywhere.
kit.pasteText = (text) => {
  const { inserts } = kit.paste(text);
  return inserts && text !== '' ? document.execCommand('insertText', false, text) : !inserts;
};
// Copies or cuts what is selected; see `copy`.
kit.take = (cut) => {
  const { text, remove } = kit.copy(cut);
  if (remove) document.execCommand('delete');
  return text;
};
