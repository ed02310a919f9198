//! What a page's actions and a person's input at it wait for of one another.

use tokio::time::Instant;

use super::sharing::Acting;
use crate::page::Page;

impl Page {
    /// An action on the page begins: a person's input waits for it, for a while.
    pub(in crate::page) fn acts(&self) -> Acting<'_> {
        self.sharing.begin()
    }

    /// Waits until it has taken what was sent to it of a person's input, for a short time: an action that begins would stop that
    /// for its own.
    pub(in crate::page) async fn takes_sent_input(&self) {
        if !self.sharing.has_taken_sent() && self.dialog().is_none() {
            self.sharing.takes_sent().await;
        }
    }

    /// Whether it has taken all that a person did. While a dialog is open that is so: what is held up by it goes on after it.
    #[must_use]
    pub fn has_taken_input(&self) -> bool {
        self.sharing.has_taken_all() || self.dialog().is_some()
    }

    /// Waits until the page has taken what a person did.
    pub async fn takes_input(&self) {
        let mut state = self.state.clone();
        tokio::select! {
            () = self.sharing.takes_all() => {}
            _ = state.wait_for(|state| state.dialog.is_some()) => {}
        }
    }

    /// Sends nothing any more of what a person did until then, but for the releases of what is held.
    pub fn drop_input(&self, until: Instant) {
        self.sharing.drop_until(until);
    }
}
