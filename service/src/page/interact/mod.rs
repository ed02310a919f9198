//! What an agent does with a page: sees it, finds an element, acts on it.
//!
//! `frame` is a frame with our kit in it (`script/interact`), `element` an element of one, `refs` the numbers that agents
//! know elements by. Knows nothing of sessions, tabs or the wire.

mod element;
mod error;
mod frame;
mod refs;

pub use self::element::Element;
pub use self::error::ActError;
pub use self::frame::Frame;
pub use self::refs::{Ref, Refs, Stale};
