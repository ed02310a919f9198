//! Defaults that depend on the machine.

use std::thread;

use porthole_contract::limits::SESSIONS_PER_CORE;

/// How many requests are worked on at once, unless settings say otherwise.
pub(super) fn permits() -> usize {
    2 * cores()
}

/// How many sessions there are, and browsers for them, unless settings say otherwise.
pub(super) fn sessions() -> usize {
    SESSIONS_PER_CORE * cores()
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
