//! Browserbase: one remote session for each lease, created for it and released with it. Warm sessions, an option that
//! the operator pays for, are created beforehand.
//!
//! Each request carries its credentials. They stay secrets, and so do connect URLs, which hold a signing key.

mod accounts;
mod api;
mod metadata;
mod page;
mod reaper;
mod refill;
mod scrub;
mod session;
mod shared;
mod warm;

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::accounts::Accounts;
use self::api::Api;
pub use self::api::BrowserSettings;
pub(crate) use self::metadata::INSTANCE_MAX_CHARS;
use self::metadata::Process;
pub use self::shared::BrowserbaseOptions;
use self::shared::Shared;
use self::warm::Warm;
use super::{Credentials, Lease, LeaseRequest, Provider, ProviderError, Purpose};
use crate::telemetry::LeaseMetrics;

/// How long the provider's end waits until the release of its sessions is confirmed.
const END_TIMEOUT: Duration = Duration::from_secs(15);

/// Leases pages in Browserbase's browsers.
pub struct BrowserbaseProvider {
    shared: Arc<Shared>,
}

impl BrowserbaseProvider {
    /// Creates a provider and starts its reaper, and the task that keeps warm sessions if there are to be any.
    ///
    /// # Errors
    /// [`ProviderError::Unavailable`] if TLS can't be set up.
    pub fn new(options: BrowserbaseOptions, metrics: LeaseMetrics) -> Result<Self, ProviderError> {
        let api = Api::new(options.api.clone()).map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        let process = Process {
            instance: options.instance.chars().take(INSTANCE_MAX_CHARS).collect(),
            boot: uuid::Uuid::new_v4().to_string(),
        };
        let reap_every = options.reap_every;
        let shared = Shared {
            api,
            process,
            accounts: Accounts::default(),
            warm: Warm::new(options.warm, options.own_account.clone(), metrics.clone()),
            metrics,
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
            options,
        };
        if let Some(account) = &shared.options.own_account {
            shared.accounts.learn(account);
        }
        let shared = Arc::new(shared);
        shared.tasks.spawn(reaper::run(Arc::clone(&shared), reap_every));
        if let Some(account) = shared.warm.account() {
            shared.tasks.spawn(refill::keep(Arc::clone(&shared), account.clone()));
        }
        Ok(Self { shared })
    }
}

impl Shared {
    async fn lease(
        self: Arc<Self>,
        credentials: Credentials,
        purpose: Purpose,
        lifetime: Duration,
        caller_left: CancellationToken,
    ) -> Result<Lease, ProviderError> {
        let (session, connect_url) = self.create(&credentials, purpose, lifetime).await?;
        tokio::select! {
            biased;
            () = caller_left.cancelled() => Err(ProviderError::Abandoned),
            lease = page::open(session, purpose, &connect_url, self.network(), &self.metrics) => lease,
        }
    }
}

impl Provider for BrowserbaseProvider {
    fn lease(&self, request: LeaseRequest) -> BoxFuture<'_, Result<Lease, ProviderError>> {
        let Some(credentials) = request.credentials.clone().or_else(|| self.shared.warm.account().cloned()) else {
            let none = ProviderError::NotConfigured("the request carries no Browserbase credentials");
            return futures_util::future::err(none).boxed();
        };
        async move {
            if self.shared.ending.is_cancelled() {
                return Err(ProviderError::Ending);
            }
            self.shared.accounts.learn(&credentials);
            // A warm remote session lives only as long as the longest visit: too short for an agent's session.
            if request.purpose.works_throughout()
                && let Some(lease) = self.shared.warm.take(&credentials)
            {
                return Ok(lease);
            }
            // In a task of its own: if the caller leaves during the creation, the remote session is still released.
            let left = CancellationToken::new();
            let making = Arc::clone(&self.shared).lease(credentials, request.purpose, request.lifetime, left.clone());
            let _left = left.drop_guard();
            let making = self.shared.tasks.spawn(making);
            making.await.unwrap_or_else(|error| Err(ProviderError::Unavailable(error.to_string())))
        }
        .boxed()
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), ProviderError>> {
        // Browserbase is not asked: a request that fails shows it soon enough, and a test session would cost money.
        futures_util::future::ok(()).boxed()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        async move {
            self.shared.ending.cancel();
            self.shared.tasks.close();
            if timeout(END_TIMEOUT, self.shared.tasks.wait()).await.is_err() {
                let open = self.shared.tasks.len();
                tracing::error!(
                    open,
                    "the release of remote sessions was not confirmed in time; the next start searches for them"
                );
            }
        }
        .boxed()
    }
}
