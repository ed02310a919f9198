// Files for file inputs.

// Gives files to a file input, hidden or not, or to the one that the element is the label or wrapper of.
kit.upload = (number, files) => {
  const element = elementOf(number);
  if (!element) return GONE;
  const meant = element instanceof HTMLLabelElement ? controlOfLabel(element) ?? element : element;
  const isFiles = (node) => isInput(node) && typeOfInput(node) === 'file';
  const [input, another] = isFiles(meant) ? [meant] : [...findIn(meant, 'input')].filter(isFiles);
  if (!input) return actsByItself(meant) ? { what: describe(meant), count: 0, asks: true } : lacks('files', meant);
  if (another) return lacks('one-files', meant);
  // Which of its labels is clicked may tell the page what the file is.
  if (input === meant && element !== meant && labelsOf(input).length > 1 && actVisible(element)) return { what: describe(element), count: 0, asks: true };
  if (actDisabled(input)) return lacks('enabled', input);
  if (files.length > 1 && !hasAttribute(input, 'multiple') && !hasAttribute(input, 'webkitdirectory')) return lacks('many', input);
  giveFiles(input, files);
  forgetOwnEvents();
  return { what: describe(input), count: getter(HTMLInputElement, 'files')(input).length, unseen: !isSeen(input) };
};
