//! Lists that are drawn anew in place, so that an element is the next entry's, and what is put into another control as it is
//! pressed.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{
    ActError, Acted, Click, Drop, Element, Grip, How, Method, Point, Refs, SnapshotOptions, Terms, Wanted,
};

use crate::act::scene::{LOGS, Scene, briefly, in_document, ready, ready_briefly};
use crate::warned::Warned;

/// Three entries, of which the first goes when the field is left: their elements become the next ones'.
const FILES: &str =
    "<style>span { display: inline-block; width: 200px } .r { width: 260px; height: 40px; user-select: none }</style>
    <input id=f aria-label=Filter><ul id=u></ul><script>const elementsOf = tag => [...u.querySelectorAll(tag)];
    const shifts = (files, made, words) => { const draw = () => files.forEach((file, k) => { let at = u.children[k];
        if (!at) { at = made(); u.append(at) } words(at).textContent = file; at.hidden = false });
        draw(); return () => { files.shift(); u.lastElementChild.remove(); draw() } };
    const row = html => () => { const li = document.createElement('li'); li.innerHTML = html; return li };</script>";

/// Takes the element as a snapshot shows it.
async fn shown(scene: &Scene, shows: &str) -> Element {
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    scene.by_ref(&mut Refs::default(), &options, |line| line.contains(shows)).await
}

/// It is refused, or told as lost, and nothing has happened.
async fn comes_to_nothing(scene: &Scene, what: &str, acted: Result<Acted, ActError>) {
    assert_eq!(scene.log().await, "", "{what}: {acted:?}");
    match acted {
        Ok(acted) => {
            assert!(acted.warned().iter().any(|warning| warning.starts_with("click_lost")), "{what}: {acted:?}");
        }
        Err(ActError::Stale(_) | ActError::NotFound(_) | ActError::Covered { .. }) => {}
        Err(error) => panic!("{what}: {error:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_is_the_next_entrys_by_now_is_not_acted_on() {
    let scene = Scene::open().await;
    // One entry's words are among the other's, in either order.
    let deletes = "const next = shifts(FILES, row('<span></span> <button>Delete</button>'), li => li.firstChild);
        u.onclick = e => e.target.localName === 'button' && note('deleted ' + e.target.parentNode.firstChild.textContent)";
    let chooses = "u.setAttribute('role', 'listbox'); const next = shifts(FILES, () => { const div = document.createElement('div'); div.role = 'option'; return div }, div => div);
        u.onclick = e => note('chose ' + e.target.textContent)";
    let in_groups = "const next = shifts(FILES, () => { const div = document.createElement('div'); div.role = 'group'; div.innerHTML = '<i></i><button>Delete</button>'; div.says = new Proxy({}, { set: (_, name, text) => { div.ariaLabel = text; return true } }); return div }, div => div.says);
        u.onclick = e => note('deleted ' + e.target.closest('[role=group]').ariaLabel)";
    let long =
        "[...'abcdefghijklmnopqrstuvwxyz'].map((_, n, all) => all.slice(0, n + 1).map(one => 'w' + one).join(' '))";
    for (files, page, shows) in [
        ("['Report draft', 'Report', 'Budget']", deletes, "Delete"),
        ("['Report', 'Report draft', 'Budget']", deletes, "Delete"),
        ("['Report', 'Report draft', 'Budget']", chooses, "option \"Report\""),
        (long, chooses, "ww\""),
        ("['Ann', 'Ben', 'Cid']", in_groups, "Delete"),
    ] {
        let page = page.replace("FILES", files);
        for leaves in ["f.onblur = next", "u.addEventListener('pointerdown', next, { once: true })"] {
            for terms in [briefly(), Terms { how: How::DocumentFirst, ..briefly() }] {
                scene.shows(&format!("{LOGS}{FILES}<script>{page}; {leaves}; f.focus()</script>")).await;
                let element = shown(&scene, shows).await;
                let acted = scene.page.click(&element, &Click::once(terms)).await;
                comes_to_nothing(&scene, &format!("{page} {leaves}"), acted).await;
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_that_moves_makes_no_other_entry() {
    let scene = Scene::open().await;
    let marks = |moves: &str, of: [&str; 2]| {
        format!(
            "{LOGS}<button aria-label='Day view'>{}</button><button aria-label='Week view'>{}</button><script>const all = document.querySelectorAll('button');
            all[1].{moves} = () => {{ [all[0].textContent, all[1].textContent] = [all[1].textContent, all[0].textContent] }}; all[1].addEventListener('click', () => note('clicked'))</script>",
            of[0], of[1]
        )
    };
    // A class and a hint that go as the pointer comes.
    let hints = "<style>small { display: inline-block; width: 200px }</style><ul><li><b>Ann</b> <small>optional</small> <button class=empty onclick='note(`clicked`)'>Save</button><li><b>Ben</b> <small>optional</small> <button>Save</button></ul>
        <script>const button = document.querySelector('button'); button.onpointerdown = () => { button.className = ''; button.previousElementSibling.textContent = 'at most twenty letters' }</script>";
    for moves in ["onmousedown", "onmouseenter", "onfocus"] {
        for of in [["\u{25cf}", "\u{25cb}"], ["1", "2"]] {
            for how in [How::Input, How::DocumentFirst] {
                scene.page.hover_at(Point { x: 790.0, y: 590.0 }).await.unwrap();
                scene.shows(&marks(moves, of)).await;
                let week = shown(&scene, "Week view").await;
                let acted = scene.page.click(&week, &Click::once(Terms { how, ..briefly() })).await;
                assert_eq!(scene.log().await, "clicked", "{moves} {of:?}: {acted:?}");
            }
        }
    }
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&format!("{LOGS}{hints}")).await;
        let wanted = Wanted { by: Some(TargetBy::Css), value: ".empty".to_owned(), ..Wanted::default() };
        let found = scene.page.locate(&wanted, ready().deadline).await.unwrap();
        let acted = scene.page.click(&found.element, &Click::once(Terms { how, ..briefly() })).await;
        assert_eq!(scene.log().await, "clicked", "{acted:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_takes_what_is_dragged_on_its_way_gets_the_drop() {
    let scene = Scene::showing(&format!(
        "{LOGS}<style>.list {{ float: left; width: 150px; height: 200px; margin: 9px; background: #eee }}</style><div class=list id=a role=group aria-label=A><div id=c draggable=true>Card 1</div></div><div class=list id=b tabindex=0></div>
        <script>document.ondragover = e => {{ const list = e.target.closest('.list'); e.preventDefault(); if (list) list.append(c) }}; document.ondrop = e => note('dropped in ' + c.parentNode.id)</script>"
    ))
    .await;
    let (mut refs, options) = (Refs::default(), SnapshotOptions::default());
    let card = scene.by_ref(&mut refs, &options, |line| line.contains("Card 1")).await;
    let list = scene.by_ref(&mut refs, &options, |line| line.contains("[clickable]") && !line.contains("Card 1")).await;
    let dropped = scene.page.drag(&Grip::Element(card), &Drop::Element(&list), &ready_briefly()).await;
    assert_eq!(scene.log().await, "dropped in b", "{dropped:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drop_on_what_is_the_next_entrys_by_now_is_refused() {
    let scene = Scene::open().await;
    scene
        .shows(&format!(
            "{LOGS}{FILES}<div id=card role=button tabindex=0 style='width: 80px; height: 30px; user-select: none'>Card</div>
            <script>const next = shifts(['Report draft', 'Report', 'Budget'], () => {{ const li = document.createElement('li'); li.className = 'r'; return li }}, li => li);
            let held = 0; card.onmousedown = () => {{ held = 1 }}; onmousemove = () => {{ if (held === 1) {{ held = 2; setTimeout(next, 30) }} }};
            onmouseup = e => {{ const at = document.elementFromPoint(e.clientX, e.clientY); if (held && at.className === 'r') note('dropped on ' + at.textContent); held = 0 }}</script>"
        ))
        .await;
    let mut refs = Refs::default();
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    let card = scene.by_ref(&mut refs, &options, |line| line.contains("Card")).await;
    let target = scene.by_ref(&mut refs, &options, |line| line.contains("Report draft")).await;
    let dropped = scene.page.drag(&Grip::Element(card), &Drop::Element(&target), &ready_briefly()).await;
    assert!(matches!(dropped, Err(ActError::Stale(_))), "{dropped:?}");
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_says_something_else_is_not_acted_on() {
    let scene = Scene::open().await;
    for html in [
        "<ul><li>Ann<li>Ben</ul>",
        "<table><tr><td>Ann<tr><td>Ben</table>",
        "<div role=list><div role=listitem>Ann</div><div role=listitem>Ben</div></div>",
    ] {
        for (says, is_same) in [("Zoe", false), ("Ann Taylor", true)] {
            scene.shows(&format!("{LOGS}{html}<script>onclick = () => note('clicked')</script>")).await;
            let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
            let shows = |line: &str| line.contains("[ref=") && (line.contains("listitem") || line.contains("row"));
            let entry = scene.by_ref(&mut Refs::default(), &options, shows).await;
            scene.evaluate(&format!("document.querySelector('li, td, [role=listitem]').textContent = '{says}'")).await;
            let clicked = scene.page.click(&entry, &Click::once(briefly())).await;
            assert_eq!(scene.log().await, if is_same { "clicked" } else { "" }, "{html}: {clicked:?}");
            assert_eq!(matches!(clicked, Err(ActError::Stale(_))), !is_same, "{html}: {clicked:?}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_selector_no_longer_finds_at_the_press_is_not_clicked() {
    let scene = Scene::open().await;
    let page = format!(
        "{LOGS}<ul id=u><li data-id=1><b>Ann</b> <button>Delete</button><li data-id=2><b>Ben</b> <button>Delete</button><li data-id=3><b>Cid</b> <button>Delete</button></ul>
        <script>u.onclick = e => note('deleted ' + e.target.parentNode.querySelector('b').textContent);
        u.addEventListener('mousedown', () => [...u.children].forEach((li, k) => {{ li.dataset.id = k + 2; li.querySelector('b').textContent = ['Ben', 'Cid', 'Dora'][k] }}))</script>"
    );
    for (selector, log) in [
        ("[data-id='2'] button", ""),
        // A selector by position means the element at that position, whichever it is.
        ("li:nth-child(2) button", "deleted Cid"),
    ] {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&page).await;
            let wanted = Wanted { by: Some(TargetBy::Css), value: selector.to_owned(), ..Wanted::default() };
            let found = scene.page.locate(&wanted, ready().deadline).await.unwrap();
            let acted = scene.page.click(&found.element, &Click::once(Terms { how, ..briefly() })).await;
            assert_eq!(scene.log().await, log, "{selector}: {acted:?}");
            if log.is_empty() {
                comes_to_nothing(&scene, selector, acted).await;
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_into_another_control_as_it_is_pressed_clicks_none() {
    let scene = Scene::open().await;
    let component = |root: &str, light: &str, script: &str| {
        format!(
            "{LOGS}<x-t style='display: block; padding: 20px; width: 300px'>{light}</x-t><script>const host = document.querySelector('x-t'), r = host.attachShadow({{ mode: 'open' }}), i = document.querySelector('i');
            r.innerHTML = `<style>button {{ width: 90px; height: 50px }}</style>{root}`; const by = id => r.getElementById(id); {script}</script>"
        )
    };
    let over = "position: absolute; inset: 0";
    for (what, page, shows) in [
        (
            "carried into another button",
            format!("{LOGS}<style>button {{ position: relative; padding: 20px }}</style><button id=keep>Keep<i id=i style='{over}'></i></button> <button onclick='note(`deleted`)'>Delete</button>
                <script>keep.onmouseup = () => document.querySelectorAll('button')[1].append(i)</script>"),
            "Keep",
        ),
        (
            "in another slot",
            component(
                "<button id=keep>Keep<slot name=a></slot></button><button id=del>Delete<slot name=b></slot></button>",
                "<i slot=a style='position: fixed; left: 0; top: 0; width: 400px; height: 90px'></i>",
                "by('keep').onmousedown = () => { i.slot = 'b' }; by('del').onclick = () => note('deleted')",
            ),
            "Keep",
        ),
        (
            "in the slot of a button inside",
            component(
                "<slot name=a></slot><button id=del>Delete<slot name=b></slot></button>",
                "<i slot=a style='position: absolute; left: 0; top: 0; width: 400px; height: 90px'></i>",
                "host.role = 'button'; host.tabIndex = 0; host.ariaLabel = 'Open'; host.onmousedown = () => { i.slot = 'b' }; by('del').onclick = () => note('deleted')",
            ),
            "Open",
        ),
        (
            "for another field",
            component(
                "<label id=l for=a style='display: block; height: 50px'><slot></slot></label><input type=checkbox id=a><input type=checkbox id=b aria-label='Sell my data'>",
                "Agree to terms",
                "by('b').onchange = () => note('sold'); by('l').onmousedown = () => { by('l').htmlFor = 'b' }",
            ),
            "",
        ),
    ] {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&page).await;
            let element = if shows.is_empty() { scene.element("x-t").await } else { shown(&scene, shows).await };
            let acted = scene.page.click(&element, &Click::once(Terms { how, ..briefly() })).await;
            comes_to_nothing(&scene, what, acted).await;
        }
    }
    // A part of a component that shows what is in its slot is that, also where its root is closed.
    scene
        .shows(&format!(
            "{LOGS}<x-t><b style='display: block; padding: 10px'>Buy</b></x-t><script>const r = document.querySelector('x-t').attachShadow({{ mode: 'closed' }});
            r.innerHTML = '<button><slot></slot></button>'; r.querySelector('button').onclick = () => note('bought')</script>"
        ))
        .await;
    let acted = scene.page.click(&shown(&scene, "Buy").await, &Click::once(ready())).await;
    assert_eq!(scene.log().await, "bought", "{acted:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_in_the_document_sends_a_form_as_the_browser_does() {
    let scene = Scene::open().await;
    for (what, forms, sent) in [
        (
            "a button of another form",
            "<form id=a><input aria-label=Query><button form=b>Delete all</button><button>Search</button></form><form id=b></form>",
            "a by Search",
        ),
        (
            "an image first",
            "<form id=a><input aria-label=Query><input type=image alt=Search value=Search><button>Delete all</button></form>",
            "a by Search",
        ),
        (
            "a button elsewhere",
            "<form id=a><input aria-label=Query></form><button form=a>Search</button>",
            "a by Search",
        ),
        ("one field", "<form id=a><input aria-label=Query></form>", "a by "),
        ("two fields", "<form id=a><input aria-label=Query><input></form>", ""),
        ("a button that is disabled", "<form id=a><input aria-label=Query><button disabled>Search</button></form>", ""),
    ] {
        let logs = "<script>onsubmit = e => { e.preventDefault(); note(e.target.id + ' by ' + (e.submitter?.textContent || e.submitter?.value || '')) }</script>";
        for terms in [in_document(), ready()] {
            scene.shows(&format!("{LOGS}{forms}{logs}")).await;
            let field = scene.element("input").await;
            let is_in_document = terms.how == How::DocumentOnly;
            let pressed = scene.page.press(Some(&field), &"Enter".parse().unwrap(), &scene.clipboard, &terms).await;
            assert_eq!(scene.log().await, sent, "{what}: {pressed:?}");
            assert!(!is_in_document || pressed.unwrap().method == Method::Dom, "{what}");
        }
    }
    scene.ends().await;
}
