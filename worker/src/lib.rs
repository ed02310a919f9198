//! The worker: the edge proxy that chat apps, mobile clients and scripts call.
//!
//! It checks the caller (origin, key, rate), puts the operator's credentials into the body, forwards the request to the
//! sandbox service and streams the answer back. It passes live views' WebSockets on as bytes, and serves the Model Context
//! Protocol. Of a request's fields it knows only the session's handle, by which it chooses the service's replica; it knows
//! no browser, and stores nothing.

mod callers;
mod cors;
mod forward;
mod inject;
mod mcp;
mod readiness;
mod replicas;
mod routes;
pub mod server;
mod service_error;
pub mod settings;
mod shared;
mod tool_calls;
mod tools;
mod tunnel;
mod web;

pub use self::replicas::{Resolver, system_resolver};
