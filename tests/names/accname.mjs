// The accname cases of the Web Platform Tests, as microsoft/playwright runs them (its tests/library/role-utils.spec.ts).
import fs from 'node:fs';

const tidy = (text) => text.replace(/[ \t\r\n\f]+/g, ' ').trim();
// The kit has spaces for non-breaking ones (docs/decisions/0074), which says nothing about names: all are compared so, too.
const folded = (text) => text.replace(/\s+/g, ' ').trim();

// Gathers what the manual cases expect, in place of their own harness.
const MANUAL = () => {
  globalThis.setup = () => {};
  globalThis.expected = [];
  globalThis.ATTAcomm = class {
    constructor({ steps }) {
      for (const { element, test } of steps) {
        for (const [kind, what, is, value] of test.ATK ?? []) {
          if (kind === 'property' && what === 'name' && is === 'is' && typeof value === 'string') globalThis.expected.push({ selector: `#${element}`, value });
        }
      }
    }
  };
};
const OTHERS = () => {
  globalThis.AriaUtils = { verifyLabelsBySelector: (selector) => { globalThis.selector = selector; } };
};

// What is said of each case: `[{title, expected, ours, theirs}]`.
const said = (page) => page.$eval('body', () => {
  const steps = globalThis.expected
    ? globalThis.expected.map(({ selector, value }) => [document.querySelector(selector), value, selector])
    : [...document.querySelectorAll(globalThis.selector)].map((element) => [element, element.getAttribute('data-expectedlabel'), element.getAttribute('data-testname')]);
  return steps.map(([element, expected, title]) => ({
    title, expected, ours: globalThis.portholeKit.said(element).name,
    theirs: globalThis.__injectedScript.utils.getElementAccessibleNameText(element), chromium: element.computedName,
  }));
});

export const accname = async (browser, base, folder, kit) => {
  const html = (under) => fs.readdirSync(`${folder}/${under}`).filter((file) => file.endsWith('.html')).map((file) => `${under}/${file}`);
  const sets = { manual: [html('accname/manual'), MANUAL], others: [[...html('accname/name'), ...html('accname/name/shadowdom')], OTHERS] };
  const total = { ours: 0, theirs: 0 };
  console.log('\n| accname cases (non-breaking spaces as spaces) | all | the kit | Playwright | Chromium |\n|---|---|---|---|---|');
  const lost = [];
  for (const [set, [files, harness]] of Object.entries(sets)) {
    let all = 0;
    const count = { ours: [0, 0], theirs: [0, 0], chromium: [0, 0] };
    const page = await browser.newPage();
    await page.addInitScript(harness);
    for (const file of files) {
      await page.goto(`${base}/${file}`, { waitUntil: 'load' });
      await page.evaluate(kit);
      for (const one of await said(page)) {
        all++;
        for (const [who, counts] of Object.entries(count)) {
          if (tidy(one[who]) === tidy(one.expected)) counts[0]++;
          if (folded(one[who]) === folded(one.expected)) counts[1]++;
        }
        if (folded(one.ours) !== folded(one.expected)) lost.push({ file, ...one });
      }
    }
    await page.close();
    console.log(`| ${set} | ${all} | ${Object.values(count).map(([strict, loose]) => `${strict} (${loose})`).join(' | ')} |`);
    total.ours += count.ours[1];
    total.theirs += count.theirs[1];
  }
  console.log('\nnot as expected:');
  for (const { file, title, expected, ours, theirs } of lost) console.log(`${file} ${title}: wants ${JSON.stringify(expected)}, has ${JSON.stringify(ours)}; Playwright ${JSON.stringify(theirs)}`);
  return total;
};
