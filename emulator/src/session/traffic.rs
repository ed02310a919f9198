//! What was said to a session's browser and what it answered: the last of it, for `GET /v1/sessions/{id}/logs`.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

/// Calls that are kept.
const CALLS_MAX: usize = 1000;
/// Of one call or answer this much is kept, in bytes: of a larger one only that it was there.
const BODY_MAX_BYTES: usize = 8192;

/// The last calls of a session.
#[derive(Default)]
pub(crate) struct Traffic(Mutex<VecDeque<Call>>);

struct Call {
    /// Which connection it came from: numbers of calls repeat in others.
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
    /// A client has said this.
    pub(crate) fn said(&self, connection: u32, text: &str) {
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

    /// The browser has answered this, or told an event, which is not kept.
    pub(crate) fn answered(&self, connection: u32, text: &str) {
        // Most of what a browser says are events, and some answers are large: only what may be an answer is read.
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

    /// The calls as Browserbase's API tells them.
    pub(crate) fn logs(&self, session_id: &str) -> Vec<Value> {
        let tell = |call: &Call| {
            let mut told = json!({
                "sessionId": session_id, "pageId": 0, "method": call.method, "timestamp": unix_ms(call.at),
                "request": {
                    "timestamp": unix_ms(call.at), "params": call.params, "rawBody": call.params.to_string(),
                },
            });
            if let Some((at, result)) = &call.answer {
                told["response"] = json!({"timestamp": unix_ms(*at), "result": result, "rawBody": result.to_string()});
            }
            told
        };
        self.calls().iter().map(tell).collect()
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
    fn calls_meet_their_answers_and_only_the_last_are_kept() {
        let traffic = Traffic::default();
        traffic.said(1, r#"{"id":1,"method":"Old.call"}"#);
        for id in 1..=CALLS_MAX {
            traffic.said(2, &format!(r#"{{"id":{id},"method":"Page.enable","params":{{"n":{id}}},"sessionId":"s"}}"#));
        }
        traffic.answered(1, r#"{"id":7,"result":{"of":"another connection"},"sessionId":"s"}"#);
        traffic.answered(2, r#"{"id":7,"result":{"of":"another session"}}"#);
        traffic.answered(2, r#"{"id":7,"result":{"ok":true},"sessionId":"s"}"#);
        traffic.answered(2, r#"{"method":"Page.loaded","params":{}}"#);
        traffic.said(2, "no JSON at all");
        let large = format!(r#"{{"id":8,"result":{{"data":"{}"}},"sessionId":"s"}}"#, "x".repeat(BODY_MAX_BYTES));
        traffic.answered(2, &large);

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
