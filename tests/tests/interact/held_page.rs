//! A page of a local Chromium that is leased as for a session: what the scenes of all rooms stand on.

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use porthole_service::cdp::Session;
use porthole_service::guard::{Guard, Judge, Policy};
use porthole_service::page::{Appearance, Page, PageError};
use porthole_service::provider::{Lease, LeaseRequest, Provider};
use porthole_service::telemetry::{BlockedMetrics, LeaseMetrics};
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::local;

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A page that is held, with the browser that it lives in.
pub(crate) struct HeldPage {
    pub(crate) page: Arc<Page>,
    lease: Lease,
    judge: Judge,
    provider: Arc<dyn Provider>,
    _profiles: tempfile::TempDir,
}

impl HeldPage {
    /// A blank page of this width and height in CSS pixels, which may visit what the policy allows.
    pub(crate) async fn open(policy: Policy, (width, height): (u32, u32)) -> Self {
        let mut registry = Registry::default();
        let metrics = LeaseMetrics::register(&mut registry);
        let blocked = BlockedMetrics::register(&mut registry);
        let profiles = tempfile::tempdir().unwrap();
        let judge = Judge { guard: Guard::new(policy), blocked };
        let provider: Arc<dyn Provider> = Arc::new(local::provider(profiles.path(), &judge, &metrics));
        let request = LeaseRequest::session(Duration::from_secs(3_600), None);
        let mut lease = timeout(PATIENCE, provider.lease(request)).await.unwrap().unwrap();
        let viewport = serde_json::from_value(json!({"width": width, "height": height})).unwrap();
        let page = Page::open(&mut lease, &judge, &Appearance { viewport, color_scheme: None, reduced_motion: None });
        Self { page: Arc::new(page), lease, judge, provider, _profiles: profiles }
    }

    /// Navigates to a URL that the policy allows.
    pub(crate) async fn goes(&self, url: &str) {
        self.try_goes(url).await.unwrap();
    }

    /// The same where it is known to fail.
    pub(crate) async fn try_goes(&self, url: &str) -> Result<(), PageError> {
        let target = self.judge.guard.judge(url).await.unwrap();
        let went = timeout(PATIENCE, self.page.navigate(&target)).await;
        went.unwrap_or_else(|_| panic!("{url} never ended"))
    }

    /// The page's own target session.
    pub(crate) fn session(&self) -> &Session {
        self.lease.page()
    }

    /// The value of an expression in the page's own world, or what its promise is resolved with.
    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        let mut evaluate = EvaluateParams::new(expression);
        evaluate.return_by_value = Some(true);
        evaluate.await_promise = Some(true);
        let evaluated = timeout(PATIENCE, self.lease.page().call(&evaluate)).await;
        let evaluated = evaluated.unwrap_or_else(|_| panic!("{expression} never ended")).unwrap();
        assert!(evaluated.exception_details.is_none(), "{expression}: {:?}", evaluated.exception_details);
        evaluated.result.value.unwrap_or_default()
    }

    /// Ends the page and its browser.
    pub(crate) async fn ends(self) {
        let Self { page, lease, provider, .. } = self;
        drop((page, lease));
        timeout(PATIENCE, provider.end()).await.unwrap();
    }
}
