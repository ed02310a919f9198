// What is said of an element beside its role and name: states, value, placeholder, hint.
const VALUE_MAX = 2000, URL_MAX = 2000, HINT_MAX = 60;
// Roles with a value. What is in such an element shows it, as a slider does in a bubble, and does not tell which it is.
const VALUED = new Set(['meter', 'progressbar', 'scrollbar', 'slider', 'spinbutton']);
const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);
const SELECTABLE = new Set(['option', 'tab', 'row', 'gridcell', 'treeitem', 'columnheader', 'rowheader']);

const SAID = ['checked', 'expanded', 'selected', 'pressed', 'required', 'readonly', 'invalid'].map(name => `[aria-${name}]`).join();

// The native box inside an element with a check's role that says no state itself: it takes the clicks and has the state, as
// where a library lays one over its own drawing. Null where there are several, or another such element around it.
const TICK_NODES_MAX = 50;
const isTickBox = (element) => dom.tag(element) === 'input' && isHtml(element) && (element.type === 'checkbox' || element.type === 'radio');
function tickOf(element, role) {
  const isSaid = dom.has(element, 'aria-checked') || (role === 'option' && dom.has(element, 'aria-selected'));
  if (isSaid || !CHECKABLE.has(role) || WITHOUT_INSIDE.has(dom.tag(element)) || internalsOf(element) !== undefined) return null;
  let found = null, isOne = true, nodes = 0;
  walkIn(element, () => true, (node, type) => {
    const isTick = type === 1 && isTickBox(node);
    isOne = ++nodes <= TICK_NODES_MAX && !(isTick ? found !== null : type === 1 && CHECKABLE.has(roleOf(node)));
    if (isTick) found = node;
    return isOne;
  });
  return isOne ? found : null;
}

// Reads whether a native box is checked, and keeps what it says for the next time. A page that draws one beside it may say by
// `aria-checked` what it draws, and prevent the click, after which the browser takes back what the box itself was set to. So of
// a box that is not seen the attribute counts once it has changed without the box. One that stays as the box changes never
// counts.
const ticksSeen = new WeakMap();
function readTicked(box) {
  const said = (dom.attribute(box, 'aria-checked') ?? '').trim().toLowerCase(), own = box.checked;
  if (said !== 'true' && said !== 'false') return own;
  const last = ticksSeen.get(box);
  const isOther = last !== undefined && (last.said !== said) !== (last.own !== own);
  const counts = isOther ? last.said !== said : last?.counts ?? false;
  ticksSeen.set(box, { said, own, counts });
  return counts && own !== (said === 'true') && !isSeen(box) ? !own : own;
}

// The states, by the names in which they are written; `level=2` with its number.
function statesOf(element, role) {
  const states = [];
  const tag = dom.tag(element);
  const saysAny = dom.matches(element, SAID);
  const kept = internalsOf(element);
  // An attribute overrides what the element keeps to itself.
  const said = (name) => (saysAny && (dom.attribute(element, name) ?? '').trim().toLowerCase()) || (kept?.[name.slice('aria-'.length)] ?? '');
  const isInput = tag === 'input';
  const isTick = isTickBox(element);
  const box = isTick ? element : tickOf(element, role);
  if (box !== null) {
    if (box.indeterminate) states.push('mixed');
    else if (readTicked(box)) states.push('checked');
  // Tables of data say so of a cell that shows a tick.
  } else if (CHECKABLE.has(role) || role === 'gridcell') {
    const checked = said('aria-checked');
    if (checked === 'true') states.push('checked');
    else if (checked === 'mixed') states.push('mixed');
  }
  if (isDisabled(element) || kept?.disabled === 'true') states.push('disabled');
  const isSummary = tag === 'summary' && role === 'button';
  const expanded = isSummary ? String(dom.has(dom.parent(element), 'open')) : said('aria-expanded');
  if (expanded === 'true') states.push('expanded');
  else if (expanded === 'false') states.push('collapsed');
  if (tag === 'option' ? element.selected : SELECTABLE.has(role) && said('aria-selected') === 'true') states.push('selected');
  if (role === 'button' && said('aria-pressed') === 'true') states.push('pressed');
  const isField = isInput || tag === 'textarea' || tag === 'select';
  if ((isField && element.required) || said('aria-required') === 'true') states.push('required');
  if ((isInput || tag === 'textarea') && !isTick && element.readOnly || said('aria-readonly') === 'true') states.push('readonly');
  const invalid = said('aria-invalid');
  if ((invalid !== '' && invalid !== 'false') || (isField && invalid === '' && dom.matches(element, ':user-invalid'))) states.push('invalid');
  if (role === 'heading') states.push(`level=${levelOf(element, tag)}`);
  if (isInput) {
    if (element.type === 'file') states.push('file');
    else if (element.type === 'color') states.push('color');
  }
  if ((isInput || tag === 'textarea') && isSecretField(element) && element.value !== '') states.push('filled');
  return states;
}

// What keeps an element from all input: what is `inert` around it, or a modal dialog that it is not in.
function inertBy(element) {
  for (let at = element; at; at = drawnParent(at)) {
    if (dom.matches(at, 'dialog:modal')) return null;
    if (dom.has(at, 'inert')) return at;
  }
  return modalDialog();
}

const scrollTopOf = getterOf(Element.prototype, 'scrollTop'), scrollLeftOf = getterOf(Element.prototype, 'scrollLeft');
// Whether it stands before the page's beginning, where nothing scrolls to.
function isBeyondPage(element) {
  const box = dom.box(element);
  const { scrollX, scrollY } = window;
  if ((box.right + scrollX > 0 || getComputedStyle(documentRoot()).direction === 'rtl') && box.bottom + scrollY > 0) return false;
  for (let at = drawnParent(element); at; at = drawnParent(at)) if (scrollTopOf(at) > 0 || scrollLeftOf(at) !== 0) return false;
  return true;
}
// Whether it cuts off all that is in it, being this small: in CSS pixels of height or width.
function cutsOffAll(element, style, isSmall) {
  const { width, height } = dom.box(element);
  return (isSmall(height) && style.overflowY !== 'visible') || (isSmall(width) && style.overflowX !== 'visible');
}
// Whether nothing of it and of what is in it is drawn.
const isWithoutSize = (element) => cutsOffAll(element, getComputedStyle(element), (size) => size < 1);
// Whether it is in what is folded to nothing, as the panel of an accordion. What is placed by another element than the one it
// is in is not folded with that.
const FOLDED_LEVELS_MAX = 50;
// Whose `overflow` cuts nothing off.
const BOXLESS = /^inline$|^table-(row|column)/;
function isFoldedAway(element) {
  let { position } = getComputedStyle(element);
  for (let at = drawnParent(element), depth = 0; at && depth < FOLDED_LEVELS_MAX; at = drawnParent(at), depth++) {
    if (at === documentBody() || at === documentRoot() || position === 'fixed' || dom.matches(at, 'dialog:modal, :popover-open')) return false;
    const style = getComputedStyle(at);
    if (style.display === 'contents' || (position === 'absolute' && style.position === 'static')) continue;
    ({ position } = style);
    if (!BOXLESS.test(style.display) && cutsOffAll(at, style, (size) => size <= 1)) return true;
  }
  return false;
}

// The overflow of the viewport: the root's, or the body's where the root has none.
function overflowOf(at, style) {
  if (at !== documentRoot()) return [style.overflowX, style.overflowY];
  const body = documentBody(), [x, y] = [style.overflowX, style.overflowY];
  return x === 'visible' && y === 'visible' && body ? overflowOf(body, getComputedStyle(body)) : [x, y];
}
const CLIPS = new Set(['hidden', 'clip']);
const isApart = (box, part) => [box.right <= part.left || box.left >= part.right, box.bottom <= part.top || box.top >= part.bottom];
// Whether what is fixed inside of an element goes with that, and not with the window.
const holdsFixed = ({ transform, filter, perspective, backdropFilter, willChange, contain }) => [transform, filter, perspective, backdropFilter].some((one) => one && one !== 'none')
  || /transform|filter|perspective/.test(willChange) || /paint|layout|strict|content/.test(contain);
// The box within which an element shows what is in it.
function clipOf(element, { overflow, overflowClipMargin }) {
  const { left, top, right, bottom } = dom.box(element);
  const margin = overflow.includes('clip') ? Number.parseFloat(/-?[\d.]+px/.exec(overflowClipMargin)?.[0] ?? 0) : 0;
  return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
}
// Whether nothing of it is in sight, and a person can't scroll there: what is around it cuts it off, as a carousel does with
// its other slides, or it is fixed beyond an edge of the viewport, as a closed drawer is. What scrolls is asked in its place.
function isOutOfSight(element) {
  let box = dom.box(element), { position } = getComputedStyle(element);
  const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (let at = drawnParent(element), depth = 0; at && depth < FOLDED_LEVELS_MAX; at = drawnParent(at), depth++) {
    if (dom.matches(at, 'dialog:modal, :popover-open')) return false;
    const style = getComputedStyle(at), isRoot = at === documentRoot();
    // The viewport has the overflow of the body.
    if (at === documentBody() && getComputedStyle(documentRoot()).overflow === 'visible') continue;
    const isPassed = position === 'fixed' ? !holdsFixed(style) : position === 'absolute' && style.position === 'static' && !holdsFixed(style);
    if (style.display === 'contents' || (isPassed && !isRoot)) continue;
    if (!isRoot) ({ position } = style);
    const isBoxed = isRoot || !BOXLESS.test(style.display);
    const overflow = isBoxed ? overflowOf(at, style) : ['visible', 'visible'];
    const apart = isApart(box, isRoot ? viewport : clipOf(at, style));
    if (apart.some((is, axis) => is && CLIPS.has(overflow[axis]))) return true;
    if (!isRoot && overflow.some((one) => one === 'auto' || one === 'scroll')) box = dom.box(at);
  }
  return position === 'fixed' && isApart(box, viewport).includes(true);
}

// Whether a person sees it, and it takes a person's input: not transparent, not a dot, not beyond the page's edges or cut off
// where nothing scrolls to, not behind a modal dialog.
function isSeen(element) {
  if (!Element.prototype.checkVisibility.call(element, { opacityProperty: true }) || inertBy(element) !== null) return false;
  const box = dom.box(element);
  return (box.width > 1 || box.height > 1) && !isBeyondPage(element) && !isFoldedAway(element) && !isOutOfSight(element);
}

// Whether a pointer at its middle would be over it or what is in it.
function isHitInside(element) {
  const { left, top, width, height } = dom.box(element);
  const hit = Document.prototype.elementFromPoint.call(document, left + width / 2, top + height / 2);
  return hit !== null && isInside(hit, element);
}

// Whether what is in a `details` beside its summary is not shown: it is closed, and no style shows it all the same.
function isClosedDetails(element, tag) {
  return tag === 'details' && isHtml(element) && !dom.has(element, 'open') && getComputedStyle(element, '::details-content').contentVisibility !== 'visible';
}

// The select that the latest action clicked, whose options the browser has drawn then.
let selectClicked = null;
// The modal dialog of this document, or null. Kept until the page's script may run again.
let modal;
function modalDialog() {
  if (modal === undefined) {
    modal = Document.prototype.querySelector.call(document, 'dialog:modal');
    queueMicrotask(() => { modal = undefined });
  }
  return modal;
}

// Whether a list shows an option. A list that is closed renders none of them, so each is asked for its own style, and its
// group for that.
function isOffered(option) {
  for (let at = option; at && dom.type(at) === 1 && dom.tag(at) !== 'select'; at = dom.parent(at)) if (styleOf(at).display === 'none') return false;
  return true;
}

function levelOf(element, tag) {
  const level = Number.parseInt(dom.attribute(element, 'aria-level') ?? '', 10);
  if (level > 0 && level < 1000) return level;
  const own = /^h([1-6])$/.exec(tag);
  return own ? +own[1] : 2;
}

// A field's value; null where there is none to tell.
function valueOf(element, role) {
  const tag = dom.tag(element);
  if (tag === 'input') {
    const type = inputType(element);
    if (isSecretField(element) || ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'hidden'].includes(type)) return null;
    if (type === 'file') {
      const names = [];
      for (let at = 0; at < element.files.length && at < 10; at++) names.push(element.files[at].name);
      return names.length ? capped(names.join(', '), VALUE_MAX) : null;
    }
    const said = type === 'range' ? tidy((dom.attribute(element, 'aria-valuetext') ?? '').slice(0, VALUE_MAX)) : '';
    return said || (element.value === '' ? null : capped(element.value, VALUE_MAX));
  }
  const drawn = isSecretField(element) ? null : drawnText(element);
  if (drawn !== null) return drawn === '' ? null : capped(drawn, VALUE_MAX);
  if (tag === 'textarea') return element.value === '' || isSecretField(element) ? null : capped(element.value, VALUE_MAX);
  if (tag === 'progress' || tag === 'meter') {
    return tag === 'progress' && !dom.has(element, 'value') ? null : String(Math.round(element.value * 1000) / 1000);
  }
  if (VALUED.has(role) || role === 'separator') {
    const value = dom.attribute(element, 'aria-valuetext') ?? dom.attribute(element, 'aria-valuenow');
    if (value !== null && value !== '') return capped(tidy(value), VALUE_MAX);
    const kept = internalsOf(element)?.value ?? '';
    if (kept !== '') return capped(tidy(kept), VALUE_MAX);
    return role === 'spinbutton' || role === 'slider' ? contentOf(element) || null : null;
  }
  if (isEditingHost(element)) {
    const text = (element.innerText ?? '').slice(0, VALUE_MAX).replace(/[\u200b\u2060\ufeff]/g, '').replace(/\n{3,}/g, '\n\n').replace(/\n$/, '');
    return text === '' ? null : text.toWellFormed();
  }
  if (role === 'combobox') return contentOf(element, true) || contentOf(element) || null;
  if (role === 'textbox' || role === 'searchbox') return contentOf(element) || null;
  return null;
}

// How a table is sorted by a header; '' where it is not.
const SORTED = new Map([['ascending', 'sorted ascending'], ['descending', 'sorted descending'], ['other', 'sorted']]);
const sortingOf = (header) => SORTED.get((dom.attribute(header, 'aria-sort') ?? '').trim().toLowerCase()) ?? '';

// What libraries keep in `data-placeholder` beside a text: whether the placeholder is shown.
const IS_SHOWN = /^(?:true|false)$/i;
function placeholderOf(element, name) {
  const tag = dom.tag(element);
  const own = tag === 'input' || tag === 'textarea' ? dom.attribute(element, 'placeholder') : null;
  const kept = dom.attribute(element, 'data-placeholder') ?? '';
  const text = capped(tidy((own || dom.attribute(element, 'aria-placeholder') || (IS_SHOWN.test(kept) ? '' : kept)).slice(0, VALUE_MAX)), 500);
  return text === '' || text === name ? null : text;
}

function urlOf(element) {
  const url = dom.attribute(element, 'href') ?? dom.attribute(element, 'xlink:href');
  if (url === null) return null;
  const trimmed = url.slice(0, URL_MAX + 1).trim();
  if (/^(data|javascript):/i.test(trimmed)) return trimmed.split(':', 1)[0] + ':';
  return capped(trimmed, URL_MAX);
}

// What an element without a name may be for.
function hintOf(element) {
  const said = (at, name) => tidy((dom.attribute(at, name) ?? '').slice(0, 10 * HINT_MAX));
  const first = [];
  for (let at = element; at && first.length < 4; at = dom.firstElement(at)) first.push(at);
  const fileOf = (at) => (dom.tag(at) === 'img' ? /([^/?#]+)\.\w+(?:[?#]|$)/.exec(said(at, 'src'))?.[1] : symbolOf(at, said));
  const title = first.map((at) => said(at, 'title')).find((hint) => hint);
  const named = title || wordIconIn(element) || first.map((at) => said(at, 'id') || fileOf(at)).find((hint) => hint);
  const hint = named || iconIn(element, said) || first.map((at) => said(at, 'class')).find((hint) => hint);
  return hint ? capped(hint, HINT_MAX) : null;
}
// What the component is called that draws an element without a name.
function labelOfHost(element) {
  const root = dom.rootNode(element);
  const host = root instanceof ShadowRoot && !dom.has(root.host, 'role') ? root.host : null;
  return (host && capped(tidy((dom.attribute(host, 'aria-label') ?? '').slice(0, 10 * HINT_MAX)), HINT_MAX)) || null;
}
const symbolOf = (at, said) => (dom.tag(at) === 'use' ? said(at, 'href').replace(/^.*#/, '') : '');
// The word that an icon is drawn of by its font, as `delete`.
const ICON_WORD = /^[a-z][a-z0-9_]{1,30}$/;
function wordIconIn(element) {
  let nodes = 0, found = '';
  walkIn(element, () => true, (node, type) => {
    if (type === 1 && ariaTrue(node, 'aria-hidden') && dom.firstElement(node) === null) {
      const word = tidy(dom.textContent(node).slice(0, HINT_MAX));
      if (ICON_WORD.test(word)) found = word;
    }
    return found === '' && ++nodes < ICON_NODES_MAX;
  });
  return found;
}
// The icon that is drawn in an element, by the name that its library has for it.
const ICON_NODES_MAX = 20;
const NO_ICONS = /^(?:notranslate|icon|.*icons?|.*icon--.*|.*theme--.*)$/i;
function iconIn(element, said) {
  let nodes = 0, found = '';
  walkIn(element, () => true, (node, type) => {
    if (type !== 1) return true;
    const tag = dom.tag(node);
    if (tag === 'use') found = symbolOf(node, said);
    else if (tag === 'svg') found = said(node, 'data-icon') || said(node, 'data-testid') || iconClass(said(node, 'class'));
    else if (tag === 'i' || (tag === 'span' && dom.firstElement(node) === null && !['none', 'normal', '""'].includes(getComputedStyle(node, '::before').content))) found = iconClass(said(node, 'class'));
    return found === '' && ++nodes < ICON_NODES_MAX;
  });
  return found;
}
const iconClass = (classes) => classes.split(' ').filter((one) => !NO_ICONS.test(one)).join(' ');
