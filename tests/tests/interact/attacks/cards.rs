//! Cards with a form, a list or a table each, and controls that stand alone in their wrappers, which are drawn anew in place.

use std::cell::Cell;

use porthole_service::page::interact::{ActError, Click, Refs, SnapshotOptions};

use super::is_told;
use crate::act::scene::{LOGS, Scene, briefly, ready};

/// `draws(make)` draws entries in the elements that are there, and the next ones once `goes()` is called; `of(event)` is the entry
/// that an event is in.
const CARDS: &str = "<style>label, .r { display: block }</style><h1>All</h1><div id=l></div><script>
    let entries = ['Production', 'Staging', 'Testing', 'Demo'], make;
    const write = (into, from) => { for (const { name, value } of from.attributes ?? []) if (into.getAttribute(name) !== value) into.setAttribute(name, value);
        from.childNodes.forEach((node, k) => { const at = into.childNodes[k];
            if (!at) into.append(node.cloneNode(true)); else if (at.nodeType === 3) at.data = node.data; else write(at, node) });
        while (into.childNodes.length > from.childNodes.length) into.lastChild.remove() };
    const draw = () => { const drawn = document.createElement('div'); drawn.innerHTML = entries.map(make).join(''); write(l, drawn) };
    const goes = () => { entries.shift(); draw() };
    const draws = made => { make = made; draw() };
    l.onsubmit = e => e.preventDefault()</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_control_in_a_cards_form_list_or_table_is_not_the_next_cards() {
    let scene = Scene::open().await;
    for card in [
        "<div class=card><b>${t}</b><form><button>Delete</button></form></div>",
        "<div class=card><b>${t}</b><form><input aria-label=Note><button>Delete</button></form></div>",
        "<form class=card><b>${t}</b><button>Delete</button></form>",
        "<section class=card><h2>${t}</h2><ul><li>API key <button>Delete</button></li><li>Logs <button>Show</button></li></ul></section>",
        "<div class=card><p>${t}</p><table><tr><td>API key<td><button>Delete</button></table></div>",
        "<div class=card><h3>${t}</h3><div role=list><div role=listitem>API key <button>Delete</button></div></div></div>",
        "<div class=card><h3>${t}</h3><div role=grid><div role=row><div role=gridcell><button>Delete</button></div></div></div></div>",
        "<div class=card><h3>${t}</h3><div role=toolbar><button>Delete</button><button>Show</button></div></div>",
        "<div class=card><h3>${t}</h3><div><div><div><div><div><div><div><div><button>Delete</button></div></div></div></div></div></div></div></div></div>",
        "<h3 class=card>${t}</h3><ul><li>API key <button>Delete</button></li></ul>",
        "<div class=card><h3>${t}</h3></div><table><tr><td>API key<td><button>Delete</button></table>",
    ] {
        for goes in [
            "",
            "l.addEventListener('pointerover', goes, { once: true })",
            "l.addEventListener('pointerdown', goes, { once: true })",
        ] {
            let of = "(e.target.closest('.card') ?? e.target.closest('ul, table').previousElementSibling).querySelector('b, h2, h3, p') ?? e.target.closest('ul, table').previousElementSibling";
            scene
                .shows(&format!(
                    "{LOGS}{CARDS}<script>draws(t => `{card}`); l.onclick = e => note(({of}).textContent)</script>"
                ))
                .await;
            let before = Cell::new(0);
            let of_staging = |line: &str| line.contains("Delete") && before.replace(before.get() + 1) == 1;
            let delete = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), of_staging).await;
            scene.evaluate(if goes.is_empty() { "goes()" } else { goes }).await;
            let acted = scene.page.click(&delete, &Click::once(briefly())).await;
            let (log, is_told) = (scene.log().await, is_told(&acted));
            // The pointer may be there from before, and comes to nothing.
            assert_eq!(log, if is_told { "" } else { "Staging" }, "{card} {goes}: {acted:?}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_stays_its_cards_while_the_others_lists_change() {
    let scene = Scene::open().await;
    let card = "<section class=card><h2>${t}</h2><p>3 items</p><ul><li>API key <button>Delete</button></li><li>Logs <button>Show</button></li></ul></section>";
    scene.shows(&format!("{LOGS}{CARDS}<script>draws(t => `{card}`); l.onclick = e => note(e.target.closest('section').querySelector('h2').textContent)</script>")).await;
    let delete = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("Delete")).await;
    scene
        .evaluate(
            "document.querySelector('p').textContent = '4 items';
            for (const list of document.querySelectorAll('ul')) list.insertAdjacentHTML('beforeend', '<li>Fresh <button>Open</button></li>');
            for (const other of [...document.querySelectorAll('section')].slice(1)) other.remove()",
        )
        .await;
    let acted = scene.page.click(&delete, &Click::once(briefly())).await;
    assert!(acted.is_ok(), "{acted:?}");
    assert_eq!(scene.log().await, "Production");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_alone_in_its_wrapper_does_not_become_the_next_one_by_more_words() {
    let scene = Scene::open().await;
    for wrapped in [
        "<label><input type=checkbox>${t}</label>",
        "<label><input type=radio name=x>${t}</label>",
        "<p><button>${t}</button></p>",
        "<div class=r><a href=#>${t}</a><span>open</span></div>",
        "<div class=r><button aria-label=\"Delete ${t}\">x</button></div>",
        "<button aria-label=\"Delete ${t}\">x</button>",
    ] {
        for goes in ["pointerover", "pointerdown"] {
            scene
                .shows(&format!(
                    "{LOGS}{CARDS}<script>entries = ['Milk', 'Rent', 'Report', 'Report draft', 'Zoo']; draws(t => `{wrapped}`);
                    l.onclick = e => note(e.target.ariaLabel ?? e.target.closest('label, p, .r').textContent)</script>"
                ))
                .await;
            let report = |line: &str| line.contains("Report\"");
            let report = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), report).await;
            scene.evaluate(&format!("l.addEventListener('{goes}', goes, {{ once: true }})")).await;
            let acted = scene.page.click(&report, &Click::once(briefly())).await;
            let (log, is_told) = (scene.log().await, is_told(&acted));
            assert!(
                if is_told { log.is_empty() } else { log.trim_end_matches("open").ends_with("Report") },
                "{wrapped} {goes}: {log} {acted:?}"
            );
        }
    }
    scene.ends().await;
}

/// If a control in a card acts and the card's title stays, it is the same card, even if a count or a state changes. If the title
/// becomes another one, it is another card.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_stays_the_same_by_its_title_as_a_control_in_it_acts() {
    let cards = |changes: &str| {
        let card = |name: &str| {
            format!(
                "<section class=card><h3>{name}: 0</h3><i>Off</i><form onsubmit='return false'><label>Note <input></label><button>Add</button><button>Show</button></form></section>"
            )
        };
        format!(
            "{LOGS}{}{}<script>const cards = [...document.querySelectorAll('.card')], title = cards[0].querySelector('h3');
            cards[0].querySelector('button').onclick = () => {{ note('add'); {changes} }};
            cards[0].querySelectorAll('button')[1].onclick = () => note('show');
            cards[0].querySelector('input').oninput = () => {{ title.textContent = 'Kitchen, unsaved' }}</script>",
            card("Kitchen"),
            card("Garden")
        )
    };
    let first = |words: &'static str| {
        let seen = Cell::new(0);
        move |line: &str| line.contains(words) && seen.replace(seen.get() + 1) == 0
    };
    let scene = Scene::open().await;
    for (changes, is_stale) in [
        ("title.textContent = 'Kitchen: 1'; cards[0].querySelector('i').textContent = 'On'", false),
        ("title.before('Saved successfully')", false),
        ("title.textContent = 'Garage: 0'", true),
        ("[title.textContent, cards[1].querySelector('h3').textContent] = ['Garden: 0', 'Kitchen: 0']", true),
    ] {
        scene.shows(&cards(changes)).await;
        let (refs, options) = (&mut Refs::default(), SnapshotOptions::default());
        let add = scene.by_ref(refs, &options, first("button \"Add\"")).await;
        let show = scene.by_ref(refs, &options, first("button \"Show\"")).await;
        scene.page.click(&add, &Click::once(ready())).await.unwrap();
        let shown = scene.page.click(&show, &Click::once(briefly())).await;
        assert_eq!(matches!(shown, Err(ActError::Stale(_))), is_stale, "{changes}: {shown:?}");
        assert_eq!(scene.log().await, if is_stale { "add" } else { "add,show" }, "{changes}");
    }
    // What is typed into a field with a label changes the card as what is typed into one without.
    scene.shows(&cards("")).await;
    let show = scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), first("button \"Show\"")).await;
    scene.types("input", "Kitchen, unsaved").await.unwrap();
    scene.page.click(&show, &Click::once(ready())).await.unwrap();
    assert_eq!(scene.log().await, "show");
    scene.ends().await;
}
