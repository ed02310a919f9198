//! Sessions in a browser behind a DevTools endpoint: a headless shell with a debugging port.

use std::time::Duration;

use porthole_chromium::{Process, Profile, find_executable};
use porthole_tests::agent::{Agent, reference, tree};
use porthole_tests::eventually::so;
use porthole_tests::{Reply, Stack, eventually};
use serde_json::{Value, json};

use super::endpoint::{OtherClient, connect};

const SOON: Duration = Duration::from_secs(20);

/// Starts a browser with a debugging port.
pub(crate) async fn shell() -> (Process, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let profile = Profile::create(folder.path()).unwrap();
    let mut flags: Vec<String> = [
        "--headless",
        "--remote-debugging-port=0",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
    ]
    .map(str::to_owned)
    .into();
    flags.push(format!("--user-data-dir={}", profile.path().display()));
    if nix::unistd::geteuid().is_root() {
        flags.push("--no-sandbox".to_owned());
    }
    let (process, _pipe) = Process::start(&find_executable(None).unwrap(), flags, profile).unwrap();
    let endpoint = tokio::time::timeout(SOON, process.stderr().endpoint()).await.unwrap().unwrap();
    (process, endpoint, folder)
}

/// The URLs of the browser's pages, and how many contexts it has.
async fn contents(client: &mut OtherClient) -> (Vec<Value>, usize) {
    let targets = client.call("Target.getTargets", json!({})).await;
    let pages = targets["targetInfos"].as_array().unwrap().iter().filter(|target| target["type"] == "page");
    let contexts = client.call("Target.getBrowserContexts", json!({})).await;
    (pages.map(|target| target["url"].clone()).collect(), contexts["browserContextIds"].as_array().unwrap().len())
}

/// Windows that no page opened, as far as they know, are halted by nothing but the lease's own setting.
#[tokio::test]
async fn a_window_without_an_opener_is_judged_before_it_asks() {
    let (process, endpoint, _folder) = shell().await;
    let stack = Stack::with().setting("PORTHOLE_PROVIDER", "cdp").setting("PORTHOLE_CDP_URL", &endpoint);
    let stack = Box::pin(stack.start()).await;
    let (forbidden, good) = (stack.site.forbidden(), stack.site.html("<title>good</title><h1>good</h1>"));
    let redirect = stack.site.page(Reply::redirect(302, &forbidden));
    let ways = |to: &str| {
        [
            format!("<a target=_blank rel=noopener href='{to}'>go</a>"),
            format!("<a target=_blank href='{to}'>go</a>"),
            format!("<form method=post target=_blank action='{to}'><button>go</button></form>"),
            format!("<button onclick=\"window.open('{to}', '_blank', 'noopener')\">go</button>"),
            format!("<button onclick=\"window.open('{to}')\">go</button>"),
        ]
    };
    // Another lease's connection halts the same windows.
    let (other, _) = Agent::at(stack.caller(), &good).await;
    for way in ways(&forbidden).into_iter().chain(ways(&redirect)) {
        let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&way)).await;
        agent.does("click", json!({"ref": reference(&tree(&opened), "\"go\"")})).await;
        agent.does("wait", json!({"ms": 300})).await;
        assert_eq!(stack.site.forbidden_visits(), 0, "{way}");
        agent.does("close", json!({})).await;
    }
    // A one-shot page opens them by itself.
    let all: String = ways(&forbidden).into_iter().chain(ways(&redirect)).collect();
    let click = "<script>document.querySelectorAll('a, button').forEach(one => one.click())</script>";
    let by_itself = stack.site.html(&format!("<p>the page{all}{click}"));
    let read = stack.extract(json!({"url": by_itself, "wait": {"delay_ms": 500}})).await;
    assert!(read.content().starts_with("the page"), "{read:?}");
    assert_eq!(stack.site.forbidden_visits(), 0);
    for way in ways(&good) {
        let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&way)).await;
        let clicked = agent.does("click", json!({"ref": reference(&tree(&opened), "\"go\"")})).await;
        assert!(!clicked["warnings"].to_string().contains("blocked_target"), "{way}: {clicked:#?}");
        eventually(SOON, async || {
            let seen = agent.call("snapshot", json!({"tab": "t2"})).await;
            so(seen.json()["title"] == "good", format!("{way}: {seen:?}"))
        })
        .await;
        agent.does("close", json!({})).await;
    }
    other.does("close", json!({})).await;
    drop(stack);
    process.kill().await.remove().await;
}

#[tokio::test]
async fn a_session_lives_and_ends_in_a_browser_behind_an_endpoint() {
    let (process, endpoint, _folder) = shell().await;
    let mut client = connect(&endpoint).await;
    let before = contents(&mut client).await;
    let stack = Stack::with().setting("PORTHOLE_PROVIDER", "cdp").setting("PORTHOLE_CDP_URL", &endpoint);
    let stack = Box::pin(stack.start()).await;
    let other = stack.site.html("<title>other</title><h1>other</h1>");
    let page = format!(
        "<title>form</title><label>Name <input id=n></label><button onclick='out.textContent = `hello ${{n.value}}`'>Greet</button>
        <p id=out></p><a href='{other}' target=_blank>window</a><a href='{}'>away</a>
        <button onclick='throw new Error(`wrong`)'>err</button>",
        stack.site.forbidden()
    );
    let (agent, opened) = Agent::at(stack.caller(), &stack.site.html(&page)).await;
    let seen = tree(&opened);
    let typed = agent.does("type", json!({"ref": reference(&seen, "textbox \"Name\""), "text": "Ada"})).await;
    assert_eq!(typed["method"], "cdp");
    agent.does("click", json!({"ref": reference(&seen, "button \"Greet\"")})).await;
    assert!(agent.tree().await.contains("hello Ada"));
    let failed = agent.does("click", json!({"ref": reference(&seen, "button \"err\"")})).await;
    let console = failed["events"].as_array().unwrap().iter().find(|event| event["type"] == "console");
    assert!(console.is_some_and(|event| event["text"].as_str().unwrap().contains("wrong")), "{failed:#?}");

    // A link to where it may not go leaves the page as it was.
    let away = agent.does("click", json!({"ref": reference(&seen, "link \"away\"")})).await;
    assert_eq!((&away["navigated"], &away["title"]), (&json!(false), &json!("form")), "{away:#?}");
    assert!(away["warnings"].to_string().contains("blocked_target"), "{away:#?}");
    assert!(agent.tree().await.contains("hello Ada"));
    assert_eq!(stack.site.forbidden_visits(), 0);

    let clicked = agent.does("click", json!({"ref": reference(&seen, "link \"window\"")})).await;
    let mut told = clicked["events"].as_array().unwrap().clone();
    eventually(SOON, async || {
        let tabs = agent.does("tabs", json!({"action": "list"})).await;
        told.extend(tabs["events"].as_array().unwrap().iter().cloned());
        so(tabs["tabs"][1]["url"] == other.as_str(), format!("{tabs:#?}"))
    })
    .await;
    let navigated: Vec<_> = told.iter().filter(|event| event["type"] == "navigated" && event["tab"] == "t2").collect();
    assert!(navigated.iter().all(|event| event["url"] == other.as_str()), "{told:#?}");
    agent.does("tabs", json!({"action": "select", "tab": "t2"})).await;
    eventually(SOON, async || {
        let seen = agent.does("snapshot", json!({})).await;
        so(seen["url"] == other.as_str() && seen["title"] == "other", format!("{seen:#?}"))
    })
    .await;
    agent.does("tabs", json!({"action": "select", "tab": "t1"})).await;
    assert_eq!(agent.does("navigate", json!({"url": other})).await["title"], "other");
    assert_eq!(agent.does("navigate", json!({"action": "back"})).await["title"], "form");
    let picture = agent.does("screenshot", json!({})).await;
    assert!(picture["image_base64"].as_str().unwrap().len() > 1_000);

    agent.does("close", json!({})).await;
    eventually(SOON, async || {
        let now = contents(&mut client).await;
        so(now == before, format!("{now:?}, and {before:?} before"))
    })
    .await;
    let sessions = stack.metrics().await["sessions"].clone();
    assert_eq!(sessions["leaked"], 0, "{sessions}");
    drop(stack);
    process.kill().await.remove().await;
}
