//! Runs the `porthole` command as a person or a script would, with pipes, against a scripted worker.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod metrics;
mod person;
mod sandboxes;
#[path = "../../../client/tests/scripted/mod.rs"]
mod scripted;
mod sessions;
mod settings;
