// Finds the nodes that selector chains name. Runs in our isolated world, inside one function with walk.js and
// answer.js.
//
// A chain is a list of steps `{ by, of }`; each step searches inside the matches of the step before it. Open shadow
// roots and same-origin frames are searched. Frames of other origins are not accessible from here: see `Beyond`.

// Limits for steps that may search many characters or scopes, so that no page and no selector keeps us for ever.
const SCOPES_MAX = 1000;
const TEXT_LOOKED_AT_MAX = 30_000_000;
const BEYOND_MAX = 32;

class Refused {
  constructor(query, code, what) { this.query = query; this.code = code; this.what = what }
}

// Frames that can't be looked into from here, and what is to be asked inside them: `[query, field, start]`, which are the
// steps of that query's chain (of its field, in a map) from `start` on. The service carries these out in those frames.
class Beyond {
  constructor() { this.holders = new Map(); this.asking = null }

  note(holder) {
    if (this.asking === null) return;
    let asked = this.holders.get(holder);
    if (!asked) {
      if (this.holders.size >= BEYOND_MAX) return;
      this.holders.set(holder, asked = new Map());
    }
    asked.set(this.asking.join(), this.asking);
  }

  numberOf(holder) {
    const at = [...this.holders.keys()].indexOf(holder);
    return at < 0 ? null : at;
  }

  // Drops the questions for that query and field: the matches found here are enough.
  forget(query, field) {
    for (const asked of this.holders.values()) for (const [key, [of, its]] of asked) if (of === query && its === field) asked.delete(key);
  }

  asksAbout(query) { return [...this.holders.values()].some(asked => [...asked.values()].some(([of]) => of === query)) }

  list() { return [...this.holders.values()].map(asked => [...asked.values()]) }
}
const beyond = new Beyond();

// The trees right inside `scope` that a selector does not see by itself, each with the element that holds it.
const innerTrees = scope => treesInside(scope, frame => {
  const inner = documentOf(frame);
  if (!inner) beyond.note(frame);
  return inner?.documentElement ? inner : null;
});
const pierce = (scope, find) => pierceWith(innerTrees, scope, find);

const isShown = element => element.checkVisibility({ visibilityProperty: true });

// Returns the smallest elements that show this text.
function byText(scope, wanted, lookedAt) {
  const quoted = /^"(.*)"$|^'(.*)'$/s.exec(wanted);
  const needle = squeezed(quoted ? quoted[1] ?? quoted[2] : wanted);
  const folded = needle.toLowerCase();
  const fits = text => {
    lookedAt.chars += text.length;
    if (lookedAt.chars > TEXT_LOOKED_AT_MAX) throw new Refused(0, 'too_much', 'the page is too large to look for a text in it');
    const plain = squeezed(text);
    return quoted ? plain === needle : plain.toLowerCase().includes(folded);
  };
  const holds = element => !UNREAD.has(element.localName) && squeezed(element.textContent).toLowerCase().includes(folded);
  const found = [];
  const open = (isElement(scope) ? [scope] : [...scope.children]).filter(holds).reverse();
  while (open.length) {
    const element = open.pop();
    const whole = fits(element.textContent);
    const within = [...element.children].filter(holds);
    if (within.length) for (const child of within.reverse()) open.push(child);
    else if (whole && isShown(element) && fits(element.innerText ?? element.textContent)) found.push(element);
  }
  return found;
}

const TEXT_FIELDS = 'input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=url], input[type=password], textarea';
const ROLES = {
  article: 'article', banner: 'header', button: 'button, summary, input[type=button], input[type=submit], input[type=reset], input[type=image]',
  cell: 'td', checkbox: 'input[type=checkbox]', columnheader: 'th:not([scope=row])', combobox: 'select:not([multiple]), input[list]',
  complementary: 'aside', contentinfo: 'footer', definition: 'dd', dialog: 'dialog', figure: 'figure', form: 'form', group: 'fieldset, details, optgroup',
  heading: 'h1, h2, h3, h4, h5, h6', img: 'img, svg', image: 'img, svg', link: 'a[href], area[href]', list: 'ul, ol, menu', listbox: 'select[multiple]',
  listitem: 'li', main: 'main', meter: 'meter', navigation: 'nav', option: 'option', paragraph: 'p', progressbar: 'progress', radio: 'input[type=radio]',
  region: 'section[aria-label], section[aria-labelledby]', row: 'tr', rowgroup: 'tbody, thead, tfoot', rowheader: 'th[scope=row]', search: 'search',
  searchbox: 'input[type=search]', separator: 'hr', slider: 'input[type=range]', spinbutton: 'input[type=number]', status: 'output', table: 'table',
  term: 'dt, dfn', textbox: TEXT_FIELDS, time: 'time',
};

// Returns an element's accessible name, by the common part of the accessible name computation.
function nameOf(element) {
  const root = element.getRootNode();
  const ids = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean).slice(0, 20);
  const labelled = ids.map(id => root.getElementById?.(id)?.textContent ?? '').join(' ');
  const inner = () => {
    let text = element.textContent;
    for (const image of element.querySelectorAll('img[alt]')) text += ' ' + image.alt;
    return text;
  };
  const kind = element.localName;
  const own = () => {
    if (element.labels?.length) return [...element.labels].map(label => label.textContent).join(' ');
    if (kind === 'img' || kind === 'area') return element.alt;
    if (kind === 'input') return ['button', 'submit', 'reset'].includes(element.type) ? element.value : element.alt || element.placeholder;
    if (kind === 'textarea') return element.placeholder;
    if (kind === 'select') return '';
    const caption = { fieldset: 'legend', table: 'caption', figure: 'figcaption', svg: 'title' }[kind];
    if (caption) return element.querySelector(caption)?.textContent ?? '';
    return inner();
  };
  for (const name of [labelled, element.getAttribute('aria-label') ?? '', own() ?? '', element.getAttribute('title') ?? '']) {
    const plain = squeezed(name);
    if (plain) return plain;
  }
  return '';
}

function byRole(scope, of) {
  const parts = /^([a-z-]+)\s*(?:"([^]*)"|'([^]*)')?$/i.exec(of);
  const role = parts[1].toLowerCase();
  const name = parts[2] ?? parts[3];
  const implied = ROLES[role];
  const candidates = pierce(scope, tree => [...tree.querySelectorAll(implied ? `[role], ${implied}` : '[role]')]);
  const found = candidates.filter(element => {
    const declared = element.getAttribute('role')?.trim().split(/\s+/)[0]?.toLowerCase();
    if (declared ? declared !== role && !(role === 'image' && declared === 'img') : !implied || !element.matches(implied)) return false;
    return isShown(element) && !element.closest('[aria-hidden=true]');
  });
  if (name === undefined) return found;
  const wanted = squeezed(name).toLowerCase();
  const named = found.map(element => [element, nameOf(element).toLowerCase()]);
  const exact = named.filter(([, called]) => called === wanted);
  return (exact.length ? exact : named.filter(([, called]) => called.includes(wanted))).map(([element]) => element);
}

function byXpath(scope, of) {
  const look = tree => {
    const home = tree.nodeType === 9 ? tree : tree.ownerDocument;
    // A shadow root can't be an XPath's context.
    if (tree.nodeType === 11) return [];
    const result = home.evaluate(of, tree, null, XPathResult.ANY_TYPE, null);
    switch (result.resultType) {
      case XPathResult.NUMBER_TYPE: return [{ literal: String(result.numberValue) }];
      case XPathResult.STRING_TYPE: return [{ literal: result.stringValue }];
      case XPathResult.BOOLEAN_TYPE: return [{ literal: String(result.booleanValue) }];
    }
    const nodes = [];
    for (let node = result.iterateNext(); node; node = result.iterateNext()) nodes.push(node.nodeType === 9 ? node.documentElement : node);
    return nodes;
  };
  if (scope.nodeType === 9) return piercedDocuments(scope).flatMap(look);
  return look(scope).filter(node => node.literal !== undefined || isInside(node.ownerElement ?? node, scope));
}

function piercedDocuments(scope, depth = 0) {
  const documents = [scope];
  if (depth < FRAMES_DEEP_MAX)
    for (const [holder, tree] of innerTrees(scope)) if (isFrame(holder)) documents.push(...piercedDocuments(tree, depth + 1));
  return documents;
}

function step(scope, { by, of }, lookedAt) {
  switch (by) {
    case 'css': return pierce(scope, tree => [...tree.querySelectorAll(of)]);
    case 'xpath': return byXpath(scope, of);
    case 'text': return pierce(scope, tree => byText(tree, of, lookedAt));
    case 'role': return byRole(scope, of);
    case 'testid': {
      const value = CSS.escape(of);
      return pierce(scope, tree => [...tree.querySelectorAll(['data-testid', 'data-test-id', 'data-test'].map(name => `[${name}="${value}"]`).join())]);
    }
  }
}

// Returns what a chain finds inside `scope`: nodes in document order, or literals that an XPath computed. `field` is
// the index of the map field that it is found for, -1 outside of maps, null if frames of other origins are left
// alone.
function find(scope, chain, query, field = null, start = 0) {
  const lookedAt = { chars: 0 };
  let scopes = [scope];
  for (let at = start; at < chain.length; at++) {
    const one = chain[at];
    if (one.by === 'self') continue;
    beyond.asking = field === null ? null : [query, field, at];
    scopes = scopes.filter(node => node.nodeType !== undefined && node.querySelectorAll);
    const eachCounts = one.by === 'xpath' || (one.by === 'css' && one.of.includes(':scope'));
    const within = eachCounts ? scopes : outermost(scopes);
    if (eachCounts && within.length > SCOPES_MAX) throw new Refused(query, 'too_much', `a step of the selector would look inside more than ${SCOPES_MAX} elements`);
    try {
      if (within.length === 1) scopes = [...new Set(step(within[0], one, lookedAt))];
      else {
        const all = new Set();
        for (const inside of within) for (const node of step(inside, one, lookedAt)) all.add(node);
        scopes = [...all];
      }
    } catch (error) {
      if (error instanceof Refused) throw new Refused(query, error.code, error.what);
      throw new Refused(query, 'invalid', `${one.by}: ${one.of}`);
    } finally {
      beyond.asking = null;
    }
  }
  return scopes;
}

// Does the same inside a frame of another origin, with the rest of the chain from each of the steps in `starts` on.
function findWithin(chain, query, field, starts) {
  if (starts === null) return find(document, chain, query, field);
  const found = new Set();
  for (const start of starts) for (const node of find(document, chain, query, field, start)) found.add(node);
  return [...found];
}
