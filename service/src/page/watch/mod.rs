//! Watching a page: its sessions' events, and what is known of it through them.
//!
//! `watchers` runs one reader for each session. `documents` handles what concerns the page and its main document,
//! `requests` judges requests that are paused, `answers` judges where answers came from; `state` is what is known,
//! `events` the browser's events as they are read, `barrier` waits until all that has arrived is read.

mod answers;
mod barrier;
mod documents;
mod events;
mod requests;
mod shared;
mod state;
mod watchers;

pub use self::state::Dialog;
pub(super) use self::{
    barrier::{EventBarrier, catch_up},
    shared::Watched,
    state::{Fatal, PageState, Stop},
    watchers::{network, watch_page},
};
