//! Navigating: from a judged target to a document that is parsed.

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetNavigationHistoryParams, NavigateParams};
use porthole_contract::limits::{CAPTURE_TIMEOUT, NAVIGATION_TIMEOUT};
use tokio::time::Instant;

use super::{Page, PageError};
use crate::guard::Target;

/// What Chromium calls a navigation that ended for no fault of the network's: a download, an answer without content, a
/// renderer that died.
const ABORTED: &str = "net::ERR_ABORTED";

impl Page {
    /// Goes to `target` and waits until a document is parsed: the target's own, or the one that it leads to.
    ///
    /// # Errors
    /// [`PageError`]: refused on the way, not loadable, not parsed within [`NAVIGATION_TIMEOUT`], crashed.
    pub async fn navigate(&self, target: &Target) -> Result<(), PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        self.go(target, deadline, "").await?;
        let missed = {
            let document = &self.state.borrow().document;
            document.missed.then(|| document.loader.clone())
        };
        if let (Some(missed), Some(_)) = (missed, self.network.remote()) {
            // Where the answers so far came from nobody knows; its renderer listens now.
            tracing::debug!("a page came before its renderer was told to report it, and is navigated again");
            self.go(target, deadline, &missed).await?;
        }
        Ok(())
    }

    /// Why a navigation ended with this `net::` name. A renderer that died in its middle only aborts it, and the news of
    /// its death may come later: before the answer to one more question, which the browser's own process answers.
    async fn failed_to_load(&self, name: &str) -> PageError {
        if name == ABORTED {
            let asked = self.session.call(&GetNavigationHistoryParams::default());
            let answered = self.within(CAPTURE_TIMEOUT, "asking whether the page lives", asked).await;
            self.roll_call.all_caught_up().await;
            if let Err(error @ PageError::Crashed(_)) = answered {
                return error;
            }
        }
        let state = self.state.borrow();
        state.fatal.as_ref().map_or_else(|| self.cause(&state, name), |fatal| fatal.clone().into())
    }

    /// Goes to `target`, away from the document that the navigation `from` brought.
    async fn go(&self, target: &Target, deadline: Instant, from: &str) -> Result<(), PageError> {
        let navigated = self.session.call(&NavigateParams::new(target.url().as_str()));
        let answer = match self.within(NAVIGATION_TIMEOUT, "navigating", navigated).await {
            Err(PageError::TimedOut(_)) => return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)),
            answer => answer?,
        };
        if let Some(name) = answer.error_text.filter(|name| !name.is_empty()) {
            return Err(if answer.is_download == Some(true) {
                PageError::Download(name)
            } else {
                self.failed_to_load(&name).await
            });
        }
        let arrived = self.reaches(deadline, |state| {
            let document = &state.document;
            document.loader != from && (document.dom_content_loaded || document.broken)
        });
        let arrived = arrived.await?;
        if let Some(error) = self.not_a_page(&self.state.borrow()) {
            return Err(error);
        }
        if arrived { Ok(()) } else { Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)) }
    }
}
