import { createEmptyHistoryState, registerHistory } from '@lexical/history';
import { registerRichText } from '@lexical/rich-text';
import {
  $createParagraphNode, $createTextNode, $getRoot, COMMAND_PRIORITY_CRITICAL, CONTROLLED_TEXT_INSERTION_COMMAND,
  DELETE_CHARACTER_COMMAND, KEY_DOWN_COMMAND, PASTE_COMMAND, createEditor,
} from 'lexical';
import { START, host, state, tell } from './page.js';

const editable = document.createElement('div');
editable.contentEditable = 'true';
editable.setAttribute('role', 'textbox');
editable.setAttribute('aria-label', 'Lexical');
editable.style.cssText = 'height: 100%; white-space: pre-wrap';
host.append(editable);
const editor = createEditor({ namespace: 'check', onError: (error) => { throw error } });
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
const commands = [CONTROLLED_TEXT_INSERTION_COMMAND, DELETE_CHARACTER_COMMAND, KEY_DOWN_COMMAND, PASTE_COMMAND];
for (const command of commands) editor.registerCommand(command, () => state.frozen, COMMAND_PRIORITY_CRITICAL);
editor.setRootElement(editable);
editor.registerUpdateListener(({ editorState }) => {
  editorState.read(() => tell($getRoot().getChildren().map((block) => block.getTextContent()).join('\n')));
});
editor.update(() => {
  const lines = START.split('\n').map((line) => $createParagraphNode().append($createTextNode(line)));
  $getRoot().clear().append(...lines);
});
