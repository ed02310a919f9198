import Quill from 'quill';
import 'quill/dist/quill.snow.css';
import { START, host, state, tell } from './page.js';

const quill = new Quill(host, { theme: 'snow', modules: { toolbar: false } });
quill.setText(`${START}\n`);
const told = () => tell(quill.getText().replace(/\n$/, ''));
quill.on('text-change', (_, before, source) => {
  if (state.frozen && source === 'user') quill.setContents(before, 'api');
  told();
});
told();
