//! Lists that are drawn anew with an entry that was not there before: each element becomes that of the entry before it.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{
    ActError, Acted, Click, Drop, Element, Grip, How, Refs, SnapshotOptions, Terms, Typing, Wanted,
};

use super::is_told;
use crate::act::scene::{LOGS, Scene, briefly, ready, typing};

/// `list(html, before, after)` draws entries in the elements of a list, by index; `goes()` draws those that are there afterwards.
const LISTS: &str = "<style>span { display: inline-block; width: 200px }</style><input id=f aria-label=Filter><div id=l></div><script>let goes;
    const list = (html, before, after, around = 'ul') => { const outer = document.createElement(around); l.append(outer);
        const into = around === 'table' ? outer.appendChild(document.createElement('tbody')) : outer;
        const draw = entries => { while (into.children.length > entries.length) into.lastElementChild.remove();
            entries.forEach((entry, k) => { let at = into.children[k];
                if (!at) { const made = document.createElement(around === 'table' ? 'tbody' : 'div'); made.innerHTML = html; at = into.appendChild(made.firstElementChild) }
                [at, ...at.querySelectorAll('*')].filter(one => one.dataset.of).forEach(one => one.textContent = [entry].flat()[one.dataset.of]) }) };
        draw(before); goes = () => draw(after) };
    const nameOf = e => e.target.closest('li, tr, .e').querySelector('[data-of]').textContent</script>";

async fn shown(scene: &Scene, shows: &str) -> Element {
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    scene.by_ref(&mut Refs::default(), &options, |line| line.contains(shows)).await
}

/// It is refused as another one.
fn is_stale(acted: &Result<Acted, ActError>) -> bool {
    matches!(acted, Err(ActError::Stale(_) | ActError::NotFound(_)))
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_told_by_dates_addresses_and_numbers_that_letters_begin() {
    let scene = Scene::open().await;
    let row = "<tr><td data-of=0></td><td data-of=1></td><td><button>Delete</button></td></tr>";
    for (entries, is_told) in [
        (["INV-15", "INV-14", "INV-13", "INV-12"], true),
        (["web05", "web04", "web03", "web02"], true),
        (["2024-01-05", "2024-01-04", "2024-01-03", "2024-01-02"], true),
        (["5.1.2024", "4.1.2024", "3.1.2024", "2.1.2024"], true),
        (["10.0.0.5", "10.0.0.4", "10.0.0.3", "10.0.0.2"], true),
        (["a5@x.org", "a4@x.org", "a3@x.org", "a2@x.org"], true),
        // Prices change, and so does what is in their place.
        (["5.10", "4.10", "3.10", "2.10"], false),
        (["1.234.567.5", "1.234.567.4", "1.234.567.3", "1.234.567.2"], false),
    ] {
        let states = ["Paid", "Paid", "Open", "Paid"];
        let all: Vec<_> = entries.iter().zip(states).map(|(code, state)| format!("['{code}', '{state}']")).collect();
        let [before, after] = [all[1..].join(", "), all[..3].join(", ")];
        scene
            .shows(&format!(
                "{LOGS}{LISTS}<script>list('{row}', [{before}], [{after}], 'table'); l.onclick = e => e.target.localName === 'button' && note(nameOf(e))</script>"
            ))
            .await;
        let delete = shown(&scene, "Delete").await;
        scene.evaluate("goes()").await;
        let acted = scene.page.click(&delete, &Click::once(briefly())).await;
        assert_eq!(is_stale(&acted), is_told, "{entries:?}");
        assert_eq!(scene.log().await, if is_told { "" } else { entries[0] });
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_post_is_told_by_what_names_it() {
    let scene = Scene::open().await;
    let post = |name: &str| {
        let text = "lorem ipsum dolor sit amet ".repeat(15);
        format!("<div class=e><{name} data-of=0></{name}><p>{text}</p><button>Delete</button></div>")
    };
    for name in ["b", "h3", "a href=#"] {
        let post = post(name).replace("</a href=#>", "</a>");
        scene
            .shows(&format!(
                "{LOGS}{LISTS}<script>list('{post}', ['Adam', 'Berta', 'Carl'], ['Zoe', 'Adam', 'Berta'], 'section'); l.onclick = e => note(nameOf(e))</script>"
            ))
            .await;
        let delete = shown(&scene, "Delete").await;
        // What is said in it may change.
        scene.evaluate("l.querySelector('p').append(' and more')").await;
        let mut refs = Refs::default();
        let acted = scene.page.click(&delete, &Click::once(briefly())).await;
        assert!(acted.is_ok(), "{name}: {acted:?}");
        assert_eq!(scene.log().await, "Adam");
        let delete = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("Delete")).await;
        scene.evaluate("log = []; goes()").await;
        assert!(is_stale(&scene.page.click(&delete, &Click::once(briefly())).await), "{name}");
        assert_eq!(scene.log().await, "");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_selector_found_is_left_once_it_is_a_new_entrys() {
    let scene = Scene::open().await;
    let row = "<li><span data-of=0></span> <input aria-label=Note> <button>Delete</button></li>";
    let page = format!(
        "{LOGS}{LISTS}<script>list('{row}', ['Adam', 'Berta', 'Carl'], ['Zoe', 'Adam', 'Berta']); l.onclick = e => e.target.localName === 'button' && note(nameOf(e)); l.oninput = e => note(nameOf(e))"
    );
    for leaves in ["f.onblur = goes", "l.addEventListener('pointerover', goes, { once: true })"] {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&format!("{page}; {leaves}; f.focus()</script>")).await;
            let value = "//li[contains(., 'Adam')]//button".to_owned();
            let wanted = Wanted { by: Some(TargetBy::Xpath), value, ..Wanted::default() };
            let found = scene.page.locate(&wanted, ready().deadline).await.unwrap();
            let acted = scene.page.click(&found.element, &Click::once(Terms { how, ..briefly() })).await;
            // It may find its own one again.
            let log = scene.log().await;
            assert!(if is_told(&acted) { log.is_empty() } else { log == "Adam" }, "{leaves} {how:?} {acted:?} {log}");
        }
    }
    scene.shows(&format!("{page}; f.onblur = goes; f.focus()</script>")).await;
    let value = "//li[contains(., 'Adam')]//input".to_owned();
    let wanted = Wanted { by: Some(TargetBy::Xpath), value, ..Wanted::default() };
    let found = scene.page.locate(&wanted, ready().deadline).await.unwrap();
    let acted = scene.page.type_text(&found.element, &typing("call back")).await;
    assert_eq!(scene.log().await, "", "{acted:?}");
    assert!(acted.is_err(), "{acted:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_do_not_come_to_an_entry_that_is_another_once_it_has_the_focus() {
    let scene = Scene::open().await;
    let keys = "l.onkeydown = e => note(e.key + ' ' + e.target.textContent.trim()); f.onblur = goes; f.focus()";
    for (entry, around, shows) in [
        ("<div class=e role=treeitem tabindex=0 data-of=0></div>", "section", "Adam"),
        ("<div class=e role=option tabindex=0 data-of=0></div>", "section", "Adam"),
        ("<tr tabindex=0><td data-of=0></td></tr>", "table", "row ["),
        ("<li><a href=# data-of=0></a></li>", "ul", "link \"Adam"),
    ] {
        let page = format!("list('{entry}', ['Adam', 'Berta', 'Carl'], ['Zoe', 'Adam', 'Berta'], '{around}')");
        scene.shows(&format!("{LOGS}{LISTS}<script>{page}; {keys}</script>")).await;
        let adam = shown(&scene, shows).await;
        let pressed = scene.page.press(Some(&adam), &"Delete".parse().unwrap(), &scene.clipboard, &ready()).await;
        assert_eq!(scene.log().await, "", "{entry}: {pressed:?}");
        assert!(is_stale(&pressed), "{entry}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_with_more_words_is_another_where_those_beside_it_are() {
    let scene = Scene::open().await;
    let row = "<li><span data-of=0></span> <button>Delete</button></li>";
    let rows = format!("list('{row}', ['Report', 'Invoice', 'Letter'], AFTER)");
    let names = "list('<button data-of=0></button>', ['Alex', 'Berta', 'Carl'], AFTER, 'section')";
    let clicks =
        "l.onclick = e => e.target.localName === 'button' && note(e.target.textContent); f.onblur = goes; f.focus()";
    for (page, shows, after, is_other) in [
        (rows.as_str(), "Delete", "['Report draft', 'Report final']", true),
        (&rows, "Delete", "['Report saved', 'Invoice', 'Letter']", false),
        (names, "\"Alex\"", "['Alex Smith', 'Alexa Tailor', 'Alex Weaver']", true),
        (names, "\"Alex\"", "['Alex Smith', 'Berta', 'Carl']", false),
    ] {
        let page = page.replace("AFTER", after);
        scene.shows(&format!("{LOGS}{LISTS}<script>{page}; {clicks}</script>")).await;
        let element = shown(&scene, shows).await;
        let acted = scene.page.click(&element, &Click::once(briefly())).await;
        assert_eq!(scene.log().await.is_empty(), is_other, "{after} {acted:?}");
        assert_eq!(is_told(&acted), is_other, "{after} {acted:?}");
    }
    let drags = "<p id=bin style='height: 50px; background: #eee'>Trash</p><script>list('<li draggable=true data-of=0></li>', ['Report', 'Invoice', 'Letter'], ['Report draft', 'Report final']);
        let what; l.ondragstart = e => what = e.target.textContent; bin.ondragover = e => e.preventDefault(); bin.ondrop = () => note('dropped ' + what); f.onblur = goes; f.focus()</script>";
    scene.shows(&format!("{LOGS}{LISTS}{drags}")).await;
    let report = shown(&scene, "Report").await;
    let dropped =
        scene.page.drag(&Grip::Element(report), &Drop::Element(&scene.element("#bin").await), &briefly()).await;
    assert_eq!(scene.log().await, "", "{dropped:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_ends_where_the_field_becomes_a_new_entrys() {
    let scene = Scene::open().await;
    for (row, around) in [
        ("<li><span data-of=0></span> <input aria-label=Note></li>", "ul"),
        ("<div class=e><span data-of=0></span> <input aria-label=Note></div>", "section"),
    ] {
        let page = format!("list('{row}', ['Adam', 'Berta', 'Carl'], ['Zoe', 'Adam', 'Berta'], '{around}')");
        scene
            .shows(&format!(
                "{LOGS}{LISTS}<script>{page}; l.oninput = e => {{ note(nameOf(e) + ' ' + e.target.value); if (log.length === 2) setTimeout(goes) }}</script>"
            ))
            .await;
        let note = shown(&scene, "Note").await;
        let slowly = Typing { slowly: true, ..typing("call him back") };
        let typed = scene.page.type_text(&note, &slowly).await;
        let log = scene.log().await;
        assert!(!log.contains("call him back"), "{row}: {typed:?} {log}");
        assert!(!matches!(&typed, Ok(acted) if acted.warnings.is_empty()), "{row}: {typed:?} {log}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_is_of_the_month_above_it() {
    let scene = Scene::open().await;
    let days = "<div id=g></div><script>g.innerHTML = Array.from({ length: 28 }, (_, n) => `<button>${n + 1}</button>`).join(''); g.onclick = e => note(m.textContent + ' ' + e.target.textContent)</script>";
    for month in
        ["<div id=m>Feb 2026</div>", "<h2 id=m>February 2026</h2>", "<p><button>&lt;</button> <b id=m>2026-02</b></p>"]
    {
        let page = format!("{LOGS}<div role=dialog aria-label='Choose a day'>{month}{days}</div>");
        for next in [
            "m.textContent = m.textContent.replace('Feb', 'Mar').replace('-02', '-03')",
            "g.className = 'seen'",
            "document.querySelector('p')?.append(' to 7 April 2026')",
        ] {
            scene.shows(&page).await;
            let day = shown(&scene, "\"12\"").await;
            scene.evaluate(next).await;
            let acted = scene.page.click(&day, &Click::once(briefly())).await;
            assert_eq!(is_stale(&acted), next.starts_with('m'), "{month}");
        }
    }
    scene.ends().await;
}
