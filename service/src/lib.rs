//! The sandbox service: a guarded browser behind owner tokens.
//!
//! ARCHITECTURE.md shows the way of a request and lists the modules in the order of their imports: a module uses those
//! below it, never one above.

pub mod admission;
pub mod cdp;
pub mod check_url;
pub mod guard;
pub mod health;
pub mod http;
mod memory;
pub mod net_error;
pub mod operation;
pub mod owner_token;
pub mod page;
pub mod provider;
pub mod server;
pub mod session;
pub mod settings;
pub mod telemetry;
