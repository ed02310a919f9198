//! Dragging, and what covers or takes a drop.

use std::time::Duration;

use porthole_service::page::interact::{ActError, Acted, Drop, Element, Grip, Point, Refs, SnapshotOptions, Terms};
use tokio::time::Instant;

use super::scene::{BRIEFLY, LOGS, Scene, ready};
use crate::warned::Warned;

#[tokio::test(flavor = "multi_thread")]
async fn elements_are_dragged_by_the_pointer_and_by_html() {
    let scene = Scene::showing(
        "<div id=a style='position:absolute;left:20px;top:20px;width:60px;height:60px;background:red;z-index:1'></div>
        <div id=to style='position:absolute;left:400px;top:300px;width:100px;height:100px;border:1px solid'></div><script>const log = [];
        a.onpointerdown = e => { a.setPointerCapture(e.pointerId); a.onpointermove = m => { a.style.left = m.clientX - 30 + 'px'; a.style.top = m.clientY - 30 + 'px' } };
        a.onpointerup = e => { a.onpointermove = null; log.push('up ' + Math.round(e.clientX) + ' ' + Math.round(e.clientY)) }</script>",
    )
    .await;
    let (from, to) = (scene.element("#a").await, scene.element("#to").await);
    scene.page.drag(&Grip::Element(from.clone()), &Drop::Element(&to), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "up 451 351");
    scene.page.drag(&Grip::Element(from.clone()), &Drop::Point(Point { x: 100.0, y: 200.0 }), &ready()).await.unwrap();
    assert_eq!(scene.evaluate("a.style.left + a.style.top").await, "70px170px");

    // HTML's drag and drop to a point, into a frame too.
    for zone in [
        "<div id=to {}>to</div>",
        "<iframe id=to {} srcdoc=\"<body style='margin:0;height:200px' ondragover='event.preventDefault()' ondrop='event.preventDefault();parent.log.push(`drop`)'>\"></iframe>",
    ] {
        let zone = zone.replace("{}", "style='position:absolute;left:300px;top:10px;width:200px;height:100px'");
        scene
            .shows(&format!(
                "<script>var log = []</script><p id=a draggable=true style='width:100px'>drag me</p>{zone}<script>a.ondragstart = e => e.dataTransfer.setData('text/plain', 'x');
                to.ondragover = e => e.preventDefault(); to.ondrop = e => {{ e.preventDefault(); log.push('drop') }}; a.ondragend = () => log.push('end')</script>"
            ))
            .await;
        let from = scene.element("#a").await;
        scene.page.drag(&Grip::Element(from), &Drop::Point(Point { x: 400.0, y: 60.0 }), &ready()).await.unwrap();
        assert_eq!(scene.log().await, "drop,end", "{zone}");
    }

    scene
        .shows(
            "<p id=a draggable=true>drag me</p><div id=to style='width:200px;height:200px;border:1px solid'></div><script>const log = [];
            a.ondragstart = e => { e.dataTransfer.setData('text/plain', 'carried'); log.push('start') };
            to.ondragover = e => e.preventDefault(); to.ondragenter = () => log.push('enter');
            to.ondrop = e => { e.preventDefault(); log.push('drop ' + e.dataTransfer.getData('text/plain')); to.append(a) };
            a.ondragend = () => log.push('end')</script>",
        )
        .await;
    let (from, to) = (scene.element("#a").await, scene.element("#to").await);
    let acted = scene.page.drag(&Grip::Element(from.clone()), &Drop::Element(&to), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "start,enter,drop carried,end");
    assert!(acted.settled.settled && !acted.settled.no_change, "{acted:?}");
    scene.click("#a").await.unwrap();
    scene.ends().await;
}

/// Lists that scroll the page while an item is held near its edge know places that are old then.
#[tokio::test(flavor = "multi_thread")]
async fn items_near_an_edge_are_dragged_where_nothing_scrolls() {
    let list = |above: &str, around: &str| {
        format!(
            "<style>body {{ margin: 0 }} .i {{ height: 40px; width: 200px; user-select: none }} #box {{ {around} }}</style>
            <div id=box><div style='height:{above}'></div><div id=l><div class=i>Ant</div><div class=i>Bee</div><div class=i>Cat</div><div class=i>Dog</div></div><div style='height:900px'></div></div>
            <script>const log = []; let held = null, places = null, scrolling = 0, last = null;
            const scroller = () => box.scrollHeight > box.clientHeight + 1 ? box : document.scrollingElement;
            const view = () => scroller() === box ? box.getBoundingClientRect() : {{ top: 0, bottom: innerHeight }};
            l.onpointerdown = (event) => {{ held = event.target; places = [...l.children].map((one) => [one, one.getBoundingClientRect().top]) }};
            document.onpointermove = (event) => {{ if (!held) return; last = event;
                clearInterval(scrolling); const {{ top, bottom }} = view(), edge = (bottom - top) / 5;
                const by = event.clientY < top + edge ? -8 : event.clientY > bottom - edge ? 8 : 0;
                if (by) scrolling = setInterval(() => scroller().scrollBy(0, by), 5) }};
            document.onpointerup = () => {{ if (!held) return; clearInterval(scrolling);
                const [to] = places.toSorted((a, b) => Math.abs(a[1] + 20 - last.clientY) - Math.abs(b[1] + 20 - last.clientY))[0];
                const down = places.findIndex(([one]) => one === held) < places.findIndex(([one]) => one === to);
                if (to !== held) to[down ? 'after' : 'before'](held); held = null;
                log.push(l.innerText.split(`\\n`).join(` `)) }}</script>"
        )
    };
    let scene = Scene::open().await;
    for (above, around) in [("500px", ""), ("440px", ""), ("700px", ""), ("300px", "height: 400px; overflow: auto")] {
        scene.shows(&list(above, around)).await;
        let (from, to) = (scene.element("#l > :nth-child(1)").await, scene.element("#l > :nth-child(3)").await);
        let dragged = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await;
        assert_eq!(scene.log().await, "Bee Cat Ant Dog", "{above} {around}: {dragged:?}");
        dragged.unwrap();
    }
    scene.ends().await;
}

/// What a slider shows of its value as it is pressed makes it no other one.
#[tokio::test(flavor = "multi_thread")]
async fn a_slider_that_shows_its_value_is_dragged() {
    let scene = Scene::showing(
        "<body style='margin:50px'><div id=s role=slider tabindex=0 aria-valuenow=50 style='width:400px;height:30px;background:#ccc'><div id=pin style='display:none'>50</div></div>
        <script>let on = false; const log = [], set = (event) => { pin.textContent = s.ariaValueNow = Math.round((event.clientX - 50) / 4) };
        s.onmousedown = (event) => { on = true; pin.style.display = ''; set(event) };
        document.onmousemove = (event) => { if (on) set(event) };
        document.onmouseup = () => { on = false; pin.style.display = 'none' }</script>",
    )
    .await;
    let mut refs = Refs::default();
    for x in [150.0, 250.0] {
        let slider = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("slider")).await;
        scene.page.drag(&Grip::Element(slider), &Drop::Point(Point { x, y: 65.0 }), &ready()).await.unwrap();
        assert_eq!(scene.evaluate("s.ariaValueNow").await, format!("{}", (x - 50.0) / 4.0));
    }
    scene.ends().await;
}

/// Drags one element to another, where they are known not to become ready.
pub(super) async fn drags_briefly(scene: &Scene, from: &str, to: &Element) -> Result<Acted, ActError> {
    let terms = Terms::until(Instant::now() + Duration::from_millis(700));
    let from = Grip::Element(scene.element(from).await);
    scene.page.drag(&from, &Drop::Element(to), &terms).await
}

/// A card that is dragged by the pointer alone and tells what it was dropped on, and two zones.
const ZONES: &str = "<style>body { margin: 0 } div { position: absolute } #a { left: 20px; top: 20px; width: 60px; height: 60px; background: red }
    #to, #del { width: 100px; height: 100px } #to { left: 400px; top: 300px; background: green } #del { left: 600px; top: 300px; background: blue }</style>
    <div id=to></div><div id=del></div><div id=a></div><script>const log = [];
    const slide = () => { del.style.left = '400px' };
    a.onpointerdown = () => { a.style.pointerEvents = 'none';
        document.onpointermove = e => { a.style.left = e.clientX - 30 + 'px'; a.style.top = e.clientY - 30 + 'px' };
        document.onpointerup = e => { document.onpointermove = null; a.style.pointerEvents = '';
            log.push('on ' + (e.target.id || e.target.localName)) } }</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_dragged_by_the_pointer_is_dropped_on_its_target_alone() {
    let scene = Scene::showing(ZONES).await;
    let to = scene.element("#to").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert_eq!(scene.log().await, "on to");
    // Another zone slides there as the pointer comes.
    scene.shows(ZONES).await;
    scene.evaluate("addEventListener('pointermove', e => { if (e.buttons && e.clientX > 300) slide() })").await;
    let to = scene.element("#to").await;
    let covered = drags_briefly(&scene, "#a", &to).await.unwrap_err();
    assert!(matches!(&covered, ActError::Covered { by, .. } if by.contains("\"del\"")), "{covered:?}");
    assert_eq!(scene.log().await, "on html", "it is put back where it was");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_drawn_of_the_dragged_covers_no_target() {
    // A copy follows the pointer, over everything; and the card itself, in a shield over the page.
    for drawn in [
        "const copy = a.cloneNode(true); copy.id = 'copy'; copy.style.cssText = 'background:gold;z-index:9'; document.body.append(copy);
         const shown = copy;",
        "const shield = document.createElement('div'); shield.style.cssText = 'inset:0;z-index:8'; document.body.append(shield); const shown = a;",
    ] {
        let scene = Scene::showing(&ZONES.replace("a.onpointerdown = () => { a.style.pointerEvents = 'none';", &format!("a.onpointerdown = () => {{ {drawn}"))
            .replace("a.style.left", "shown.style.left").replace("a.style.top", "shown.style.top")
            .replace("(e.target.id || e.target.localName)", "document.elementsFromPoint(e.clientX, e.clientY).map(one => one.id).filter(id => id == 'to' || id == 'del')")).await;
        let to = scene.element("#to").await;
        drags_briefly(&scene, "#a", &to).await.unwrap();
        assert_eq!(scene.log().await, "on to", "{drawn}");
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_drag_draws_late_covers_no_target_and_what_else_comes_does() {
    // The card stays where it is; `late` runs with each move. What is drawn catches the release, as it does in calendars.
    let zones = |late: &str| {
        ZONES.replace("a.style.left = e.clientX - 30 + 'px'; a.style.top = e.clientY - 30 + 'px'", late).replace(
            "const slide",
            "const draws = (css, text = '') => { document.querySelector('#ghost')?.remove(); const ghost = document.createElement('div'); ghost.id = 'ghost';
                ghost.style.cssText = 'z-index:9;' + css; ghost.textContent = text; document.body.append(ghost) }, slide",
        ).replace("id=a></div>", "id=a>Meeting</div>")
    };
    for (late, is_dropped) in [
        // Drawn anew with each move from the card to the pointer, as a span of time.
        ("draws(`left:20px;top:20px;width:${e.clientX - 10}px;height:${e.clientY - 10}px`)", true),
        // Drawn late, and going with the pointer; or a copy in the slot that the pointer is over.
        (
            "if (e.clientX > 250 && !document.querySelector('#ghost')) draws('width:60px;height:60px'); const g = document.querySelector('#ghost'); if (g) { g.style.left = e.clientX - 30 + 'px'; g.style.top = e.clientY - 30 + 'px' }",
            true,
        ),
        ("if (e.clientX > 400) draws('left:400px;top:300px;width:100px;height:100px', 'Meeting')", true),
        // What is no part of the drag: a sheet that opens over the target, over everything, and what was there before.
        ("if (e.clientX > 400) draws('left:400px;top:300px;width:100px;height:100px', 'Delete?')", false),
        ("if (e.clientX > 400) draws('inset:0')", false),
        ("if (e.clientX > 400) draws('left:300px;top:200px;width:300px;height:300px')", false),
        ("if (e.clientX > 400) { del.style.left = '400px' }", false),
    ] {
        let scene = Scene::showing(&zones(late)).await;
        let to = scene.element("#to").await;
        let dropped = drags_briefly(&scene, "#a", &to).await;
        let log = scene.log().await;
        if is_dropped {
            dropped.unwrap_or_else(|error| panic!("{late}: {error:?}"));
            assert!(log == "on to" || log == "on ghost", "{late}: {log}");
        } else {
            assert!(matches!(dropped, Err(ActError::Covered { .. })), "{late}: {dropped:?}");
            assert!(!log.contains("del"), "{late}: {log}");
        }
        scene.ends().await;
    }
}

/// The browser wants an empty list of items back, or the page stays in its drag and takes no more of the mouse.
#[tokio::test(flavor = "multi_thread")]
async fn what_carries_no_data_is_dropped_and_put_back() {
    let scene = Scene::open().await;
    for takes in [true, false] {
        scene
            .shows(&format!(
                "{LOGS}<p id=a draggable=true>Mail</p><div id=to style='width:200px;height:90px'>Archive</div><button id=b>Plain</button><script>
                to.ondragover = e => {{ if ({takes}) e.preventDefault() }}; to.ondrop = () => note('drop');
                a.ondragend = () => note('end'); b.onclick = () => note('clicked')</script>"
            ))
            .await;
        let (from, to) = (scene.element("#a").await, scene.element("#to").await);
        let acted = scene.page.drag(&Grip::Element(from), &Drop::Element(&to), &ready()).await.unwrap();
        assert_eq!(acted.warned().iter().any(|warning| warning.starts_with("not_dropped")), !takes, "{acted:?}");
        scene.click("#b").await.unwrap();
        assert_eq!(scene.log().await, if takes { "drop,end,clicked" } else { "end,clicked" });
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn html_drops_go_to_their_target_alone() {
    let zones = "<style>div { position: absolute; width: 100px; height: 100px; top: 200px } #to { left: 400px; background: green } #del { left: 600px; background: blue }</style>
        <p id=a draggable=true>drag me</p><div id=to></div><div id=del></div><iframe id=f style='position:absolute;left:600px;top:0;width:120px;height:120px;border:0'
        srcdoc=\"<body style='margin:0;height:120px' ondragover='event.preventDefault()' ondrop='event.preventDefault(); parent.log.push(`frame`)'>\"></iframe><script>const log = [];
        a.ondragstart = e => e.dataTransfer.setData('text/plain', 'carried');
        for (const zone of [to, del]) { zone.ondragover = e => e.preventDefault(); zone.ondrop = e => { e.preventDefault(); log.push(zone.id) } }</script>";
    let scene = Scene::showing(zones).await;
    let to = scene.element("#to").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert_eq!(scene.log().await, "to");
    for slides in [
        "a.ondragstart = e => { e.dataTransfer.setData('text/plain', 'carried'); del.style.left = '400px' }",
        "to.ondragenter = () => { del.style.left = '400px' }",
        "to.ondragover = e => { e.preventDefault(); to.seen ? del.style.left = '400px' : to.seen = 1 }",
        "to.ondragenter = () => { f.style.left = '400px'; f.style.top = '200px' }",
    ] {
        scene.shows(zones).await;
        scene.evaluate(slides).await;
        let to = scene.element("#to").await;
        let covered = drags_briefly(&scene, "#a", &to).await.unwrap_err();
        assert!(matches!(covered, ActError::Covered { .. }), "{slides}: {covered:?}");
        assert_eq!(scene.log().await, "", "{slides}");
        // Nothing is held any more.
        scene
            .evaluate(
                "del.style.left = '600px'; f.remove(); to.ondragenter = null; to.ondragover = e => e.preventDefault()",
            )
            .await;
        scene.evaluate("a.ondragstart = e => e.dataTransfer.setData('text/plain', 'carried')").await;
        drags_briefly(&scene, "#a", &to).await.unwrap();
        assert_eq!(scene.log().await, "to", "{slides}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_point_is_dragged_by_that_point() {
    let scene = Scene::showing(
        "<div id=a style='position:absolute;left:0;top:0;width:600px;height:400px;background:red'></div><script>const log = [];
        for (const type of ['pointerdown', 'pointerup']) a.addEventListener(type, e => log.push(e.clientX + ' ' + e.clientY))</script>",
    )
    .await;
    let from = Point { x: 30.0, y: 40.0 };
    let grip = Grip::Point(from, scene.page.element_at(from).await.unwrap());
    scene.page.drag(&grip, &Drop::Point(Point { x: 200.0, y: 100.0 }), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "30 40,200 100");
    scene.ends().await;
}

/// A cover of the page's own that is kept from drag to drag, shown as the press comes, catches the pointer for the drag.
#[tokio::test(flavor = "multi_thread")]
async fn a_cover_that_is_kept_between_drags_covers_no_target() {
    let cover = "<div id=cover style='position:fixed;inset:0;z-index:9;display:none'></div><script>
        addEventListener('pointerdown', () => { cover.style.display = 'block' }, true);
        addEventListener('pointerup', () => { cover.style.display = 'none' }, true);
        addEventListener('pointerup', () => { log.push('let go') })</script>";
    let scene = Scene::showing(&format!("{ZONES}{cover}")).await;
    for _ in 0..2 {
        let to = scene.element("#to").await;
        drags_briefly(&scene, "#a", &to).await.unwrap();
        scene.evaluate("a.style.left = a.style.top = '20px'").await;
    }
    assert_eq!(scene.log().await.matches("let go").count(), 2);
    // One that says or shows something is no such cover.
    for shows in [cover.replace("></div>", ">Drop here</div>"), cover.replace("inset:0", "inset:0;background:#0008")] {
        scene.shows(&format!("{ZONES}{shows}")).await;
        let to = scene.element("#to").await;
        let covered = drags_briefly(&scene, "#a", &to).await.unwrap_err();
        assert!(matches!(covered, ActError::Covered { .. }), "{shows}: {covered:?}");
    }
    scene.ends().await;
}

/// An entry that HTML's drag and drop puts where it was is told, although its list took the drop.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_is_dropped_where_it_was_is_told() {
    let list = "<ul id=l>ITEMS</ul><script>let log = [], item; l.ondragstart = e => { item = e.target; e.dataTransfer.setData('text/plain', 'x') };
        l.ondragover = e => { e.preventDefault(); l.className = 'over' }; l.ondrop = e => { e.preventDefault(); l.className = '';
            const to = e.target.closest('li'); if (to && to !== item) l.insertBefore(item, to); log.push([...l.children].map(one => one.id).join('')) }</script>";
    let items: String =
        ["a", "b", "c"].map(|id| format!("<li draggable=true id={id} style='height:30px'>{id}</li>")).concat();
    let scene = Scene::open().await;
    for (from, to, order, is_same) in [("#b", "#c", "abc", true), ("#a", "#c", "bac", false)] {
        scene.shows(&list.replace("ITEMS", &items)).await;
        let to = scene.element(to).await;
        let acted = drags_briefly(&scene, from, &to).await.unwrap();
        assert_eq!(scene.log().await, order);
        let is_told = acted.warned().iter().any(|one| one.starts_with("not_dropped: "));
        assert_eq!(is_told, is_same, "{order}: {acted:?}");
    }
    scene.ends().await;
}

/// A handle that leaves the pointer to its entry is dragged with that, and dropped on. A click on it would be another one.
#[tokio::test(flavor = "multi_thread")]
async fn a_handle_that_leaves_the_pointer_to_its_entry_is_dragged() {
    let scene = Scene::open().await;
    let entry = |id: &str| {
        format!(
            "<div draggable=true id=row-{id} style='height:30px'><button id={id} style='pointer-events:none'>=</button> {id}</div>"
        )
    };
    scene
        .shows(&format!("{}{}<script>let log = []; addEventListener('dragstart', e => log.push(e.target.id)); addEventListener('dragover', e => e.preventDefault());
            addEventListener('drop', e => {{ e.preventDefault(); log.push(e.target.id) }})</script>", entry("a"), entry("b")))
        .await;
    let to = scene.element("#b").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert_eq!(scene.log().await, "row-a,row-b");
    let covered = scene.click_within("#a", BRIEFLY).await.unwrap_err();
    assert!(matches!(covered, ActError::Covered { .. }), "{covered:?}");
    scene.ends().await;
}

/// What the page draws of the dragged one under the pointer may say another hour than that does.
#[tokio::test(flavor = "multi_thread")]
async fn a_preview_that_says_another_hour_covers_no_target() {
    let scene = Scene::open().await;
    for (title, is_dropped) in [("Standup", true), ("Cancelled", false)] {
        scene
            .shows(&format!(
                "<style>.c{{position:absolute;top:20px;width:120px;height:400px;background:#eee}}.e{{position:absolute;left:0;right:0;height:60px;background:#39f}}</style>
                <div class=c style='left:20px'><div class=e id=s style='top:40px'><b>9:00 - 10:00</b> <i>Standup</i></div></div>
                <div class=c style='left:200px'><div><div class=e id=r style='top:200px'><b>1:00 - 2:00</b> <i>Review</i></div></div><div id=m></div></div>
                <script>const log = []; let on = false; s.onmousedown = e => {{ e.preventDefault(); on = true }};
                onmousemove = e => {{ if (on && e.clientX > 190) m.innerHTML = `<div class=e style='z-index:4;top:${{Math.round((e.clientY - 50) / 20) * 20}}px'><b>13:00 - 14:00</b> <i>{title}</i></div>` }};
                onmouseup = () => {{ if (on) log.push('dropped'); on = false; m.innerHTML = '' }}</script>"
            ))
            .await;
        let to = scene.element("#r").await;
        let dragged = drags_briefly(&scene, "#s", &to).await;
        assert_eq!(dragged.is_ok(), is_dropped, "{title}: {dragged:?}");
    }
    scene.ends().await;
}

/// As WordPress' list of blocks: the row that is dragged is not drawn, and the next one comes up under the pointer.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_is_hidden_while_it_is_dragged_is_dropped_at_a_point() {
    let scene = Scene::showing(
        "<style>li { height: 36px; width: 300px; list-style: none; margin: 0 } .drag { display: none }</style><ul id=u style='margin:0;padding:0'><li>One<li>Two<li>Three<li>Four<li>Five</ul>
        <script>let carried = null; for (const row of u.children) { row.draggable = true; row.ondragend = () => row.classList.remove('drag');
        row.ondragstart = (event) => { carried = row; event.dataTransfer.setData('text', 'x'); setTimeout(() => row.classList.add('drag')) } }
        u.ondragover = (event) => event.preventDefault(); u.ondrop = (event) => { event.preventDefault(); event.target.closest('li')?.before(carried) }</script>",
    )
    .await;
    let from = Grip::Element(scene.element("li:nth-child(2)").await);
    scene.page.drag(&from, &Drop::Point(Point { x: 150.0, y: 100.0 }), &ready()).await.unwrap();
    assert_eq!(scene.evaluate("u.innerText.replaceAll('\\n', ' ')").await, "One Three Two Four Five");
    scene.ends().await;
}

/// As WordPress' menus, whose entries are labels of boxes for choosing several, which are off.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_dragged_by_the_label_of_a_box_that_is_off() {
    let scene = Scene::showing(
        "<label id=l for=c style='display:block;width:100px;cursor:move'><input type=checkbox id=c disabled style='display:none'>Sample</label><script>const log = [];
        l.onmousedown = () => log.push('down'); onmouseup = () => log.push('up')</script>",
    )
    .await;
    let tree = scene.page.snapshot(&mut Refs::default(), &SnapshotOptions::default()).await.unwrap().tree;
    assert!(tree.contains("generic \"Sample\" [clickable]") && !tree.contains("[disabled]"), "{tree}");
    let from = Grip::Element(scene.element("#l").await);
    scene.page.drag(&from, &Drop::Point(Point { x: 200.0, y: 200.0 }), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "down,up");
    scene.ends().await;
}
