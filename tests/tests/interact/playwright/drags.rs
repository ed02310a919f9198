//! page-drag, page-dialog.

use porthole_service::page::interact::{Drop, Grip, Point};
use porthole_tests::eventually;
use porthole_tests::eventually::so;

use super::each;
use crate::act::scene::{Scene, ready};
use crate::held_page::PATIENCE;

const PLACES: &str = "<style>body { margin: 0 } #a, #to { position: absolute; border: 1px solid } #a { left: 20px; top: 20px; width: 200px; height: 100px }
    #to { left: 40px; top: 200px; width: 400px; height: 300px }</style><p id=a draggable=true>a</p><div id=to>to</div><script>var log = [];
    a.ondragstart = e => e.dataTransfer.setData('text/plain', 'a');
    to.ondragover = e => e.preventDefault();
    to.ondrop = e => { e.preventDefault(); to.append(document.getElementById(e.dataTransfer.getData('text'))) };
    for (const type of ['mousedown', 'mouseup', 'dragstart', 'dragenter', 'drop', 'dragend']) document.body.addEventListener(type, () => log.push(type))</script>";

/// What a page does besides [`PLACES`], and what is true once `#a` was dragged to `#to`.
const DRAGGED: &[(&str, (), &str)] = &[
    ("", (), "to.contains(a) && log.includes('dragend') && log.filter(type => type == 'drop').length == 1"),
    (
        "<script>document.body.addEventListener('dragstart', e => e.preventDefault())</script>",
        (),
        "!to.contains(a) && log.at(-1) == 'mouseup'",
    ),
    (
        "<script>document.body.addEventListener('dragstart', e => e.stopImmediatePropagation())</script>",
        (),
        "to.contains(a)",
    ),
    (
        "<script>a.ondragstart = e => e.dataTransfer.setData('custom-type', 'Hello');
        to.ondrop = e => { told = e.dataTransfer.types + e.dataTransfer.getData('custom-type') }</script>",
        (),
        "told == 'custom-typeHello'",
    ),
    // Its element leaves while it is dragged.
    ("<script>to.ondragenter = () => a.remove(); to.ondrop = () => { told = 1 }</script>", (), "told == 1"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_playwright_drags_is_dragged() {
    let pages: Vec<_> = DRAGGED.iter().map(|(more, (), holds)| (format!("{PLACES}{more}"), (), *holds)).collect();
    let cases: Vec<_> = pages.iter().map(|(page, (), holds)| (page.as_str(), (), *holds)).collect();
    each(&cases, async |scene: &Scene, ()| {
        let (from, to) = (scene.element("#a").await, scene.element("#to").await);
        match scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await {
            // A drag that the page cancels has no effect on the target, which may be said.
            Err(error) if !error.to_string().contains("drag") => Err(error),
            _ => Ok(()),
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drop_effect_that_is_not_allowed_drops_nothing() {
    let cases = [
        ("copy", "copy", true),
        ("copy", "move", false),
        ("all", "link", true),
        ("all", "none", false),
        ("copyMove", "copy", true),
        ("copyLink", "copy", true),
        ("linkMove", "copy", false),
        ("copyMove", "link", false),
        ("copyLink", "link", true),
        ("linkMove", "link", true),
        ("copyMove", "move", true),
        ("copyLink", "move", false),
        ("linkMove", "move", true),
        ("uninitialized", "copy", true),
    ];
    let pages: Vec<_> = cases
        .iter()
        .map(|(allowed, effect, drops)| {
            let page = format!(
                "<div id=a draggable=true>drag me</div><p id=to>drop here</p><script>var dropped = false;
                a.ondragstart = e => {{ e.dataTransfer.effectAllowed = '{allowed}'; e.dataTransfer.setData('text/plain', 'data') }};
                to.ondragover = e => {{ e.dataTransfer.dropEffect = '{effect}'; e.preventDefault() }};
                to.ondrop = () => {{ dropped = true }}</script>"
            );
            (page, format!("dropped == {drops}"))
        })
        .collect();
    let cases: Vec<_> = pages.iter().map(|(page, holds)| (page.as_str(), (), holds.as_str())).collect();
    each(&cases, async |scene: &Scene, ()| {
        let (from, to) = (scene.element("#a").await, scene.element("#to").await);
        let _ = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await;
        Ok::<(), ()>(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drags_go_on_within_frames_and_beside_frames_that_never_load() {
    let scene = Scene::open().await;
    let leaf = scene.site.html(PLACES);
    scene
        .shows(&format!("<iframe id=f src='{leaf}' style='width:500px;height:560px;margin:20px 0 0 80px'></iframe>"))
        .await;
    let (from, to) = (scene.inner(&["#f", "#a"]).await, scene.inner(&["#f", "#to"]).await);
    scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await.unwrap();
    assert_eq!(scene.evaluate("f.contentDocument.querySelector('#to > #a') !== null").await, true);

    // The buttons that are down.
    scene
        .shows(
            "<div id=a style='width:200px;height:200px;background:red'></div><script>const log = [];
            for (const type of ['mousedown', 'mousemove', 'mouseup']) a.addEventListener(type, e => { const told = type + e.buttons; if (log.at(-1) != told) log.push(told) })</script>",
        )
        .await;
    let from = Grip::Element(scene.element("#a").await);
    scene.page.drag(&from, &Drop::Point(Point { x: 40.0, y: 40.0 }), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "mousemove0,mousedown1,mousemove1,mouseup0");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_answered_as_in_playwright() {
    let scene = Scene::showing("<button id=b>go</button><script>var told</script>").await;
    for (opens, accept, text, gives) in [
        ("alert('yo')", true, None, "null"),
        ("prompt('question?', 'yes.')", true, Some("answer!"), "\"answer!\""),
        ("prompt('question?', 'yes.')", true, None, "\"yes.\""),
        ("prompt('question?')", false, None, "null"),
        ("confirm('boolean?')", true, None, "true"),
        ("confirm('boolean?')", false, None, "false"),
        // Several, one after the other.
        ("[confirm('one'), confirm('two')]", true, None, "[true,true]"),
    ] {
        scene.evaluate(&format!("told = 'not yet'; b.onclick = () => {{ told = {opens} ?? null }}")).await;
        assert!(!scene.click("#b").await.unwrap().settled.settled, "{opens}");
        while scene.page.dialog().is_some() {
            scene.page.answer_dialog(accept, text.map(str::to_owned)).await.unwrap();
            if opens.contains("two") {
                eventually(PATIENCE, async || {
                    let is_over = scene.page.dialog().is_some_and(|dialog| dialog.message == "two");
                    if is_over { Ok(()) } else { Err("no second dialog".to_owned()) }
                })
                .await;
                scene.page.answer_dialog(accept, text.map(str::to_owned)).await.unwrap();
                break;
            }
        }
        eventually(PATIENCE, async || match scene.evaluate("JSON.stringify(told)").await {
            told if told == gives => Ok(()),
            told => Err(told.to_string()),
        })
        .await;
    }

    // A page that asks again at once: the next dialog may be there before the answer to the one before is confirmed.
    scene.evaluate("b.onclick = () => { told = [...Array(20).keys()].map(n => confirm(n)) }").await;
    scene.click("#b").await.unwrap();
    for asked in 0..20 {
        eventually(PATIENCE, async || {
            let is_open = scene.page.dialog().is_some_and(|dialog| dialog.message == asked.to_string());
            so(is_open, format!("no dialog {asked}"))
        })
        .await;
        scene.page.answer_dialog(true, None).await.unwrap();
    }
    eventually(PATIENCE, async || so(scene.evaluate("told.length").await == 20, "not all were answered")).await;
    scene.ends().await;
}
