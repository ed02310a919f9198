//! What an agent does with a page: sees it, finds an element, acts on it.
//!
//! `frame` is a frame with our kit in it (`script/interact`), `element` an element of one, `refs` the numbers that agents
//! know elements by. `snapshot` is what is on the page: `gather` asks all frames, `closed_roots` opens closed shadow roots to
//! the kit, `internals` tells it of roles that custom elements keep to themselves. `resolve` finds the element of a ref; `wanted` is what a caller names, `search` finds it in all documents,
//! `locate` and `wait` until it is as it must be. `actionable` waits until an element can be acted on, `quiet` until the
//! page has settled after it (`began`: what the action began); between the two stand `pointer`, `keys` (`chord`: their
//! names), `fields`, `drag` (`carry`: the way to the target), `upload` and `scroll`. Knows nothing of sessions, tabs or the
//! wire.

mod acted;
mod actionable;
mod answer;
mod began;
mod carry;
mod choices;
mod chord;
mod closed_roots;
mod drag;
mod drag_data;
mod drag_ends;
mod drop;
mod element;
mod error;
mod field;
mod fields;
mod focus;
mod frame;
mod gather;
mod hold_input;
mod idle;
mod internals;
mod keys;
mod kit;
mod layout;
mod leaving;
mod locate;
mod pointer;
mod press;
mod quiet;
mod reference;
mod refs;
mod resolve;
mod scroll;
mod search;
mod settle;
mod snapshot;
mod snapshot_options;
mod submit;
mod text;
mod upload;
mod upload_by_chooser;
mod url_glob;
mod wait;
mod wanted;

pub use self::acted::{Acted, BLOCKED_TARGET, BoundingBox, How, Method, NO_CHANGE, Point, Settled, Terms, Typed};
pub(in crate::page) use self::chord::{ALT, CONTROL, ClipboardUse, META, SHIFT};
pub use self::chord::{Chord, Modifiers, NotAKey};
pub use self::drag_ends::{Drop, Grip};
pub use self::element::Element;
pub use self::error::{ActError, Missing};
pub use self::field::Typing;
pub use self::frame::Frame;
pub(in crate::page) use self::frame::{FRAME_DEPTH_MAX, LatestDocument};
pub use self::keys::Clipboard;
pub(in crate::page) use self::keys::Pressed;
pub(in crate::page) use self::layout::{NAMED, TYPING};
pub use self::locate::{Located, Missed, Tried};
pub use self::pointer::{ActedOn, Button, Click};
pub use self::reference::{NotARef, Ref};
pub use self::refs::{Fate, RefRecord, Refs, Stale};
pub use self::scroll::{Direction, End, Scroll};
pub use self::snapshot::{RefBox, ShownAs, Snapshot};
pub use self::snapshot_options::SnapshotOptions;
pub use self::upload::File;
pub use self::url_glob::{NotAGlob, UrlGlob};
pub use self::wait::Awaited;
pub use self::wanted::{Doing, Wanted};
