//! Keys, and a clipboard that belongs to the session.

use porthole_service::page::interact::{
    ActError, Button, Chord, Click, Clipboard, How, Refs, SnapshotOptions, Terms, Typing,
};

use super::scene::{LOGS, Scene, briefly, in_document, ready, typing};
use crate::warned::{NO_CHANGE, Warned};

#[tokio::test(flavor = "multi_thread")]
async fn keys_do_what_they_do_in_a_browser() {
    let scene = Scene::showing(
        "<input id=i value=abc><input id=j><button id=b onclick='log.push(`clicked`)'>b</button><textarea id=t>one two</textarea>
        <script>const log = []; addEventListener('keydown', e => log.push(e.key + ' ' + e.code + (e.ctrlKey ? ' ctrl' : '')))</script>",
    )
    .await;
    scene.press(Some("#i"), "Control+A").await.unwrap();
    assert_eq!(scene.log().await, "Control ControlLeft ctrl,a KeyA ctrl");
    scene.press(None, "x").await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "x", "all was selected");
    scene.press(None, "Shift+a").await.unwrap();
    scene.press(None, "Space").await.unwrap();
    scene.press(None, "+").await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "xA +");
    scene.press(None, "Backspace").await.unwrap();
    scene.press(None, "Home").await.unwrap();
    scene.press(None, "Delete").await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "A ");
    scene.press(None, "Tab").await.unwrap();
    assert_eq!(scene.evaluate("document.activeElement.id").await, "j");
    scene.press(Some("#b"), "Enter").await.unwrap();
    assert!(scene.log().await.ends_with("clicked"));
    scene.press(Some("#t"), "End").await.unwrap();
    scene.press(None, "Control+Shift+ArrowLeft").await.unwrap();
    assert_eq!(scene.evaluate("t.value.slice(t.selectionStart, t.selectionEnd)").await, "two");
    scene.press(None, "Enter").await.unwrap();
    assert_eq!(scene.evaluate("t.value").await, "one \n");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_changes_nothing_is_told() {
    let scene = Scene::showing(
        "<input id=i value=abc><input id=j><button accesskey=s>Save</button><select id=s><option>a<option>b</select>
        <form><input id=f><input><button disabled>Send</button></form>
        <form id=silent onsubmit='return false'><input id=g></form><a id=a tabindex=0>here</a>
        <script>a.onkeydown = (event) => { if (event.key === 'x') a.append(1) }</script>",
    )
    .await;
    for (target, key, is_told) in [
        (Some("#i"), "F2", true),
        (None, "Alt+s", true),
        (None, "Escape", true),
        (None, "End", false),
        (None, "Shift+ArrowLeft", false),
        (None, "q", false),
        (None, "Enter", true),
        (None, "Tab", false),
        (Some("#s"), "ArrowDown", false),
        (Some("#f"), "Enter", true),
        (Some("#g"), "Enter", false),
        (Some("#a"), "y", true),
        (Some("#a"), "x", false),
    ] {
        let acted = scene.press(target, key).await.unwrap();
        let told = acted.warned().iter().any(|warning| warning == NO_CHANGE);
        assert_eq!(told, is_told, "{key} on {target:?}: {acted:?}");
    }
    for (field, is_told) in [("#j", true), ("#f", true), ("#g", false)] {
        for slowly in [false, true] {
            let typing = Typing { submit: true, slowly, ..typing("text") };
            let acted = scene.page.type_text(&scene.element(field).await, &typing).await.unwrap();
            let told = acted.warned().iter().any(|warning| warning.starts_with("no_change: Enter was pressed"));
            assert_eq!(told, is_told, "{field}: {acted:?}");
        }
    }
    // The field that loses the focus tells of its text; a click on nothing else does no more for that.
    scene.shows("<input id=i><button id=b>Go</button>").await;
    scene.page.type_text(&scene.element("#i").await, &typing("text")).await.unwrap();
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.warned().iter().any(|warning| warning == NO_CHANGE), "{acted:?}");
    scene.shows("<canvas></canvas>").await;
    assert_eq!(scene.press(None, "x").await.unwrap().warned(), [""; 0]);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_pressed_once_however_it_comes() {
    for how in [How::Input, How::DocumentFirst, How::DocumentOnly] {
        let scene = Scene::showing(
            "<form onsubmit='log.push(`sent`);return false'><input id=i onkeydown='log.push(event.key)'><button>send</button></form>
            <script>const log = []</script>",
        )
        .await;
        let element = scene.element("#i").await;
        let terms = Terms { how, ..ready() };
        for key in ["x", "Enter"] {
            let chord = key.parse().unwrap();
            scene.page.press(Some(&element), &chord, &scene.clipboard, &terms).await.unwrap();
        }
        assert_eq!(scene.log().await, "x,Enter,sent", "{how:?}");
        assert_eq!(scene.evaluate("i.value").await, "x", "{how:?}");
        let typing = Typing { submit: true, terms, ..typing("typed") };
        scene.page.type_text(&element, &typing).await.unwrap();
        assert_eq!(scene.log().await, "x,Enter,sent,Enter,sent", "{how:?}");
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clipboard_is_the_sessions_own() {
    let mut scene = Scene::showing(
        "<input id=i value=secret><input id=j><div id=c contenteditable>editable</div><script>const log = [];
        for (const type of ['copy', 'cut', 'paste']) addEventListener(type, e => log.push(type + (e.isTrusted ? ' trusted' : '')))</script>",
    )
    .await;
    scene.press(Some("#i"), "Control+A").await.unwrap();
    scene.press(None, "Control+C").await.unwrap();
    assert_eq!(scene.clipboard.get(), "secret");
    scene.press(Some("#j"), "Control+V").await.unwrap();
    assert_eq!(scene.evaluate("j.value").await, "secret");
    scene.press(Some("#i"), "Control+A").await.unwrap();
    scene.press(None, "Control+X").await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "");
    scene.press(Some("#c"), "Control+A").await.unwrap();
    scene.press(None, "Control+V").await.unwrap();
    assert_eq!(scene.evaluate("c.textContent").await, "secret");
    assert_eq!(scene.log().await, "copy,paste,cut,paste", "the browser's own clipboard is not used");
    // The selection, which a middle click pastes in some windows, is shared by all contexts as well.
    scene.evaluate("log.length = 0; j.value = ''; getSelection().removeAllRanges()").await;
    scene.evaluate("i.value = 'selected'").await;
    scene.press(Some("#i"), "Control+A").await.unwrap();
    let middle = Click { button: Button::Middle, ..Click::once(ready()) };
    scene.page.click(&scene.element("#j").await, &middle).await.unwrap();
    assert_eq!(scene.evaluate("j.value").await, "");
    assert_eq!(scene.log().await, "");
    scene.evaluate("j.value = 'secret'").await;
    scene.clipboard = Clipboard::default();
    scene.press(Some("#j"), "Control+A").await.unwrap();
    scene.press(None, "Shift+Insert").await.unwrap();
    assert_eq!(scene.evaluate("j.value").await, "secret", "another session's clipboard is empty");
    scene.ends().await;
}

/// A grid takes the key for itself and copies from a field of its own.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_copies_by_itself_is_in_the_sessions_clipboard() {
    let copies = |how: &str| {
        format!(
            "<div id=g tabindex=0>Cell</div><input id=i><textarea id=t style='position:fixed;left:-999px'></textarea>
            <script>g.onkeydown = e => {{ if (!e.ctrlKey || e.key.toLowerCase() != 'c') return; e.preventDefault(); {how} }}</script>"
        )
    };
    let mut scene = Scene::open().await;
    for (how, copied) in [
        ("t.value = 'from the grid'; t.select(); document.execCommand('copy')", "from the grid"),
        (
            "document.addEventListener('copy', c => { c.preventDefault(); c.clipboardData.setData('text/plain', 'given') }, { once: true }); document.execCommand('copy')",
            "given",
        ),
        ("", "before"),
    ] {
        scene.shows(&copies(how)).await;
        scene.clipboard = Clipboard::default();
        scene.clipboard.set("before".to_owned());
        // A person's press, without which the browser copies nothing.
        scene.click("#g").await.unwrap();
        scene.press(None, "Control+C").await.unwrap();
        assert_eq!(scene.clipboard.get(), copied, "{how}");
        scene.press(Some("#i"), "Control+V").await.unwrap();
        assert_eq!(scene.evaluate("i.value").await, copied, "{how}");
    }
    scene.ends().await;
}

/// Enter acts with `keypress`, the space bar with `keyup`: a button that was renamed until then is not pressed.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_renamed_as_its_key_goes_down_is_not_pressed() {
    let scene = Scene::open().await;
    for key in ["Enter", "Space"] {
        for (renames, presses) in [("a.textContent = 'Delete'", false), ("a.append(' (Ctrl+S)')", true)] {
            scene
                .shows(&format!(
                    "{LOGS}<button id=a>Save</button><script>a.onclick = () => note('clicked'); a.onkeydown = () => {{ {renames} }}</script>"
                ))
                .await;
            let element =
                scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("Save")).await;
            let chord: Chord = key.parse().unwrap();
            let pressed = scene.page.press(Some(&element), &chord, &scene.clipboard, &ready()).await.unwrap();
            assert_eq!(scene.log().await, if presses { "clicked" } else { "" }, "{key:?} {renames}");
            assert_eq!(
                pressed.warned().iter().any(|warning| warning.starts_with("focus_moved")),
                !presses,
                "{pressed:?}"
            );
        }
    }
    scene.ends().await;
}

/// Nor is one that the page takes away or draws anew by then; one that goes by being pressed is no matter.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_taken_away_as_its_key_goes_down_is_told() {
    let scene = Scene::open().await;
    for key in ["Enter", "Space"] {
        for (handlers, presses) in [
            ("onkeydown='this.remove()'", false),
            ("onkeydown='w.innerHTML = w.innerHTML'", false),
            ("onclick='note(`clicked`); this.remove()'", true),
            ("onkeydown='event.preventDefault(); note(`clicked`)'", true),
            ("onkeydown='event.preventDefault(); note(`clicked`); this.remove()'", true),
        ] {
            scene.shows(&format!("{LOGS}<div id=w><button id=a {handlers}>Save</button></div>")).await;
            let pressed = scene.press(Some("#a"), key).await.unwrap();
            assert_eq!(scene.log().await, if presses { "clicked" } else { "" }, "{key} {handlers}");
            let is_told = pressed.warned().iter().any(|warning| warning.starts_with("focus_moved"));
            assert_eq!(is_told, !presses, "{key} {handlers}: {pressed:?}");
        }
    }
    scene.ends().await;
}

/// An option of a list may hold a field, and a card a box: a key is for what was meant, not for what is in it or around it.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_comes_to_what_takes_the_focus_itself() {
    let scene = Scene::open().await;
    let page = "<form onsubmit='note(`sent`);return false'><li id=o role=option tabindex=0 onkeydown='if (event.target === this) note(event.key)'>Milk <input id=q aria-label=Qty value=2></li></form>
        <div role=button id=card tabindex=0 onclick='note(`card`)' onkeydown='note(`card`)'>Plan
        <div role=checkbox id=c tabindex=0 aria-checked=false onkeydown='event.stopPropagation();note(`box` + event.code)' onclick='event.stopPropagation();note(`box`)'>Pick</div></div>
        <div id=w tabindex=0 onfocus='this.firstChild.focus()'><input id=x></div><div id=y><input id=z></div><div id=k role=combobox tabindex=-1><input id=v></div>";
    for how in [How::Input, How::DocumentOnly] {
        scene.shows(&format!("{LOGS}{page}")).await;
        let terms = || Terms { how, ..ready() };
        let press = async |id: &str, key: &str| {
            let element = scene.element(id).await;
            scene.page.press(Some(&element), &key.parse().unwrap(), &scene.clipboard, &terms()).await.map(drop)
        };
        scene.evaluate("q.focus()").await;
        let _ = press("#o", "Delete").await;
        let _ = press("#o", "Enter").await;
        let _ = press("#c", "Space").await;
        assert_eq!(scene.log().await, "Delete,Enter,boxSpace", "{how:?}");
        assert_eq!(scene.evaluate("q.value").await, "2", "{how:?}");
        // A wrapper that takes no focus, one that hands it on and one that is a field by its role are their fields.
        press("#w", "7").await.unwrap();
        press("#y", "8").await.unwrap();
        press("#k", "9").await.unwrap();
        assert_eq!(scene.evaluate("x.value + z.value + v.value").await, "789", "{how:?}");
        // What is around the box may be disabled or not: the box is what it says itself.
        for (card, is, enabled) in [("false", "true", false), ("true", "false", true)] {
            scene.evaluate(&format!("log = []; card.ariaDisabled = {card}; c.ariaDisabled = {is}")).await;
            let click = Click::once(Terms { how, ..briefly() });
            let clicked = scene.page.click(&scene.element("#c").await, &click).await;
            assert_eq!(!matches!(clicked, Err(ActError::NotEnabled(_))), enabled, "{how:?}: {clicked:?}");
            assert_eq!(scene.log().await, if enabled { "box" } else { "" }, "{how:?}: {clicked:?}");
        }
    }
    scene.ends().await;
}

/// Events alone do what the most usual keys do. What they don't do is not told as done.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_does_nothing_in_the_document_is_told() {
    let scene = Scene::showing(&format!(
        "{LOGS}<input id=i value=ab><input id=h onkeydown='if (event.key == `Delete`) note(value = ``)' value=cd><button id=b>b</button>"
    ))
    .await;
    let press = async |id: &str, key: &str| {
        let element = scene.element(id).await;
        scene.page.press(Some(&element), &key.parse().unwrap(), &scene.clipboard, &in_document()).await
    };
    for key in ["Backspace", "Control+A", "Home"] {
        let pressed = press("#i", key).await;
        assert!(matches!(&pressed, Err(ActError::NoEffect(why)) if why.contains("\"i\"")), "{key}: {pressed:?}");
    }
    assert_eq!(press("#i", "c").await.unwrap().warned(), Vec::<String>::new());
    assert_eq!(scene.evaluate("i.value.length").await, 3);
    // The page does it itself.
    assert_eq!(press("#h", "Delete").await.unwrap().warned(), Vec::<String>::new());
    assert_eq!(scene.evaluate("h.value").await, "");
    assert_eq!(press("#b", "Escape").await.unwrap().warned(), [NO_CHANGE]);
    scene.ends().await;
}

/// The body is what has the focus in a document that has none.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_comes_to_the_body_of_a_frame() {
    let scene =
        Scene::showing("<input autofocus><iframe id=f srcdoc='<body contenteditable>text</body>'></iframe>").await;
    let body = scene.inner(&["#f", "body"]).await;
    scene.page.press(Some(&body), &"x".parse().unwrap(), &scene.clipboard, &ready()).await.unwrap();
    assert_eq!(scene.evaluate("f.contentDocument.body.textContent.includes('x')").await, true);
    scene.ends().await;
}

/// Enter sends a text that was written over another one in its row, also in an editor, and a field that Enter takes away was sent.
#[tokio::test(flavor = "multi_thread")]
async fn enter_sends_what_was_written_in_a_row() {
    let scene = Scene::open().await;
    let item = |id: &str, invoice: &str, note: &str| {
        format!(
            "<li><b>{invoice}</b> <div role=textbox aria-label=Note contenteditable id={id} onkeydown='if (event.key == `Enter`) log.push(this.textContent)'>{note}</div><button>Save</button></li>"
        )
    };
    let rows =
        format!("<ul>{}{}</ul>", item("f", "Invoice 7 for Acme", "old note"), item("g", "Invoice 8 for Bolt", "other"));
    let cell = "<div id=b tabindex=0>Cell</div><input id=f aria-label=Name onkeydown='if (event.key == `Enter`) { log.push(this.value); this.remove(); b.focus() }'>";
    for page in [rows.as_str(), cell] {
        scene.shows(&format!("<script>const log = []</script>{page}")).await;
        let typing = Typing { submit: true, ..typing("Bob") };
        let acted = scene.page.type_text(&scene.element("#f").await, &typing).await.unwrap();
        assert_eq!(scene.log().await, "Bob", "{page}");
        assert!(!acted.warned().join("").contains("not_submitted"), "{page}: {acted:?}");
    }
    scene.ends().await;
}

/// As Quasar's: the part that takes the keys is another one than what says that it is a slider.
#[tokio::test(flavor = "multi_thread")]
async fn a_slider_gets_its_keys_where_a_part_of_it_has_the_focus() {
    let scene = Scene::showing(
        "<div role=slider id=s aria-valuenow=20><div tabindex=0 id=t style='width:100px;height:20px'></div></div><script>
        t.onkeydown = (event) => { if (event.key === 'ArrowRight') s.ariaValueNow = Number(s.ariaValueNow) + 1 }</script>",
    )
    .await;
    scene.press(Some("#s"), "ArrowRight").await.unwrap();
    assert_eq!(scene.evaluate("s.ariaValueNow").await, "21");
    scene.ends().await;
}
