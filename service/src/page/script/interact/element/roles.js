// ARIA roles of elements: the explicit one where it holds, else as "ARIA in HTML" says.
const ROLES = new Set(`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary
contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list
listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph
presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`.split(/\s+/));
// Attributes that give an element a meaning although its role is `none`.
const GLOBAL_ARIA = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-details', 'aria-dropeffect', 'aria-flowto',
  'aria-grabbed', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby', 'aria-live', 'aria-owns', 'aria-relevant', 'aria-roledescription'];
const SECTIONING = 'article, aside, nav, section, [role=article], [role=complementary], [role=navigation], [role=region]';
const SECTIONING_OR_MAIN = `${SECTIONING}, main, [role=main]`;
const TEXT_INPUTS = new Set(['', 'text', 'email', 'tel', 'url', 'search', 'password', 'date', 'datetime-local', 'month', 'time', 'week']);
const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'button', checkbox: 'checkbox',
  radio: 'radio', range: 'slider', number: 'spinbutton' };
const TAG_ROLES = { address: 'group', article: 'article', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', datalist: 'listbox',
  dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure',
  h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', html: 'document', iframe: 'iframe',
  frame: 'iframe', ins: 'insertion', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list',
  optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong',
  sub: 'subscript', summary: 'button', sup: 'superscript', svg: 'img', table: 'table', textarea: 'textbox', time: 'time', ul: 'list' };
const FOCUSABLE = 'a[href], area[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex], [contenteditable]';

const isFocusable = (element) => dom.matches(element, FOCUSABLE) && !dom.matches(element, ':disabled');
const inputType = (element) => element.type ?? 'text';

function isEditingHost(element) {
  const editable = dom.attribute(element, 'contenteditable');
  return editable !== null && editable.toLowerCase() !== 'false' && element.isContentEditable === true;
}

// The role of an element: `generic` where it has none, `none` where it is presentational.
function roleOf(element) {
  const explicit = dom.attribute(element, 'role');
  if (explicit !== null && explicit.length < 1000) {
    for (const token of explicit.toLowerCase().split(/\s+/)) {
      if (!ROLES.has(token)) continue;
      if (token === 'none' || token === 'presentation') {
        if (isFocusable(element) || GLOBAL_ARIA.some(name => dom.has(element, name))) break;
        return 'none';
      }
      // Without a name they mark nothing.
      if ((token === 'form' || token === 'region') && !hasAuthorName(element)) continue;
      return token === 'image' ? 'img' : token === 'directory' ? 'list' : token;
    }
  }
  const role = internalsOf(element)?.role ?? implicitRole(element);
  return (role === 'generic' || role === 'paragraph') && isEditingHost(element) ? 'textbox' : role;
}

function hasAuthorName(element) {
  const said = (name) => (dom.attribute(element, name) ?? '').trim() !== '';
  return said('aria-label') || said('title') || byIds(element, 'aria-labelledby').length > 0;
}

// Whether what an element is part of was declared presentational, and how far up that is looked for.
function partOf(element, tags) {
  let at = dom.parent(element);
  for (let depth = 0; at && dom.type(at) === 1 && depth < 4; depth++) {
    if (tags.includes(dom.tag(at))) return at;
    at = dom.parent(at);
  }
  return null;
}

function implicitRole(element) {
  const tag = dom.tag(element);
  if (!isHtml(element)) {
    if (tag === 'a') return dom.has(element, 'href') || dom.has(element, 'xlink:href') ? 'link' : 'generic';
    return tag === 'svg' ? 'img' : tag === 'math' ? 'math' : 'generic';
  }
  switch (tag) {
    case 'a': case 'area': return dom.has(element, 'href') ? 'link' : 'generic';
    case 'aside': return isInSection(element, SECTIONING) && !hasAuthorName(element) ? 'generic' : 'complementary';
    case 'footer': return isInSection(element, SECTIONING_OR_MAIN) ? 'generic' : 'contentinfo';
    case 'header': return isInSection(element, SECTIONING_OR_MAIN) ? 'generic' : 'banner';
    case 'form': return hasAuthorName(element) ? 'form' : 'generic';
    case 'section': return hasAuthorName(element) ? 'region' : 'generic';
    case 'img': return dom.attribute(element, 'alt') === '' && !hasAuthorName(element) && !dom.has(element, 'tabindex') ? 'none' : 'img';
    case 'input': return inputRole(element);
    case 'select': return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'li': {
      const list = dom.parent(element);
      if (!list || dom.type(list) !== 1) return 'generic';
      const outer = roleOf(list);
      return outer === 'none' ? 'none' : outer === 'list' || outer === 'menu' ? 'listitem' : 'generic';
    }
    case 'summary': return dom.parent(element) instanceof HTMLDetailsElement ? 'button' : 'generic';
    case 'tr': case 'td': case 'th': case 'tbody': case 'thead': case 'tfoot': return tableRole(element, tag);
    default: return Object.hasOwn(TAG_ROLES, tag) ? TAG_ROLES[tag] : 'generic';
  }
}

const isInSection = (element, sections) => {
  const parent = dom.parent(element);
  return parent !== null && dom.type(parent) === 1 && dom.closest(parent, sections) !== null;
};

function inputRole(element) {
  const type = inputType(element);
  if (type === 'hidden') return 'none';
  if (TEXT_INPUTS.has(type)) {
    if (dom.has(element, 'list') && byIds(element, 'list').length) return 'combobox';
    return type === 'search' ? 'searchbox' : 'textbox';
  }
  return INPUT_ROLES[type] ?? 'textbox';
}

function tableRole(element, tag) {
  const table = partOf(element, ['table']);
  if (table === null) return 'generic';
  const outer = roleOf(table);
  if (outer === 'none') return 'none';
  if (!['table', 'grid', 'treegrid'].includes(outer)) return 'generic';
  if (tag === 'tr') return 'row';
  if (tag === 'tbody' || tag === 'thead' || tag === 'tfoot') return 'rowgroup';
  const cell = outer === 'table' ? 'cell' : 'gridcell';
  if (tag === 'td') return cell;
  const scope = (dom.attribute(element, 'scope') ?? '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  // Beside data it is the row's header, among headers their column's.
  const row = dom.parent(element);
  for (let cell = row && dom.type(row) === 1 ? dom.firstElement(row) : null, seen = 0; cell && seen < 100; cell = dom.nextElement(cell), seen++) {
    if (dom.tag(cell) === 'td') return 'rowheader';
  }
  return 'columnheader';
}
