//! What an agent does with a page: sees it, finds an element, acts on it.
//!
//! `frame` is a frame with our kit in it (`script/interact`), `element` an element of one, `refs` the numbers that agents
//! know elements by. `actionable` waits until an element can be acted on, `quiet` (`began`, `settle`) until the page has
//! settled after it; between the two stand `pointer`, `keys` (`chord` and `layout`: their names), `fields`, `choices`,
//! `drag`, `upload` and `scroll`. Knows nothing of sessions, tabs or the wire.

mod acted;
mod actionable;
mod began;
mod choices;
mod chord;
mod drag;
mod element;
mod error;
mod fields;
mod frame;
mod keys;
mod layout;
mod pointer;
mod quiet;
mod refs;
mod scroll;
mod settle;
mod upload;

pub use self::acted::{Acted, BoundingBox, How, Method, Point, Settled, Terms, Typed};
pub use self::chord::{Chord, Modifiers, NotAKey};
pub use self::drag::Drop;
pub use self::element::Element;
pub use self::error::ActError;
pub use self::fields::Typing;
pub use self::frame::Frame;
pub use self::keys::Clipboard;
pub use self::pointer::{Button, Click};
pub use self::refs::{Ref, Refs, Stale};
pub use self::scroll::{Direction, End, Scroll};
pub use self::upload::File;
