//! Text and keys come to the element that was meant, or to none, wherever the page moves the focus.

use porthole_service::page::interact::{ActError, Click, Element, How, Terms, Typing};
use porthole_tests::site::SHOP;

use super::scene::{LOGS, Scene, briefly, in_document, ready, typing};
use crate::warned::Warned;

#[tokio::test(flavor = "multi_thread")]
async fn a_text_comes_to_no_other_field() {
    let scene = Scene::showing(
        "<input id=a type=password><input id=b><div id=c contenteditable>x</div><iframe id=f srcdoc='<input id=i>'></iframe>
        <script>let to = () => b; a.onfocus = () => setTimeout(() => to().focus());
        const all = () => [a.value, b.value, c.textContent, f.contentDocument.querySelector('#i').value].join()</script>",
    )
    .await;
    let field = scene.element("#a").await;
    for (to, named) in [("b", "\"b\""), ("c", "\"c\""), ("f.contentDocument.querySelector('#i')", "another frame")] {
        scene.evaluate(&format!("to = () => {to}; document.activeElement.blur()")).await;
        for slowly in [false, true] {
            let typing = Typing { submit: true, slowly, terms: briefly(), ..typing("hunter2!") };
            let typed = scene.page.type_text(&field, &typing).await;
            let left = scene.evaluate("all()").await;
            // The focus may go too late to matter, or in the middle.
            let (field, others) = left.as_str().unwrap().split_once(',').unwrap();
            assert!(others == ",x," && "hunter2!".starts_with(field), "{to}: {left} {typed:?}");
            if left == ",,x," {
                let ActError::NoEffect(why) = typed.unwrap_err() else { panic!("{to}") };
                assert!(
                    why.contains("the focus moved") && why.contains(named) || why.contains("takes no focus"),
                    "{why}"
                );
            }
            scene.evaluate("a.value = ''").await;
        }
    }
    scene.ends().await;
}

/// As a search field that opens a dialog with the real one.
#[tokio::test(flavor = "multi_thread")]
async fn what_has_the_focus_instead_of_a_field_is_told() {
    let scene = Scene::showing("<input id=a onfocus='b.focus()'><input id=b>").await;
    let typed = scene.types("#a", "shoes").await.unwrap_err().to_string();
    let pressed = scene.press(Some("#a"), "Enter").await.unwrap_err().to_string();
    for told in [typed, pressed] {
        assert!(told.contains("<input id=\"a\"> takes no focus: <input id=\"b\"> has it"), "{told}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_comes_to_no_field_of_another_origin() {
    let scene = Scene::open().await;
    let leaf = scene.site.html(
        "<input id=i autofocus oninput='parent.postMessage(this.value, `*`)'>
        <script>onmessage = () => i.focus()</script>",
    );
    let leaf = scene.site.under_name(&leaf, SHOP);
    scene
        .shows(&format!(
            "{LOGS}<input id=a><iframe id=f src='{leaf}'></iframe><script>onmessage = e => note(e.data);
            a.onfocus = () => f.contentWindow.postMessage(1, '*')</script>"
        ))
        .await;
    for _ in 0..3 {
        let typing = Typing { terms: briefly(), ..typing("secret") };
        let _ = scene.page.type_text(&scene.element("#a").await, &typing).await;
        scene.evaluate("new Promise(done => setTimeout(done, 50))").await;
        assert_eq!(scene.log().await, "");
        scene.evaluate("a.value = ''; a.blur()").await;
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_slowly_stops_where_the_focus_goes_on() {
    let scene = Scene::showing(
        "<input id=a><input id=b><input id=c><script>a.oninput = () => { if (a.value.length > 1) b.focus() }</script>",
    )
    .await;
    let field = scene.element("#a").await;
    let slowly = Typing { slowly: true, submit: true, ..typing("123456") };
    let acted = scene.page.type_text(&field, &slowly).await.unwrap();
    assert_eq!(scene.evaluate("[a.value, b.value].join()").await, "12,");
    assert!(acted.typed.as_ref().unwrap().differs);
    let warnings = acted.warned().join("\n");
    assert!(warnings.contains("focus_moved: the focus moved to <input id=\"b\"> after 2 of 6"), "{warnings}");
    assert!(warnings.contains("not_submitted"), "{warnings}");

    // Where it goes on with the last character, all is typed, and Enter comes to the field.
    scene.evaluate("a.value = ''; a.onkeydown = e => { if (e.key == 'Enter') c.value = 'sent' }").await;
    let acted = scene.page.type_text(&field, &Typing { text: "12".into(), ..slowly }).await.unwrap();
    assert_eq!(scene.evaluate("[a.value, b.value, c.value].join()").await, "12,,sent");
    assert_eq!(acted.warned(), Vec::<String>::new());
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_comes_to_no_other_element() {
    let scene = Scene::showing(&format!(
        "{LOGS}<button id=safe onclick='note(`safe`)'>s</button><button id=del onclick='note(`del`)'>d</button>
        <script>safe.onfocus = () => setTimeout(() => del.focus());
        for (const type of ['keydown', 'keypress', 'keyup']) del.addEventListener(type, () => note(type))</script>"
    ))
    .await;
    let safe = scene.element("#safe").await;
    let pressed = scene.page.press(Some(&safe), &"Enter".parse().unwrap(), &scene.clipboard, &briefly()).await;
    let log = scene.log().await;
    match pressed {
        // Pressed before the focus went; a key that went down comes up wherever the focus is then.
        Ok(_) => assert!(["safe", "safe,keyup"].contains(&log.as_str()), "{log}"),
        Err(ActError::NoEffect(why)) => {
            assert_eq!(log, "", "{why}");
            assert!(why.contains("\"del\""), "{why}");
        }
        Err(error) => panic!("{error:?}"),
    }
    // Moved at once, by the press itself, and in the document.
    scene.evaluate("log = []; safe.onfocus = null; safe.onkeydown = () => del.focus()").await;
    scene.page.press(Some(&safe), &"Enter".parse().unwrap(), &scene.clipboard, &briefly()).await.unwrap();
    assert!(!scene.log().await.contains("del"), "{}", scene.log().await);
    scene
        .evaluate("log = []; safe.onkeydown = null; document.activeElement.blur(); safe.onfocus = () => del.focus()")
        .await;
    let terms = in_document();
    let pressed = scene.page.press(Some(&safe), &"Enter".parse().unwrap(), &scene.clipboard, &terms).await;
    assert!(matches!(pressed, Err(ActError::NoEffect(_))), "{pressed:?}");
    assert_eq!(scene.log().await, "");
    // What is copied is not inserted elsewhere.
    scene.clipboard.set("copied".to_owned());
    scene.shows("<input id=a><input id=b><script>a.onfocus = () => setTimeout(() => b.focus())</script>").await;
    let field = scene.element("#a").await;
    let _ = scene.page.press(Some(&field), &"Control+V".parse().unwrap(), &scene.clipboard, &briefly()).await;
    assert_eq!(scene.evaluate("b.value").await, "");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_move_the_focus_do_so() {
    let scene = Scene::showing(
        "<form onsubmit='document.title = `sent`; return false'><input id=a><input id=b></form><div id=host></div>
        <div contenteditable id=c><p id=p>x</p></div><script>const root = host.attachShadow({mode: 'closed'});
        root.innerHTML = '<input>'; a.onkeydown = e => { if (e.key == 'ArrowDown') b.focus() };
        b.onkeyup = e => { document.title = e.key }</script>",
    )
    .await;
    scene.press(Some("#a"), "Tab").await.unwrap();
    assert_eq!(scene.evaluate("document.activeElement.id + document.title").await, "bTab");
    scene.press(Some("#a"), "ArrowDown").await.unwrap();
    assert_eq!(scene.evaluate("document.activeElement.id + document.title").await, "bArrowDown");
    let acted = scene.page.type_text(&scene.element("#p").await, &typing("one\ntwo")).await;
    acted.unwrap();
    assert!(scene.evaluate("c.innerText").await.as_str().unwrap().contains("two"));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_leaves_gets_no_more() {
    let scene = Scene::showing(&format!(
        "{LOGS}<input id=a oninput='this.remove()'><input id=r onfocus='this.outerHTML=`<input id=r2>`'><input id=d>
        <script>addEventListener('keydown', e => note(e.key)); d.onfocus = () => alert('first')</script>"
    ))
    .await;
    let slowly = Typing { slowly: true, ..typing("abc") };
    let acted = scene.page.type_text(&scene.element("#a").await, &slowly).await.unwrap();
    assert_eq!(scene.log().await, "a");
    assert!(acted.warned().join("").contains("focus_moved"), "{acted:?}");

    // Replaced as it gets the focus.
    for text in ["one", "two"] {
        let Ok(field) = Element::first(&scene.page, &scene.main().await, "#r").await else { break };
        let typed = scene.page.type_text(&field, &Typing { terms: briefly(), ..typing(text) }).await;
        assert!(matches!(typed, Err(ActError::NoEffect(_) | ActError::NotFound(_))), "{typed:?}");
    }
    // A dialog that comes with the focus comes before the text.
    let typed = scene.page.type_text(&scene.element("#d").await, &typing("text")).await;
    assert!(matches!(typed, Err(ActError::Dialog(_))), "{typed:?}");
    scene.page.answer_dialog(true, None).await.unwrap();
    scene.ends().await;
}

/// A press on what takes no focus takes it from what has it, unless the page prevents that.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_takes_the_focus_from_what_had_it() {
    let page = format!(
        "{LOGS}<input id=i onblur='note(`left`)'><div id=d onclick='note(`done`)'>Done</div>
        <div id=k onmousedown='event.preventDefault()' onclick='note(`kept`)'>Keep</div><div id=o style='padding:30px' onclick='note(`around`)'><input id=j onblur='note(`left`)'></div>"
    );
    for how in [How::Input, How::DocumentFirst] {
        let scene = Scene::showing(&page).await;
        for (focused, clicked, log) in [("i", "#d", "left,done"), ("i", "#k", "kept"), ("j", "#o", "left,around")] {
            scene.evaluate(&format!("{focused}.focus(); log = []")).await;
            let terms = Terms { how, ..ready() };
            scene.page.click(&scene.element(clicked).await, &Click::once(terms)).await.unwrap();
            assert_eq!(scene.log().await, log, "{how:?} {clicked}");
        }
        scene.ends().await;
    }
}
