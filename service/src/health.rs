//! Readiness: whether a request would be accepted. Asks the browser, one check at a time, and caches the answer.
//!
//! The service is not ready until the first good answer, so `/readyz` serves as the start-up probe too. From then on
//! one bad answer is not enough to change that: a browser may be busy for a second.

use std::time::Duration;

use porthole_contract::{ErrorCode, Failure};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long "ready" is cached: many probes ask.
const READY_CACHED_FOR: Duration = Duration::from_secs(2);
/// How long "not ready" is cached: shorter, so that the end of a start is noticed soon.
const NOT_READY_CACHED_FOR: Duration = Duration::from_millis(250);
/// Time limit for an answer: shorter than any probe's.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1500);
/// How many bad answers in a row make a ready service not ready.
const BAD_ANSWERS: u32 = 2;

/// The cached answer to readiness checks.
#[derive(Debug)]
pub struct Health(Mutex<Last>);

#[derive(Debug)]
struct Last {
    asked: Option<Instant>,
    bad_answers: u32,
    state: Result<(), Failure>,
}

impl Default for Health {
    fn default() -> Self {
        let state = Err(Failure::new(ErrorCode::SessionCreateFailed, "no browser has answered yet"));
        Self(Mutex::new(Last { asked: None, bad_answers: 0, state }))
    }
}

impl Health {
    /// Returns the cached answer, or the answer to a new `check` if that is too old.
    ///
    /// # Errors
    /// Why no request would be accepted.
    pub async fn ask(&self, check: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
        // Held during the check: callers that ask meanwhile get the same answer.
        let mut last = self.0.lock().await;
        let holds_for = if last.state.is_ok() { READY_CACHED_FOR } else { NOT_READY_CACHED_FOR };
        if last.asked.is_some_and(|asked| asked.elapsed() < holds_for) {
            return last.state.clone();
        }
        let answer = timeout(ANSWER_TIMEOUT, check)
            .await
            .unwrap_or_else(|_| Err(Failure::new(ErrorCode::SessionCreateFailed, "the browser has not answered yet")));
        last.asked = Some(Instant::now());
        match answer {
            Ok(()) => {
                if last.state.is_err() {
                    tracing::info!("the service is ready");
                }
                last.bad_answers = 0;
                last.state = Ok(());
            }
            Err(failure) => {
                last.bad_answers += 1;
                if last.state.is_ok() && last.bad_answers >= BAD_ANSWERS {
                    tracing::warn!(%failure, "not ready");
                }
                if last.state.is_err() || last.bad_answers >= BAD_ANSWERS {
                    last.state = Err(failure);
                }
            }
        }
        last.state.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    async fn good() -> Result<(), Failure> {
        Ok(())
    }

    async fn bad() -> Result<(), Failure> {
        Err(Failure::new(ErrorCode::SessionCreateFailed, "bad"))
    }

    #[tokio::test(start_paused = true)]
    async fn two_bad_answers_end_readiness_and_one_good_answer_restores_it() {
        let health = Health::default();
        assert!(health.ask(bad()).await.is_err(), "no check has succeeded yet");
        tokio::time::advance(NOT_READY_CACHED_FOR).await;
        assert!(health.ask(good()).await.is_ok());
        assert!(health.ask(bad()).await.is_ok(), "ready is cached");
        tokio::time::advance(READY_CACHED_FOR).await;
        assert!(health.ask(bad()).await.is_ok(), "one bad answer");
        tokio::time::advance(READY_CACHED_FOR).await;
        assert!(health.ask(bad()).await.is_err(), "two bad answers");
        tokio::time::advance(NOT_READY_CACHED_FOR).await;
        assert!(health.ask(good()).await.is_ok());
        tokio::time::advance(READY_CACHED_FOR).await;
        assert!(health.ask(bad()).await.is_ok(), "the count begins anew");
    }

    #[tokio::test(start_paused = true)]
    async fn checks_run_one_at_a_time_and_time_out() {
        let health = Health::default();
        let asked = AtomicU32::new(0);
        let silent = async || {
            asked.fetch_add(1, Ordering::Relaxed);
            std::future::pending().await
        };
        let (first, second) = tokio::join!(health.ask(silent()), health.ask(silent()));
        assert!(first.is_err() && second.is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
