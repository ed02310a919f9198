//! The default provider: Browserbase for requests that carry its credentials, the local browser for all others.

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join};

use super::browserbase::BrowserbaseProvider;
use super::local::LocalProvider;
use super::{Lease, LeaseRequest, Provider, ProviderError};

/// Chooses the provider by whether the request carries credentials.
pub struct AutoProvider {
    /// For requests without credentials.
    pub local: LocalProvider,
    /// For requests with credentials.
    pub browserbase: BrowserbaseProvider,
}

impl Provider for AutoProvider {
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        if request.credentials.is_some() { self.browserbase.lease(request) } else { self.local.lease(request) }
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        // Without a local browser only requests with credentials can succeed, so Browserbase's readiness counts.
        if self.local.is_installed() { self.local.ready() } else { self.browserbase.ready() }
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        join(self.local.end(), self.browserbase.end()).map(drop).boxed()
    }
}
