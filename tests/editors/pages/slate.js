import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Node, createEditor } from 'slate';
import { Editable, Slate, withReact } from 'slate-react';
import { START, host, state, tell } from './page.js';

const initialValue = START.split('\n').map((text) => ({ type: 'paragraph', children: [{ text }] }));
const told = (value) => tell(value.map((block) => Node.string(block)).join('\n'));

function refusing(editor) {
  const { apply } = editor;
  editor.apply = (operation) => {
    if (!(state.frozen && operation.type !== 'set_selection')) apply(operation);
  };
  return editor;
}

function App() {
  const [editor] = useState(() => refusing(withReact(createEditor())));
  return createElement(Slate, { editor, initialValue, onChange: told },
    createElement(Editable, { 'aria-label': 'Slate', style: { height: '100%' } }));
}
told(initialValue);
createRoot(host).render(createElement(App));
