//! Navigating: from a judged target, or through the page's history, to a document that is parsed.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{
    GetNavigationHistoryParams, NavigateParams, NavigateToHistoryEntryParams, ReloadParams,
};
use porthole_contract::limits::{CAPTURE_TIMEOUT, NAVIGATION_TIMEOUT};
use tokio::time::Instant;

use super::watch::PageState;
use super::{Page, PageError};
use crate::guard::Target;
use crate::net_error::NetError;

/// How long the document that stands for a failure may take to come after the failure is known.
const FAILURE_TOLD_WITHIN: Duration = Duration::from_secs(1);

/// A navigation without a target of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// To the entry before in the page's history.
    Back,
    /// To the entry after.
    Forward,
    /// To the present document's URL again.
    Reload,
}

/// Marks a commanded navigation as under way until it is dropped.
struct UnderWay<'a>(&'a Page);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.known.send_modify(|state| state.is_navigating = false);
    }
}

impl Page {
    /// Goes to `target` and waits until a document is parsed: the target's own, or the one that it leads to. A target
    /// within the present document ends at once, and so does one whose document opens a dialog. After an error the page can be navigated again, unless it is gone.
    ///
    /// # Errors
    /// [`PageError`]: refused on the way, not loadable, not parsed within [`NAVIGATION_TIMEOUT`], crashed.
    pub async fn navigate(&self, target: &Target) -> Result<(), PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        self.go(target, deadline).await?;
        let missed = self.state.borrow().document.missed;
        if missed && self.network.remote().is_some() {
            // Where the answers so far came from is unknown; the renderer reports from now on.
            tracing::debug!("a document came before its renderer reported it; navigating again");
            self.go(target, deadline).await?;
        }
        Ok(())
    }

    /// Goes through the page's history, or reloads, and waits until a document is parsed. Each document is judged again.
    ///
    /// # Errors
    /// [`PageError::NoHistory`] where there is no such entry; otherwise as of [`Page::navigate`].
    pub async fn travel(&self, travel: Travel) -> Result<(), PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        let entry = match travel {
            Travel::Back => Some(self.history_entry(-1).await?),
            Travel::Forward => Some(self.history_entry(1).await?),
            Travel::Reload => None,
        };
        let _under_way = self.begin(None);
        let before = Counts::of(&self.state.borrow());
        match entry {
            Some(entry) => {
                let asked = self.session.call(&NavigateToHistoryEntryParams::new(entry));
                self.within(NAVIGATION_TIMEOUT, "navigating", asked).await?;
            }
            None => {
                let asked = self.session.call(&ReloadParams::default());
                self.within(NAVIGATION_TIMEOUT, "navigating", asked).await?;
            }
        }
        let ended = self.reaches(deadline, |state| {
            let now = Counts::of(state);
            let has_document = now.arrivals > before.arrivals && is_ready(state);
            has_document || now.within_document > before.within_document
        });
        if !ended.await? {
            return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT));
        }
        self.not_a_page(&self.state.borrow(), false).map_or(Ok(()), Err)
    }

    /// The id of the history entry that is `offset` entries away.
    async fn history_entry(&self, offset: i64) -> Result<i64, PageError> {
        let asked = self.session.call(&GetNavigationHistoryParams::default());
        let history = self.within(CAPTURE_TIMEOUT, "asking for the history", asked).await?;
        let entry = usize::try_from(history.current_index + offset).ok().and_then(|index| history.entries.get(index));
        entry.map(|entry| entry.id).ok_or(PageError::NoHistory)
    }

    /// Begins a navigation that we command. `judged` is its URL, where that is judged already.
    fn begin(&self, judged: Option<String>) -> UnderWay<'_> {
        // A remote page does not report its documents after a crash (seen with Chromium 156): it stays dead.
        let restarts = self.network.egress().is_some();
        self.known.send_modify(|state| state.begin_navigation(judged, restarts));
        if let Some(egress) = self.network.egress() {
            egress.renew();
        }
        UnderWay(self)
    }

    /// Why a navigation ended with this error. A renderer that died in its middle only aborts it, and the news of
    /// its death may come later: before the answer to one more question, which the browser's own process answers.
    async fn failed_to_load(&self, error: &NetError, loader: Option<&str>) -> PageError {
        if *error == NetError::Aborted {
            let asked = self.session.call(&GetNavigationHistoryParams::default());
            let answered = self.within(CAPTURE_TIMEOUT, "asking whether the page lives", asked).await;
            self.barrier.wait().await;
            if let Err(error @ PageError::Crashed(_)) = answered {
                return error;
            }
        } else if self.network.egress().is_some() {
            // Only the document that the browser shows in its place tells where redirects had led.
            let told_by = Instant::now() + FAILURE_TOLD_WITHIN;
            let is_told = |state: &PageState| {
                let document = &state.document;
                document.failure.is_some() && loader.is_none_or(|loader| document.loader == loader)
            };
            if let Err(error) = self.reaches(told_by, is_told).await {
                return error;
            }
        }
        let state = self.state.borrow();
        state.stop().map_or_else(|| self.cause(&state, error), PageError::from)
    }

    /// Goes to `target` and waits until its document, or one that it led to, is parsed.
    pub(super) async fn go(&self, target: &Target, deadline: Instant) -> Result<(), PageError> {
        self.guard.name(target);
        let _under_way = self.begin(Some(target.url().as_str().to_owned()));
        let within_document = self.state.borrow().within_document;
        let navigated = self.session.call(&NavigateParams::new(target.url().as_str()));
        let answer = match self.within(NAVIGATION_TIMEOUT, "navigating", navigated).await {
            Err(PageError::TimedOut(_)) => return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)),
            answer => answer?,
        };
        let loader = answer.loader_id.as_ref().map(|loader| loader.inner().as_str());
        if let Some(name) = answer.error_text.filter(|name| !name.is_empty()) {
            let error = NetError::of_name(&name);
            return Err(if answer.is_download == Some(true) {
                PageError::Download(error)
            } else {
                self.failed_to_load(&error, loader).await
            });
        }
        let Some(loader) = loader else {
            // A navigation within the document brings none. A visit begins with one, so only a session gets here.
            self.reaches(deadline, |state| state.within_document > within_document).await?;
            return Ok(());
        };
        let arrived = self.reaches(deadline, |state| state.has_arrived(loader) && is_ready(state)).await?;
        if let Some(error) = self.not_a_page(&self.state.borrow(), false) {
            return Err(error);
        }
        if arrived { Ok(()) } else { Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)) }
    }
}

/// Whether the document can be worked with: it is parsed, or a dialog holds its parser.
fn is_ready(state: &PageState) -> bool {
    state.document.is_parsed() || state.dialog.is_some()
}

/// How far a page has come in its life.
#[derive(Clone, Copy, Debug)]
struct Counts {
    arrivals: u64,
    within_document: u64,
}

impl Counts {
    fn of(state: &PageState) -> Self {
        Self { arrivals: state.arrivals, within_document: state.within_document }
    }
}
