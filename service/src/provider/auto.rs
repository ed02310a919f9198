//! The default: Browserbase for requests that carry its credentials, the local browser for all others.

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join};

use super::browserbase::BrowserbaseProvider;
use super::local::LocalProvider;
use super::{Lease, Order, Provider, ProviderError};

/// Chooses by what the request carries.
pub struct AutoProvider {
    /// For requests without credentials.
    pub local: LocalProvider,
    /// For requests with credentials.
    pub browserbase: BrowserbaseProvider,
}

impl Provider for AutoProvider {
    fn lease(&self, order: Order) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        if order.credentials.is_some() { self.browserbase.lease(order) } else { self.local.lease(order) }
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        // Without a browser on this machine all requests are Browserbase's, or told that nothing is configured.
        if self.local.is_installed() { self.local.ready() } else { self.browserbase.ready() }
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        join(self.local.end(), self.browserbase.end()).map(drop).boxed()
    }
}
