//! Seats: how many pages may be held between calls, in this replica and by one sandbox.
//!
//! A seat is not a permit. A session that holds a page and does nothing takes a seat and no permit; each of its calls
//! takes a permit like any other request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Admission;
use super::overload::Overloaded;

/// How many seats there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatLimits {
    /// In this replica.
    pub total: usize,
    /// For one sandbox.
    pub per_sandbox: usize,
}

/// Why there is no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSeat {
    /// All seats of this replica are taken.
    #[error("all {0} sessions of this server are in use")]
    Total(usize),
    /// The sandbox has reached its limit.
    #[error("this sandbox already has {0} sessions")]
    PerSandbox(usize),
    /// The machine is short of memory.
    #[error(transparent)]
    Memory(Overloaded),
}

/// The seats of one replica. Clones share them.
#[derive(Clone, Debug)]
pub struct Seats(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: SeatLimits,
    admission: Admission,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    /// Sandboxes without a seat have no entry.
    by_sandbox: HashMap<Arc<str>, usize>,
}

/// One held page's seat; given back when dropped.
#[derive(Debug)]
pub struct Seat {
    shared: Arc<Shared>,
    sandbox: Arc<str>,
}

// === impl Seats ===

impl Seats {
    /// Creates seats within these limits. `admission` says whether the machine has memory for another held page.
    #[must_use]
    pub fn new(limits: SeatLimits, admission: Admission) -> Self {
        Self(Arc::new(Shared { limits, admission, taken: Mutex::default() }))
    }

    /// Takes a seat for this sandbox. Never waits: a seat may be held for an hour.
    ///
    /// # Errors
    /// [`NoSeat`] if a limit is reached or memory is short.
    pub fn take(&self, sandbox: &str) -> Result<Seat, NoSeat> {
        let Shared { limits, admission, .. } = &*self.0;
        admission.check_memory().map_err(NoSeat::Memory)?;
        let mut taken = self.0.taken();
        if taken.by_sandbox.get(sandbox).is_some_and(|count| *count >= limits.per_sandbox) {
            return Err(NoSeat::PerSandbox(limits.per_sandbox));
        }
        if taken.total >= limits.total {
            return Err(NoSeat::Total(limits.total));
        }
        let sandbox: Arc<str> = sandbox.into();
        taken.total += 1;
        *taken.by_sandbox.entry(Arc::clone(&sandbox)).or_default() += 1;
        Ok(Seat { shared: Arc::clone(&self.0), sandbox })
    }

    /// How many seats are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.0.taken().total
    }
}

impl Shared {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.shared.taken();
        taken.total -= 1;
        if let Some(count) = taken.by_sandbox.get_mut(&self.sandbox) {
            *count -= 1;
            if *count == 0 {
                taken.by_sandbox.remove(&self.sandbox);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::registry::Registry;
    use tokio::time::Instant;

    use super::*;
    use crate::admission::{AdmissionLimits, Client, Reason};
    use crate::telemetry::{LeaseMetrics, QueueMetrics};

    fn admission(memory_percent_max: u8) -> Admission {
        let mut registry = Registry::default();
        let sessions = LeaseMetrics::register(&mut registry);
        let queue = QueueMetrics::register(&mut registry, &sessions);
        Admission::new(AdmissionLimits { permits: 1, queue_max: 0, memory_percent_max }, queue)
    }

    fn seats(total: usize, per_sandbox: usize) -> Seats {
        Seats::new(SeatLimits { total, per_sandbox }, admission(100))
    }

    #[test]
    fn a_sandbox_has_its_own_limit_and_all_share_one() {
        let seats = seats(3, 2);
        let first = seats.take("a").unwrap();
        let _second = seats.take("a").unwrap();
        assert_eq!(seats.take("a").unwrap_err(), NoSeat::PerSandbox(2));
        let _third = seats.take("b").unwrap();
        assert_eq!(seats.take("c").unwrap_err(), NoSeat::Total(3));
        drop(first);
        assert_eq!(seats.taken(), 2);
        assert!(seats.take("a").is_ok());
    }

    #[test]
    fn a_sandbox_without_a_seat_is_forgotten() {
        let seats = seats(8, 8);
        drop((seats.take("a").unwrap(), seats.take("a").unwrap(), seats.take("b").unwrap()));
        assert_eq!(seats.taken(), 0);
        assert!(seats.0.taken().by_sandbox.is_empty());
    }

    #[test]
    fn no_seat_is_given_while_memory_is_short() {
        let seats = Seats::new(SeatLimits { total: 8, per_sandbox: 8 }, admission(1));
        assert!(matches!(seats.take("a"), Err(NoSeat::Memory(Overloaded { reason: Reason::Memory { .. }, .. }))));
    }

    #[tokio::test]
    async fn a_seat_takes_no_permit() {
        let admission = admission(100);
        let seats = Seats::new(SeatLimits { total: 8, per_sandbox: 8 }, admission.clone());
        let _held: Vec<_> = (0..8).map(|_| seats.take("a").unwrap()).collect();
        let client = Client::named("c").unwrap();
        assert!(admission.acquire(&client, Instant::now() + std::time::Duration::from_secs(9)).await.is_ok());
    }
}
