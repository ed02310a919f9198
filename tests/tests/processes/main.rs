//! Processes: how they start, what they say, and that they leave nothing behind, however they end.

mod check_url;
mod command_line;
mod crashes;
mod endings;
mod metrics;
mod secrets;
mod settings;
mod traces;
mod warm;
