//! The emulator: its API as a stranger sees it, its browsers, its faults, its ledger.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

mod api;
mod calls;
mod client;
mod endings;
mod faults;
mod limits;
mod process;
mod reach;
mod starts;
mod tls;
