//! The sandbox service: a guarded browser behind owner tokens.
//!
//! A request passes these modules in order: `http` checks the token, `guard` judges the URL, `admission` grants a
//! permit, `provider` leases a page, `page` navigates, settles and captures, the lease ends. No step calls back to an
//! earlier one.

pub mod admission;
pub mod cdp;
pub mod check_url;
pub mod guard;
pub mod health;
pub mod http;
pub mod net_error;
pub mod operation;
pub mod owner_token;
pub mod page;
pub mod provider;
pub mod server;
pub mod session;
pub mod settings;
pub mod telemetry;
