// Markdown: the subset that is shown, and that nothing in it is more than text.
import { blockEnd, markdown } from '../elements/markdown.js';
import { equal, runAll, test } from './harness.js';

/** A tree as a short notation: tag(children), text as it is. @param {Node} node @returns {string} */
function told(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? '';
  const inside = [...node.childNodes].map(told).join('');
  if (!(node instanceof Element)) return inside;
  const tag = node.tagName.toLowerCase();
  return `<${tag}${node.hasAttribute('href') ? ` ${node.getAttribute('href')}` : ''}>${inside}</${tag}>`;
}

/** @type {[string, string][]} */
const CASES = [
  ['# Title', '<h3>Title</h3>'],
  ['###### six ##', '<h6>six</h6>'],
  ['one\ntwo', '<p>one two</p>'],
  ['one  \ntwo\\\nthree', '<p>one<br></br>two<br></br>three</p>'],
  ['*a* **b** ***c*** _d_ __e__', '<p><em>a</em> <strong>b</strong> <strong><em>c</em></strong> <em>d</em> <strong>e</strong></p>'],
  ['snake_case_name 2*3*4 * alone', '<p>snake_case_name 2<em>3</em>4 * alone</p>'],
  ['`a < b` ``x ` y``', '<p><code>a < b</code> <code>x ` y</code></p>'],
  ['\\*no\\*', '<p>*no*</p>'],
  ['```js\nlet a = "<b>";\n```', '<pre><code>let a = "<b>";</code></pre>'],
  ['```\nnever closed', '<pre><code>never closed</code></pre>'],
  ['> quoted\nlazily\n\nafter', '<blockquote><p>quoted lazily</p></blockquote><p>after</p>'],
  ['- a\n- b\n  - c', '<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>'],
  ['3. a\n4. b', '<ol><li>a</li><li>b</li></ol>'],
  ['---', '<hr></hr>'],
  ['| a | b |\n|---|:-:|\n| 1 | x\\|y |', '<div><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>x|y</td></tr></tbody></table></div>'],
  ['[a *b*](https://x.example/y "t")', '<p><a https://x.example/y>a <em>b</em></a></p>'],
  ['https://x.example/a_(b). End', '<p><a https://x.example/a_(b)>https://x.example/a_(b)</a>. End</p>'],
  ['<https://x.example/>', '<p><a https://x.example/>https://x.example/</a></p>'],
  ['![a picture](https://x.example/p.png)', '<p><a https://x.example/p.png>a picture</a></p>'],
  // What must stay text.
  ['<script>alert(1)</script>', '<p><script>alert(1)</script></p>'.replace(/<(\/?)script>/g, '<$1script>')],
  ['<img src=x onerror=alert(1)>', '<p><img src=x onerror=alert(1)></p>'],
  ['[a](javascript:alert(1))', '<p><bdi>a</bdi></p>'],
  ['[a](JaVaScRiPt&#58;alert(1))', '<p><bdi>a</bdi></p>'],
  ['[a](data:text/html,<b>)', '<p><bdi>a</bdi></p>'],
  ['[a](/relative)', '<p><bdi>a</bdi></p>'],
  ['[a](https://user:pw@x.example/)', '<p><a https://user:pw@x.example/>a</a></p>'],
];

for (const [source, expected] of CASES) {
  test(JSON.stringify(source), () => equal(told(markdown(source)), expected));
}

test('markup is text: no element is made of it', () => {
  const hostile = '<script>x</script>\n\n<style>*{}</style>\n\n<iframe src=//x>\n\n<svg onload=x>\n\n<a href=javascript:x>y</a>';
  const fragment = markdown(hostile);
  const tags = [...fragment.querySelectorAll('*')].map((element) => element.tagName);
  equal([...new Set(tags)], ['P']);
  equal(fragment.textContent, hostile.replaceAll('\n\n', ''));
});

test('links tell the page nothing and open beside the app', () => {
  const link = /** @type {HTMLAnchorElement} */ (markdown('[a](https://x.example)').querySelector('a'));
  equal(link.rel, 'noopener noreferrer nofollow ugc');
  equal(link.target, '_blank');
  equal(link.referrerPolicy, 'no-referrer');
});

test('a long text is parted between blocks', () => {
  const text = `${'a'.repeat(50)}\n\n\`\`\`\nb\n\nc\n\`\`\`\n\n${'d'.repeat(100)}`;
  equal(text.slice(0, blockEnd(text, 60)), `${'a'.repeat(50)}\n`, 'before the fence');
  equal(blockEnd(text, 10_000), text.length);
  equal(blockEnd('x'.repeat(100), 30), 30, 'one block');
});

await runAll();
