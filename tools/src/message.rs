//! Running the calls of one message: in order, the session of one implied for the next, none after one that failed.

use porthole_contract::limits::TOOL_CALLS_MAX;
use porthole_contract::tools::{Card, SessionCard, ToolError, ToolOutcome, ToolsRunAnswer};

use crate::boundary::Boundary;
use crate::call::Call;
use crate::detect::{Detected, DetectedCall};
use crate::outcome::Outcome;
use crate::runner::{Runner, run};

/// What came of a message's calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// What came of each, at most five.
    pub calls: Vec<ToolOutcome>,
    /// The session that is implied for the next message.
    pub session: Option<String>,
    /// The session that they made, if they made one that is still open.
    pub made: Option<String>,
    /// How many there were beyond those.
    pub omitted: u64,
}

/// Runs the calls of a message. `random` gives the bits of each result's boundary.
pub async fn run_calls<R: Runner>(
    runner: &R,
    calls: Vec<DetectedCall>,
    session: Option<String>,
    mut random: impl FnMut() -> [u8; 16],
) -> Ran {
    let omitted = calls.len().saturating_sub(TOOL_CALLS_MAX);
    let mut ran = Ran { session, omitted: omitted as u64, ..Ran::default() };
    let mut go_on = Ok(());
    for DetectedCall { tool, args } in calls.into_iter().take(TOOL_CALLS_MAX) {
        let outcome = match go_on {
            Err(why) => skipped(why),
            Ok(()) => match Call::read(&tool, args.clone(), ran.session.as_deref()) {
                Err(bad) => outcome_of(Outcome::of_bad_call(&tool, &bad)),
                Ok(call) if !ran.calls.is_empty() && !runner.has_time_for(&call) => skipped(NO_TIME),
                Ok(call) => {
                    let (takes_session, had) = (call.tool.takes_session, call.session().map(str::to_owned));
                    let outcome = run(runner, call, Boundary::new(random())).await;
                    if takes_session {
                        if had.is_none() || outcome.session.is_none() {
                            ran.made.clone_from(&outcome.session);
                        }
                        ran.session.clone_from(&outcome.session);
                    }
                    outcome_of(outcome)
                }
            },
        };
        if !outcome.ok && go_on.is_ok() {
            go_on = Err(if outcome.skipped { NO_TIME } else { AFTER_A_FAILURE });
        }
        ran.calls.push(ToolOutcome { tool, args, ..outcome });
    }
    if omitted > 0
        && let Some(last) = ran.calls.last_mut()
    {
        last.result.push_str(&format!(
            "\nThe message had {omitted} calls more than the {TOOL_CALLS_MAX} that are run: send them again."
        ));
    }
    ran
}

const AFTER_A_FAILURE: &str = "Not run, since a call before it failed. Put that right, then send this call again.";
const NO_TIME: &str = "Not run, since the calls before it took all the time of a message. Send this call again.";

fn skipped(why: &str) -> ToolOutcome {
    ToolOutcome { result: why.to_owned(), skipped: true, ..ToolOutcome::default() }
}

fn outcome_of(outcome: Outcome) -> ToolOutcome {
    ToolOutcome {
        ok: outcome.ok(),
        result: outcome.text,
        card: outcome.card,
        error: outcome.error.map(|error| ToolError::from(*error)),
        ..ToolOutcome::default()
    }
}

impl Ran {
    /// The answer to the message in which the calls were found.
    #[must_use]
    pub fn answer(self, Detected { rest, incomplete, .. }: Detected, request_id: String) -> ToolsRunAnswer {
        let Self { calls, session, omitted, made: _ } = self;
        ToolsRunAnswer { ok: true, session, calls, rest, incomplete, omitted, request_id }
    }

    /// Puts the live view's page on the first card of the session that was made.
    pub fn show_live(&mut self, url: &str) {
        let made = self.made.as_deref();
        let cards = self.calls.iter_mut().filter_map(|call| match &mut call.card {
            Some(Card::Session(card)) if Some(card.session.as_str()) == made => Some(card),
            _ => None,
        });
        for SessionCard { live_url, .. } in cards.take(1) {
            *live_url = Some(url.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Mutex;
    use std::task::{Context, Poll, Waker};

    use porthole_contract::{ErrorAnswer, ErrorCode, Failure};
    use serde_json::{Value, json};

    use super::*;

    /// Answers each call at once, by its route, and keeps the sessions that the calls were for.
    #[derive(Default)]
    struct Scripted {
        sessions: Mutex<Vec<Option<String>>>,
        patience: Option<usize>,
    }

    impl Runner for Scripted {
        async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
            self.sessions.lock().unwrap().push(call.session().map(str::to_owned));
            let session = call.session().unwrap_or("ses_new");
            match call.tool.name {
                "browser_click" => Err(Box::new(Failure::new(ErrorCode::StaleRef, "gone").answer("r"))),
                "browser_snapshot" => Err(Box::new(Failure::new(ErrorCode::SessionLost, "gone").answer("r"))),
                _ => Ok(json!({"ok": true, "session": session, "url": "http://a/", "title": "A"})),
            }
        }

        fn has_time_for(&self, _call: &Call) -> bool {
            self.patience.is_none_or(|calls| self.sessions.lock().unwrap().len() < calls)
        }
    }

    /// A future that never waits.
    fn now<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("it waits"),
        }
    }

    fn ran(runner: &Scripted, session: Option<&str>, calls: &[(&str, Value)]) -> Ran {
        let calls = calls.iter().map(|(tool, args)| DetectedCall { tool: (*tool).to_owned(), args: args.clone() });
        let mut count = 0;
        let random = || {
            count += 1;
            [count; 16]
        };
        now(run_calls(runner, calls.collect(), session.map(str::to_owned), random))
    }

    const URL: &str = "http://a/";

    #[test]
    fn the_session_that_one_call_made_is_implied_for_the_next() {
        let runner = Scripted::default();
        let ran = ran(
            &runner,
            None,
            &[
                ("browser_navigate", json!({"url": URL})),
                ("browser_hover", json!({"ref": "@e1"})),
                ("browser_hover", json!({"ref": "@e1", "session": "ses_mine"})),
                ("sandbox_browser_extract", json!({"url": URL})),
            ],
        );
        let some = |handle: &str| Some(handle.to_owned());
        assert_eq!(*runner.sessions.lock().unwrap(), [None, some("ses_new"), some("ses_mine"), None]);
        assert_eq!((ran.session, ran.made), (some("ses_mine"), some("ses_new")));
        assert!(ran.calls.iter().all(|call| call.ok && !call.skipped && call.error.is_none()));
        let boundaries: Vec<bool> = ["(01010101", "(02020202"].map(|word| ran.calls[0].result.contains(word)).into();
        assert_eq!(boundaries, [true, false], "each result has bits of its own");
    }

    #[test]
    fn after_a_failure_the_rest_is_skipped() {
        let runner = Scripted::default();
        let ran = ran(
            &runner,
            Some("ses_1"),
            &[("browser_click", json!({"ref": "@e1"})), ("browser_hover", json!({"ref": "@e1"}))],
        );
        let [failed, skipped] = ran.calls.as_slice() else { panic!() };
        assert_eq!(failed.error.as_ref().unwrap().error, ErrorCode::StaleRef);
        assert!(!failed.ok && !failed.skipped && skipped.skipped && !skipped.ok && skipped.card.is_none());
        assert_eq!(runner.sessions.lock().unwrap().len(), 1);
        assert_eq!((ran.session.as_deref(), ran.made), (Some("ses_1"), None));
        let ran =
            self::ran(&runner, Some("ses_1"), &[("browser_fly", json!({})), ("browser_hover", json!({"ref": "@e1"}))]);
        assert_eq!(ran.calls[0].error.as_ref().unwrap().error, ErrorCode::InvalidRequest);
        assert!(ran.calls[0].card.is_none() && ran.calls[1].skipped);
        let ran = self::ran(&runner, Some("ses_1"), &[("browser_snapshot", json!({}))]);
        assert_eq!(ran.session, None, "a session that is lost is implied no more");
    }

    #[test]
    fn five_calls_are_run_and_fewer_where_time_runs_out() {
        let runner = Scripted::default();
        let seven = vec![("browser_hover", json!({"ref": "@e1"})); 7];
        let ran = ran(&runner, Some("ses_1"), &seven);
        assert_eq!((ran.calls.len(), ran.omitted), (5, 2));
        assert!(
            ran.calls[4].result.ends_with("The message had 2 calls more than the 5 that are run: send them again.")
        );
        let runner = Scripted { patience: Some(2), ..Scripted::default() };
        let ran = self::ran(&runner, Some("ses_1"), &seven);
        assert_eq!(ran.calls.iter().map(|call| call.skipped).collect::<Vec<_>>(), [false, false, true, true, true]);
        assert_eq!(ran.calls[3].result.lines().next(), Some(NO_TIME));
    }

    #[test]
    fn the_live_view_is_on_the_card_of_the_call_that_made_the_session() {
        let runner = Scripted::default();
        let mut ran =
            ran(&runner, None, &[("browser_navigate", json!({"url": URL})), ("browser_hover", json!({"ref": "@e1"}))]);
        ran.show_live("http://live/#ticket=t");
        let live = ran.calls.iter().map(|call| match call.card.as_ref().unwrap() {
            Card::Session(card) => card.live_url.as_deref(),
            _ => None,
        });
        assert_eq!(live.collect::<Vec<_>>(), [Some("http://live/#ticket=t"), None]);
    }
}
