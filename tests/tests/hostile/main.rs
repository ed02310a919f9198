//! The hostile site: every way out of a page that we know of, with canaries where it leads. What counts is what they
//! hear.
#![expect(clippy::unwrap_used, reason = "tests")]

mod canary;
mod doors;
mod foreign;
mod hearing;
mod isolation;
mod names;
mod namespace;
mod packets;
mod scene;
mod schemes;
mod second_wall;
mod service;
mod silence;
mod tls;
mod visit;
mod ways;
