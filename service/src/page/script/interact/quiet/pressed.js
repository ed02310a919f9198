// What a press found, and whether it was what its element waits for.

// What was there as the press came: transitions that the pointer began, and what the press may change by itself.
const pressedState = (element) => dom.attribute(element, 'aria-expanded');
const notePress = () => {
  if (!watched) return;
  forgetCarried();
  watched.effects = new Set(animationsNow());
  watched.movedBefore = new Set(watched.styled.keys());
  const { element = aimed?.element, role, name } = meant ?? {};
  const options = role === 'option' ? closest(element, '[role=listbox]') : null;
  watched.pressed = element && { element, role, name, options, state: pressedState(element), hadFocus: hasFocus(element), values: chosenNow(options),
    text: role === 'option' ? tidy(dom.textContent(element).slice(0, NAME_MAX)) : '' };
};
// Whether the press was what the element waits for: a text field has the focus by it, what it opens is open or closed now, or it
// was to be chosen and has gone, and a field holds what it is called. A list that only closes because its field lost the focus
// has chosen nothing.
const tookPress = () => {
  const was = watched?.pressed;
  if (!was) return false;
  if (isHere(was.element) && pressedState(was.element) !== was.state) return true;
  const isField = isHere(was.element) && ['text', 'content'].includes(actFieldKind(was.element));
  if (isField && !was.hadFocus && hasFocus(was.element) && staysMeant() && !isActDisabled(was.element) && actVisible(was.element)) return true;
  if (was.role !== 'option' || was.name === '' || (isHere(was.element) && actVisible(was.element))) return false;
  // A style sheet may add to its name what is not chosen with it, such as "Press Enter".
  const chosen = chosenNow(was.options);
  return [was.name, was.text].some((one) => one !== '' && chosen.includes(one) && !was.values.includes(one));
};
