//! Navigating: from a judged target to a document that is parsed.

use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use porthole_contract::limits::NAVIGATION_TIMEOUT;
use tokio::time::Instant;

use super::{Page, PageError};
use crate::guard::Target;

impl Page {
    /// Goes to `target` and waits until a document is parsed: the target's own, or the one that it leads to.
    ///
    /// # Errors
    /// [`PageError`]: refused on the way, not loadable, not parsed within [`NAVIGATION_TIMEOUT`], crashed.
    pub async fn navigate(&self, target: &Target) -> Result<(), PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        let navigated = self.session.call(&NavigateParams::new(target.url().as_str()));
        let answer = match self.within(NAVIGATION_TIMEOUT, "navigating", navigated).await {
            Err(PageError::TimedOut(_)) => return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)),
            answer => answer?,
        };
        if let Some(name) = answer.error_text.filter(|name| !name.is_empty()) {
            return Err(if answer.is_download == Some(true) {
                PageError::Download(name)
            } else {
                self.cause(&self.state.borrow(), &name)
            });
        }
        let arrived =
            self.reaches(deadline, |state| state.document.dom_content_loaded || state.document.broken).await?;
        if let Some(error) = self.not_a_page(&self.state.borrow()) {
            return Err(error);
        }
        if arrived { Ok(()) } else { Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT)) }
    }
}
