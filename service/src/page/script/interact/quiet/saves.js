// Links that save what they lead to. The browser asks for that file without telling anyone, and tells of the download once the
// server answers. Whether the page prevents it is known once the event is over.
const SAVES_MAX = 20;
const savingLink = (event) => event.composedPath().find((node) => node instanceof HTMLAnchorElement && dom.attribute(node, 'download') !== null);
// Elsewhere than on its own site a link's file is opened as any other.
const isSaved = (link) => ['blob:', 'data:'].includes(link.protocol) || link.origin === origin;
const noteSave = (now, event) => {
  const link = savingLink(event);
  if (link && now.saves.length < SAVES_MAX && isSaved(link)) now.saves.push(event);
};
// How many were clicked since this was asked last.
const savesBegun = (now) => now.saves.splice(0).filter((event) => !event.defaultPrevented).length;
