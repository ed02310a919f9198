//! What is known of a page, as its events tell it.

use std::collections::HashMap;

use crate::cdp::Session;
use crate::guard::Refusal;

/// What is known of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct PageState {
    /// The URL that the main frame's document was last asked for under.
    pub asked_for: String,
    /// The main frame's document.
    pub document: Document,
    /// Whether the browser was told to report no more of what its network does.
    pub network_is_silent: bool,
    /// Why the page can't go on.
    pub fatal: Option<Fatal>,
    /// How many of its own requests were refused.
    pub blocked_requests: u64,
    /// The main document's isolated world, once it is known.
    pub world: Option<i64>,
    /// The sessions of its frames in processes of their own, by the frames' ids.
    pub parts: HashMap<String, Session>,
    /// Whether it has started workers, whose time is the real one.
    pub has_workers: bool,
    /// How often a budget of virtual time has come to its end.
    pub budgets_expired: u64,
}

/// Why a page can't go on.
#[derive(Clone, Debug)]
pub(super) enum Fatal {
    /// Its document went to a target that is refused.
    Blocked(Refusal),
    /// Its renderer died.
    Crashed,
    /// Its browser, or the connection to it, is gone.
    Gone,
}

/// The main frame's document.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    /// The navigation that brought it; empty before the first.
    pub loader: String,
    /// Its URL.
    pub url: String,
    /// What its server answered.
    pub status: Option<u16>,
    /// Why it could not be loaded: the `net::` name. The browser shows a page of its own then.
    pub failure: Option<String>,
    /// Whether its answer is one that our own egress made: no page of anybody's.
    pub made_by_egress: bool,
    /// Whether its loading broke off.
    pub broken: bool,
    /// Whether its renderer was told to report it only after it had come: what came before is not known.
    pub missed: bool,
    /// Whether it is parsed.
    pub dom_content_loaded: bool,
    /// Whether it and what it names is loaded.
    pub loaded: bool,
    /// Whether it has made no request for 500 ms.
    pub network_idle: bool,
    /// The navigation that is under way to replace it, if any.
    pub replacing: Option<String>,
}

/// What a server, or the network, said to a navigation whose document may not be there yet.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The server's status.
    Status(u16),
    /// The `net::` name.
    Failure(String),
}

/// Outcomes by navigation. A page can begin as many navigations as it likes; the last few are enough.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcomes(Vec<(String, Outcome)>);

const OUTCOMES_KEPT: usize = 8;

impl Outcomes {
    pub(super) fn note(&mut self, loader: &str, outcome: Outcome) {
        if self.0.len() == OUTCOMES_KEPT {
            self.0.remove(0);
        }
        self.0.push((loader.to_owned(), outcome));
    }

    /// The server's status.
    pub(super) fn status(&self, loader: &str) -> Option<u16> {
        self.0.iter().rev().find_map(|(noted, outcome)| match outcome {
            Outcome::Status(status) if noted == loader => Some(*status),
            _ => None,
        })
    }

    pub(super) fn failure(&self, loader: &str) -> Option<&str> {
        self.0.iter().rev().find_map(|(noted, outcome)| match outcome {
            Outcome::Failure(name) if noted == loader => Some(name.as_str()),
            _ => None,
        })
    }
}

impl Document {
    /// Whether nothing is about to replace this document.
    pub(super) fn stays(&self) -> bool {
        self.replacing.as_ref().is_none_or(|loader| *loader == self.loader)
    }
}
