//! A session's page in a remote browser that had an answer from a refused address: nothing may read what it shows, and it is
//! left for a blank one.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use tokio::sync::watch::Receiver;
use tokio::time::timeout;

use super::PageState;
use crate::cdp::Session;
use crate::page::BLANK;

/// How long a blank document may take until it is asked for again: the page's script may be busy.
const LEFT_WITHIN: Duration = Duration::from_secs(2);

/// Leaves such a page, for as long as its window lives.
pub(in super::super) async fn leave_withheld(session: Session, mut state: Receiver<PageState>) {
    while state.wait_for(|state| state.withheld.is_some()).await.is_ok() {
        session.call(&NavigateParams::new(BLANK)).forget();
        // Asked once more where it has not gone.
        let _ = timeout(LEFT_WITHIN, state.wait_for(|state| state.withheld.is_none())).await;
    }
}
