//! Fields, choices and boxes that become something else by the events of the action on them.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Click, Element, How, Refs, SnapshotOptions, Terms, Typing, Wanted};

use crate::act::scene::{LOGS, Scene, briefly, ready, typing};
use crate::warned::Warned;

/// The element that a snapshot shows so, or that has this name.
async fn found(scene: &Scene, role: &str, name: &str, by_ref: bool) -> Element {
    if by_ref {
        let shows = format!("{role} \"{name}\"");
        let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
        return scene.by_ref(&mut Refs::default(), &options, |line| line.contains(&shows)).await;
    }
    let (value, name) = (role.to_owned(), Some(name.to_owned()));
    let wanted = Wanted { by: Some(TargetBy::Role), value, name, ..Wanted::default() };
    scene.page.locate(&wanted, ready().deadline).await.unwrap().element
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_renamed_by_its_own_events_is_not_checked() {
    let scene = Scene::open().await;
    for (document, role, name) in [
        (
            "<input type=checkbox id=c aria-label=News><script>c.onpointerdown = () => c.ariaLabel = 'Sell my data'</script>",
            "checkbox",
            "News",
        ),
        (
            "<input type=checkbox id=c aria-label=News><script>c.onmousedown = () => c.ariaLabel = 'Sell my data'</script>",
            "checkbox",
            "News",
        ),
        (
            "<input type=checkbox id=c aria-label=News><script>c.onfocus = () => c.ariaLabel = 'Sell my data'</script>",
            "checkbox",
            "News",
        ),
        (
            "<label><input type=radio id=c> <span id=t>Free plan</span></label><script>c.onpointerdown = () => t.textContent = 'Paid plan'</script>",
            "radio",
            "Free plan",
        ),
        (
            "<label><input type=radio id=c> <span id=t>Free plan</span></label><script>c.onfocus = () => t.textContent = 'Paid plan'</script>",
            "radio",
            "Free plan",
        ),
    ] {
        for by_ref in [true, false] {
            for how in [How::DocumentFirst, How::DocumentOnly, How::Input] {
                scene.shows(document).await;
                let element = found(&scene, role, name, by_ref).await;
                let checked = scene.page.check(&element, true, &Terms { how, ..briefly() }).await;
                assert_eq!(scene.evaluate("c.checked").await, false, "{document} {how:?} {by_ref}: {checked:?}");
                let is_told = checked.as_ref().map_or(true, |acted| acted.warned().join("").contains("click_lost"));
                assert!(is_told, "{document} {how:?} {by_ref}: {checked:?}");
            }
        }
    }
    // A box says the same as before, perhaps with more words.
    scene.shows("<label id=l><input type=checkbox id=c> <span id=t>News</span></label><script>c.onfocus = () => t.textContent = 'News (weekly)'</script>").await;
    for by_ref in [true, false] {
        scene.evaluate("c.checked = false; t.textContent = 'News'; c.blur()").await;
        let element = found(&scene, "checkbox", "News", by_ref).await;
        scene.page.check(&element, true, &Terms { how: How::DocumentFirst, ..briefly() }).await.unwrap();
        assert_eq!(scene.evaluate("c.checked").await, true);
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_its_own_focus_renames_gets_no_text() {
    let scene = Scene::open().await;
    for renames in [
        "a.onfocus = () => { a.ariaLabel = 'Public post' }",
        "a.onfocus = () => { a.type = 'password'; a.ariaLabel = 'Bank' }",
        "a.onfocus = () => Promise.resolve().then(() => { a.ariaLabel = 'Public post' })",
    ] {
        for by_ref in [true, false] {
            for (how, slowly) in [(How::Input, false), (How::Input, true), (How::DocumentFirst, false)] {
                scene.shows(&format!("<input id=a aria-label=Alpha><script>{renames}</script>")).await;
                let field = found(&scene, "textbox", "Alpha", by_ref).await;
                let terms = Terms { how, ..briefly() };
                let typed = scene.page.type_text(&field, &Typing { slowly, terms, ..typing("text") }).await;
                assert_eq!(scene.evaluate("a.value").await, "", "{renames} {how:?}: {typed:?}");
                let is_right = if by_ref { matches!(typed, Err(ActError::Stale(_))) } else { typed.is_err() };
                assert!(is_right, "{renames} {how:?} {by_ref}: {typed:?}");
            }
        }
    }
    scene.shows("<select id=s aria-label=Ship><option>A<option>B</select><script>s.onfocus = () => { s.ariaLabel = 'Pay with' }</script>").await;
    let select = found(&scene, "combobox", "Ship", true).await;
    let chosen = scene.page.select(&select, &["B".to_owned()], &briefly()).await;
    assert!(matches!(chosen, Err(ActError::Stale(_))), "{chosen:?}");
    assert_eq!(scene.evaluate("s.value").await, "A");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_its_focus_dresses_up_gets_its_text() {
    let scene = Scene::open().await;
    for (document, name) in [
        ("<input id=a placeholder=Search><script>a.onfocus = () => { a.placeholder = 'Try shoes' }</script>", "Search"),
        ("<input id=a placeholder=Search><script>a.onfocus = () => { a.placeholder = '' }</script>", "Search"),
        (
            "<label><span id=t>Email</span> <input id=a></label><script>a.onfocus = () => { t.textContent = 'Email *' }</script>",
            "Email",
        ),
        (
            "<label><span id=t>Message</span> <input id=a></label><script>a.onfocus = () => { t.textContent = 'Message (0/140)' }; a.oninput = () => { t.textContent = `Message (${a.value.length}/140)` }</script>",
            "Message",
        ),
        (
            "<label><span id=t>Message 0/140</span> <input id=a></label><script>a.oninput = () => { t.textContent = `Message ${a.value.length}/140` }</script>",
            "Message 0/140",
        ),
        ("<input id=a aria-label=Pin><script>a.onfocus = () => { a.type = 'password' }</script>", "Pin"),
        (
            "<input id=a aria-label=City><script>a.onfocus = () => { a.setAttribute('role', 'combobox') }</script>",
            "City",
        ),
        // A date picker tells what its keys do while it is open.
        (
            "<label for=a>Day</label><input id=a><script>a.onfocus = () => { a.ariaLabel = 'Use the arrow keys to pick a date' }; a.onblur = () => { a.ariaLabel = null }</script>",
            "Day",
        ),
    ] {
        for by_ref in [true, false] {
            for (how, slowly) in [(How::Input, false), (How::Input, true), (How::DocumentFirst, false)] {
                scene.shows(document).await;
                let field = found(&scene, "textbox", name, by_ref).await;
                let terms = Terms { how, ..briefly() };
                let typed =
                    scene.page.type_text(&field, &Typing { slowly, submit: true, terms, ..typing("text") }).await;
                assert_eq!(scene.evaluate("a.value").await, "text", "{document} {how:?}: {typed:?}");
                let mut warnings = typed.unwrap().warned();
                // Enter does nothing where there is no form.
                warnings.retain(|warning| !warning.starts_with("no_change"));
                assert_eq!(warnings, Vec::<String>::new(), "{document} {how:?}");
            }
        }
    }
    // A click on it is not lost either.
    for how in [How::Input, How::DocumentFirst] {
        scene.shows("<label for=a>Day</label><input id=a><script>a.onfocus = () => { a.ariaLabel = 'Use the arrow keys' }; a.onclick = () => { document.title = 'open' }</script>").await;
        let field = found(&scene, "textbox", "Day", true).await;
        let terms = Terms { how, ..briefly() };
        let clicked = scene.page.click(&field, &Click::once(terms)).await.unwrap();
        assert_eq!((scene.evaluate("document.title").await, clicked.warned()), ("open".into(), Vec::new()), "{how:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_that_is_relabelled_as_it_is_chosen_is_told() {
    let scene = Scene::open().await;
    for relabels in ["s.options[1].textContent = 'Delete'", "s.options[1].value = 'delete'"] {
        scene.shows(&format!("{LOGS}<select id=s aria-label=Size><option value=1>Small<option value=2>Large</select><script>s.onchange = () => {{ {relabels} }}</script>")).await;
        let chosen = scene.page.select(&scene.element("#s").await, &["Large".to_owned()], &briefly()).await;
        assert!(matches!(chosen, Err(ActError::NoEffect(_))), "{relabels}: {chosen:?}");
    }
    scene.shows("<select id=s aria-label=Size><option value=1>Small<option value=2>Large</select><script>s.onchange = () => { s.options[1].textContent = 'Large (chosen)' }</script>").await;
    scene.page.select(&scene.element("#s").await, &["Large".to_owned()], &briefly()).await.unwrap();
    scene.ends().await;
}
