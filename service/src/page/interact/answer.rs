//! Waits for what follows something else than an action on an element: the answer to the dialog that holds a page, a
//! navigation within the document.

use std::time::Duration;

use super::quiet::{ANSWER_TIMEOUT, Quiet, Rest};
use super::{ActError, Settled};
use crate::page::{Page, PageError};

/// How long a page that has loaded may show nothing: what draws it may come by a WebSocket.
const BLANK_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a page that has loaded may fetch until it is taken to be there: some keep a request open for news.
const FETCHES_TIMEOUT: Duration = Duration::from_secs(2);

impl Page {
    /// Answers the open dialog, as [`Page::answer_dialog`], and waits until what follows has come to rest: the navigation
    /// that waited for it, or the script that goes on. Another dialog ends the wait.
    ///
    /// # Errors
    /// [`ActError`]: no dialog is open, or the page died.
    pub async fn answer_dialog_and_settle(&self, accept: bool, text: Option<String>) -> Result<Settled, ActError> {
        let mut quiet = Quiet::watch_held(self);
        quiet.begins();
        match self.answer_dialog(accept, text).await {
            // It asked whether the window may close.
            Err(PageError::Crashed(_)) if self.was_closed().await => {}
            answered => answered?,
        }
        quiet.settle(Some(Rest::default())).await
    }

    /// Watches the page from before a navigation, so that what the navigation begins can be waited for.
    pub fn watch_navigation(&self) -> NavigationWatch<'_> {
        let mut quiet = Quiet::watch_held(self);
        quiet.begins();
        quiet.rest_limit = FETCHES_TIMEOUT;
        NavigationWatch(quiet)
    }

    /// Waits for a short time until a loaded document shows anything, if its scripts may draw something.
    pub async fn shows_first(&self) {
        let asks = async {
            let document = self.main_document_within(ANSWER_TIMEOUT).await?;
            let longest_ms = BLANK_TIMEOUT.as_secs_f64() * 1000.0;
            document.call::<bool>(self, BLANK_TIMEOUT + ANSWER_TIMEOUT, "showsFirst", vec![longest_ms.into()]).await
        };
        if let Err(error) = asks.await {
            tracing::debug!(%error, "whether a document shows anything is not known");
        }
    }
}

/// What a navigation begins.
pub struct NavigationWatch<'a>(Quiet<'a>);

impl NavigationWatch<'_> {
    /// Whether it has stayed within the document, whose script goes on.
    pub fn stayed(&self) -> bool {
        self.0.state.borrow().arrivals == self.0.arrivals
    }

    /// Waits until the page has come to rest, as after an action; `None` where that can't be told.
    ///
    /// # Errors
    /// What ended the page's work.
    pub async fn rests(self) -> Result<Option<Settled>, PageError> {
        match self.0.settle(Some(Rest::default())).await {
            Ok(settled) => Ok(Some(settled)),
            Err(ActError::Page(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
