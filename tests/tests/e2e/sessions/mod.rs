//! Sessions, in which a browser stays between calls.

#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod command_line;
mod replicas;
