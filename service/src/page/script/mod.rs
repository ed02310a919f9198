//! All JavaScript that runs in a page: functions of ours in its isolated world (`world`), which see the document and none
//! of the page's script.

/// `() => undefined`: puts the kit into a document's world; see `interact/kit.js`. Later files use what earlier ones define.
pub(super) const KIT: &str = concat!(
    "() => {\nif (globalThis.portholeKit) return;\n",
    include_str!("interact/dom.js"),
    include_str!("interact/kit.js"),
    include_str!("interact/roles.js"),
    include_str!("interact/names.js"),
    include_str!("interact/states.js"),
    include_str!("interact/clickable.js"),
    include_str!("interact/shape.js"),
    include_str!("interact/tree.js"),
    "\nglobalThis.portholeKit = kit;\n}"
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

/// Runs in each document as it begins; see the file.
pub(super) const DECODE_EARLY: &str = include_str!("decode_early.js");
/// `async (after_ms, longest_ms) => bool`: ends animations; whether everything in view is decoded.
pub(super) const DECODED_BY_THEN: &str = include_str!("decoded_by_then.js");
/// `selector => bool | null`: whether it matches; null where it is not a selector.
pub(super) const MATCHES: &str = include_str!("matches.js");
/// `selector => {invalid} | {box}`: the box of the first match.
pub(super) const BOX: &str = include_str!("box.js");
/// `titleMax => {url, title, status, is_cut}`: where the document is.
pub(super) const PLACE: &str = include_str!("place.js");
/// `() => {parsing, pending}`: what the document waits for.
pub(super) const PENDING: &str = include_str!("pending.js");
/// `number => Element`: an element that the latest reading has numbered.
pub(super) const NUMBERED: &str = include_str!("numbered.js");
/// `(plan, asks) => {snapshot, beyond} | null`: finds what a plan names, walks it, and writes it down; null of a document
/// that has only just begun. Bounded in nodes and text, so that of fifty megabytes only what is wanted is sent.
pub(super) const READ: &str = concat!(
    "(plan, asks) => {\n",
    "if (document.readyState === 'loading' && document.documentElement === null) return null;\n",
    include_str!("find.js"),
    include_str!("walk.js"),
    include_str!("answer.js"),
    "return answer(plan, asks);\n}"
);
