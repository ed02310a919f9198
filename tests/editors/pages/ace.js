import ace from 'ace-builds/src-noconflict/ace.js';
import { START, host, state, tell } from './page.js';

const editor = ace.edit(host, { value: START, useWorker: false });
const told = () => tell(editor.getValue());
editor.on('change', told);
document.querySelector('button').addEventListener('click', () => editor.setReadOnly(state.frozen));
told();
