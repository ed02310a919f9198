// What an agent does in each editor, over the worker's HTTP routes: check.mjs WORKER SITE [EDITOR…].
import assert from 'node:assert/strict';

const [worker, site, ...only] = process.argv.slice(2);
const CODE = 'function f() {\n  one();\n\n    two("x");\n}\nend';
const LONG = Array.from({ length: 300 }, (_, at) => `line ${at + 1}`).join('\n');
// A point of the first line, in every editor (page.js).
const FIRST_LINE = { x: 150, y: 74 };
const PAGES = ['prosemirror', 'lexical', 'slate', 'draft', 'codemirror', 'monaco', 'quill', 'monaco?textarea', 'codemirror5', 'ace'];

async function post(route, body) {
  const answer = await fetch(`${worker}/api/sandbox/${route}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  return answer.json();
}

const owner = await (async () => {
  const { sandbox_id, owner_token } = await post('create', {});
  return { sandbox_id, owner_token };
})();

function succeeded(route, body, answer) {
  assert.ok(answer.ok, `${route} ${JSON.stringify(body).slice(0, 200)}: ${answer.error}: ${answer.details}`);
  return answer;
}

// A session on an editor's page.
class Editor {
  async open(page) {
    const answer = await this.call('navigate', { url: `${site}/${page}` });
    this.session = answer.session;
    await this.call('wait', { target: { by: 'css', value: '#model:not(:empty)' } });
    this.ref = await this.find();
  }

  // What a route answers; throws what is not ok.
  async call(route, body = {}) {
    return succeeded(route, body, await this.ask(route, body));
  }

  ask(route, body = {}) {
    return post(`session/${route}`, { ...owner, ...(this.session && { session: this.session }), ...body });
  }

  async tree(options = {}) {
    return (await this.call('snapshot', options)).snapshot.tree;
  }

  // The ref of the only textbox.
  async find() {
    const tree = await this.tree();
    const found = [...tree.matchAll(/- textbox.*?\[ref=(@e\d+)\]/g)];
    assert.equal(found.length, 1, `one textbox in\n${tree}`);
    return found[0][1];
  }

  // The text of the editor's own model.
  async model() {
    const { content } = await this.call('extract', { instruction: 'selector: #model' });
    return decodeURIComponent(content.trim().slice(1, -1));
  }

  // Acts on the editor. One whose name tells where its caret is has another ref afterwards.
  async acts(route, body = {}) {
    const answer = await this.ask(route, { ref: this.ref, ...body });
    if (answer.error === 'STALE_REF') this.ref = await this.find();
    return answer.error === 'STALE_REF' ? this.call(route, { ref: this.ref, ...body }) : succeeded(route, body, answer);
  }

  // Types, and sees that the model holds exactly `expected`, without a warning.
  async types(text, options = {}, expected = text) {
    const { warnings } = await this.acts('type', { text, ...options });
    await this.holds(expected);
    assert.deepEqual(warnings, [], `typing ${JSON.stringify(text).slice(0, 100)}`);
  }

  async holds(expected) {
    assert.equal(await this.model(), expected);
  }

  // Presses a key in the editor.
  press(key) {
    return this.acts('press', { key });
  }

  // Presses a key where the focus is.
  presses(key) {
    return this.call('press', { key });
  }
}

const CASES = {
  async 'the snapshot shows its text'(editor) {
    const tree = await editor.tree();
    assert.match(tree, /textbox.*: .*First line.*Second line/, tree);
  },
  async 'a text replaces what is there'(editor) {
    await editor.types('fresh words');
    assert.match(await editor.tree(), /textbox.*: fresh words/);
  },
  async 'a text is added at the end'(editor) {
    await editor.types('fresh');
    await editor.types(' and more', { clear: false }, 'fresh and more');
  },
  async 'lines stay lines, with their indents'(editor) {
    await editor.types(CODE);
    await editor.types('\n  last', { clear: false }, `${CODE}\n  last`);
  },
  async 'any character is typed'(editor) {
    await editor.types('naïve – 日本語 🦊 e\u0301 مرحبا <b>&amp;');
  },
  async 'spaces before and after a text stay'(editor) {
    await editor.types('   indented  twice  ');
  },
  async 'nothing clears it'(editor) {
    await editor.types('');
    await editor.types('again');
  },
  async 'it is typed key by key'(editor) {
    await editor.types('Slow (but sure): é!', { slowly: true });
  },
  async 'Enter follows'(editor) {
    await editor.types('sent', { submit: true }, 'sent\n');
  },
  async 'three hundred lines replace and follow others'(editor) {
    await editor.types(LONG);
    await editor.types('\nend', { clear: false }, `${LONG}\nend`);
    await editor.types('short');
  },
  async 'chords select and delete'(editor) {
    await editor.types('one\ntwo');
    await editor.press('Control+A');
    await editor.press('Delete');
    await editor.holds('');
    await editor.presses('x');
    await editor.presses('Enter');
    await editor.press('y');
    await editor.holds('x\ny');
    await editor.press('Backspace');
    await editor.holds('x\n');
  },
  async 'cut and paste work within it'(editor) {
    await editor.types('moved');
    await editor.press('Control+A');
    await editor.press('Control+X');
    await editor.holds('');
    await editor.press('Control+V');
    await editor.press('Control+V');
    await editor.holds('movedmoved');
  },
  async 'a click places the caret'(editor) {
    await editor.types('alpha\nbeta');
    await editor.call('click', { at: FIRST_LINE });
    await editor.presses('End');
    await editor.presses('!');
    await editor.holds('alpha!\nbeta');
    await editor.acts('click');
    await editor.presses('Control+End');
    await editor.presses('?');
    await editor.holds('alpha!\nbeta?');
  },
  async 'interact types by the document or by input'(editor) {
    for (const text of ['from afar', CODE]) {
      const target = { by: 'role', value: 'textbox' };
      const answer = await editor.call('interact', { action: 'type', target, value: text });
      await editor.holds(text);
      assert.deepEqual(answer.warnings, []);
    }
  },
  async 'what it refuses is no success'(editor) {
    await editor.call('click', { target: { by: 'role', value: 'button', name: 'Freeze' } });
    for (const [route, body] of [
      ['type', { ref: editor.ref, text: 'refused' }],
      ['interact', { action: 'type', target: { by: 'role', value: 'textbox' }, value: 'refused', options: { timeout_ms: 500 } }],
    ]) {
      const { ok, error } = await editor.ask(route, { ...body, timeout_ms: 2000 });
      assert.equal(ok, false, `${route} must fail`);
      assert.ok(['NO_EFFECT', 'NOT_EDITABLE'].includes(error), `${route}: ${error}`);
      await editor.holds('First line\nSecond line');
    }
  },
};

let failed = 0;
for (const page of only.length ? only : PAGES) {
  const editor = new Editor();
  const wrong = [];
  for (const [name, run] of Object.entries(CASES)) {
    try {
      await editor.open(page);
      await run(editor);
    } catch (error) {
      wrong.push(`  ${name}: ${error.message}`);
    }
  }
  await editor.ask('close');
  failed += wrong.length;
  console.log([`${page}: ${Object.keys(CASES).length - wrong.length} of ${Object.keys(CASES).length}`, ...wrong].join('\n'));
}
process.exit(failed ? 1 : 0);
