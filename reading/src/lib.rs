//! Reads a page's snapshot: text, articles, Markdown, HTML, tables, links, values.
//!
//! Pure: no I/O, no async, no clock. Our page function writes the snapshot inside a page that may be hostile, so its
//! size is bounded and its consistency is never assumed. The peak memory of one reading is at most
//! [`PEAK_PER_SNAPSHOT_BYTE`] × the snapshot's JSON plus [`PEAK_MAX_BYTES`]; `tests/memory.rs` measures it.

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

/// Peak memory of a reading for each byte of its snapshot's JSON. See [`PEAK_MAX_BYTES`].
pub const PEAK_PER_SNAPSHOT_BYTE: usize = 5;
/// Peak memory of a reading beyond [`PEAK_PER_SNAPSHOT_BYTE`] × its snapshot, in bytes, for any page and directives:
/// unfinished answers, text that is read again, table places.
pub const PEAK_MAX_BYTES: usize = 96 * 1024 * 1024;
