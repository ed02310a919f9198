//! Dialogs of a page, for purposes that report them.

use chromiumoxide_cdp::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use porthole_contract::limits::CAPTURE_TIMEOUT;

use super::{Dialog, Page, PageError};

impl Page {
    /// Returns the dialog that holds the page, if any. While a dialog is open, the page answers no commands that need
    /// its script.
    #[must_use]
    pub fn dialog(&self) -> Option<Dialog> {
        self.state.borrow().dialog.clone()
    }

    /// Waits until a dialog holds the page.
    ///
    /// # Errors
    /// [`PageError`] if the page is refused or dies first.
    pub async fn dialog_opens(&self) -> Result<Dialog, PageError> {
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            stop = self.stop() => Err(stop.into()),
            opened = state.wait_for(|state| state.dialog.is_some()) => match opened.map(|state| state.dialog.clone()) {
                Ok(Some(dialog)) => Ok(dialog),
                Ok(None) | Err(_) => Err(PageError::Crashed("the browser is gone".to_owned())),
            },
        }
    }

    /// Answers the open dialog; `text` is the answer to a prompt, which otherwise gets the one that it suggests.
    ///
    /// # Errors
    /// [`PageError`] if no dialog is open, or the page dies.
    pub async fn answer_dialog(&self, accept: bool, text: Option<String>) -> Result<(), PageError> {
        let mut answer = HandleJavaScriptDialogParams::new(accept);
        let suggested =
            || self.dialog().filter(|dialog| accept && dialog.kind == "prompt").map(|dialog| dialog.default);
        answer.prompt_text = text.or_else(suggested);
        let answering = self.state.borrow().dialogs;
        let answered = self.session.call(&answer);
        self.within(CAPTURE_TIMEOUT, "answering a dialog", answered).await?;
        // The page may have opened its next dialog before it says that this one is answered.
        self.known.send_modify(|state| {
            if state.dialogs == answering {
                state.dialog = None;
            }
        });
        Ok(())
    }
}
