//! Requests. Where the network is ours, the egress judges where they lead, and none of them is stopped. Elsewhere they are
//! judged while they stand still: documents (the first, each redirect, each frame's) and whatever names a private host, or
//! everything.

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{
    ContinueRequestParams, EnableParams as EnableFetch, FailRequestParams, RequestPattern,
};
use chromiumoxide_cdp::cdp::browser_protocol::network::{ErrorReason, ResourceType};
use tokio::task::JoinSet;

use super::events::{DOCUMENT, RequestPaused};
use super::state::Fatal;
use super::watch::Watched;
use crate::cdp::{CdpError, Event, Session};
use crate::guard::refusal::InvalidUrl;
use crate::guard::{Intercept, Network, Refusal, RemoteNetwork, private_url_patterns};

/// Schemes that no network is asked for.
const WITHIN_THE_BROWSER: [&str; 3] = ["about:", "blob:", "data:"];

/// Has the requests of this session stopped that are to be judged. None where the network is ours: one pattern, even one
/// that hardly anything matches, sends every request of the page by way of the browser's main thread.
pub(super) fn intercept(session: &Session, network: &Network) {
    let Some(RemoteNetwork { intercept, .. }) = network.remote() else { return };
    let pattern = |url: &str| RequestPattern::builder().url_pattern(url);
    let patterns = match intercept {
        Intercept::Everything => vec![pattern("*").build()],
        Intercept::DocumentsAndPrivate => {
            let documents = pattern("*").resource_type(ResourceType::Document).build();
            let private = private_url_patterns();
            std::iter::once(documents).chain(private.iter().map(|url| pattern(url).build())).collect()
        }
    };
    session.call(&EnableFetch { patterns: Some(patterns), handle_auth_requests: None }).forget();
}

/// A request that stands still.
pub(super) fn paused(
    event: &Event,
    session: &Session,
    watched: &Watched,
    judging: &mut JoinSet<()>,
) -> Result<(), CdpError> {
    let paused: RequestPaused = event.read()?;
    if paused.resource_type == DOCUMENT || watched.intercepts_everything() {
        judging.spawn(judge(session.clone(), paused, watched.clone()));
    } else {
        // What it names is all that is asked: DNS is not, or every request would pay for it.
        let verdict = watched.guard.judge_url(&paused.request.url).map(drop);
        answer(session, paused, watched, verdict);
    }
    Ok(())
}

/// The page goes to `url`, and nothing was stopped for it. Whether it may reach that place is the egress's to say, and
/// which schemes a page may open the browser's; a password neither sees: Chromium keeps it until it is asked for one.
pub(super) fn goes_to(url: &str, watched: &Watched) {
    if watched.network.egress().is_none() {
        return;
    }
    if let Err(refusal @ Refusal::InvalidUrl(InvalidUrl::Userinfo)) = watched.guard.judge_url(url) {
        tracing::info!(%refusal, "a page goes to where none may");
        watched.count(&refusal);
        watched.fail(Fatal::Blocked(refusal));
    }
}

async fn judge(session: Session, paused: RequestPaused, watched: Watched) {
    let url = paused.request.url.as_str();
    let is_judged_already = url == watched.first.url().as_str();
    let stays_within = WITHIN_THE_BROWSER.iter().any(|scheme| url.starts_with(scheme));
    let verdict = if is_judged_already || stays_within { Ok(()) } else { watched.guard.judge(url).await.map(drop) };
    answer(&session, paused, &watched, verdict);
}

fn answer(session: &Session, paused: RequestPaused, watched: &Watched, verdict: Result<(), Refusal>) {
    let reason = match verdict {
        Ok(()) => {
            session.call(&ContinueRequestParams::new(paused.request_id)).forget();
            return;
        }
        // Failed here and not left to the browser: its resolver might find what ours did not.
        Err(Refusal::NotResolved { .. }) => ErrorReason::NameNotResolved,
        Err(refusal) => {
            let of_page = paused.resource_type == DOCUMENT && paused.frame_id == watched.main_frame;
            tracing::info!(%refusal, of_page, "a request is refused");
            watched.count(&refusal);
            if of_page {
                watched.fail(Fatal::Blocked(refusal));
            }
            ErrorReason::BlockedByClient
        }
    };
    session.call(&FailRequestParams::new(paused.request_id, reason)).forget();
}

impl Watched {
    /// One more request that was refused.
    pub(super) fn count(&self, refusal: &Refusal) {
        self.blocked.blocked(refusal.label(), 1);
        self.state.send_modify(|state| state.blocked_requests += 1);
    }

    /// The page can't go on; the first reason stays.
    pub(super) fn fail(&self, fatal: Fatal) {
        self.state.send_modify(|state| {
            state.fatal.get_or_insert(fatal);
        });
    }
}
