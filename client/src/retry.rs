//! Decides whether and when to retry, and after which wait. `client` makes the attempts.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use porthole_contract::limits::{RETRIES_MAX, RETRY_FIRST_DELAY, RETRY_JITTER};
use porthole_contract::metrics::Operation;

use crate::error::{Code, Error};

/// The target of the client's log lines.
pub(crate) const LOG_TARGET: &str = "porthole_client";

/// The longest `Retry-After` that the client waits. With a longer one the failure is returned at once: neither a person
/// at a terminal nor an open request should wait longer.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(300);

/// A retry, before the client waits for it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Retry<'a> {
    /// The requested operation.
    pub operation: Operation,
    /// The number of the retry: 1 to 4.
    pub number: usize,
    /// The wait before it.
    pub wait: Duration,
    /// The failure of the previous attempt.
    pub error: &'a Error,
}

/// Returns a future that completes after a duration.
pub(crate) type Sleeper = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;
/// Adapts a [`Sleeper`] to backon. A named type, because with a closure the compiler can't prove that a request's
/// future is `Send`.
pub(crate) struct SleepWith(pub(crate) Sleeper);

impl backon::Sleeper for SleepWith {
    type Sleep = BoxFuture<'static, ()>;

    fn sleep(&self, wait: Duration) -> Self::Sleep {
        (self.0)(wait)
    }
}

/// Returns a random number from 0 up to 1.
pub(crate) type Randomness = Arc<dyn Fn() -> f64 + Send + Sync>;
/// A callback for every retry.
pub(crate) type OnRetry = Arc<dyn Fn(&Retry<'_>) + Send + Sync>;

/// The waits of one request's retries: 2, 4, 8, 16 s, each with up to 20 % jitter added.
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

/// Returns the wait before a retry: the scheduled one, or the answer's if that is longer. `None` ends the retries.
pub(crate) fn wait(scheduled: Option<Duration>, error: &Error) -> Option<Duration> {
    let wait = scheduled?.max(error.retry_after().unwrap_or_default());
    (wait <= RETRY_AFTER_MAX).then_some(wait)
}

/// Returns the default sleeper.
pub(crate) fn tokio_sleeper() -> Sleeper {
    Arc::new(|wait| Box::pin(tokio::time::sleep(wait)))
}

/// Returns the default randomness: the operating system's.
pub(crate) fn system_randomness() -> Randomness {
    Arc::new(|| {
        // If the operating system provides no randomness, the waits have no jitter.
        let bits = getrandom::u32().unwrap_or_default();
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    })
}

/// Logs a retry. The default callback.
pub(crate) fn log_retry(retry: &Retry<'_>) {
    tracing::debug!(
        target: LOG_TARGET,
        operation = retry.operation.name(),
        retry = retry.number,
        wait_ms = u64::try_from(retry.wait.as_millis()).unwrap_or(u64::MAX),
        code = retry.error.code().name(),
        "retrying"
    );
}

/// Whether a call may be sent again after this error.
pub(crate) fn may_retry(error: &Error, acts: bool) -> bool {
    let before_acting = match error.code() {
        Code::Known(code) => code.refuses_before_acting(),
        Code::Other(_) => false,
    };
    error.retryable() && (!acts || before_acting)
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
            context: porthole_contract::session::ErrorContext::default(),
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
    fn jitter_differs_from_one_wait_to_the_next() {
        let randomness = system_randomness();
        let drawn: Vec<_> = (0..16).map(|_| randomness()).collect();
        assert!(drawn.iter().all(|share| (0.0..1.0).contains(share)));
        assert!(drawn.iter().any(|share| *share != drawn[0]));
    }

    #[test]
    fn a_longer_retry_after_wins_and_one_beyond_the_limit_ends_the_retries() {
        let four = Some(Duration::from_secs(4));
        assert_eq!(wait(four, &with_retry_after(None)), four);
        assert_eq!(wait(four, &with_retry_after(Some(Duration::from_secs(1)))), four);
        assert_eq!(wait(four, &with_retry_after(Some(Duration::from_secs(30)))), Some(Duration::from_secs(30)));
        assert_eq!(wait(four, &with_retry_after(Some(RETRY_AFTER_MAX + Duration::from_millis(1)))), None);
        assert_eq!(wait(None, &with_retry_after(None)), None);
    }
}
