//! page-click.

use std::time::Duration;

use porthole_service::page::interact::{ActError, Button, Click, Terms};
use tokio::time::Instant;

use super::each;
use crate::act::scene::{Scene, held, ready};

/// A page, what is clicked, and what is true then. `#b` notes its click in `done`.
const CLICKED: &[(&str, &str, &str)] = &[
    ("<svg height=100 width=100><circle onclick='done = 1' cx=50 cy=50 r=40 fill=red /></svg>", "circle", "done == 1"),
    ("<style>#b::before { content: 'q' }</style><span id=b onclick='done = 1'></span>", "#b", "done == 1"),
    ("<div id=b style='width:1px;height:1px' onclick='done = 1'></div>", "#b", "done == 1"),
    ("<div id=b style='margin:11.5px 20.5px;width:1px;height:1px' onclick='done = 1'></div>", "#b", "done == 1"),
    ("<div id=b style='margin:11.13px 20.68px;width:1px;height:1px' onclick='done = 1'></div>", "#b", "done == 1"),
    ("<div id=b style='margin:11.24px 20.15px;width:1px;height:1px' onclick='done = 1'></div>", "#b", "done == 1"),
    // One of its inline boxes is out of view.
    (
        "<style>i { position: absolute; top: -1000px }</style><span id=b onclick='done = 1'><i>woof</i><b>doggo</b></span>",
        "#b",
        "done == 1",
    ),
    // A link over two lines, the middle of whose box is empty.
    (
        "<div style='width:10ch;font:16px monospace'>123321 <a id=b href=# onclick='done = 1'>1 23</a></div>",
        "#b",
        "done == 1",
    ),
    ("<button id=b onclick='done = 1' style='position:absolute;left:768px'>very long text that goes out</button>", "#b", "done == 1"),
    ("<button id=b onclick='done = 1' style='transform:rotateY(50deg) rotate(-90deg);margin:99px'>go</button>", "#b", "done == 1"),
    ("<script>delete window.Node; Object.defineProperty(window, 'innerWidth', { value: 0 })</script><button id=b onclick='done = 1'>", "#b", "done == 1"),
    // What is around it is meant.
    ("<button onclick='done = 1'><label id=b style='pointer-events:none'>go</label></button>", "#b", "done == 1"),
    ("<div role=button onclick='done = 1'><div style='pointer-events:none'><span><p id=b>go</p></span></div></div>", "#b", "done == 1"),
    ("<a href=# onclick='done = 1'><div><div id=b style='pointer-events:none'>go</div></div></a>", "#b", "done == 1"),
    ("<div role=link onclick='done = 1'><div id=b style='pointer-events:none'>go</div></div>", "#b", "done == 1"),
    // An attribute that means nothing on a plain element.
    ("<div id=b onclick='done = 1' disabled>go</div>", "#b", "done == 1"),
    ("<fieldset disabled><legend><div><button id=b onclick='done = 1'>go</button></div></legend></fieldset>", "#b", "done == 1"),
    ("<label id=b>Click me<input onclick='done = 1' style='all:unset;width:0;height:0'></label>", "#b", "done == 1"),
    // A label over which a link lies in part.
    (
        "<input id=c type=checkbox><label id=b for=c><span onclick='done = 1'>Agree to all of it</span></label>",
        "#b",
        "done == 1 && c.checked",
    ),
    // Waits until it can be done.
    ("<button id=b hidden onclick='done = 1'>go</button><script>later(() => b.hidden = false)</script>", "#b", "done == 1"),
    ("<div id=p style='display:none'><button id=b onclick='done = 1'>go</button></div><script>later(() => p.style.display = '')</script>", "#b", "done == 1"),
    ("<button id=b disabled onclick='done = 1'><span id=s>go</span></button><script>later(() => b.disabled = false)</script>", "#s", "done == 1"),
    ("<input id=b disabled onclick='done = 1'><script>later(() => b.disabled = false)</script>", "#b", "done == 1"),
    ("<select id=b disabled onmousedown='done = 1; event.preventDefault()'><option>x</select><script>later(() => b.disabled = false)</script>", "#b", "done == 1"),
    ("<button style='pointer-events:none' id=b onclick='done = 1'><span id=s>go</span></button><script>later(() => b.style.pointerEvents = '')</script>", "#s", "done == 1"),
    ("<label style='pointer-events:none' id=b onclick='done = 1'><span id=s>go</span></label><script>later(() => b.style.pointerEvents = '')</script>", "#s", "done == 1"),
    (
        "<button id=b onclick='done = event.pageX' style='display:block;border:0;width:200px;height:20px;transition:margin 300ms linear'>go</button>
        <style>body { margin: 0 }</style><script>b.getBoundingClientRect(); b.style.marginLeft = '200px'</script>",
        "#b",
        "done == 300",
    ),
    (
        "<style>@keyframes move { from { left: -300px } to { left: 0 } } #b { position: absolute; left: -300px; width: 200px;
        animation: .2s linear .2s move forwards }</style><button id=b onclick='done = 1'>go</button>",
        "#b",
        "done == 1",
    ),
    // Scrolls to it.
    (
        "<div style='height:500px;overflow:auto;width:500px;scroll-behavior:smooth'><button id=b style='margin:2000px 0' onclick='done = 1'>hi</button></div>",
        "#b",
        "done == 1",
    ),
    (
        "<style>* { padding: 0; margin: 0 } body { position: relative } li { height: 80px } ol { height: 100vh; overflow: scroll; padding-top: 160px }
        #over { position: absolute; top: 0; z-index: 9; width: 100%; background: red; height: 160px }</style><ol id=list></ol><div id=over>o</div>
        <script>list.innerHTML = '<li>hi'.repeat(9) + '<li id=b onclick=\"done = 1\">hi' + '<li>hi'.repeat(9);
        list.scrollTo({ top: b.offsetTop, behavior: 'instant' })</script>",
        "#b",
        "done == 1",
    ),
    // A select that is open covers what is beneath it.
    (
        "<select id=s><option>very long text<option>2<option>3<option>4</select><p><button id=b onclick='done = 1'>go</button>
        <script>s.focus(); s.showPicker?.call(s)</script>",
        "#b",
        "done == 1",
    ),
    // What comes of the press is told before the release.
    (
        "<button id=b>go</button><script>let count = 0; new MutationObserver(all => { count += all.length })
        .observe(document.body, { attributes: true, childList: true, subtree: true });
        b.onmousedown = () => { count = 0; document.body.append(document.createElement('div')) }; b.onmouseup = () => { done = count }</script>",
        "#b",
        "done == 1",
    ),
];

const PRELUDE: &str = "<script>var done = 0; const later = act => setTimeout(act, 150)</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_playwright_clicks_is_clicked() {
    let pages: Vec<_> = CLICKED.iter().map(|(page, on, holds)| (format!("{PRELUDE}{page}"), *on, *holds)).collect();
    let cases: Vec<_> = pages.iter().map(|(page, on, holds)| (page.as_str(), *on, *holds)).collect();
    each(&cases, async |scene: &Scene, selector| scene.click(selector).await.map(drop)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clicks_send_the_events_that_playwright_sends() {
    let logs = |ids: &str, types: &str| {
        format!(
            "<script>const log = []; for (const id of {ids:?}.split(' ')) for (const type of {types:?}.split(' '))
            document.getElementById(id).addEventListener(type, e => log.push(type))</script>"
        )
    };
    let types = "mouseover mouseenter mousedown mouseup click dblclick contextmenu input change";
    let scene = Scene::showing(&format!(
        "<button id=b>go</button><p><input type=checkbox id=c><label for=c id=l>agree</label>{}",
        logs("c", types)
    ))
    .await;
    scene.click("#c").await.unwrap();
    assert_eq!(scene.log().await, "mouseover,mouseenter,mousedown,mouseup,click,input,change");
    scene.evaluate("log.length = 0").await;
    scene.click("#l").await.unwrap();
    assert_eq!(scene.log().await, "click,input,change");

    scene.shows(&format!("<button id=b>go</button>{}", logs("b", "mousedown contextmenu mouseup"))).await;
    let button = scene.element("#b").await;
    scene.page.click(&button, &Click { button: Button::Right, ..Click::once(ready()) }).await.unwrap();
    assert_eq!(scene.log().await, "mousedown,contextmenu,mouseup");
    // Modifiers end with the click.
    scene.evaluate("b.onclick = e => { log.push(e.shiftKey) }; log.length = 0").await;
    scene.page.click(&button, &Click { modifiers: held(&["Shift"]), ..Click::once(ready()) }).await.unwrap();
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "mousedown,mouseup,true,mousedown,mouseup,false");

    scene.shows("<textarea id=t style='width:700px'>all of this text is selected</textarea>").await;
    scene.page.click(&scene.element("#t").await, &Click { count: 3, ..Click::once(ready()) }).await.unwrap();
    assert_eq!(scene.evaluate("t.selectionEnd - t.selectionStart == t.value.length").await, true);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buttons_are_clicked_in_frames_with_borders_and_framesets() {
    let leaf = "<style>body { margin: 0 } div { margin: 20px 0 0 10px; width: 2px; height: 2px }</style><div onclick='top.done = 1'>go</div>";
    let scene = Scene::open().await;
    for sizing in ["border-box", "content-box"] {
        let frame = format!(
            "<iframe srcdoc=\"{leaf}\" style='border:4px solid;margin:24px 33px;width:400px;height:400px;box-sizing:{sizing}'>"
        );
        scene.shows(&format!("<script>var done = 0</script>{frame}")).await;
        let target = scene.inner(&["iframe", "div"]).await;
        scene.page.click(&target, &Click::once(ready())).await.unwrap();
        assert_eq!(scene.evaluate("done").await, 1, "{sizing}");
    }
    let leaf = scene.site.html("<button onclick='top.done = 1'>go</button>");
    let frames = format!(
        "<script>var done = 0</script><frameset cols='50%,50%'><frame src='about:blank'><frame id=f src='{leaf}'></frameset>"
    );
    scene.shows(&frames).await;
    let button = scene.inner(&["#f", "button"]).await;
    scene.page.click(&button, &Click::once(ready())).await.unwrap();
    assert_eq!(scene.evaluate("done").await, 1);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leaves_while_it_is_waited_for_is_not_clicked() {
    let scene = Scene::showing(
        "<style>@keyframes move { to { margin-left: 300px } } #b { animation: move 5s linear }</style>
        <button id=b onclick='done = 1'>go</button><script>var done = 0</script>",
    )
    .await;
    let button = scene.element("#b").await;
    scene.evaluate("setTimeout(() => b.remove(), 200)").await;
    let gone = scene.page.click(&button, &Click::once(ready())).await.unwrap_err();
    assert!(matches!(gone, ActError::NotFound(_)), "{gone:?}");
    assert_eq!(scene.evaluate("done").await, 0);
    // Its frame.
    let leaf = scene
        .site
        .html("<style>@keyframes m { to { margin-left: 300px } } #b { animation: m 5s linear }</style><button id=b>go");
    scene.shows(&format!("<iframe id=f src='{leaf}'></iframe>")).await;
    let button = scene.inner(&["#f", "#b"]).await;
    scene.evaluate("setTimeout(() => f.remove(), 200)").await;
    let terms = Terms::until(Instant::now() + Duration::from_secs(5));
    let gone = scene.page.click(&button, &Click::once(terms)).await.unwrap_err();
    assert!(matches!(gone, ActError::NotFound(_)), "{gone:?}");
    scene.ends().await;
}
