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

/// An emulator whose listener is bound but not served yet.
pub struct Server {
    listener: Listener,
    tls: Option<Tls>,
    emulator: Arc<Emulator>,
    /// The generated API key, if no keys were configured.
    made_key: Option<SecretString>,
}

/// Why the emulator can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can't be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// No certificate can be made or served.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The system provides no random bytes for a key.
    #[error("can't generate an API key")]
    Key(#[from] getrandom::Error),
}

impl Server {
    /// Binds the listener and builds the emulator. No browser is started yet.
    ///
    /// # Errors
    /// [`StartError`] where the address can't be listened on or the certificate can't be made.
    pub async fn bind(settings: Settings) -> Result<Self, StartError> {
        let browsers =
            Browsers { executable: settings.executable, profiles: settings.profiles, resolve: settings.resolve };
        let limits = ProjectLimits { concurrency: settings.concurrency, per_minute: settings.per_minute };
        let sessions = Arc::new(Sessions::new(browsers, settings.lifetimes, limits));
        if nix::unistd::geteuid().is_root() {
            tracing::warn!("running as root turns Chromium's own sandbox off; run as another user");
        }
        // Before `bind`, so that the CA file exists when `listening` is logged.
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

    /// Returns the generated key and the emulator's URL as shell assignments, under the names that Browserbase's SDKs
    /// read. Empty if keys were configured.
    #[must_use]
    pub fn way_in(&self) -> String {
        let Some(key) = &self.made_key else { return String::new() };
        let url = format!("{}://{}", self.emulator.scheme("http"), self.emulator.reach.authority());
        format!("BROWSERBASE_API_KEY={}\nBROWSERBASE_BASE_URL={url}\n", key.expose_secret())
    }

    /// Serves until `shutdown`, then ends every session. Returns the ledger as text.
    pub async fn run(self, shutdown: CancellationToken) -> String {
        let Self { listener, tls, emulator, made_key: _ } = self;
        let acceptor = tls.as_ref().map(|tls| tls.acceptor.clone());
        listen::serve(listener.into_socket(), acceptor, router(Arc::clone(&emulator)), shutdown).await;
        emulator.sessions.end().await;
        tracing::info!("the emulator has ended");
        Ledger::of(&emulator.sessions, &emulator.requests).as_text()
    }
}
