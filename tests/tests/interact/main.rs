//! What an agent and a person do with a page, below the session: `Page` against a real Chromium. One binary, since it is linked once.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a step that fails is the test that fails")]

mod act;
mod attacks;
mod held_page;
mod input;
mod local;
mod locate;
mod playwright;
mod shared_browser;
mod snapshots;
mod warned;
