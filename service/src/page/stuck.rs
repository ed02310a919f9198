//! Frees a page whose script never ends. No navigation can replace such a page, because the browser commits a
//! navigation in the page's own process.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{CrashParams, StopLoadingParams};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{EvaluateParams, TerminateExecutionParams};
use tokio::time::{Instant, timeout};

use super::Page;

/// How long script may keep a page busy that is about to be left.
const BUSY_FOR: Duration = Duration::from_secs(1);
/// How long a page may take to answer once its script was ended.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

impl Page {
    /// Makes sure that the page can be left: ends script that keeps it busy for a second, and, where the page begins it
    /// anew, the page's process. Must come before the navigation, during which the browser passes nothing on. Whether the
    /// page can be left.
    pub async fn frees_itself(&self) -> bool {
        let is_idle = {
            let state = self.state.borrow();
            state.arrivals == 0 || state.dialog.is_some() || state.fatal.is_some()
        };
        if is_idle {
            return true;
        }
        // It is left for elsewhere. While its server is waited for, the page would answer nothing.
        if self.is_leaving() {
            self.session.call(&StopLoadingParams::default()).forget();
        }
        if self.answers(BUSY_FOR).await {
            return true;
        }
        tracing::info!("terminating a script that never ends");
        self.session.call(&TerminateExecutionParams::default()).forget();
        if self.answers(ENDS_WITHIN).await {
            return true;
        }
        self.session.call(&CrashParams::default()).forget();
        self.reaches(Instant::now() + ENDS_WITHIN, |state| state.fatal.is_some()).await.unwrap_or(true)
    }

    /// Whether the page's main thread does anything asked of it.
    async fn answers(&self, within: Duration) -> bool {
        timeout(within, self.session.call(&EvaluateParams::new("0"))).await.is_ok()
    }
}
