// Compares what the kit says of elements with what Chromium and Playwright say: `compare.mjs FOLDER WPT`; see `check`.
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { accname } from './accname.mjs';
import { meant, same } from './meant.mjs';

const [folder, wpt] = process.argv.slice(2);
process.env.PWTEST_UNDER_TEST = '1'; // lets a page ask Playwright's own functions
const { chromium } = createRequire(`${folder}/`)('playwright-core');
const scripts = fileURLToPath(new URL('../../service/src/page/script/', import.meta.url));

// What must agree of each source's elements, and how many of its pages are compared.
const AGREE_MIN = 0.99;
const PAGES_MAX = 20;
const SOURCES = { 'python3-doc': 'py', 'debian-handbook': 'handbook', todomvc: 'todomvc', 'cypress-example-kitchensink': 'kitchensink' };
// Chromium takes milliseconds for each element of a long page: of more than these evenly chosen ones are compared.
const ELEMENTS_MAX = 500;
const SHOWN_MAX = 40;

// The kit as `script/mod.rs` puts it together, and a function that names any element.
const kit = () => {
  const [, parts] = /const KIT_SOURCE: &str = concat!\(([\s\S]*?)\n\);/.exec(fs.readFileSync(`${scripts}mod.rs`, 'utf8'));
  const source = [...parts.matchAll(/include_str!\("([^"]+)"\)|"((?:[^"\\]|\\.)*)"/g)]
    .map(([, file, text]) => (file ? fs.readFileSync(scripts + file, 'utf8') : JSON.parse(`"${text}"`))).join('');
  const tail = 'globalThis.portholeKit = kit;';
  return `(${source.replace(tail, `kit.said = (element) => ({ role: shownRole(element), name: nameOf(element) });\n${tail}`)})()`;
};

const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.json': 'application/json' };
const serve = (root) => new Promise((resolve) => {
  const server = http.createServer((request, response) => {
    const file = path.join(root, decodeURIComponent(new URL(request.url, 'http://x').pathname));
    fs.readFile(file, (error, body) => {
      response.writeHead(error ? 404 : 200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
      response.end(body);
    });
  }).listen(0, '127.0.0.1', () => resolve({ server, base: `http://127.0.0.1:${server.address().port}` }));
});

// Those of the snapshots' measure, then evenly through all that there are.
const pagesOf = (source) => {
  const listed = fs.readFileSync(`${folder}/pages/pages.txt`, 'utf8').split('\n').filter((page) => page.startsWith(`${source}/`));
  const all = fs.readdirSync(`${folder}/pages/${source}`, { recursive: true })
    .filter((file) => file.endsWith('.html') && !file.includes('node_modules') && !file.includes('bower_components'))
    .map((file) => `${source}/${file}`).sort();
  const step = Math.max(1, Math.floor(all.length / PAGES_MAX));
  return [...new Set([...listed, ...all.filter((_, nth) => nth % step === 0)])].slice(0, PAGES_MAX);
};

// The elements that are drawn: `[{tag, html, isNamed, ours, theirs}]`. Runs in a world of its own, as the kit does: pages
// change what elements are made of.
const compared = (max) => {
  const tidy = (text) => text.replace(/[\s\u200b\ufeff\u00ad]+/g, ' ').trim().slice(0, 1000);
  const drawn = [];
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot);
      if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue;
      if (!element.matches('html') && !element.closest('head, svg *, [aria-hidden=true], [inert]')) drawn.push(element);
    }
  };
  visit(document);
  const step = Math.ceil(drawn.length / max);
  const chosen = drawn.filter((_, nth) => nth % step === 0);
  // One after the other, since Chromium brings its tree up to date for each question.
  const theirs = chosen.map((element) => ({ role: element.computedRole, name: tidy(element.computedName) }));
  return chosen.map((element, nth) => {
    const { role, name } = globalThis.portholeKit.said(element);
    return {
      tag: element.localName, html: element.cloneNode().outerHTML.slice(0, 160),
      isNamed: element.matches('[aria-label], [aria-labelledby], [title]'),
      ours: { role, name: tidy(name) }, theirs: theirs[nth],
    };
  });
};

// Opens a page, and evaluates in a world of the kit's own.
const opened = async (browser, url) => {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  // Keeps Chromium's tree, which it would make anew for each element.
  await session.send('Accessibility.enable');
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForTimeout(300); // pages of frameworks draw themselves after `load`
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, contextId, returnByValue: true });
    if (exceptionDetails) throw new Error(`${url}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  };
  await evaluate(kit());
  return { page, evaluate };
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--enable-blink-features=ComputedAccessibilityInfo'],
});
let failed = false;
const { server, base } = await serve(`${folder}/pages`);
console.log(`Chromium ${browser.version()}\n\n| pages | elements | agree | without the meant differences |\n|---|---|---|---|`);
const others = [];
const meantBy = {};
for (const [name, source] of Object.entries(SOURCES)) {
  let [elements, agree, withoutMeant] = [0, 0, 0];
  const pages = pagesOf(source);
  for (const url of pages) {
    const { page, evaluate } = await opened(browser, `${base}/${url}`);
    for (const one of await evaluate(`(${compared})(${ELEMENTS_MAX})`)) {
      elements++;
      if (same(one)) { agree++; continue; }
      const why = meant(one);
      if (why) meantBy[why] = (meantBy[why] ?? 0) + 1;
      else others.push({ url, ...one });
      if (why) withoutMeant++;
    }
    await page.close();
  }
  const percent = (count) => `${(100 * count / elements).toFixed(2)} %`;
  console.log(`| ${name}, ${pages.length} | ${elements} | ${percent(agree)} | ${percent(agree + withoutMeant)} |`);
  if (agree + withoutMeant < AGREE_MIN * elements) failed = true;
}
console.log(`\nmeant: ${JSON.stringify(meantBy)}\nnot meant: ${others.length}`);
for (const { url, html, ours, theirs } of others.slice(0, SHOWN_MAX)) console.log(`${url} ${html}\n  ours ${JSON.stringify(ours)}\n  Chromium ${JSON.stringify(theirs)}`);
server.close();
if (fs.existsSync(wpt)) {
  const cases = await serve(wpt);
  const beside = await accname(browser, cases.base, wpt, kit());
  cases.server.close();
  if (beside.ours < beside.theirs) failed = true;
}
await browser.close();
process.exitCode = failed ? 1 : 0;
