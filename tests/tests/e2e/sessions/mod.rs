//! Sessions: an agent opens a page, sees it, acts on it.

#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod acts;
mod apps;
mod command_line;
mod components;
mod console;
mod lives;
mod outcomes;
mod replicas;
mod stuck;
mod tabs;
mod waits;
