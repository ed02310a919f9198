//! An agent: a caller with one session, as the routes of sessions are used.

use serde_json::{Map, Value, json};

use crate::caller::{Answer, Caller};

/// An agent with a session.
#[derive(Clone)]
pub struct Agent {
    /// Who it is.
    pub caller: Caller,
    /// Its session's handle.
    pub session: String,
}

impl Agent {
    /// Opens a page in a new session. Returns the agent and what the call answered.
    ///
    /// # Panics
    /// When that fails.
    pub async fn at(caller: Caller, url: &str) -> (Self, Map<String, Value>) {
        Self::with(caller, json!({"url": url, "snapshot": "full"})).await
    }

    /// The same with these fields of `navigate`.
    ///
    /// # Panics
    /// When that fails.
    pub async fn with(caller: Caller, fields: Value) -> (Self, Map<String, Value>) {
        let answer = caller.post("/session/navigate", fields).await.expect_session();
        let session = answer["session"].as_str().expect("a handle").to_owned();
        (Self { caller, session }, answer)
    }

    /// Calls a route of the session.
    pub async fn call(&self, route: &str, mut fields: Value) -> Answer {
        fields["session"] = json!(self.session);
        self.caller.post(&format!("/session/{route}"), fields).await
    }

    /// The same, of a call that succeeds.
    ///
    /// # Panics
    /// When it fails.
    pub async fn does(&self, route: &str, fields: Value) -> Map<String, Value> {
        self.call(route, fields).await.expect_session()
    }

    /// The tree of what is on the page.
    ///
    /// # Panics
    /// When there is none.
    pub async fn tree(&self) -> String {
        tree(&self.does("snapshot", json!({"interactive_only": false})).await)
    }
}

/// The tree in an answer.
///
/// # Panics
/// When it has none.
#[must_use]
pub fn tree(answer: &Map<String, Value>) -> String {
    let tree = answer.get("snapshot").and_then(|snapshot| snapshot["tree"].as_str());
    tree.unwrap_or_else(|| panic!("no snapshot in {answer:#?}")).to_owned()
}

/// The ref of the first line of a tree that contains `line`.
///
/// # Panics
/// When no such line has one.
#[must_use]
pub fn reference(tree: &str, line: &str) -> String {
    let found =
        tree.lines().find(|one| one.contains(line)).and_then(|one| one.split("[ref=").nth(1)?.split(']').next());
    found.unwrap_or_else(|| panic!("no ref for {line:?} in\n{tree}")).to_owned()
}
