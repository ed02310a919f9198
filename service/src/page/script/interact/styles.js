// What is asked of styles, and what holds for a whole document: kept while a tree is walked, which asks for both again and
// again.

// The style of each element, as far as it is asked for.
let styles = null;
const STYLES_MAX = 100_000;
// What holds for the whole document, looked up once so much has been asked for that it pays.
let whole = null;
let asked = -Infinity;
const ASKED_MIN = 300, HOSTS_LOOKED_FOR_MAX = 100_000;
// What `clickable.js` knows of the order of the tab key.
let tabStops = null;
const beginWalk = () => { [styles, whole, asked, pointed, tabStops] = [new Map(), null, 0, null, new Map()] };
const endWalk = () => { [styles, whole, asked, tabStops] = [null, null, -Infinity, null] };

function styleOf(element) {
  const before = styles?.get(element);
  if (before !== undefined) return before;
  const computed = getComputedStyle(element);
  const { display, visibility, cursor } = computed;
  // `content-visibility` is nothing to what is drawn in a line.
  const contentVisibility = display === 'inline' ? 'visible' : computed.contentVisibility;
  const style = { display, visibility, cursor, contentVisibility };
  if (styles !== null && styles.size < STYLES_MAX) styles.set(element, style);
  return style;
}

const lookUp = () => {
  const all = Document.prototype.querySelectorAll.call(document, '*');
  let at = 0;
  while (at < all.length && at < HOSTS_LOOKED_FOR_MAX && shadowOf(all[at]) === null) at++;
  const hasHosts = at < all.length;
  const saysDisabled = hasHosts || Document.prototype.querySelector.call(document, '[aria-disabled]') !== null;
  return { hasHosts, saysDisabled, pseudo: pseudoSelector() };
};

// Whether an element may draw something before or after it: to ask for the styles of these costs as much as all else that is
// asked of an element. Elements of shadow trees, their hosts and what is in their slots have other style sheets than the
// document's.
function mayDrawPseudo(element) {
  if (++asked < ASKED_MIN) return true;
  whole ??= lookUp();
  if (whole.pseudo === null || dom.matches(element, whole.pseudo)) return true;
  if (!whole.hasHosts) return false;
  const parent = dom.parent(element);
  return shadowOf(element) !== null || parent === null || dom.type(parent) === 1 && shadowOf(parent) !== null || dom.rootNode(element) !== document;
}

// A selector of the elements that the document's style sheets give content before or after; null where that can't be told.
function pseudoSelector() {
  try {
    const found = ['q', ...selectorsOf(givesContent, withoutPseudo, (sheet) => sheet.cssRules)].join();
    dom.matches(documentRoot(), found);
    return found.includes('::') ? null : found;
  } catch {
    return null; // a sheet of another site, or what selectors alone don't tell
  }
}
// Conditions inside a rule have its other declarations.
const givesContent = (selector, rule) => /::(?:before|after)/.test(selector) && (rule.cssRules.length > 0 || !['', 'none', 'normal'].includes(rule.style.content));
// A selector of one of pseudo-elements becomes one of the elements that they belong to.
const withoutPseudo = (selector) => selector.replace(/"(?:[^"\\]|\\.)*"|(^|[\s>+~,(])?::(?:before|after)[^,\s)]*/g,
  (found, before) => (found.startsWith('"') ? found : before === undefined ? '' : `${before}*`));

// Whether a style sheet gives an element the cursor of what can be clicked once the pointer is over it.
let pointed = null;
const POINTED_MS = 1000;
const NOT_POINTED = 'label, td, th, tr:not(:has(td)), thead *, a *, button *, summary *, [role=button] *, [role=link] *';
function isPointedAtHover(element) {
  const now = performance.now();
  if (pointed === null || now > pointed.until) pointed = { by: hoverSelector((cursor) => cursor === 'pointer'), but: hoverSelector((cursor) => !['', 'pointer'].includes(cursor)), until: now + POINTED_MS };
  const { by, but } = pointed;
  if (by === null || !dom.matches(element, by) || dom.matches(element, NOT_POINTED) || (but !== null && dom.matches(element, but))) return false;
  const parent = drawnParent(element);
  return parent === null || dom.closest(parent, by) === null;
}
// A selector of the elements for which a rule of `:hover` gives such a cursor; null where there are none, or too many rules.
function hoverSelector(isSuch) {
  // What a sheet of another site says is not known.
  const readable = (sheet) => { try { return sheet.cssRules } catch { return [] } };
  const holds = (rule) => !(rule instanceof CSSMediaRule) || matchMedia(rule.media.mediaText).matches;
  try {
    const found = selectorsOf((selector, rule) => selector.includes(':hover') && isSuch(rule.style.cursor), withoutHover, readable, holds).join();
    if (found === '') return null;
    dom.matches(documentRoot(), found);
    return found;
  } catch {
    return null;
  }
}
const withoutHover = (selector) => selector.replace(/"(?:[^"\\]|\\.)*"|(^|[\s>+~,(]):hover(?![\w-])|:hover(?![\w-])/g,
  (found, before) => (found.startsWith('"') ? found : before === undefined ? '' : `${before}*`));

// The selectors of the document's rules for which `isWanted` says so, each as `without` makes it, but for what is in rules that don't
// hold. Throws where there are too many, or where they are not all that decides.
const sheetsOf = getterOf(Document.prototype, 'styleSheets'), adoptedSheetsOf = getterOf(Document.prototype, 'adoptedStyleSheets');
const RULES_MAX = 20_000, FOUND_RULES_MAX = 50, SELECTORS_MAX_CHARS = 5000;
function selectorsOf(isWanted, without, rulesOf, holds = () => true) {
  const found = [];
  let rules = 0, chars = 0;
  const count = (more, max) => { if (more > max) throw new RangeError('too many rules'); };
  const read = (list, outer) => {
    for (let at = 0; at < list.length; at++) {
      count(++rules, RULES_MAX);
      const rule = list[at];
      let inner = outer;
      if (rule instanceof CSSStyleRule) {
        inner = rule.selectorText;
        // Of what an element is the scope is another question than `matches` answers.
        if (/:scope/.test(inner) || /&/.test(outer === null ? inner : (inner.match(/"(?:[^"\\]|\\.)*"/g) ?? []).join())) throw new TypeError('scopes');
        // Each level of nested rules may have the one around it several times.
        if (outer !== null) {
          count((inner.split('&').length - 1) * (outer.length + 5), SELECTORS_MAX_CHARS);
          inner = inner.replaceAll('&', `:is(${outer})`);
        }
        if (isWanted(inner, rule)) {
          count(chars += inner.length, SELECTORS_MAX_CHARS);
          count(found.push(without(inner)), FOUND_RULES_MAX);
        }
      } else if (globalThis.CSSScopeRule && rule instanceof CSSScopeRule) throw new TypeError('scopes');
      else if (rule instanceof CSSImportRule && rule.styleSheet) read(rulesOf(rule.styleSheet), null);
      if (rule.cssRules?.length && holds(rule)) read(rule.cssRules, inner);
    }
  };
  for (const sheet of [...sheetsOf(document), ...adoptedSheetsOf(document)]) read(rulesOf(sheet), null);
  return found;
}
