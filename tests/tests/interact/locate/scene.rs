//! A local page, held as for a session, and what a test asks of it.

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use porthole_chromium::find_executable;
use porthole_service::guard::egress::EgressLimits;
use porthole_service::guard::{AllowTargets, Guard, Judge, Policy};
use porthole_service::page::interact::{
    Acted, Button, Click, Element, How, Kind, Located, Missed, Modifiers, Terms, Typing, Wanted,
};
use porthole_service::page::{self, Appearance, Page};
use porthole_service::provider::local::{LocalOptions, LocalProvider, RecyclePolicy};
use porthole_service::provider::{Lease, LeaseRequest, Provider};
use porthole_service::telemetry::{BlockedMetrics, SessionMetrics};
use porthole_tests::Site;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How long an element may take to be located.
const SOON: Duration = Duration::from_secs(10);
/// How long something is waited for that never comes.
const IN_VAIN: Duration = Duration::from_millis(200);

/// A page, its site, and another site whose frames are of another origin.
pub(crate) struct Scene {
    pub(crate) page: Page,
    pub(crate) site: Site,
    pub(crate) other: Site,
    lease: Lease,
    judge: Judge,
    provider: Arc<dyn Provider>,
    _profiles: tempfile::TempDir,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let mut registry = Registry::default();
        let metrics = SessionMetrics::register(&mut registry);
        let blocked = BlockedMetrics::register(&mut registry);
        let profiles = tempfile::tempdir().unwrap();
        let (site, other) = (Site::start(), Site::at("127.0.0.2".parse().unwrap()));
        let allow = AllowTargets::parse(&format!("{},{}", site.addr(), other.addr())).unwrap();
        let judge = Judge { guard: Guard::new(Policy { allow, ..Policy::default() }), blocked };
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
        Self { page, site, other, lease, judge, provider, _profiles: profiles }
    }

    /// Goes to a page of this HTML.
    pub(crate) async fn shows(&self, html: &str) {
        self.goes(&self.site.html(html)).await;
    }

    pub(crate) async fn goes(&self, url: &str) {
        let target = self.judge.guard.judge(url).await.unwrap();
        timeout(PATIENCE, self.page.navigate(&target)).await.unwrap().unwrap();
    }

    /// The value of an expression in the page's own world.
    pub(crate) async fn js(&self, expression: &str) -> Value {
        let evaluate = EvaluateParams::new(expression);
        let evaluated = timeout(PATIENCE, self.lease.page().call(&evaluate)).await.unwrap().unwrap();
        evaluated.result.value.unwrap_or_default()
    }

    pub(crate) async fn locate(&self, wanted: &Wanted) -> Result<Located, Missed> {
        timeout(PATIENCE, self.page.locate(wanted, Instant::now() + SOON)).await.unwrap()
    }

    /// Locates what is there already, and tells the id of it: every page of a test notes what is clicked.
    pub(crate) async fn id_of(&self, wanted: &Wanted) -> String {
        let located = self.locate(wanted).await.unwrap_or_else(|missed| panic!("{wanted:?}: {missed:?}"));
        self.id(&located.element).await
    }

    /// The id of an element: of the one that a pointer moves over.
    pub(crate) async fn id(&self, element: &Element) -> String {
        self.js(
            "addEventListener('mousemove', event => globalThis.over = event.composedPath()[0].id, { capture: true })",
        )
        .await;
        self.page.hover(element, &in_document()).await.unwrap();
        self.js("over").await.as_str().unwrap_or_default().to_owned()
    }

    /// Locates what never comes.
    pub(crate) async fn misses(&self, wanted: &Wanted) -> Missed {
        self.page.locate(wanted, Instant::now() + IN_VAIN).await.map(|located| panic!("{located:?}")).unwrap_err()
    }

    /// Clicks an element in its document.
    pub(crate) async fn clicks(&self, element: &Element) -> Acted {
        let click = Click { button: Button::Left, count: 1, modifiers: Modifiers::default(), terms: in_document() };
        self.page.click(element, &click).await.unwrap()
    }

    /// Locates a field by CSS and types into it.
    pub(crate) async fn types(&self, css: &str, text: &str) -> Acted {
        let located = self.locate(&by(Kind::Css, css)).await.unwrap();
        let typing = Typing { text: text.to_owned(), clear: true, submit: false, slowly: false, terms: in_document() };
        self.page.type_text(&located.element, &typing).await.unwrap()
    }

    /// Ends the browser.
    pub(crate) async fn ends(self) {
        let Self { page, lease, provider, .. } = self;
        drop((page, lease));
        timeout(PATIENCE, provider.end()).await.unwrap();
    }
}

/// What is wanted of this kind, visible and enabled.
pub(crate) fn by(kind: Kind, value: &str) -> Wanted {
    Wanted { by: Some(kind), ..any(value) }
}

/// What is wanted of any kind, visible and enabled.
pub(crate) fn any(value: &str) -> Wanted {
    Wanted { value: value.to_owned(), wait_for_visible: true, wait_for_enabled: true, ..Wanted::default() }
}

/// By events in the document, hidden or not.
fn in_document() -> Terms {
    Terms { how: How::DocumentOnly, visible: false, ..Terms::until(Instant::now() + PATIENCE) }
}
