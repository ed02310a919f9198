//! The guard of one page: judges like [`Guard`], but applies exceptions only where the page may use them, and bounds
//! the page's look-ups.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use url::Host;

use super::hosts::AllowHosts;
use super::leaving::{Leaving, OnRefusal};
use super::lent::LentTunnel;
use super::lookups::PageLookups;
use super::patterns::{patterns_of_name, private_url_patterns};
use super::refusal::Blocked;
use super::scope::{Asker, CatchUp, Scope};
use super::target::Authority;
use super::{Grounds, Guard, Pass, Refusal, Target};

/// Judges for one page, from its lease to its end. Clones share their state.
#[derive(Clone, Debug)]
pub struct PageGuard(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    guard: Guard,
    /// The same guard without any exception.
    strict: Guard,
    scope: Scope,
    lookups: PageLookups,
    leaving: Leaving,
    /// The only hosts that the page may reach, if its caller named some.
    hosts: OnceLock<AllowHosts>,
}

/// A target that may be dialled, and the guard that judges each of its addresses again.
pub(super) struct Dialable {
    pub(super) target: Target,
    pub(super) guard: Guard,
}

// === impl PageGuard ===

impl PageGuard {
    /// Creates a guard for a new page. It has no exceptions until [`PageGuard::name`] is called.
    #[must_use]
    pub fn new(guard: Guard) -> PageGuard {
        let strict = guard.without_exceptions();
        PageGuard(Arc::new(Inner {
            guard,
            strict,
            scope: Scope::default(),
            lookups: PageLookups::default(),
            leaving: Leaving::default(),
            hosts: OnceLock::new(),
        }))
    }

    /// Lets the page reach these hosts only. The first list holds.
    pub fn restrict(&self, hosts: AllowHosts) {
        if self.0.hosts.set(hosts).is_err() {
            tracing::error!("a page has a list of hosts already");
        }
    }

    /// Judges a URL by the list of hosts alone.
    ///
    /// # Errors
    /// [`Refusal::InvalidUrl`] or [`Refusal::Blocked`].
    pub fn judge_host(&self, url: &str) -> Result<(), Refusal> {
        self.0.permits(Target::read(url)?.host())
    }

    /// Records that the caller has named this target, to which the page is about to navigate.
    pub fn name(&self, target: &Target) {
        self.0.scope.name(target.url(), &target.authority(), target.grounds() == Grounds::Exception);
    }

    /// Sets how the page's pending events are read.
    pub fn learns_by(&self, catch_up: CatchUp) {
        self.0.scope.learns_by(catch_up);
    }

    /// Records that the navigation of a frame with this id leads to this URL.
    pub fn navigates(&self, navigation: &str, url: &str) {
        self.0.scope.navigates(&self.0.guard, navigation, url);
    }

    /// Records the answer to a plain `http` request of the page; `location` is the target of a redirect.
    pub(super) fn answered(&self, url: &str, location: Option<&str>) {
        self.0.scope.answered(url, location);
        self.0.leaving.answered(url, location);
    }

    /// Tells this page of targets that are refused, for as long as it lives. Of a local network only.
    pub fn tells_refusals(&self, page: &Arc<OnRefusal>) {
        self.0.leaving.tells(page);
    }

    /// Returns whether a request for `url` leads to this authority, as far as its redirects are known.
    #[must_use]
    pub fn leads_to(&self, url: &str, authority: &Authority) -> bool {
        self.0.leaving.leads_to(url, authority)
    }

    /// Tells the pages that this target was refused, and waits until they have acted on it.
    pub(super) async fn refused(&self, authority: &Authority, refusal: &Refusal) {
        self.0.leaving.refused(authority, refusal).await;
    }

    /// Records that the page has a document whose navigations are not reported to [`PageGuard::navigates`].
    pub fn has_unknown_document(&self) {
        self.0.scope.has_unknown_document(&self.0.guard);
    }

    /// Judges a URL without asking DNS, as [`Guard::judge_url`] does.
    ///
    /// # Errors
    /// As there.
    pub fn judge_url(&self, url: &str, asker: &Asker) -> Result<(), Refusal> {
        self.judge_host(url)?;
        let Inner { guard, strict, scope, .. } = &*self.0;
        let target = guard.judge_url(url)?;
        let authority = target.authority();
        if target.grounds() == Grounds::Exception && scope.allows_now(guard, &authority, asker) {
            scope.passed(&authority, true);
        } else if target.grounds() == Grounds::Exception {
            strict.judge_url(url).map_err(Refusal::in_spite_of_exception)?;
        }
        Ok(())
    }

    /// Judges a URL and every address of its name, as [`Guard::judge`] does.
    ///
    /// # Errors
    /// As there; a page that has used up its look-ups gets [`Refusal::NotResolved`].
    pub async fn judge(&self, url: &str, asker: &Asker) -> Result<Target, Refusal> {
        Ok(self.judge_dialable(url, asker).await?.target)
    }

    pub(super) async fn judge_dialable(&self, url: &str, asker: &Asker) -> Result<Dialable, Refusal> {
        let Inner { guard, strict, scope, lookups, .. } = &*self.0;
        let target = Target::read(url)?;
        self.0.permits(target.host())?;
        let authority = target.authority();
        let answer = guard.answer(&target, |host, port| lookups.ask(&guard.policy.resolver, host, port)).await?;
        let opened = guard.judge_answer(target.clone(), &answer)?;
        let is_excepted = opened.grounds() == Grounds::Exception;
        let judged = if !is_excepted || scope.allows(guard, &authority, asker).await {
            if is_excepted {
                scope.passed(&authority, true);
            } else {
                scope.lets_foreign_through(guard, &authority).await;
            }
            Dialable { target: opened, guard: guard.clone() }
        } else {
            let target = strict.judge_answer(target, &answer).map_err(Refusal::in_spite_of_exception)?;
            scope.lets_foreign_through(guard, &authority).await;
            Dialable { target, guard: strict.clone() }
        };
        Ok(judged)
    }

    /// Returns whether a request may reuse a connection to this authority that an exception opened for an earlier one.
    pub(super) fn allows_again(&self, authority: &Authority, asker: &Asker) -> bool {
        self.0.scope.allows_outright(&self.0.guard, authority, asker)
    }

    /// Lends the page a tunnel to this site, which an exception has opened.
    pub(super) fn lends<S>(&self, site: S) -> LentTunnel<S> {
        let page = self.clone();
        self.0.scope.lends(&self.0.guard, Box::new(move || page.reads_events_of_foreigners()), site)
    }

    /// Reads the page's pending events where foreign content of it might use a lent tunnel; `None` where there is none.
    fn reads_events_of_foreigners(&self) -> Option<BoxFuture<'static, ()>> {
        let reading = self.0.scope.reads_for_foreigners(&self.0.guard)?;
        let inner = Arc::clone(&self.0);
        Some(Box::pin(async move {
            let is_known = reading.await;
            inner.scope.was_read(&inner.guard, is_known);
        }))
    }

    /// Records this authority as let through, without a connection.
    #[cfg(test)]
    pub(super) fn passed_for_tests(&self, authority: &Authority, is_excepted: bool) {
        self.0.scope.passed(authority, is_excepted);
    }

    /// Returns the URL patterns that a remote browser intercepts, so that matching requests are judged before they are
    /// sent: URLs that name a private host literally, and names that an exception opens.
    #[must_use]
    pub fn url_patterns(&self) -> Vec<String> {
        let mut patterns = private_url_patterns();
        patterns.extend(self.0.guard.policy.allow.names().flat_map(patterns_of_name));
        patterns
    }

    /// Judges an address that an answer came from, as [`Guard::judge_address`] does. An exception counts only where
    /// the page may use it.
    ///
    /// # Errors
    /// As there.
    pub fn judge_address(&self, host: &Host<String>, dialled: SocketAddr) -> Result<(), Refusal> {
        let Inner { guard, strict, scope, .. } = &*self.0;
        self.0.permits(host)?;
        let authority = (host.clone(), dialled.port());
        if guard.judge_pass(host, dialled)? == Pass::Exception
            && !scope.has_passed_by_exception(&authority)
            && !scope.allows_now(guard, &authority, &Asker::default())
        {
            strict.judge_address(host, dialled)?;
        }
        Ok(())
    }
}

// === impl Inner ===

impl Inner {
    fn permits(&self, host: &Host<String>) -> Result<(), Refusal> {
        match self.hosts.get() {
            Some(hosts) if !hosts.allows(host) => Err(Blocked::NotNamed { host: host.to_string() }.into()),
            _ => Ok(()),
        }
    }
}
