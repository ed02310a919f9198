//! Models' tool calls, over `tools/run` and the command line, against a real browser.

#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod command_line;
mod hostile;
mod messages;
