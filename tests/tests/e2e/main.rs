//! The end-to-end tests, with real processes, a real browser and a local test site. They are one binary: it is linked
//! once, and its tests keep all processors busy until the last one.
//!
//! A test belongs here unless it has tight time bounds (`tests/timed/`), waits for alerts (`tests/alerts/`) or loads
//! the machine for half a minute (`tests/soak.rs`): those run when no other test does.

mod callers;
mod emulator;
mod examples;
mod holding;
mod live;
mod mcp;
mod pages;
mod pictures;
mod processes;
mod remote;
mod requests;
mod sessions;
mod tools;
