// Returns where the document is. Its navigation entry has the HTTP status, 0 if no server answered, and no end time
// if the response broke off. The title's getter comes from the prototype: a form named `title` hides it.
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
