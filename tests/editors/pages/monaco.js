import * as monaco from 'monaco-editor';
import { START, host, state, tell } from './page.js';

// No language has a worker here.
self.MonacoEnvironment = { getWorker: () => new Worker(URL.createObjectURL(new Blob(['onmessage = null']))) };
const editor = monaco.editor.create(host, {
  value: START,
  language: 'plaintext',
  editContext: !location.search.includes('textarea'),
});
const told = () => tell(editor.getValue());
editor.onDidChangeModelContent(told);
told();
document.querySelector('button').addEventListener('click', () => editor.updateOptions({ readOnly: state.frozen }));
