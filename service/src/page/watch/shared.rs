//! State shared by the watchers of one page.

use tokio::sync::watch;

use super::barrier::EventBarrier;
use super::network_use::NetworkUse;
use super::state::{Fatal, PageState};
use crate::guard::{Intercept, Network, PageGuard, Refusal};
use crate::page::Identity;
use crate::provider::{DownloadReports, Popups, Purpose};
use crate::telemetry::BlockedMetrics;

/// What the watchers of one page share. Clones share the state.
#[derive(Clone)]
pub(in super::super) struct Watched {
    pub main_frame: String,
    pub purpose: Purpose,
    /// Given to the page's frames in other processes and to its workers too.
    pub identity: Identity,
    pub guard: PageGuard,
    pub blocked: BlockedMetrics,
    pub network: Network,
    pub state: watch::Sender<PageState>,
    pub barrier: EventBarrier,
    pub network_use: NetworkUse,
    /// Where the page and its frames report the downloads that they begin.
    pub downloads: Option<DownloadReports>,
}

impl Watched {
    /// Whether the requests of the whole browser are intercepted, since it serves this page alone.
    pub(super) fn intercepts_browser(&self) -> bool {
        self.network.remote().is_some_and(|remote| remote.whole_browser)
    }

    /// Whether the page is one of several in a remote browser.
    pub(super) fn is_guest(&self) -> bool {
        self.network.remote().is_some_and(|remote| !remote.whole_browser)
    }

    /// Whether every request is paused and judged.
    pub(super) fn intercepts_everything(&self) -> bool {
        self.network.remote().is_some_and(|remote| remote.intercept == Intercept::Everything)
    }

    /// Whether popups that the page opens are kept.
    pub(super) fn adopts_popups(&self) -> bool {
        self.purpose.popups() == Popups::Adopt
    }

    /// Counts a refused request.
    pub(super) fn count(&self, refusal: &Refusal) {
        self.blocked.blocked(refusal.label(), 1);
        self.state.send_modify(|state| state.blocked_requests += 1);
    }

    /// Records that the main frame's document was refused; the first refusal of a navigation is kept.
    pub(super) fn refuse(&self, refusal: Refusal) {
        self.state.send_modify(|state| {
            state.refused.get_or_insert(refusal);
        });
    }

    /// Records that the page had an answer from a refused target: what it shows is withheld.
    pub(super) fn withhold(&self, refusal: Refusal) {
        self.state.send_modify(|state| {
            state.withheld.get_or_insert_with(|| refusal.clone());
            state.refused.get_or_insert(refusal);
        });
    }

    /// Records that the page has died; the first cause is kept.
    pub(super) fn fail(&self, fatal: Fatal) {
        self.state.send_modify(|state| {
            state.fatal.get_or_insert(fatal);
        });
    }
}
