//! What an agent does with a page: sees it, finds an element, acts on it.
//!
//! `frame` is a frame with our kit in it (`script/interact`), `element` an element of one, `refs` the numbers that agents
//! know elements by. `snapshot` is what is on the page: `gather` asks all frames, `closed` opens closed shadow roots to
//! the kit. `resolve` finds the element of a ref. Knows nothing of sessions, tabs or the wire.

mod closed;
mod element;
mod error;
mod frame;
mod gather;
mod refs;
mod resolve;
mod snapshot;

pub use self::element::Element;
pub use self::error::ActError;
pub use self::frame::Frame;
pub use self::refs::{Fate, NotARef, Ref, Refs, Shown, Stale};
pub use self::snapshot::{ShownAs, Snapshot, SnapshotOptions};
