//! page-fill.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Wanted};

use super::each;
use crate::act::scene::{Scene, ready, typing};

/// A page, what is typed into `#i`, and what is true then.
const FILLED: &[(&str, &str, &str)] = &[
    ("<textarea id=i>old</textarea>", "some value", "i.value == 'some value'"),
    ("<input id=i type=invalid-type>", "text", "i.value == 'text'"),
    ("<input id=i type=search>", "text", "i.value == 'text'"),
    ("<input id=i type=url>", "no url", "i.value == 'no url'"),
    ("<input id=i type=color value='#e66465'>", "#AbCd00", "i.value == '#abcd00'"),
    ("<input id=i type=date autofocus>", "2020-03-02", "i.value == '2020-03-02'"),
    ("<input id=i type=number>", "-10e5", "i.value == '-10e5'"),
    ("<input id=i type=number value=123>", "", "i.value == ''"),
    ("<input id=i value=old>", "", "i.value == ''"),
    ("<body contenteditable id=i>old", "some value", "i.innerText.trim() == 'some value'"),
    ("<input id=i style='position:fixed'>", "some value", "i.value == 'some value'"),
    ("<div id=i contenteditable></div>", "John\nDoe", "i.innerText == 'John\\nDoe'"),
    ("<div id=i contenteditable=plaintext-only>old</div>", "John\nDoe", "i.innerText == 'John\\nDoe'"),
    (
        "<div id=i contenteditable>old</div><iframe id=f></iframe><script>f.focus()</script>",
        "some value",
        "i.innerText == 'some value'",
    ),
    // A part of it is selected.
    (
        "<div id=i contenteditable>some <span id=s>more</span> text</div><script>getSelection().selectAllChildren(s)</script>",
        "replaced",
        "i.textContent == 'replaced'",
    ),
    (
        "<input id=i value='value one'><script>i.setSelectionRange(1, 2)</script>",
        "maybe this",
        "i.value == 'maybe this'",
    ),
    // The focus takes the selection away.
    (
        "<div id=i contenteditable>initial</div><script>i.onfocus = () => { const s = getSelection(); if (s.rangeCount) s.collapseToEnd() }</script>",
        "some value",
        "i.textContent == 'some value'",
    ),
    // The page draws what is typed.
    (
        "<div id=i contenteditable></div><script>i.onbeforeinput = e => { e.preventDefault(); i.textContent = e.data }</script>",
        "Playwright",
        "i.textContent == 'Playwright'",
    ),
    // Waits until it can be done.
    ("<input id=i disabled><script>setTimeout(() => i.disabled = false, 150)</script>", "late", "i.value == 'late'"),
    (
        "<textarea id=i readonly></textarea><script>setTimeout(() => i.readOnly = false, 150)</script>",
        "late",
        "i.value == 'late'",
    ),
    (
        "<input id=i style='display:none'><script>setTimeout(() => i.style.display = '', 150)</script>",
        "late",
        "i.value == 'late'",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_playwright_fills_is_filled() {
    each(FILLED, async |scene: &Scene, text| scene.types("#i", text).await.map(drop)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_take_no_text_say_so() {
    let scene = Scene::open().await;
    for kind in ["button", "checkbox", "file", "image", "radio", "reset", "submit"] {
        scene.shows(&format!("<input id=i type={kind}>")).await;
        let refused = scene.types("#i", "text").await.unwrap_err();
        assert!(matches!(refused, ActError::NotEditable(_)), "{kind}: {refused:?}");
    }
    scene.shows("<select id=i><option>value</select>").await;
    let refused = scene.types("#i", "value").await.unwrap_err();
    assert!(matches!(refused, ActError::NotEditable(_)), "{refused:?}");
    for (kind, value) in [
        ("range", "foo"),
        ("color", "badvalue"),
        ("date", "2020-13-05"),
        ("month", "2020-13"),
        ("week", "2020-123"),
        ("time", "25:05"),
        ("datetime-local", "abc"),
        ("number", "abc"),
    ] {
        scene.shows(&format!("<input id=i type={kind}>")).await;
        let before = scene.evaluate("i.value").await;
        let refused = scene.types("#i", value).await.unwrap_err();
        assert!(matches!(refused, ActError::Invalid(_) | ActError::NoEffect(_)), "{kind}: {refused:?}");
        assert_eq!(scene.evaluate("i.value").await, before, "{kind}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_told_through_shadow_roots_and_may_navigate() {
    let scene = Scene::open().await;
    for (kind, value) in
        [("color", "#aaaaaa"), ("date", "2020-03-02"), ("datetime-local", "2020-03-02T13:15:30"), ("range", "42")]
    {
        scene
            .shows(&format!(
                "<div id=host></div><script>const log = []; const root = host.attachShadow({{ mode: 'open' }});
                root.innerHTML = '<input type={kind}>';
                for (const type of ['input', 'change']) for (const at of [root.querySelector('input'), document.body])
                    at.addEventListener(type, e => log.push(e.type + e.composed))</script>"
            ))
            .await;
        let input = Wanted { by: Some(TargetBy::Css), value: "input".to_owned(), ..Wanted::default() };
        let input = scene.page.locate(&input, ready().deadline).await.unwrap();
        scene.page.type_text(&input.element, &typing(value)).await.unwrap_or_else(|error| panic!("{kind}: {error}"));
        // A range comes there by its last step, told to the field and to the body.
        let inputs = if kind == "range" { "inputtrue,inputtrue,inputtrue,inputtrue" } else { "inputtrue,inputtrue" };
        assert_eq!(scene.log().await, format!("{inputs},changefalse"), "{kind}");
    }
    let next = scene.site.html("<title>next</title>");
    scene.shows(&format!("<input id=i type=date oninput='location = \"{next}\"'>")).await;
    assert!(scene.types("#i", "2020-03-02").await.unwrap().settled.navigated);
    assert_eq!(scene.evaluate("document.title").await, "next");
    scene.ends().await;
}
