//! Leases for visits and for sessions, of one local provider with a real Chromium.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::NavigateParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::EvaluateParams;
use porthole_chromium::find_executable;
use porthole_service::admission::{Admission, AdmissionLimits, Client, SeatLimits, Seats};
use porthole_service::cdp::Session;
use porthole_service::guard::egress::EgressLimits;
use porthole_service::guard::{Guard, Judge, Policy};
use porthole_service::page;
use porthole_service::provider::local::{LocalOptions, LocalProvider, RecyclePolicy};
use porthole_service::provider::{Frames, Lease, LeaseRequest, PageTime, Popups, Provider as _, Purpose};
use porthole_service::telemetry::{BlockedMetrics, LeaseMetrics, QueueMetrics};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use tokio::time::{Instant, sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(60);
/// The pages after which a browser is replaced.
const PAGES_MAX: u64 = 12;
/// Visits made while the sessions are held: enough for several replacements.
const VISITS: usize = 60;

struct Scene {
    provider: Arc<LocalProvider>,
    metrics: LeaseMetrics,
    registry: Registry,
    _profiles: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let mut registry = Registry::default();
        let metrics = LeaseMetrics::register(&mut registry);
        let blocked = BlockedMetrics::register(&mut registry);
        let profiles = tempfile::tempdir().unwrap();
        let options = LocalOptions {
            executable: Ok(find_executable(None).unwrap()),
            egress: EgressLimits::default(),
            session_browsers: 2,
            warm_pages: 2,
            begin_frame: true,
            recycle: RecyclePolicy { pages_max: PAGES_MAX, memory_max_bytes: u64::MAX, memory_percent_max: 100 },
            profiles: profiles.path().to_owned(),
        };
        let judge = Judge { guard: Guard::new(Policy::default()), blocked };
        let provider = Arc::new(LocalProvider::new(options, page::prepare, &judge, &metrics));
        Self { provider, metrics, registry, _profiles: profiles }
    }

    async fn lease(&self, request: LeaseRequest) -> Lease {
        timeout(PATIENCE, self.provider.lease(request)).await.unwrap().unwrap()
    }

    /// Reads one metric from the exposition.
    fn metric(&self, name: &str) -> u64 {
        let mut text = String::new();
        encode(&mut text, &self.registry).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name} in {text}"));
        line.trim().parse().unwrap()
    }

    async fn eventually(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self) {
            assert!(Instant::now() < deadline, "never: {what}");
            sleep(Duration::from_millis(20)).await;
        }
    }
}

fn session() -> LeaseRequest {
    LeaseRequest::session(Duration::from_secs(3600), None)
}

/// Evaluates an expression in a page, with a user gesture, as after a click.
async fn evaluate(page: &Session, expression: &str) -> Option<serde_json::Value> {
    let mut evaluate = EvaluateParams::new(expression);
    evaluate.user_gesture = Some(true);
    timeout(PATIENCE, page.call(&evaluate)).await.expect(expression).unwrap().result.value
}

#[test]
fn everything_follows_from_the_purpose() {
    let visit = Purpose::Visit { frames: Frames::BeginFrame };
    assert_eq!((visit.frames(), visit.time(), visit.popups()), (Frames::BeginFrame, PageTime::Virtual, Popups::Close));
    assert!(visit.works_throughout());
    let session = Purpose::Session;
    assert_eq!((session.frames(), session.time(), session.popups()), (Frames::Ordinary, PageTime::Real, Popups::Adopt));
    assert!(!session.works_throughout());
}

#[tokio::test(flavor = "multi_thread")]
async fn held_sessions_affect_neither_warm_pages_nor_recycling_nor_retry_after() {
    let scene = Scene::new();
    let mut registry = Registry::default();
    let pages = LeaseMetrics::register(&mut registry);
    let queue = QueueMetrics::register(&mut registry, &pages);
    let limits = AdmissionLimits { permits: 1, queue_max: 0, memory_percent_max: 100 };
    let admission = Admission::new(limits, queue);
    let seats = Seats::new(SeatLimits { total: 8, per_sandbox: 8 }, admission.clone());

    let mut held = Vec::new();
    for number in 0..3 {
        let seat = seats.take("sandbox").unwrap();
        let lease = scene.lease(session()).await;
        lease.page().call(&NavigateParams::new(format!("data:text/html,<title>{number}"))).await.unwrap();
        held.push((lease, seat));
    }
    assert_eq!(scene.metric(r#"porthole_pages{state="held"}"#), 3);
    assert_eq!(scene.metrics.pages().busy, 0, "a held page is not a busy one");

    let client = Client::named("client").unwrap();
    for number in 0..VISITS {
        let permit = admission.acquire(&client, Instant::now() + PATIENCE).await.unwrap();
        let frames = if number.is_multiple_of(2) { Frames::BeginFrame } else { Frames::Ordinary };
        let lease = scene.lease(LeaseRequest::visit(frames, PATIENCE, None)).await;
        assert_eq!(evaluate(lease.page(), "document.URL").await, Some("about:blank".into()));
        drop((lease, permit));
    }
    scene
        .eventually("a worn browser is replaced", |scene| {
            scene.metric(r#"porthole_browser_starts_total{reason="worn"}"#) > 0
        })
        .await;
    scene.eventually("warm pages are made", |scene| scene.metrics.pages().warm >= 4).await;

    // Retry-After is estimated from permits, which were held for milliseconds, and not from seats.
    let _permit = admission.acquire(&client, Instant::now() + PATIENCE).await.unwrap();
    let refused = admission.acquire(&client, Instant::now() + PATIENCE).await.unwrap_err();
    assert_eq!(refused.retry_after, Duration::from_secs(1));

    for (number, (lease, _)) in held.iter().enumerate() {
        assert_eq!(
            evaluate(lease.page(), "document.title").await,
            Some(number.to_string().into()),
            "a held page is alive"
        );
    }
    drop(held);
    assert_eq!(seats.taken(), 0);
    scene
        .eventually("every page is given back", |scene| {
            scene.metric(r#"porthole_pages{state="held"}"#) == 0 && scene.metrics.pages().busy == 0
        })
        .await;
    scene.provider.end().await;
    assert_eq!(scene.metrics.browsers(), 0);
    assert_eq!(scene.metrics.sessions().leaked, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_sessions_page_may_open_windows() {
    let scene = Scene::new();
    let open = "open('about:blank') !== null";
    let mut visit = scene.lease(LeaseRequest::visit(Frames::Ordinary, PATIENCE, None)).await;
    assert_eq!(evaluate(visit.page(), open).await, Some(false.into()));
    assert!(visit.take_popups().is_none());

    let (mut one, mut other) = (scene.lease(session()).await, scene.lease(session()).await);
    let (mut windows, mut others) = (one.take_popups().unwrap(), other.take_popups().unwrap());
    // The window and its opener are halted until the window is resumed.
    let adopt = async {
        let window = timeout(PATIENCE, windows.recv()).await.unwrap().unwrap();
        window.resume();
        window
    };
    let (allowed, window) = tokio::join!(evaluate(one.page(), open), adopt);
    assert_eq!(allowed, Some(true.into()));
    let has_opener = evaluate(&window.session, "opener !== null").await;
    assert_eq!((window.kind.as_str(), has_opener), ("page", Some(true.into())));
    assert!(others.try_recv().is_err(), "another lease's window");
    drop((visit, one, other));
    scene.provider.end().await;
}
