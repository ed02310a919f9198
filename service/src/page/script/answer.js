// Answers all queries of a plan in one call, while no script of the page runs.
//
// A plan is `{ queries, limits }`; `limits` bound the whole answer, in nodes, characters of text and of attributes,
// and values of maps. A query is one of
//   { text: true, chain, all, frames, offset, chars }    the rendered text of the page, or of the nodes that a chain finds
//   { nodes: true, chain, all }                          the nodes of the page, or those that a chain finds
//   { map: [field…] }                                    values, each found by a chain of its own
// A node that several queries name is written once.
//
// `asks` is null in the page itself. In a frame of another origin it lists the questions `[query, field, start]` for
// that frame. Returns `{ snapshot, beyond }`: the snapshot as JSON, and for each inaccessible frame the questions to
// ask there.

const MAP_DEPTH_MAX = 16;
// An answer passes through the browser's main thread. Nodes and texts have limits of their own, some 15 million
// characters at most; element names, attribute values and XPath results have none.
const SNAPSHOT_MAX_CHARS = 32_000_000;
// Values longer than any answer are cut.
const VALUE_MAX_CHARS = 20_001;
const LISTED_MAX = 10_000;
const META_MAX = 400, LINKS_MAX = 200, LINKED_DATA_MAX_CHARS = 400_000, SOURCES_MAX = 200, FRONT_MAX_CHARS = 1500, START_MAX_CHARS = 3000;

// Returns the rendered text, with runs of blank lines folded to one and no other change.
const FOLDED = /\n[^\S\n]*\n(?:[^\S\n]*\n)+/g;
function shownText(node) {
  if (node.literal !== undefined) return node.literal;
  // Documents other than HTML (SVG, XML), and nodes other than elements, have no rendered text.
  const raw = node.innerText ?? node.textContent ?? '';
  return raw.replace(FOLDED, '\n\n').toWellFormed();
}

const pairsIn = text => text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0;

// Returns `chars` characters of a text from `offset` on, both counted in Unicode scalar values.
function slice(text, offset, chars) {
  if (pairsIn(text) === 0) return text.slice(offset, offset + chars);
  const advance = (from, by) => {
    let at = from;
    for (let seen = 0; seen < by && at < text.length; seen++) at += text.codePointAt(at) > 0xFFFF ? 2 : 1;
    return at;
  };
  const start = advance(0, offset);
  return text.slice(start, advance(start, chars));
}

// Returns a document's text; empty if a script has removed every element.
function documentText(page) {
  const shown = page.body ?? page.documentElement;
  return shown === null ? '' : shownText(shown);
}

// Returns the texts of a document and of its frames; `{ frame }` stands for an inaccessible frame.
function frameTexts(page, depth = 0) {
  const texts = [documentText(page)];
  if (depth >= FRAMES_DEEP_MAX) return texts;
  for (const holder of page.querySelectorAll('iframe, frame')) {
    if (!isShown(holder)) continue;
    const tree = documentOf(holder);
    if (tree?.documentElement) texts.push(...frameTexts(tree, depth + 1));
    else if (!tree) {
      beyond.note(holder);
      const frame = beyond.numberOf(holder);
      if (frame !== null) texts.push({ frame });
    }
  }
  return texts;
}

// The total size, in UTF-16 units, of an answer's texts other than those that are cut to a requested length.
class Room {
  constructor(chars) { this.chars = chars; this.cut = false }

  // Returns as much of a text as there is room for.
  take(text, max = Infinity) {
    const wanted = Math.min(max, text.length);
    const kept = text.slice(0, Math.min(wanted, this.chars));
    if (kept.length < wanted) this.cut = true;
    this.chars -= kept.length;
    return kept.toWellFormed();
  }
}

// Returns the texts of several matches, each whole, from the requested entry on, up to the requested length. Matches
// may be nested: their texts are made one after the other, and only the requested ones are kept.
function listed(nodes, query, at, room, open) {
  const max = open ? room.chars : query.chars;
  const first = open ? 0 : Math.min(query.offset, nodes.length);
  const items = [];
  let left = max, looked = 0, total = Math.max(0, nodes.length - 1), blank = true, full = false;
  nodes.forEach((node, place) => {
    const item = shownText(node);
    looked += item.length;
    if (looked > TEXT_LOOKED_AT_MAX) throw new Refused(at, 'too_much', 'the elements that the selector matches hold too much text');
    total += item.length - pairsIn(item);
    blank &&= !/\S/.test(item);
    if (place < first || full) return;
    if (place > first && left < item.length) { full = true; return }
    left -= item.length + 1;
    // One character more than there is room for shows that the text is cut.
    items.push(item.length > max ? slice(item, 0, max + 1) : item);
  });
  if (open) room.chars = Math.max(0, left);
  return { items, first, listed: nodes.length, total_chars: total, blank };
}

function readText(query, at, reads, asked, room) {
  let text;
  let matched = null;
  let roots = [document.documentElement].filter(Boolean);
  if (query.chain) {
    const found = findWithin(query.chain, at, -1, asked);
    if (found.length > 0 && !query.all) beyond.forget(at, -1);
    if (found.length === 0) return { missing: true };
    matched = found.length;
    if (query.all) {
      roots = found.slice(0, LISTED_MAX);
      reads.push(...roots);
      // If frames add more texts, the requested range is chosen when all have arrived.
      return { roots, matched, ...listed(roots, query, at, room, asked !== null || beyond.asksAbout(at)) };
    }
    reads.push(found[0]);
    roots = [found[0]];
    text = shownText(found[0]);
  } else {
    reads.push(...roots);
    if (query.frames) {
      beyond.asking = [at, -1, 0];
      const texts = frameTexts(document);
      beyond.asking = null;
      if (asked !== null || beyond.asksAbout(at)) return { roots, texts: texts.map(part => (typeof part === 'string' ? room.take(part) : part)) };
      text = texts.filter(part => /\S/.test(part)).join('\n\n');
    } else text = documentText(document);
  }
  return { roots, content: slice(text, query.offset, query.chars), matched, total_chars: text.length - pairsIn(text), blank: !/\S/.test(text) };
}

function valueOf(node, name) {
  if (node.literal !== undefined || !isElement(node)) return node.literal ?? node.value ?? node.data ?? null;
  const clipped = text => text.slice(0, VALUE_MAX_CHARS).toWellFormed();
  if (name === 'value' && typeof node.value === 'string') return clipped(node.value);
  const whole = node.getAttribute(name);
  if (whole === null) return null;
  const value = clipped(whole);
  if (['href', 'src', 'action', 'poster', 'cite', 'data'].includes(name)) {
    try { return new URL(value, node.baseURI).href } catch {}
  }
  return value;
}

// Returns values in the shape of the map; an element is `{ of: element }` until its index is known.
function readMap(fields, scope, at, reads, counted, asked, room, depth = 0) {
  const values = [];
  for (const [index, field] of fields.entries()) {
    // Only a map's own fields are looked for in frames of other origins, not those of nested maps.
    const starts = depth > 0 || asked === null ? null : startsOf(asked, at, index);
    const found = depth > 0 ? find(scope, field.chain, at) : findWithin(field.chain, at, index, starts);
    if (depth === 0 && !field.list && found.length) beyond.forget(at, index);
    // A missing value counts too.
    const count = () => {
      if (counted.left-- <= 0) throw new Refused(at, 'too_much', `the map would give more than ${counted.max} values`);
    };
    const textOf = value => ({ text: value === null ? null : room.take(value, VALUE_MAX_CHARS) });
    const one = node => {
      count();
      if (field.fields && depth < MAP_DEPTH_MAX) return { map: readMap(field.fields, node, at, reads, counted, asked, room, depth + 1) };
      if (field.attribute) return textOf(valueOf(node, field.attribute));
      if (!isElement(node)) return textOf(valueOf(node, ''));
      reads.push(node);
      return { of: node };
    };
    if (field.list || found.length === 0) count();
    values.push(field.list ? { list: found.map(one) } : found.length ? one(found[0]) : { none: true });
  }
  return values;
}

function place(value, indices) {
  if (Array.isArray(value)) return value.map(one => place(one, indices));
  if (value.map) return { map: place(value.map, indices) };
  if (value.list) return { list: place(value.list, indices) };
  if (value.of) return { at: indices.get(value.of) ?? -1 };
  return value;
}

function head() {
  const clipped = text => (text ?? '').slice(0, ATTRIBUTE_MAX_CHARS).toWellFormed();
  const metas = [...document.querySelectorAll('meta[content]')].slice(0, META_MAX)
    .map(meta => [clipped(meta.getAttribute('property') || meta.name || meta.getAttribute('itemprop') || meta.httpEquiv).toLowerCase(), clipped(meta.content)])
    .filter(([name]) => name);
  const links = [...document.querySelectorAll('link[rel][href]')].filter(link => /canonical|icon|alternate|amphtml|author|license|next|prev/i.test(link.rel)).slice(0, LINKS_MAX)
    .map(link => ({ rel: clipped(link.rel), href: link.href.startsWith('data:') ? 'data:' : clipped(link.href), type: clipped(link.type), title: clipped(link.title), hreflang: clipped(link.hreflang), sizes: clipped(link.sizes?.value) }));
  let room = LINKED_DATA_MAX_CHARS;
  const linkedData = [];
  for (const script of document.querySelectorAll('script[type="application/ld+json" i]')) {
    const text = script.textContent;
    if ((room -= text.length) < 0) break;
    linkedData.push(text.toWellFormed());
  }
  const sources = [...document.querySelectorAll('script[src], iframe[src]')].slice(0, SOURCES_MAX).map(one => clipped(one.src));
  const page = document.documentElement;
  return {
    url: document.URL.slice(0, URL_MAX_CHARS).toWellFormed(), base: document.baseURI.slice(0, URL_MAX_CHARS).toWellFormed(), title: document.title.slice(0, 1000).toWellFormed(), content_type: document.contentType,
    language: clipped(page?.lang || document.querySelector('meta[http-equiv="content-language" i]')?.content || document.body?.lang),
    window: [innerWidth, innerHeight], size: [page?.scrollWidth ?? 0, page?.scrollHeight ?? 0],
    metas, links, linked_data: linkedData, sources, front: front(), start: clippedStart(),
  };
}

const clippedStart = () => {
  const body = document.body;
  if (!body) return { text: '', chars: 0 };
  const text = body.innerText;
  return { text: text.slice(0, START_MAX_CHARS).toWellFormed(), chars: text.length };
};

// Returns what covers the page, if anything: a dialog, or a layer that stays in place when the page is scrolled.
function front() {
  for (let at = document.elementFromPoint(innerWidth / 2, innerHeight / 2); at && at !== document.body; at = at.parentElement ?? at.getRootNode().host) {
    const style = getComputedStyle(at);
    if (style.position === 'fixed' || at.localName === 'dialog' || at.getAttribute('role') === 'dialog' || at.getAttribute('aria-modal') === 'true') {
      const box = at.getBoundingClientRect();
      const share = (box.width * box.height) / (innerWidth * innerHeight);
      return { text: (at.innerText ?? '').slice(0, FRONT_MAX_CHARS).toWellFormed(), share: Math.round(share * 1000) };
    }
  }
  return null;
}

const startsOf = (asks, query, field) => asks.filter(([of, its]) => of === query && its === field).map(([, , start]) => start);

function answer(plan, asks) {
  // A browser's error page is not the site's frame.
  if (asks !== null && location.protocol === 'chrome-error:') return { snapshot: '{}', beyond: [] };
  const seen = [];
  const reads = [];
  const room = new Room(plan.limits.chars);
  const counted = { left: plan.limits.values, max: plan.limits.values };
  // With several queries, each result reports its own hidden text, for which the nodes are needed.
  let emits = plan.queries.length > 1;
  try {
    plan.queries.forEach((query, at) => {
      const asked = asks === null ? null : startsOf(asks, at, -1);
      if (asks !== null && !asks.some(([of]) => of === at)) {
        seen.push({ missing: true });
      } else if (query.text) {
        seen.push(readText(query, at, reads, asked, room));
      } else if (query.map) {
        emits = true;
        seen.push({ values: readMap(query.map, document, at, reads, counted, asks, room) });
      } else {
        emits = true;
        const found = query.chain ? findWithin(query.chain, at, -1, asked) : [document.documentElement].filter(Boolean);
        const nodes = found.filter(isElement);
        if (nodes.length > 0 && !query.all) beyond.forget(at, -1);
        const wanted = query.all ? nodes.slice(0, LISTED_MAX) : nodes.slice(0, 1);
        for (const node of wanted) reads.push(node);
        seen.push(wanted.length ? { roots: wanted, matched: nodes.length } : { missing: true });
      }
    });
  } catch (error) {
    if (error instanceof Refused) return { snapshot: JSON.stringify({ refused: { query: error.query, code: error.code, what: error.what } }), beyond: [] };
    throw error;
  }
  const walk = new Walk(emits, plan.limits);
  const nodes = [...new Set(reads.map(node => (isElement(node) ? node : node.parentElement)).filter(Boolean))];
  const within = new Set(nodes);
  for (const node of nodes) {
    let above = walk.above(node);
    while (above && !within.has(above)) above = walk.above(above);
    if (!above) walk.root(node);
    if (walk.cut) break;
  }
  walk.settleSuspects();
  walk.settleTransparent();
  const answers = seen.map(one => {
    if (one.roots) return { ...one, roots: one.roots.map(node => walk.indices.get(node) ?? -1) };
    if (one.values) return { values: place(one.values, walk.indices) };
    return one;
  });
  const snapshot = JSON.stringify({ head: head(), answers, names: walk.names, columns: emits ? walk.columns : null, hidden: walk.hidden, cut: walk.cut || room.cut });
  if (snapshot.length > SNAPSHOT_MAX_CHARS) {
    const what = `the page's names and values would fill more than ${SNAPSHOT_MAX_CHARS} characters`;
    return { snapshot: JSON.stringify({ refused: { query: 0, code: 'too_much', what } }), beyond: [] };
  }
  // `numbered.js` finds frames by these numbers.
  globalThis.portholeFrames = [...beyond.holders.keys()];
  return { snapshot, beyond: beyond.list() };
}
