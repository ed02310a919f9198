//! A local page, leased for a session, and the site that it visits under two names.

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use porthole_chromium::find_executable;
use porthole_service::guard::egress::EgressLimits;
use porthole_service::guard::{AllowTargets, Guard, Judge, Policy, ResolveOverrides};
use porthole_service::page::interact::{ActError, Ref, Refs, Snapshot, SnapshotOptions, Stale};
use porthole_service::page::{self, Appearance, Page};
use porthole_service::provider::local::{LocalOptions, LocalProvider, RecyclePolicy};
use porthole_service::provider::{Lease, LeaseRequest, Provider};
use porthole_service::telemetry::{BlockedMetrics, SessionMetrics};
use porthole_tests::Site;
use porthole_tests::site::SHOP;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::time::timeout;

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Scene {
    pub(crate) page: Page,
    lease: Lease,
    pub(crate) site: Site,
    /// The refs of the page's session.
    pub(crate) refs: Refs,
    judge: Judge,
    _provider: Arc<dyn Provider>,
    _profiles: tempfile::TempDir,
}

impl Scene {
    pub(crate) async fn local() -> Self {
        let mut registry = Registry::default();
        let metrics = SessionMetrics::register(&mut registry);
        let blocked = BlockedMetrics::register(&mut registry);
        let profiles = tempfile::tempdir().unwrap();
        let site = Site::start();
        let allowed = format!("{},{SHOP}:{}", site.addr(), site.addr().port());
        let policy = Policy {
            allow: AllowTargets::parse(&allowed).unwrap(),
            resolve: ResolveOverrides::parse(&format!("{SHOP}=127.0.0.1")).unwrap(),
            ..Policy::default()
        };
        let judge = Judge { guard: Guard::new(policy), blocked };
        let options = LocalOptions {
            executable: Ok(find_executable(None).unwrap()),
            egress: EgressLimits::default(),
            warm_pages: 1,
            begin_frame: false,
            recycle: RecyclePolicy { pages_max: 1_000, memory_max_bytes: u64::MAX },
            profiles: profiles.path().to_owned(),
        };
        let provider: Arc<dyn Provider> = Arc::new(LocalProvider::new(options, page::prepare, &judge, &metrics));
        let request = LeaseRequest::session(Duration::from_secs(3_600), None);
        let mut lease = timeout(PATIENCE, provider.lease(request)).await.unwrap().unwrap();
        let viewport = serde_json::from_value(json!({"width": 1280, "height": 720})).unwrap();
        let page = Page::open(&mut lease, &judge, &Appearance { viewport, color_scheme: None, reduced_motion: None });
        Self { page, lease, site, refs: Refs::default(), judge, _provider: provider, _profiles: profiles }
    }

    /// Navigates to a page of this HTML, which is `<!doctype html>` and then what is given.
    pub(crate) async fn goes(&self, html: &str) {
        self.goes_to(&self.site.html(&format!("<!doctype html>{html}"))).await;
    }

    pub(crate) async fn goes_to(&self, url: &str) {
        let target = self.judge.guard.judge(url).await.unwrap();
        let went = timeout(PATIENCE, self.page.navigate(&target)).await;
        went.unwrap_or_else(|_| panic!("{url} never ended")).unwrap();
        // With its frames.
        self.evaluate(
            "new Promise(done => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))",
        )
        .await;
    }

    /// The URL of a page of this HTML at another name than the page's own: another origin, in a process of its own.
    pub(crate) fn elsewhere(&self, html: &str) -> String {
        self.site.under_name(&self.site.html(&format!("<!doctype html>{html}")), SHOP)
    }

    /// The value of an expression in the page's own world.
    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        let mut evaluate = EvaluateParams::new(expression);
        evaluate.return_by_value = Some(true);
        evaluate.await_promise = Some(true);
        let evaluated = timeout(PATIENCE, self.lease.page().call(&evaluate)).await;
        let evaluated = evaluated.unwrap_or_else(|_| panic!("{expression} never ended")).unwrap();
        assert!(evaluated.exception_details.is_none(), "{expression}: {:?}", evaluated.exception_details);
        evaluated.result.value.unwrap_or_default()
    }

    pub(crate) async fn snapshot(&mut self, options: &SnapshotOptions) -> Snapshot {
        let snapshot = timeout(PATIENCE, self.page.snapshot(&mut self.refs, options)).await.unwrap().unwrap();
        assert_eq!(snapshot.chars, snapshot.tree.chars().count());
        assert!(snapshot.chars <= options.max_chars, "{}", snapshot.tree);
        snapshot
    }

    /// The tree of what can be acted upon.
    pub(crate) async fn tree(&mut self) -> String {
        self.snapshot(&SnapshotOptions::default()).await.tree
    }

    /// The tree of everything.
    pub(crate) async fn full_tree(&mut self) -> String {
        self.snapshot(&SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() }).await.tree
    }

    /// Resolves a ref such as `@e5`; what it is stale for, if it is.
    pub(crate) async fn resolves(&self, reference: &str) -> Result<(), String> {
        match timeout(PATIENCE, self.page.resolve(&self.refs, reference.parse::<Ref>().unwrap())).await.unwrap() {
            Ok(_) => Ok(()),
            Err(ActError::Stale(Stale { fate, .. })) => Err(fate.to_string()),
            Err(error) => panic!("{reference}: {error}"),
        }
    }
}
