//! Requests: invalid ones are refused with their error code and an explanation, and owner tokens are verified.

mod bodies;
mod documents;
mod memory;
mod protocol;
mod targets;
mod tokens;
