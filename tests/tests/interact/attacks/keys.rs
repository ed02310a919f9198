//! Keys whose page moves the focus as they go down, and what is said of those that were stopped.

use porthole_service::page::interact::{ActError, Fate, Refs, SnapshotOptions, Stale, Typing};

use crate::act::scene::{LOGS, Scene, briefly, typing};
use crate::warned::Warned;

async fn presses(scene: &Scene, shows: &str, key: &str) -> Result<Vec<String>, ActError> {
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    let element = scene.by_ref(&mut Refs::default(), &options, |line| line.contains(shows)).await;
    let pressed = scene.page.press(Some(&element), &key.parse().unwrap(), &scene.clipboard, &briefly()).await;
    pressed.map(|acted| acted.warned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_types_where_its_page_puts_the_focus() {
    let scene = Scene::open().await;
    for (document, shows) in [
        (
            "<div id=cell role=gridcell tabindex=0 aria-label=A1>v</div><input id=ed aria-label=Editor><script>cell.onkeydown = e => { if (e.key.length == 1) { ed.value = ''; ed.focus() } }</script>",
            "A1",
        ),
        (
            "<button id=g>Some button</button><input id=ed aria-label=Finder><script>addEventListener('keydown', e => { if (e.target !== ed && e.key.length == 1) ed.focus() })</script>",
            "Some button",
        ),
    ] {
        scene.shows(document).await;
        let warnings = presses(&scene, shows, "7").await.unwrap();
        assert_eq!(scene.evaluate("ed.value").await, "7", "{warnings:?}");
        assert!(warnings.join("").contains("focus_moved") && warnings.join("").contains("\"ed\""), "{warnings:?}");
    }
    // Not into a field whose text is hidden, nor in another frame; and nothing is chosen by it.
    for elsewhere in [
        "<input id=ed type=password><script>const value = () => ed.value</script>",
        "<select id=ed><option>6<option>7</select><script>const value = () => ed.value == 7 ? 'wrong' : ''</script>",
        "<iframe id=f srcdoc='<input id=ed>'></iframe><script>const value = () => f.contentDocument.body.firstChild.value; f.onload = () => globalThis.ed = f.contentDocument.body.firstChild</script>",
    ] {
        scene
            .shows(&format!(
                "<button id=g>Some button</button>{elsewhere}<script>g.onkeydown = () => ed.focus()</script>"
            ))
            .await;
        let warnings = presses(&scene, "Some button", "7").await.unwrap();
        assert_eq!(scene.evaluate("value()").await, "", "{elsewhere}");
        assert!(warnings.join("").contains("focus_moved"), "{elsewhere}: {warnings:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_whose_page_moves_the_focus_activates_nothing_else_and_says_so() {
    let scene = Scene::open().await;
    for moves in ["good.onkeydown = () => evil.focus()", "good.onkeydown = () => { good.remove(); evil.focus() }"] {
        for key in ["Enter", "Space"] {
            scene.shows(&format!("{LOGS}<button id=good onclick='note(`good`)'>Good</button><button id=evil onclick='note(`evil`)'>Evil</button><script>{moves}</script>")).await;
            let warnings = presses(&scene, "Good", key).await.unwrap();
            assert_eq!(scene.log().await, "", "{moves} {key}");
            assert!(
                warnings.join("").contains("focus_moved") && warnings.join("").contains("\"evil\""),
                "{moves} {key}: {warnings:?}"
            );
        }
    }
    for to in ["evil", "c"] {
        scene.shows(&format!("{LOGS}<input id=a aria-label=Alpha><button id=evil onclick='note(`evil`)'>Evil</button><form onsubmit='event.preventDefault();note(`sent`)'><input id=c value=c></form><script>a.onkeydown = () => {to}.focus()</script>")).await;
        let acted =
            scene.page.type_text(&scene.element("#a").await, &Typing { submit: true, ..typing("text") }).await.unwrap();
        assert_eq!(scene.log().await, "", "{to}");
        assert!(acted.warned().join("").contains("not_submitted"), "{to}: {acted:?}");
    }
    // A field that takes Enter and leaves.
    scene
        .shows(&format!(
            "{LOGS}<input id=a aria-label=Alpha onkeydown='if (event.key == `Enter`) {{ note(value); this.remove() }}'>"
        ))
        .await;
    let acted =
        scene.page.type_text(&scene.element("#a").await, &Typing { submit: true, ..typing("text") }).await.unwrap();
    assert_eq!((scene.log().await.as_str(), acted.warned()), ("text", Vec::new()));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_whose_element_leaves_on_focus_is_stale() {
    let scene = Scene::open().await;
    scene.shows("<input id=a aria-label=Alpha onfocus='this.outerHTML = `<input aria-label=Alpha>`'><button id=b onfocus='this.textContent = `Delete`'>Save</button>").await;
    let field = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("Alpha")).await;
    let typed = scene.page.type_text(&field, &Typing { terms: briefly(), ..typing("text") }).await;
    assert!(matches!(typed, Err(ActError::Stale(Stale { fate: Fate::Gone { .. }, .. }))), "{typed:?}");
    // Renamed: not the focus has moved.
    let pressed = presses(&scene, "Save", "Enter").await;
    assert!(matches!(pressed, Err(ActError::Stale(Stale { fate: Fate::Changed { .. }, .. }))), "{pressed:?}");
    scene.shows("<iframe id=f srcdoc='<input aria-label=Alpha onfocus=\"parent.f.remove()\">'></iframe>").await;
    let field = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("Alpha")).await;
    let typed = scene.page.type_text(&field, &Typing { terms: briefly(), ..typing("text") }).await;
    assert!(matches!(typed, Err(ActError::Stale(Stale { fate: Fate::Gone { .. }, .. }))), "{typed:?}");
    scene.ends().await;
}

/// A paragraph of an editor gets no focus of its own: the caret is in it before its key comes.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_for_a_part_of_an_editor_edits_that_part() {
    let scene = Scene::showing("<div id=e contenteditable><p id=one>One</p><p id=two>Two</p></div>").await;
    let text = "[...e.children].map(one => one.textContent).join('|')";
    let caret = async |part: &str, at: u8| {
        scene.evaluate(&format!("e.focus(); getSelection().collapse({part}.firstChild, {at})")).await;
    };
    caret("one", 3).await;
    scene.press(Some("#two"), "Backspace").await.unwrap();
    assert_eq!(scene.evaluate(text).await, "One|Tw");
    scene.evaluate("document.activeElement.blur()").await;
    scene.press(Some("#one"), "Backspace").await.unwrap();
    assert_eq!(scene.evaluate(text).await, "On|Tw");
    // Where it is in that part it stays.
    caret("two", 1).await;
    scene.press(Some("#two"), "Backspace").await.unwrap();
    assert_eq!(scene.evaluate(text).await, "On|w");
    // The whole editor keeps its caret.
    scene.press(Some("#e"), "x").await.unwrap();
    assert_eq!(scene.evaluate(text).await, "On|xw");
    scene.ends().await;
}

/// An advertisement makes so many frames that not all of them can be told to hold their input.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_too_many_frames_gets_no_input() {
    let scene = Scene::showing(
        "<input id=f aria-label=Password><button id=b onclick='this.textContent = 1'>Go</button><script>
        const more = count => { while (count-- > 0) document.body.append(document.createElement('iframe')) }; more(310)</script>",
    )
    .await;
    let is_refused = |error: &ActError| matches!(error, ActError::DispatchFailed(_));
    let typed = scene.types("#f", "secret").await;
    assert!(typed.as_ref().is_err_and(is_refused), "{typed:?}");
    let pressed = scene.press(Some("#f"), "x").await;
    assert!(pressed.as_ref().is_err_and(is_refused), "{pressed:?}");
    let clicked = scene.click("#b").await;
    assert!(clicked.as_ref().is_err_and(is_refused), "{clicked:?}");
    assert_eq!(scene.evaluate("f.value + b.textContent").await, "Go");
    scene.evaluate("[...document.querySelectorAll('iframe')].slice(250).forEach(frame => frame.remove())").await;
    scene.types("#f", "secret").await.unwrap();
    scene.click("#b").await.unwrap();
    assert_eq!(scene.evaluate("f.value + b.textContent").await, "secret1");
    scene.ends().await;
}
