//! A page that outlives its navigations, the basis of a session, with each of the three providers in a real Chromium.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

#[path = "../interact/local.rs"]
mod local;
mod scene;
mod travels;
