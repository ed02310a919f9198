//! Where pages come from: one trait for every kind of browser, one lease for every page.
//!
//! What a page is wanted for is in its [`LeaseRequest`]. This room knows `cdp`, and of `guard` how a page reaches the
//! network; it knows nothing of what is done with a page.

mod auto;
pub mod browserbase;
pub mod cdp;
mod frame_lock;
mod lease;
mod leave;
pub mod local;
mod popups;
mod request;

use std::time::Duration;

use futures_util::future::BoxFuture;

pub use auto::AutoProvider;
pub use frame_lock::FrameLock;
pub use lease::Lease;
pub use request::{
    Budget, Credentials, Dialogs, Frames, LeaseRequest, PageTime, Popups, Purpose, SESSION_BUDGET_FACTOR,
};

use crate::cdp::CdpError;

/// Why there is no page. Until the browser's first answer every cause is a failed session.
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
    /// More sessions than the account may have, or too many created in a minute.
    #[error("{sentence}")]
    RateLimited {
        /// The provider's message, without secrets.
        sentence: String,
        /// When to try again, if the provider said so.
        retry_after: Option<Duration>,
    },
    /// Browsers on this machine could not be kept alive: none is started for a while.
    #[error("the local browser ended again and again; another is started in a while")]
    Resting {
        /// How long that is.
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
    /// Leases a page in a browser context of its own, given back when the lease is dropped. Dropping the future leaves
    /// nothing behind either.
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>>;

    /// Whether a lease would be given now.
    ///
    /// # Errors
    /// [`ProviderError`] with the reason where it would not.
    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>>;

    /// Ends every browser of this provider and waits until they are gone.
    fn end(&self) -> BoxFuture<'_, ()>;
}
