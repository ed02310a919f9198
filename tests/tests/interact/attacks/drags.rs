//! Drags that a page follows by frames and timers, drags that fail, and targets that become something else meanwhile.

use porthole_service::page::interact::{ActError, Acted, Drop, Element, Grip, Point, Refs, SnapshotOptions};

use crate::act::scene::{LOGS, Scene, briefly, ready, typing};
use crate::warned::{NO_CHANGE, Warned};

/// The element as a snapshot shows it.
async fn shown(scene: &Scene, shows: &str) -> Element {
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    scene.by_ref(&mut Refs::default(), &options, |line| line.contains(shows)).await
}

async fn drags(scene: &Scene, from: &str, to: &str) -> Result<Acted, ActError> {
    let options = SnapshotOptions { interactive_only: false, ..SnapshotOptions::default() };
    let mut refs = Refs::default();
    let from = scene.by_ref(&mut refs, &options, |line| line.contains(from)).await;
    let to = scene.by_ref(&mut refs, &options, |line| line.contains(to)).await;
    scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &briefly()).await
}

/// Four items of a list, which `sorts` lets a person order; `order()` is what they say.
fn list(sorts: &str) -> String {
    format!(
        "<style>body {{ margin: 20px }} #l > * {{ width: 200px; height: 40px; background: #eee; user-select: none }}</style>
        <div id=l><div role=button>Ant</div><div role=button>Bee</div><div role=button>Cat</div><div role=button>Dog</div></div>
        <p>After</p><script>const order = () => [...l.children].map(one => one.textContent).join(' '), items = [...l.children]; let held = null;
        {sorts}</script>"
    )
}

/// Sorts in the frame after each move.
const BY_FRAMES: &str = "l.onmousedown = e => { held = e.target; e.preventDefault() };
    onmousemove = e => held && requestAnimationFrame(() => { const over = held && items.find(one => { const r = one.getBoundingClientRect(); return e.clientY > r.top && e.clientY < r.bottom });
        if (over && over != held) { const at = [...l.children]; l.insertBefore(held, at.indexOf(over) > at.indexOf(held) ? over.nextSibling : over) } });
    onmouseup = () => { held = null; note(order()) };";

/// Begins after 5 px, draws its state once a frame, and moves what makes room by a transition; orders by what was drawn last.
const BY_STATE: &str = "let from, over, y, drawn = false; const middles = () => items.map((one, n) => l.getBoundingClientRect().top + n * 40 + 20);
    const draw = () => { drawn = false; if (!held) return; const at = items.indexOf(held), middle = middles()[at] + y - from;
        over = middles().reduce((best, one, n) => Math.abs(one - middle) < Math.abs(middles()[best] - middle) ? n : best, 0);
        items.forEach((one, n) => { one.style.transition = one == held ? '' : 'transform 250ms';
            one.style.transform = one == held ? `translateY(${y - from}px)` : n > at && n <= over ? 'translateY(-40px)' : n < at && n >= over ? 'translateY(40px)' : '' }) };
    l.onpointerdown = e => { const pressed = e.target; from = e.clientY;
        onpointermove = e => { y = e.clientY; if (!held && Math.abs(y - from) > 5) setTimeout(() => { held = pressed });
            if (held && !drawn) { drawn = true; requestAnimationFrame(() => setTimeout(draw)) } };
        onpointerup = () => { onpointermove = onpointerup = null; if (held && over !== undefined) { items.splice(over, 0, ...items.splice(items.indexOf(held), 1)) }
            for (const one of items) { one.style.transition = one.style.transform = ''; l.append(one) } held = null; note(order()) } };";

/// A copy goes with the pointer, and what is under it is looked at by a timer.
const BY_TIMER: &str = "let copy, at, last; const look = () => { if (!at || (last && at.x == last.x && at.y == last.y)) return; last = at;
        copy.style.transform = `translate(${at.x - from.x}px,${at.y - from.y}px)`; const over = document.elementFromPoint(at.x, at.y)?.closest('#l > *');
        if (!over || over == held) return; const all = [...l.children]; l.insertBefore(held, all.indexOf(over) > all.indexOf(held) ? over.nextSibling : over) };
    let from, timer; l.onpointerdown = e => { held = e.target.closest('#l > *'); from = { x: e.clientX, y: e.clientY };
        onpointermove = e => { at = { x: e.clientX, y: e.clientY }; if (copy) return; copy = held.cloneNode(true);
            copy.style.cssText = 'position:fixed;pointer-events:none;opacity:.8;left:20px;top:' + held.getBoundingClientRect().top + 'px'; document.body.append(copy); timer = setInterval(look, 50) };
        onpointerup = () => { onpointermove = onpointerup = null; clearInterval(timer); copy?.remove(); copy = last = at = null; note(order()) } };";

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_sorts_itself_in_its_own_time_gets_the_order_that_was_meant() {
    let scene = Scene::open().await;
    for sorts in [BY_FRAMES, BY_STATE, BY_TIMER] {
        for (from, to, order) in [("Ant", "Cat", "Bee Cat Ant Dog"), ("Dog", "Bee", "Ant Dog Bee Cat")] {
            scene.shows(&format!("{LOGS}{}", list(sorts))).await;
            let acted = drags(&scene, &format!("\"{from}\""), &format!("\"{to}\"")).await;
            assert_eq!(scene.log().await, order, "{sorts} {acted:?}");
            assert_eq!(acted.unwrap().warned(), [] as [String; 0], "{sorts}");
        }
    }
    // By handles.
    let handles = list(BY_TIMER)
        .replace("<div role=button>", "<div><span role=button style='display:inline-block;width:20px;height:20px'>");
    scene
        .shows(&format!(
            "{LOGS}{}",
            ["Ant", "Bee", "Cat", "Dog"].iter().fold(handles, |html, item| {
                html.replace(&format!("'>{item}</div>"), &format!("' aria-label='Move {item}'></span>{item}</div>"))
            })
        ))
        .await;
    let acted = drags(&scene, "Move Ant", "Move Cat").await;
    assert_eq!(scene.log().await, "Bee Cat Ant Dog", "{acted:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_out_of_view_is_dropped_on_and_a_drag_that_does_not_begin_is_told() {
    let far = "<div id=a draggable=true style='width:80px;height:40px;background:#eee'>Source</div><div style='height:2500px'></div>
        <div id=b style='width:80px;height:40px;background:#efe'>Target</div><div style='height:900px'></div><script>a.ondragstart = e => e.dataTransfer.setData('text', 'x');
        b.ondragover = e => e.preventDefault(); b.ondrop = e => { e.preventDefault(); note('dropped'); b.textContent = 'Filled' }</script>";
    let scene = Scene::open().await;
    for document in [far.to_owned(), format!("<div style='height:300px;overflow:auto'>{far}</div>")] {
        scene.shows(&format!("{LOGS}{document}")).await;
        let (from, to) = (scene.element("#a").await, scene.element("#b").await);
        let acted = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await;
        assert_eq!(scene.log().await, "dropped", "{acted:?}");
        assert_eq!(acted.unwrap().warned(), [] as [String; 0]);
    }
    // The page refuses the drag; the press gives the focus, which is no effect of a drag.
    scene.shows(&format!("{LOGS}{}", far.replace("id=a", "id=a tabindex=0").replace("2500px", "20px"))).await;
    scene.evaluate("a.ondragstart = e => e.preventDefault()").await;
    let (from, to) = (scene.element("#a").await, scene.element("#b").await);
    let acted = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await.unwrap();
    assert_eq!(acted.warned(), [NO_CHANGE]);
    // It never begins.
    scene
        .shows(&format!(
            "{LOGS}{far}<script>a.onmousedown = e => {{ e.preventDefault(); a.className = 'pressed' }}</script>"
        ))
        .await;
    let (from, to) = (scene.element("#a").await, scene.element("#b").await);
    let acted = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await.unwrap();
    assert!(acted.warned().iter().any(|one| one.starts_with("not_dropped")), "{acted:?} {}", scene.log().await);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drag_that_fails_has_clicked_nothing() {
    let places = "<style>body { margin: 0 } #o { position: fixed; left: 0; top: 60px; width: 100%; height: 100%; background: #fee }</style>
        <div id=a role=button tabindex=0 style='width:80px;height:40px;background:#eee'>Source</div><div style='height:40px'></div>
        <div id=b role=button tabindex=0 style='width:80px;height:40px;background:#efe'>Target</div>";
    let logs = "<script>for (const type of ['pointerdown', 'pointerup', 'mouseup', 'click']) addEventListener(type, e => note(type + ' ' + (e.target.id || e.target.localName)), true)</script>";
    let scene = Scene::open().await;
    // Covered from the start: not even pressed.
    scene.shows(&format!("{LOGS}{places}<div id=o>Overlay</div>{logs}")).await;
    let covered = drags(&scene, "Source", "Target").await;
    assert!(matches!(&covered, Err(ActError::Covered { by, .. }) if by.contains("\"o\"")), "{covered:?}");
    assert_eq!(scene.log().await, "");
    // Covered at the press: let go where it was taken up.
    scene.shows(&format!("{LOGS}{places}<div id=o hidden>Overlay</div>{logs}<script>a.addEventListener('pointerdown', () => {{ o.hidden = false }})</script>")).await;
    let covered = drags(&scene, "Source", "Target").await;
    assert!(matches!(covered, Err(ActError::Covered { .. })), "{covered:?}");
    assert_eq!(scene.log().await, "pointerdown a,pointerup a,mouseup a");
    // It goes with the pointer, so that press and release are both its own.
    scene.shows(&format!("{LOGS}{places}<div id=o hidden style='z-index:2'>Overlay</div>{logs}<script>a.addEventListener('pointerdown', () => {{
        a.style.position = 'relative'; onpointermove = e => {{ a.style.top = e.clientY - 20 + 'px' }}; onpointerup = () => {{ onpointermove = null }};
        addEventListener('pointerup', () => {{ b.textContent = 'Delete' }}, true) }});
        addEventListener('pointermove', e => {{ if (e.buttons && e.clientY > 50) b.textContent = 'Delete' }})</script>")).await;
    let renamed = drags(&scene, "Source", "Target").await;
    assert!(matches!(renamed, Err(ActError::Stale(_))), "{renamed:?}");
    assert!(!scene.log().await.contains("click"), "{}", scene.log().await);
    // Clicks come again.
    scene.click("#a").await.unwrap();
    assert!(scene.log().await.ends_with("click a"), "{}", scene.log().await);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_becomes_another_gets_no_drop() {
    let places = |html: &str, script: &str| {
        format!(
            "{LOGS}<div id=a {html} role=button tabindex=0 style='width:200px;height:40px;background:#eee'>Letter</div><div style='height:40px'></div>
            <div id=b role=button tabindex=0 style='width:200px;height:40px;background:#efe'>Archive</div><script>
            const drop = e => {{ e.preventDefault(); if (b.contains(e.target)) note(b.textContent) }}; b.ondragover = e => e.preventDefault(); b.ondrop = drop;
            a.ondragstart = e => e.dataTransfer.setData('text', 'x'); onmouseup = e => a.draggable || drop(e); {script}</script>"
        )
    };
    let scene = Scene::open().await;
    for (html, script, log) in [
        ("", "a.onmousedown = () => { b.textContent = 'Delete forever' }", ""),
        ("", "onmousemove = e => { if (e.buttons && e.clientY > 80) b.textContent = 'Delete forever' }", ""),
        ("", "addEventListener('pointerup', () => { b.textContent = 'Archive it' }, true)", "Archive it"),
        ("", "a.onmousedown = () => { b.textContent = 'Drop it into the archive' }", "Drop it into the archive"),
        ("draggable=true", "a.addEventListener('dragstart', () => { b.textContent = 'Delete forever' })", ""),
        ("draggable=true", "b.addEventListener('dragover', () => { b.textContent = 'Delete forever' })", ""),
        ("draggable=true", "b.ondragenter = () => { b.textContent = 'Move to the archive' }", "Move to the archive"),
    ] {
        scene.shows(&places(html, script)).await;
        let dragged = drags(&scene, "Letter", "Archive").await;
        assert_eq!(scene.log().await, log, "{script} {dragged:?}");
        assert_eq!(matches!(dragged, Err(ActError::Stale(_))), log.is_empty(), "{script} {dragged:?}");
    }
    // A list whose items change places is the same list.
    scene.shows(&format!("{LOGS}{}", list(BY_FRAMES).replace("id=l", "id=l tabindex=0"))).await;
    let (from, to) = (shown(&scene, "\"Bee\"").await, shown(&scene, "clickable").await);
    scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &briefly()).await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_press_puts_in_the_place_of_what_is_dragged_is_not_dropped() {
    let page = |html: &str, script: &str| {
        format!(
            "{LOGS}<label>Filter <input id=f></label><ul id=u><li {html} role=button>Alice</li><li {html} role=button>Bob</li></ul>
            <div id=b role=button tabindex=0 style='width:200px;height:40px;background:#efe'>Trash</div><script>
            let held = null; b.ondragover = e => e.preventDefault(); b.ondrop = () => note('trashed ' + held.textContent); u.ondragstart = e => {{ held = e.target; e.dataTransfer.setData('text', 'x') }};
            u.onmousedown = e => {{ if (!e.target.draggable) held = e.target }}; b.onmouseup = () => held.draggable || note('trashed ' + held.textContent);
            const redraw = () => {{ u.firstChild.textContent = 'Bob'; u.lastChild.remove() }}; {script}</script>"
        )
    };
    let scene = Scene::open().await;
    for html in ["draggable=true", ""] {
        for (script, is_right) in [("f.onchange = redraw", false), ("u.onpointerdown = redraw", false), ("", true)] {
            scene.shows(&page(html, script)).await;
            let source = shown(&scene, "\"Alice\"").await;
            let target = shown(&scene, "\"Trash\"").await;
            scene.types("#f", "b").await.unwrap();
            let dragged = scene.page.drag(&Grip::Element(source), &Drop::Element(&target), &briefly()).await;
            let log = scene.log().await;
            assert_eq!(log, if is_right { "trashed Alice" } else { "" }, "{html} {script} {dragged:?}");
            assert_eq!(matches!(dragged, Err(ActError::Stale(_))), !is_right, "{html} {script} {dragged:?}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_is_drawn_anew_on_the_way_is_not_dropped() {
    let page = |html: &str, redraws: &str| {
        format!(
            "{LOGS}<ul id=u><li {html} tabindex=0>Alice</li><li {html} tabindex=0>Bob</li><li {html} tabindex=0>Carol</li></ul>
            <div id=b role=button tabindex=0 style='width:200px;height:40px;background:#efe'>Trash</div><script>
            let held = null; b.ondragover = e => e.preventDefault(); b.ondrop = () => note('trashed ' + held.textContent); u.ondragstart = e => {{ held = e.target; e.dataTransfer.setData('text', 'x'); begun() }};
            u.onpointerdown = e => {{ held = e.target; if (!held.draggable) begun() }}; b.onpointerup = () => held.draggable || note('trashed ' + held.textContent);
            const begun = () => setTimeout(() => {{ {redraws} }}, 60), says = (...names) => names.forEach((name, n) => {{ u.children[n].textContent = name }})</script>"
        )
    };
    let scene = Scene::open().await;
    for html in ["draggable=true", ""] {
        for (redraws, is_right) in [
            ("says('Zed', 'Alice', 'Bob')", false),
            ("says('Bob', 'Carol', 'Alice')", false),
            ("says('Alice', 'Bob', 'Zed')", true),
            ("u.children[0].textContent = 'Alice, held'", true),
            ("u.append(u.firstChild)", true),
        ] {
            scene.shows(&page(html, redraws)).await;
            let dragged = drags(&scene, "Alice", "\"Trash\"").await;
            let log = scene.log().await;
            assert_eq!(log.starts_with("trashed Alice"), is_right, "{html} {redraws} {log} {dragged:?}");
            assert_eq!(dragged.is_ok(), is_right, "{html} {redraws} {log} {dragged:?}");
        }
    }
    scene.ends().await;
}

/// Two zones, and a card that goes with the pointer; `moves` runs at each move. What is under the card at its release gets it.
fn board(moves: &str) -> String {
    format!(
        "<style>.z {{ position: absolute; left: 300px; width: 150px; height: 100px; background: #ddd }}</style><div id=board style='position:relative;width:700px;height:400px'>
        <div id=card tabindex=0 style='position:absolute;left:10px;top:10px;width:80px;height:30px;background:#adf'>Card</div>
        <div class=z id=a tabindex=0 style='top:10px'>Archive</div><div class=z id=b tabindex=0 style='top:200px'>Delete</div></div>{LOGS}<script>let held = false;
        const swaps = () => {{ a.style.top = '200px'; b.style.top = '10px' }}, raises = () => board.lastElementChild === card || board.append(card);
        const covers = () => {{ if (!document.getElementById('t')) {{ const t = document.createElement('div'); t.id = 't'; t.className = 'z'; t.style.top = '10px'; t.textContent = 'Trash'; board.append(t) }} }};
        card.onpointerdown = e => {{ held = true; e.preventDefault() }};
        onpointermove = e => {{ if (held) {{ {moves}; card.style.left = e.clientX - 40 + 'px'; card.style.top = e.clientY - 15 + 'px' }} }};
        onpointerup = e => {{ if (!held) return; held = false; card.style.pointerEvents = 'none'; note(document.elementFromPoint(e.clientX, e.clientY).closest('.z')?.textContent ?? ''); card.style.pointerEvents = '' }}</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_drawn_in_front_of_all_else_goes_to_its_target_alone() {
    let scene = Scene::open().await;
    for (moves, gets) in
        [("raises()", "Archive"), ("raises(); swaps()", "Archive"), ("swaps()", "Archive"), ("raises(); covers()", "")]
    {
        scene.shows(&board(moves)).await;
        let dragged = drags(&scene, "Card", "\"Archive\"").await;
        let log = scene.log().await;
        assert_eq!(log, gets, "{moves} {dragged:?}");
        assert_eq!(dragged.is_ok(), !gets.is_empty(), "{moves} {log} {dragged:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_to_a_point_meanwhile_gets_no_drop() {
    let scene = Scene::open().await;
    let html = |begun: &str| {
        format!(
            "<style>.z {{ position: absolute; left: 300px; width: 150px; height: 100px; background: #ddd }}</style><div id=card draggable=true style='width:80px;height:30px;background:#adf'>Card</div>
            <div class=z id=a style='top:10px'>Archive</div><div class=z id=b style='top:200px'>Delete</div>{LOGS}<script>
            card.ondragstart = e => {{ e.dataTransfer.setData('text', 'x'); setTimeout(() => {{ {begun} }}) }};
            for (const one of [a, b]) {{ one.ondragover = e => e.preventDefault(); one.ondrop = () => note(one.textContent) }}</script>"
        )
    };
    let swaps = "a.style.top = '200px'; b.style.top = '10px'";
    for (page, gets) in [
        (board(""), "Archive"),
        (board("raises()"), "Archive"),
        (board("swaps()"), ""),
        (board("raises(); swaps()"), ""),
        (board("covers()"), ""),
        (board("a.textContent = 'Drop here'"), "Drop here"),
        (board("a.innerHTML = '<b>Archive</b>'"), "Archive"),
        (board("document.getElementById('a').replaceWith(document.getElementById('a').cloneNode(true))"), "Archive"),
        // What is drawn of the card in the zone says another hour.
        (
            board(
                "const a = document.getElementById('a'); if (!a.firstElementChild) { card.textContent = '10:00 Stand-up'; a.innerHTML = '<i>11:30 Stand-up</i> Archive' }",
            ),
            "11:30 Stand-up Archive",
        ),
        (html(""), "Archive"),
        (html(swaps), ""),
    ] {
        scene.shows(&page).await;
        let card = scene.element("#card").await;
        let to = Drop::Point(Point { x: 375.0, y: 70.0 });
        let dragged = scene.page.drag(&Grip::Element(card), &to, &briefly()).await;
        let log = scene.log().await;
        assert_eq!(log, gets, "{page} {dragged:?}");
        assert_eq!(dragged.is_ok(), !gets.is_empty(), "{page} {log} {dragged:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_back_or_is_refused_is_told() {
    let scene = Scene::open().await;
    let refuses = "<div id=card draggable=true style='width:80px;height:30px'>Card</div><div id=a style='position:absolute;left:300px;top:10px;width:150px;height:100px'>Archive</div>
        <script>card.ondragstart = e => e.dataTransfer.setData('text', 'x')</script>";
    let back = |more: &str| {
        board("").replace("held = false; card.style.pointerEvents = 'none'; note(", &format!("held = false; {more}; ("))
    };
    // As lists do that draw a copy under the pointer.
    let copied = "<div id=card style='width:80px;height:30px'>Card</div><div id=a style='position:absolute;left:300px;top:10px;width:150px;height:100px'>Archive</div>
        <script>let copy = null;
        card.onmousedown = (e) => { e.preventDefault(); copy = card.cloneNode(true); copy.id = ''; copy.style.cssText = 'position:fixed;pointer-events:none'; document.body.append(copy); card.style.opacity = .3 };
        onmousemove = (e) => { if (copy) { copy.style.left = `${e.clientX}px`; copy.style.top = `${e.clientY}px` } };
        onmouseup = () => { copy?.remove(); copy = null; card.style.opacity = ''; DROP }</script>";
    let slowly = "card.style.transition = 'left .3s, top .3s'; card.style.left = card.style.top = '10px'";
    for (page, is_told) in [
        (refuses.to_owned(), true),
        (back("card.style.left = card.style.top = '10px'"), true),
        (back(slowly), true),
        (copied.replace("DROP", ""), true),
        (copied.replace("DROP", "a.append(card)"), false),
        (back("card.style.left = card.style.top = '10px'; a.textContent = 'Archive (1)'"), false),
        (back("card.style.left = card.style.top = '10px'; a.className = 'z full'"), false),
        (back(""), false),
    ] {
        for to_point in [false, true] {
            scene.shows(&page).await;
            let card = scene.element("#card").await;
            let zone = scene.element("#a").await;
            let to = if to_point { Drop::Point(Point { x: 375.0, y: 70.0 }) } else { Drop::Element(&zone) };
            let dragged = scene.page.drag(&Grip::Element(card), &to, &briefly()).await.unwrap();
            let told = dragged.warned().iter().any(|warning| warning.starts_with("not_dropped: "));
            assert_eq!(told, is_told, "{page} {to_point} {dragged:?}");
        }
    }
    // What a canvas draws can't be compared.
    scene.shows("<canvas id=c width=400 height=300></canvas><script>c.onmousemove = e => c.getContext('2d').fillRect(e.offsetX, e.offsetY, 5, 5)</script>").await;
    let grip = Grip::Point(Point { x: 60.0, y: 60.0 }, scene.element("#c").await);
    let dragged = scene.page.drag(&grip, &Drop::Point(Point { x: 200.0, y: 100.0 }), &briefly()).await.unwrap();
    assert_eq!(dragged.warned(), Vec::<String>::new());
    scene.ends().await;
}

/// HTML's drag and drop carries what is under the point of the press once the pointer moves. A list that gets an entry on top by the
/// press has another one there.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_under_the_press_is_not_dragged() {
    let list = |script: &str| {
        format!(
            "<style>li, div {{ width: 160px; height: 40px; margin: 4px }}</style><label>New <input id=n></label><ul id=u>
            <li draggable=true>Report A</li><li draggable=true>Report B</li><li draggable=true><b>Report C</b></li></ul><script>
            var held = null; u.ondragstart = e => {{ held = e.target; e.dataTransfer.setData(`text`, `x`) }};
            const adds = () => {{ const li = document.createElement(`li`); li.draggable = true; li.textContent = `Report D`; u.prepend(li) }};
            const covers = () => {{ const over = document.createElement(`div`); over.draggable = true; over.textContent = `Secret`; over.ondragstart = e => {{ held = e.target; e.dataTransfer.setData(`text`, `x`) }};
                const {{ left, top }} = u.children[1].getBoundingClientRect(); over.style.cssText = `position:fixed;margin:0;left:${{left}}px;top:${{top}}px`; document.body.append(over) }}; {script}</script>"
        )
    };
    let page = |script: &str, is_framed: bool| {
        let list = list(script);
        let list = if is_framed { format!("<iframe srcdoc='{list}' height=260></iframe>") } else { list };
        format!(
            "{LOGS}{list}<div id=b role=button tabindex=0>Archive</div><script>
            b.ondragover = e => e.preventDefault(); b.ondrop = e => {{ e.preventDefault(); note((frames[0] ?? window).held.textContent) }}</script>"
        )
    };
    let scene = Scene::open().await;
    for (script, is_right) in [
        ("", true),
        ("n.onchange = adds", false),
        ("u.onpointerdown = adds", false),
        ("u.onmousedown = covers", false),
        ("u.onmousedown = () => setTimeout(covers)", false),
    ] {
        for is_framed in [false, true] {
            scene.shows(&page(script, is_framed)).await;
            let source = shown(&scene, "Report B").await;
            let target = shown(&scene, "\"Archive\"").await;
            let field = shown(&scene, "\"New\"").await;
            scene.page.type_text(&field, &typing("x")).await.unwrap();
            let dragged = scene.page.drag(&Grip::Element(source), &Drop::Element(&target), &briefly()).await;
            assert_eq!(scene.log().await, if is_right { "Report B" } else { "" }, "{script} {is_framed} {dragged:?}");
            assert_eq!(dragged.is_ok(), is_right, "{script} {is_framed} {dragged:?}");
        }
    }
    // A part of what can be dragged is its handle.
    scene.shows(&page("", false)).await;
    drags(&scene, "Report C", "\"Archive\"").await.unwrap();
    assert_eq!(scene.log().await, "Report C");
    scene.ends().await;
}

/// As the drag begins what is dragged is taken out of a list of folders, or something comes before it: the entries that move up or
/// down get no drop that was meant for another.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_comes_under_the_pointer_gets_no_drop_of_another() {
    let folders = |draggable: bool, begins: &str| {
        format!(
            "{LOGS}<style>#l > * {{ width: 200px; height: 40px; background: #eee; user-select: none; touch-action: none }}</style>
            <div id=l><div role=button draggable={draggable}>Letter</div><div role=button>Docs</div><div role=button>Trash</div><div role=button>Music</div></div>
            <script>let letter = l.firstChild, held = false; const begins = () => {{ {begins} }}, lands = e => held && e.target.closest('#l > *') && note(e.target.textContent);
            l.ondragstart = e => {{ held = true; e.dataTransfer.setData('text', 'x'); setTimeout(begins) }}; l.ondragover = e => e.preventDefault(); l.ondrop = lands;
            letter.onpointerdown = () => {{ held = !letter.draggable }}; let begun = false;
            onpointermove = e => {{ if (held && !letter.draggable && !begun) {{ begun = true; begins() }} }}; onpointerup = e => {{ if (!letter.draggable) lands(e) }}</script>"
        )
    };
    let scene = Scene::open().await;
    for draggable in [true, false] {
        for begins in [
            "letter.remove()",
            "letter.style.display = 'none'",
            "l.prepend(Object.assign(document.createElement('div'), { textContent: 'Bin' }))",
            "l.append(letter)",
        ] {
            scene.shows(&folders(draggable, begins)).await;
            let dragged = drags(&scene, "\"Letter\"", "\"Docs\"").await;
            let log = scene.log().await;
            assert!(log == "Docs" || (log.is_empty() && dragged.is_err()), "{draggable} {begins}: {log:?} {dragged:?}");
        }
    }
    // A column comes before the others.
    let board = "<style>#l { display: flex } #l > * { width: 150px; height: 200px; background: #eee } .c { height: 40px; background: #fff }</style>
        <div id=l><section>Todo<div class=c draggable=true>Letter</div><div class=c draggable=true>Card</div></section><section>Doing</section><section>Done</section></div>
        <script>l.ondragstart = e => { e.dataTransfer.setData('text', 'x'); setTimeout(() => l.prepend(Object.assign(document.createElement('section'), { textContent: 'Bin' }))) };
        l.ondragover = e => e.preventDefault(); l.ondrop = e => note(e.target.closest('section').firstChild.data)</script>";
    scene.shows(&format!("{LOGS}{board}")).await;
    let (from, to) = (scene.element(".c").await, scene.element("section:nth-child(2)").await);
    let dragged = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &briefly()).await;
    assert_eq!(scene.log().await, "Doing", "{dragged:?}");
    scene.ends().await;
}

/// A list that sorts itself takes the drop on any part of the entry that made room, though the target is a handle in it.
#[tokio::test(flavor = "multi_thread")]
async fn a_tall_entry_that_made_room_is_not_followed() {
    let entry = |name: &str, height: u32| {
        format!(
            "<div class=e draggable=true><button aria-label='Move {name}'>::</button><p style='height:{height}px;margin:0'>{name}</p></div>"
        )
    };
    let scene = Scene::showing(&format!(
        "{LOGS}<div id=l style='width:300px'>{}{}</div><script>let held; l.ondragstart = e => {{ held = e.target; e.dataTransfer.setData('text', 'x') }};
        l.ondragover = e => {{ e.preventDefault(); const over = e.target.closest('.e'); if (!over || over == held) return;
            const r = over.getBoundingClientRect(), all = [...l.children]; l.insertBefore(held, all.indexOf(over) > all.indexOf(held) ? over.nextSibling : over) }};
        l.ondrop = e => {{ e.preventDefault(); note([...l.children].map(one => one.innerText.replace(/\\s+/g, ' ')).join()) }}</script>",
        entry("Ant", 40),
        entry("Bee", 160)
    ))
    .await;
    let dragged = drags(&scene, "Move Ant", "Move Bee").await;
    assert_eq!(scene.log().await, ":: Bee,:: Ant", "{dragged:?}");
    assert_eq!(dragged.unwrap().warned(), [] as [String; 0]);
    scene.ends().await;
}
