//! What an agent does with a page: sees it, finds an element, acts on it.
//!
//! | room | subject |
//! |---|---|
//! | `snapshot/` | what is on the page, and the refs that agents know its elements by |
//! | `find/` | the element that a caller names, and waiting for it |
//! | `act/` | acting on an element: `actionable` waits until that is possible; `typing/` keys and fields, `drag/` drags |
//!
//! The files are what all rooms use. `frame` is a frame's document with our kit in it (`script/interact`), `kit` the calls
//! into it; `closed_roots` and `internals` tell it what a document keeps from scripts. `element` is an element of a frame,
//! `resolve` finds that of a ref, or says what became of it. How an action ends: `quiet` watches from before it, `began`
//! reads what it began, `settle` waits for the end. Knows nothing of sessions, tabs or the wire.

mod act;
mod acted;
mod answer;
mod began;
mod closed_roots;
mod element;
mod error;
mod find;
mod frame;
mod idle;
mod internals;
mod kit;
mod quiet;
mod resolve;
mod settle;
mod snapshot;

pub(in crate::page) use self::act::{ALT, CONTROL, ClipboardUse, KeyAnswer, META, NAMED, SHIFT, TYPING};
pub use self::act::{
    ActedOn, Button, Chord, Click, Clipboard, Direction, Drop, End, File, Grip, Modifiers, NotAKey, Scroll, Typing,
};
pub use self::acted::{Acted, BoundingBox, How, Method, Point, Settled, Terms, Typed};
pub use self::answer::NavigationWatch;
pub use self::element::Element;
pub use self::error::{ActError, Missing};
pub use self::find::{Awaited, Doing, Located, Missed, NotAGlob, Tried, UrlGlob, Wanted};
pub use self::frame::Frame;
pub(in crate::page) use self::frame::{FRAME_DEPTH_MAX, LatestDocument};
pub use self::snapshot::{Fate, NotARef, Ref, RefBox, RefRecord, Refs, ShownAs, Snapshot, SnapshotOptions, Stale};
