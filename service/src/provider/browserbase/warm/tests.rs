//! Which of the sessions that wait are used, and which given back.

use std::sync::atomic::{AtomicU32, Ordering};

use prometheus_client::registry::Registry;

use super::*;
use crate::cdp::{Bounds, Meter, connect_pipe};
use crate::guard::{Intercept, Network, RemoteNetwork};

fn account(key: &str) -> Credentials {
    Credentials { api_key: key.into(), project_id: Some("project".into()) }
}

struct Scene {
    warm: Warm,
    metrics: SessionMetrics,
    given_back: Arc<AtomicU32>,
    /// The browsers' ends of the lines.
    lines: Vec<tokio::io::DuplexStream>,
}

impl Scene {
    fn new(wanted: usize) -> Self {
        let metrics = SessionMetrics::register(&mut Registry::default());
        let warm = Warm::new(wanted, Some(account("own")), metrics.clone());
        Self { warm, metrics, given_back: Arc::default(), lines: Vec::new() }
    }

    fn add(&mut self, target: &str) {
        let (ours, theirs) = tokio::io::duplex(1024);
        self.lines.push(theirs);
        let given_back = Arc::clone(&self.given_back);
        let network = RemoteNetwork { intercept: Intercept::Everything, whole_browser: true, judges_addresses: true };
        let page = connect_pipe(ours, tokio::io::sink(), Bounds::default(), Meter::default()).session("S");
        self.metrics.created(WARM_PURPOSE);
        let lease = Lease::new(WARM_PURPOSE, page, target.to_owned(), Network::Remote(network), move |_| {
            given_back.fetch_add(1, Ordering::Relaxed);
        });
        self.warm.add(lease, Instant::now());
    }

    fn given_back(&self) -> u32 {
        self.given_back.load(Ordering::Relaxed)
    }
}

#[tokio::test(start_paused = true)]
async fn the_oldest_is_used_once_and_by_its_own_account_alone() {
    let mut scene = Scene::new(2);
    scene.add("first");
    scene.add("second");
    assert!(!scene.warm.lacks_one());
    assert_eq!((scene.metrics.pages().warm, scene.metrics.pages().busy), (2, 0));
    assert!(scene.warm.take(&account("somebody's")).is_none());
    let lease = scene.warm.take(&account("own")).unwrap();
    assert_eq!((lease.target_id(), scene.given_back()), ("first", 0));
    assert_eq!((scene.metrics.pages().warm, scene.metrics.pages().busy), (1, 1));
    assert!(scene.warm.lacks_one());
    drop(lease);
    assert_eq!(scene.given_back(), 1);
    scene.warm.clear();
    assert_eq!((scene.given_back(), scene.metrics.pages().warm), (2, 0));
    assert!(scene.warm.take(&account("own")).is_none());
}

#[tokio::test(start_paused = true)]
async fn what_is_too_old_or_dead_is_given_back_and_not_used() {
    let mut scene = Scene::new(3);
    scene.add("old");
    tokio::time::advance(AGE_MAX / 2).await;
    scene.add("dead");
    scene.add("good");
    // Time that nobody waits for does not pass by itself: both of these must be told.
    let spent = scene.warm.one_is_spent();
    drop(scene.lines.remove(1));
    spent.await;
    scene.warm.throw_spent();
    assert_eq!(scene.given_back(), 1, "the dead one");
    let begun = Instant::now();
    scene.warm.one_is_spent().await;
    assert_eq!(begun.elapsed().as_secs(), (AGE_MAX / 2).as_secs());
    assert_eq!(scene.warm.take(&account("own")).unwrap().target_id(), "good");
    assert_eq!(scene.given_back(), 3, "the old one, and the good one by its drop");
}

#[tokio::test]
async fn without_a_wanted_number_there_is_no_account_to_spend() {
    let metrics = SessionMetrics::register(&mut Registry::default());
    assert!(Warm::new(0, Some(account("own")), metrics).account().is_none());
}

#[test]
fn browserbase_may_ask_for_a_longer_wait() {
    let limited = |retry_after| ProviderError::RateLimited { sentence: String::new(), retry_after };
    assert_eq!(asked_wait(&limited(Some(Duration::from_secs(7)))), Duration::from_secs(7));
    assert_eq!(asked_wait(&limited(None)), Duration::ZERO);
}
