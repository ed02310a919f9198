//! Browserbase's REST API over Chromium on this machine, with faults on demand and a ledger of every session: for tests
//! of code that uses Browserbase, without the network and without a bill.
//!
//! Every session is a browser process of its own. The emulation follows Browserbase's SDKs, API description and
//! documentation; this crate knows nothing of Porthole's service.

mod browser;
mod connection;
mod faults;
mod http;
mod keys;
mod ledger;
mod listen;
pub mod server;
mod session;
pub mod settings;
mod tls;
