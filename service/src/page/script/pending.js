// Returns what the document waits for before it is parsed or drawn: scripts and stylesheets that were requested and
// have not arrived. `pattern` matches the requests to leave out next time: a whole origin from which nothing has
// arrived yet, otherwise the one URL.
() => {
  const URLS_MAX = 32;
  // Resources that have arrived or failed. The browser keeps 250 entries unless the page asks for another number.
  const entries = performance.getEntriesByType('resource');
  const arrived = new Set(entries.map(entry => entry.name));
  const answering = new Set([location.origin]);
  for (const entry of entries) answering.add(new URL(entry.name, location).origin);

  const found = (kind, text, base) => {
    const url = URL.canParse(text, base) ? new URL(text, base) : null;
    if (!url || !/^https?:$/.test(url.protocol) || arrived.has(url.href)) return [];
    url.hash = '';
    const pattern = answering.has(url.origin) ? url.href : url.origin + '/*';
    return [{ kind, pattern, host: url.host }];
  };

  let scripts = [...document.scripts].filter(script =>
    script.src && !script.async && !script.defer && script.type !== 'module');
  // Once the entries are full, only the script at which the parser stands is known to be pending.
  if (entries.length >= 250) scripts = scripts.slice(-1);

  const links = [...document.querySelectorAll('link[rel~=stylesheet i][href]')].filter(link =>
    !link.sheet && !link.disabled && !link.relList.contains('alternate') && matchMedia(link.media || 'all').matches);
  const imports = [...document.styleSheets].flatMap(sheet => {
    let rules;
    // The rules of another origin's sheet can't be read.
    try { rules = [...sheet.cssRules] } catch { return [] }
    return rules
      .filter(rule => rule instanceof CSSImportRule && !rule.styleSheet)
      .map(rule => ({ href: rule.href, base: sheet.href ?? document.baseURI }));
  });

  return {
    parsing: document.readyState === 'loading',
    pending: [
      ...scripts.flatMap(script => found('script', script.src)),
      ...links.flatMap(link => found('style', link.href)),
      ...imports.flatMap(({ href, base }) => found('style', href, base)),
    ].slice(0, URLS_MAX),
  };
}
