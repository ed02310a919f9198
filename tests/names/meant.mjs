// Which differences between the kit's roles and names and Chromium's are only other words, and which are meant: see
// docs/decisions/0074.

// Chromium's word for the same role.
const WORDS = { image: 'img', none: 'generic', '': 'generic', presentation: 'generic', Iframe: 'iframe', comboBoxSelect: 'combobox' };
const word = (role) => WORDS[role] ?? role;
const TABLES = new Set(['table', 'tbody', 'tr', 'td', 'th']);
// Roles that nothing names: what Chromium says of them is their text, which a snapshot shows as text.
const NOT_NAMED = new Set(['generic']);

export const same = ({ ours, theirs }) => word(ours.role) === word(theirs.role)
  && (ours.name === theirs.name || (NOT_NAMED.has(word(ours.role)) && theirs.name === ''));

// Why a difference is meant; null where it is not.
export const meant = ({ tag, isNamed, ours, theirs }) => {
  if (ours.role === 'row' && theirs.role === 'row') return 'a row is named by its cells';
  if (tag === 'dt' || tag === 'dfn') return theirs.role === ours.role ? 'a term has no name but its text' : null;
  if (tag === 'figure') return 'a figure is named by its caption';
  if (tag === 'form' && !isNamed) return 'a form without a name';
  if (['sectionheader', 'sectionfooter'].includes(theirs.role)) return 'a header or footer inside a section';
  if (TABLES.has(tag) && (theirs.role === '' || tag === 'tbody')) return 'a table that Chromium takes for layout';
  if (theirs.role.startsWith('doc-')) return 'a doc- role';
  return null;
};
