//! The worker over real sockets, in front of a scripted service.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

mod bodies;
mod callers;
mod forwarding;
mod harness;
mod health;
mod process;
mod replicas;
mod sessions;
mod tools;
mod tunnels;
