//! Clicks by the document's own events: they come to what a pointer would hit, and only while one would hit it.

use porthole_service::page::interact::{ActError, Chord, Click, How, Refs, SnapshotOptions, Terms, Typing};

use crate::act::scene::{BRIEFLY, LOGS, Scene, ready, typing};
use crate::warned::Warned;

fn in_document() -> Click {
    Click::once(Terms { how: How::DocumentFirst, ..ready() })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_a_wrapper_comes_to_what_is_at_its_middle() {
    let scene = Scene::open().await;
    for wrapper in [
        "<li id=x role=tab style='display:inline-block'><a href='javascript:note(`link`)'>Tab #2</a></li>",
        "<li id=x role=menuitem style='display:inline-block'><a href='#there' onclick='note(`link`)'>Open</a></li>",
        "<div id=x role=button style='display:inline-block'><span onclick='note(`link`)'>Go <b>on</b></span></div>",
        "<li id=x role=option style='display:inline-block'><label><input type=radio onclick='note(`link`)'> one</label></li>",
        "<button id=x onclick='note(event.target.id || event.target.localName)'><link><i id=link>icon</i></button>",
    ] {
        scene.shows(&format!("{LOGS}{wrapper}")).await;
        scene.page.click(&scene.element("#x").await, &in_document()).await.unwrap();
        assert_eq!(scene.log().await, "link", "{wrapper}");
    }
    scene.ends().await;
}

/// The text of a component is in the page's document, the button that it is shown on in the component's.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_a_component_comes_to_the_button_in_it() {
    let scene = Scene::open().await;
    for mode in ["open", "closed"] {
        for (inside, content) in [
            ("<button><span><slot></slot></span></button>", "Buy now"),
            ("<a href='#in'><slot></slot></a>", "<b>Buy</b> now"),
        ] {
            for how in [How::Input, How::DocumentFirst] {
                let page = format!(
                    "{LOGS}<x-b id=x>{content}</x-b><script>customElements.define('x-b', class extends HTMLElement {{ constructor() {{ super();
                    const root = this.attachShadow({{mode: '{mode}'}}); root.innerHTML = `{inside}`;
                    root.firstChild.addEventListener('click', () => note('clicked')); }} }})</script>"
                );
                scene.shows(&page).await;
                // A snapshot finds closed shadow roots.
                let mut refs = Refs::default();
                scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap();
                let click = Click::once(Terms { how, ..ready() });
                scene.page.click(&scene.element("#x").await, &click).await.unwrap();
                assert_eq!(scene.log().await, "clicked", "{mode} {how:?} {inside}");
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_a_card_is_the_cards() {
    let scene = Scene::open().await;
    let card = "<div id=x onclick='note(`card`)' style='cursor:pointer;width:300px;height:100px'>Card
        <button style='position:absolute;left:120px;top:40px' onclick='note(`button`);event.stopPropagation()'>Delete</button></div>";
    scene.shows(&format!("{LOGS}{card}")).await;
    scene.page.click(&scene.element("#x").await, &in_document()).await.unwrap();
    assert_eq!(scene.log().await, "card");
    scene.ends().await;
}

/// Validation at blur, menus that close at a press: no pointer would click the button then.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_disabled_hidden_or_covered_at_the_press_is_not_clicked() {
    let scene = Scene::open().await;
    let changes = [
        "b.disabled = true",
        "f.disabled = true",
        "d.showModal()",
        "b.style.visibility = 'hidden'",
        "f.hidden = true",
        "f.inert = true",
        "o.style.display = 'block'",
    ];
    for change in changes {
        for (at, script) in [
            ("blur", format!("q.onblur = () => {{ {change} }}; q.focus()")),
            ("press", format!("b.onmousedown = () => {{ {change} }}")),
            ("pointer", format!("b.onpointerover = () => {{ {change} }}")),
        ] {
            scene
                .shows(&format!(
                    "{LOGS}<style>#o {{ position:fixed; inset:0; display:none; background:#ccc }}</style><input id=q>
                    <form onsubmit='note(`submitted`);return false'><fieldset id=f><button id=b onclick='note(`saved`)'>Save</button></fieldset></form>
                    <dialog id=d>Check</dialog><div id=o></div><script>{script}</script>"
                ))
                .await;
            let terms = Terms { deadline: tokio::time::Instant::now() + BRIEFLY, ..in_document().terms };
            let click = Click { terms, ..in_document() };
            let clicked = scene.page.click(&scene.element("#b").await, &click).await;
            assert_eq!(scene.log().await, "", "{at}: {change}");
            let told = match &clicked {
                Ok(acted) => acted.warned().iter().any(|warning| warning.starts_with("click_lost")),
                Err(_) => at == "pointer",
            };
            assert!(told, "{at}: {change}: {clicked:?}");
        }
    }
    scene.ends().await;
}

/// A question that stands before the page: a person could not type, choose or press behind it.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_typed_chosen_or_pressed_behind_what_stands_before_the_page() {
    let scene = Scene::open().await;
    let form =
        "<input id=i><select id=s><option>a<option>b</select><button id=b onclick='note(`pressed`)'>Send</button>";
    let wall =
        |style: &str| format!("<div id=wall style='position:fixed;inset:0;background:#fffc;{style}'>Cookies?</div>");
    let terms = |how| Terms { how, deadline: tokio::time::Instant::now() + BRIEFLY, ..ready() };
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&format!("{LOGS}{form}{}", wall(""))).await;
        let typing = Typing { terms: terms(how), ..typing("text") };
        let typed = scene.page.type_text(&scene.element("#i").await, &typing).await;
        let chosen = scene.page.select(&scene.element("#s").await, &["b".to_owned()], &terms(how)).await;
        let enter: Chord = "Enter".parse().unwrap();
        let button = scene.element("#b").await;
        let pressed = scene.page.press(Some(&button), &enter, &scene.clipboard, &terms(how)).await;
        for (what, acted) in [("typed", typed), ("chosen", chosen), ("pressed", pressed)] {
            let Err(ActError::Covered { by, .. }) = &acted else { panic!("{what}: {acted:?}") };
            assert!(by.contains("wall"), "{what}: {by}");
        }
        assert_eq!(scene.evaluate("`${i.value}${s.value}${log}`").await, "a");
        // What is drawn around a field, and what lets the pointer through, is no wall.
        for (before, after) in [
            ("<div style='position:fixed;inset:0'>", "<span style='position:absolute;inset:0'></span></div>"),
            ("", &*wall("pointer-events:none")),
            ("<label style='position:relative'>", "<b style='position:absolute;inset:0'></b></label>"),
        ] {
            scene.shows(&format!("{LOGS}{before}{form}{after}")).await;
            let typing = Typing { terms: terms(how), ..typing.clone() };
            scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
            scene.page.select(&scene.element("#s").await, &["b".to_owned()], &terms(how)).await.unwrap();
        }
    }
    scene.ends().await;
}

/// The same of fields in a frame: what stands before the frame stands before them.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_typed_chosen_or_pressed_in_a_frame_behind_what_stands_before_the_page() {
    let scene = Scene::open().await;
    let frame = "<iframe id=f srcdoc='<input id=i><input id=c type=color><select id=s><option>a<option>b</select><button id=b onclick=\"parent.note(`pressed`)\">Send</button>'></iframe>";
    let wall =
        |style: &str| format!("<div id=wall style='position:fixed;inset:0;background:#fffc;{style}'>Cookies?</div>");
    // Looked at once.
    let terms = |how| Terms { how, deadline: tokio::time::Instant::now(), ..ready() };
    let enter: Chord = "Enter".parse().unwrap();
    let inside = "(() => { const at = id => f.contentDocument.getElementById(id); return at('i').value + at('c').value + at('s').value + log })()";
    for how in [How::Input, How::DocumentFirst] {
        for (page, before) in [
            (format!("{frame}{}", wall("")), "wall"),
            (format!("{frame}<dialog id=wall>Cookies?</dialog><script>wall.showModal()</script>"), "wall"),
            (format!("<div id=around inert>{frame}</div>"), "around"),
        ] {
            scene.shows(&format!("{LOGS}{page}")).await;
            let [input, colour, select, button] = [
                scene.inner(&["#f", "#i"]).await,
                scene.inner(&["#f", "#c"]).await,
                scene.inner(&["#f", "#s"]).await,
                scene.inner(&["#f", "#b"]).await,
            ];
            let typing = |text: &str| Typing { terms: terms(how), ..typing(text) };
            for (what, acted) in [
                ("typed", scene.page.type_text(&input, &typing("text")).await),
                ("a colour", scene.page.type_text(&colour, &typing("#ff8800")).await),
                ("chosen", scene.page.select(&select, &["b".to_owned()], &terms(how)).await),
                ("pressed", scene.page.press(Some(&button), &enter, &scene.clipboard, &terms(how)).await),
            ] {
                let Err(ActError::Covered { by, .. }) = &acted else { panic!("{how:?} {before} {what}: {acted:?}") };
                assert!(by.contains(before), "{what}: {by}");
            }
            assert_eq!(scene.evaluate(inside).await, "#000000a", "{how:?} {before}");
        }
        // What lets the pointer through, what covers a part of the field, and a dialog that the frame is in.
        for page in [
            format!("{frame}{}", wall("pointer-events:none")),
            format!("{frame}{}", wall("left:60px;right:auto;width:40px")),
            format!("<dialog id=d>{frame}</dialog><script>d.showModal()</script>"),
        ] {
            scene.shows(&format!("{LOGS}{page}")).await;
            let typing = Typing { terms: Terms { how, ..ready() }, ..typing("text") };
            scene.page.type_text(&scene.inner(&["#f", "#i"]).await, &typing).await.unwrap();
            assert_eq!(scene.evaluate(inside).await, "text#000000a", "{how:?} {page}");
        }
    }
    scene.ends().await;
}
