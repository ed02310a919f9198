//! Acting on elements of a page, below the session: the real service's page in a real Chromium, on local sites.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

mod clicks;
mod drags;
mod fields;
mod focus;
mod frames;
mod keys;
mod scene;
mod settles;
mod strays;
