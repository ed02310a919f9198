//! The state of a page, as known from its events.

use std::collections::{HashMap, VecDeque};

use porthole_contract::session::DialogKind;

use crate::cdp::Session;
use crate::guard::Refusal;
use crate::net_error::NetError;

/// Longest dialog message, and longest default answer of a prompt, that is kept, in characters.
const DIALOG_MAX_CHARS: usize = 2_000;
/// The URL of a window that shows nothing yet.
pub const BLANK: &str = "about:blank";
/// How many navigations are remembered with their outcome. A page can begin any number of them; the last few suffice.
const OUTCOMES_KEPT: usize = 8;
/// How many of the latest documents are remembered, by loader id.
const LOADERS_KEPT: usize = 32;

/// The state of a page, as known from its events.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct PageState {
    /// The URL of the latest commanded navigation, which is judged already.
    pub commanded: Option<String>,
    /// Whether a commanded navigation is under way.
    pub is_navigating: bool,
    /// The latest URL that was requested for the main frame's document.
    pub asked_for: String,
    /// The main frame's document.
    pub document: Document,
    /// The loader ids of the latest documents, oldest first.
    loaders: VecDeque<String>,
    /// How many documents have arrived in the main frame.
    pub arrivals: u64,
    /// How many navigations stayed within their document: fragments, `pushState`, history.
    pub within_document: u64,
    /// The refusal of a document of the main frame, since the last commanded navigation.
    pub refused: Option<Refusal>,
    /// Why what the page shows is withheld, until it has left for a blank document or a commanded one.
    pub withheld: Option<Refusal>,
    /// Why the latest navigation of the main frame was stopped before it left the document, since the last commanded one.
    pub stopped: Option<Refusal>,
    /// How many navigations were.
    pub stops: u64,
    /// Whether the first navigation of a window was stopped, and no answer has said so yet.
    pub is_stop_untold: bool,
    /// Why the page has died.
    pub fatal: Option<Fatal>,
    /// How often its renderer has died.
    pub crashes: u64,
    /// The dialog that holds the page, where dialogs are reported.
    pub dialog: Option<Dialog>,
    /// How many dialogs have held the page, the present one included: one may follow another that says the same.
    pub dialogs: u64,
    /// How many of the page's own requests were refused.
    pub blocked_requests: u64,
    /// The main document's isolated world, once it is known.
    pub world: Option<i64>,
    /// The target sessions of its frames in processes of their own, by frame id.
    pub parts: HashMap<String, Session>,
    /// Whether the browser has yet to confirm a script that its documents must not run without.
    pub lacks_script: bool,
    /// Whether it has started workers, which always run in real time.
    pub has_workers: bool,
    /// How often a budget of virtual time has been used up.
    pub budgets_expired: u64,
}

/// Why a page has died.
#[derive(Clone, Debug)]
pub(in super::super) enum Fatal {
    /// Its renderer died. On a local network the next navigation starts another.
    Crashed,
    /// It sent more events than a page of a shared browser may.
    Flooded,
    /// Its browser, or the connection to it, is gone.
    Gone,
}

/// Why the work on a page stops.
#[derive(Clone, Debug)]
pub(in super::super) enum Stop {
    /// Its document was refused.
    Refused(Refusal),
    /// It has died.
    Dead(Fatal),
}

/// A dialog that holds a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text, cut at 2 000 characters.
    pub message: String,
    /// The answer that a prompt suggests, cut at 2 000 characters.
    pub default: String,
}

/// The main frame's document.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Document {
    /// The loader id of the navigation that brought it; empty before the first.
    pub loader: String,
    /// Its URL.
    pub url: String,
    /// The status of its server's answer.
    pub status: Option<u16>,
    /// Why it could not be loaded. The browser shows an error page of its own then.
    pub failure: Option<NetError>,
    /// Whether its answer is the egress's own: the site never answered.
    pub made_by_egress: bool,
    /// Whether its loading broke off.
    pub broken: bool,
    /// Whether its loading ended before it was parsed. It may have no element then, and gets none.
    pub ended_early: bool,
    /// Whether its renderer reported it only after it had arrived: earlier events are unknown.
    pub missed: bool,
    /// Whether it is parsed.
    pub dom_content_loaded: bool,
    /// Whether it and its subresources are loaded.
    pub loaded: bool,
    /// Whether it has made no request for 500 ms.
    pub network_idle: bool,
    /// The navigation that is under way to replace it, if any.
    pub replacing: Option<String>,
}

/// The outcome of a navigation whose document may not have arrived yet.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The status of the server's answer.
    Status(u16),
    /// Why it could not be loaded.
    Failure(NetError),
}

/// Outcomes by loader id.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcomes(VecDeque<(String, Outcome)>);

// === impl PageState ===

impl PageState {
    /// Returns why the work on the page stops, if it does.
    pub(in super::super) fn stop(&self) -> Option<Stop> {
        let refused = self.refused.clone().map(Stop::Refused);
        refused.or_else(|| self.fatal.clone().map(Stop::Dead))
    }

    /// Whether nothing but a blank document was there.
    pub(in super::super) fn has_shown_nothing(&self) -> bool {
        self.document.url.is_empty() || (self.arrivals <= 1 && self.document.url == BLANK)
    }

    /// Begins a commanded navigation, and drops the refusal of the one before. `commanded` is its URL, if that is
    /// judged already. It starts another renderer where that has crashed.
    pub(in super::super) fn begin_navigation(&mut self, commanded: Option<String>) {
        self.commanded = commanded;
        self.is_navigating = true;
        (self.refused, self.stopped, self.withheld) = (None, None, None);
        if matches!(self.fatal, Some(Fatal::Crashed)) {
            self.fatal = None;
        }
    }

    /// Records that a navigation to a refused target is stopped.
    pub(super) fn stop_navigation(&mut self, refusal: Refusal) {
        self.stopped = Some(refusal);
        self.stops += 1;
        self.document.replacing = None;
        self.is_stop_untold = self.has_shown_nothing();
        if self.is_stop_untold {
            // The browser reports nothing of the blank document that a window begins with.
            (self.document.dom_content_loaded, self.document.loaded) = (true, true);
        }
    }

    /// Records that a document has arrived in the main frame.
    pub(super) fn arrive(&mut self, document: Document) {
        if document.url == BLANK {
            self.withheld = None;
        }
        if self.document.loader != document.loader {
            self.arrivals += 1;
            if self.loaders.len() == LOADERS_KEPT {
                self.loaders.pop_front();
            }
            self.loaders.push_back(document.loader.clone());
        }
        self.document = document;
    }

    /// Whether this navigation's document has arrived, even if another has replaced it since.
    pub(in super::super) fn has_arrived(&self, loader: &str) -> bool {
        self.loaders.iter().any(|arrived| arrived == loader)
    }

    /// Records that the renderer died, and with it the world and the dialog.
    pub(super) fn crash(&mut self) {
        self.fatal.get_or_insert(Fatal::Crashed);
        self.crashes += 1;
        (self.world, self.dialog) = (None, None);
    }
}

// === impl Document ===

impl Document {
    /// Whether no navigation is about to replace this document.
    pub(in super::super) fn stays(&self) -> bool {
        self.replacing.as_ref().is_none_or(|loader| *loader == self.loader)
    }

    /// Whether it is usable: it is parsed, or no more of it will arrive.
    pub(in super::super) fn is_parsed(&self) -> bool {
        self.dom_content_loaded || self.broken
    }
}

// === impl Dialog ===

impl Dialog {
    pub(super) fn new(kind: String, message: &str, default: &str) -> Self {
        let cut = |text: &str| text.chars().take(DIALOG_MAX_CHARS).collect();
        Self { kind, message: cut(message), default: cut(default) }
    }

    /// Its kind on the wire.
    #[must_use]
    pub fn wire_kind(&self) -> DialogKind {
        match self.kind.as_str() {
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::BeforeUnload,
            _ => DialogKind::Alert,
        }
    }
}

// === impl Outcomes ===

impl Outcomes {
    pub(super) fn note(&mut self, loader: &str, outcome: Outcome) {
        if self.0.len() == OUTCOMES_KEPT {
            self.0.pop_front();
        }
        self.0.push_back((loader.to_owned(), outcome));
    }

    /// The status of the server's answer.
    pub(super) fn status(&self, loader: &str) -> Option<u16> {
        self.0.iter().rev().find_map(|(noted, outcome)| match outcome {
            Outcome::Status(status) if noted == loader => Some(*status),
            _ => None,
        })
    }

    /// Why it could not be loaded.
    pub(super) fn failure(&self, loader: &str) -> Option<&NetError> {
        self.0.iter().rev().find_map(|(noted, outcome)| match outcome {
            Outcome::Failure(error) if noted == loader => Some(error),
            _ => None,
        })
    }
}
