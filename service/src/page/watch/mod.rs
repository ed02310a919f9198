//! Watches a page: reads the events of its target sessions and keeps its state.
//!
//! `watchers` runs one reader for each target session. `documents` handles events of the page and its main document,
//! `requests` judges paused requests, `answers` judges where responses came from; `state` is the page's state,
//! `events` the browser's events as parsed, `barrier` waits until all events that have arrived are handled.

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
