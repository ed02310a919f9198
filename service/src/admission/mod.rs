//! The door: how many requests are worked on at once, who may wait for a place, and who is turned away at once.
//!
//! `queue` knows whose turn it is, `pace` how long that takes, `memory` whether the machine can bear another page.

mod client;
mod memory;
mod pace;
mod queue;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

pub use self::client::Client;
use self::memory::Memory;
use self::pace::Pace;
use self::queue::{Queue, Seated, Ticket};
use crate::telemetry::QueueMetrics;

/// What a request needs at least for anything useful: who would get its place later than this before its deadline is
/// turned away instead.
const USEFUL_TIME: Duration = Duration::from_millis(200);
/// What a caller is told to wait while memory is short: a page or two must end first.
const MEMORY_RETRY_AFTER: Duration = Duration::from_secs(5);

/// How wide the door is.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// Requests worked on at once.
    pub places: usize,
    /// Requests that may wait.
    pub queue_max: usize,
    /// How much of the memory may be in use when a request is let in, in percent.
    pub memory_percent_max: u8,
}

/// The door. Clones share it.
#[derive(Clone, Debug)]
pub struct Admission(Arc<Door>);

#[derive(Debug)]
struct Door {
    memory: Memory,
    metrics: QueueMetrics,
    inside: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    free: usize,
    pace: Pace,
    queue: Queue<oneshot::Sender<Result<Place, Overloaded>>>,
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Every place is taken and so is every seat in the queue.
    Full,
    /// The queue is full, and another client with fewer requests needed the seat.
    Displaced,
    /// It would wait longer than it has time.
    TooLate,
    /// It has waited for as long as it had time.
    WaitedOut,
    /// The machine is short of memory.
    Memory {
        /// How much is in use, in percent.
        used_percent: u8,
    },
}

/// A request that is turned away, and when to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct Overloaded {
    /// Why.
    pub reason: Reason,
    /// How long the wait for a place is now, within 1 to 30 s.
    pub retry_after: Duration,
}

impl Overloaded {
    fn sentence(&self) -> &'static str {
        match self.reason {
            Reason::Full => "every place is taken and the queue is full",
            Reason::Displaced => "the queue is full, and callers with fewer requests in it come first",
            Reason::TooLate => "the wait for a place would be longer than the request's time",
            Reason::WaitedOut => "no place became free within the request's time",
            Reason::Memory { .. } => "the machine is short of memory",
        }
    }
}

/// A place; given back when dropped.
#[derive(Debug)]
pub struct Place {
    /// How long the wait for it was.
    pub waited: Duration,
    door: Arc<Door>,
    client: Client,
    since: Instant,
}

impl Admission {
    /// A door of this width.
    #[must_use]
    pub fn new(width: Width, metrics: QueueMetrics) -> Self {
        let inside = Inside { free: width.places, pace: Pace::new(width.places), queue: Queue::new(width.queue_max) };
        Self(Arc::new(Door { memory: Memory::new(width.memory_percent_max), metrics, inside: Mutex::new(inside) }))
    }

    /// Waits for a place, in turns with other clients. A caller who stops waiting leaves the queue.
    ///
    /// # Errors
    /// [`Overloaded`]: at once where there is no seat or no time to wait; later where another client needs the seat, or
    /// the time is over.
    pub async fn enter(&self, client: &Client, deadline: Instant) -> Result<Place, Overloaded> {
        let since = Instant::now();
        self.bears_another()?;
        let mut waiting = match self.at_the_door(client, since, deadline)? {
            Entered::Placed(place) => return Ok(place),
            Entered::Waiting(waiting) => waiting,
        };
        let leaves_at = deadline.checked_sub(USEFUL_TIME).unwrap_or(deadline);
        let answer = tokio::time::timeout_at(leaves_at, &mut waiting.answer).await;
        let mut place = match answer {
            Ok(answered) => answered.unwrap_or_else(|_| Err(self.turned_away(Reason::Full, client)))?,
            Err(_) => return Err(self.turned_away(Reason::WaitedOut, client)),
        };
        place.waited = since.elapsed();
        self.0.metrics.waited(place.waited);
        Ok(place)
    }

    /// Whether the machine has memory for another request.
    ///
    /// # Errors
    /// [`Overloaded`], where it has not.
    pub fn bears_another(&self) -> Result<(), Overloaded> {
        match self.0.memory.pressed() {
            None => Ok(()),
            Some(used_percent) => {
                Err(Overloaded { reason: Reason::Memory { used_percent }, retry_after: MEMORY_RETRY_AFTER })
            }
        }
    }

    fn at_the_door(&self, client: &Client, now: Instant, deadline: Instant) -> Result<Entered, Overloaded> {
        let mut inside = self.0.inside();
        if inside.free > 0 && inside.queue.is_empty() {
            inside.free -= 1;
            inside.queue.placed(client);
            self.0.metrics.waited(Duration::ZERO);
            return Ok(Entered::Placed(self.0.place(client.clone())));
        }
        let ahead = inside.queue.ahead_of(client);
        let refuse = |reason| Overloaded { reason, retry_after: inside.pace.retry_after(ahead) };
        if !inside.queue.has_seat_for(client) {
            return Err(refuse(Reason::Full));
        }
        if inside.pace.wait(ahead).is_some_and(|wait| now + wait > deadline) {
            return Err(refuse(Reason::TooLate));
        }
        let (sender, answer) = oneshot::channel();
        let (ticket, displaced) = match inside.queue.join(client, sender) {
            Seated::Free(ticket) => (ticket, None),
            Seated::InPlaceOf(ticket, loser) => (ticket, Some(loser)),
            Seated::None => {
                return Err(Overloaded { reason: Reason::Full, retry_after: inside.pace.retry_after(ahead) });
            }
        };
        let retry_after = inside.pace.retry_after(inside.queue.len());
        drop(inside);
        if let Some(loser) = displaced {
            // Who does not hear it any more has left.
            let _ = loser.send(Err(Overloaded { reason: Reason::Displaced, retry_after }));
        }
        self.0.metrics.entered();
        Ok(Entered::Waiting(Waiting { door: Arc::clone(&self.0), client: client.clone(), ticket, answer }))
    }

    fn turned_away(&self, reason: Reason, client: &Client) -> Overloaded {
        let inside = self.0.inside();
        Overloaded { reason, retry_after: inside.pace.retry_after(inside.queue.ahead_of(client)) }
    }
}

enum Entered {
    Placed(Place),
    Waiting(Waiting),
}

impl Door {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(self: &Arc<Self>, client: Client) -> Place {
        Place { waited: Duration::ZERO, door: Arc::clone(self), client, since: Instant::now() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.door.inside();
        inside.pace.learn(self.since.elapsed());
        inside.free += 1;
        let mut next = Vec::new();
        while inside.free > 0
            && let Some((client, request)) = inside.queue.next()
        {
            inside.free -= 1;
            next.push((client, request));
        }
        // Only now: whoever gives a place back had it until now, and others come first.
        inside.queue.unplaced(&self.client);
        drop(inside);
        for (client, request) in next {
            // One that has left meanwhile gets its place all the same, and gives it back by dropping it.
            drop(request.send(Ok(self.door.place(client))));
        }
    }
}

/// One request in the queue.
struct Waiting {
    door: Arc<Door>,
    client: Client,
    ticket: Ticket,
    answer: oneshot::Receiver<Result<Place, Overloaded>>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.door.inside().queue.leave(&self.client, self.ticket));
        self.door.metrics.left();
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::registry::Registry;

    use super::*;
    use crate::telemetry::SessionMetrics;

    const LONG: Duration = Duration::from_secs(60);

    fn door(places: usize, queue_max: usize) -> (Admission, SessionMetrics) {
        let mut registry = Registry::default();
        let sessions = SessionMetrics::register(&mut registry);
        let queue = QueueMetrics::register(&mut registry, &sessions);
        (Admission::new(Width { places, queue_max, memory_percent_max: 100 }, queue), sessions)
    }

    fn client(name: &str) -> Client {
        Client::named(name).unwrap()
    }

    async fn enter(door: &Admission, name: &str) -> Result<Place, Overloaded> {
        door.enter(&client(name), Instant::now() + LONG).await
    }

    /// Begins to wait, and gives the task once it does.
    async fn waits(door: &Admission, metrics: &SessionMetrics, name: &'static str) -> Task {
        let before = metrics.pages().queued;
        let door = door.clone();
        let task = tokio::spawn(async move { enter(&door, name).await });
        while metrics.pages().queued == before {
            tokio::task::yield_now().await;
        }
        task
    }

    type Task = tokio::task::JoinHandle<Result<Place, Overloaded>>;

    #[tokio::test]
    async fn who_finds_the_queue_full_hears_it_at_once() {
        let (door, metrics) = door(1, 1);
        let held = enter(&door, "a").await.unwrap();
        let second = waits(&door, &metrics, "a").await;
        assert_eq!(enter(&door, "a").await.unwrap_err().reason, Reason::Full);
        drop(held);
        let second = second.await.unwrap().unwrap();
        assert_eq!(metrics.pages().queued, 0);
        drop(second);
        assert!(enter(&door, "a").await.is_ok());
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_the_queue_and_takes_no_place_along() {
        let (door, metrics) = door(1, 1);
        let held = enter(&door, "a").await.unwrap();
        let gone = waits(&door, &metrics, "a").await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert_eq!(metrics.pages().queued, 0);
        // One that leaves in the very moment in which it gets its place.
        let gone = waits(&door, &metrics, "a").await;
        drop(held);
        gone.abort();
        drop(gone.await);
        assert!(enter(&door, "a").await.is_ok());
    }

    #[tokio::test]
    async fn a_flood_does_not_take_the_queue_from_others() {
        let (door, metrics) = door(1, 3);
        let held = enter(&door, "flood").await.unwrap();
        let mut flood = Vec::new();
        for _ in 0..3 {
            flood.push(waits(&door, &metrics, "flood").await);
        }
        let calm = tokio::spawn({
            let door = door.clone();
            async move { enter(&door, "calm").await }
        });
        let displaced = flood.pop().unwrap().await.unwrap().unwrap_err();
        assert_eq!(displaced.reason, Reason::Displaced);
        drop(held);
        let place = calm.await.unwrap().unwrap();
        assert!(flood.iter().all(|task| !task.is_finished()), "the calm client comes first");
        drop(place);
        for task in flood {
            drop(task.await.unwrap().unwrap());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_would_wait_longer_than_it_has_time_hears_it_at_once_and_how_long_it_would_have_been() {
        let (door, metrics) = door(1, 8);
        let first = enter(&door, "a").await.unwrap();
        tokio::time::advance(Duration::from_secs(4)).await;
        drop(first);
        let _held = enter(&door, "a").await.unwrap();
        let _second = waits(&door, &metrics, "b").await;
        let now = Instant::now();
        let refused = door.enter(&client("c"), now + Duration::from_secs(7)).await.unwrap_err();
        assert_eq!(refused, Overloaded { reason: Reason::TooLate, retry_after: Duration::from_secs(8) });
        assert_eq!(Instant::now(), now, "it waited");
        let waited_out = door.enter(&client("c"), now + Duration::from_secs(9)).await.unwrap_err();
        assert_eq!(waited_out.reason, Reason::WaitedOut);
        assert!(now.elapsed() < Duration::from_secs(9), "it left only after its deadline");
        assert_eq!(metrics.pages().queued, 1);
    }
}
