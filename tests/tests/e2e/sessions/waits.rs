//! Waits that last as long as their call, outlast a busy script, or lose what they wait for.

use std::time::{Duration, Instant};

use porthole_tests::Stack;
use porthole_tests::agent::{Agent, reference, tree};
use serde_json::json;

#[tokio::test]
async fn a_wait_as_long_as_its_call_may_take_succeeds_and_a_longer_one_does_not() {
    let stack = Stack::shared().await;
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html("<title>waits</title>")).await;
    agent.does("wait", json!({"ms": 1_000, "timeout_ms": 1_000})).await;
    agent.does("wait", json!({"network_idle_ms": 1_000, "timeout_ms": 1_000})).await;
    let began = Instant::now();
    agent.call("wait", json!({"ms": 20_000, "timeout_ms": 1_000})).await.expect_code("TIMEOUT");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn what_comes_after_a_busy_script_is_waited_for() {
    let stack = Stack::shared().await;
    let busy = "<title>busy</title><p id=p>first<script>const busy = ms => { const until = Date.now() + ms; while (Date.now() < until); };
        setTimeout(() => { busy(3000); history.pushState(1, '', '/done'); setTimeout(() => { busy(2000); p.textContent = 'second' }, 50) }, 200)</script>";
    let (agent, _) = Agent::at(stack.caller(), &stack.site.html(busy)).await;
    let done = agent.does("wait", json!({"url": "**/done"})).await;
    assert!(done["url"].as_str().unwrap().ends_with("/done"), "{done:#?}");
    agent.does("wait", json!({"text": "second"})).await;
    // One that never answers again is no failure of the call's own time.
    let loops = stack.site.html("<title>loops</title><script>setTimeout(() => { for (;;); }, 300)</script>");
    let (stuck, _) = Agent::at(stack.caller(), &loops).await;
    for condition in ["url", "text"] {
        let mut fields = json!({"timeout_ms": 2_000});
        fields[condition] = json!("**/never");
        stuck.call("wait", fields).await.expect_code("TIMEOUT");
    }
    agent.does("close", json!({})).await;
    stuck.does("close", json!({})).await;
}

#[tokio::test]
async fn a_ref_whose_element_goes_while_it_is_waited_for_is_stale() {
    let stack = Stack::shared().await;
    let page = stack
        .site
        .html("<button id=b disabled>Pay</button><button onclick='setTimeout(() => b.remove(), 300)'>Cancel</button>");
    let (agent, opened) = Agent::at(stack.caller(), &page).await;
    let (pay, cancel) = (reference(&tree(&opened), "\"Pay\""), reference(&tree(&opened), "\"Cancel\""));
    agent.does("click", json!({"ref": cancel})).await;
    let gone = agent.call("wait", json!({"ref": pay, "state": "enabled"})).await.expect_code("STALE_REF");
    assert!(gone["details"].as_str().unwrap().contains("snapshot"), "{gone:?}");
    // What was waited for has come about, whenever it went.
    agent.does("wait", json!({"ref": pay, "state": "hidden"})).await;
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn calls_that_only_wait_let_others_work() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "1").start().await;
    let url = stack.site.html("<button>Here</button>");
    let (waiting, _) = Agent::at(stack.caller(), &url).await;
    let (agent, _) = Agent::at(stack.caller(), &url).await;
    for condition in [json!({"ms": 20_000}), json!({"text": "never"}), json!({"url": "**/never"})] {
        let mut fields = condition;
        fields["timeout_ms"] = json!(20_000);
        tokio::select! {
            biased;
            answer = waiting.call("wait", fields) => panic!("it waits no longer: {answer:?}"),
            () = async {
                for _ in 0..3 {
                    agent.does("click", json!({"target": {"by": "text", "value": "Here"}})).await;
                }
            } => {}
        }
    }
    agent.does("close", json!({})).await;
    stack.expect_idle(Duration::from_secs(20)).await;
}
