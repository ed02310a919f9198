//! Documents that leave while they are typed into: the next one gets nothing of what was meant for them.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Acted, Button, Click, Element, How, Point, Terms, Typing, Wanted};
use porthole_tests::Reply;
use porthole_tests::site::SHOP;

use crate::act::scene::{Scene, briefly, ready, typing};
use crate::warned::Warned;

/// The next document, whose title is what came to it.
const NEXT: &str = "<title></title><form onsubmit='return false'><input id=n autofocus></form><script>
    for (const type of ['keydown', 'input']) n.addEventListener(type, e => { document.title += e.key ?? n.value }); n.focus()</script>";

/// Leaves for `next` while the field `#a` is typed into.
const LEAVES: [&str; 5] = [
    "a.oninput = () => { go() }",
    "a.onkeydown = () => { go() }",
    "a.oninput = () => { if (a.value.length == 3) go() }",
    "a.onkeydown = () => { go(); for (const until = performance.now() + 150; performance.now() < until;); }",
    "a.onfocus = () => { go(); for (const until = performance.now() + 150; performance.now() < until;); }",
];

/// Fails, or tells that the rest was not typed, or that the text left with its field.
fn is_told(typed: &Result<Acted, ActError>) -> bool {
    match typed {
        Ok(acted) => acted.warned().iter().any(|one| one.starts_with("focus_moved") || one.starts_with("field_gone")),
        Err(error) => matches!(error, ActError::NoEffect(_) | ActError::NotFound(_) | ActError::Stale(_)),
    }
}

/// The field in the frame, once that is loaded.
async fn in_frame(scene: &Scene) -> Element {
    scene.evaluate("new Promise(done => f.loaded ? done() : f.addEventListener('load', () => done()))").await;
    scene.inner(&["#f", "#a"]).await
}

fn secret(slowly: bool) -> Typing {
    Typing { slowly, submit: true, ..typing("secretsecret") }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_document_gets_no_key_that_was_for_the_one_before() {
    let scene = Scene::open().await;
    for name in ["127.0.0.1", SHOP] {
        let next = scene.site.under_name(&scene.site.html(NEXT), name);
        for leaves in LEAVES {
            for slowly in [true, false] {
                let what = format!("{name} {leaves} {slowly}");
                scene
                    .shows(&format!("<input id=a value=old><script>let left = 0; const go = () => left++ || (location = '{next}'); {leaves}</script>"))
                    .await;
                let field = scene.element("#a").await;
                let typed = scene.page.type_text(&field, &secret(slowly)).await;
                scene.evaluate("new Promise(done => setTimeout(done, 30))").await;
                assert_eq!(scene.evaluate("document.title").await, "", "{what}: {typed:?}");
                if slowly {
                    assert!(is_told(&typed), "{what}: {typed:?}");
                }
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_document_gets_no_click_of_several_that_were_for_the_one_before() {
    let scene = Scene::open().await;
    let pay = "<title></title><button style='position:fixed;inset:0;width:100%;height:100%'>Pay now</button><script>
        for (const type of ['mousedown', 'click', 'dblclick']) addEventListener(type, () => { document.title += type })</script>";
    for name in ["127.0.0.1", SHOP] {
        let next = scene.site.under_name(&scene.site.html(pay), name);
        for leaves in ["onmousedown", "onclick", "onmouseup"] {
            for count in [2, 3] {
                let what = format!("{name} {leaves} {count}");
                scene
                    .shows(&format!(
                        "<button id=b>Edit</button><script>b.{leaves} = () => {{ location = '{next}' }}</script>"
                    ))
                    .await;
                let several = Click { count, ..Click::once(ready()) };
                let clicked = scene.page.click(&scene.element("#b").await, &several).await.unwrap();
                assert_eq!(scene.evaluate("document.title").await, "", "{what}: {clicked:?}");
                assert!(clicked.warned().iter().any(|one| one.starts_with("click_lost: ")), "{what}: {clicked:?}");
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_document_of_a_frame_gets_no_key_that_was_for_the_one_before() {
    for name in ["127.0.0.1", SHOP] {
        let scene = Scene::open().await;
        let next = scene
            .site
            .html(&format!("{NEXT}<script>setInterval(() => parent.postMessage(document.title, '*'), 5)</script>"));
        let next = scene.site.under_name(&next, name);
        for leaves in LEAVES {
            let card = scene.site.html(&format!(
                "<input id=a><script>let left = 0; const go = () => left++ || (location = '{next}'); {leaves}</script>"
            ));
            let card = scene.site.under_name(&card, name);
            scene
                .shows(&format!("<iframe id=f src='{card}' onload='this.loaded = 1'></iframe><p id=p></p><script>onmessage = e => {{ p.textContent = e.data }}</script>"))
                .await;
            let typed = scene.page.type_text(&in_frame(&scene).await, &secret(true)).await;
            scene.evaluate("new Promise(done => setTimeout(done, 60))").await;
            assert_eq!(scene.evaluate("p.textContent").await, "", "{name} {leaves}: {typed:?}");
            assert!(is_told(&typed), "{name} {leaves}: {typed:?}");
        }
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_leaves_with_its_field_is_told() {
    for name in ["127.0.0.1", SHOP] {
        let scene = Scene::open().await;
        let card = scene.site.html(
            "<input id=a><script>for (const type of ['focus', 'input']) a.addEventListener(type, () => parent.postMessage(type, '*'))</script>",
        );
        let card = scene.site.under_name(&card, name);
        for type_ in ["focus", "input"] {
            for leaves in ["f.remove()", "f.srcdoc = '<input id=n autofocus>'"] {
                for slowly in [true, false] {
                    scene
                        .shows(&format!("<iframe id=f src='{card}' onload='this.loaded = 1'></iframe><script>onmessage = e => {{ if (e.data == '{type_}') {{ {leaves} }} }}</script>"))
                        .await;
                    let field = in_frame(&scene).await;
                    let typing = Typing { terms: briefly(), ..secret(slowly) };
                    let typed = scene.page.type_text(&field, &typing).await;
                    assert!(is_told(&typed), "{name} {type_} {leaves} {slowly}: {typed:?}");
                }
            }
        }
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_stays_after_all_is_typed_into_to_the_end() {
    let scene = Scene::open().await;
    let nothing = scene.site.page(Reply::text("").status(204));
    let leaf = scene.site.html("leaf");
    for (stays, settles) in [
        (format!("a.oninput = () => {{ location = '{nothing}' }}"), true),
        ("a.oninput = () => { location.hash = a.value }".to_owned(), true),
        ("a.oninput = () => { history.pushState(1, '', '?q=' + a.value) }".to_owned(), true),
        (format!("a.oninput = () => {{ f.src = '{leaf}' }}"), true),
    ] {
        for slowly in [true, false] {
            scene.shows(&format!("<input id=a><iframe id=f></iframe><script>{stays}</script>")).await;
            let typing = Typing { slowly, ..typing("text") };
            let acted = scene.page.type_text(&scene.element("#a").await, &typing).await.unwrap();
            assert_eq!(acted.warned(), Vec::<String>::new(), "{stays} {slowly}");
            assert_eq!(acted.settled.settled, settles);
            assert_eq!(scene.evaluate("a.value").await, "text", "{stays} {slowly}");
        }
    }
    // A key in the document that comes after one that left is taken.
    let next = scene.site.html(NEXT);
    scene.shows(&format!("<input id=a oninput=\"location = '{next}'\">")).await;
    let _ = scene.page.type_text(&scene.element("#a").await, &secret(true)).await;
    scene.page.press(None, &"x".parse().unwrap(), &scene.clipboard, &ready()).await.unwrap();
    assert_eq!(scene.evaluate("n.value").await, "x");
    let field: Element = scene.element("#n").await;
    scene.page.type_text(&field, &Typing { slowly: true, ..typing("new") }).await.unwrap();
    assert_eq!(scene.evaluate("n.value").await, "new");
    scene.ends().await;
}

/// A document that leaves between the pointer's coming and the click gets no click, and none is told.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_whose_document_leaves_before_it_comes_is_told_as_lost() {
    let scene = Scene::open().await;
    let inner = "<button id=b style='position:fixed;inset:0;width:100%;height:100%'>Keep</button>";
    let leaves = [
        ("pointerover", "setTimeout(() => f.remove())"),
        ("pointerover", "setTimeout(() => { f.srcdoc = '<p>new' })"),
        ("pointerdown", "f.remove()"),
        ("mousedown", "f.remove()"),
        ("mousedown", "setTimeout(() => f.remove())"),
        ("pointerup", "f.remove()"),
        ("click", "f.remove()"),
        ("click", "setTimeout(() => f.remove())"),
    ];
    for how in [How::Input, How::DocumentFirst] {
        for (event, leave) in leaves {
            // Away from where the next page's frame will be.
            scene.page.hover_at(Point { x: 700.0, y: 500.0 }).await.unwrap();
            scene
                .shows(&format!(
                    "<iframe id=f srcdoc=\"{inner}\"></iframe><script>const log = []; f.onload = () => {{ f.onload = null; f.loaded = true;
                    for (const type of ['pointerdown', 'click']) f.contentDocument.addEventListener(type, () => log.push(type), true);
                    f.contentDocument.addEventListener('{event}', () => {{ {leave} }}, true) }}</script>"
                ))
                .await;
            scene.evaluate("new Promise(done => f.loaded ? done() : f.addEventListener('load', () => done()))").await;
            let button = scene.inner(&["#f", "#b"]).await;
            let terms = Terms { how, ..briefly() };
            let clicked = scene.page.click(&button, &Click::once(terms)).await;
            let is_told = match &clicked {
                Ok(acted) => acted.warned().iter().any(|one| one.starts_with("click_lost: ")),
                Err(error) => matches!(error, ActError::NotFound(_) | ActError::Stale(_)),
            };
            let has_clicked = scene.log().await.contains("click");
            assert_eq!(is_told, !has_clicked, "{how:?} {event} {leave}: {clicked:?}");
            assert!(has_clicked || event != "click", "{how:?} {leave}: {clicked:?}");
        }
    }
    scene.ends().await;
}

/// A button that opens a menu acts at its press: the document that leaves by that was clicked.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_leaves_by_the_menus_button_was_clicked() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene.page.hover_at(Point { x: 700.0, y: 500.0 }).await.unwrap();
        scene
            .shows("<iframe id=f srcdoc=\"<button id=b style='position:fixed;inset:0' oncontextmenu='parent.done()'>Keep</button>\" onload='f.loaded = true'></iframe>
                <script>const log = []; function done() { log.push('menu'); f.remove() }</script>")
            .await;
        scene.evaluate("new Promise(done => f.loaded ? done() : f.addEventListener('load', () => done()))").await;
        let button = scene.inner(&["#f", "#b"]).await;
        let click = Click { button: Button::Right, ..Click::once(Terms { how, ..briefly() }) };
        let acted = scene.page.click(&button, &click).await.unwrap();
        assert_eq!((scene.log().await.as_str(), acted.warned().len()), ("menu", 0), "{how:?} {acted:?}");
    }
    scene.ends().await;
}

/// What a page puts off by a promise until the button is let go comes before the click.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_a_promise_of_the_release_renames_is_not_clicked() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene
            .shows(
                "<button id=b>Archive</button><script>const log = []; b.onclick = () => log.push(b.textContent);
                b.onmouseup = () => Promise.resolve().then(() => { b.textContent = 'Delete all' })</script>",
            )
            .await;
        let wanted = Wanted { by: Some(TargetBy::Text), value: "Archive".to_owned(), ..Wanted::default() };
        let button = scene.page.locate(&wanted, ready().deadline).await.unwrap().element;
        let acted = scene.page.click(&button, &Click::once(Terms { how, ..briefly() })).await.unwrap();
        assert_eq!(scene.log().await, "", "{how:?}");
        assert!(acted.warned().join("").contains("click_lost"), "{how:?} {acted:?}");
    }
    scene.ends().await;
}
