//! The accessibility tree as text: what an agent reads of a page.
//!
//! `node` is what the page's functions found. `fold`, `fit` and `end` leave out what there is no room for, by `options`.
//! `text` writes lines, `changes` the lines that differ from an earlier tree's. Names and texts are the page's, so none may
//! look like a line of ours.

mod alike;
mod changes;
mod cuts;
mod end;
mod fit;
mod fold;
mod node;
mod options;
mod text;

pub use self::alike::{ALIKE_MAX, ALIKE_SHOWN};
pub use self::changes::changes;
pub use self::fold::fold;
pub use self::node::{Node, Rest, State};
pub use self::options::Options;
pub use self::text::{Tree, write};
