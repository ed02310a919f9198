//! Navigates to a judged target, or through the page's history, until a document is parsed.

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
const ERROR_PAGE_TIMEOUT: Duration = Duration::from_secs(1);

/// The URL of a new page.
const BLANK: &str = "about:blank";

/// A navigation without a target URL of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// To the previous entry of the page's history.
    Back,
    /// To the next entry of the page's history.
    Forward,
    /// To the current document's URL again.
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
    /// Navigates to `target` and waits until a document is parsed: the target's own, or one that it leads to. Returns
    /// at once for a target within the current document, or if the document opens a dialog. After an error the page
    /// can be navigated again, unless it is gone.
    ///
    /// # Errors
    /// [`PageError`]: refused on the way, not loadable, not parsed within [`NAVIGATION_TIMEOUT`], crashed.
    pub async fn navigate(&self, target: &Target) -> Result<(), PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        self.go(target, deadline).await?;
        let missed = self.state.borrow().document.missed;
        if missed && self.network.remote().is_some() {
            // The origin of the responses so far is unknown; from now on the renderer reports them.
            tracing::debug!("a document arrived before its renderer reported it; navigating again");
            self.go(target, deadline).await?;
        }
        Ok(())
    }

    /// Goes through the page's history, or reloads, and waits until a document is parsed. Each document is judged
    /// again.
    ///
    /// # Errors
    /// [`PageError::NoHistory`] if there is no such entry; otherwise as for [`Page::navigate`].
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

    /// Returns the id of the history entry that is `offset` entries away from the current one.
    async fn history_entry(&self, offset: i64) -> Result<i64, PageError> {
        let asked = self.session.call(&GetNavigationHistoryParams::default());
        let history = self.within(CAPTURE_TIMEOUT, "asking for the history", asked).await?;
        let entry = usize::try_from(history.current_index + offset).ok().and_then(|index| history.entries.get(index));
        // A page begins blank, so its first entry is not a navigation's.
        let is_beginning = |index: i64, url: &str| index == 0 && url == BLANK;
        let entry = entry.filter(|entry| !is_beginning(history.current_index + offset, &entry.url));
        entry.map(|entry| entry.id).ok_or(PageError::NoHistory)
    }

    /// Marks a commanded navigation as under way. `judged` is its URL, if that is judged already.
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
            let answered = self.within(CAPTURE_TIMEOUT, "checking that the page is alive", asked).await;
            self.barrier.wait().await;
            if let Err(error @ PageError::Crashed(_)) = answered {
                return error;
            }
        } else if self.network.egress().is_some() {
            // Only the browser's error page shows where redirects had led.
            let error_page_by = Instant::now() + ERROR_PAGE_TIMEOUT;
            let has_error_page = |state: &PageState| {
                let document = &state.document;
                document.failure.is_some() && loader.is_none_or(|loader| document.loader == loader)
            };
            if let Err(error) = self.reaches(error_page_by, has_error_page).await {
                return error;
            }
        }
        let state = self.state.borrow();
        state.stop().map_or_else(|| self.cause(&state, error), PageError::from)
    }

    /// Navigates to `target` and waits until its document, or one that it led to, is parsed.
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
            // A navigation within the document has no loader. A visit always loads a document, so only a session gets
            // here.
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

/// Whether the document is usable: it is parsed, or a dialog holds its parser.
fn is_ready(state: &PageState) -> bool {
    state.document.is_parsed() || state.dialog.is_some()
}

/// A page's counts of arrivals and of navigations within its document.
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
