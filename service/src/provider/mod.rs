//! Where pages come from: one trait for every kind of browser, one lease for every page.
//!
//! A [`LeaseRequest`] states what a page is for. This room knows `cdp`, and `guard`'s types for a page's way to the
//! network; it knows nothing of what is done with a page.

mod auto;
pub mod browserbase;
pub mod cdp;
mod downloads;
mod frame_lock;
mod lease;
mod leave;
pub mod local;
mod popups;
mod request;

use std::time::Duration;

use futures_util::future::BoxFuture;

pub use auto::AutoProvider;
pub use downloads::{DownloadNews, DownloadReports, DownloadState, Downloads};
pub use frame_lock::FrameLock;
pub use lease::Lease;
pub use request::{
    Budget, Credentials, Dialogs, Frames, LeaseRequest, PageTime, Popups, Purpose, SESSION_BUDGET_FACTOR,
};

use crate::cdp::CdpError;

/// Why no page was leased.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProviderError {
    /// The browser can't be started or reached.
    #[error("{0}")]
    Unavailable(String),
    /// The browser did not answer in time.
    #[error("the browser gave no page in time")]
    TimedOut,
    /// The browser refused to make a page.
    #[error(transparent)]
    Browser(#[from] CdpError),
    /// There are no credentials to create a remote session with.
    #[error("{0}")]
    NotConfigured(&'static str),
    /// The account has too many remote sessions, or created too many in a minute.
    #[error("{sentence}")]
    RateLimited {
        /// The provider's message, without secrets.
        sentence: String,
        /// When to try again, if the provider reported it.
        retry_after: Option<Duration>,
    },
    /// Local browsers failed repeatedly, so none is started for a while.
    #[error("the local browser failed repeatedly; the next start is delayed")]
    Resting {
        /// How long the next start is delayed.
        retry_after: Duration,
    },
    /// The caller left before there was a page.
    #[error("the caller left before the page was ready")]
    Abandoned,
    /// The provider is ending.
    #[error("the service is ending")]
    Ending,
}

/// A source of pages.
pub trait Provider: Send + Sync {
    /// Leases a page in a browser context of its own, which is given back when the lease is dropped. Dropping the
    /// future releases everything too.
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>>;

    /// Checks whether a page could be leased now.
    ///
    /// # Errors
    /// [`ProviderError`] with the reason if not.
    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>>;

    /// Ends every browser of this provider and waits until they have ended.
    fn end(&self) -> BoxFuture<'_, ()>;
}
