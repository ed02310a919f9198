//! When to try again, and after how long. What is tried lives in `client`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use porthole_contract::limits::{RETRIES_MAX, RETRY_FIRST_DELAY, RETRY_JITTER};
use porthole_contract::metrics::Operation;

use crate::error::Error;

/// The target of the client's log lines.
pub(crate) const LOG_TARGET: &str = "porthole_client";

/// The longest `Retry-After` that is waited out. Beyond it the failure is given back at once: nobody sits before a
/// terminal, or holds a request open, for so long.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// A retry that is about to be waited for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Retry<'a> {
    /// What is asked for.
    pub operation: Operation,
    /// Which retry it is: 1 to 4.
    pub number: usize,
    /// How long the client waits before it.
    pub wait: Duration,
    /// Why the attempt before it failed.
    pub error: &'a Error,
}

/// Waits.
pub(crate) type Sleeper = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;
/// Waits so between tries. A type with a name: behind a closure the compiler can't see that a request may be sent between
/// threads.
pub(crate) struct SleepWith(pub(crate) Sleeper);

impl backon::Sleeper for SleepWith {
    type Sleep = BoxFuture<'static, ()>;

    fn sleep(&self, wait: Duration) -> Self::Sleep {
        (self.0)(wait)
    }
}

/// Gives a number from 0 up to 1, by chance.
pub(crate) type Randomness = Arc<dyn Fn() -> f64 + Send + Sync>;
/// Hears of every retry.
pub(crate) type OnRetry = Arc<dyn Fn(&Retry<'_>) + Send + Sync>;

/// The waits of one request's retries: 2, 4, 8, 16 s, each with up to 20 % added by chance.
///
/// Our own iterator, because backon's jitter adds up to the whole delay.
pub(crate) struct Delays {
    next: Duration,
    left: usize,
    randomness: Randomness,
}

impl Delays {
    pub(crate) fn new(randomness: Randomness) -> Self {
        Self { next: RETRY_FIRST_DELAY, left: RETRIES_MAX, randomness }
    }
}

impl Iterator for Delays {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let delay = self.next;
        self.next = delay.saturating_mul(2);
        let share = (self.randomness)().clamp(0.0, 1.0) * RETRY_JITTER;
        Some(delay.mul_f64(1.0 + share))
    }
}

/// The wait before a retry: the schedule's, or what the answer asks for when that is longer. None ends the retries.
pub(crate) fn wait(scheduled: Option<Duration>, error: &Error) -> Option<Duration> {
    let wait = scheduled?.max(error.retry_after().unwrap_or_default());
    (wait <= RETRY_AFTER_MAX).then_some(wait)
}

/// The sleeper of a client that nobody gave another.
pub(crate) fn tokio_sleeper() -> Sleeper {
    Arc::new(|wait| Box::pin(tokio::time::sleep(wait)))
}

/// The randomness of a client that nobody gave another: the operating system's.
pub(crate) fn system_randomness() -> Randomness {
    Arc::new(|| {
        // Without a source of chance the waits merely lose their jitter.
        let bits = getrandom::u32().unwrap_or_default();
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    })
}

/// Tells a log, for clients that nobody gave a callback.
pub(crate) fn log_retry(retry: &Retry<'_>) {
    tracing::debug!(
        target: LOG_TARGET,
        operation = retry.operation.name(),
        retry = retry.number,
        wait_ms = u64::try_from(retry.wait.as_millis()).unwrap_or(u64::MAX),
        code = retry.error.code().name(),
        "trying again"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Refusal};

    fn with_retry_after(retry_after: Option<Duration>) -> Error {
        Error::Refused(Box::new(Refusal {
            code: Code::of_name("OVERLOADED"),
            message: String::new(),
            details: String::new(),
            retryable: true,
            retry_after,
            request_id: String::new(),
            status: 503,
        }))
    }

    #[test]
    fn waits_double_four_times_and_jitter_adds_a_fifth_at_most() {
        let plain: Vec<_> = Delays::new(Arc::new(|| 0.0)).collect();
        assert_eq!(plain, [2, 4, 8, 16].map(Duration::from_secs));
        let longest: Vec<_> = Delays::new(Arc::new(|| 1.0)).collect();
        assert_eq!(longest, [2400, 4800, 9600, 19200].map(Duration::from_millis));
        for (wait, delay) in Delays::new(system_randomness()).zip(plain) {
            assert!(wait >= delay && wait <= delay.mul_f64(1.2), "{wait:?} for {delay:?}");
        }
    }

    #[test]
    fn chance_differs_from_one_wait_to_the_next() {
        let randomness = system_randomness();
        let drawn: Vec<_> = (0..16).map(|_| randomness()).collect();
        assert!(drawn.iter().all(|share| (0.0..1.0).contains(share)));
        assert!(drawn.iter().any(|share| *share != drawn[0]));
    }

    #[test]
    fn a_longer_retry_after_wins_a_shorter_one_does_not_and_one_beyond_patience_ends_it() {
        let four = Some(Duration::from_secs(4));
        assert_eq!(wait(four, &with_retry_after(None)), four);
        assert_eq!(wait(four, &with_retry_after(Some(Duration::from_secs(1)))), four);
        assert_eq!(wait(four, &with_retry_after(Some(Duration::from_secs(30)))), Some(Duration::from_secs(30)));
        assert_eq!(wait(four, &with_retry_after(Some(RETRY_AFTER_MAX + Duration::from_millis(1)))), None);
        assert_eq!(wait(None, &with_retry_after(None)), None);
    }
}
