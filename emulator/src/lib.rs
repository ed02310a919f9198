//! Browserbase's REST API over Chromium on this machine, with faults on demand and a ledger of what became of every
//! session: for whoever tests code that uses Browserbase, without the network and without a bill.
//!
//! Every session is a browser process of its own. What this crate knows of Browserbase is what its SDKs, its API
//! description and its documents say; it knows nothing of Porthole's service.

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
