//! Stops a session's navigation to a target that the egress refuses, so that the tab keeps its page. The browser gets
//! the refusal afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::browser::GetVersionParams;
use chromiumoxide_cdp::cdp::browser_protocol::page::StopLoadingParams;
use tokio::time::timeout;

use super::shared::Watched;
use crate::cdp::Session;
use crate::guard::{Authority, OnRefusal, Refusal};

/// How long the browser may take to answer.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(1);
/// How often refusals have the events read that are on their way, for each document: a page can ask for any number of
/// refused targets. Beyond, a navigation may end on the browser's error page.
const CATCH_UPS_MAX: u32 = 200;

/// What the guard calls with each target that it refuses.
pub(in super::super) fn stop_refused(session: &Session, watched: &Watched) -> Arc<OnRefusal> {
    let (session, watched) = (session.clone(), watched.clone());
    let caught_up = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
    Arc::new(move |authority, refusal| {
        let (session, watched, caught_up) = (session.clone(), watched.clone(), Arc::clone(&caught_up));
        Box::pin(async move {
            let mut leaves = leaves_for(&watched, &authority);
            if !leaves && may_catch_up(&watched, &caught_up) {
                // The browser's own process answers after all events that it has sent.
                drop(timeout(BROWSER_TIMEOUT, session.call(&GetVersionParams::default())).await);
                watched.barrier.wait().await;
                leaves = leaves_for(&watched, &authority);
            }
            if leaves {
                stop(&session, &watched, refusal).await;
            }
        })
    })
}

/// Stops the navigation of the main frame that is under way.
async fn stop(session: &Session, watched: &Watched, refusal: Refusal) {
    watched.state.send_modify(|state| state.stop_navigation(refusal));
    if timeout(BROWSER_TIMEOUT, session.call(&StopLoadingParams::default())).await.is_err() {
        tracing::debug!("the browser did not stop a refused navigation in time");
    }
}

/// Whether the main frame is on its way to this authority.
fn leaves_for(watched: &Watched, authority: &Authority) -> bool {
    let state = watched.state.borrow();
    !state.document.stays() && watched.guard.leads_to(&state.asked_for, authority)
}

/// Counts catching up, by document.
fn may_catch_up(watched: &Watched, (document, count): &(AtomicU32, AtomicU32)) -> bool {
    let now = u32::try_from(watched.state.borrow().arrivals).unwrap_or(u32::MAX);
    if document.swap(now, Ordering::Relaxed) != now {
        count.store(0, Ordering::Relaxed);
    }
    count.fetch_add(1, Ordering::Relaxed) < CATCH_UPS_MAX
}
