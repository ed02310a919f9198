import { EditorView, basicSetup } from 'codemirror';
import { EditorState } from '@codemirror/state';
import { START, host, state, tell } from './page.js';

const view = new EditorView({
  doc: START,
  parent: host,
  extensions: [
    basicSetup,
    EditorView.theme({ '&': { height: '100%' } }),
    EditorState.changeFilter.of(() => !state.frozen),
    EditorView.updateListener.of((update) => tell(update.state.doc.toString())),
  ],
});
tell(view.state.doc.toString());
