//! `on_timeout: partial`: a page whose document arrived but that did not load in time is captured as far as it came.

use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::{Answer, Reply, Site, Stack};
use serde_json::{Value, json};

/// Limit for a partial answer: 15 s for the navigation, some more for the one without the missing resources.
const TAKEN_WITHIN: Duration = Duration::from_secs(40);

/// The part of the pages that does arrive.
const REST: &str =
    "<body style='margin: 0'><h1 style='margin: 0; height: 844px; background: rgb(0, 170, 102)'>the rest</h1>";
const GREEN: [u8; 3] = [0, 170, 102];

fn partial(url: &str) -> Value {
    json!({"url": url, "on_timeout": "partial"})
}

/// Asserts that an answer has exactly one `partial` warning and returns it.
fn partial_warning(answer: &Answer) -> String {
    let warnings = answer.warnings();
    let told: Vec<_> = warnings.iter().filter(|warning| warning.starts_with("partial: ")).collect();
    assert_eq!(told.len(), 1, "{answer:?}");
    told[0].clone()
}

fn after_a_script(site: &Site, script: &str) -> String {
    site.html(&format!("<title>in part</title><head><script src='{script}'></script></head>{REST}"))
}

#[tokio::test]
async fn a_page_whose_script_never_comes_is_taken_without_it() {
    let stack = Stack::with().begin_frame().setting("PORTHOLE_MAX_CONCURRENT", "8").start().await;
    let site = &stack.site;
    let silent = site.page(Reply::never());
    let unaccepting = site.unaccepting();
    let two_of_them = {
        let first = site.page(Reply::never());
        // Requested only after the first script has been given up.
        let second = format!("<script>document.write(\"<script src='{unaccepting}'></\" + 'script>')</script>");
        site.html(&format!("<head><script src='{first}'></script>{second}</head>{REST}"))
    };
    let style = site.html(&format!(
        "<head><link rel=stylesheet href='{silent}'><script>document.title = 'runs'</script></head>{REST}"
    ));
    let caller = stack.caller();
    let urls = [
        ("a host that accepts and never answers", after_a_script(site, &silent), true),
        // The egress gives up the dial before the navigation's time is over.
        ("a host that never accepts", after_a_script(site, &unaccepting), false),
        ("two such scripts, one after the other", two_of_them, true),
        ("a script after a stylesheet that never comes", style, true),
    ];
    let requests = urls.iter().flat_map(|(why, url, is_partial)| {
        let caller = &caller;
        // The viewport is drawn with `begin_frame`, the full page by the browser itself.
        [false, true].map(|full_page| async move {
            let fields = json!({"url": url, "on_timeout": "partial", "full_page": full_page});
            (why, caller.screenshot(fields).await, *is_partial)
        })
    });
    for (why, answer, is_partial) in join_all(requests).await {
        eprintln!("{why}: {:?} {:?}", answer.took, answer.warnings());
        let answer = answer.within(TAKEN_WITHIN);
        assert_eq!(answer.picture().at(300, 200), GREEN, "{why}: {answer:?}");
        if is_partial {
            assert!(partial_warning(&answer).contains("without what never came from 127.0.0.1:"), "{why}: {answer:?}");
        } else {
            assert!(answer.warnings().is_empty(), "{why}: {answer:?}");
        }
    }
    stack.expect_idle(Duration::from_secs(5)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_page_that_stalls_otherwise_is_read_as_far_as_it_came() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "8").start().await;
    let site = &stack.site;
    let never = site.page(Reply::never());
    let caller = stack.caller();
    let urls = [
        ("its body has no end", site.page(Reply::html("<body>the rest").held())),
        ("its script never ends", site.html("<head><script>while (true) {}</script></head><body>the rest")),
        ("its deferred script never comes", site.html(&format!("<script defer src='{never}'></script><body>the rest"))),
        ("its script never comes", after_a_script(site, &never)),
    ];
    let read = urls.iter().map(|(why, url)| {
        let caller = &caller;
        async move { (why, caller.extract(partial(url)).await) }
    });
    for (why, answer) in join_all(read).await {
        eprintln!("{why}: {:?} {:?}", answer.took, answer.warnings());
        let answer = answer.within(TAKEN_WITHIN);
        assert_eq!(answer.content(), "the rest", "{why}");
        assert!(
            partial_warning(&answer).starts_with("partial: the page did not load within 15 s"),
            "{why}: {answer:?}"
        );
    }
    stack.expect_alive().await;
}

#[tokio::test]
async fn without_a_document_partial_times_out_and_fail_is_the_default() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "8").start().await;
    let never = stack.site.page(Reply::never());
    let held = after_a_script(&stack.site, &never);
    let caller = stack.caller();
    let requests = [partial(&never), json!({"url": held}), json!({"url": held, "on_timeout": "fail"})];
    for answer in join_all(requests.map(|fields| caller.screenshot(fields))).await {
        answer.within(TAKEN_WITHIN).expect_code("NAVIGATION_TIMEOUT");
    }
    let answer = caller.screenshot(json!({"url": held, "on_timeout": "later"})).await;
    answer.expect_code_about("INVALID_REQUEST", "on_timeout");
}

#[tokio::test]
async fn a_short_request_is_answered_in_its_own_time() {
    let stack = Stack::shared().await;
    let url = after_a_script(&stack.site, &stack.site.page(Reply::never()));
    let fields = json!({"url": url, "on_timeout": "partial", "timeout_ms": 12_000});
    let answer = stack.screenshot(fields).await.within(Duration::from_secs(14));
    assert_eq!(answer.picture().at(300, 200), GREEN);
    partial_warning(&answer);
}

#[tokio::test]
async fn a_stylesheet_that_never_comes_does_not_keep_the_page_from_being_drawn() {
    let stack = Stack::shared().await;
    let never = stack.site.page(Reply::never());
    let link = stack.site.html(&format!("<head><link rel=stylesheet href='{never}'></head>{REST}"));
    let import = stack.site.html(&format!("<head><style>@import url('{never}');</style></head>{REST}"));
    let caller = stack.caller();
    let requests = [&link, &import].into_iter().flat_map(|url| {
        let caller = &caller;
        [false, true].map(|full_page| {
            let wait = json!({"timeout_ms": 3000});
            caller.screenshot(json!({"url": url, "on_timeout": "partial", "full_page": full_page, "wait": wait}))
        })
    });
    for answer in join_all(requests).await {
        let answer = answer.within(TAKEN_WITHIN);
        assert_eq!(answer.picture().at(300, 200), GREEN, "{answer:?}");
        assert!(partial_warning(&answer).starts_with("partial: a stylesheet did not arrive within"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_page_that_loads_has_no_partial_warning() {
    let stack = Stack::shared().await;
    let script = stack.site.page(Reply::of("text/javascript", "document.title = 'ran'").late(Duration::from_secs(2)));
    let answer = stack.screenshot(partial(&after_a_script(&stack.site, &script))).await;
    assert_eq!(answer.expect_ok()["title"], "ran");
    assert!(answer.warnings().is_empty(), "{answer:?}");
}
