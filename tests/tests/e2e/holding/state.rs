//! `state` and `storage_state`: cookies and local storage from one session to the next.

use porthole_tests::site::{Reply, SHOP};
use porthole_tests::{Remote, Stack};
use serde_json::{Value, json};

use super::{Agent, remote_options};

/// A page whose title is what its script finds when it begins, and which stores something afterwards.
const STORES: &str = "<script>document.title = localStorage.getItem('k') + ' ' + document.cookie;
    if (location.search === '?store') localStorage.setItem('k', 'of ' + location.hostname)</script>stored";

#[tokio::test]
async fn a_session_begins_with_what_another_one_held() {
    let stack = Stack::shared().await;
    let url =
        stack.site.page(Reply::html(STORES).header("set-cookie", "c=crumb; HttpOnly; Max-Age=1000; SameSite=Lax"));
    let at_shop = stack.site.under_name(&stack.site.html(STORES), SHOP);
    let first = Agent::open(stack.service_caller(), json!({})).await;
    for url in [&url, &at_shop] {
        first.call("navigate", json!({"url": format!("{url}?store")})).await;
    }
    let state = first.call("state", json!({})).await["storage_state"].clone();
    let cookie = &state["cookies"][0];
    assert_eq!((&cookie["name"], &cookie["value"], &cookie["http_only"]), (&json!("c"), &json!("crumb"), &json!(true)));
    assert_eq!((&cookie["domain"], &cookie["same_site"]), (&json!("127.0.0.1"), &json!("Lax")));
    let held: Vec<&Value> =
        state["origins"].as_array().unwrap().iter().map(|origin| &origin["local_storage"]).collect();
    assert_eq!(
        held,
        [&json!([{"name": "k", "value": "of 127.0.0.1"}]), &json!([{"name": "k", "value": format!("of {SHOP}")}])],
        "one of them is shown no more: {state}"
    );
    let tabs = first.call("tabs", json!({"action": "list"})).await;
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "reading opens no tab: {tabs}");

    let second = Agent::open(stack.service_caller(), json!({"storage_state": state})).await;
    let untouched = second.call("state", json!({})).await["storage_state"]["origins"].clone();
    assert_eq!(untouched, state["origins"]);
    let seen = stack.site.seen(&at_shop).len();
    let there = second.call("navigate", json!({"url": at_shop})).await;
    assert_eq!(there["title"], format!("of {SHOP}"), "{there}");
    assert_eq!(stack.site.seen(&at_shop).len(), seen + 1, "no site is asked to put its storage in");
    second.call("navigate", json!({"url": url})).await;
    let sent = stack.site.seen(&url).last().unwrap().headers["cookie"].clone();
    assert_eq!(sent, "c=crumb");
    let back = second.call("navigate", json!({"action": "back"})).await;
    assert!(back["url"].as_str().unwrap().contains(SHOP), "{back}");
    // A session begins blank, which is no place to go back to.
    second.refused("navigate", json!({"action": "back"}), "NAVIGATION_FAILED").await;
}

#[tokio::test]
async fn a_worker_that_answers_nothing_hides_no_state() {
    let stack = Stack::shared().await;
    let worker = stack.site.page(
        Reply::of("text/javascript", "onfetch = event => event.respondWith(new Promise(() => {}))")
            .header("service-worker-allowed", "/"),
    );
    let page = stack.site.html(&format!(
        "<script>localStorage.setItem('k', 'v');
        navigator.serviceWorker.register('{worker}', {{scope: '/'}}).then(() => navigator.serviceWorker.ready)
          .then(() => document.title = 'ready')</script>here"
    ));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    while agent.call("tabs", json!({"action": "list"})).await["tabs"][0]["title"] != "ready" {}
    let elsewhere = stack.site.under_name(&stack.site.html("elsewhere"), SHOP);
    agent.call("navigate", json!({"url": elsewhere})).await;
    let state = agent.call("state", json!({})).await;
    let entries = json!([{"name": "k", "value": "v"}]);
    assert_eq!(state["storage_state"]["origins"][0]["local_storage"], entries, "{state}");
    assert_eq!(state["warnings"], json!([]));
}

#[tokio::test]
async fn what_a_page_removed_stays_removed() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<script>document.title = localStorage.length; localStorage.clear()</script>here");
    let origin = format!("http://{}", stack.site.addr());
    let state = json!({"origins": [{"origin": origin, "local_storage": [{"name": "a", "value": "b"}]}]});
    let agent = Agent::open(stack.service_caller(), json!({"storage_state": state})).await;
    assert_eq!(agent.call("navigate", json!({"url": url})).await["title"], "1");
    assert_eq!(agent.call("navigate", json!({"url": url})).await["title"], "0");
    let left = agent.call("state", json!({})).await;
    assert_eq!(left["storage_state"]["origins"], json!([]), "{left}");
}

#[tokio::test]
async fn a_state_that_the_browser_refuses_is_told_by_its_field() {
    let stack = Stack::shared().await;
    let cookie = json!({"name": "a\nb", "value": "", "domain": "shop.example"});
    let options = json!({"storage_state": {"cookies": [cookie]}});
    let answer = stack.service_caller().post("/session/open", options).await;
    answer.expect_code_about("INVALID_REQUEST", "storage_state.cookies");
}

#[tokio::test]
async fn a_remote_session_takes_and_gives_its_state() {
    let remote = Remote::start().await;
    let stack = &remote.stack;
    let at_shop = stack.site.under_name(&stack.site.html(STORES), SHOP);
    let elsewhere = stack.site.html("<title>elsewhere</title>here");
    let origin = at_shop.rsplit_once('/').unwrap().0;
    let state = json!({
        "cookies": [{"name": "c", "value": "crumb", "domain": SHOP}],
        "origins": [{"origin": origin, "local_storage": [{"name": "k", "value": "v"}]}],
    });
    let options = json!({"storage_state": state, "locale": "nl-NL"});
    let agent = Agent::open(stack.service_caller(), remote_options(&remote, options)).await;
    assert_eq!(agent.call("navigate", json!({"url": at_shop})).await["title"], "v c=crumb");
    assert_eq!(stack.site.seen(&at_shop).len(), 1);
    agent.call("navigate", json!({"url": elsewhere})).await;
    let held = agent.call("state", json!({})).await["storage_state"].clone();
    assert_eq!((&held["origins"], &held["cookies"][0]["value"]), (&state["origins"], &json!("crumb")), "{held}");
    agent.call("close", json!({})).await;
    remote.expect_all_given_back().await;
}
