//! A page that outlives its navigations, by each of the three providers, in a real Chromium: what a session is built on.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

mod scene;
mod travels;
