//! The Model Context Protocol, over stdio and streamable HTTP, for any way to run a tool.
//!
//! [`Server`] answers `tools/list` and `tools/call` with the tools of `porthole-tools`; a [`Runner`](porthole_tools::Runner)
//! sends the calls. The revisions 2026-07-28 and 2025-11-25 are served, both through rmcp. No browser, no HTTP client and
//! no listener here: [`Endpoint`] takes requests whose caller is authenticated and whose body is read.

mod connection;
mod http;
mod progress;
mod server;
mod stdio;
mod toolset;

pub use self::connection::Connection;
pub use self::http::{BODY_MAX_BYTES, Endpoint, Reply, ended_reply};
pub use self::server::{Server, close_sessions};
pub use self::stdio::{serve, serve_stdio};
pub use self::toolset::{Toolset, UnknownTool};
