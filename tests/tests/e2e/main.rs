//! The end-to-end tests: real processes, a real browser, a site of their own; one binary, so that it is linked once and
//! its tests keep all processors busy until the last.
//!
//! A test belongs here unless it measures time tightly (`tests/timed/`), waits for alerts (`tests/alerts/`) or loads the
//! machine for a minute (`tests/soak.rs`): those run when no other test does.

mod callers;
mod emulator;
mod examples;
mod pages;
mod pictures;
mod processes;
mod remote;
mod requests;
