//! Whether a request would be taken: asked of the browser itself, by one question at a time, and remembered for a while.
//!
//! Until the first good answer it is no; so `/readyz` serves as the start-up probe too. From then on one bad answer is
//! not enough: a browser may be busy for a second.

use std::time::Duration;

use porthole_contract::{ErrorCode, Failure};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// How long a yes holds: probes come from many sides.
const YES_HOLDS_FOR: Duration = Duration::from_secs(2);
/// How long a no holds: whoever waits for a start wants to know soon.
const NO_HOLDS_FOR: Duration = Duration::from_millis(250);
/// How long an answer may take: less than any probe waits.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1500);
/// How many bad answers in a row turn a yes into a no.
const BAD_ANSWERS: u32 = 2;

/// The last word.
#[derive(Debug)]
pub struct Health(Mutex<Last>);

#[derive(Debug)]
struct Last {
    asked: Option<Instant>,
    bad_answers: u32,
    word: Result<(), Failure>,
}

impl Default for Health {
    fn default() -> Self {
        let word = Err(Failure::new(ErrorCode::SessionCreateFailed, "no browser has answered yet"));
        Self(Mutex::new(Last { asked: None, bad_answers: 0, word }))
    }
}

impl Health {
    /// The last word, or a new one where that is too old; `check` is the question.
    ///
    /// # Errors
    /// Why no request would be taken.
    pub async fn ask(&self, check: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
        // Held while the question is open: who comes meanwhile gets the same answer.
        let mut last = self.0.lock().await;
        let holds_for = if last.word.is_ok() { YES_HOLDS_FOR } else { NO_HOLDS_FOR };
        if last.asked.is_some_and(|asked| asked.elapsed() < holds_for) {
            return last.word.clone();
        }
        let answer = timeout(ANSWER_TIMEOUT, check)
            .await
            .unwrap_or_else(|_| Err(Failure::new(ErrorCode::SessionCreateFailed, "the browser has not answered yet")));
        last.asked = Some(Instant::now());
        match answer {
            Ok(()) => {
                if last.word.is_err() {
                    tracing::info!("ready: a request would be taken");
                }
                last.bad_answers = 0;
                last.word = Ok(());
            }
            Err(failure) => {
                last.bad_answers += 1;
                if last.word.is_ok() && last.bad_answers >= BAD_ANSWERS {
                    tracing::warn!(%failure, "not ready");
                }
                if last.word.is_err() || last.bad_answers >= BAD_ANSWERS {
                    last.word = Err(failure);
                }
            }
        }
        last.word.clone()
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
    async fn two_bad_answers_make_a_no_and_one_good_answer_a_yes() {
        let health = Health::default();
        assert!(health.ask(bad()).await.is_err(), "nobody has answered yet");
        tokio::time::advance(NO_HOLDS_FOR).await;
        assert!(health.ask(good()).await.is_ok());
        assert!(health.ask(bad()).await.is_ok(), "the yes holds");
        tokio::time::advance(YES_HOLDS_FOR).await;
        assert!(health.ask(bad()).await.is_ok(), "one bad answer");
        tokio::time::advance(YES_HOLDS_FOR).await;
        assert!(health.ask(bad()).await.is_err(), "two of them");
        tokio::time::advance(NO_HOLDS_FOR).await;
        assert!(health.ask(good()).await.is_ok());
        tokio::time::advance(YES_HOLDS_FOR).await;
        assert!(health.ask(bad()).await.is_ok(), "the count begins anew");
    }

    #[tokio::test(start_paused = true)]
    async fn one_question_at_a_time_and_none_for_ever() {
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
