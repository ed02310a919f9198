//! Flat lists in which rows of several groups say the same: the head before them tells which group a row is in.

use std::cell::Cell;

use porthole_service::page::interact::{ActError, Click, Ref, Refs, SnapshotOptions};
use porthole_tests::agent::reference;

use super::is_told;
use crate::act::scene::{LOGS, Scene, briefly, ready};

/// Two groups, "Staging" and "Production", each with a control for "web" and one for "db". `goes()` swaps the texts of the heads,
/// as a list that is drawn again without keys does.
const SWAPS: &str = "<h1>Servers</h1><div id=l></div><script>
    const row = '<button>Restart</button>';
    const goes = () => { const [one, other] = document.querySelectorAll('.g'); [one.textContent, other.textContent] = [other.textContent, one.textContent] };
    window.groupOf = node => [...document.querySelectorAll('.g')].findLast(head => head.compareDocumentPosition(node) & 4).textContent;
    const all = html => ['Staging', 'Production'].map(html).join(''), draws = html => { l.innerHTML = all(html) };
    const wraps = (html, tag) => { l.innerHTML = `<${tag}>${all(html)}</${tag.split(' ')[0]}>` }</script>";

const GROUPS: &[(&str, &str)] = &[
    ("draws(t => `<h3 class=g>${t}</h3><div>web ${row}</div><div>db ${row}</div>`)", "Restart"),
    ("draws(t => `<h3 class='g is-${t}'>${t}</h3><div>web ${row}</div><div>db ${row}</div>`)", "Restart"),
    // What is read before radio buttons is no head.
    (
        "l.innerHTML = '<p>Size?</p><input type=radio>' + all(t => `<h3 class=g>${t}</h3><div>web ${row}</div><div>db ${row}</div>`)",
        "Restart",
    ),
    (
        "l.innerHTML = all(t => `<h3 class=g>${t}</h3><div>web ${row}</div><div>db ${row}</div>`) + '<p>Size?</p><input type=radio>'",
        "Restart",
    ),
    ("draws(t => `<div class='h g'>${t}</div><div class=r>web ${row}</div><div class=r>db ${row}</div>`)", "Restart"),
    (
        "draws(t => `<div class=h><h3 class=g>${t}</h3><button>Add</button></div><div class=r>web ${row}</div><div class=r>db ${row}</div>`)",
        "Restart",
    ),
    (
        "draws(t => `<h3 aria-level=3><button aria-expanded=true><span class=g>${t}</span></button></h3><div class=r>web ${row}</div><div class=r>db ${row}</div>`)",
        "Restart",
    ),
    ("wraps(t => `<li class='h g'>${t}</li><li>web ${row}</li><li>db ${row}</li>`, 'ul')", "Restart"),
    ("wraps(t => `<li class=g>${t}</li><li>web ${row}</li><li>db ${row}</li>`, 'ul')", "Restart"),
    ("wraps(t => `<dt class=g>${t}</dt><dd>web ${row}</dd><dd>db ${row}</dd>`, 'dl')", "Restart"),
    ("draws(t => `<p><b class=g>${t}</b><br>web ${row}<br>db ${row}</p>`)", "Restart"),
    (
        "wraps(t => `<tr><td class=g colspan=2>${t}</td></tr><tr><td>web</td><td>${row}</td></tr><tr><td>db</td><td>${row}</td></tr>`, 'table')",
        "Restart",
    ),
    (
        "wraps(t => `<tbody><tr><th colspan=2 class=g>${t}</th></tr><tr><td>web</td><td>${row}</td></tr><tr><td>db</td><td>${row}</td></tr></tbody>`, 'table')",
        "Restart",
    ),
    (
        "wraps(t => `<tr><td rowspan=2 class=g>${t}</td><td>web</td><td>${row}</td></tr><tr><td>db</td><td>${row}</td></tr>`, 'table')",
        "Restart",
    ),
    (
        "wraps(t => `<tr><td class=g>${t}</td><td>web</td><td>${row}</td></tr><tr><td></td><td>db</td><td>${row}</td></tr>`, 'table')",
        "Restart",
    ),
    (
        "wraps(t => `<div role=row aria-level=1 aria-expanded=true><div role=gridcell class=g>${t}</div></div>` + ['web', 'db'].map(s => `<div role=row aria-level=2><div role=gridcell>${s}</div><div role=gridcell>${row}</div></div>`).join(''), 'div role=treegrid')",
        "Restart",
    ),
    (
        "wraps(t => `<div role=treeitem aria-level=1 aria-expanded=true class=g>${t}</div><div role=treeitem aria-level=2>web</div><div role=treeitem aria-level=2>db</div>`, 'div role=tree')",
        "treeitem \"",
    ),
    (
        "draws(t => `<h3 class=g>${t}</h3><label><input type=checkbox>web</label><label><input type=checkbox>db</label>`)",
        "checkbox",
    ),
    ("draws(t => `<h3 class=g>${t}</h3><div><button>09:00</button><button>10:00</button></div>`)", ":00"),
    (
        "draws(t => `<div class=h><a class=g href=/env>${t}</a></div><div class=r>web ${row}</div><div class=r>db ${row}</div>`)",
        "Restart",
    ),
    (
        "draws(t => `<div class=h><span class=g>${t}</span> <button>Stop all</button></div><div class=r>web ${row}</div><div class=r>db ${row}</div>`)",
        "Restart",
    ),
    ("draws(t => `<h3 class=g>${t[0]}</h3><div class=r>web ${row}</div><div class=r>db ${row}</div>`)", "Restart"),
    // One head's words are among the other's.
    (
        "draws(t => `<h3 class=g>${t === 'Staging' ? 'Production EU' : t}</h3><div>web ${row}</div><div>db ${row}</div>`)",
        "Restart",
    ),
    // Rows of long documents are told later.
    (
        "draws(t => `<h3 class=g>${t}</h3><div>web ${row}</div><div>db ${row}</div>`); l.insertAdjacentHTML('afterend', '<p><a href=/x>x</a></p>'.repeat(1500))",
        "Restart",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_not_that_of_another_group() {
    let scene = Scene::open().await;
    for (draws, is_row) in GROUPS {
        for goes in [
            "",
            "l.addEventListener('pointerover', goes, { once: true, capture: true })",
            "l.addEventListener('pointerdown', goes, { once: true, capture: true })",
        ] {
            scene
                .shows(&format!(
                    "{LOGS}{SWAPS}<script>{draws}; l.onclick = e => e.target.tagName === 'LABEL' || note(groupOf(e.target))</script>"
                ))
                .await;
            // The second control of the second group: of a tree the fourth entry.
            let before = Cell::new(0);
            let wanted = if is_row.starts_with("tree") { 5 } else { 3 };
            let of_production = |line: &str| line.contains(is_row) && before.replace(before.get() + 1) == wanted;
            let mut refs = Refs::default();
            let control = scene.by_ref(&mut refs, &SnapshotOptions::default(), of_production).await;
            scene.evaluate(if goes.is_empty() { "goes()" } else { goes }).await;
            let acted = scene.page.click(&control, &Click::once(briefly())).await;
            let (log, is_told) = (scene.log().await, is_told(&acted));
            assert!(
                if is_told { log.is_empty() } else { log == "Production" || log == "P" },
                "{draws} {goes}: {log} {acted:?}"
            );
            assert!(is_told || !goes.is_empty(), "{draws}: the group had changed before the click");
        }
    }
    scene.ends().await;
}

/// What else changes in such a list says nothing of its groups.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_stays_in_its_group_while_the_list_changes() {
    let scene = Scene::open().await;
    let list = "wraps(t => `<li class='h'><span class=g>${t}</span> (<span class=n>2</span>) <time>now</time></li><li>web ${row}</li><li>db ${row}</li>`, 'ul')";
    for (draws, changes) in [
        (list, ""),
        (list, "for (const count of document.querySelectorAll('.n')) count.textContent = '3'"),
        (list, "document.querySelector('time').textContent = '2 min ago'"),
        // A row that is busy has no button.
        (list, "document.querySelectorAll('li')[4].innerHTML = 'web …'"),
        (
            list,
            "document.querySelectorAll('.h')[1].insertAdjacentHTML('afterend', '<li>cache <button>Restart</button></li>')",
        ),
        (list, "document.querySelectorAll('li')[1].remove()"),
        (
            list,
            "document.querySelectorAll('.h')[1].insertAdjacentHTML('afterend', '<li role=status>Restarting all of them</li>')",
        ),
        (
            GROUPS[0].0,
            "document.querySelectorAll('h3')[1].insertAdjacentHTML('afterend', '<p>Nothing has run for a week.</p>')",
        ),
        (
            GROUPS[0].0,
            "document.querySelector('h3').insertAdjacentHTML('beforebegin', '<h3>Demo</h3><div>db <button>Restart</button></div>')",
        ),
    ] {
        scene.shows(&format!("{LOGS}{SWAPS}<script>{draws}; l.onclick = e => note(groupOf(e.target))</script>")).await;
        let before = Cell::new(0);
        let of_production = |line: &str| line.contains("Restart") && before.replace(before.get() + 1) == 3;
        let mut refs = Refs::default();
        let restart = scene.by_ref(&mut refs, &SnapshotOptions::default(), of_production).await;
        scene.evaluate(changes).await;
        let acted = scene.page.click(&restart, &Click::once(ready())).await;
        assert!(acted.is_ok(), "{draws} {changes}: {acted:?}");
        assert_eq!(scene.log().await, "Production", "{changes}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_in_a_frame_is_not_that_of_another_groups_frame() {
    let scene = Scene::open().await;
    let frame = "<iframe srcdoc='<button>Restart</button>' height=50></iframe>";
    for draws in [
        format!("draws(t => `<h3 class=g>${{t}}</h3>{frame}`)"),
        format!("draws(t => `<div><b class=g>${{t}}</b></div><div>{frame}</div>`)"),
    ] {
        scene.shows(&format!("{SWAPS}<script>{draws}</script>")).await;
        let mut refs = Refs::default();
        let tree = scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap().tree;
        let buttons: Vec<Ref> = tree
            .lines()
            .filter(|line| line.contains("Restart"))
            .map(|line| reference(line, "").parse().unwrap())
            .collect();
        assert_eq!(buttons.len(), 2, "{tree}");
        for button in &buttons {
            scene.page.resolve(&refs, *button).await.unwrap();
        }
        scene.evaluate("goes()").await;
        for button in &buttons {
            let resolved = scene.page.resolve(&refs, *button).await;
            assert!(matches!(resolved, Err(ActError::Stale(_))), "{draws}: {:?}", resolved.map(|_| ()));
        }
    }
    scene.ends().await;
}

/// A head's words are compared with those of the latest snapshot, in which an agent has seen them.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_is_of_the_group_that_the_latest_snapshot_showed() {
    let scene = Scene::open().await;
    let page = "<h1>Servers</h1><h3>Alpha</h3><div>db <button>Restart</button></div><h3>Gamma</h3><div>db <button>Restart</button></div>
        <script>const says = (one, other) => { const heads = document.querySelectorAll('h3'); heads[0].textContent = one; heads[1].textContent = other }</script>";
    for (first, second, is_stale) in [
        ("says('Beta', 'Gamma')", "says('Alpha', 'Beta')", true),
        ("says('Beta', 'Gamma')", "says('Beta', 'Delta')", false),
        ("says('Alpha: busy', 'Gamma')", "says('Alpha', 'Gamma: busy')", false),
    ] {
        scene.shows(page).await;
        let mut refs = Refs::default();
        let options = SnapshotOptions::default();
        scene.page.snapshot(&mut refs, &options).await.unwrap();
        scene.evaluate(first).await;
        let tree = scene.page.snapshot(&mut refs, &options).await.unwrap().tree;
        let shown: Ref = reference(&tree, "\"Restart\"").parse().unwrap();
        scene.evaluate(second).await;
        let resolved = scene.page.resolve(&refs, shown).await;
        assert_eq!(
            matches!(resolved, Err(ActError::Stale(_))),
            is_stale,
            "{first} {second}: {:?}",
            resolved.map(|_| ())
        );
    }
    scene.ends().await;
}
