//! Processes: how they start, what they log and print, and that they leave nothing behind, however they end.

mod check_url;
mod command_line;
mod crashes;
mod drains;
mod endings;
mod frames;
mod metrics;
mod readiness;
mod recycling;
mod secrets;
mod settings;
mod spare;
mod starts;
mod traces;
mod warm;
