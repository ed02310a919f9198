//! The last calls to a session's browser and their answers, for `GET /v1/sessions/{id}/logs`.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

/// Calls kept per session.
const CALLS_MAX: usize = 1000;
/// Largest parameters or result that are kept, in bytes; larger ones are recorded as an empty object.
const BODY_MAX_BYTES: usize = 8192;

/// The last calls of a session.
#[derive(Default)]
pub(crate) struct Traffic(Mutex<VecDeque<Call>>);

struct Call {
    /// The connection that it came from: ids of calls are unique within a connection only.
    connection: u32,
    id: u64,
    session: Option<String>,
    method: String,
    at: OffsetDateTime,
    params: Value,
    answer: Option<(OffsetDateTime, Value)>,
}

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    method: Option<String>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Traffic {
    /// Records a client's call.
    pub(crate) fn record_call(&self, connection: u32, text: &str) {
        let Ok(message) = serde_json::from_str::<Message<'_>>(text) else { return };
        let (Some(id), Some(method)) = (message.id, message.method) else { return };
        let params = kept(message.params);
        let call = Call {
            connection,
            id,
            session: message.session,
            method,
            at: OffsetDateTime::now_utc(),
            params,
            answer: None,
        };
        let mut calls = self.calls();
        if calls.len() == CALLS_MAX {
            calls.pop_front();
        }
        calls.push_back(call);
    }

    /// Records the browser's answer to a call. Events are ignored.
    pub(crate) fn record_answer(&self, connection: u32, text: &str) {
        // Most messages are events, and some answers are large: only a possible answer is parsed.
        if !text.starts_with(r#"{"id":"#) {
            return;
        }
        let Ok(message) = serde_json::from_str::<Message<'_>>(text) else { return };
        let mut calls = self.calls();
        let call = calls.iter_mut().rev().find(|call| {
            Some(call.id) == message.id && call.connection == connection && call.session == message.session
        });
        if let Some(call) = call {
            call.answer = Some((OffsetDateTime::now_utc(), kept(message.result.or(message.error))));
        }
    }

    /// Returns the calls in the format of Browserbase's API.
    pub(crate) fn logs(&self, session_id: &str) -> Vec<Value> {
        let entry = |call: &Call| {
            let mut shown = json!({
                "sessionId": session_id, "pageId": 0, "method": call.method, "timestamp": unix_ms(call.at),
                "request": {
                    "timestamp": unix_ms(call.at), "params": call.params, "rawBody": call.params.to_string(),
                },
            });
            if let Some((at, result)) = &call.answer {
                shown["response"] = json!({"timestamp": unix_ms(*at), "result": result, "rawBody": result.to_string()});
            }
            shown
        };
        self.calls().iter().map(entry).collect()
    }

    fn calls(&self) -> MutexGuard<'_, VecDeque<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn kept(body: Option<&RawValue>) -> Value {
    let body = body.filter(|body| body.get().len() <= BODY_MAX_BYTES);
    body.and_then(|body| serde_json::from_str(body.get()).ok()).unwrap_or_else(|| Value::Object(Map::new()))
}

fn unix_ms(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_matched_with_answers_and_only_the_last_are_kept() {
        let traffic = Traffic::default();
        traffic.record_call(1, r#"{"id":1,"method":"Old.call"}"#);
        for id in 1..=CALLS_MAX {
            traffic.record_call(
                2,
                &format!(r#"{{"id":{id},"method":"Page.enable","params":{{"n":{id}}},"sessionId":"s"}}"#),
            );
        }
        traffic.record_answer(1, r#"{"id":7,"result":{"of":"another connection"},"sessionId":"s"}"#);
        traffic.record_answer(2, r#"{"id":7,"result":{"of":"another session"}}"#);
        traffic.record_answer(2, r#"{"id":7,"result":{"ok":true},"sessionId":"s"}"#);
        traffic.record_answer(2, r#"{"method":"Page.loaded","params":{}}"#);
        traffic.record_call(2, "no JSON at all");
        let large = format!(r#"{{"id":8,"result":{{"data":"{}"}},"sessionId":"s"}}"#, "x".repeat(BODY_MAX_BYTES));
        traffic.record_answer(2, &large);

        let logs = traffic.logs("session");
        assert_eq!((logs.len(), &logs[0]["method"]), (CALLS_MAX, &"Page.enable".into()));
        assert_eq!(
            (&logs[6]["request"]["params"]["n"], &logs[6]["response"]["result"]["ok"]),
            (&7.into(), &true.into())
        );
        assert_eq!(logs[7]["response"]["result"], json!({}));
        assert!(logs[8].get("response").is_none());
    }
}
