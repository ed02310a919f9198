//! A page's window: its target, the other windows beside it, and how it ends.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{CloseParams, GetFrameTreeParams};
use chromiumoxide_cdp::cdp::browser_protocol::target::{CloseTargetParams, CreateTargetParams};
use porthole_contract::limits::CAPTURE_TIMEOUT;
use tokio::time::{Instant, timeout};

use super::storage::cookies::context_of;
use super::watch::{Fatal, PageState};
use super::{Page, PageError};
use crate::cdp::Session;

/// How long the browser may take to report a window as closed that answers no more.
const CLOSED_WITHIN: Duration = Duration::from_secs(1);

impl Page {
    /// The id of its target.
    #[must_use]
    pub fn target_id(&self) -> &str {
        &self.main_frame
    }

    /// Whether a target session is its own, or that of one of its frames.
    #[must_use]
    pub fn has_session(&self, id: &str) -> bool {
        let is = |session: &Session| session.id().is_some_and(|own| **own == *id);
        is(&self.session) || self.state.borrow().parts.values().any(is)
    }

    /// Whether the browser that it is in, or the connection to it, is gone.
    #[must_use]
    pub fn has_lost_its_browser(&self) -> bool {
        self.session.connection().is_closed()
    }

    /// Whether its window is closed, and not its browser gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.state.borrow().fatal, Some(Fatal::Gone)) && !self.has_lost_its_browser()
    }

    /// The same where a command has just found the page gone, which the browser may report a little later.
    pub async fn was_closed(&self) -> bool {
        let mut state = self.state.clone();
        let died = timeout(CLOSED_WITHIN, state.wait_for(|state| state.fatal.is_some())).await;
        died.is_ok() && self.is_closed()
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

    /// Waits until the renderer of a new window has taken the commands that it began with. A navigation before then would get
    /// another renderer that knows nothing of them.
    ///
    /// # Errors
    /// [`PageError`] where the window is gone, or does not answer until `deadline`.
    pub async fn takes_commands(&self, deadline: Instant) -> Result<(), PageError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let answered = async { self.session.call(&GetFrameTreeParams::default()).await.map(drop) };
        self.within(limit, "a new window", answered).await
    }

    /// Closes its window as a person would, who is asked where its page has unsaved work. Returns whether that is so: then
    /// it stays open until the dialog is answered.
    pub async fn asks_before_it_closes(&self) -> bool {
        if self.dialog().is_some() {
            return false;
        }
        self.session.call(&CloseParams::default()).forget();
        let mut state = self.state.clone();
        let asked = |state: &PageState| state.dialog.is_some() || state.fatal.is_some();
        drop(timeout(CLOSED_WITHIN, state.wait_for(asked)).await);
        self.dialog().is_some()
    }

    /// Closes its window, without waiting for that.
    pub fn begin_close(&self) {
        self.session.connection().browser().call(&CloseTargetParams::new(self.main_frame.clone())).forget();
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
