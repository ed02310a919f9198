//! Presses that would come to another element or frame, or twice, or not as a click.

use std::time::Duration;

use porthole_service::page::interact::{ActError, Click, How, Method, Terms};
use porthole_tests::site::SHOP;

use super::scene::{Scene, ready};

/// How long to wait for what never comes.
const BRIEFLY: Duration = Duration::from_millis(700);
const LOGS: &str = "<script>let log = []; const note = what => log.push(what)</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_slides_under_the_pointer_is_not_clicked() {
    for name in ["127.0.0.1", SHOP] {
        let scene = Scene::open().await;
        let leaf = scene.site.html(
            "<style>body { margin: 0 }</style><button id=pay style='width:300px;height:200px'>Pay 1000</button>
            <script>for (const type of ['pointerdown', 'mousedown', 'click']) pay.addEventListener(type, () => parent.postMessage(type, '*'))</script>",
        );
        let leaf = scene.site.under_name(&leaf, name);
        scene
            .shows(&format!(
                "{LOGS}<button id=ok style='position:absolute;left:50px;top:50px;width:200px;height:80px'>OK</button>
                <iframe id=f src='{leaf}' style='position:absolute;left:400px;top:300px'></iframe>
                <script>onmessage = e => note(e.data); ok.onmousemove = () => {{ f.style.left = f.style.top = '50px' }}</script>"
            ))
            .await;
        let covered = scene.click_within("#ok", BRIEFLY).await.unwrap_err();
        assert!(matches!(covered, ActError::Covered { .. }), "{covered:?}");
        scene.evaluate("new Promise(done => setTimeout(done, 50))").await;
        assert_eq!(scene.log().await, "", "{name}");
        // What was held is free again.
        scene.evaluate("ok.onmousemove = null").await;
        let pay = scene.inner(&["#f", "#pay"]).await;
        scene.page.click(&pay, &Click::once(ready())).await.unwrap();
        scene.evaluate("new Promise(done => setTimeout(done, 50))").await;
        assert_eq!(scene.log().await, "pointerdown,mousedown,click", "{name}");
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_the_page_takes_on_its_way_is_not_repeated() {
    let scene = Scene::showing(&format!(
        "{LOGS}<script>for (const on of [window, document]) on.addEventListener('click', e => {{
        if (e.target.id == 'a') {{ note('click'); e.stopImmediatePropagation() }} }}, true)</script><button id=a>a</button>"
    ))
    .await;
    let element = scene.element("#a").await;
    let terms = Terms { how: How::DocumentFirst, ..ready() };
    let acted = scene.page.click(&element, &Click::once(terms)).await.unwrap();
    assert_eq!((acted.method, scene.log().await.as_str()), (Method::Dom, "click"));

    scene
        .evaluate("log = []; addEventListener('keydown', e => { note('key'); e.stopImmediatePropagation() }, true)")
        .await;
    let terms = Terms { how: How::DocumentOnly, ..ready() };
    scene.page.press(Some(&element), &"x".parse().unwrap(), &scene.clipboard, &terms).await.unwrap();
    assert_eq!(scene.log().await, "key");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_is_lost_is_told() {
    let buttons = "<style>button { position: absolute; left: 20px; width: 200px; height: 80px }</style>
        <button id=ok style='top:20px'>OK</button><button id=del style='top:200px'>Delete</button><script>
        for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
            ok.addEventListener(type, () => note('ok-' + type)); del.addEventListener(type, () => note('del-' + type)) }</script>";
    let scene = Scene::showing(&format!(
        "{LOGS}{buttons}<script>ok.onpointerdown = () => {{ ok.style.top = '200px'; del.style.top = '20px' }}</script>"
    ))
    .await;
    let acted = scene.click("#ok").await.unwrap();
    assert!(!scene.log().await.contains("click"), "{}", scene.log().await);
    let warnings = acted.warnings.join("\n");
    assert!(warnings.contains("click_lost: ") && warnings.contains("\"del\""), "{warnings}");

    // Pressed once, though the click goes elsewhere.
    scene
        .shows(&format!("{LOGS}{buttons}<script>ok.onpointerdown = e => del.setPointerCapture(e.pointerId)</script>"))
        .await;
    let acted = scene.click("#ok").await.unwrap();
    assert_eq!(scene.log().await.matches("ok-pointerdown").count(), 1, "{}", scene.log().await);
    assert!(!scene.log().await.contains("del-click"), "{}", scene.log().await);
    assert!(acted.warnings.join("\n").contains("click_lost: "), "{:?}", acted.warnings);

    // The first of two clicks took the element away.
    scene.shows(&format!("{LOGS}{buttons}<script>ok.onclick = () => ok.remove()</script>")).await;
    let element = scene.element("#ok").await;
    let acted = scene.page.click(&element, &Click { count: 2, ..Click::once(ready()) }).await.unwrap();
    assert_eq!(scene.log().await.matches("ok-click").count(), 1, "{}", scene.log().await);
    let warnings = acted.warnings.join("\n");
    assert!(warnings.contains("click_lost: 1 of 2 clicks came"), "{warnings}");

    // What is as it should be warns of nothing.
    scene
        .shows(&format!(
            "{LOGS}<select id=s><option>a<option>b</select><label id=l><input type=checkbox>c</label><a id=a href=#x>a</a>
            <button id=b onmousedown='event.preventDefault()' onclick='this.remove()'>b</button><div draggable=true id=d>d</div>
            <details><summary id=m>m</summary>n</details><input id=i><input id=r type=range>"
        ))
        .await;
    for selector in ["#l", "#a", "#b", "#d", "#m", "#i", "#r", "#s"] {
        let acted = scene.click(selector).await.unwrap();
        assert!(!acted.warnings.join("").contains("click_lost"), "{selector}: {:?}", acted.warnings);
    }
    scene.ends().await;
}
