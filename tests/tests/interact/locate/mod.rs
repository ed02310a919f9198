//! Locating elements by what a person would name, waiting for them, and acting on them in the page, in a real Chromium.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

mod kinds;
mod places;
mod scene;
mod waiting;
