//! The accessibility tree as text: what an agent reads of a page (SESSIONS.md, Snapshot).

mod node;

pub use self::node::{Node, State};
