//! Where pages come from. One trait, whatever runs the browser; one lease, whatever gave the page.
//!
//! Knows `cdp`; knows nothing of what is done with a page.

mod lease;
pub mod local;

use futures_util::future::BoxFuture;

pub use lease::Lease;

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
    /// The provider is ending.
    #[error("the service is ending")]
    Ending,
}

/// Something that gives pages.
pub trait Provider: Send + Sync {
    /// A page in a browser context of its own, given back when the lease is dropped. A caller that stops waiting
    /// leaves nothing behind either.
    fn lease(&self) -> BoxFuture<'_, Result<Lease, ProviderError>>;

    /// Whether a lease would be given now; if not, why.
    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>>;

    /// Ends every browser of ours and waits until they are gone.
    fn end(&self) -> BoxFuture<'_, ()>;
}
