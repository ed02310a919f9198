//! Waiting until a page's network is idle.

use std::time::Duration;

use tokio::time::Instant;

use super::ActError;
use super::quiet::Quiet;
use crate::page::{Page, PageError};

impl Page {
    /// Waits until no request was under way for `quiet_for`, until `deadline` at most.
    ///
    /// # Errors
    /// [`ActError::TimedOut`], or what ended the page's work.
    pub async fn wait_for_network_idle(&self, quiet_for: Duration, deadline: Instant) -> Result<(), ActError> {
        let began = Instant::now();
        let main = self.main_document().await?;
        if Quiet::watch(self, &main).idle(quiet_for, deadline).await? {
            return Ok(());
        }
        let waited_ms = began.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
        Err(ActError::TimedOut { what: "the network was not idle".to_owned(), waited_ms })
    }
}

impl Quiet<'_> {
    /// Waits likewise. Returns whether that came about.
    async fn idle(&mut self, quiet_for: Duration, deadline: Instant) -> Result<bool, ActError> {
        // It only looks.
        self.acting = None;
        let mut idle_since = Instant::now();
        loop {
            self.drain();
            if let Some(dialog) = self.page.dialog() {
                return Err(ActError::Dialog(dialog));
            }
            let stop = self.state.borrow().stop();
            if let Some(stop) = stop {
                return Err(PageError::from(stop).into());
            }
            let now = Instant::now();
            if self.began.is_under_way() || self.is_loading() || self.began.anything() {
                self.began.forget_anything();
                idle_since = now;
            }
            let idle_at = idle_since + quiet_for;
            if now >= idle_at {
                return Ok(true);
            }
            if now >= deadline {
                return Ok(false);
            }
            self.next(idle_at.min(deadline)).await;
        }
    }
}
