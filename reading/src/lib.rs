//! Reads a page's snapshot: text, articles, Markdown, HTML, tables, links, values.
//!
//! Pure: no I/O, no async, no clock. What comes in was written down by a function of ours inside a page that may be
//! hostile, so all of it is bounded and nothing of it is trusted to fit together.

pub mod article;
pub mod clean;
pub mod cut;
pub mod dom;
pub mod frames;
pub mod html;
pub mod images;
pub mod links;
pub mod map;
pub mod markdown;
pub mod metadata;
pub mod outcome;
pub mod snapshot;
pub mod table;
pub mod values;
pub mod view;
pub mod walls;
