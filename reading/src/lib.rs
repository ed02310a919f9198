//! Reads a page's snapshot: text, articles, Markdown, HTML, tables, links, values.
//!
//! Pure: no I/O, no async, no clock. What comes in was written down by a function of ours inside a page that may be
//! hostile, so all of it is bounded and nothing of it is trusted to fit together. What one reading holds at once is at
//! most [`PEAK_PER_SNAPSHOT_BYTE`] times its snapshot's JSON and [`PEAK_MAX_BYTES`] more; a test measures it.

pub mod article;
pub mod budget;
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
pub mod schema;
pub mod snapshot;
pub mod table;
pub mod tree;
pub mod values;
pub mod view;
pub mod walls;

/// What a reading holds at once, for each byte of its snapshot's JSON. See [`PEAK_MAX_BYTES`].
pub const PEAK_PER_SNAPSHOT_BYTE: usize = 5;
/// What a reading holds at once beside [`PEAK_PER_SNAPSHOT_BYTE`] × its snapshot, in bytes, whatever the page and the
/// directives are: answers in the making, what is read again, tables' places.
pub const PEAK_MAX_BYTES: usize = 96 * 1024 * 1024;
