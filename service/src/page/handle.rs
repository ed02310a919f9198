//! The handle of an open page: what it is made of, and how an answer of the browser is awaited.
//!
//! The other files of `page` add their operations to it and are not known here.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use porthole_contract::Viewport;
use tokio::sync::watch::{Receiver, Sender};
use tokio::time::{Instant, timeout, timeout_at};

use super::PageError;
use super::captures_beyond::CapturesBeyond;
use super::frame_control::FrameControl;
use super::input::Sharing;
use super::interact::LatestDocument;
use super::watch::{EventBarrier, Fatal, NetworkUse, PageState, Stop};
use crate::cdp::{CdpError, Session};
use crate::guard::{Network, OnRefusal, PageGuard, Refusal};
use crate::provider::Purpose;

/// An open page. It outlives its documents: it can be navigated again, even after a failed or refused navigation or a
/// renderer crash. The lease owns the page and its watchers.
pub struct Page {
    pub(super) session: Session,
    pub(super) main_frame: String,
    pub(super) purpose: Purpose,
    /// The sending side of `state`, shared with the watchers; updated for navigations that we begin ourselves.
    pub(super) known: Sender<PageState>,
    pub(super) state: Receiver<PageState>,
    pub(super) viewport: Viewport,
    pub(super) guard: PageGuard,
    pub(super) network: Network,
    /// The state for drawing by `begin_frame`; `None` if the page draws by itself.
    pub(super) frame_control: Option<FrameControl>,
    pub(super) barrier: EventBarrier,
    pub(super) latest_document: LatestDocument,
    pub(super) network_use: NetworkUse,
    /// Until when what an action began is waited for, where its own limits are later.
    pub(super) settles_by: Mutex<Option<Instant>>,
    /// What the guard tells refused targets, of a local session's page.
    pub(super) stops_refused: Option<Arc<OnRefusal>>,
    /// Whether an action has moved the pointer over the page.
    pub(super) has_pointer: AtomicBool,
    /// The pictures of more than the viewport.
    pub(super) captures_beyond: CapturesBeyond,
    /// How a person, through a viewer, and an agent share it.
    pub(super) sharing: Sharing,
}

impl Page {
    /// Refuses a URL whose host the page may not reach by its session's own list, before anyone is asked about it.
    ///
    /// # Errors
    /// [`Refusal`], also for what is not a URL.
    pub fn judge_host(&self, url: &str) -> Result<(), Refusal> {
        self.guard.judge_host(url)
    }

    /// Takes the refusal of a document that the page navigated to by itself, if any. Until it is taken, or the page
    /// is navigated, all work on the page fails with it.
    pub fn take_refusal(&self) -> Option<Refusal> {
        let mut refusal = None;
        self.known.send_if_modified(|state| {
            refusal = state.refused.take();
            refusal.is_some()
        });
        refusal
    }

    /// Returns, once, why a window shows nothing: a page opened it with a target that is refused.
    pub fn take_empty_window(&self) -> Option<Refusal> {
        let mut refusal = None;
        self.known.send_if_modified(|state| {
            let is_untold = std::mem::take(&mut state.is_stop_untold);
            refusal = state.stopped.clone().filter(|_| is_untold);
            is_untold
        });
        refusal
    }

    /// Returns why what the page shows is withheld: in a remote browser an answer came from a refused address.
    pub fn withheld(&self) -> Option<Refusal> {
        self.state.borrow().withheld.clone()
    }

    /// Has actions from now on wait for what they began until `deadline` at most: their caller waits no longer.
    pub fn settles_by(&self, deadline: Instant) {
        *self.settles_by.lock().unwrap_or_else(PoisonError::into_inner) = Some(deadline);
    }

    /// The earlier of `limit` and what [`Page::settles_by`] was told last.
    pub(super) fn settles_until(&self, limit: Instant) -> Instant {
        let by = *self.settles_by.lock().unwrap_or_else(PoisonError::into_inner);
        by.map_or(limit, |by| by.min(limit))
    }

    /// Awaits an answer for at most `limit`. Fails early if the page is refused or dies.
    pub(super) async fn within<T>(
        &self,
        limit: Duration,
        what: &'static str,
        answer: impl Future<Output = Result<T, CdpError>>,
    ) -> Result<T, PageError> {
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            answer = timeout(limit, answer) => Ok(answer.map_err(|_| self.ran_out(what))??),
        }
    }

    fn ran_out(&self, what: &'static str) -> PageError {
        if self.is_leaving() { PageError::Leaving } else { PageError::TimedOut(what) }
    }

    /// Waits until the page's document is refused or the page dies, and returns which.
    pub(super) async fn stop(&self) -> Stop {
        let mut state = self.state.clone();
        match state.wait_for(|state| state.stop().is_some()).await {
            Ok(state) => state.stop().unwrap_or(Stop::Dead(Fatal::Gone)),
            Err(_) => Stop::Dead(Fatal::Gone),
        }
    }

    /// Whether the page is leaving for another document. Then it answers nothing: the browser passes nothing on to it
    /// until the other document's server has answered.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        !self.state.borrow().document.stays()
    }

    /// Waits up to `limit` while the page is leaving for another document, and returns whether it stays.
    ///
    /// # Errors
    /// [`PageError`]: the page is refused or dead.
    pub async fn stays(&self, limit: Duration) -> Result<bool, PageError> {
        self.reaches(Instant::now() + limit, |state| state.document.stays()).await
    }

    /// Whether its document is parsed, or no more of it comes, by this time.
    ///
    /// # Errors
    /// [`PageError`] if the page died.
    pub async fn is_parsed(&self, by: Instant) -> Result<bool, PageError> {
        self.reaches(by, |state| state.document.is_parsed()).await
    }

    /// Waits until the page's state is `wanted`; returns false if it is not by `deadline`. Fails early if the page is
    /// refused or dies.
    pub(super) async fn reaches(
        &self,
        deadline: Instant,
        wanted: impl FnMut(&PageState) -> bool,
    ) -> Result<bool, PageError> {
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            reached = timeout_at(deadline, state.wait_for(wanted)) => match reached {
                Ok(Ok(_)) => Ok(true),
                Ok(Err(_)) => Err(Fatal::Gone.into()),
                Err(_) => Ok(false),
            },
        }
    }
}
