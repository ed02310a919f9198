//! Whose sessions are, how they end, and that nothing is left of them.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use porthole_tests::agent::Agent;
use porthole_tests::eventually::so;
use porthole_tests::family::{self, Relative};
use porthole_tests::{Reply, Stack, eventually, owner};
use serde_json::json;

const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_handle_is_good_for_its_own_sandbox_until_the_session_ends() {
    let stack = Stack::start().await;
    let url = stack.site.html("<title>mine</title>");
    stack.caller().post("/session/snapshot", json!({})).await.expect_code("NO_PAGE");
    let (agent, _) = Agent::at(stack.caller(), &url).await;
    let other = stack.caller().owning("sb-of-another", &owner::FIRST);
    let session = agent.session.clone();
    let theirs = Agent { caller: other, session: session.clone() };
    for route in ["snapshot", "status", "tabs", "screenshot"] {
        theirs.call(route, json!({})).await.expect_code(if route == "tabs" {
            "INVALID_REQUEST"
        } else {
            "SESSION_NOT_FOUND"
        });
    }
    assert_eq!(theirs.does("close", json!({})).await["closed"], false);
    let forged = Agent { session: format!("{}A", &session[..session.len() - 1]), ..agent.clone() };
    let is_last_bit = forged.session == session;
    if !is_last_bit {
        forged.call("status", json!({})).await.expect_code("SESSION_NOT_FOUND");
    }
    agent.does("status", json!({})).await;
    assert_eq!(agent.does("close", json!({})).await["closed"], true);
    assert_eq!(agent.does("close", json!({})).await["closed"], false);
    agent.call("status", json!({})).await.expect_code("SESSION_NOT_FOUND");
    stack.expect_leased(0, SOON).await;
}

#[tokio::test]
async fn an_idle_session_ends_and_leaves_nothing() {
    let stack = Stack::start().await;
    let url = stack.site.html("<title>idle</title>");
    let (agent, _) = Agent::with(stack.caller(), json!({"url": url, "idle_seconds": 1})).await;
    stack.expect_leased(0, SOON).await;
    agent.call("status", json!({})).await.expect_code("SESSION_NOT_FOUND");
}

#[tokio::test]
async fn there_are_so_many_sessions_and_no_more() {
    let stack = Stack::with()
        .setting("PORTHOLE_MAX_SESSIONS", "3")
        .setting("PORTHOLE_MAX_SESSIONS_PER_SANDBOX", "2")
        .start()
        .await;
    let url = stack.site.html("<title>seat</title>");
    let (first, _) = Agent::at(stack.caller(), &url).await;
    let (_second, _) = Agent::at(stack.caller(), &url).await;
    let third = stack.caller().post("/session/navigate", json!({"url": url})).await;
    third.expect_code_about("SESSION_LIMIT", "sandbox");
    first.does("close", json!({})).await;
    eventually(SOON, async || {
        let again = stack.caller().post("/session/open", json!({})).await;
        so(again.code().is_none(), format!("{again:?}"))
    })
    .await;
    // One-shot requests go on beside sessions.
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_session_whose_browser_dies_is_lost_and_says_so() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>mortal</title>")).await;
    for browser in stack.chromium().iter().filter(|process| process.is_browser()) {
        kill(Pid::from_raw(browser.pid), Signal::SIGKILL).unwrap();
    }
    eventually(SOON, async || {
        let code = agent.call("status", json!({})).await.code();
        so(code.as_deref() == Some("SESSION_LOST"), format!("{code:?}"))
    })
    .await;
    let (again, _) = Agent::at(stack.caller(), &stack.site.html("<title>again</title>")).await;
    again.does("close", json!({})).await;
}

/// The main processes of the browsers that run now, but these.
fn browsers_but(stack: &Stack, known: &[Relative]) -> Vec<Relative> {
    stack.chromium().into_iter().filter(|process| process.is_browser() && !known.contains(process)).collect()
}

#[tokio::test]
async fn a_browser_that_dies_takes_the_sessions_of_its_own_sandbox_alone() {
    let stack = Stack::with().start().await;
    let url = stack.site.html("<title>mortal</title>");
    let mut known = browsers_but(&stack, &[]);
    let (agent, _) = Agent::at(stack.caller(), &url).await;
    let own = browsers_but(&stack, &known);
    known.extend(own.clone());
    let (sister, _) = Agent::at(stack.caller(), &url).await;
    assert_eq!(browsers_but(&stack, &known), [], "a sandbox's sessions share a browser");
    let (other, _) = Agent::at(stack.caller().owning("sb-of-another", &owner::FIRST), &url).await;
    let others = browsers_but(&stack, &known);
    assert_eq!((own.len(), others.len()), (1, 1), "{own:#?} {others:#?}");
    own.iter().for_each(Relative::kill);
    for lost in [&agent, &sister] {
        eventually(SOON, async || {
            let code = lost.call("status", json!({})).await.code();
            so(code.as_deref() == Some("SESSION_LOST"), format!("{code:?}"))
        })
        .await;
    }
    other.does("snapshot", json!({})).await;
    let (again, _) = Agent::at(stack.caller(), &url).await;
    assert!(others.iter().all(Relative::is_alive));
    for agent in [other, again] {
        agent.does("close", json!({})).await;
    }
    stack.expect_leased(0, SOON).await;
}

#[tokio::test]
async fn sandboxes_share_a_browser_where_there_are_no_more() {
    let stack = Stack::with().setting("PORTHOLE_SESSION_BROWSERS", "2").start().await;
    let url = stack.site.html("<title>shared</title>");
    let known = browsers_but(&stack, &[]);
    let of = |name: &str| stack.caller().owning(name, &owner::FIRST);
    let mut agents = Vec::new();
    for (name, expected) in [("sb-first", 1), ("sb-second", 2), ("sb-third", 2), ("sb-first", 2)] {
        agents.push(Agent::at(of(name), &url).await.0);
        assert_eq!(browsers_but(&stack, &known).len(), expected, "{name}");
    }
    // The third shares with one of them; whose sessions are all gone leaves a browser to the next.
    for agent in &agents {
        agent.does("snapshot", json!({})).await;
    }
    for agent in agents {
        agent.does("close", json!({})).await;
    }
    stack.expect_leased(0, SOON).await;
    let before = browsers_but(&stack, &known);
    let (fourth, _) = Agent::at(of("sb-fourth"), &url).await;
    assert_eq!(browsers_but(&stack, &known), before);
    fourth.does("close", json!({})).await;
}

#[tokio::test]
async fn a_caller_that_leaves_cancels_its_call_and_the_session_lives_on() {
    let stack = Stack::start().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>alive</title><p>still here")).await;
    let slow = stack.site.page(Reply::never());
    let leaving = agent.clone();
    let url = slow.clone();
    let call = tokio::spawn(async move { leaving.call("navigate", json!({"url": url})).await });
    eventually(SOON, async || so(!stack.site.seen(&slow).is_empty(), "the page was not asked for")).await;
    call.abort();
    let status = agent.does("status", json!({})).await;
    assert_eq!(status["title"], "alive");
    // The browser has given the navigation up as well: its server would never have answered.
    assert!(agent.tree().await.contains("still here"));
    // A call that runs out of time gives it up, too.
    let late = agent.call("navigate", json!({"url": slow, "timeout_ms": 1000})).await;
    assert_eq!(late.code().as_deref(), Some("DEADLINE_EXCEEDED"), "{late:?}");
    assert!(agent.tree().await.contains("still here"));
    // A caller that leaves while its session is made leaves no session.
    let url = slow.clone();
    let caller = stack.caller();
    let call = tokio::spawn(async move { caller.post("/session/navigate", json!({"url": url})).await });
    eventually(SOON, async || so(stack.site.seen(&slow).len() > 2, "the page was not asked for again")).await;
    call.abort();
    agent.does("close", json!({})).await;
    stack.expect_leased(0, SOON).await;
}

#[tokio::test]
async fn a_service_that_ends_leaves_nothing_of_its_sessions() {
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        let mut stack = Stack::start().await;
        let url = stack.site.html("<title>held</title>");
        for _ in 0..2 {
            Agent::at(stack.caller(), &url).await;
        }
        let family = stack.service.process.family();
        assert!(family.iter().any(Relative::is_browser), "no browser among {family:#?}");
        stack.service.process.signal(signal);
        stack.service.process.ended(SOON).await;
        family::expect_gone(&family).await;
        if signal == Signal::SIGTERM {
            assert_eq!(stack.home.left_in_temp().len(), 0, "{:?}", stack.home.left_in_temp());
        }
    }
}
