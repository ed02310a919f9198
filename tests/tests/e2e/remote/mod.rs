//! Pages of remote browsers: Browserbase's, which the emulator imitates with a real Chromium for each session, and
//! those of any other DevTools endpoint.
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
pub(crate) mod sessions;
mod warm;
