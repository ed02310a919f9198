// Where the document is. Its records have the status that it came with, 0 where no server answered, and no end of the
// answer where that broke off. The title's getter is taken from the prototype: a form named `title` hides it.
titleMax => {
  const answer = performance.getEntriesByType('navigation')[0];
  const title = Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document);
  return {
    url: location.href,
    title: title.slice(0, 2 * titleMax).toWellFormed(),
    status: answer?.responseStatus ?? 0,
    is_cut: answer !== undefined && answer.responseEnd === 0,
  };
}
