//! Which warm sessions are used, and which are released.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use prometheus_client::registry::Registry;

use super::*;
use crate::cdp::{Bounds, Meter, connect_pipe};
use crate::guard::{Intercept, Network, RemoteNetwork};
use crate::provider::browserbase::refill::WARM_PURPOSE;

fn account(key: &str) -> Credentials {
    Credentials { api_key: key.into(), project_id: Some("project".into()) }
}

struct Scene {
    warm: Warm,
    metrics: LeaseMetrics,
    released: Arc<AtomicU32>,
    /// The browsers' ends of the pipes.
    lines: Vec<tokio::io::DuplexStream>,
}

impl Scene {
    fn new(wanted: usize) -> Self {
        let metrics = LeaseMetrics::register(&mut Registry::default());
        let warm = Warm::new(wanted, Some(account("own")), metrics.clone());
        Self { warm, metrics, released: Arc::default(), lines: Vec::new() }
    }

    fn add(&mut self, target: &str) {
        let (ours, theirs) = tokio::io::duplex(1024);
        self.lines.push(theirs);
        let released = Arc::clone(&self.released);
        let network = RemoteNetwork { intercept: Intercept::Everything, whole_browser: true, judges_addresses: true };
        let page = connect_pipe(ours, tokio::io::sink(), Bounds::default(), Meter::default()).session("S");
        self.metrics.created(WARM_PURPOSE.page_use());
        let lease = Lease::new(WARM_PURPOSE, page, target.to_owned(), Network::Remote(network), move |_| {
            released.fetch_add(1, Ordering::Relaxed);
        });
        self.warm.add(lease, Instant::now());
    }

    fn released(&self) -> u32 {
        self.released.load(Ordering::Relaxed)
    }
}

#[tokio::test(start_paused = true)]
async fn the_oldest_session_is_used_once_and_only_by_its_own_account() {
    let mut scene = Scene::new(2);
    scene.add("first");
    scene.add("second");
    assert!(!scene.warm.lacks_one());
    assert_eq!((scene.metrics.pages().warm, scene.metrics.pages().busy), (2, 0));
    assert!(scene.warm.take(&account("another")).is_none());
    let lease = scene.warm.take(&account("own")).unwrap();
    assert_eq!((lease.target_id(), scene.released()), ("first", 0));
    assert_eq!((scene.metrics.pages().warm, scene.metrics.pages().busy), (1, 1));
    assert!(scene.warm.lacks_one());
    drop(lease);
    assert_eq!(scene.released(), 1);
    scene.warm.clear();
    assert_eq!((scene.released(), scene.metrics.pages().warm), (2, 0));
    assert!(scene.warm.take(&account("own")).is_none());
}

#[tokio::test(start_paused = true)]
async fn old_and_dead_sessions_are_released_unused() {
    let mut scene = Scene::new(3);
    scene.add("old");
    tokio::time::advance(AGE_MAX / 2).await;
    scene.add("dead");
    scene.add("good");
    // Paused time advances only for timers that are awaited, so both endings must be detected here.
    let spent = scene.warm.one_is_spent();
    drop(scene.lines.remove(1));
    spent.await;
    scene.warm.discard_spent();
    assert_eq!(scene.released(), 1, "the dead one");
    let begun = Instant::now();
    scene.warm.one_is_spent().await;
    assert_eq!(begun.elapsed().as_secs(), (AGE_MAX / 2).as_secs());
    assert_eq!(scene.warm.take(&account("own")).unwrap().target_id(), "good");
    assert_eq!(scene.released(), 3, "the old one, and the good one by its drop");
}

#[tokio::test]
async fn without_a_wanted_number_there_is_no_account_to_spend() {
    let metrics = LeaseMetrics::register(&mut Registry::default());
    assert!(Warm::new(0, Some(account("own")), metrics).account().is_none());
}
