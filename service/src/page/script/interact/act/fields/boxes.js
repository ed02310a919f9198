// States of check boxes, radio buttons and switches.

const CHECKS = { checkbox: 'aria-checked', switch: 'aria-checked', radio: 'aria-checked', menuitemcheckbox: 'aria-checked',
  menuitemradio: 'aria-checked', option: 'aria-selected', treeitem: 'aria-checked', button: 'aria-pressed' };
const stateOfBox = (box) => ({
  checked: readTicked(box), mixed: getter(HTMLInputElement, 'indeterminate')(box) && typeOfInput(box) === 'checkbox', radio: typeOfInput(box) === 'radio',
});
// `{number, checked, mixed, radio}` of a check box, radio button or switch, or that of a label; `checked` is null of anything
// else. One that is partly checked is neither. `inner`: the native box in it that has its state. As an action ends
// (`!begins`), `another`: its row is another entry's by now; `anew`: this is the element that took its place.
kit.checked = (number, begins) => {
  const element = elementOf(number);
  if (element) return checkOf(element, begins);
  const anew = begins ? null : madeAnew(number);
  return anew ? { ...checkOf(anew, begins), anew: true } : GONE;
};
// The box of words that are no label of it: the one that they are in, or the only one in their row.
const BOX_ROLES = '[role=checkbox], [role=radio], [role=switch]', BOXES = `input[type=checkbox], input[type=radio], ${BOX_ROLES}`;
const BOXES_AROUND = `${BOX_ROLES}, [role=menuitemcheckbox], [role=menuitemradio], [role=option][aria-checked], [role=treeitem][aria-checked]`;
const ROWS_OF_BOXES = 'li, tr, [role=row], [role=option], [role=treeitem], [role=menuitem], [role=listitem]';
const boxBeside = (element) => {
  if (closest(element, 'a, button, input, select, textarea, [role=button], [role=link], [contenteditable]')) return null;
  const around = closest(element, BOXES_AROUND), row = closest(element, ROWS_OF_BOXES);
  if (around || !row) return around;
  const boxes = [...allIn(row, BOXES)].slice(0, CONTROLS_LOOKED_AT_MAX).filter((box) => closest(box, ROWS_OF_BOXES) === row);
  return boxes.length === 1 ? boxes[0] : null;
};
const checkOf = (element, begins) => {
  const told = stateOf(actLabelled(element), element, begins);
  // An entry of a tree that says no state may hold the box that has it.
  const isUnsaid = told.checked === null || (roleOf(element) === 'treeitem' && !hasAttribute(element, 'aria-checked') && told.inner === undefined);
  const box = begins && isUnsaid && !told.custom ? boxBeside(element) : null;
  if (!box || box === element) return told;
  const beside = stateOf(box, element, begins);
  return { ...beside, inner: beside.number };
};
// What its row says in place of a box that says nothing, not even what it is for, and is the only one there.
const rowStateOf = (box, role) => {
  const row = ['checkbox', 'radio'].includes(role) && ownName(box, role) === '' ? closest(box, ROWS_OF_BOXES) : null;
  if (!row || [...allIn(row, BOXES)].filter((one) => closest(one, ROWS_OF_BOXES) === row).length !== 1) return null;
  return attributeOf(row, 'aria-checked') ?? attributeOf(row, 'aria-selected');
};
const stateOf = (meant, element, begins) => {
  const what = describe(meant);
  // A box that is clicked for its label must stay what it is now.
  if (meant !== element) foundAs.set(meant, identityOf(meant));
  const tick = isBox(meant) ? meant : tickOf(meant, roleOf(meant));
  // A person clicks a box that is drawn, and else what it is in.
  const clicked = tick && isSeen(tick) ? tick : meant;
  if (begins) noteChosenIn(clicked);
  else if (isAnothersNow(clicked)) return { what, number: numberOf(clicked), checked: null, mixed: false, radio: false, another: true };
  if (begins && tick && tick !== meant) foundAs.set(tick, identityOf(tick));
  if (tick) return { what, number: numberOf(clicked), inner: tick === meant ? null : numberOf(tick), ...stateOfBox(tick) };
  const kept = internalsOf(meant);
  const role = (attributeOf(meant, 'role') ?? kept?.role ?? tagOf(meant)).trim().toLowerCase();
  const isOption = role === 'option';
  const name = isOption && hasAttribute(meant, 'aria-checked') ? 'aria-checked' : Object.hasOwn(CHECKS, role) ? CHECKS[role] : null;
  const said = name && (attributeOf(meant, name) ?? (kept?.[name.slice('aria-'.length)] || rowStateOf(meant, role)));
  const box = { what, number: numberOf(meant), checked: null, mixed: false, radio: false, custom: kept !== undefined };
  if (!name || (name === 'aria-pressed' && said === null)) return box;
  return { ...box, checked: said === 'true', mixed: said === 'mixed', radio: role === 'radio' || role === 'menuitemradio' };
};
