//! The worker: the edge proxy that chat apps, mobile clients and scripts call.
//!
//! It judges who calls (origin, key, rate), puts the operator's credentials into the body, forwards to the sandbox
//! service and streams the answer back; a WebSocket it passes through a tunnel. It knows no route's fields and no browser, and remembers nothing.

mod callers;
mod cors;
mod forward;
mod inject;
mod readiness;
mod routes;
pub mod server;
pub mod settings;
mod tunnel;

pub use self::tunnel::Tunnel;
