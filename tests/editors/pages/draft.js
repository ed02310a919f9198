import { ContentState, Editor, EditorState } from 'draft-js';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { START, host, state, tell } from './page.js';

function App() {
  const [shown, show] = useState(() => EditorState.createWithContent(ContentState.createFromText(START)));
  const onChange = (next) => {
    if (state.frozen && next.getCurrentContent() !== shown.getCurrentContent()) return;
    show(next);
    tell(next.getCurrentContent().getPlainText());
  };
  return createElement(Editor, { editorState: shown, onChange, ariaLabel: 'Draft.js' });
}
tell(START);
createRoot(host).render(createElement(App));
