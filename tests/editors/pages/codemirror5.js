import CodeMirror from 'codemirror5';
import 'codemirror5/addon/edit/closebrackets.js';
import 'codemirror5/lib/codemirror.css';
import { START, host, state, tell } from './page.js';

const editor = CodeMirror(host, { value: START, lineNumbers: true, autoCloseBrackets: true });
const told = () => tell(editor.getValue());
editor.on('beforeChange', (_, change) => { if (state.frozen) change.cancel(); });
editor.on('change', told);
told();
