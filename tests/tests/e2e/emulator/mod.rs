//! The emulator: its API, browsers, faults and ledger, as a client sees them.

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
