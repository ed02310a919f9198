//! How a session looks to sites, and how its pages look to the caller.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use porthole_tests::{Picture, Remote, Stack};
use serde_json::{Value, json};

use super::{Agent, remote_options};

/// A page whose title says what the browser tells it.
const TELLS: &str = "<script>document.title = JSON.stringify([navigator.language, navigator.userAgent, \
    Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString()])</script><button \
    onclick=\"window.open('POPUP')\">popup</button>";

#[tokio::test]
async fn every_tab_of_a_session_has_its_locale_time_zone_and_user_agent() {
    let stack = Stack::shared().await;
    let inner = stack.site.under_name(&stack.site.html(TELLS), porthole_tests::site::SHOP);
    let url = stack.site.html(&TELLS.replace("POPUP", &inner));
    let options = json!({"locale": "de-DE", "time_zone": "Asia/Tokyo", "user_agent": "Agent/1.0"});
    let agent = Agent::open(stack.service_caller(), options).await;
    let told: Value = json!(["de-DE", "Agent/1.0", "Asia/Tokyo", "1.234,5"]);
    let first = agent.call("navigate", json!({"url": url})).await;
    assert_eq!(first["title"], told.to_string(), "{first}");
    let headers = &stack.site.seen(&url)[0].headers;
    assert_eq!(headers["user-agent"], "Agent/1.0");
    assert!(headers["accept-language"].to_str().unwrap().starts_with("de-DE"), "{headers:?}");

    let clicked = agent.call("click", json!({"target": {"by": "text", "value": "popup"}})).await;
    let opened = agent.event("tab_opened", &clicked).await;
    let tab = &opened["tab"];
    agent.call("wait", json!({"tab": tab, "text": "popup"})).await;
    let popup = agent.call("status", json!({"tab": tab})).await;
    assert_eq!(popup["title"], told.to_string(), "{popup}");
    assert_eq!(stack.site.seen(&inner)[0].headers["user-agent"], "Agent/1.0");
    for _ in 0..3 {
        let new = agent.call("tabs", json!({"action": "new", "url": inner})).await;
        assert_eq!(new["title"], told.to_string(), "{new}");
    }
}

/// No other page halts a window that has no opener, so it would ask its server at once, with the browser's own name.
async fn a_window_without_an_opener_looks_the_same(agent: &Agent, stack: &Stack) {
    let ways: [fn(&str) -> String; 3] = [
        |to| format!("<a target=_blank href='{to}'>go</a>"),
        |to| format!("<form method=post target=_blank action='{to}'><button>go</button></form>"),
        |to| format!("<button onclick=\"window.open('{to}', '_blank', 'noopener')\">go</button>"),
    ];
    for way in ways {
        let window = stack.site.html(TELLS);
        agent.call("navigate", json!({"url": stack.site.html(&way(&window))})).await;
        let clicked = agent.call("click", json!({"target": {"by": "text", "value": "go"}})).await;
        let tab = agent.event("tab_opened", &clicked).await["tab"].clone();
        agent.call("wait", json!({"tab": tab, "text": "popup"})).await;
        let told = agent.call("status", json!({"tab": tab})).await;
        assert!(told["title"].as_str().unwrap().starts_with("[\"de-DE\",\"Agent/1.0\""), "{told}");
        let headers = &stack.site.seen(&window)[0].headers;
        assert_eq!(headers["user-agent"], "Agent/1.0", "{headers:?}");
        assert!(headers["accept-language"].to_str().unwrap().starts_with("de-DE"), "{headers:?}");
        agent.call("tabs", json!({"action": "close", "tab": tab})).await;
    }
}

#[tokio::test]
async fn a_window_looks_like_its_session_from_its_first_request() {
    let stack = Stack::shared().await;
    let agent = Agent::open(stack.service_caller(), json!({"locale": "de-DE", "user_agent": "Agent/1.0"})).await;
    a_window_without_an_opener_looks_the_same(&agent, &stack).await;
    let remote = Remote::start().await;
    let options = remote_options(&remote, json!({"locale": "de-DE", "user_agent": "Agent/1.0"}));
    let agent = Agent::open(remote.stack.service_caller(), options).await;
    a_window_without_an_opener_looks_the_same(&agent, &remote.stack).await;
}

#[tokio::test]
async fn a_locale_leaves_the_browsers_own_name() {
    let stack = Stack::shared().await;
    let url = stack.site.html(TELLS);
    let agent = Agent::open(stack.service_caller(), json!({"locale": "fr"})).await;
    let title = agent.call("navigate", json!({"url": url})).await["title"].as_str().unwrap().to_owned();
    let told: Value = serde_json::from_str(&title).unwrap();
    assert_eq!(told[0], "fr", "{told}");
    assert!(told[1].as_str().unwrap().contains("Chrome"), "{told}");
}

#[tokio::test]
async fn an_identity_that_the_browser_refuses_is_told_by_its_field() {
    let stack = Stack::shared().await;
    let answer = stack.service_caller().post("/session/open", json!({"time_zone": "Nowhere/At-all"})).await;
    answer.expect_code_about("INVALID_REQUEST", "time_zone");
}

/// A green button in an inline frame and a blue one below the viewport, and a title that counts changes of the document.
const FRAMED: &str = "<!doctype html><body style='margin:0;height:3000px'><title>0</title>
    <iframe style='border:0;position:absolute;left:100px;top:50px;width:300px;height:200px' srcdoc=\"<body style='margin:0'>
    <button style='position:absolute;left:20px;top:30px;width:120px;height:60px;border:0;background:#0a0'>in</button>\"></iframe>
    <button style='position:absolute;left:50px;top:2000px;width:100px;height:50px;border:0;background:#00f'>below</button>
    <script>let changes = 0; onload = () => new MutationObserver(() => changes++).observe(document.documentElement,
    {subtree: true, childList: true, attributes: true}); onclick = () => document.title = changes</script>";

async fn pictured(agent: &Agent, fields: Value) -> Picture {
    let answer = agent.call("screenshot", fields).await;
    Picture::decode(&BASE64_STANDARD.decode(answer["image_base64"].as_str().unwrap()).unwrap())
}

#[tokio::test]
async fn an_annotated_picture_has_the_refs_of_the_latest_snapshot() {
    const GREEN: [u8; 3] = [0, 0xaa, 0];
    let stack = Stack::shared().await;
    let url = stack.site.html(FRAMED);
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    agent.call("navigate", json!({"url": url})).await;
    let without = agent.call("screenshot", json!({"annotate": true})).await;
    assert!(without["warnings"][0].as_str().unwrap().starts_with("no_refs"), "{without}");
    agent.call("snapshot", json!({})).await;
    let plain = pictured(&agent, json!({})).await;
    // The button is at 120, 80 in the viewport, 120 by 60 large.
    plain.expect_colour(121, 81, GREEN).expect_colour(238, 138, GREEN);
    let marked = pictured(&agent, json!({"annotate": true})).await;
    marked.expect_size(1280, 720).expect_colour(230, 130, GREEN);
    let line = marked.at(239, 110);
    assert!(line != GREEN && line != [0xff; 3], "{line:?}");
    marked.expect_colour(121, 139, line).expect_colour(119, 110, plain.at(119, 110));
    assert!(marked.part(120, 80, 30, 14).contains(&[0xff; 3]), "the ref is written into the corner");
    assert_eq!(marked.at(60, 719), plain.at(60, 719), "what is below the viewport is not drawn");

    let whole = pictured(&agent, json!({"annotate": true, "full_page": true})).await;
    assert!(whole.at(149, 2025) != [0, 0, 0xff] && whole.at(140, 2040) == [0, 0, 0xff]);
    agent.call("scroll", json!({"to": "bottom"})).await;
    let scrolled = pictured(&agent, json!({"annotate": true, "full_page": true, "format": "jpeg"})).await;
    assert_eq!(scrolled.format.to_mime_type(), "image/jpeg");
    agent.call("scroll", json!({"to": "top"})).await;
    agent.call("click", json!({"at": {"x": 10, "y": 600}})).await;
    assert_eq!(agent.call("status", json!({})).await["title"], "0", "the document was not touched");
}

/// Frames keep what they show at another place than their own document says: moved, scaled, turned, one in the other.
#[tokio::test]
async fn an_element_in_a_frame_is_pictured_and_boxed_where_it_is() {
    const RED: [u8; 3] = [0xff, 0, 0];
    let inside = "<body style='margin:0;background:#0f0'><div style='height:20px'></div>\
        <button style='background:#f00;border:0;width:100px;height:40px;color:#f00'>Red</button><div style='height:900px'></div>";
    let stack = Stack::shared().await;
    let inner = stack.site.html(inside);
    let foreign = stack.site.under_name(&inner, porthole_tests::site::SHOP);
    let frame =
        |url: &str, style: &str| format!("<iframe src='{url}' style='width:300px;height:200px;{style}'></iframe>");
    let nested = stack.site.html(&format!("<body style='margin:0'>{}", frame(&inner, "margin:7px 0 0 9px")));
    let agent = Agent::open(stack.service_caller(), json!({})).await;
    for (url, style, before) in [
        (&inner, "border:0;margin:30px", ""),
        (&foreign, "border:5px solid;padding:3px;margin:30px", ""),
        (&inner, "border:0", "<div style='height:1500px'></div>"),
        (&foreign, "transform:scale(.5)", ""),
        (&inner, "transform:scale(1.5);margin:90px", ""),
        (&inner, "zoom:1.5", ""),
        (&nested, "rotate:90deg;margin:60px", ""),
    ] {
        let page = format!("<!doctype html><body style='margin:0'>{before}{}", frame(url, style));
        agent.call("navigate", json!({"url": stack.site.html(&page)})).await;
        let target = json!({"by": "role", "value": "button", "name": "Red"});
        let picture = pictured(&agent, json!({"target": target, "format": "png"})).await;
        let (width, height) = picture.size();
        for (x, y) in [(1, 1), (width - 2, 1), (1, height - 2), (width - 2, height - 2), (width / 2, height / 2)] {
            picture.expect_colour(x, y, RED);
        }
        let shown = agent.call("snapshot", json!({"boxes": true})).await;
        let hovered = agent.call("hover", json!({"target": target})).await;
        let told = &hovered["target"]["bounding_box"];
        let px = |name: &str| told[name].as_f64().unwrap().round();
        let told = format!("[box={},{},{},{}]", px("x"), px("y"), px("width"), px("height"));
        let tree = shown["snapshot"]["tree"].as_str().unwrap();
        assert!(tree.contains("\"Red\" [ref=@e") && tree.contains(&told), "{style}: {told} in {tree}");
    }
}
