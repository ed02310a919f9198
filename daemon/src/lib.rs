//! Code shared by Porthole's server processes: settings, logs, listener, answers, metrics, traces, drain.
//!
//! Worker, service and emulator are built on this crate. It depends on the contract only: it contains nothing about
//! forwarding, browsers or targets.

pub mod admin;
pub mod answer;
pub mod bearer;
pub mod body;
pub mod body_room;
mod causes;
pub mod client_network;
mod drain;
mod exposition;
pub mod layers;
pub mod listen;
pub mod logs;
pub mod loopback;
pub mod origin;
pub mod pace;
pub mod process_metrics;
pub mod request_id;
pub mod requests;
mod runtime;
pub mod settings;
pub mod shutdown;
pub mod signals;
pub mod trace;
pub mod web_pages;
pub mod websocket;

pub use self::runtime::runtime;
