//! Large requests and answers: what they may hold in memory, together and for one caller.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::process::resident_bytes;
use porthole_tests::raw::Connection;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::json;

const MEGABYTE: u64 = 1_000_000;
const ROUTE: &str = "/api/sandbox/session/upload";

/// The head of a request with a body of this length.
fn head(path: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    )
}

#[tokio::test]
async fn a_body_of_a_million_values_is_refused_without_making_them() {
    let stack = Stack::start().await;
    let body = format!(r#"{{"files":[{}{{}}]}}"#, r#"{"a":0},"#.repeat(1_700_000));
    for (server, caller) in [(&stack.worker, stack.caller()), (&stack.service, stack.service_caller())] {
        let before = resident_bytes(server.process.pid());
        caller.post_bytes("/session/upload", body.clone()).await.expect_code_about("INVALID_REQUEST", "values");
        let grown = resident_bytes(server.process.pid()).saturating_sub(before);
        assert!(grown < 60 * MEGABYTE, "{grown} bytes more");
    }
}

#[tokio::test]
async fn large_bodies_that_never_end_are_refused_beyond_their_room() {
    let stack = Stack::start().await;
    let part = vec![b'a'; 13_000_000];
    let mut connections = Vec::new();
    // Half of the room is for one caller: two bodies of this size.
    for _ in 0..2 {
        let begun = [head(ROUTE, part.len() + 100).as_bytes(), &part].concat();
        connections.push(Connection::send(stack.worker.main, &begun).await);
    }
    let third = Connection::send(stack.worker.main, head(ROUTE, part.len() + 100).as_bytes()).await;
    let answer = third.send_until_answered(&part).await;
    assert!(answer.contains("503") && answer.contains("OVERLOADED"), "{answer}");
    // What is small needs no room.
    stack.caller().post("/session/status", json!({"session": "ses_none"})).await.expect_code("SESSION_NOT_FOUND");
    drop(connections);
}

#[tokio::test]
async fn a_download_that_no_one_reads_is_not_held() {
    let stack = Stack::start().await;
    let content: Vec<u8> = (0..40 * MEGABYTE).map(|at| (at % 251) as u8).collect();
    let file = stack.site.page(Reply::of("text/csv", content.clone()).header("content-disposition", "attachment"));
    let page = stack.site.html(&format!("<title>shop</title><a href='{file}'>prices</a>"));
    let (agent, _) = Agent::at(stack.service_caller(), &page).await;
    agent.does("click", json!({"target": {"by": "text", "value": "prices"}})).await;
    eventually(Duration::from_secs(30), async || {
        let files = agent.does("files", json!({"action": "list"})).await["files"].clone();
        so(files[0]["bytes"] == content.len(), format!("{files:#?}"))
    })
    .await;
    let fields = json!({"action": "get", "file": "f1", "session": agent.session});
    let body = agent.caller.body("/session/files", fields).to_string();
    let before = resident_bytes(stack.service.process.pid());
    let mut unread = Vec::new();
    for _ in 0..10 {
        let asked = head("/session/files", body.len()) + &body;
        unread.push(Connection::send(stack.service.main, asked.as_bytes()).await);
    }
    let got = agent.does("files", json!({"action": "get", "file": "f1"})).await;
    let grown = resident_bytes(stack.service.process.pid()).saturating_sub(before);
    assert!(grown < 40 * MEGABYTE, "{grown} bytes more");
    assert!(got["content_base64"] == BASE64_STANDARD.encode(&content), "another content");
    assert_eq!((&got["bytes"], &got["title"]), (&json!(content.len()), &json!("shop")));
    drop(unread);
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn a_session_has_so_many_calls_waiting() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.service_caller(), &stack.site.html("<title>waits</title>")).await;
    let calls = (0..60).map(|_| agent.call("wait", json!({"ms": 20})));
    let answers = futures_util::future::join_all(calls).await;
    let refused = answers.iter().filter(|answer| answer.code().as_deref() == Some("RATE_LIMITED")).count();
    assert!((1..=10).contains(&refused), "{refused} refused");
    agent.does("close", json!({})).await;
}
