//! The `porthole` command as a person or a script runs it: a scripted worker on one side, pipes on the other.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod metrics;
mod person;
mod sandboxes;
#[path = "../../../client/tests/scripted/mod.rs"]
mod scripted;
mod settings;
