//! What an agent does with a page, in a real Chromium: what it sees, finds and acts upon.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

mod scene;
mod snapshot;
