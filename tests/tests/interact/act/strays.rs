//! Presses that would come to another element or frame, or twice, or not as a click.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Click, How, Method, Refs, SnapshotOptions, Terms, Typing, Wanted};
use porthole_tests::site::SHOP;

use tokio::time::Instant;

use super::scene::{BRIEFLY, LOGS, Scene, ready, typing};
use crate::warned::Warned;

/// How often a page is clicked until it does what it does now and then.
const TRIES_MAX: usize = 60;

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

/// A button, and `cover()`: a frame over it, whose own button would get the click.
const COVERED_BY_A_FRAME: &str =
    "<style>#ok, .cover { position: absolute; left: 50px; top: 50px; width: 200px; height: 80px; border: 0 }</style>
    <button id=ok onclick='note(`ok`)'>OK</button><script>const cover = () => {
        const frame = Object.assign(document.createElement('iframe'), { className: 'cover' });
        document.body.append(frame);
        const button = frame.contentDocument.createElement('button');
        button.style = 'position: absolute; inset: 0; width: 100%';
        for (const type of ['mousedown', 'click']) button.addEventListener(type, () => note(`pay-${type}`));
        frame.contentDocument.body.append(button);
        return frame;
    }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_comes_with_the_pointer_gets_no_click() {
    let scene = Scene::showing(&format!("{LOGS}{COVERED_BY_A_FRAME}")).await;
    scene.evaluate("ok.onmousemove = () => { ok.onmousemove = null; cover() }").await;
    let covered = scene.click_within("#ok", BRIEFLY).await.unwrap_err();
    assert!(matches!(covered, ActError::Covered { .. }), "{covered:?}");
    assert_eq!(scene.log().await, "pay-mousedown");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_comes_after_the_last_look_gets_no_click() {
    // Frames come and go, each for one task of the page, and a task takes longer than we do between look and press.
    let scene = Scene::showing(&format!(
        "{LOGS}<iframe srcdoc=another></iframe>{COVERED_BY_A_FRAME}<script>let frame = null; const turns = new MessageChannel();
        turns.port1.onmessage = () => {{
            for (const until = performance.now() + 20; performance.now() < until;);
            frame = frame ? frame.remove() : cover();
            turns.port2.postMessage(0);
        }};
        turns.port2.postMessage(0)</script>"
    ))
    .await;
    for _ in 0..TRIES_MAX {
        scene.evaluate("log = []").await;
        let clicked = scene.click_within("#ok", BRIEFLY).await;
        let log = scene.log().await;
        assert!(!log.contains("pay-click"), "{log}: {clicked:?}");
        // A frame that comes between press and release takes the click away, which is told.
        let is_done = clicked.as_ref().is_ok_and(|acted| !acted.warned().join("").contains("click_lost"));
        assert_eq!(is_done, log.contains("ok"), "{log}: {clicked:?}");
        if log.contains("pay-mousedown") {
            return scene.ends().await;
        }
    }
    panic!("no frame came between look and press");
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
    let warnings = acted.warned().join("\n");
    assert!(warnings.contains("click_lost: ") && warnings.contains("\"del\""), "{warnings}");

    // Pressed once, though the click goes elsewhere.
    scene
        .shows(&format!("{LOGS}{buttons}<script>ok.onpointerdown = e => del.setPointerCapture(e.pointerId)</script>"))
        .await;
    let acted = scene.click("#ok").await.unwrap();
    assert_eq!(scene.log().await.matches("ok-pointerdown").count(), 1, "{}", scene.log().await);
    assert!(!scene.log().await.contains("del-click"), "{}", scene.log().await);
    assert!(acted.warned().join("\n").contains("click_lost: "), "{:?}", acted.warned());

    // The first of two clicks took the element away.
    scene.shows(&format!("{LOGS}{buttons}<script>ok.onclick = () => ok.remove()</script>")).await;
    let element = scene.element("#ok").await;
    let acted = scene.page.click(&element, &Click { count: 2, ..Click::once(ready()) }).await.unwrap();
    assert_eq!(scene.log().await.matches("ok-click").count(), 1, "{}", scene.log().await);
    let warnings = acted.warned().join("\n");
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
        assert!(!acted.warned().join("").contains("click_lost"), "{selector}: {:?}", acted.warned());
    }

    // A list that is inside of what stands for its field chooses at the press.
    scene
        .shows(
            "<div role=combobox tabindex=0 aria-label=City><div id=cur>Paris</div><div id=l role=listbox><div role=option>Paris</div><div role=option id=o>Rome</div></div></div>
            <script>l.onmousedown = e => { e.preventDefault(); cur.textContent = e.target.textContent; l.innerHTML = '' }</script>",
        )
        .await;
    let options = SnapshotOptions::default();
    let rome = scene.by_ref(&mut Refs::default(), &options, |line| line.contains("option \"Rome\"")).await;
    let acted = scene.page.click(&rome, &Click::once(ready())).await.unwrap();
    assert_eq!(scene.evaluate("cur.textContent").await, "Rome");
    assert!(!acted.warned().join("").contains("click_lost"), "{:?}", acted.warned());
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_comes_with_the_pointer_is_not_clicked() {
    let button = "<button id=del style='width:900px;height:700px' onclick='document.title = 2'
        onpointerdown='document.title = 1'>Delete</button>";
    let scene = Scene::open().await;
    let next = scene.site.html(button);
    for how in [
        format!("document.open(); document.write(`{button}`); document.close()"),
        format!("location = '{next}'; const until = Date.now() + 400; while (Date.now() < until);"),
    ] {
        scene.shows("<button id=ok style='width:200px;height:80px'>OK</button>").await;
        scene.evaluate(&format!("ok.onmousemove = () => {{ {how} }}")).await;
        match scene.click_within("#ok", BRIEFLY).await {
            Err(error) => assert!(matches!(error, ActError::NotFound(_) | ActError::Covered { .. }), "{error:?}"),
            // The press came to the element before the next document did.
            Ok(acted) => assert!(acted.settled.navigated && how.starts_with("location"), "{how}: {acted:?}"),
        }
        scene.evaluate("new Promise(done => setTimeout(done, 500))").await;
        assert_eq!(scene.evaluate("document.title").await, "", "{how}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_goes_to_no_other_element_by_the_press() {
    // In a closed shadow root, where the window sees the host alone.
    let scene = Scene::showing(&format!(
        "{LOGS}<div id=host></div><script>const root = host.attachShadow({{mode: 'closed'}});
        root.innerHTML = '<button id=ok>OK</button><button id=del>Delete</button>';
        const [ok, del] = root.querySelectorAll('button'); ok.onclick = () => note('ok'); del.onclick = () => note('del')</script>"
    ))
    .await;
    let options = SnapshotOptions::default();
    let mut refs = Refs::default();
    let snapshot = scene.page.snapshot(&mut refs, &options).await.unwrap();
    let (reference, _) = snapshot.refs.iter().find(|(_, shown)| shown.name == "OK").unwrap();
    let element = scene.page.resolve(&refs, *reference).await.unwrap();
    let acted = scene.page.click(&element, &Click::once(ready())).await.unwrap();
    assert_eq!((scene.log().await.as_str(), acted.warned().len()), ("ok", 0), "{acted:?}");
    scene.evaluate("log = []; ok.onpointerdown = e => del.setPointerCapture(e.pointerId)").await;
    let acted = scene.page.click(&element, &Click::once(ready())).await.unwrap();
    assert_eq!(scene.log().await, "");
    assert!(acted.warned().join("").contains("click_lost"), "{acted:?}");

    // A label that is for another field by then.
    scene
        .shows(
            "<label id=l for=c>label</label><input type=checkbox id=c><input type=checkbox id=d>
            <script>l.onpointerdown = () => { l.htmlFor = 'd' }</script>",
        )
        .await;
    scene.click("#l").await.unwrap();
    assert_eq!(scene.evaluate("d.checked").await, false);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_covered_or_inert_is_not_acted_on_in_the_document() {
    let scene = Scene::showing(&format!(
        "{LOGS}<button id=a onclick='note(`a`)'>a</button><div inert><input id=i></div><input id=j>
        <dialog id=d><input id=k></dialog><div id=o style='position:fixed;inset:0'></div>"
    ))
    .await;
    let briefly = || Terms { how: How::DocumentFirst, ..Terms::until(Instant::now() + BRIEFLY) };
    let button = scene.element("#a").await;
    let covered = scene.page.click(&button, &Click::once(briefly())).await;
    assert!(matches!(covered, Err(ActError::Covered { .. })), "{covered:?}");
    assert_eq!(scene.log().await, "");
    scene.evaluate("o.remove()").await;
    scene.page.click(&button, &Click::once(briefly())).await.unwrap();
    assert_eq!(scene.log().await, "a");

    let typing = || Typing { terms: briefly(), ..typing("text") };
    let inert = scene.page.type_text(&scene.element("#i").await, &typing()).await;
    assert!(matches!(inert, Err(ActError::Covered { .. })), "{inert:?}");
    scene.page.type_text(&scene.element("#j").await, &typing()).await.unwrap();
    scene.evaluate("d.showModal(); j.value = ''").await;
    let behind = scene.page.type_text(&scene.element("#j").await, &typing()).await;
    assert!(matches!(behind, Err(ActError::Covered { .. })), "{behind:?}");
    scene.page.type_text(&scene.element("#k").await, &typing()).await.unwrap();
    assert_eq!(scene.evaluate("[i.value, j.value, k.value].join()").await, ",,text");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_very_many_buttons_is_clicked() {
    let scene = Scene::showing("<p id=out></p><div id=all></div>").await;
    scene
        .evaluate(
            "all.innerHTML = Array.from({ length: 60000 }, (_, n) => `<button>b${n}</button>`).join('');
            all.onclick = e => { out.textContent = 'clicked ' + e.target.textContent }; all.lastChild.id = 'last'",
        )
        .await;
    scene.click("#last").await.unwrap();
    assert_eq!(scene.evaluate("out.textContent").await, "clicked b59999");
    for value in ["button \"b50000\"", "b17"] {
        let wanted =
            Wanted { value: value.to_owned(), wait_for_visible: true, wait_for_enabled: true, ..Wanted::default() };
        let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
        scene.page.click(&located.element, &Click::once(ready())).await.unwrap();
        let clicked = scene.evaluate("out.textContent").await;
        assert!(value.contains(clicked.as_str().unwrap().strip_prefix("clicked ").unwrap()), "{value}: {clicked}");
    }
    let gone = Wanted {
        by: Some(TargetBy::Role),
        value: "button".to_owned(),
        name: Some("none of them".to_owned()),
        ..Wanted::default()
    };
    let missed = scene.page.locate(&gone, Instant::now() + BRIEFLY).await.unwrap_err();
    assert!(matches!(missed.error, ActError::NotFound(_) | ActError::TimedOut { .. }), "{missed:?}");
    scene.ends().await;
}

/// Pages set up what heeds the release one frame after the press: a click that has come and gone by then would leave them in a
/// drag, and the next move would carry the element away.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_press_puts_off_until_the_next_frame_comes_before_the_release() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene
            .shows("<div id=e style='position:absolute;left:20px;top:20px;width:120px;height:40px;cursor:pointer'>Standup</div>
                <div id=o tabindex=0 style='position:absolute;left:20px;top:200px'>Other</div><script>const log = [];
                e.onmousedown = () => requestAnimationFrame(() => setTimeout(() => { let moved = false; const moves = () => { moved = true };
                    const ends = () => { log.push(moved ? 'moved' : 'popup'); removeEventListener('mouseup', ends); removeEventListener('mousemove', moves) };
                    addEventListener('mouseup', ends); addEventListener('mousemove', moves) })); o.onclick = () => log.push('other')</script>")
            .await;
        for selector in ["#e", "#o"] {
            let click = Click::once(Terms { how, ..ready() });
            scene.page.click(&scene.element(selector).await, &click).await.unwrap();
        }
        assert_eq!(scene.log().await, "popup,other", "{how:?}");
    }
    scene.ends().await;
}
