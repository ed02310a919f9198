//! Which session a call is about, with a runner that answers as it is told.

use std::collections::VecDeque;
use std::sync::Mutex;

use porthole_contract::session::ErrorContext;
use porthole_contract::{ErrorAnswer, Failure};

use super::*;

/// Answers in turn, and keeps the tools and sessions of the calls.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<Result<Value, Box<ErrorAnswer>>>>,
    sent: Mutex<Vec<(&'static str, Option<String>)>>,
}

impl Scripted {
    fn of(answers: impl IntoIterator<Item = Result<Value, Box<ErrorAnswer>>>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), sent: Mutex::default() }
    }

    fn sent(&self) -> Vec<(&'static str, Option<String>)> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

impl Runner for Scripted {
    async fn send(&self, call: &Call) -> Result<Value, Box<ErrorAnswer>> {
        self.sent.lock().unwrap().push((call.tool.name, call.session().map(str::to_owned)));
        self.answers.lock().unwrap().pop_front().expect("an answer for each call")
    }
}

fn page(session: &str) -> Result<Value, Box<ErrorAnswer>> {
    Ok(
        json!({"ok": true, "session": session, "tab": "t1", "url": "http://a/", "title": "", "events": [], "warnings": []}),
    )
}

fn failure(code: ErrorCode, session: Option<&str>) -> Result<Value, Box<ErrorAnswer>> {
    let context = ErrorContext { session: session.map(str::to_owned), ..ErrorContext::default() };
    Err(Box::new(Failure::new(code, "").in_session(context).answer("")))
}

async fn call(runner: &Scripted, connection: Option<&Connection>, name: &str, arguments: Value) -> bool {
    let tool = porthole_tools::tool(name).unwrap();
    called(runner, connection, tool, arguments).await.is_error == Some(true)
}

#[tokio::test]
async fn a_connection_implies_the_session_that_was_used_last() {
    let connection = Connection::default();
    let runner =
        Scripted::of([page("ses_1"), page("ses_1"), page("ses_2"), page("ses_2"), page("ses_2"), page("ses_1")]);
    let go = json!({"url": "http://a/"});
    call(&runner, Some(&connection), "browser_navigate", go.clone()).await;
    call(&runner, Some(&connection), "browser_navigate", go).await;
    call(&runner, Some(&connection), "browser_navigate", json!({"url": "http://a/", "locale": "de"})).await;
    call(&runner, Some(&connection), "browser_snapshot", json!({})).await;
    call(&runner, Some(&connection), "browser_close", json!({})).await;
    call(&runner, Some(&connection), "browser_snapshot", json!({"session": "ses_1"})).await;
    let handles: Vec<Option<String>> = runner.sent().into_iter().map(|(_, session)| session).collect();
    let expected = [None, Some("ses_1"), None, Some("ses_2"), Some("ses_2"), Some("ses_1")];
    assert_eq!(handles, expected.map(|handle| handle.map(str::to_owned)));
    assert_eq!(connection.implied().as_deref(), Some("ses_1"));
    assert_eq!(connection.take_opened(), ["ses_1"], "the other one was closed");
}

#[tokio::test]
async fn an_implied_session_is_closed_a_second_time() {
    let connection = Connection::default();
    let runner = Scripted::of([page("ses_1"), page("ses_1"), page("ses_1"), failure(ErrorCode::NoPage, None)]);
    call(&runner, Some(&connection), "browser_navigate", json!({"url": "http://a/"})).await;
    for _ in 0..2 {
        assert!(!call(&runner, Some(&connection), "browser_close", json!({})).await);
    }
    // Nothing else is about it.
    assert!(call(&runner, Some(&connection), "browser_snapshot", json!({})).await);
    let handles: Vec<Option<String>> = runner.sent().into_iter().map(|(_, session)| session).collect();
    assert_eq!(handles, [None, Some("ses_1"), Some("ses_1"), None].map(|handle| handle.map(str::to_owned)));
}

#[tokio::test]
async fn without_a_connection_nothing_is_implied() {
    let runner = Scripted::of([page("ses_1"), failure(ErrorCode::NoPage, None)]);
    assert!(!call(&runner, None, "browser_navigate", json!({"url": "http://a/"})).await);
    assert!(call(&runner, None, "browser_snapshot", json!({})).await);
    assert_eq!(runner.sent()[1], ("browser_snapshot", None));
}

#[tokio::test]
async fn only_an_implied_session_that_has_ended_is_replaced_and_only_by_navigate() {
    let connection = Connection::default();
    let lost = || failure(ErrorCode::SessionLost, None);
    let runner = Scripted::of([page("ses_1"), lost(), page("ses_2"), lost(), lost()]);
    let go = json!({"url": "http://a/"});
    call(&runner, Some(&connection), "browser_navigate", go.clone()).await;
    assert!(!call(&runner, Some(&connection), "browser_navigate", go).await);
    assert_eq!(connection.implied().as_deref(), Some("ses_2"));
    assert!(call(&runner, Some(&connection), "browser_click", json!({"ref": "@e1"})).await);
    assert_eq!(connection.implied(), None);
    assert!(
        call(&runner, Some(&connection), "browser_navigate", json!({"url": "http://a/", "session": "ses_3"})).await
    );
    assert_eq!(runner.sent().len(), 5);
}

#[tokio::test]
async fn a_session_whose_first_page_failed_is_kept_and_a_one_shot_call_leaves_it_alone() {
    let connection = Connection::default();
    let picture = json!({"ok": true, "url": "http://a/", "content": "text", "format": "text", "session": "ses_9"});
    let runner = Scripted::of([failure(ErrorCode::NavigationFailed, Some("ses_1")), Ok(picture)]);
    assert!(call(&runner, Some(&connection), "browser_navigate", json!({"url": "http://a/"})).await);
    call(&runner, Some(&connection), "sandbox_browser_extract", json!({"url": "http://a/"})).await;
    assert_eq!(connection.implied().as_deref(), Some("ses_1"));
    assert_eq!(connection.take_opened(), ["ses_1"]);
}
