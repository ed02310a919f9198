//! The service within the test's own process, where single defences can be removed.

use std::path::PathBuf;

use porthole_daemon::settings::{Environment, Reader};
use porthole_service::guard::{AllowTargets, Policy, Resolver};
use porthole_service::provider::local::{Defence, Weakness};
use porthole_service::server::Server;
use porthole_service::settings::Settings;
use porthole_tests::stack::Home;
use porthole_tests::{Caller, owner};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::scene::Scene;

/// Number of concurrent pages, enough to keep two processors busy.
pub(crate) const AT_ONCE: usize = 6;

/// A service in this process, with its own browser.
pub(crate) struct Service {
    caller: Caller,
    shutdown: CancellationToken,
    running: JoinHandle<()>,
    _home: Home,
}

/// Returns the setting that chooses the browser, if it is set for this test run: the hostile site applies to any.
pub(crate) fn another_browser() -> Option<(&'static str, String)> {
    const SETTING: &str = "PORTHOLE_CHROMIUM";
    std::env::var(SETTING).ok().map(|path| (SETTING, path))
}

impl Service {
    /// Starts a service that allows the scene's public site and uses the scene's DNS server.
    pub(crate) async fn start(scene: &Scene) -> Service {
        Service::lacking(scene, &[], &[]).await
    }

    /// Starts the same service without some of its defences, and with more flags for its browser.
    pub(crate) async fn lacking(scene: &Scene, without: &[Defence], flags: &[String]) -> Service {
        let allow = AllowTargets::parse(&format!("{}/32", scene.ground.public)).expect("a range");
        let resolver = Resolver::new(scene.names.look_up());
        Service::with(Policy { allow, resolver, ..Policy::default() }, None, without, flags).await
    }

    /// Starts a service with this policy, and with another browser executable if one is given.
    pub(crate) async fn with(
        policy: Policy,
        chromium: Option<PathBuf>,
        without: &[Defence],
        flags: &[String],
    ) -> Service {
        let home = Home::new();
        let environment: Environment = [
            ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
            ("PORTHOLE_OWNER_KEYS", owner::FIRST.setting()),
            ("PORTHOLE_PROVIDER", "local".to_owned()),
            ("PORTHOLE_MAX_CONCURRENT", AT_ONCE.to_string()),
            ("PORTHOLE_MAX_QUEUE", "1000".to_owned()),
        ]
        .into_iter()
        .chain(another_browser())
        .collect();
        let mut settings = Settings::read(&Reader::new(environment)).expect("settings");
        settings.policy = policy;
        let local = settings.pages.local_mut().expect("the local provider");
        if let Some(chromium) = chromium {
            local.executable = Ok(chromium);
        }
        local.profiles = home.temp();
        let weakness = Weakness { without: without.to_vec(), flags: flags.to_vec() };
        let server = Server::bind_weakened(settings, weakness).await.expect("free ports");
        let caller = Caller::of(format!("http://{}", server.addr()));
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(server.run(shutdown.clone()));
        Service { caller, shutdown, running, _home: home }
    }

    /// Returns a caller of the service.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Ends the service and its browser.
    pub(crate) async fn end(self) {
        self.shutdown.cancel();
        self.running.await.expect("an orderly end");
    }
}
