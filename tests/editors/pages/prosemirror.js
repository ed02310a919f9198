import { exampleSetup } from 'prosemirror-example-setup';
import { Schema } from 'prosemirror-model';
import { nodes, marks } from 'prosemirror-schema-basic';
import { EditorState, Plugin } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import 'prosemirror-view/style/prosemirror.css';
import { START, host, state, tell } from './page.js';

const schema = new Schema({ nodes: { doc: nodes.doc, paragraph: nodes.paragraph, text: nodes.text }, marks });
const refusing = new Plugin({ filterTransaction: (change) => !(state.frozen && change.docChanged) });
const lines = START.split('\n').map((line) => schema.node('paragraph', null, [schema.text(line)]));
const view = new EditorView(host, {
  state: EditorState.create({
    doc: schema.node('doc', null, lines),
    plugins: [refusing, ...exampleSetup({ schema, menuBar: false })],
  }),
  dispatchTransaction(change) {
    view.updateState(view.state.apply(change));
    told();
  },
});
const told = () => tell(view.state.doc.textBetween(0, view.state.doc.content.size, '\n'));
told();
