//! Watches a page: reads the events of its target sessions and keeps its state.
//!
//! `watchers` runs one reader for each target session. `documents` handles events of the page and its main document,
//! `requests` judges paused requests, `answers` judges where responses came from; `state` is the page's state,
//! `events` the browser's events as parsed, `barrier` waits until all events that have arrived are handled, `stopping` stops
//! navigations to refused targets, `network_use` has requests reported, `withheld` leaves a page that had an answer from a
//! refused address, `late` finds a document that was not reported.

mod answers;
mod barrier;
mod documents;
mod events;
mod late;
mod network_use;
mod requests;
mod shared;
mod state;
mod stopping;
mod watchers;
mod withheld;

pub use self::state::{BLANK, Dialog};
pub(super) use self::{
    barrier::{EventBarrier, catch_up},
    late::{find_document, find_first_document},
    network_use::{NetworkOn, NetworkUse, network},
    shared::Watched,
    state::{Fatal, PageState, Stop},
    stopping::stop_refused,
    watchers::watch_page,
    withheld::leave_withheld,
};
