//! What an agent does with a page: sees it, finds an element, acts on it.
//!
//! `frame` is a frame with our kit in it (`script/interact`), `element` an element of one, `refs` the numbers that agents
//! know elements by. `wanted` is what a caller names, `search` finds it in all documents, `locate` and `wait` until it is as
//! it must be; `dom` acts on it by events. Knows nothing of sessions, tabs or the wire.

mod dom;
mod element;
mod error;
mod frame;
mod locate;
mod refs;
mod search;
mod url_glob;
mod wait;
mod wanted;

pub use self::dom::{DomAction, DomEffect};
pub use self::element::Element;
pub use self::error::ActError;
pub use self::frame::Frame;
pub use self::locate::{BoundingBox, Located, Missed, Tried};
pub use self::refs::{Ref, Refs, Stale};
pub use self::url_glob::{NotAGlob, UrlGlob};
pub use self::wait::Awaited;
pub use self::wanted::{Kind, Wanted};
