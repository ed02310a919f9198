//! What Porthole's server processes do alike: settings, logs, listening, answering, counting, ending.
//!
//! Worker and service are built on this crate so that neither is written twice. It knows the contract and neither of
//! them: nothing about forwarding, browsers or targets lives here.

pub mod admin;
pub mod answer;
pub mod bearer;
pub mod body;
pub mod client_network;
mod drain;
mod exposition;
pub mod layers;
pub mod listen;
pub mod logs;
pub mod origin;
pub mod process_metrics;
pub mod request_id;
pub mod requests;
mod runtime;
pub mod settings;
pub mod shutdown;
pub mod signals;
pub mod trace;
pub mod web_pages;

pub use self::runtime::runtime;
