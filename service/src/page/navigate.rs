//! Navigates to a judged target, until a document is parsed.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetNavigationHistoryParams, NavigateParams, StopLoadingParams};
use porthole_contract::limits::{CAPTURE_TIMEOUT, NAVIGATION_TIMEOUT};
use tokio::time::Instant;

use super::watch::{self, PageState};
use super::{Page, PageError};
use crate::guard::Target;
use crate::net_error::NetError;

/// How long the document that stands for a failure may take to come after the failure is known.
const ERROR_PAGE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a remote browser may take to report a document after it has committed it, before it is asked.
const REPORTED_WITHIN: Duration = Duration::from_secs(1);
/// How often a remote page is navigated to a target whose documents are reported too late.
const NAVIGATIONS_MAX: usize = 3;

/// Gives a navigation up when it is dropped, unless a document of it has arrived. See [`Page::or_stop`].
struct StopsLoading<'a> {
    page: &'a Page,
    arrivals: u64,
    is_armed: bool,
}

impl Drop for StopsLoading<'_> {
    fn drop(&mut self) {
        if self.is_armed && self.page.state.borrow().arrivals == self.arrivals {
            self.page.session.call(&StopLoadingParams::default()).forget();
        }
    }
}

/// Marks a commanded navigation as under way until it is dropped.
pub(super) struct UnderWay<'a>(&'a Page);

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
        for _ in 0..NAVIGATIONS_MAX {
            self.go(target, deadline).await?;
            if !self.state.borrow().document.missed || self.network.remote().is_none() {
                return Ok(());
            }
            // The origin of the responses so far is unknown; from now on the renderer reports them.
            tracing::debug!("a document arrived before its renderer reported it; navigating again");
        }
        Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT))
    }

    /// Runs a navigation of this page. If it is dropped or out of time before a document has arrived, the browser gives
    /// it up too: until then it answers nothing that the page's document is asked, for as long as the server likes.
    ///
    /// # Errors
    /// The navigation's.
    pub async fn or_stop<T>(&self, navigation: impl Future<Output = Result<T, PageError>>) -> Result<T, PageError> {
        let mut stops = StopsLoading { page: self, arrivals: self.state.borrow().arrivals, is_armed: true };
        let gone = navigation.await;
        stops.is_armed = matches!(gone, Err(PageError::NavigationTimedOut(_)));
        gone
    }

    /// Marks a commanded navigation as under way. `judged` is its URL, if that is judged already.
    pub(super) fn begin(&self, judged: Option<String>) -> UnderWay<'_> {
        self.known.send_modify(|state| state.begin_navigation(judged));
        if let Some(egress) = self.network.egress() {
            egress.renew();
        }
        UnderWay(self)
    }

    /// Why a navigation ended with this error. A renderer that died in its middle only aborts it, and the news of
    /// its death may come later: before the answer to one more question, which the browser's own process answers.
    async fn failed_to_load(&self, error: &NetError, loader: Option<&str>) -> PageError {
        let stopped = self.state.borrow().stopped.clone();
        if *error == NetError::Aborted
            && let Some(refusal) = stopped
        {
            return PageError::Blocked(refusal);
        }
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

    /// Waits until a navigation's document is reported, and returns whether it was. One of a remote page that arrived
    /// before its renderer reports anything, and whose parser a script holds up, would stay unknown: the browser is
    /// asked for it, and it counts as missed.
    async fn is_reported(&self, loader: &str, deadline: Instant) -> Result<bool, PageError> {
        let soon = deadline.min(Instant::now() + REPORTED_WITHIN);
        if self.network.remote().is_some() && !self.reaches(soon, |state| state.has_arrived(loader)).await? {
            watch::find_document(self.session.clone(), self.known.clone()).await;
            let state = self.state.borrow();
            if state.document.missed && state.document.loader == loader {
                return Ok(false);
            }
        }
        self.reaches(deadline, |state| state.has_arrived(loader)).await?;
        Ok(true)
    }

    /// Navigates to `target` and waits until its document, or one that it led to, is parsed; also returns where that was
    /// missed, which [`PageState`] tells.
    pub(super) async fn go(&self, target: &Target, deadline: Instant) -> Result<(), PageError> {
        self.guard.name(target);
        // A page whose renderer has died can be navigated again, but not waited for.
        if self.state.borrow().lacks_script && !self.reaches(deadline, |state| !state.lacks_script).await? {
            return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT));
        }
        let _under_way = self.begin(Some(target.url().as_str().to_owned()));
        let within_document = self.state.borrow().within_document;
        // A session's navigation is stopped where a redirect leads to a target that is refused.
        let redirects = self.stops_refused.is_some().then(|| self.network_use.begin());
        let navigated = self.session.call(&NavigateParams::new(target.url().as_str()));
        let answer = match self.within(NAVIGATION_TIMEOUT, "navigating", navigated).await {
            Err(PageError::TimedOut(_) | PageError::Leaving) => {
                return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT));
            }
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
        let is_reported = self.is_reported(loader, deadline).await?;
        drop(redirects);
        if !is_reported {
            return Ok(());
        }
        let arrived = self.reaches(deadline, |state| state.has_arrived(loader) && is_ready(state)).await?;
        let not_a_page = self.not_a_page(&self.state.borrow(), false);
        if let Some(error) = not_a_page.or(self.never_begun().await) {
            return Err(error);
        }
        if arrived { Ok(()) } else { Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)) }
    }
}

/// Whether the document is usable: it is parsed, or a dialog holds its parser.
pub(super) fn is_ready(state: &PageState) -> bool {
    state.document.is_parsed() || state.dialog.is_some()
}
