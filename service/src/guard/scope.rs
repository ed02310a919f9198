//! Which pages may use the exceptions of `PORTHOLE_ALLOW_TARGETS`. An exception holds for the document that the caller
//! named and its redirects, and for subresources of documents that are themselves on an exception. A foreign page must
//! not reach what the operator opened for callers.
//!
//! A proxy does not see which document asks, so one [`Scope`] for each page keeps what is known of it: where the page was
//! let through to, and which documents its frames went to. A request passes if one of these holds:
//!
//! 1. Nothing but exceptions was ever let through for this page: there is no foreign content that could ask.
//! 2. Its `Origin`, `Referer` or `Sec-Fetch-Site` names an asker on an exception. A page can leave these out, but not
//!    forge them.
//! 3. The page's only navigation so far is the caller's, and the request is for where that navigation leads.
//! 4. Every document that a frame went to is on an exception.
//!
//! 3 and 4 rest on the browser's events, which are first read up to the present.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::future::BoxFuture;
use http::HeaderMap;
use http::header::{ORIGIN, REFERER};
use url::Url;

use super::Guard;
use super::policy::AllowFrom;
use super::target::Authority;

/// Hosts and ports that are remembered. A page that asks for more counts as one that has foreign content.
const AUTHORITIES_MAX: usize = 2_048;
/// Navigations that are remembered, of all frames; beyond, a page counts as one with documents that can't be followed.
const NAVIGATIONS_MAX: usize = 512;

/// Reads the browser's events up to the present and returns whether that succeeded; with `true` also those that a
/// renderer sends by itself.
pub type CatchUp = Box<dyn Fn(bool) -> BoxFuture<'static, bool> + Send + Sync>;

/// One page's right to use exceptions.
#[derive(Default)]
pub(super) struct Scope {
    known: Mutex<Known>,
    catch_up: OnceLock<CatchUp>,
}

#[derive(Debug, Default)]
struct Known {
    /// Whether the caller has named a document. Before that the page has no business anywhere.
    is_named: bool,
    /// Where connections were let through to, and whether each time only an exception opened it.
    authorities: HashMap<Authority, bool>,
    /// Whether anything but an exception was let through.
    has_foreign_content: bool,
    /// Navigations of all frames by their ids, and where each leads by now.
    navigations: HashMap<String, Authority>,
    /// The caller's navigation.
    first: Option<String>,
    /// The URL whose answer decides where the caller's document comes from, without its fragment, until that has come.
    asked_for: Option<Url>,
    /// Where the latest redirect of the caller's document leads, as long as the browser has not reported where it came to.
    redirected_to: Option<Authority>,
    /// Whether there are documents that can't be followed, such as frames in processes of their own.
    has_unknown_documents: bool,
}

/// Who asks, as far as the request itself says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// Hosts and ports of the documents that are named, all of which must be on an exception.
    authorities: Vec<Authority>,
    /// Whether the browser says that the request is from the target's own origin.
    is_same_origin: bool,
    /// The navigation that this request is for, where that is known.
    navigation: Option<String>,
}

// === impl Asker ===

impl Asker {
    /// Reads what a browser's request says of its sender.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Asker {
        const SEC_FETCH_SITE: &str = "sec-fetch-site";
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        Asker::named(text(ORIGIN.as_str()), text(REFERER.as_str()), text(SEC_FETCH_SITE))
    }

    /// The same of single headers.
    #[must_use]
    pub fn named(origin: Option<&str>, referer: Option<&str>, site: Option<&str>) -> Asker {
        let is_same_origin = site.is_some_and(|site| site.eq_ignore_ascii_case("same-origin"));
        let named: Vec<&str> = origin.into_iter().chain(referer).collect();
        // `null` is an origin that the browser keeps to itself, so it vouches for nobody.
        let authorities: Option<Vec<Authority>> = named.into_iter().map(authority_of).collect();
        match authorities {
            Some(authorities) => Asker { authorities, is_same_origin, navigation: None },
            None => Asker::default(),
        }
    }

    /// The same for a document's request, which is part of this navigation.
    #[must_use]
    pub fn navigating(self, navigation: &str) -> Asker {
        Asker { navigation: Some(navigation.to_owned()), ..self }
    }
}

fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

/// Host and port of an `http` or `https` URL.
fn authority_of(url: &str) -> Option<Authority> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some((url.host()?.to_owned(), url.port_or_known_default()?))
}

// === impl Scope ===

impl Scope {
    /// The caller has named a document at this authority.
    pub(super) fn name(&self, url: &Url, authority: &Authority, is_excepted: bool) {
        let mut known = self.known();
        if !known.is_named {
            known.asked_for = Some(without_fragment(url.clone()));
        }
        known.is_named = true;
        known.passed(authority, is_excepted);
    }

    /// A plain `http` request was answered, by a redirect that leads to `location` or by anything else. Pages whose network
    /// is not reported tell no redirects, so those of the caller's document are followed here. Nothing of the page runs
    /// before that document has come, so nobody else can have asked for its URL until then.
    pub(super) fn answered(&self, url: &str, location: Option<&str>) {
        let mut known = self.known();
        let Some(asked_for) = known.asked_for.take() else { return };
        if Url::parse(url).ok().map(without_fragment).as_ref() != Some(&asked_for) {
            known.asked_for = Some(asked_for);
            return;
        }
        let Some(next) = location.and_then(|location| asked_for.join(location).ok()) else { return };
        known.redirected_to = authority_of(next.as_str());
        known.asked_for = Some(without_fragment(next));
    }

    /// How to learn of events that are still on their way. Without it, the events that were told are all that there are.
    pub(super) fn learns_by(&self, catch_up: CatchUp) {
        // A page is opened once.
        drop(self.catch_up.set(catch_up));
    }

    /// A frame's navigation leads here: its start, each redirect and its end are told, the latest counts.
    pub(super) fn navigates(&self, navigation: &str, url: &str) {
        // What has no host is made by the document that opened it.
        let Some(authority) = authority_of(url) else { return };
        let mut known = self.known();
        if known.first.is_none() {
            known.first = Some(navigation.to_owned());
        } else if known.first.as_deref() == Some(navigation) {
            // The browser itself says where it came to.
            (known.asked_for, known.redirected_to) = (None, None);
        }
        if known.navigations.len() < NAVIGATIONS_MAX || known.navigations.contains_key(navigation) {
            known.navigations.insert(navigation.to_owned(), authority);
        } else {
            known.has_unknown_documents = true;
        }
    }

    /// There is a document that can't be followed.
    pub(super) fn has_unknown_document(&self) {
        self.known().has_unknown_documents = true;
    }

    /// A connection to this authority was let through.
    pub(super) fn passed(&self, authority: &Authority, is_excepted: bool) {
        self.known().passed(authority, is_excepted);
    }

    /// Whether this page was let through there, and each time by an exception.
    pub(super) fn has_passed_by_exception(&self, authority: &Authority) -> bool {
        self.known().authorities.get(authority).copied().unwrap_or_default()
    }

    /// Whether this request may use an exception, once all events until now are read.
    pub(super) async fn allows(&self, guard: &Guard, authority: &Authority, asker: &Asker) -> bool {
        if self.allows_outright(guard, authority, asker) {
            return true;
        }
        let (is_named, has_navigated_again) = {
            let known = self.known();
            (known.is_named, known.navigations.len() > 1)
        };
        if !is_named {
            return false;
        }
        match self.catch_up.get() {
            Some(catch_up) => catch_up(has_navigated_again).await && self.allows_by_events(guard, authority, asker),
            None => self.allows_by_events(guard, authority, asker),
        }
    }

    /// The same by what is known already.
    pub(super) fn allows_now(&self, guard: &Guard, authority: &Authority, asker: &Asker) -> bool {
        self.allows_outright(guard, authority, asker) || self.allows_by_events(guard, authority, asker)
    }

    /// The first two rules.
    pub(super) fn allows_outright(&self, guard: &Guard, authority: &Authority, asker: &Asker) -> bool {
        if guard.policy.allow_from == AllowFrom::Any {
            return true;
        }
        let known = self.known();
        known.is_named
            && (!known.has_foreign_content
                || (asker.is_same_origin && known.is_excepted(guard, authority))
                || (!asker.authorities.is_empty()
                    && asker.authorities.iter().all(|asker| known.is_excepted(guard, asker))))
    }

    /// The other two.
    fn allows_by_events(&self, guard: &Guard, authority: &Authority, asker: &Asker) -> bool {
        let known = self.known();
        if !known.is_named || known.has_unknown_documents {
            return false;
        }
        known.is_callers_navigation(authority, asker)
            || (!known.navigations.is_empty()
                && known.navigations.values().all(|document| known.is_excepted(guard, document)))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("known", &self.known).finish_non_exhaustive()
    }
}

// === impl Known ===

impl Known {
    fn passed(&mut self, authority: &Authority, is_excepted: bool) {
        self.has_foreign_content |= !is_excepted;
        if let Some(only_excepted) = self.authorities.get_mut(authority) {
            *only_excepted &= is_excepted;
        } else if self.authorities.len() < AUTHORITIES_MAX {
            self.authorities.insert(authority.clone(), is_excepted);
        } else {
            self.has_foreign_content = true;
        }
    }

    /// Whether what comes from this authority comes from an exception. A name whose addresses decide must have been dialled,
    /// and never have led elsewhere.
    fn is_excepted(&self, guard: &Guard, authority: &Authority) -> bool {
        self.authorities.get(authority).copied().unwrap_or_else(|| guard.excepts(authority))
    }

    /// Whether the page has done nothing but follow the caller's navigation, and this request is where that leads.
    fn is_callers_navigation(&self, authority: &Authority, asker: &Asker) -> bool {
        let Some(first) = self.first.as_deref() else { return false };
        self.navigations.len() == 1
            && match asker.navigation.as_deref() {
                Some(navigation) => navigation == first,
                None => {
                    self.navigations.get(first) == Some(authority) || self.redirected_to.as_ref() == Some(authority)
                }
            }
    }
}
