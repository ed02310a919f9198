//! A page of each provider, leased for a session.

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use porthole_service::cdp::Session;
use porthole_service::guard::{AllowTargets, Guard, Judge, Policy, ResolveOverrides};
use porthole_service::page::{Appearance, Arrival, Page, PageError};
use porthole_service::provider::browserbase::{BrowserSettings, BrowserbaseOptions, BrowserbaseProvider};
use porthole_service::provider::cdp::{CdpOptions, CdpProvider, Endpoint};
use porthole_service::provider::{Credentials, Lease, LeaseRequest, Provider};
use porthole_service::telemetry::{BlockedMetrics, LeaseMetrics};
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::site::REBOUND;
use porthole_tests::{Emulator, Site};
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::local;

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Where the page comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Local,
    Browserbase,
    CdpEndpoint,
}

/// A held page, and the site that it visits.
pub(crate) struct Scene {
    pub(crate) page: Page,
    pub(crate) lease: Lease,
    pub(crate) site: Site,
    judge: Judge,
    provider: Arc<dyn Provider>,
    metrics: LeaseMetrics,
    _emulator: Option<Emulator>,
    _profiles: tempfile::TempDir,
}

impl Scene {
    pub(crate) async fn of(from: From) -> Self {
        let mut registry = Registry::default();
        let metrics = LeaseMetrics::register(&mut registry);
        let blocked = BlockedMetrics::register(&mut registry);
        let profiles = tempfile::tempdir().unwrap();
        let site = Site::start();
        let policy = Policy {
            allow: AllowTargets::parse(&site.addr().to_string()).unwrap(),
            resolve: ResolveOverrides::parse(&format!("{REBOUND}=127.0.0.1")).unwrap(),
            ..Policy::default()
        };
        let judge = Judge { guard: Guard::new(policy), blocked };
        let (provider, emulator, credentials): (Arc<dyn Provider>, _, _) = match from {
            From::Local => (Arc::new(local::provider(profiles.path(), &judge, &metrics)), None, None),
            From::Browserbase => {
                let emulator = emulator().await;
                let options = BrowserbaseOptions {
                    api: emulator.url().parse().unwrap(),
                    region: None,
                    browser: BrowserSettings {
                        record_session: false,
                        log_session: false,
                        solve_captchas: false,
                        ignore_certificate_errors: false,
                        block_ads: false,
                    },
                    proxies: false,
                    instance: "long-lived".to_owned(),
                    own_account: None,
                    warm: 0,
                    reap_every: PATIENCE,
                };
                let credentials =
                    Credentials { api_key: emulator.api_key().into(), project_id: Some(emulator.project_id().into()) };
                let provider = BrowserbaseProvider::new(options, metrics.clone()).unwrap();
                (Arc::new(provider), Some(emulator), Some(credentials))
            }
            From::CdpEndpoint => {
                let emulator = emulator().await;
                let body = json!({"projectId": emulator.project_id(), "keepAlive": true});
                let (status, session) = emulator.call(http::Method::POST, "/v1/sessions", Some(&body)).await;
                assert_eq!(status, 201, "{session}");
                let endpoint = Endpoint::parse(session["connectUrl"].as_str().unwrap()).unwrap();
                let provider = CdpProvider::new(CdpOptions { endpoint, egress: None }, metrics.clone());
                (Arc::new(provider), Some(emulator), None)
            }
        };
        let request = LeaseRequest::session(Duration::from_secs(3_600), credentials);
        let mut lease = timeout(PATIENCE, provider.lease(request)).await.unwrap().unwrap();
        let viewport = serde_json::from_value(json!({"width": 1280, "height": 720})).unwrap();
        let page = Page::open(&mut lease, &judge, &Appearance { viewport, color_scheme: None, reduced_motion: None });
        Self { page, lease, site, judge, provider, metrics, _emulator: emulator, _profiles: profiles }
    }

    /// Navigates to a URL that the guard allows.
    pub(crate) async fn goes(&self, url: &str) -> Result<(), PageError> {
        let target = self.judge.guard.judge(url).await.unwrap();
        timeout(PATIENCE, self.page.navigate(&target)).await.unwrap_or_else(|_| panic!("{url} never ended"))
    }

    /// Returns where the page is.
    pub(crate) async fn is_at(&self) -> Arrival {
        timeout(PATIENCE, self.page.arrival(async {})).await.unwrap().1.unwrap()
    }

    pub(crate) async fn title(&self) -> String {
        self.is_at().await.title
    }

    /// Ends the page and asserts that its lease was released.
    pub(crate) async fn ends(self) {
        let Self { page, lease, provider, metrics, _emulator, .. } = self;
        drop((page, lease));
        timeout(PATIENCE, provider.end()).await.unwrap();
        let sessions = metrics.sessions();
        assert_eq!((sessions.created, sessions.released, sessions.leaked), (1, 1, 0));
    }
}

async fn emulator() -> Emulator {
    let names = format!("{REBOUND}=127.0.0.1,*=none");
    Emulator::start(EmulatorOptions::new().setting("PORTHOLE_EMULATOR_RESOLVE", &names)).await
}

/// Evaluates an expression in the page, as if a user had just clicked there, and returns its value.
pub(crate) async fn evaluate(page: &Session, expression: &str) -> Value {
    let mut evaluate = EvaluateParams::new(expression);
    evaluate.user_gesture = Some(true);
    let evaluated =
        timeout(PATIENCE, page.call(&evaluate)).await.unwrap_or_else(|_| panic!("{expression} never ended"));
    evaluated.unwrap().result.value.unwrap_or_default()
}
