//! How many requests are worked on at once, and how many may wait for a place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::telemetry::QueueMetrics;

/// What a caller who found the queue full is told to wait: about as long as a place takes to become free.
pub const RETRY_AFTER: Duration = Duration::from_secs(2);

/// The door. Clones share it.
#[derive(Clone, Debug)]
pub struct Admission {
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    queue_max: usize,
    metrics: QueueMetrics,
}

/// Every place is taken and the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("every place is taken and the queue is full")]
pub struct Full;

/// A place; given back when dropped.
#[derive(Debug)]
pub struct Place {
    /// How long the wait for it was.
    pub waited: Duration,
    _permit: OwnedSemaphorePermit,
}

impl Admission {
    /// A door with this many places, and this many to wait for one.
    #[must_use]
    pub fn new(places: usize, queue_max: usize, metrics: QueueMetrics) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), waiting: Arc::default(), queue_max, metrics }
    }

    /// Waits for a place, first come first served. A caller who stops waiting leaves the queue.
    ///
    /// # Errors
    /// [`Full`] at once, where no place is free and the queue is full.
    pub async fn enter(&self) -> Result<Place, Full> {
        let since = Instant::now();
        let permit = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let _waiting = Waiting::begin(self)?;
                Arc::clone(&self.places).acquire_owned().await.map_err(|_| Full)?
            }
        };
        let waited = since.elapsed();
        self.metrics.waited(waited);
        Ok(Place { waited, _permit: permit })
    }
}

/// One caller in the queue.
struct Waiting<'a>(&'a Admission);

impl<'a> Waiting<'a> {
    fn begin(admission: &'a Admission) -> Result<Self, Full> {
        let admitted = admission.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |waiting| {
            (waiting < admission.queue_max).then_some(waiting + 1)
        });
        admitted.map_err(|_| Full)?;
        admission.metrics.entered();
        Ok(Self(admission))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
        self.0.metrics.left();
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::registry::Registry;

    use super::*;
    use crate::telemetry::SessionMetrics;

    fn door(places: usize, queue_max: usize) -> (Admission, SessionMetrics) {
        let mut registry = Registry::default();
        let sessions = SessionMetrics::register(&mut registry);
        let queue = QueueMetrics::register(&mut registry, &sessions);
        (Admission::new(places, queue_max, queue), sessions)
    }

    #[tokio::test]
    async fn who_finds_the_queue_full_hears_it_at_once() {
        let (door, metrics) = door(1, 1);
        let held = door.enter().await.unwrap();
        let second = tokio::spawn({
            let door = door.clone();
            async move { door.enter().await }
        });
        while metrics.pages().queued == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(door.enter().await.unwrap_err(), Full);
        drop(held);
        let second = second.await.unwrap().unwrap();
        assert_eq!(metrics.pages().queued, 0);
        drop(second);
        assert!(door.enter().await.is_ok());
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_the_queue() {
        let (door, metrics) = door(1, 1);
        let _held = door.enter().await.unwrap();
        let gone = tokio::spawn({
            let door = door.clone();
            async move { door.enter().await.map(drop) }
        });
        while metrics.pages().queued == 0 {
            tokio::task::yield_now().await;
        }
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert_eq!(metrics.pages().queued, 0);
    }
}
