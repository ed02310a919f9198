//! A stack whose pages come from Browserbase, played by the emulator with a real Chromium for each remote session.

use std::time::Duration;

use serde_json::Value;

use crate::emulator::{Emulator, EmulatorOptions};
use crate::site::{REBOUND, SHOP};
use crate::stack::Stack;

/// The time limit for abandoned sessions to be released, on a busy machine.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(60);

/// Service and worker with Browserbase credentials, and the emulator that they use.
pub struct Remote {
    /// Service, worker and site.
    pub stack: Stack,
    /// The emulator of Browserbase.
    pub emulator: Emulator,
}

impl Remote {
    /// Starts a stack with only the necessary settings.
    pub async fn start() -> Self {
        Self::with(EmulatorOptions::new(), &[]).await
    }

    /// Starts a stack with additional settings for service and worker.
    pub async fn with(options: EmulatorOptions, settings: &[(&str, &str)]) -> Self {
        let names = format!("{SHOP}=127.0.0.1,{REBOUND}=127.0.0.1,*=none");
        let emulator = Emulator::start(options.setting("PORTHOLE_EMULATOR_RESOLVE", &names)).await;
        let mut stack = Stack::with()
            .setting("PORTHOLE_BROWSERBASE_URL", emulator.url())
            .setting("BROWSERBASE_API_KEY", emulator.api_key())
            .setting("BROWSERBASE_PROJECT_ID", emulator.project_id())
            // A local browser must not take its place.
            .setting("PORTHOLE_PROVIDER", "browserbase");
        if let Some(authority) = emulator.ca_pem_path() {
            stack = stack.setting("SSL_CERT_FILE", authority.to_str().expect("a readable name"));
        }
        for (name, value) in settings {
            stack = stack.setting(name, value);
        }
        Self { stack: Box::pin(stack.start()).await, emulator }
    }

    /// Waits until no remote session runs, asserts that none was leaked and that the service's metrics agree.
    ///
    /// # Panics
    /// When a session still runs or was leaked.
    pub async fn expect_all_given_back(&self) -> Value {
        let ledger = self.emulator.expect_all_given_back(GIVEN_BACK_WITHIN).await;
        self.stack.expect_idle(GIVEN_BACK_WITHIN).await;
        let sessions = self.stack.metrics().await["sessions"].clone();
        assert_eq!(sessions["leaked"], 0, "{sessions}");
        assert_eq!(sessions["created"], sessions["released"], "{sessions}");
        ledger
    }
}
