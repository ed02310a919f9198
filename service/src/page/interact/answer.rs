//! Waits for what follows something else than an action on an element: the answer to the dialog that holds a page, a
//! navigation within the document.

use super::quiet::{Quiet, Rest};
use super::{ActError, Settled};
use crate::page::{Page, PageError};

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

    /// Does `navigation`. Where it stays within the document, also waits until the page has come to rest, since its script
    /// goes on there; `None` where another document has come, which has a load to wait for.
    ///
    /// # Errors
    /// The navigation's.
    pub async fn rests_within_document(
        &self,
        navigation: impl Future<Output = Result<(), PageError>>,
    ) -> Result<Option<Settled>, PageError> {
        let mut quiet = Quiet::watch_held(self);
        quiet.begins();
        navigation.await?;
        if self.state.borrow().arrivals != quiet.arrivals {
            return Ok(None);
        }
        match quiet.settle(Some(Rest::default())).await {
            Ok(settled) => Ok(Some(settled)),
            Err(ActError::Page(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
