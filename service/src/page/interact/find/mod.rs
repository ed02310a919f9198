//! Finding the element that a caller names.
//!
//! `wanted` is what the caller says of it, `search` looks through all documents at once, `locate` looks until the element is as it
//! must be, `wait` until it has come or gone (`url_glob`: or until the page is at a URL).

mod locate;
mod search;
mod url_glob;
mod wait;
mod wanted;

pub use self::locate::{Located, Missed, Tried};
pub use self::url_glob::{NotAGlob, UrlGlob};
pub use self::wait::Awaited;
pub use self::wanted::{Doing, Wanted};
