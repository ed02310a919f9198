// What every page has: a place for the editor, a button that makes the editor refuse changes, and the editor's own text
// where the check reads it, encoded, so that no space is lost on the way.
export const START = 'First line\nSecond line';

export const host = document.createElement('div');
host.style.cssText = 'position: absolute; left: 20px; top: 60px; width: 600px; height: 300px; border: 1px solid';

const model = document.createElement('pre');
model.id = 'model';
model.style.cssText = 'position: absolute; top: 400px; width: 600px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 60px; overflow: auto';
const button = document.createElement('button');
button.textContent = 'Freeze';
button.addEventListener('click', () => { state.frozen = true });
document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { margin: 0 }' }));
document.body.append(button, host, model);

export const state = { frozen: false };

// Shows the text of the editor's own model.
export function tell(text) {
  model.textContent = `<${encodeURIComponent(text)}>`;
}
