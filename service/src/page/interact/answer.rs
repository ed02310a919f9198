//! Answers the dialog that holds a page, and waits for what it had held up.

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
}
