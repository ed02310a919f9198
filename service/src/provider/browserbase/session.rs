//! One remote session, from its creation until its end is confirmed. It is billed until then.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use futures_util::FutureExt as _;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::api::{ApiError, CreateSession};
use super::metadata::LEASE;
use super::shared::Shared;
use crate::cdp::Session;
use crate::provider::leave::leave;
use crate::provider::{Credentials, ProviderError, Purpose};

/// How much longer than its lease a session may live: the lease's own limits end it first.
const TIMEOUT_MARGIN: Duration = Duration::from_secs(10);
/// The shortest and the longest timeout that Browserbase accepts.
const TIMEOUT_MIN: Duration = Duration::from_secs(60);
const TIMEOUT_MAX: Duration = Duration::from_secs(21_600);

/// The first and the longest wait between two attempts to release a session.
const RELEASE_FIRST_DELAY: Duration = Duration::from_millis(200);
const RELEASE_DELAY_MAX: Duration = Duration::from_secs(5);

/// How long the page of a session is watched during the release. Then its connection is closed, which ends it too.
const WATCHED_MAX: Duration = Duration::from_secs(3);

/// Waits before each search for a session whose creation was never answered: Browserbase may still be creating it.
const LOST_SEARCH_DELAYS: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(6),
    Duration::from_secs(10),
    Duration::from_secs(20),
];

/// A running session, released when dropped.
pub(super) struct HeldSession {
    shared: Arc<Shared>,
    credentials: Credentials,
    id: String,
    purpose: Purpose,
    since: Instant,
    lifetime: Duration,
    /// Its page, once the lease has ended, and the tasks that judge the page's requests until it is gone.
    watched: Option<(Session, JoinSet<()>)>,
}

impl Shared {
    /// Creates a remote session for a lease that ends after `lease_lifetime` at the latest.
    pub(super) async fn create(
        self: &Arc<Self>,
        credentials: &Credentials,
        purpose: Purpose,
        lease_lifetime: Duration,
    ) -> Result<(HeldSession, SecretString), ProviderError> {
        let Some(project_id) = &credentials.project_id else {
            return Err(ProviderError::NotConfigured("the request carries no Browserbase project"));
        };
        if credentials.api_key.expose_secret().is_empty() {
            return Err(ProviderError::NotConfigured("the request carries no Browserbase key"));
        }
        let lifetime = lease_lifetime + TIMEOUT_MARGIN;
        let lifetime = lifetime.clamp(TIMEOUT_MIN, TIMEOUT_MAX);
        let lease = uuid::Uuid::new_v4().to_string();
        let wanted = CreateSession {
            project_id: project_id.expose_secret(),
            timeout: lifetime.as_secs(),
            keep_alive: false,
            region: self.options.region.as_deref(),
            proxies: self.options.proxies,
            browser_settings: self.options.browser,
            user_metadata: self.process.metadata(&lease, SystemTime::now() + lifetime),
        };
        let since = Instant::now();
        let held = |id: String| HeldSession {
            shared: Arc::clone(self),
            credentials: credentials.clone(),
            id,
            purpose,
            since,
            lifetime,
            watched: None,
        };
        match self.api.create(credentials, &wanted).await {
            Ok(created) => {
                self.metrics.created(purpose.page_use());
                tracing::debug!(remote_session = created.id, "created a remote session");
                Ok((held(created.id), created.connect_url))
            }
            Err(error) => {
                tracing::warn!(%error, "a remote session could not be created");
                if error.may_have_happened() {
                    self.tasks.spawn(Arc::clone(self).find_lost(credentials.clone(), lease, purpose, since, lifetime));
                }
                Err(error.into())
            }
        }
    }

    /// Searches for the session of a create that was never answered, and releases it.
    async fn find_lost(
        self: Arc<Self>,
        credentials: Credentials,
        lease: String,
        purpose: Purpose,
        since: Instant,
        lifetime: Duration,
    ) {
        for delay in LOST_SEARCH_DELAYS {
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                // One last search; the reaper of the next start finds the rest.
                () = self.ending.cancelled() => {}
            }
            match self.api.running(&credentials, LEASE, &lease).await {
                Ok(found) if !found.is_empty() => {
                    for session in found {
                        tracing::warn!(
                            remote_session = session.id,
                            "releasing a remote session whose creation was never answered"
                        );
                        self.metrics.created(purpose.page_use());
                        let (shared, credentials) = (Arc::clone(&self), credentials.clone());
                        drop(HeldSession {
                            shared,
                            credentials,
                            id: session.id,
                            purpose,
                            since,
                            lifetime,
                            watched: None,
                        });
                    }
                    return;
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "searching for a remote session whose creation was never answered failed");
                }
            }
            if self.ending.is_cancelled() {
                return;
            }
        }
    }
}

impl HeldSession {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Leaves the page and releases the session; the watchers run until the page is gone.
    pub(super) fn end(mut self, page: Session, watchers: JoinSet<()>) {
        self.watched = Some((page, watchers));
    }
}

impl Drop for HeldSession {
    fn drop(&mut self) {
        let release = Release {
            shared: Arc::clone(&self.shared),
            credentials: self.credentials.clone(),
            id: std::mem::take(&mut self.id),
            purpose: self.purpose,
            since: self.since,
            lifetime: self.lifetime,
        };
        let watched = self.watched.take();
        self.shared.tasks.spawn(async move {
            let Some((page, mut watchers)) = watched else { return release.run().await };
            leave(&page).await;
            drop(page);
            // The watchers end with their connection, which Browserbase closes when the browser is gone.
            let watched = timeout(WATCHED_MAX, async move { while watchers.join_next().await.is_some() {} });
            tokio::join!(release.run(), watched.map(drop));
        });
    }
}

/// The release of a session.
struct Release {
    shared: Arc<Shared>,
    credentials: Credentials,
    id: String,
    purpose: Purpose,
    since: Instant,
    lifetime: Duration,
}

impl Release {
    /// Requests the release until the end is confirmed or the session's own timeout has passed.
    async fn run(self) {
        let Self { shared, credentials, id, purpose, since, lifetime } = self;
        let mut delays = ExponentialBuilder::default()
            .with_min_delay(RELEASE_FIRST_DELAY)
            .with_max_delay(RELEASE_DELAY_MAX)
            .with_jitter()
            .without_max_times()
            .build();
        let confirmed = loop {
            let error = match shared.api.release(&credentials, &id).await {
                Ok(()) => break true,
                Err(error) => error,
            };
            let delay = delays.next().unwrap_or(RELEASE_DELAY_MAX);
            if since.elapsed() + delay > lifetime {
                break false;
            }
            tracing::warn!(remote_session = id, %error, "a remote session could not be released; trying again");
            tokio::time::sleep(delay).await;
        };
        if confirmed {
            tracing::debug!(remote_session = id, "released a remote session");
        } else {
            tracing::error!(
                remote_session = id,
                "a remote session was never confirmed as released: it ended by its timeout"
            );
        }
        shared.metrics.ended(purpose.page_use(), since.elapsed(), confirmed);
    }
}

impl From<ApiError> for ProviderError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::RateLimited { sentence, retry_after } => ProviderError::RateLimited { sentence, retry_after },
            error => ProviderError::Unavailable(error.to_string()),
        }
    }
}
