//! All JavaScript that runs in a page: functions of ours in its isolated world (`world`), which see the document but
//! none of the page's script.

use std::sync::LazyLock;

use serde_json::value::{RawValue, to_raw_value};

/// `() => undefined`: puts the kit into a document's world; see `interact/kit.js`.
pub(super) static KIT: LazyLock<String> = LazyLock::new(|| ascii(&without_comments(KIT_SOURCE)));
/// [`KIT`] as a JSON string: each document gets one, and escaping it takes longer than all else of such a message.
pub(super) static KIT_AS_JSON: LazyLock<Box<RawValue>> =
    LazyLock::new(|| to_raw_value(KIT.as_str()).expect("a string can be written as JSON"));
/// Later files use what earlier ones define. `tests/names/compare.mjs` reads this list, too.
const KIT_SOURCE: &str = concat!(
    "() => {\nif (globalThis.portholeKit) return;\n",
    include_str!("interact/dom.js"),
    include_str!("interact/element/area.js"),
    include_str!("interact/kit.js"),
    include_str!("interact/frame.js"),
    include_str!("interact/element/roles.js"),
    include_str!("interact/element/internals.js"),
    include_str!("interact/element/hosts.js"),
    include_str!("interact/styles.js"),
    include_str!("interact/element/names.js"),
    include_str!("interact/element/drawn.js"),
    include_str!("interact/element/states.js"),
    include_str!("interact/element/clickable.js"),
    include_str!("interact/snapshot/shape.js"),
    include_str!("interact/row/part.js"),
    include_str!("interact/row/row.js"),
    include_str!("interact/row/row_text.js"),
    include_str!("interact/row/row_kept.js"),
    include_str!("interact/row/plain_row.js"),
    include_str!("interact/row/plain_text.js"),
    include_str!("interact/row/cell_row.js"),
    include_str!("interact/row/head.js"),
    include_str!("interact/row/title_over.js"),
    include_str!("interact/row/placeholder.js"),
    include_str!("interact/row/subject.js"),
    include_str!("interact/snapshot/late_rows.js"),
    include_str!("interact/snapshot/tree.js"),
    // Scopes of their own: nothing else uses their names.
    "{\n",
    include_str!("trees.js"),
    include_str!("interact/find/search.js"),
    include_str!("interact/find/locate.js"),
    "}\n{\n",
    include_str!("interact/act/own.js"),
    include_str!("interact/act/act.js"),
    include_str!("interact/act/hit.js"),
    include_str!("interact/act/meant.js"),
    include_str!("interact/act/hear.js"),
    include_str!("interact/act/guard.js"),
    include_str!("interact/act/drag/room.js"),
    include_str!("interact/act/drag/carried.js"),
    include_str!("interact/act/drag/drop_changes.js"),
    include_str!("interact/act/drag/drop_cover.js"),
    include_str!("interact/act/drag/drop.js"),
    include_str!("interact/quiet/asked.js"),
    include_str!("interact/quiet/effects.js"),
    include_str!("interact/quiet/pressed.js"),
    include_str!("interact/quiet/outcomes.js"),
    include_str!("interact/quiet/values.js"),
    include_str!("interact/quiet/saves.js"),
    include_str!("interact/quiet/quiet.js"),
    include_str!("interact/quiet/first.js"),
    include_str!("give_files.js"),
    include_str!("interact/act/fields/fields.js"),
    include_str!("interact/act/fields/editors.js"),
    include_str!("interact/act/fields/selects.js"),
    include_str!("interact/act/fields/chosen_in.js"),
    include_str!("interact/act/fields/boxes.js"),
    include_str!("interact/act/fields/upload.js"),
    include_str!("interact/act/scroll.js"),
    include_str!("interact/act/events.js"),
    include_str!("interact/act/outside.js"),
    "}\nglobalThis.portholeKit = kit;\n}"
);
/// `(name, args, wrapped, document) => {missing: true} | {value}`: calls a function of the kit, if it is that document's (of
/// any, where none is said): numbers of worlds come again in another process. Without `wrapped` the value itself is
/// returned, for elements.
pub(super) const CALL_KIT: &str = "async (name, args, wrapped, document) => {
const kit = globalThis.portholeKit;
if (!kit || (document !== null && kit.hello().document !== document)) return wrapped ? { missing: true } : null;
const value = await kit[name](...args);
return wrapped ? { value: value === undefined ? null : value } : value;
}";
/// `function () => undefined`: tells the kit of a closed shadow root, which it is called on.
pub(super) const CLOSED_ROOT: &str = "function () { globalThis.portholeKit?.closed(this) }";

/// `function () => {accept, multiple}`: of the file input that it is called on.
pub(super) const CHOOSER: &str = "function () {
const attribute = (name) => Element.prototype.getAttribute.call(this, name);
const accept = (attribute('accept') ?? '').slice(0, 1000).toWellFormed();
return { accept, multiple: attribute('multiple') !== null || attribute('webkitdirectory') !== null };
}";
/// `function (files) => undefined`: gives files to the file input that it is called on; with none it is told that a person
/// chose none.
pub(super) const CHOSEN: &str = concat!(
    "function (files) {\n",
    include_str!("give_files.js"),
    "\nif (files.length > 0) giveFiles(this, files);\n",
    "else EventTarget.prototype.dispatchEvent.call(this, new Event('cancel', { bubbles: true }));\n}"
);

/// `(kind, ms) => undefined`: stops trusted input of a kind in a document; see `interact/act/hear.js`.
pub(super) const HOLD: &str =
    concat!("(kind, ms) => {\n", include_str!("interact/act/hear.js"), "\nglobalThis.portholeHold(kind, ms);\n}");
/// Has a document hold keys as it begins: long enough for one that was on its way to the document before. In a document
/// without script this runs with its first listener of an attribute, which may be the one that is acted on: it has a guard.
pub(super) const HOLD_KEYS_AT_FIRST: &str = concat!(
    include_str!("interact/act/hear.js"),
    "\nif (!globalThis.portholeGuard) globalThis.portholeHold('keys', 1000);"
);
/// The same of presses and clicks.
pub(super) const HOLD_POINTER_AT_FIRST: &str = concat!(
    include_str!("interact/act/hear.js"),
    "\nif (!globalThis.portholeGuard) globalThis.portholeHold('pointer', 1000);"
);
/// `() => string | null`: ends that, and says what would have got one.
pub(super) const RELEASE: &str = "() => globalThis.portholeRelease?.() ?? null";

/// `(name, chars) => undefined`: tells of the errors of a document's scripts; see the file.
pub(super) const CONSOLE: &str = include_str!("console.js");
/// `(name, errors, chars) => undefined`: keeps what [`CONSOLE`] tells; see the file.
pub(super) const CONSOLE_KEPT: &str = include_str!("console_kept.js");
/// `() => [string]`: takes what is kept.
pub(super) const ERRORS: &str = "() => globalThis.portholeErrors?.() ?? []";

/// Runs in each document as it begins; see the file.
pub(super) const DECODE_EARLY: &str = include_str!("decode_early.js");
/// Runs in each document as it begins, in our world: [`DECODE_EARLY`], and listeners that precede all of the page's.
pub(super) const EARLY: &str = concat!(
    include_str!("decode_early.js"),
    "\n",
    include_str!("interact/act/hear.js"),
    "\n",
    include_str!("free_pointer.js")
);
/// The last part of [`EARLY`]: ends each lock of the pointer.
pub(super) const FREE_POINTER: &str = include_str!("free_pointer.js");
/// `async (after_ms, longest_ms) => bool`: ends animations; returns whether everything in view is decoded.
pub(super) const DECODED_BY_THEN: &str = include_str!("decoded_by_then.js");
/// `selector => bool | null`: whether it matches; null if the selector is invalid.
pub(super) const MATCHES: &str = include_str!("matches.js");
/// `() => bool`: whether the document has no element.
pub(super) const IS_EMPTY: &str = "() => document.documentElement === null";
/// `selector => {invalid} | {box}`: the box of the first match.
pub(super) const BOX: &str = include_str!("box.js");
/// `titleMax => {url, title, status, is_cut}`: where the document is.
pub(super) const PLACE: &str = include_str!("place.js");
/// `() => {parsing, pending}`: the resources that the document waits for.
pub(super) const PENDING: &str = include_str!("pending.js");
/// `number => Element`: the frame element that the latest reading gave this number.
pub(super) const NUMBERED: &str = include_str!("numbered.js");
/// `(plan, asks) => {snapshot, beyond} | null`: finds the nodes that a plan names, walks them and returns a snapshot;
/// null if the document has only just begun. Nodes and text are bounded, so that a page of 50 MB sends only what the
/// plan needs.
pub(super) const READ: &str = concat!(
    "(plan, asks) => {\n",
    "if (document.readyState === 'loading' && document.documentElement === null) return null;\n",
    include_str!("trees.js"),
    include_str!("find.js"),
    include_str!("walk.js"),
    include_str!("answer.js"),
    "return answer(plan, asks);\n}"
);

/// Removes comment lines, empty lines and indentation: a quarter of the kit, which each document's process reads. No file
/// has a literal of several lines in which one begins with `//`, or for which a line's indentation matters.
fn without_comments(source: &str) -> String {
    let lines = source.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Escapes what is not ASCII, which stands in literals alone: with a single such character the browser passes the whole text
/// on in twice as many bytes.
fn ascii(source: &str) -> String {
    let mut escaped = String::with_capacity(source.len());
    for unit in source.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("\\u{unit:04x}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{KIT, ascii};

    #[test]
    fn what_is_not_ascii_is_escaped() {
        assert_eq!(ascii("'a\n' + /[·–]/ + '😀'"), "'a\n' + /[\\u00b7\\u2013]/ + '\\ud83d\\ude00'");
        assert!(KIT.is_ascii());
    }
}
