//! The hostile site: every known way out of a page, with canaries at the forbidden targets. The tests pass if nothing
//! reaches the canaries.
#![expect(clippy::unwrap_used, reason = "tests")]

mod canary;
mod doors;
mod foreign;
mod hearing;
mod isolation;
mod lent;
mod names;
mod namespace;
mod packets;
mod redirects;
mod scene;
mod schemes;
mod second_wall;
mod service;
mod silence;
mod tls;
mod visit;
mod ways;
