//! A page's window: its target, the other windows beside it, and how it ends.

use chromiumoxide_cdp::cdp::browser_protocol::target::{CloseTargetParams, CreateTargetParams};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use tokio::time::timeout;

use super::storage::cookies::context_of;
use super::watch::Fatal;
use super::{Page, PageError};

impl Page {
    /// The id of its target.
    #[must_use]
    pub fn target_id(&self) -> &str {
        &self.main_frame
    }

    /// Whether it shows this frame, as far as is known without asking: its own, or one in another process.
    #[must_use]
    pub fn has_frame(&self, frame: &str) -> bool {
        self.main_frame == frame || self.state.borrow().parts.contains_key(frame)
    }

    /// Whether the browser that it is in, or the connection to it, is gone.
    #[must_use]
    pub fn has_lost_its_browser(&self) -> bool {
        self.session.connection().is_closed()
    }

    /// Checks that work on the page can go on.
    ///
    /// # Errors
    /// [`PageError`] where its document was refused, or it has died.
    pub fn can_go_on(&self) -> Result<(), PageError> {
        self.state.borrow().stop().map_or(Ok(()), |stop| Err(stop.into()))
    }

    /// Whether it was ended because it sent more events than a page of a shared browser may.
    #[must_use]
    pub fn was_flooding(&self) -> bool {
        matches!(self.state.borrow().fatal, Some(Fatal::Flooded))
    }

    /// Opens a blank window beside this one, in the same browser context, and returns its target's id. It comes as the
    /// windows do that pages open.
    ///
    /// # Errors
    /// [`PageError`] where the browser refuses, or is gone.
    pub async fn open_window(&self) -> Result<String, PageError> {
        let browser = self.session.connection().browser();
        let opening = async {
            let mut create = CreateTargetParams::new("about:blank");
            create.browser_context_id = context_of(&self.session, &self.network).await?;
            Ok(String::from(browser.call(&create).await?.target_id))
        };
        self.within(CAPTURE_TIMEOUT, "opening a window", opening).await
    }

    /// Closes its window. Its end is in its news.
    pub async fn close(&self) {
        let close = CloseTargetParams::new(self.main_frame.clone());
        let closed = self.session.connection().browser().call(&close);
        if timeout(CAPTURE_TIMEOUT, closed).await.is_err() {
            tracing::warn!("a window did not close in time");
        }
    }
}
