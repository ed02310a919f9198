// What a browser draws outside its page and so is in no frame: select lists, date and colour fields, dialogs, file
// choosers. The server tells of them, the viewer draws them, the person answers. All their strings are the page's: text.
import { button, make } from '../dom.js';
import { cut, label, line } from '../safe.js';
import { FILES_MAX_BYTES } from './protocol.js';

/** The most options that are drawn. */
const OPTIONS_MAX = 2_000;
const MESSAGE_MAX_CHARS = 4_000;
/** Space between a panel and the stage's edge. */
const MARGIN_PX = 8;

const NATIVE = ['date', 'time', 'datetime-local', 'month', 'week', 'color'];
/** @type {Record<string, string>} */
const NAMES = {
  list: 'List', datalist: 'Suggestions', date: 'Date', time: 'Time', 'datetime-local': 'Date and time', month: 'Month',
  week: 'Week', color: 'Colour',
};

/** A panel, and what enables its controls or disables them. @typedef {{panel: HTMLElement, allow: (active: boolean) => void}} Shown */

export class Fields {
  /**
   * @param {HTMLElement} place
   * @param {object} handlers
   * @param {(message: object) => void} handlers.send
   * @param {() => boolean} handlers.active
   * @param {(rect: import('./mapping.js').Box) => import('./mapping.js').Box} handlers.toStage
   * @param {() => import('./mapping.js').Size} handlers.stage
   * @param {() => void} handlers.done gives the focus back to the page
   * @param {(id: string | null) => void} handlers.suggested which suggestion is gone to
   * @param {(sentence: string) => void} handlers.say
   */
  constructor(place, handlers) {
    this._place = place;
    this._handlers = handlers;
    /** @type {Shown | null} */
    this._field = null;
    /** @type {Shown | null} */
    this._dialog = null;
    /** @type {Shown | null} */
    this._chooser = null;
    /** @type {HTMLElement | null} */
    this._copied = null;
    /** @type {import('./mapping.js').Box | null} */
    this._rect = null;
    /** Takes a key for the suggestions that are shown. @type {((key: string) => boolean) | null} */
    this._suggests = null;
  }

  /** Takes everything away: the connection or the tab is another. */
  clear() {
    this.closeField();
    this.closeDialog();
    this.closeChooser();
    this._closeCopied();
  }

  closeField() {
    this._remove(this._field?.panel);
    if (this._suggests) this._handlers.suggested(null);
    this._field = this._rect = this._suggests = null;
  }

  /** Whether the suggestions take this key: arrows, Enter on the one that is gone to, Escape. @param {string} key */
  suggests(key) {
    return this._suggests?.(key) ?? false;
  }

  closeDialog() {
    this._remove(this._dialog?.panel);
    this._dialog = null;
  }

  /** The server tells of no chooser's end: it is closed with its page, too. */
  closeChooser() {
    this._remove(this._chooser?.panel);
    this._chooser = null;
  }

  _closeCopied() {
    this._remove(this._copied);
    this._copied = null;
  }

  /** Enables what answers, or disables it, since control changed hands. What was entered stays. */
  allow() {
    const active = this._handlers.active();
    for (const shown of [this._field, this._dialog, this._chooser]) shown?.allow(active);
  }

  /** @param {HTMLElement | null | undefined} panel */
  _remove(panel) {
    if (!panel) return;
    const focused = panel.contains(/** @type {ShadowRoot} */ (panel.getRootNode()).activeElement);
    panel.remove();
    if (focused) this._handlers.done();
  }

  /** Puts the field's panel beside its field again, after a resize or zoom. */
  place() {
    if (!this._field || !this._rect) return;
    const rect = this._handlers.toStage(this._rect);
    const stage = this._handlers.stage();
    const { panel } = this._field;
    panel.style.setProperty('min-inline-size', `${Math.min(rect.width, stage.width - 2 * MARGIN_PX)}px`);
    const { offsetWidth: width, offsetHeight: height } = panel;
    const left = Math.max(MARGIN_PX, Math.min(rect.x, stage.width - width - MARGIN_PX));
    const below = rect.y + rect.height;
    const top = below + height + MARGIN_PX <= stage.height || rect.y < height ? below : rect.y - height;
    panel.style.setProperty('left', `${left}px`);
    panel.style.setProperty('top', `${Math.max(MARGIN_PX, Math.min(top, stage.height - height - MARGIN_PX))}px`);
  }

  /**
   * Shows an open field.
   *
   * @param {any} field
   */
  open(field) {
    this.closeField();
    const kind = typeof field.kind === 'string' ? field.kind : '';
    if (!Object.hasOwn(NAMES, kind)) return;
    const name = NAMES[kind];
    const { x = 0, y = 0, width = 0, height = 0 } = field.rect ?? {};
    this._rect = { x: Number(x) || 0, y: Number(y) || 0, width: Number(width) || 0, height: Number(height) || 0 };
    const { content, allow } = NATIVE.includes(kind) ? this._native(kind, field) : this._list(field, kind === 'datalist');
    allow(this._handlers.active());
    const panel = make('div', { class: `panel field ${kind}`, role: 'group', 'aria-label': name }, ...content);
    panel.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') {
        event.preventDefault();
        this._choose(null);
      }
    });
    this._field = { panel, allow };
    this._place.appendChild(panel);
    this.place();
    // Suggestions leave the focus where the person types.
    if (kind !== 'datalist') /** @type {HTMLElement | null} */ (panel.querySelector('[autofocus], input, button'))?.focus();
    panel.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string[] | null} values */
  _choose(values) {
    if (this._handlers.active()) this._handlers.send({ type: 'choose', values });
    this.closeField();
  }

  /**
   * @param {string} kind
   * @param {any} field
   */
  _native(kind, field) {
    const limit = (/** @type {string} */ name) => (typeof field[name] === 'string' && field[name] ? cut(field[name], 40) : null);
    const input = make('input', {
      type: kind, 'aria-label': NAMES[kind], min: limit('min'), max: limit('max'), step: limit('step'), autofocus: true,
    });
    input.value = typeof field.value === 'string' ? cut(field.value, 40) : '';
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      // Choosing gives the focus back to the page, which must not get this key.
      event.preventDefault();
      this._choose([input.value]);
    });
    const set = make('button', { type: 'button', class: 'main', on: { click: () => this._choose([input.value]) } }, 'Set');
    const clear = make('button', { type: 'button', on: { click: () => this._choose(['']) } }, 'Clear');
    const allow = (/** @type {boolean} */ active) => {
      input.disabled = set.disabled = clear.disabled = !active;
    };
    return { content: [input, make('div', { class: 'answers' }, kind === 'color' ? null : clear, this._cancel(), set)], allow };
  }

  _cancel() {
    return make('button', { type: 'button', on: { click: () => this._choose(null) } }, 'Cancel');
  }

  /**
   * @param {any} field
   * @param {boolean} suggestions
   */
  _list(field, suggestions) {
    const multiple = field.multiple === true;
    /** @type {any[]} */
    const options = (Array.isArray(field.options) ? field.options : []).slice(0, OPTIONS_MAX);
    const chosen = new Set(options.flatMap((option, index) => (option?.selected ? [index] : [])));
    /** @type {HTMLElement[]} */
    const rows = [];
    const mark = () => rows.forEach((row, index) => row.setAttribute('aria-selected', String(chosen.has(index))));
    const done = () => this._choose([...chosen].sort((a, b) => a - b).map((index) => String(options[index]?.value ?? '')));
    const pick = (/** @type {number} */ index) => {
      if (!this._handlers.active() || options[index]?.disabled) return;
      if (!multiple) chosen.clear();
      if (multiple && chosen.has(index)) chosen.delete(index);
      else chosen.add(index);
      mark();
      if (!multiple) done();
    };
    const listbox = make('div', {
      class: 'options', role: 'listbox', tabindex: suggestions ? null : '0', autofocus: true, 'aria-label': NAMES[suggestions ? 'datalist' : 'list'],
      'aria-multiselectable': multiple ? 'true' : null,
    });
    let group = '';
    /** @type {HTMLElement} */
    let holder = listbox;
    options.forEach((option, index) => {
      const of = line(option?.group);
      if (of !== group) {
        group = of;
        holder = of ? make('div', { role: 'group', 'aria-label': of }, make('div', { class: 'group', 'aria-hidden': 'true' }, label(of))) : listbox;
        if (of) listbox.appendChild(holder);
      }
      const text = line(option?.label) || line(option?.value) || '\u00a0';
      const row = make('div', {
        role: 'option', id: `option-${index}`, class: 'option', 'aria-selected': 'false', 'aria-disabled': option?.disabled ? 'true' : null,
        on: { click: () => pick(index), pointerdown: (/** @type {Event} */ event) => suggestions && event.preventDefault() },
      }, label(text));
      rows.push(row);
      holder.appendChild(row);
    });
    mark();
    const take = (/** @type {number} */ index) => {
      pick(index);
      if (multiple) done();
    };
    if (suggestions) this._suggestions(rows, take);
    else this._keys(listbox, rows, options, pick, multiple ? done : null);
    if (options.length === 0) listbox.appendChild(make('div', { class: 'option' }, 'Nothing to choose'));
    const ok = make('button', { type: 'button', class: 'main', on: { click: done } }, 'Done');
    const allow = (/** @type {boolean} */ active) => {
      listbox.setAttribute('aria-disabled', String(!active));
      ok.disabled = !active;
    };
    return { content: [listbox, multiple ? make('div', { class: 'answers' }, this._cancel(), ok) : null], allow };
  }

  /**
   * The keys of suggestions, while the person types into the page.
   *
   * @param {HTMLElement[]} rows
   * @param {(index: number) => void} pick
   */
  _suggestions(rows, pick) {
    let at = -1;
    const go = (/** @type {number} */ next) => {
      if (!rows[next]) return;
      rows[at]?.classList.remove('current');
      at = next;
      rows[at].classList.add('current');
      rows[at].scrollIntoView({ block: 'nearest' });
      this._handlers.suggested(rows[at].id);
    };
    this._suggests = (key) => {
      if (!this._handlers.active() || rows.length === 0) return false;
      if (key === 'ArrowDown') go(at + 1);
      else if (key === 'ArrowUp') go(at < 0 ? rows.length - 1 : at - 1);
      else if (key === 'Enter' && at >= 0) pick(at);
      else if (key === 'Escape') this._choose(null);
      else return false;
      return true;
    };
  }

  /**
   * Arrow keys, Home, End, typing ahead, space and Enter.
   *
   * @param {HTMLElement} listbox
   * @param {HTMLElement[]} rows
   * @param {any[]} options
   * @param {(index: number) => void} pick
   * @param {(() => void) | null} done
   */
  _keys(listbox, rows, options, pick, done) {
    let at = Math.max(0, rows.findIndex((row) => row.getAttribute('aria-selected') === 'true'));
    let typed = '';
    let typedAt = 0;
    const go = (/** @type {number} */ next) => {
      if (!rows[next]) return;
      rows[at]?.classList.remove('current');
      at = next;
      rows[at].classList.add('current');
      listbox.setAttribute('aria-activedescendant', rows[at].id);
      rows[at].scrollIntoView({ block: 'nearest' });
    };
    go(at);
    const step = (/** @type {number} */ by) => {
      for (let next = at + by; rows[next]; next += by) {
        if (!options[next]?.disabled) return go(next);
      }
    };
    listbox.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') step(1);
      else if (event.key === 'ArrowUp') step(-1);
      else if (event.key === 'Home') go(0);
      else if (event.key === 'End') go(rows.length - 1);
      else if (event.key === ' ' || (event.key === 'Enter' && !done)) pick(at);
      else if (event.key === 'Enter' && done) done();
      else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
        typed = event.timeStamp - typedAt < 800 ? typed + event.key.toLowerCase() : event.key.toLowerCase();
        typedAt = event.timeStamp;
        const found = options.findIndex((option) => !option?.disabled && line(option?.label).toLowerCase().startsWith(typed));
        if (found >= 0) go(found);
      } else return;
      event.preventDefault();
    });
  }

  /**
   * Shows a dialog of the page.
   *
   * @param {any} dialog
   */
  openDialog(dialog) {
    this.closeDialog();
    const { kind } = dialog;
    const leaves = kind === 'beforeunload';
    const message = leaves ? 'Leave this page? What you changed may be lost.' : cut(String(dialog.message ?? ''), MESSAGE_MAX_CHARS);
    const input = kind === 'prompt' ? make('input', { type: 'text', 'aria-label': 'Answer', maxlength: '10000' }) : null;
    if (input) input.value = cut(String(dialog.default ?? ''), 10_000);
    const answer = (/** @type {boolean} */ accept) => {
      this._handlers.send({ type: 'dialog', accept, ...(input && accept ? { text: input.value } : {}) });
      this.closeDialog();
    };
    const ok = make('button', { type: 'submit', class: 'main' }, leaves ? 'Leave' : 'OK');
    const cancel = make('button', { type: 'button', on: { click: () => answer(false) } }, leaves ? 'Stay' : 'Cancel');
    const form = make(
      'form',
      { class: 'panel message' },
      make('p', { class: 'by' }, 'The page says'),
      make('div', { id: 'said-by-page', class: 'said-by-page', dir: 'auto', tabindex: '-1' }, message),
      input,
      make('div', { class: 'answers' }, kind === 'alert' ? null : cancel, ok),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      answer(true);
    });
    form.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape' && this._handlers.active()) {
        event.preventDefault();
        answer(false);
      }
    });
    const role = kind === 'alert' ? 'alertdialog' : 'dialog';
    const panel = make('div', { class: 'over', role, 'aria-label': 'The page asks', 'aria-describedby': 'said-by-page' }, form);
    const allow = (/** @type {boolean} */ active) => {
      ok.disabled = cancel.disabled = !active;
      if (input) input.disabled = !active;
    };
    allow(this._handlers.active());
    this._dialog = { panel, allow };
    this._place.appendChild(panel);
    if (!ok.disabled) (input ?? ok).focus();
    input?.select();
  }

  /**
   * Asks for the files that the page wants.
   *
   * @param {any} chooser
   */
  openChooser(chooser) {
    this.closeChooser();
    const accept = typeof chooser.accept === 'string' ? cut(chooser.accept, 500) : null;
    const input = make('input', { type: 'file', 'aria-label': 'Files', accept, multiple: chooser.multiple === true });
    const end = (/** @type {object[]} */ files) => {
      this._handlers.send({ type: 'files', files });
      this.closeChooser();
    };
    const send = make('button', { type: 'button', class: 'main', on: { click: async () => {
      send.disabled = true;
      const files = await read(input.files ?? []);
      // Meanwhile the chooser was closed, or control has ended.
      if (!panel.isConnected || !this._handlers.active()) return;
      if (files) end(files);
      else this._handlers.say('These files are too large: together at most 10 MB.');
    } } }, 'Upload');
    const cancel = button('Cancel', 'close', () => end([]), { shown: true });
    const note = make('p', {}, 'Only a person who has control can choose.');
    const hide = button('Hide', 'close', () => this.closeChooser(), { shown: true });
    const allow = (/** @type {boolean} */ active) => {
      input.disabled = cancel.disabled = !active;
      send.disabled = !active || !input.files?.length;
      note.hidden = hide.hidden = active;
    };
    input.addEventListener('change', () => allow(this._handlers.active()));
    const form = make('div', { class: 'panel message', role: 'dialog', 'aria-label': 'The page asks for files' },
      make('p', { class: 'by' }, chooser.multiple === true ? 'The page asks for files' : 'The page asks for a file'), input, note,
      make('div', { class: 'answers' }, hide, cancel, send));
    form.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key !== 'Escape') return;
      if (this._handlers.active()) end([]);
      else this.closeChooser();
    });
    const panel = make('div', { class: 'over' }, form);
    allow(this._handlers.active());
    this._chooser = { panel, allow };
    this._place.appendChild(panel);
    if (!input.disabled) input.focus();
  }

  /**
   * Shows text of the session that the system's clipboard did not take by itself.
   *
   * @param {string} text
   */
  offer(text) {
    this._closeCopied();
    const field = make('textarea', { readonly: true, rows: '4', 'aria-label': 'Copied text', dir: 'auto' });
    field.value = cut(text, 200_000);
    const close = button('Close', 'close', () => this._closeCopied(), { shown: true });
    const panel = make('div', { class: 'panel message', role: 'dialog', 'aria-label': 'Copied text' }, make('p', { class: 'by' }, 'Copied in the page'), field, make('div', { class: 'answers' }, close));
    panel.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') this._closeCopied();
    });
    this._copied = make('div', { class: 'over' }, panel);
    this._place.appendChild(this._copied);
    field.focus();
    field.select();
  }
}

/**
 * @param {FileList | File[]} list
 * @returns {Promise<object[] | null>} null when they are too large
 */
async function read(list) {
  const files = [...list];
  if (files.reduce((sum, file) => sum + file.size, 0) > FILES_MAX_BYTES) return null;
  return Promise.all(files.map(async (file) => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = '';
    for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return { name: file.name, mime_type: file.type || 'application/octet-stream', content_base64: btoa(binary) };
  }));
}
