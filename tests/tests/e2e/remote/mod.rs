//! Pages of remote browsers: Browserbase's, played by the emulator with a real Chromium for each session, and those of
//! any other endpoint of the DevTools protocol.
#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod endings;
mod endpoint;
mod faults;
mod guard;
mod line;
mod ordinary;
mod partial;
mod round_trips;
mod secrets;
mod warm;
