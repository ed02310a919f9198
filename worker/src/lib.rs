//! The worker: the edge proxy that chat apps, mobile clients and scripts call.
//!
//! It judges who calls (origin, key, rate), puts the operator's credentials into the body, forwards to the sandbox
//! service and streams the answer back. It knows no route's fields and no browser, and remembers nothing.

mod callers;
mod forward;
mod inject;
mod origin;
mod readiness;
mod routes;
pub mod server;
pub mod settings;
