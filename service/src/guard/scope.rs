//! Decides which pages may use the exceptions of `PORTHOLE_ALLOW_TARGETS`. An exception applies to the document that
//! the caller named and its redirects, and to subresources of documents that are themselves on an exception. A foreign
//! page must not reach targets that the operator opened for callers.
//!
//! A proxy does not see which document sends a request, so each page has a [`Scope`]. It records the authorities that
//! the page was let through to and the documents that its frames navigated to. A request passes if one of these holds:
//!
//! 1. So far the page was let through to exceptions only: it has no foreign content that could send the request.
//! 2. Its `Origin`, `Referer` or `Sec-Fetch-Site` names a sender on an exception. A page can omit these headers, but
//!    not forge them.
//! 3. The page's only navigation so far is the caller's, and the request is for the target of that navigation.
//! 4. Every document that a frame navigated to is on an exception.
//!
//! Rules 3 and 4 depend on the browser's events, so pending events are read first.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::future::BoxFuture;
use http::HeaderMap;
use http::header::{ORIGIN, REFERER};
use url::Url;

use super::Guard;
use super::lent::{LentTunnel, LentTunnels, Reads};
use super::policy::AllowFrom;
use super::target::Authority;

/// Authorities remembered for one page. A page that reaches more counts as having foreign content.
const AUTHORITIES_MAX: usize = 2_048;
/// Navigations remembered for one page, over all frames. A page with more counts as having unknown documents.
const NAVIGATIONS_MAX: usize = 512;

/// Runs the page's event barrier and returns whether the browser answered. With `true`, it also waits for the events
/// of the renderer.
pub type CatchUp = Box<dyn Fn(bool) -> BoxFuture<'static, bool> + Send + Sync>;

/// One page's right to use exceptions.
#[derive(Default)]
pub(super) struct Scope {
    known: Mutex<Known>,
    catch_up: OnceLock<CatchUp>,
    tunnels: LentTunnels,
}

#[derive(Debug, Default)]
struct Known {
    /// Whether the caller has named a document. Until then the page may use no exception.
    is_named: bool,
    /// Authorities that connections were let through to, and whether an exception was needed each time.
    authorities: HashMap<Authority, bool>,
    /// Whether the page was let through to anything but an exception.
    has_foreign_content: bool,
    /// Navigations of all frames by id, with the authority that each leads to at present.
    navigations: HashMap<String, Authority>,
    /// Id of the caller's navigation.
    first: Option<String>,
    /// URL of the caller's document or of its latest redirect, without fragment, until its answer has come.
    asked_for: Option<Url>,
    /// Target of the latest redirect of the caller's document, until the browser reports where the navigation ended.
    redirected_to: Option<Authority>,
    /// Whether the page has documents whose navigations are not reported, such as frames in other processes.
    has_unknown_documents: bool,
}

/// The sender of a request, as far as the request identifies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// Authorities of the documents that the headers name; all of them must be on an exception.
    authorities: Vec<Authority>,
    /// Whether the browser marked the request as coming from the target's own origin.
    is_same_origin: bool,
    /// Id of the navigation that this request belongs to, if known.
    navigation: Option<String>,
}

// === impl Asker ===

impl Asker {
    /// Reads the sender from the headers of a browser's request.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Asker {
        const SEC_FETCH_SITE: &str = "sec-fetch-site";
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        Asker::named(text(ORIGIN.as_str()), text(REFERER.as_str()), text(SEC_FETCH_SITE))
    }

    /// Reads the sender from the values of the three headers.
    #[must_use]
    pub fn named(origin: Option<&str>, referer: Option<&str>, site: Option<&str>) -> Asker {
        let is_same_origin = site.is_some_and(|site| site.eq_ignore_ascii_case("same-origin"));
        let named: Vec<&str> = origin.into_iter().chain(referer).collect();
        // With the origin `null` the browser hides the sender, so it identifies no document.
        let authorities: Option<Vec<Authority>> = named.into_iter().map(authority_of).collect();
        match authorities {
            Some(authorities) => Asker { authorities, is_same_origin, navigation: None },
            None => Asker::default(),
        }
    }

    /// Adds the navigation that a document's request belongs to.
    #[must_use]
    pub fn navigating(self, navigation: &str) -> Asker {
        Asker { navigation: Some(navigation.to_owned()), ..self }
    }
}

pub(super) fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}

/// Returns the host and port of an `http` or `https` URL.
pub(super) fn authority_of(url: &str) -> Option<Authority> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some((url.host()?.to_owned(), url.port_or_known_default()?))
}

// === impl Scope ===

impl Scope {
    /// Records that the caller has named a document at this authority.
    pub(super) fn name(&self, url: &Url, authority: &Authority, is_excepted: bool) {
        let mut known = self.known();
        if !known.is_named {
            known.asked_for = Some(without_fragment(url.clone()));
        }
        known.is_named = true;
        known.passed(authority, is_excepted);
    }

    /// Records the answer to a plain `http` request; `location` is set for a redirect. Pages without network events
    /// don't report redirects, so those of the caller's document are followed here. No script of the page runs before
    /// that document arrives, so until then only the caller's navigation can have requested its URL.
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

    /// Sets how pending events are read. Without it, only the events reported so far count.
    pub(super) fn learns_by(&self, catch_up: CatchUp) {
        // A page is opened only once, so the cell is empty.
        drop(self.catch_up.set(catch_up));
    }

    /// Records where a frame's navigation leads. Called at its start, each redirect and its end; the latest URL
    /// counts.
    pub(super) fn navigates(&self, guard: &Guard, navigation: &str, url: &str) {
        // A URL without a host names a document that its opener created.
        let Some(authority) = authority_of(url) else { return };
        let mut known = self.known();
        if known.first.is_none() {
            known.first = Some(navigation.to_owned());
        } else if known.first.as_deref() == Some(navigation) {
            // The browser's own report replaces what was followed here.
            (known.asked_for, known.redirected_to) = (None, None);
        }
        if known.navigations.len() < NAVIGATIONS_MAX || known.navigations.contains_key(navigation) {
            known.navigations.insert(navigation.to_owned(), authority);
        } else {
            known.has_unknown_documents = true;
        }
        self.end_tunnels_for(guard, &known);
    }

    /// Records that the page has a document whose navigations are not reported.
    pub(super) fn has_unknown_document(&self, guard: &Guard) {
        let mut known = self.known();
        known.has_unknown_documents = true;
        self.end_tunnels_for(guard, &known);
    }

    /// Records that a connection to this authority was let through.
    pub(super) fn passed(&self, authority: &Authority, is_excepted: bool) {
        self.known().passed(authority, is_excepted);
    }

    /// Records that a foreign connection to this authority is let through. It may bring a document that would use the tunnels
    /// that are lent: so while there are any, pending events are read first.
    pub(super) async fn lets_foreign_through(&self, guard: &Guard, authority: &Authority) {
        let is_known = match self.catch_up.get() {
            Some(catch_up) if self.tunnels.are_open() => catch_up(false).await,
            _ => true,
        };
        self.passed(authority, false);
        self.was_read(guard, is_known);
    }

    /// Lends a tunnel to this site, which an exception has opened. It ends at once if a foreign document came meanwhile.
    pub(super) fn lends<S>(&self, guard: &Guard, reads: Reads, site: S) -> LentTunnel<S> {
        let lent = self.tunnels.open(reads, site);
        self.end_tunnels_for(guard, &self.known());
        lent
    }

    /// Begins to read the pending events of the browser and the renderer, if the page has foreign content.
    pub(super) fn reads_for_foreigners(&self, guard: &Guard) -> Option<BoxFuture<'static, bool>> {
        let matters = guard.policy.allow_from != AllowFrom::Any && self.known().has_foreign_content;
        self.catch_up.get().filter(|_| matters).map(|catch_up| catch_up(true))
    }

    /// Records that pending events were read, or could not be.
    pub(super) fn was_read(&self, guard: &Guard, is_known: bool) {
        let mut known = self.known();
        known.has_unknown_documents |= !is_known;
        self.end_tunnels_for(guard, &known);
    }

    /// Ends the lent tunnels if this page has a foreign document.
    fn end_tunnels_for(&self, guard: &Guard, known: &Known) {
        if guard.policy.allow_from != AllowFrom::Any && known.has_foreign_document(guard) {
            self.tunnels.end();
        }
    }

    /// Returns whether this page was let through to this authority, and by an exception each time.
    pub(super) fn has_passed_by_exception(&self, authority: &Authority) -> bool {
        self.known().authorities.get(authority).copied().unwrap_or_default()
    }

    /// Returns whether this request may use an exception, after reading pending events if they matter.
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

    /// Returns the same, judged by the events read so far.
    pub(super) fn allows_now(&self, guard: &Guard, authority: &Authority, asker: &Asker) -> bool {
        self.allows_outright(guard, authority, asker) || self.allows_by_events(guard, authority, asker)
    }

    /// Applies [`AllowFrom::Any`] and rules 1 and 2.
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

    /// Applies rules 3 and 4.
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

    /// Returns whether content of this authority comes from an exception. A name that is judged by its addresses must
    /// have been dialled, and only by exceptions.
    fn is_excepted(&self, guard: &Guard, authority: &Authority) -> bool {
        self.authorities.get(authority).copied().unwrap_or_else(|| guard.excepts(authority))
    }

    /// Returns whether the page has, or may have, a document that is on no exception.
    fn has_foreign_document(&self, guard: &Guard) -> bool {
        // The browser reports a redirect of the caller's document only once that has come.
        let leads_to =
            |navigation: &String| self.redirected_to.as_ref().filter(|_| self.first.as_ref() == Some(navigation));
        let mut documents = self.navigations.iter().map(|(id, document)| leads_to(id).unwrap_or(document));
        // A document that was refused has not come.
        self.has_foreign_content
            && (self.has_unknown_documents || documents.any(|document| !self.is_excepted(guard, document)))
    }

    /// Returns whether the page's only navigation is the caller's and this request is for its target.
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
