//! What a session holds beside its pages: its identity, its state, its files and the hosts that it may reach; and what is
//! told of all sessions.
#![expect(clippy::unwrap_used, reason = "a test's panic is its failure")]

mod ends;
mod files;
mod hosts;
mod looks;
mod state;

use porthole_tests::Remote;
use porthole_tests::caller::Caller;
use serde_json::{Value, json};

/// Options of `open` with the credentials of a remote provider.
fn remote_options(remote: &Remote, mut options: Value) -> Value {
    options["browserbase_api_key"] = json!(remote.emulator.api_key());
    options["browserbase_project_id"] = json!(remote.emulator.project_id());
    options
}

/// A session that the service holds.
struct Agent {
    caller: Caller,
    session: String,
}

impl Agent {
    /// Opens a session with these options.
    async fn open(caller: Caller, options: Value) -> Self {
        let answer = caller.post("/session/open", options).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.json()["session"].as_str().unwrap().to_owned();
        Self { caller, session }
    }

    /// Calls a route of the session, which succeeds.
    async fn call(&self, route: &str, fields: Value) -> Value {
        let answer = self.caller.post(&format!("/session/{route}"), self.with_session(fields)).await;
        assert_eq!(answer.status, 200, "{route}: {answer:?}");
        answer.json()
    }

    /// Calls a route of the session, which fails with this code.
    async fn refused(&self, route: &str, fields: Value, code: &str) -> Value {
        let answer = self.caller.post(&format!("/session/{route}"), self.with_session(fields)).await;
        Value::Object(answer.expect_code(code))
    }

    /// Calls a route until the events of its answers have one of this type, and returns that.
    async fn event(&self, kind: &str, seen: &Value) -> Value {
        let mut events = seen["events"].clone();
        for _ in 0..100 {
            let found = events.as_array().and_then(|events| events.iter().find(|event| event["type"] == kind));
            if let Some(event) = found {
                return event.clone();
            }
            events = self.call("wait", json!({"ms": 50})).await["events"].clone();
        }
        panic!("no event {kind}: {seen}")
    }

    fn with_session(&self, mut fields: Value) -> Value {
        fields["session"] = json!(self.session);
        fields
    }
}
