//! Judges requests. On a local network the egress judges them and none is paused. On a remote one we pause and judge
//! documents (the first, each redirect, each frame's) and every request that names a private host, or all requests.

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{
    ContinueRequestParams, EnableParams as EnableFetch, FailRequestParams, RequestPattern,
};
use chromiumoxide_cdp::cdp::browser_protocol::network::{ErrorReason, ResourceType};
use tokio::task::JoinSet;

use super::events::{DOCUMENT, Request, RequestPaused};
use super::shared::Watched;
use crate::cdp::{CdpError, Event, Session};
use crate::guard::refusal::InvalidUrl;
use crate::guard::{Asker, Intercept, Refusal, RemoteNetwork};

/// Schemes that are loaded without the network.
const WITHIN_THE_BROWSER: [&str; 3] = ["about:", "blob:", "data:"];

/// Pauses the requests of this target session that must be judged. On a local network there are none: a single
/// pattern, even one that hardly anything matches, sends every request of the page through the browser's main thread.
pub(super) fn intercept(session: &Session, watched: &Watched) {
    let Some(RemoteNetwork { intercept, .. }) = watched.network.remote() else { return };
    let pattern = |url: &str| RequestPattern::builder().url_pattern(url);
    let patterns = match intercept {
        Intercept::Everything => vec![pattern("*").build()],
        Intercept::DocumentsAndPrivate => {
            let documents = pattern("*").resource_type(ResourceType::Document).build();
            let private = watched.guard.url_patterns();
            std::iter::once(documents).chain(private.iter().map(|url| pattern(url).build())).collect()
        }
    };
    session.call(&EnableFetch { patterns: Some(patterns), handle_auth_requests: None }).forget();
}

/// Judges a paused request.
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
        // Judges the URL alone: a DNS lookup would delay every request.
        let verdict = watched.guard.judge_url(&paused.request.url, &paused.request.asker());
        answer(session, paused, watched, verdict);
    }
    Ok(())
}

/// Refuses a local page's navigation to a URL with credentials, which is not paused. The egress judges the connection
/// and the browser the scheme; neither sees a password in the URL, which Chromium keeps until a server asks for one.
pub(super) fn refuse_credentials(url: &str, watched: &Watched) {
    if watched.network.egress().is_none() {
        return;
    }
    if let Err(refusal @ Refusal::InvalidUrl(InvalidUrl::Userinfo)) = watched.guard.judge_url(url, &Asker::default()) {
        tracing::info!(%refusal, "a page navigates to a URL with credentials");
        watched.count(&refusal);
        watched.refuse(refusal);
    }
}

async fn judge(session: Session, paused: RequestPaused, watched: Watched) {
    let url = paused.request.url.as_str();
    let is_judged_already = watched.state.borrow().commanded.as_deref() == Some(url);
    let stays_within = WITHIN_THE_BROWSER.iter().any(|scheme| url.starts_with(scheme));
    let navigation = paused.network_id.as_deref().unwrap_or(&paused.request_id);
    let verdict = if is_judged_already || stays_within {
        Ok(())
    } else {
        let asker = paused.request.asker();
        let asker = if paused.resource_type == DOCUMENT { asker.navigating(navigation) } else { asker };
        watched.guard.judge(url, &asker).await.map(drop)
    };
    // Noted before the document continues, so that none of its own requests can come earlier.
    if verdict.is_ok() && paused.resource_type == DOCUMENT {
        watched.guard.navigates(navigation, url);
    }
    answer(&session, paused, &watched, verdict);
}

fn answer(session: &Session, paused: RequestPaused, watched: &Watched, verdict: Result<(), Refusal>) {
    let reason = match verdict {
        Ok(()) => {
            session.call(&ContinueRequestParams::new(paused.request_id)).forget();
            return;
        }
        // We fail the request ourselves: the browser's resolver might find a name that ours did not.
        Err(Refusal::NotResolved { .. }) => ErrorReason::NameNotResolved,
        Err(refusal) => {
            let of_page = paused.resource_type == DOCUMENT && paused.frame_id == watched.main_frame;
            tracing::info!(%refusal, of_page, "a request is refused");
            watched.count(&refusal);
            if of_page && watched.adopts_popups() {
                // A session's tab stays where it is.
                watched.state.send_modify(|state| state.stop_navigation(refusal));
                ErrorReason::Aborted
            } else {
                if of_page {
                    watched.refuse(refusal);
                }
                ErrorReason::BlockedByClient
            }
        }
    };
    session.call(&FailRequestParams::new(paused.request_id, reason)).forget();
}

impl Request {
    /// Returns the sender, as far as the browser names it.
    fn asker(&self) -> Asker {
        let headers = &self.headers;
        Asker::named(headers.origin.as_deref(), headers.referer.as_deref(), headers.site.as_deref())
    }
}
