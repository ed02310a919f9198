//! Downloads: events, `files`, and their bounds.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use nix::sys::signal::Signal;
use porthole_tests::Stack;
use porthole_tests::eventually::{eventually, so};
use porthole_tests::remote::Remote;
use porthole_tests::site::Reply;
use porthole_tests::stack::{Home, Server};
use serde_json::json;

use super::{Agent, remote_options};

/// How long a closed session's files may take to go.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// How long the next start may take to remove what a killed service left; it waits for the browser's end.
const SWEPT_WITHIN: Duration = Duration::from_secs(20);

fn attachment(name: &str, body: impl Into<bytes::Bytes>) -> Reply {
    Reply::of("text/csv", body).header("content-disposition", &format!("attachment; filename=\"{name}\""))
}

/// The files in the stack's temp folder that hold exactly this.
fn files_with(home: &Home, content: &str) -> Vec<std::path::PathBuf> {
    let (mut folders, mut found) = (vec![home.temp()], Vec::new());
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read(&path).is_ok_and(|read| read == content.as_bytes()) {
                found.push(path);
            }
        }
    }
    found
}

#[tokio::test]
async fn a_download_is_told_listed_and_read_and_goes_with_its_session() {
    let stack = Stack::shared().await;
    let content = "name,price\nlamp,12\nfound,nowhere else\n";
    let file = stack.site.page(attachment("../prices.csv", content));
    let page = stack.site.html(&format!("<title>shop</title><a href='{file}'>prices</a>"));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "prices"}})).await;
    let told = agent.event("download", &clicked).await;
    assert_eq!((&told["tab"], &told["bytes"], &told["error"]), (&json!("t1"), &json!(content.len()), &json!(null)));
    let listed = agent.call("files", json!({"action": "list"})).await["files"].clone();
    let info = json!({"file": told["file"], "name": told["name"], "mime_type": "text/csv", "bytes": content.len()});
    assert_eq!(listed, json!([info]));
    assert!(!told["name"].as_str().unwrap().contains('/'), "{told}");
    let got = agent.call("files", json!({"action": "get", "file": told["file"]})).await;
    assert_eq!(got["content_base64"], BASE64_STANDARD.encode(content));
    assert_eq!(got["title"], "shop", "the page is as it was");
    agent.refused("files", json!({"action": "get", "file": "f9"}), "INVALID_REQUEST").await;

    let other = Agent::open(stack.service_caller(), json!({})).await;
    assert_eq!(other.call("files", json!({"action": "list"})).await["files"], json!([]));

    let written = files_with(&stack.home, content);
    assert_eq!(written.len(), 1, "{written:?}");
    let folder = written[0].parent().unwrap().to_owned();
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&folder).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    agent.call("close", json!({})).await;
    eventually(GONE_WITHIN, async || so(!folder.exists(), format!("{} is still there", folder.display()))).await;
}

#[tokio::test]
async fn downloads_of_a_killed_service_go_at_the_next_start() {
    let mut stack = Stack::start().await;
    let content = "of a service that is killed";
    let file = stack.site.page(attachment("a.csv", content));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    let answer = agent.call("navigate", json!({"url": file})).await;
    agent.event("download", &answer).await;
    assert_eq!(files_with(&stack.home, content).len(), 1);
    stack.service.process.signal(Signal::SIGKILL);
    // As a supervisor does: the next one starts when this one is gone.
    assert!(!stack.service.process.ended(SWEPT_WITHIN).await.success());
    stack.service = Server::start("porthole-service", &stack.of_service).await;
    eventually(SWEPT_WITHIN, async || {
        let left = files_with(&stack.home, content);
        so(left.is_empty(), format!("{left:?}"))
    })
    .await;
}

#[tokio::test]
async fn a_navigation_to_a_download_leaves_the_page_and_is_an_event() {
    let stack = Stack::shared().await;
    let page = stack.site.html("<title>stays</title>here");
    let file = stack.site.page(attachment("a.csv", "1,2"));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    let answer = agent.call("navigate", json!({"url": file})).await;
    assert_eq!((&answer["navigated"], &answer["title"]), (&json!(false), &json!("stays")), "{answer}");
    let told = &answer["events"][0];
    assert_eq!((&told["type"], &told["name"], &told["bytes"]), (&json!("download"), &json!("a.csv"), &json!(3)));
    let link = stack.site.html(&format!("<a href='{file}'>Save</a>"));
    agent.call("navigate", json!({"url": link})).await;
    let answer = agent.call("click", json!({"target": {"by": "text", "value": "Save"}})).await;
    assert_eq!((&answer["settled"], &answer["events"][0]["type"]), (&json!(true), &json!("download")), "{answer}");
    agent.call("navigate", json!({"url": page})).await;
}

#[tokio::test]
async fn a_link_that_saves_a_file_which_the_server_makes_for_a_second_is_waited_for() {
    let stack = Stack::shared().await;
    let report = stack.site.page(attachment("report.csv", "1,2").late(Duration::from_millis(1_200)));
    let page = stack.site.html(&format!(
        "<title>reports</title><a href='{report}' download>Linked</a>
        <button onclick='const a = document.createElement(\"a\"); a.download = \"\"; a.href = \"{report}\";
          document.body.append(a); a.click(); a.remove()'>Made</button>
        <a href='{report}' download onclick='event.preventDefault(); document.title = \"prevented\"'>Prevented</a>"
    ));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    for name in ["Linked", "Made"] {
        let answer = agent.call("click", json!({"target": {"by": "text", "value": name}})).await;
        let told = &answer["events"][0];
        assert_eq!((&told["type"], &told["name"]), (&json!("download"), &json!("report.csv")), "{name}: {answer}");
        assert_eq!((&answer["settled"], &answer["warnings"]), (&json!(true), &json!([])), "{name}: {answer}");
    }
    let answer = agent.call("click", json!({"target": {"by": "text", "value": "Prevented"}})).await;
    assert_eq!((&answer["title"], &answer["events"]), (&json!("prevented"), &json!([])), "{answer}");
    assert!(answer["timings_ms"]["total"].as_u64() < Some(1_200), "no download is due: {answer}");
}

#[tokio::test]
async fn a_download_over_the_bound_fails_and_leaves_nothing() {
    let stack = Stack::shared().await;
    // Made in the page: the egress does not see it.
    let page = stack.site.html(
        "<script>function save(bytes, name) { const a = document.createElement('a'); a.download = name;
        a.href = URL.createObjectURL(new Blob([new Uint8Array(bytes)])); a.click() }</script>
        <button onclick='save(60e6, \"large.bin\")'>large</button><button onclick='save(5, \"small.bin\")'>small</button>",
    );
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "large"}})).await;
    let told = agent.event("download", &clicked).await;
    assert!(told["error"].as_str().unwrap().contains("50 MB") && told["file"].is_null(), "{told}");
    assert_eq!(agent.call("files", json!({"action": "list"})).await["files"], json!([]));
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "small"}})).await;
    let told = agent.event("download", &clicked).await;
    assert_eq!((&told["name"], &told["bytes"]), (&json!("small.bin"), &json!(5)));
}

/// What pages need that save what they made, by themselves or in a frame.
const SAVES: &str = "<script>
    function save(from, href, name) { const a = from.createElement('a'); a.download = name; a.href = href;
      from.body.append(a); a.click() }
    function blob(bytes) { return URL.createObjectURL(new Blob([new Uint8Array(bytes)])) }
    function frame(then, src) { const f = document.createElement('iframe'); f.onload = () => then(f);
      src ? f.src = src : f.srcdoc = '<body>'; document.body.append(f) }
    </script><title>saves</title><body>";

#[tokio::test]
async fn what_frames_download_is_listed() {
    let stack = Stack::shared().await;
    let inner =
        stack.site.html(&format!("{SAVES}<script>setTimeout(() => save(document, blob(6), 'other.bin'))</script>"));
    let inner = stack.site.under_name(&inner, porthole_tests::site::SHOP);
    let page = stack.site.html(&format!(
        "{SAVES}<button onclick='frame(f => save(f.contentDocument, blob(5), \"same.bin\"))'>same</button>
        <button onclick='frame(() => {{}}, \"{inner}\")'>other</button>"
    ));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    for (which, name, bytes) in [("same", "same.bin", 5), ("other", "other.bin", 6)] {
        let clicked = agent.call("click", json!({"target": {"by": "text", "value": which}})).await;
        let told = agent.event("download", &clicked).await;
        assert_eq!((&told["tab"], &told["name"], &told["bytes"]), (&json!("t1"), &json!(name), &json!(bytes)));
    }
}

#[tokio::test]
async fn a_download_whose_frame_was_removed_is_ended_and_told() {
    let stack = Stack::shared().await;
    let content = "of a frame that is gone";
    let file = stack.site.page(attachment("a.csv", content).late(Duration::from_millis(500)));
    let page = stack.site.html(&format!(
        "{SAVES}<button onclick='frame(f => {{ save(f.contentDocument, \"{file}\", \"a.csv\");
        setTimeout(() => f.remove(), 100) }})'>save</button>"
    ));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": page})).await;
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "save"}})).await;
    let told = agent.event("download", &clicked).await;
    assert!(told["error"].as_str().unwrap().contains("removed") && told["file"].is_null(), "{told}");
    assert_eq!(files_with(&stack.home, content), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn downloads_of_another_sandbox_change_nothing() {
    let stack = Stack::start().await;
    let [busy, never] =
        [stack.site.html("<script>onload = () => setTimeout(() => { for (;;); }, 700)</script>busy"), {
            stack.site.page(attachment("never.bin", "x").held())
        }];
    let theirs = stack.site.html(&format!(
        "{SAVES}<button onclick='for (let n = 0; n < 100; n++) save(document, \"{never}?\" + n, \"n\")'>held</button>
        <button onclick='for (let n = 0; n < 5; n++) save(document, \"data:application/x,\" + \"x\".repeat(1e6), \"b\")'>long</button>"
    ));
    let ours = stack.site.html(&format!(
        "{SAVES}<button onclick='frame(f => save(f.contentDocument, blob(5), \"ours.bin\"))'>save</button>"
    ));
    let other = Agent::open(stack.service_caller(), json!({})).await;
    other.call("navigate", json!({"url": theirs})).await;
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": ours})).await;
    agent.call("tabs", json!({"action": "new", "url": busy})).await;
    agent.call("tabs", json!({"action": "select", "tab": "t1"})).await;
    for which in ["held", "long"] {
        other.call("click", json!({"target": {"by": "text", "value": which}})).await;
    }
    // One tab of ours answers nothing, and the other sandbox has as many downloads as it may have.
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "save"}})).await;
    let told = agent.event("download", &clicked).await;
    assert_eq!((&told["name"], &told["bytes"]), (&json!("ours.bin"), &json!(5)), "{told}");
    let page = stack.site.html(&format!(
        "{SAVES}<button onclick='frame(f => save(f.contentDocument, blob(60e6), \"large.bin\"))'>large</button>"
    ));
    agent.call("navigate", json!({"url": page})).await;
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "large"}})).await;
    let told = agent.event("download", &clicked).await;
    assert!(told["error"].as_str().unwrap().contains("50 MB"), "{told}");
}

#[tokio::test]
async fn a_flood_of_downloads_ends_its_session_alone() {
    let stack = Stack::start().await;
    // No event tells of them: each frame is gone before its download begins.
    let floods = stack.site.html(&format!(
        "{SAVES}<button onclick='setInterval(() => {{ for (let n = 0; n < 20; n++) {{
        const f = document.createElement(`iframe`); document.body.append(f);
        save(f.contentDocument, `data:application/x,` + `x`.repeat(1000), `n`); f.remove() }} }}, 200)'>flood</button>"
    ));
    let ours =
        stack.site.html(&format!("{SAVES}<button onclick='save(document, blob(5), \"ours.bin\")'>save</button>"));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": ours})).await;
    let flood = Agent::open(stack.service_caller(), json!({})).await;
    flood.call("navigate", json!({"url": floods})).await;
    // On a slow machine the session ends before the click is answered.
    let click = flood.with_session(json!({"target": {"by": "text", "value": "flood"}}));
    flood.caller.post("/session/click", click).await;
    eventually(GONE_WITHIN, async || {
        let answer = flood.caller.post("/session/status", flood.with_session(json!({}))).await;
        so(answer.json()["error"] == "SESSION_LOST", format!("{answer:?}"))
    })
    .await;
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "save"}})).await;
    let told = agent.event("download", &clicked).await;
    assert_eq!((&told["name"], &told["bytes"]), (&json!("ours.bin"), &json!(5)), "{told}");
    agent.call("close", json!({})).await;
    eventually(GONE_WITHIN, async || {
        let left = files_with(&stack.home, &"x".repeat(1000));
        so(left.is_empty(), format!("{left:?}"))
    })
    .await;
}

#[tokio::test]
async fn a_remote_browser_refuses_downloads_and_says_so() {
    let remote = Remote::start().await;
    let stack = &remote.stack;
    let file = stack.site.page(attachment("a.csv", "1,2"));
    let page = stack.site.html(&format!("<a href='{file}'>prices</a>"));
    let agent = Agent::open(stack.service_caller(), remote_options(&remote, json!({}))).await;
    agent.call("navigate", json!({"url": page})).await;
    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "prices"}})).await;
    let told = agent.event("download", &clicked).await;
    assert!(told["error"].is_string() && told["file"].is_null(), "{told}");
    agent.call("close", json!({})).await;
    remote.expect_all_given_back().await;
}
