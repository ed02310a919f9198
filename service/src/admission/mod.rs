//! Admission: how many requests run at once, which of them wait, and which are refused at once.
//!
//! A request that works on a page holds a [`Permit`]; a page that is held between calls has a [`Seat`]. `queue` decides
//! which request is next, `pace` estimates the wait. While the machine is short of memory no request is admitted.

mod client;
mod overload;
mod pace;
mod queue;
mod seats;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

pub use self::client::Client;
pub use self::overload::{Overloaded, Reason};
use self::pace::Pace;
use self::queue::{Joined, Queue, Ticket};
pub use self::seats::{NoSeat, Seat, SeatLimits, Seats};
use crate::memory::Memory;
use crate::telemetry::QueueMetrics;

/// The least remaining time that is of use to a request: one that would get its permit later is refused instead.
const USEFUL_TIME: Duration = Duration::from_millis(200);
/// `Retry-After` while memory is short: a page or two must end first.
const MEMORY_RETRY_AFTER: Duration = Duration::from_secs(5);
/// For so long after requests of two clients a permit is kept for one that holds none.
const SEVERAL_FOR: Duration = Duration::from_secs(600);

/// How many requests run and wait.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionLimits {
    /// Requests that run at once.
    pub permits: usize,
    /// Requests that may wait.
    pub queue_max: usize,
    /// Memory in use, in percent, above which no request is admitted.
    pub memory_percent_max: u8,
}

/// Gives out permits. Clones share them.
#[derive(Clone, Debug)]
pub struct Admission(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    memory: Memory,
    metrics: QueueMetrics,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    pace: Pace,
    queue: Queue<oneshot::Sender<Result<Permit, Overloaded>>>,
    /// The client of the latest request.
    latest: Option<Client>,
    /// When a request last came from another client than the one before.
    alternated: Option<Instant>,
}

/// The right to work on a page; given back when dropped.
#[derive(Debug)]
pub struct Permit {
    /// How long the request waited for it.
    pub waited: Duration,
    shared: Arc<Shared>,
    client: Client,
    since: Instant,
}

impl Admission {
    /// Creates an admission with these limits.
    #[must_use]
    pub fn new(limits: AdmissionLimits, metrics: QueueMetrics) -> Self {
        let AdmissionLimits { permits, queue_max, memory_percent_max } = limits;
        let (pace, queue) = (Pace::new(permits), Queue::new(queue_max));
        let state = State { free: permits, pace, queue, latest: None, alternated: None };
        Self(Arc::new(Shared { memory: Memory::new(memory_percent_max), metrics, state: Mutex::new(state) }))
    }

    /// Waits for a permit, in turns with other clients. Dropping the future leaves the queue.
    ///
    /// # Errors
    /// [`Overloaded`]: at once if the queue is full or the wait would be too long; later if the request gave way to
    /// another client, or its time is over.
    pub async fn acquire(&self, client: &Client, deadline: Instant) -> Result<Permit, Overloaded> {
        let since = Instant::now();
        self.check_memory()?;
        let mut waiting = match self.enter(client, since, deadline)? {
            Entered::Admitted(permit) => return Ok(permit),
            Entered::Waiting(waiting) => waiting,
        };
        let leaves_at = deadline.checked_sub(USEFUL_TIME).unwrap_or(deadline);
        let answer = tokio::time::timeout_at(leaves_at, &mut waiting.answer).await;
        let mut permit = match answer {
            Ok(answered) => answered.unwrap_or_else(|_| Err(self.refused(Reason::QueueFull, client)))?,
            Err(_) => return Err(self.refused(Reason::WaitedOut, client)),
        };
        permit.waited = since.elapsed();
        self.0.metrics.waited(permit.waited);
        Ok(permit)
    }

    /// Whether the machine has memory for another page.
    ///
    /// # Errors
    /// [`Overloaded`] if it has not.
    pub fn check_memory(&self) -> Result<(), Overloaded> {
        match self.0.memory.pressed() {
            None => Ok(()),
            Some(used_percent) => {
                Err(Overloaded { reason: Reason::Memory { used_percent }, retry_after: MEMORY_RETRY_AFTER })
            }
        }
    }

    fn enter(&self, client: &Client, now: Instant, deadline: Instant) -> Result<Entered, Overloaded> {
        let mut state = self.0.state();
        state.comes(client, now);
        if state.may_enter(client, now) {
            state.free -= 1;
            state.queue.admitted(client);
            self.0.metrics.waited(Duration::ZERO);
            return Ok(Entered::Admitted(self.0.permit(client.clone())));
        }
        let ahead = state.queue.ahead_of(client);
        let refuse = |reason| Overloaded { reason, retry_after: state.pace.retry_after(ahead) };
        if !state.queue.has_room_for(client) {
            return Err(refuse(Reason::QueueFull));
        }
        if state.pace.wait(ahead).is_some_and(|wait| now + wait > deadline) {
            return Err(refuse(Reason::TooLate));
        }
        let (sender, answer) = oneshot::channel();
        let (ticket, displaced) = match state.queue.join(client, sender) {
            Joined::Waiting(ticket) => (ticket, None),
            Joined::InsteadOf(ticket, loser) => (ticket, Some(loser)),
            Joined::Full => {
                return Err(Overloaded { reason: Reason::QueueFull, retry_after: state.pace.retry_after(ahead) });
            }
        };
        let retry_after = state.pace.retry_after(state.queue.len());
        drop(state);
        if let Some(loser) = displaced {
            // Sending fails if that request's caller has left.
            let _ = loser.send(Err(Overloaded { reason: Reason::Displaced, retry_after }));
        }
        self.0.metrics.entered();
        Ok(Entered::Waiting(Waiting { shared: Arc::clone(&self.0), client: client.clone(), ticket, answer }))
    }

    fn refused(&self, reason: Reason, client: &Client) -> Overloaded {
        let state = self.0.state();
        Overloaded { reason, retry_after: state.pace.retry_after(state.queue.ahead_of(client)) }
    }
}

// === impl State ===

impl State {
    /// Notes a client's request.
    fn comes(&mut self, client: &Client, now: Instant) {
        if self.latest.as_ref().is_some_and(|latest| latest != client) {
            self.alternated = Some(now);
        }
        self.latest = Some(client.clone());
    }

    /// Gives free permits to waiting requests that may have them.
    fn choose(&mut self, now: Instant) -> Vec<(Client, oneshot::Sender<Result<Permit, Overloaded>>)> {
        let mut chosen = Vec::new();
        while let Some(client) = self.queue.next_client()
            && self.may_have(self.queue.permits_of(client), now)
            && let Some(next) = self.queue.next()
        {
            self.free -= 1;
            chosen.push(next);
        }
        chosen
    }

    /// Whether a client that holds `held` permits may have another one. While there are several clients, the last free one
    /// is kept for a client that holds none: requests may take as long as the slowest page.
    fn may_have(&self, held: usize, now: Instant) -> bool {
        let are_several = self.alternated.is_some_and(|at| now.saturating_duration_since(at) < SEVERAL_FOR);
        self.free > usize::from(are_several && held > 0)
    }

    /// Whether a client's request may run at once: nothing waits that may run before it.
    fn may_enter(&self, client: &Client, now: Instant) -> bool {
        let may = |client: &Client| self.may_have(self.queue.permits_of(client), now);
        may(client) && !self.queue.next_client().is_some_and(may)
    }
}

enum Entered {
    Admitted(Permit),
    Waiting(Waiting),
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(self: &Arc<Self>, client: Client) -> Permit {
        Permit { waited: Duration::ZERO, shared: Arc::clone(self), client, since: Instant::now() }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.pace.learn(self.since.elapsed());
        state.free += 1;
        let now = Instant::now();
        // In the first choice this client still counts as holding the permit, so that others come first.
        let mut next = state.choose(now);
        state.queue.finished(&self.client);
        next.extend(state.choose(now));
        drop(state);
        for (client, request) in next {
            // A request whose caller has left drops the permit, which gives it back.
            drop(request.send(Ok(self.shared.permit(client))));
        }
    }
}

/// One request in the queue.
struct Waiting {
    shared: Arc<Shared>,
    client: Client,
    ticket: Ticket,
    answer: oneshot::Receiver<Result<Permit, Overloaded>>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.shared.state().queue.leave(&self.client, self.ticket));
        self.shared.metrics.left();
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::registry::Registry;

    use super::*;
    use crate::telemetry::LeaseMetrics;

    const LONG: Duration = Duration::from_secs(60);

    fn admission(permits: usize, queue_max: usize) -> (Admission, LeaseMetrics) {
        let mut registry = Registry::default();
        let sessions = LeaseMetrics::register(&mut registry);
        let queue = QueueMetrics::register(&mut registry, &sessions);
        (Admission::new(AdmissionLimits { permits, queue_max, memory_percent_max: 100 }, queue), sessions)
    }

    fn client(name: &str) -> Client {
        Client::named(name).unwrap()
    }

    async fn acquire(admission: &Admission, name: &str) -> Result<Permit, Overloaded> {
        admission.acquire(&client(name), Instant::now() + LONG).await
    }

    /// Starts a request, and returns its task once it waits in the queue.
    async fn waits(admission: &Admission, metrics: &LeaseMetrics, name: &'static str) -> Task {
        let before = metrics.pages().queued;
        let admission = admission.clone();
        let task = tokio::spawn(async move { acquire(&admission, name).await });
        while metrics.pages().queued == before {
            tokio::task::yield_now().await;
        }
        task
    }

    type Task = tokio::task::JoinHandle<Result<Permit, Overloaded>>;

    #[tokio::test]
    async fn a_request_that_finds_the_queue_full_is_refused_at_once() {
        let (admission, metrics) = admission(1, 1);
        let held = acquire(&admission, "a").await.unwrap();
        let second = waits(&admission, &metrics, "a").await;
        assert_eq!(acquire(&admission, "a").await.unwrap_err().reason, Reason::QueueFull);
        drop(held);
        let second = second.await.unwrap().unwrap();
        assert_eq!(metrics.pages().queued, 0);
        drop(second);
        assert!(acquire(&admission, "a").await.is_ok());
    }

    #[tokio::test]
    async fn a_request_that_stops_waiting_leaves_the_queue_and_takes_no_permit() {
        let (admission, metrics) = admission(1, 1);
        let held = acquire(&admission, "a").await.unwrap();
        let gone = waits(&admission, &metrics, "a").await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        assert_eq!(metrics.pages().queued, 0);
        // Leaves at the moment at which it gets its permit.
        let gone = waits(&admission, &metrics, "a").await;
        drop(held);
        gone.abort();
        drop(gone.await);
        assert!(acquire(&admission, "a").await.is_ok());
    }

    #[tokio::test]
    async fn a_flood_does_not_take_the_queue_from_others() {
        let (admission, metrics) = admission(1, 3);
        let held = acquire(&admission, "flood").await.unwrap();
        let mut flood = Vec::new();
        for _ in 0..3 {
            flood.push(waits(&admission, &metrics, "flood").await);
        }
        let calm = tokio::spawn({
            let admission = admission.clone();
            async move { acquire(&admission, "calm").await }
        });
        let displaced = flood.pop().unwrap().await.unwrap().unwrap_err();
        assert_eq!(displaced.reason, Reason::Displaced);
        drop(held);
        let permit = calm.await.unwrap().unwrap();
        assert!(flood.iter().all(|task| !task.is_finished()), "the calm client comes first");
        drop(permit);
        for task in flood {
            drop(task.await.unwrap().unwrap());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_client_leaves_a_permit_to_others_while_there_are_any() {
        let (admission, metrics) = admission(3, 8);
        let alone: Vec<_> =
            [acquire(&admission, "a").await, acquire(&admission, "a").await, acquire(&admission, "a").await]
                .into_iter()
                .map(Result::unwrap)
                .collect();
        drop(alone);
        drop(acquire(&admission, "b").await.unwrap());
        let first = acquire(&admission, "a").await.unwrap();
        let _second = acquire(&admission, "a").await.unwrap();
        let third = waits(&admission, &metrics, "a").await;
        // The place that is left is another's, although a request waits.
        let other = acquire(&admission, "b").await.unwrap();
        let _more = waits(&admission, &metrics, "b").await;
        drop(first);
        tokio::task::yield_now().await;
        assert!(!third.is_finished(), "the last one is kept again");
        drop(other);
        drop(third.await.unwrap().unwrap());
    }

    #[tokio::test]
    async fn a_client_whose_request_ends_may_have_the_permit_that_others_may_not() {
        let (admission, metrics) = admission(2, 8);
        let first = acquire(&admission, "a").await.unwrap();
        let _other = acquire(&admission, "b").await.unwrap();
        let others = waits(&admission, &metrics, "b").await;
        let second = waits(&admission, &metrics, "a").await;
        drop(first);
        drop(second.await.unwrap().unwrap());
        assert!(!others.is_finished());
        let _newcomer = acquire(&admission, "c").await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_longer_than_the_deadline_is_refused_at_once_with_its_length() {
        let (admission, metrics) = admission(1, 8);
        let first = acquire(&admission, "a").await.unwrap();
        tokio::time::advance(Duration::from_secs(4)).await;
        drop(first);
        let _held = acquire(&admission, "a").await.unwrap();
        let _second = waits(&admission, &metrics, "b").await;
        let now = Instant::now();
        let refused = admission.acquire(&client("c"), now + Duration::from_secs(7)).await.unwrap_err();
        assert_eq!(refused, Overloaded { reason: Reason::TooLate, retry_after: Duration::from_secs(8) });
        assert_eq!(Instant::now(), now, "it waited");
        let waited_out = admission.acquire(&client("c"), now + Duration::from_secs(9)).await.unwrap_err();
        assert_eq!(waited_out.reason, Reason::WaitedOut);
        assert!(now.elapsed() < Duration::from_secs(9), "it left only after its deadline");
        assert_eq!(metrics.pages().queued, 1);
    }
}
