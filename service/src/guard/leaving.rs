//! Tells a page of targets that were refused, before its browser hears of it, so that a navigation there can be stopped
//! while the page that it would leave is still shown.
//!
//! Local browsers don't report redirects until a document has come, so those of plain `http` are followed here.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use tokio::time::timeout;
use url::Url;

use super::Refusal;
use super::scope::{authority_of, without_fragment};
use super::target::Authority;

/// Called with a target that was refused. The browser learns of the refusal once it has returned.
pub type OnRefusal = dyn Fn(Authority, Refusal) -> BoxFuture<'static, ()> + Send + Sync;

/// How long the browser's answer may wait for the pages.
const ANSWER_WAITS_MAX: Duration = Duration::from_secs(2);
/// How many of the latest redirects are remembered.
const REDIRECTS_KEPT: usize = 64;
/// How many redirects lead on from one request, at most: as many as Chromium follows (`net::URLRequest::kMaxRedirects`).
const STEPS_MAX: usize = 20;
/// Longest URL of a redirect that is remembered, in bytes.
const URL_MAX_BYTES: usize = 4_096;

/// The pages that are told, and where redirects led lately.
#[derive(Default)]
pub(super) struct Leaving {
    told: Mutex<Vec<Weak<OnRefusal>>>,
    redirects: Mutex<VecDeque<(Url, Url)>>,
}

impl Leaving {
    /// Tells this page too, for as long as it lives.
    pub(super) fn tells(&self, page: &Arc<OnRefusal>) {
        let mut told = self.told();
        told.retain(|page| page.strong_count() > 0);
        told.push(Arc::downgrade(page));
    }

    /// Tells the pages that a target was refused, and waits until they have acted on it.
    pub(super) async fn refused(&self, authority: &Authority, refusal: &Refusal) {
        let told: Vec<Arc<OnRefusal>> = self.told().iter().filter_map(Weak::upgrade).collect();
        let acting = join_all(told.iter().map(|page| page(authority.clone(), refusal.clone())));
        if timeout(ANSWER_WAITS_MAX, acting).await.is_err() {
            tracing::debug!("a page did not act on a refusal in time");
        }
    }

    /// Records the answer to a plain `http` request; `location` is set for a redirect.
    pub(super) fn answered(&self, url: &str, location: Option<&str>) {
        let Some(location) = location.filter(|location| location.len() + url.len() <= URL_MAX_BYTES) else { return };
        let Some(from) = Url::parse(url).ok().map(without_fragment) else { return };
        let Some(to) = from.join(location).ok().map(without_fragment) else { return };
        let mut redirects = self.redirects();
        redirects.retain(|(known, _)| *known != from);
        if redirects.len() == REDIRECTS_KEPT {
            redirects.pop_front();
        }
        redirects.push_back((from, to));
    }

    /// Whether a request for `url` leads to this authority, by itself or by redirects.
    pub(super) fn leads_to(&self, url: &str, authority: &Authority) -> bool {
        let redirects = self.redirects();
        let mut at = url.parse().ok().map(without_fragment);
        for _ in 0..=STEPS_MAX {
            let Some(url) = at else { return false };
            if authority_of(url.as_str()).as_ref() == Some(authority) {
                return true;
            }
            at = redirects.iter().find(|(from, _)| *from == url).map(|(_, to)| to.clone());
        }
        false
    }

    fn told(&self) -> MutexGuard<'_, Vec<Weak<OnRefusal>>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn redirects(&self) -> MutexGuard<'_, VecDeque<(Url, Url)>> {
        self.redirects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Leaving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Leaving").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use url::Host;

    use super::*;

    #[test]
    fn redirects_are_followed_and_bounded() {
        let leaving = Leaving::default();
        let authority = |name: &str| (Host::Domain(name.to_owned()), 80);
        leaving.answered("http://a.test/x", Some("/y"));
        leaving.answered("http://a.test/y", Some("http://b.test/"));
        leaving.answered("http://b.test/", None);
        assert!(leaving.leads_to("http://a.test/x#part", &authority("b.test")));
        assert!(!leaving.leads_to("http://a.test/z", &authority("b.test")));
        assert!(!leaving.leads_to("about:blank", &authority("b.test")));
        // A circle ends, and many redirects push out the first.
        leaving.answered("http://b.test/", Some("http://a.test/x"));
        assert!(!leaving.leads_to("http://a.test/x", &authority("c.test")));
        for number in 0..REDIRECTS_KEPT {
            leaving.answered(&format!("http://c.test/{number}"), Some("http://d.test/"));
        }
        assert!(!leaving.leads_to("http://a.test/x", &authority("b.test")));
        assert!(leaving.leads_to("http://c.test/1", &authority("d.test")));
    }
}
