// Keys, text and input methods. A hidden text field has the focus, so that input methods, dead keys, on-screen
// keyboards and the system's own copy and paste work; what they produce is told, and the field is emptied again.
import { cut } from '../safe.js';
import { APPLE, TEXT_MAX_CHARS, modifiersOf } from './protocol.js';

/** Something to delete: on-screen keyboards tell of Backspace only where there is text before the caret. */
const FILLING = '\u200b\u200b';
/** Two presses of Escape within this time lead out of the view. */
const ESCAPE_TWICE_MS = 600;
/** Time that the session's text may take to come before it is cut. */
const COPY_WITHIN_MS = 1_500;
/** All pasted text. */
const PASTE_MAX_CHARS = 1_000_000;

export class Keyboard {
  /**
   * @param {HTMLTextAreaElement} field
   * @param {object} handlers
   * @param {(message: object) => void} handlers.send
   * @param {() => boolean} handlers.active whether input is sent
   * @param {() => void} handlers.leave the person wants the focus elsewhere
   * @param {(text: Promise<string>) => void} handlers.keep puts text into the system's clipboard
   * @param {(sentence: string) => void} handlers.say
   * @param {(key: string) => boolean} handlers.suggests whether the suggestions take this key
   */
  constructor(field, handlers) {
    this._field = field;
    this._handlers = handlers;
    /** Keys that are down, by code, with their names. @type {Map<string, string>} */
    this._down = new Map();
    this._composing = false;
    this._composed = '';
    this._escaped = 0;
    /** Gives each copy that waits for the session's text this text. @type {Set<(text: string) => void>} */
    this._copies = new Set();
    this._hinted = false;
    field.addEventListener('keydown', (event) => this._keyDown(event));
    field.addEventListener('keyup', (event) => this._keyUp(event));
    field.addEventListener('beforeinput', (event) => this._beforeInput(event));
    field.addEventListener('input', () => this._emptied());
    field.addEventListener('compositionstart', () => this._compositionStart());
    field.addEventListener('compositionupdate', (event) => this._compose(event.data));
    field.addEventListener('compositionend', (event) => this._commit(event.data));
    field.addEventListener('paste', (event) => this._paste(event));
    field.addEventListener('copy', (event) => this._copy(event, false));
    field.addEventListener('cut', (event) => this._copy(event, true));
    field.addEventListener('blur', () => this.release());
    this._fill();
  }

  /** Gives the field the focus. */
  focus() {
    this._field.focus({ preventScroll: true });
  }

  /** Shows once how to leave, to a person who came by Tab, which is the page's from here. */
  _hint() {
    if (this._hinted || !this._handlers.active()) return;
    this._hinted = true;
    this._handlers.say('Keys go to the page now. Press Escape twice, or Alt+F10, to leave it.');
  }

  /** Gives the session's text to all copies that wait: of several, the service may answer the last alone. @param {string} text */
  copied(text) {
    for (const give of this._copies) give(text);
  }

  /** Tells a screen reader which suggestion one has gone to. @param {string | null} id */
  pointAt(id) {
    if (id) this._field.setAttribute('aria-activedescendant', id);
    else this._field.removeAttribute('aria-activedescendant');
  }

  /** Releases every key that is down: the focus or the window was lost. */
  release() {
    for (const [code, key] of this._down) this._key('keyUp', key, code, 0);
    this._down.clear();
    if (this._composing) this._end('');
  }

  _fill() {
    this._field.value = FILLING;
    this._field.setSelectionRange(FILLING.length, FILLING.length);
  }

  _emptied() {
    if (!this._composing) this._fill();
  }

  /**
   * @param {'keyDown' | 'keyUp' | 'char'} type
   * @param {string} key
   * @param {string} code
   * @param {number} modifiers
   * @param {string} [text]
   */
  _key(type, key, code, modifiers, text) {
    this._handlers.send({ type: 'keyboard', event: { type, key, code, modifiers, ...(text === undefined ? {} : { text }) } });
  }

  /** @param {KeyboardEvent} event */
  _keyDown(event) {
    if (event.key === 'F10' && event.altKey) {
      event.preventDefault();
      this._handlers.leave();
      return;
    }
    if (!this._handlers.active()) return;
    // The input method has it, or a dead key waits for its letter.
    if (event.isComposing || this._composing || event.key === 'Dead' || event.key === 'Process' || event.keyCode === 229) return;
    const command = APPLE ? event.metaKey : event.ctrlKey;
    const altGraph = event.getModifierState('AltGraph');
    const letter = event.key.toLowerCase();
    if (command && !event.altKey && !altGraph) {
      // The browser's own events follow: paste, copy, cut.
      if (letter === 'v' || letter === 'c' || letter === 'x') {
        this._selectAll();
        return;
      }
    }
    event.preventDefault();
    if (!event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && this._handlers.suggests(event.key)) return;
    // It went down in a panel that it closed.
    if (event.repeat && !this._down.has(event.code || event.key)) return;
    if (event.key === 'Escape' && !event.repeat) {
      const twice = event.timeStamp - this._escaped < ESCAPE_TWICE_MS;
      this._escaped = event.timeStamp;
      if (twice) {
        this._handlers.leave();
        return;
      }
    }
    const printable = [...event.key].length === 1;
    // A third level's character (AltGr, Option) is text and no chord.
    // The session tells such a character from a chord with Alt; a Mac has none that types.
    const text = printable && !event.metaKey && (altGraph || !event.ctrlKey || (event.altKey && !APPLE));
    const modifiers = text && (altGraph || APPLE) ? (event.shiftKey ? 8 : 0) : this._modifiers(event);
    this._down.set(event.code || event.key, event.key);
    this._key('keyDown', event.key, event.code, modifiers, text ? event.key : event.key === 'Enter' ? '\r' : undefined);
  }

  /** @param {KeyboardEvent} event */
  _keyUp(event) {
    const code = event.code || event.key;
    const down = this._down.get(code);
    if (down === undefined) {
      // Tab went down in the element before.
      if (event.key === 'Tab') this._hint();
      return;
    }
    this._down.delete(code);
    this._key('keyUp', down, event.code, this._modifiers(event));
    // While Command is down a Mac tells of no other key's end.
    if (APPLE && event.key === 'Meta') this.release();
  }

  /** The session's keyboard has Control where a Mac has Command. @param {KeyboardEvent} event */
  _modifiers(event) {
    const modifiers = modifiersOf(event);
    return APPLE && modifiers & 4 ? (modifiers & ~4) | 2 : modifiers;
  }

  /** Without a selection browsers tell of no copy. */
  _selectAll() {
    this._field.setSelectionRange(0, this._field.value.length);
  }

  /** What comes without keys: on-screen keyboards, dictation, the emoji panel. @param {InputEvent} event */
  _beforeInput(event) {
    if (this._composing || event.inputType === 'insertCompositionText') return;
    event.preventDefault();
    if (!this._handlers.active()) return;
    switch (event.inputType) {
      case 'insertText':
      case 'insertReplacementText': {
        const text = event.data ?? event.dataTransfer?.getData('text/plain') ?? '';
        if (text) this._key('char', [...text].length === 1 ? text : '', '', 0, cut(text, 1_000));
        break;
      }
      case 'insertLineBreak':
      case 'insertParagraph':
        this._press('Enter', '\r');
        break;
      case 'deleteContentBackward':
        this._press('Backspace');
        break;
      case 'deleteContentForward':
        this._press('Delete');
        break;
      default:
        break;
    }
    this._fill();
  }

  /** @param {string} key @param {string} [text] */
  _press(key, text) {
    this._key('keyDown', key, key, 0, text);
    this._key('keyUp', key, key, 0);
  }

  _compositionStart() {
    this._composing = true;
    this._composed = '';
  }

  /** @param {string} text */
  _compose(text) {
    if (!this._handlers.active()) return;
    this._composed = cut(text, TEXT_MAX_CHARS);
    const end = this._composed.length;
    this._handlers.send({ type: 'ime', event: { type: 'compose', text: this._composed, selectionStart: end, selectionEnd: end } });
  }

  /** @param {string} text */
  _commit(text) {
    if (this._composing) this._end(text);
  }

  /** @param {string} text */
  _end(text) {
    this._composing = false;
    if (this._handlers.active()) {
      const event = text ? { type: 'commit', text: cut(text, TEXT_MAX_CHARS) } : { type: 'cancel', text: '' };
      this._handlers.send({ type: 'ime', event });
    }
    this._composed = '';
    // After the browser has put the text into the field.
    queueMicrotask(() => this._fill());
  }

  /** @param {ClipboardEvent} event */
  _paste(event) {
    event.preventDefault();
    this._fill();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!this._handlers.active() || !text) return;
    if (text.length > PASTE_MAX_CHARS) {
      this._handlers.say('That is too much text to paste.');
      return;
    }
    // Parts that fit into a message each.
    for (let rest = text; rest; ) {
      const part = cut(rest, TEXT_MAX_CHARS);
      this._handlers.send({ type: 'paste', text: part });
      rest = rest.slice(part.length);
    }
  }

  /**
   * @param {ClipboardEvent} event
   * @param {boolean} cuts
   */
  _copy(event, cuts) {
    event.preventDefault();
    this._fill();
    if (!this._handlers.active()) return;
    // Nothing is told of an empty selection.
    const text = new Promise((/** @type {(text: string) => void} */ resolve) => {
      const give = (/** @type {string} */ copied) => {
        clearTimeout(timer);
        this._copies.delete(give);
        resolve(copied);
      };
      const timer = setTimeout(() => give(''), COPY_WITHIN_MS);
      this._copies.add(give);
    });
    this._handlers.keep(text);
    this._handlers.send({ type: 'copy' });
    // The session cuts once its text is here.
    if (cuts) {
      void text.then((copied) => {
        if (!copied || !this._handlers.active()) return;
        this._key('keyDown', 'x', 'KeyX', 2);
        this._key('keyUp', 'x', 'KeyX', 2);
      });
    }
  }
}
