//! Keys, and a clipboard that belongs to the session.

use porthole_service::page::interact::{Button, Chord, Click, Clipboard, How, Refs, SnapshotOptions, Terms, Typing};

use super::scene::{LOGS, Scene, ready, typing};

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
                pressed.warnings.iter().any(|warning| warning.starts_with("focus_moved")),
                !presses,
                "{pressed:?}"
            );
        }
    }
    scene.ends().await;
}
