//! The whole emulator, built from its settings.

use std::sync::Arc;

use porthole_daemon::listen::{BindError, Listener};
use secrecy::{ExposeSecret as _, SecretString};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::browser::Browsers;
use crate::faults::Faults;
use crate::http::{Emulator, Reach, router};
use crate::keys::{self, ApiKeys};
use crate::ledger::{Ledger, Requests};
use crate::listen;
use crate::session::registry::{ProjectLimits, Sessions};
use crate::settings::{GoodKeys, Settings};
use crate::tls::{Tls, TlsError};

/// An emulator that is bound and not served yet.
pub struct Server {
    listener: Listener,
    tls: Option<Tls>,
    emulator: Arc<Emulator>,
    /// The API key, if it was made here.
    made_key: Option<SecretString>,
}

/// Why there is no emulator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can't be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// There is no certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The system gives no random bytes for a key.
    #[error("no API key can be made")]
    Key(#[from] getrandom::Error),
}

impl Server {
    /// Binds the listener and makes what stands behind it. No browser is started yet.
    ///
    /// # Errors
    /// [`StartError`] where the address can't be listened on or the certificate can't be made.
    pub async fn bind(settings: Settings) -> Result<Self, StartError> {
        let browsers =
            Browsers { executable: settings.executable, profiles: settings.profiles, resolve: settings.resolve };
        let limits = ProjectLimits { concurrency: settings.concurrency, per_minute: settings.per_minute };
        let sessions = Arc::new(Sessions::new(browsers, settings.lifetimes, limits));
        if nix::unistd::geteuid().is_root() {
            tracing::warn!("running as root: Chromium's own sandbox is off; run as another user to have it");
        }
        // Before it listens: who hears of that finds the authority's file.
        let tls = settings.tls.map(|tls| Tls::make(&tls, settings.addr.ip(), &settings.names)).transpose()?;
        let listener = Listener::bind("main", settings.addr).await?;
        let made_key = matches!(settings.api_keys, GoodKeys::Made).then(keys::made).transpose()?;
        let emulator = Emulator {
            keys: match &settings.api_keys {
                GoodKeys::These(keys) => ApiKeys::new(keys),
                GoodKeys::Any => ApiKeys::Any,
                GoodKeys::Made => ApiKeys::new(made_key.as_slice()),
            },
            projects: settings.projects,
            sessions,
            faults: Faults::default(),
            requests: Requests::default(),
            reach: Reach::new(listener.addr(), &settings.names),
            is_tls: tls.is_some(),
            started_at: OffsetDateTime::now_utc(),
        };
        Ok(Self { listener, tls, emulator: Arc::new(emulator), made_key })
    }

    /// What a client needs to know that nobody else tells it: a key that was made here, and where to use it. As lines of
    /// a shell's environment, under the names that Browserbase's SDKs read. Empty where keys were given.
    #[must_use]
    pub fn way_in(&self) -> String {
        let Some(key) = &self.made_key else { return String::new() };
        let url = format!("{}://{}", self.emulator.scheme("http"), self.emulator.reach.authority());
        format!("BROWSERBASE_API_KEY={}\nBROWSERBASE_BASE_URL={url}\n", key.expose_secret())
    }

    /// Serves until `shutdown`, then ends every session. Gives the ledger in words.
    pub async fn run(self, shutdown: CancellationToken) -> String {
        let Self { listener, tls, emulator, made_key: _ } = self;
        let acceptor = tls.as_ref().map(|tls| tls.acceptor.clone());
        listen::serve(listener.into_socket(), acceptor, router(Arc::clone(&emulator)), shutdown).await;
        emulator.sessions.end().await;
        tracing::info!("the emulator has ended");
        Ledger::of(&emulator.sessions, &emulator.requests).in_words()
    }
}
