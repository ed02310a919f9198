//! Where pages come from. One trait, whatever runs the browser; one lease, whatever gave the page.
//!
//! Knows `cdp`, and of `guard` how a page reaches the network; knows nothing of what is done with a page.

mod auto;
pub mod browserbase;
pub mod cdp;
mod lease;
mod leave;
pub mod local;
mod popups;
mod turns;

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use tokio::time::Instant;

pub use auto::AutoProvider;
pub use lease::Lease;
pub use turns::Turns;

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
    /// Nobody's credentials to create a session with.
    #[error("{0}")]
    NotConfigured(&'static str),
    /// More sessions than the account may have, or too many created in a minute.
    #[error("{sentence}")]
    RateLimited {
        /// The provider's own words, scrubbed.
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
    #[error("nobody waits for the page any more")]
    Abandoned,
    /// The provider is ending.
    #[error("the service is ending")]
    Ending,
}

/// What a page is wanted for.
#[derive(Clone, Debug)]
pub struct Order {
    /// Whose sessions to use, where the request brought somebody's.
    pub credentials: Option<Credentials>,
    /// When the request ends.
    pub deadline: Instant,
    /// Whether the page may be one that draws only when told to, where there is such.
    pub by_hand: bool,
}

/// An account of a provider of remote browsers.
#[derive(Clone)]
pub struct Credentials {
    /// Its key.
    pub api_key: SecretString,
    /// The project that sessions are created in.
    pub project_id: Option<SecretString>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// Something that gives pages.
pub trait Provider: Send + Sync {
    /// A page in a browser context of its own, given back when the lease is dropped. A caller that stops waiting
    /// leaves nothing behind either.
    fn lease(&self, order: Order) -> BoxFuture<'_, Result<Lease, ProviderError>>;

    /// Whether a lease would be given now; if not, why.
    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>>;

    /// Ends every browser of ours and waits until they are gone.
    fn end(&self) -> BoxFuture<'_, ()>;
}
