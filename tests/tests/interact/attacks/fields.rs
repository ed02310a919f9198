//! Fields that swap, labels that go elsewhere, choices whose words cross.

use porthole_service::page::interact::{ActError, Click, How, Refs, SnapshotOptions, Terms, Typing};
use porthole_tests::eventually;
use tokio::time::Instant;

use crate::act::scene::{BRIEFLY, LOGS, Scene, ready, typing};
use crate::held_page::PATIENCE;
use crate::warned::Warned;

/// A label's field, another one, and what both and the rest of the page hold.
const FIELDS: &str = "<form id=f onsubmit='return false'><label id=l for=p>Password</label><input id=p type=password></form>
    <form id=g action=/elsewhere><input id=q name=q value=''></form><script>const held = () => [...document.querySelectorAll('input, [contenteditable]')]
    .filter(one => one.id != 'p' && one.id != 'l').map(one => one == document.body ? one.innerText.match('hunter') ?? '' : one.value ?? one.textContent).join('') + document.title</script>";

fn briefly(text: &str) -> Typing {
    Typing { terms: Terms::until(Instant::now() + BRIEFLY), ..typing(text) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_comes_to_its_field_or_to_none() {
    let scene = Scene::open().await;
    for swaps in [
        "p.onfocus = () => q.focus()",
        "p.onfocus = () => { l.htmlFor = 'q' }",
        "p.onfocus = () => { l.htmlFor = 'q'; q.focus() }",
        "p.onfocus = () => queueMicrotask(() => q.focus())",
        "p.onfocus = () => requestAnimationFrame(() => q.focus())",
        "p.onkeydown = () => q.focus()",
        "p.addEventListener('beforeinput', () => q.focus())",
        "p.addEventListener('beforeinput', () => { p.remove(); q.focus() })",
        "p.addEventListener('beforeinput', () => { q.type = 'password'; p.replaceWith(q); q.id = 'p2'; q.focus() })",
        "p.onfocus = () => { q.replaceWith(p.cloneNode()); p.remove() }",
        "p.onfocus = () => { const twin = document.createElement('input'); p.before(twin); twin.focus(); p.remove() }",
        "p.onselect = () => q.focus()",
        "document.addEventListener('selectionchange', () => q.focus())",
        "(function turn() { if (document.activeElement == p) q.focus(); requestAnimationFrame(turn) })()",
        "setInterval(() => document.activeElement == p && q.focus(), 1)",
        "p.onfocus = () => { f.inert = true; q.focus() }",
        "p.onfocus = () => { p.readOnly = true; q.focus() }",
        "p.onfocus = () => { p.disabled = true; q.focus() }",
        "p.onfocus = () => { const d = document.createElement('dialog'); d.append(q); document.body.append(d); d.showModal() }",
        "p.onfocus = () => { q.popover = 'manual'; q.autofocus = true; q.showPopover(); q.focus() }",
        "p.onfocus = () => { document.body.contentEditable = true; document.body.focus() }",
        "p.onfocus = () => { document.designMode = 'on'; p.blur() }",
        "p.onfocus = () => { const frame = document.createElement('iframe'); document.body.append(frame); frame.contentDocument.body.innerHTML = '<input oninput=\"parent.document.title = this.value\">'; frame.contentDocument.querySelector('input').focus() }",
        "const e = document.createElement('div'); e.contentEditable = true; document.body.append(e); p.onfocus = () => e.focus()",
        "HTMLElement.prototype.focus = () => q.focus(); Object.defineProperty(p, 'value', { get: () => 'hunter2!' })",
    ] {
        for (selector, slowly) in [("#p", false), ("#p", true), ("#l", false)] {
            scene.shows(&format!("{LOGS}{FIELDS}<script>{{ {swaps} }}</script>")).await;
            let field = scene.element(selector).await;
            let typed = scene.page.type_text(&field, &Typing { slowly, submit: true, ..briefly("hunter2!") }).await;
            scene.evaluate("new Promise(done => setTimeout(done, 30))").await;
            assert_eq!(scene.evaluate("held()").await, "", "{swaps} {slowly}: {typed:?}");
            assert_eq!(scene.evaluate("location.pathname.includes('elsewhere')").await, false, "{swaps}");
            match typed {
                Ok(acted) => {
                    let (told, typed) = (acted.warned().join(""), acted.typed);
                    assert!(typed.as_ref().is_none_or(|typed| typed.value.is_none()), "{swaps}: {typed:?}");
                    if !["focus_moved", "field_gone", "value_differs", "not_submitted"]
                        .iter()
                        .any(|code| told.contains(code))
                    {
                        let value =
                            scene
                            .evaluate("HTMLInputElement.prototype.__lookupGetter__('value').call(document.querySelector('#p') ?? q)")
                            .await;
                        assert_eq!(value, "hunter2!", "{swaps} {selector} {slowly}: {told}");
                    }
                }
                Err(ActError::NoEffect(_) | ActError::NotFound(_) | ActError::Covered { .. }) => {}
                Err(ActError::NotEditable(_) | ActError::NotEnabled(_)) => {}
                Err(error) => panic!("{swaps}: {error:?}"),
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_leaves_with_its_text_says_so() {
    let scene = Scene::showing("<input id=a oninput='this.outerHTML = `<input id=b>`'>").await;
    for how in [How::Input, How::DocumentFirst] {
        scene.evaluate("document.body.innerHTML = '<input id=a oninput=\"this.outerHTML = `<input id=b>`\">'").await;
        let terms = Terms { how, ..ready() };
        let acted =
            scene.page.type_text(&scene.element("#a").await, &Typing { terms, ..typing("text") }).await.unwrap();
        assert!(acted.warned().join("").contains("field_gone: <input id=\"a\">"), "{how:?} {acted:?}");
        assert_eq!(acted.typed, None);
    }
    // What is shown of a password by another field is not told.
    scene
        .shows("<label id=l for=a>Name</label><input id=a><input id=s type=password value=secret><script>a.oninput = () => { l.htmlFor = 's' }</script>")
        .await;
    let acted = scene.types("#l", "Ada").await.unwrap();
    assert_eq!(acted.typed.unwrap().value.as_deref(), Some("Ada"));
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_is_looked_at_where_it_was_set() {
    let scene = Scene::open().await;
    for (swaps, boxes) in [
        ("l.onclick = () => { l.htmlFor = 'd' }", "<input type=checkbox id=c onclick='event.preventDefault()'>"),
        ("l.addEventListener('click', () => { l.htmlFor = 'd' }, true)", "<input type=checkbox id=c>"),
        ("l.onpointerdown = () => { l.htmlFor = 'd' }", "<input type=checkbox id=c>"),
        ("l.onclick = () => { c.id = 'x'; d.id = 'c' }", "<input type=checkbox id=c onclick='event.preventDefault()'>"),
        ("c.onchange = () => { c.checked = false }", "<input type=checkbox id=c>"),
        ("c.onclick = () => requestAnimationFrame(() => { c.checked = false })", "<input type=checkbox id=c>"),
    ] {
        for how in [How::Input, How::DocumentFirst] {
            scene
                .shows(&format!("<label id=l for=c>Agree</label>{boxes}<input type=checkbox id=d checked><script>const first = c; {swaps}</script>"))
                .await;
            let terms = Terms { how, ..Terms::until(Instant::now() + BRIEFLY) };
            let checked = scene.page.check(&scene.element("#l").await, true, &terms).await;
            let (is, other) = (
                scene.evaluate("first.checked").await,
                scene.evaluate("document.querySelectorAll('input')[1].checked").await,
            );
            assert_eq!(other, true, "{swaps}");
            assert_eq!(checked.is_ok(), is == true, "{swaps} {how:?}: {checked:?}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_is_the_one_that_is_seen() {
    let scene = Scene::showing(
        "<select id=s><option value=none>-<option value='Cancel my plan'>Keep my plan<option value='Keep my plan'>Cancel my plan</select>
        <select id=n><option value=1>one<option value=2>two</select>
        <select id=g><optgroup hidden><option value=1>Springfield</optgroup><option value=2>Springfield<option value=3 style='display:none'>Shelbyville</select>",
    )
    .await;
    let chooses = async |selector: &str, value: &str| {
        scene.page.select(&scene.element(selector).await, &[value.to_owned()], &ready()).await.unwrap();
        scene.evaluate(&format!("document.querySelector('{selector}').selectedOptions[0].text")).await
    };
    assert_eq!(chooses("#s", "Keep my plan").await, "Keep my plan");
    assert_eq!(chooses("#s", "Cancel my plan").await, "Cancel my plan");
    assert_eq!(chooses("#n", "2").await, "two");
    // What a list does not show is neither chosen nor told.
    scene.evaluate("n.options[0].style.display = 'none'; n.options[1].label = 'one'").await;
    chooses("#n", "one").await;
    chooses("#g", "Springfield").await;
    assert_eq!(scene.evaluate("n.value + g.value").await, "22");
    let tree = scene.page.snapshot(&mut Refs::default(), &SnapshotOptions::default()).await.unwrap().tree;
    assert_eq!(tree.matches("Springfield").count(), 1, "{tree}");
    assert!(!tree.contains("Shelbyville"), "{tree}");
    let chosen = scene.page.select(&scene.element("#g").await, &["3".to_owned()], &briefly("").terms).await;
    assert!(matches!(chosen, Err(ActError::NotFound(_))), "{chosen:?}");
    let clicked = scene.page.click(&scene.element("#g [value='3']").await, &Click::once(briefly("").terms)).await;
    assert!(matches!(clicked, Err(ActError::NotVisible(_))), "{clicked:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_behind_a_dialog_is_checked_after_it() {
    // The second of two clicks is on its way as the first one opens a dialog; what is there afterwards is not clicked.
    let scene = Scene::showing(&format!(
        "{LOGS}<style>button {{ position: absolute; left: 20px; top: 20px; width: 200px; height: 80px }}</style><button id=w hidden onclick='note(`wrong`)'
        onpointerdown='note(`wrong press`)'>Pay</button><button id=b onclick='note(`right`); alert(`sure?`); b.remove(); w.hidden = false; note(`swapped`)'>OK</button>"
    ))
    .await;
    let double = Click { count: 2, ..Click::once(ready()) };
    scene.page.click(&scene.element("#b").await, &double).await.unwrap();
    assert!(scene.page.dialog().is_some());
    scene.page.answer_dialog(true, None).await.unwrap();
    eventually(PATIENCE, async || match scene.log().await {
        log if log.contains("swapped") => Ok(()),
        log => Err(log),
    })
    .await;
    scene.evaluate("new Promise(done => setTimeout(done, 100))").await;
    assert_eq!(scene.log().await, "right,swapped");
    // Afterwards it can be clicked.
    scene.click("#w").await.unwrap();
    assert!(scene.log().await.ends_with("wrong press,wrong"));
    scene.ends().await;
}

/// Lists without keys redraw their rows in other elements, and the focus stays where it was.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_goes_on_in_no_row_of_another() {
    let scene = Scene::open().await;
    for (kind, slowly, text, typed) in
        [("text", true, "xyz", "x"), ("text", false, "xyz", "xyz"), ("range", true, "70", "69")]
    {
        let page = format!(
            "<ul id=u></ul><script>const data = ['Alice', 'Bob', 'Carol'].map(name => ({{ name, value: '' }}));
            const draw = () => data.forEach((one, at) => {{ const li = u.children[at] ?? u.appendChild(document.createElement('li'));
                if (!li.firstChild) {{ li.innerHTML = '<span></span><input type={kind}>'; li.lastChild.oninput = event => {{
                    data[at].value = event.target.value; data.sort((a, b) => a.value.length - b.value.length); draw() }} }}
                li.firstChild.textContent = one.name; li.lastChild.value = one.value }}); draw();
            const held = () => data.filter(one => one.value).map(one => one.name + one.value).join()</script>"
        );
        scene.shows(&page).await;
        let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
        let role = if kind == "text" { "textbox" } else { "slider" };
        let field = scene.by_ref(&mut Refs::default(), &options, |line| line.contains(role)).await;
        let done = scene.page.type_text(&field, &Typing { slowly, ..briefly(text) }).await;
        assert_eq!(scene.evaluate("held()").await, format!("Alice{typed}"), "{kind}: {done:?}");
        match done {
            Ok(acted) if !slowly => assert!(acted.warned()[0].starts_with("not_read_back"), "{acted:?}"),
            done => assert!(matches!(done, Err(ActError::NoEffect(_) | ActError::Stale(_))), "{kind}: {done:?}"),
        }
    }
    scene.ends().await;
}

/// The same where the entries that come were nowhere in the page before, as those of the next page of a table.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_goes_on_in_no_row_of_a_new_entry() {
    let scene = Scene::open().await;
    let page = |script: &str| {
        format!(
            "<ul id=u><li><span>Apples</span> <input><li><span>Bread</span> <input aria-label=Second><li><span>Cheese</span> <input></ul><script>
            const rows = [...u.children], field = rows[1].lastElementChild;
            const goes = () => ['Grapes', 'Honey', 'Ice'].forEach((name, at) => {{ rows[at].firstElementChild.textContent = name }});
            {script}</script>"
        )
    };
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    for (script, slowly, typed) in [
        ("u.addEventListener('keydown', goes, { once: true })", true, ""),
        ("u.addEventListener('beforeinput', goes, { once: true })", false, "hey"),
    ] {
        scene.shows(&page(script)).await;
        let field = scene.by_ref(&mut Refs::default(), &options, |line| line.contains("Second")).await;
        let done = scene.page.type_text(&field, &Typing { slowly, ..briefly("hey") }).await;
        assert_eq!(scene.evaluate("field.value").await, typed, "{script}: {done:?}");
        match done {
            Ok(acted) if !slowly => assert!(acted.warned()[0].starts_with("not_read_back"), "{script}: {acted:?}"),
            done => assert!(matches!(done, Err(ActError::NoEffect(_) | ActError::Stale(_))), "{script}: {done:?}"),
        }
    }
    // What is typed is shown in its row, and in others, whatever those said before.
    for script in [
        "field.oninput = () => { rows[1].firstElementChild.textContent = field.value + '!' }",
        "field.oninput = () => { rows[1].firstElementChild.textContent = 'Saved' }",
        "field.oninput = goes",
        "field.oninput = () => setTimeout(goes)",
    ] {
        scene.shows(&page(script)).await;
        let field = scene.element("li:nth-child(2) input").await;
        let acted = scene.page.type_text(&field, &Typing { slowly: true, ..briefly("hey") }).await.unwrap();
        assert_eq!(
            (scene.evaluate("field.value").await, acted.warnings.len()),
            ("hey".into(), 0),
            "{script}: {acted:?}"
        );
    }
    scene.ends().await;
}
