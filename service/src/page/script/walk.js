// Walks the page and records its nodes, and which of them a reader sees. Not recursive, since pages may nest to any
// depth.

// Reasons why something is not visible; 0 means visible.
const NOT_RENDERED = 1, TRANSPARENT = 2, ZERO_SIZE = 3, OFF_SCREEN = 4, SAME_COLOUR = 5, CLIPPED = 6;
const KINDS = { inline: 0, block: 1, 'inline-block': 2, 'list-item': 3, flex: 4, 'inline-flex': 2, grid: 4, 'inline-grid': 2, table: 5, 'inline-table': 5,
  'table-row': 6, 'table-cell': 7, 'table-row-group': 5, 'table-header-group': 5, 'table-footer-group': 5, 'table-caption': 1, 'flow-root': 1, contents: 8 };
// Below these values a reader sees nothing.
const OPACITY_MIN = 0.05, TEXT_HEIGHT_MIN_PX = 3, CLIP_MIN_PX = 2;
// How far beside the window content may be to count as reachable by scrolling.
const BESIDE_MAX_PX = 2000;
// The smallest visible difference: the sum of the three channels' differences, of 765.
const COLOUR_DIFFERENCE_MIN = 24;
const PAINTS_MAX = 4000, COMPARISONS_MAX = 4_000_000;
const ATTRIBUTE_MAX_CHARS = 2000, URL_MAX_CHARS = 8000, NAME_MAX_CHARS = 100;
// The cost of an attribute in addition to its own characters.
const ATTRIBUTE_EXTRA_CHARS = 16;
const ATTRIBUTES = ['id', 'class', 'alt', 'title', 'rel', 'lang', 'dir', 'datetime', 'colspan', 'rowspan', 'scope', 'headers', 'type', 'start', 'value',
  'itemprop', 'itemtype', 'role', 'aria-label', 'aria-level', 'content', 'property', 'name', 'data-lang', 'data-language', 'data-testid', 'hreflang', 'width', 'height', 'reversed', 'checked', 'aria-modal', 'itemscope', 'align'];
const KEPT = new Set(ATTRIBUTES);
// Elements whose content is not text of the page.
const NO_INSIDE = new Set(['head', 'script', 'style', 'noscript', 'template', 'svg', 'canvas', 'video', 'audio', 'object', 'select', 'datalist', 'textarea', 'math']);
const PAINTED = new Set(['img', 'video', 'canvas', 'svg', 'picture', 'object', 'embed', 'iframe']);

const colours = new Map();
let palette = null;
function colourOf(text) {
  let colour = colours.get(text);
  if (colour === undefined) {
    const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
    if (plain) colour = [+plain[1], +plain[2], +plain[3], plain[4] === undefined ? 1 : +plain[4]];
    else {
      palette ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      palette.clearRect(0, 0, 1, 1);
      palette.fillStyle = text;
      palette.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = palette.getImageData(0, 0, 1, 1).data;
      colour = [red, green, blue, alpha / 255];
    }
    if (colours.size < 5000) colours.set(text, colour);
  }
  return colour;
}
const over = (above, below) => [0, 1, 2].map(at => above[at] * above[3] + below[at] * (1 - above[3]));
const difference = (one, other) => Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]) + Math.abs(one[2] - other[2]);

// Returns the colour behind an element's text, or null if a picture or a gradient is there.
function groundOf(style, below) {
  const picture = style.backgroundImage;
  if (picture !== 'none') {
    const stops = picture.match(/rgba?\([^)]*\)/g);
    if (!/^[a-z-]*gradient\(/.test(picture) || !stops) return null;
    const [first, ...others] = stops.map(colourOf);
    return first[3] === 1 && others.every(other => difference(first, other) < COLOUR_DIFFERENCE_MIN) ? first : null;
  }
  const text = style.backgroundColor;
  if (text === 'rgba(0, 0, 0, 0)') return below;
  const own = colourOf(text);
  if (own[3] === 1) return own;
  return below && over(own, below);
}

function clipsAway(style) {
  const clip = style.clip;
  if (clip !== 'auto' && clip !== '') {
    const [top, right, bottom, left] = (clip.match(/-?[\d.]+/g) ?? []).map(Number);
    if (bottom - top <= 1 || right - left <= 1) return true;
  }
  const path = style.clipPath;
  if (path === 'none' || path === '') return false;
  const inset = /^inset\(([\d.]+)%/.exec(path);
  return (inset !== null && +inset[1] >= 50) || /^(circle|ellipse)\(0(px|%)?[ )]/.test(path) || /^polygon\((0(px|%)? 0(px|%)?(, )?)+\)$/.test(path);
}

const meets = (one, other) => {
  const left = Math.max(one.left, other.left), top = Math.max(one.top, other.top);
  return { left, top, right: Math.max(left, Math.min(one.right, other.right)), bottom: Math.max(top, Math.min(one.bottom, other.bottom)) };
};

class Walk {
  constructor(emits, limits) {
    this.emits = emits;
    this.limits = limits;
    this.indices = new Map();
    this.columns = { parent: [], name: [], flags: [], boxes: [], sizes: [], texts: [], attributes: [] };
    this.names = ['#text'];
    this.nameIndices = new Map([['#text', 0]]);
    this.chars = 0;
    this.attributeChars = 0;
    this.cut = false;
    this.hidden = [0, 0, 0, 0, 0, 0, 0];
    this.seen = 0;
    this.transparent = [];
    this.paints = [];
    this.suspects = [];
    this.range = document.createRange();
    this.toLeft = document.documentElement !== null && getComputedStyle(document.documentElement).direction === 'rtl';
  }

  // Returns the context that the ancestors of `root` create for it.
  contextAbove(root) {
    const line = [];
    for (let at = this.above(root); at; at = this.above(at)) if (isElement(at)) line.push(at);
    let context = this.outermost(document);
    for (const element of line.reverse()) context = this.enter(element, context).inside;
    return context;
  }

  above(node) {
    if (node.assignedSlot) return node.assignedSlot;
    return holderOf(node);
  }

  outermost() {
    return { hidden: 0, opacity: 1, ground: [255, 255, 255, 1], clip: null, clipOfPlaced: null, placed: false, scrolls: false, dx: scrollX, dy: scrollY,
      style: null, details: false };
  }

  // Returns an element's own state, and the context that it creates for its content.
  enter(element, context) {
    const view = element.ownerDocument.defaultView;
    const style = view ? view.getComputedStyle(element) : null;
    if (!style || style.display === '' ) return { kind: 0, hidden: NOT_RENDERED, inside: { ...context, hidden: NOT_RENDERED }, style: null, box: null };
    const display = style.display;
    if (context.hidden === NOT_RENDERED && context.gone || display === 'none') {
      return { kind: KINDS[display] ?? 1, hidden: NOT_RENDERED, inside: { ...context, hidden: NOT_RENDERED, gone: true, style }, style, box: null };
    }
    const position = style.position;
    const box = element.getBoundingClientRect();
    const inside = { ...context, style };
    let clip = context.clip;
    if (position === 'fixed') clip = null, inside.dx = 0, inside.dy = 0;
    else if (position === 'absolute') clip = context.clipOfPlaced;
    if (position === 'absolute' || position === 'fixed') inside.placed = true;
    if (style.overflowX !== 'visible' && element !== element.ownerDocument.documentElement && element !== element.ownerDocument.body && display !== 'inline' && display !== 'contents') {
      const hides = style.overflowX === 'hidden' || style.overflowX === 'clip' || style.overflowY === 'hidden' || style.overflowY === 'clip';
      const narrow = box.width < CLIP_MIN_PX || box.height < CLIP_MIN_PX;
      if (hides || narrow) clip = clip ? meets(clip, box) : box, inside.placed = false;
      if (!hides) inside.scrolls = true;
    }
    inside.clip = clip;
    inside.clipOfPlaced = position !== 'static' || style.transform !== 'none' ? clip : context.clipOfPlaced;
    if (display !== 'contents' && style.backgroundImage !== 'none' || style.backgroundColor !== 'rgba(0, 0, 0, 0)') {
      inside.ground = groundOf(style, context.ground);
      if (this.paints.length < PAINTS_MAX) this.paints.push([element, box]);
    } else if (PAINTED.has(element.localName) && this.paints.length < PAINTS_MAX) this.paints.push([element, box]);
    const opacity = style.opacity;
    if (opacity !== '1') inside.opacity = context.opacity * opacity;
    let hidden = 0;
    if (context.hidden > NOT_RENDERED && context.hidden !== SAME_COLOUR) hidden = context.hidden;
    else if (inside.opacity < OPACITY_MIN) hidden = TRANSPARENT;
    else if (clipsAway(style)) hidden = CLIPPED;
    inside.hidden = hidden;
    if (style.contentVisibility === 'hidden' && !inside.details) inside.hidden = NOT_RENDERED, inside.gone = true;
    if (style.visibility !== 'visible') hidden = NOT_RENDERED;
    inside.unseen = style.visibility !== 'visible';
    // Content that a reader can open with a click counts as visible.
    if (element.localName === 'details' && !element.open) inside.details = true;
    else if (element.localName === 'summary') inside.details = false;
    return { kind: KINDS[display] ?? 1, hidden, inside, style, box };
  }

  // Returns 0 if a reader sees a box inside `context`, otherwise the reason why not.
  judge(box, context, isText) {
    if (context.gone || context.unseen) return NOT_RENDERED;
    if (context.hidden) return context.hidden;
    if (isText ? box.height < TEXT_HEIGHT_MIN_PX || box.width === 0 : false) return ZERO_SIZE;
    const clip = context.clip;
    if (clip) {
      if (clip.right - clip.left < CLIP_MIN_PX || clip.bottom - clip.top < CLIP_MIN_PX) return CLIPPED;
      if (box.right <= clip.left || box.bottom <= clip.top) return CLIPPED;
      if (context.placed && (box.left >= clip.right || box.top >= clip.bottom)) return CLIPPED;
    }
    if (box.bottom + context.dy <= 0) return OFF_SCREEN;
    if (!context.scrolls) {
      const toLeft = this.toLeft;
      const right = box.right + context.dx, left = box.left + context.dx;
      if (toLeft ? right < -BESIDE_MAX_PX || left >= innerWidth : right <= 0 || left > innerWidth + BESIDE_MAX_PX) return OFF_SCREEN;
    }
    return 0;
  }

  textHidden(node, context) {
    if (!context.style || context.gone || context.unseen) return NOT_RENDERED;
    this.range.selectNodeContents(node);
    const box = this.range.getBoundingClientRect();
    if (box.width === 0 && box.height === 0 && !context.hidden) {
      return context.details ? 0 : ZERO_SIZE;
    }
    const hidden = this.judge(box, context, true);
    if (hidden) return hidden;
    const style = context.style;
    const colour = colourOf(style.webkitTextFillColor || style.color);
    if (colour[3] < OPACITY_MIN) return style.webkitBackgroundClip === 'text' || style.textShadow !== 'none' ? 0 : TRANSPARENT;
    const ground = context.ground;
    if (ground && difference(over([colour[0], colour[1], colour[2], colour[3] * context.opacity], ground), ground) < COLOUR_DIFFERENCE_MIN
      && style.textShadow === 'none' && !(parseFloat(style.webkitTextStrokeWidth) > 0)) return [box];
    return 0;
  }

  // If most text is transparent, the page has yet to fade in as a whole, and its text counts as visible.
  settleTransparent() {
    if (this.hidden[TRANSPARENT] < this.seen * 4) return;
    if (this.emits) for (const at of this.transparent) this.columns.flags[at] = 0;
    this.hidden[TRANSPARENT] = 0;
  }

  // Text in the colour of its background is visible after all if something else is painted between the two.
  settleSuspects() {
    let compared = 0;
    for (const { node, box, at, chars } of this.suspects) {
      const seen = this.paints.some(([element, painted]) =>
        compared++ < COMPARISONS_MAX && painted.left < box.right && painted.right > box.left && painted.top < box.bottom && painted.bottom > box.top && !element.contains(node)
      );
      if (seen) continue;
      this.hidden[SAME_COLOUR] += chars;
      if (this.emits) this.columns.flags[at] = SAME_COLOUR;
    }
  }

  // A page may name its elements as it likes: each new name counts as text.
  name(of) {
    let index = this.nameIndices.get(of);
    if (index === undefined) {
      const name = of.slice(0, NAME_MAX_CHARS).toWellFormed();
      this.chars += name.length;
      this.nameIndices.set(of, index = this.names.push(name) - 1);
    }
    return index;
  }

  full() {
    if (this.columns.parent.length < this.limits.nodes && this.chars < this.limits.chars) return false;
    this.cut = true;
    return true;
  }

  push(parent, name, flags) {
    const { columns } = this;
    columns.name.push(name);
    columns.flags.push(flags);
    return columns.parent.push(parent) - 1;
  }

  root(node) {
    if (this.indices.has(node)) return;
    const context = this.contextAbove(node);
    const open = [[node, -1, context]];
    while (open.length) {
      const [at, parent, context] = open.pop();
      if (at.nodeType === 3) { this.text(at, parent, context); continue }
      if (at.nodeType !== 1) continue;
      if (this.full()) return;
      this.element(at, parent, context, open);
    }
  }

  text(node, parent, context) {
    const data = node.data;
    if (data === '' || this.full()) return;
    const blank = !/\S/.test(data);
    let hidden = blank ? (context.gone || context.unseen ? NOT_RENDERED : context.hidden) : this.textHidden(node, context);
    let suspect = null;
    if (typeof hidden === 'object') { suspect = hidden[0]; hidden = 0 }
    const chars = blank ? 0 : data.trim().length;
    if (hidden) this.hidden[hidden] += chars;
    else this.seen += chars;
    let at = this.columns.parent.length;
    this.chars += data.length;
    if (this.emits) {
      at = this.push(parent, 0, hidden);
      let text = data;
      if (this.chars > this.limits.chars) { text = data.slice(0, Math.max(0, data.length - (this.chars - this.limits.chars))).toWellFormed(); this.cut = true }
      this.columns.texts.push(text.toWellFormed());
    } else this.columns.parent.push(0);
    if (hidden === TRANSPARENT) this.transparent.push(at);
    if (suspect) this.suspects.push({ node, box: suspect, at, chars });
  }

  element(element, parent, context, open) {
    const name = element.localName;
    const state = this.enter(element, context);
    const { inside, style, box } = state;
    let at = -1;
    if (this.emits) {
      let hidden = state.hidden;
      if (!hidden && box && PAINTED.has(name)) hidden = this.judge(box, inside, false);
      const white = style ? style.whiteSpaceCollapse : '';
      const pre = white === 'preserve' || white === 'break-spaces' ? 1 : white === 'preserve-breaks' ? 2 : 0;
      const fixed = style && (style.position === 'fixed' || style.position === 'sticky') ? 1 : 0;
      at = this.push(parent, this.name(name), hidden | state.kind << 3 | pre << 7 | fixed << 9);
      this.indices.set(element, at);
      const { boxes, sizes } = this.columns;
      if (box) boxes.push(Math.round(box.left + inside.dx), Math.round(box.top + inside.dy), Math.round(box.width), Math.round(box.height));
      else boxes.push(0, 0, 0, 0);
      sizes.push(style && box ? Math.round(parseFloat(style.fontSize)) * 1000 + (+style.fontWeight || 400) : 0);
      this.attributes(element, name, at);
    } else this.columns.parent.push(0);
    if (NO_INSIDE.has(name)) return;
    let children;
    let within = inside;
    if (element.shadowRoot) children = element.shadowRoot.childNodes;
    else if (name === 'slot') {
      const assigned = element.assignedNodes();
      children = assigned.length ? assigned : element.childNodes;
    } else if (isFrame(element)) {
      const inner = documentOf(element);
      if (!inner?.documentElement || state.hidden === NOT_RENDERED) return;
      // Boxes inside a frame are relative to its own window.
      within = { ...inside, dx: inside.dx + (box?.left ?? 0) + inner.defaultView.scrollX, dy: inside.dy + (box?.top ?? 0) + inner.defaultView.scrollY,
        clip: null, clipOfPlaced: null, scrolls: true };
      children = [inner.documentElement];
    } else children = element.childNodes;
    for (let child = children.length - 1; child >= 0; child--) open.push([children[child], at, within]);
  }

  attributes(element, name, at) {
    const kept = [];
    // Keeps an attribute as long as the whole page's limit has room.
    const keep = (key, value, max) => {
      const text = value.slice(0, max).toWellFormed();
      const chars = key.length + text.length + ATTRIBUTE_EXTRA_CHARS;
      if (this.attributeChars + chars > this.limits.attributes) { this.cut = true; return }
      this.attributeChars += chars;
      kept.push(key, text);
    };
    for (const { name: key, value } of element.attributes) {
      if (KEPT.has(key)) keep(key, value, ATTRIBUTE_MAX_CHARS);
    }
    const link = (key, url) => {
      if (typeof url === 'string' && url) keep(key, url.startsWith('data:') ? 'data:' : url, URL_MAX_CHARS);
    };
    if (name === 'a' || name === 'area') { if (element.hasAttribute('href')) link('href', element.href) }
    else if (name === 'img') {
      link('src', element.currentSrc || element.src);
      const later = element.getAttribute('data-src') ?? element.getAttribute('data-original') ?? element.getAttribute('data-lazy-src');
      if (later) { try { link('data-src', new URL(later, element.baseURI).href) } catch {} }
      if (element.naturalWidth) keep('natural', `${element.naturalWidth}x${element.naturalHeight}`, ATTRIBUTE_MAX_CHARS);
    } else if (isFrame(element) || name === 'video' || name === 'audio' || name === 'source' || name === 'embed') {
      link('src', element.src);
      if (name === 'video') link('poster', element.poster);
    } else if (name === 'blockquote' || name === 'q') link('cite', element.cite);
    else if (name === 'input') { if (element.checked) keep('is-checked', '', 0) }
    else if (name === 'math') {
      // The TeX source, if the page has it; otherwise the text content.
      const source = element.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? element.getAttribute('alttext');
      keep(source ? 'tex' : 'reads', (source ?? element.textContent).trim(), ATTRIBUTE_MAX_CHARS);
    }
    if (kept.length) this.columns.attributes.push([at, ...kept]);
  }
}
