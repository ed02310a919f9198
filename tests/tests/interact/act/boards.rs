//! Dragging in lists and on boards that make room for what is dragged before it is let go.

use super::drags::drags_briefly;
use super::scene::{LOGS, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_sorts_itself_takes_what_is_dragged() {
    // Items make room by moving; the dragged one is moved in the document as it passes them.
    let scene = Scene::showing(
        "<style>li { height: 40px; margin: 4px }</style><ul id=list><li id=a draggable=true>a</li><li id=b draggable=true style='height:70px'>b</li>
        <li id=c draggable=true>c</li><li id=d draggable=true>d</li></ul><script>let held; const log = [];
        list.ondragstart = e => { held = e.target; e.dataTransfer.setData('text/plain', held.id) };
        list.ondragover = e => { e.preventDefault(); const over = e.target.closest('li'); if (over && over != held) over.after(held) };
        list.ondrop = e => { e.preventDefault(); log.push([...list.children].map(one => one.id).join('')) }</script>",
    )
    .await;
    let to = scene.element("#c").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert!(scene.log().await.starts_with("bc"), "{}", scene.log().await);

    // One list takes from another on either side of an item's middle, as SortableJS does, and not in it.
    scene
        .shows(
            "<ul id=from><li id=a draggable=true>a</li></ul><ul id=list style='list-style:none'><li id=c>c</li><li id=d>d</li></ul><script>const log = [];
            a.ondragstart = e => e.dataTransfer.setData('text/plain', 'a');
            list.ondragenter = list.ondragover = e => {
                e.preventDefault();
                const over = e.target.closest('li'), box = over?.getBoundingClientRect(), middle = box && box.top + box.height / 2;
                if (over && over !== a && e.clientY !== middle) list.insertBefore(a, e.clientY < middle ? over : over.nextSibling);
            };
            list.ondrop = e => { e.preventDefault(); log.push([...list.children].map(one => one.id).join('')) }</script>",
        )
        .await;
    let to = scene.element("#c").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert!(["acd", "cad"].contains(&scene.log().await.as_str()), "{}", scene.log().await);

    scene.shows(
        "<style>body { margin: 0 } ul { position: relative; margin: 0; padding: 0; height: 200px } li { position: absolute; height: 50px; width: 200px; list-style: none }</style>
        <ul id=list><li id=a style='top:0'>a</li><li id=b style='top:50px'>b</li><li id=c style='top:100px'>c</li></ul><script>const log = [];
        a.onpointerdown = e => { a.setPointerCapture(e.pointerId);
        a.onpointermove = e => { a.style.transform = `translateY(${e.clientY - 25}px)`; a.style.zIndex = 1;
            for (const [at, one] of [[1, b], [2, c]]) one.style.top = (at - (e.clientY > at * 50 + 10)) * 50 + 'px' };
        a.onpointerup = e => { log.push(Math.floor(e.clientY / 50)); a.onpointermove = null } }</script>",
    )
    .await;
    let to = scene.element("#c").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert_eq!(scene.log().await, "2");
    scene.ends().await;
}

/// Lists that take the dragged item out, place their items by style alone, or colour the place of the drop.
#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_is_marked_takes_what_is_dragged() {
    let scene = Scene::open().await;
    // The item goes into the document's body, and an empty one keeps its place.
    scene
        .shows(
            "<style>.c { vertical-align: top; display: inline-block; width: 100px } .c span { display: block; width: 88px } #m { position: absolute }</style>
            <div id=l><div class=c><span id=a>a</span></div><div class=c><span id=b>b</span></div><div class=c><span id=c>c</span></div></div>
            <script>const log = []; let d = null, m = null; const kept = document.createElement('div'); kept.className = 'c'; kept.innerHTML = '&nbsp;';
            l.onmousedown = e => { d = e.target.closest('.c'); e.preventDefault() };
            onmousemove = e => { if (!d) return;
                if (!m) { l.insertBefore(kept, d); d.remove(); m = d.cloneNode(true); m.id = 'm'; m.style.top = l.getBoundingClientRect().bottom + 'px'; document.body.append(m) }
                m.style.left = e.clientX - 50 + 'px';
                for (const one of l.children) { const box = one.getBoundingClientRect();
                    if (one !== kept && e.clientX > box.left && e.clientX < box.right) e.clientX > box.left + box.width / 2 ? one.after(kept) : one.before(kept) } };
            onmouseup = () => { if (!m) return; kept.replaceWith(d); m.remove(); log.push(l.textContent.replace(/\\s/g, '')) }</script>",
        )
        .await;
    let to = scene.element("#a").await;
    drags_briefly(&scene, "#c", &to).await.unwrap();
    assert_eq!(scene.log().await, "cab");
    // Rows that are placed by their style, dragged by a handle.
    scene
        .shows(
            "<style>#l { position: relative; height: 200px } .r { height: 40px; width: 300px; position: absolute }</style><div id=l>
            <div class=r><b id=a>=</b> a</div><div class=r>b</div><div class=r>c</div><div class=r><i id=d>d</i></div></div>
            <script>const log = []; let all = [...l.children], held = null; const place = () => all.forEach((one, at) => one.style.top = at * 40 + 'px'); place();
            a.onmousedown = () => { held = a.parentNode };
            onmousemove = e => { if (!held) return;
                const at = Math.max(0, Math.min(3, Math.floor((e.clientY - l.getBoundingClientRect().top) / 40)));
                all = all.filter(one => one !== held); all.splice(at, 0, held); place() };
            onmouseup = () => { if (held) log.push(all.indexOf(held)); held = null }</script>",
        )
        .await;
    let to = scene.element("#d").await;
    drags_briefly(&scene, "#a", &to).await.unwrap();
    assert_eq!(scene.log().await, "3");
    // A span of three days is coloured, from the day before the one that the pointer is over.
    let days: String =
        (0..7).map(|day| format!("<div class=c id=d{day} style='left:{}px'></div>", day * 100)).collect();
    for (inside, is_dropped) in [("", true), ("<svg width=20 height=20></svg>", false)] {
        scene
        .shows(&format!(
            "<style>#g {{ position: relative }} .c {{ position: absolute; width: 100px; height: 90px }} #e {{ position: absolute; top: 20px; width: 300px; height: 20px; z-index: 2 }}
            .mark {{ position: absolute; top: 0; left: 0; width: 300px; height: 90px; z-index: 1 }}</style><div id=g>{days}</div><script>const log = [];
            const e = document.createElement('div'); e.id = 'e'; e.textContent = 'Trip'; d0.append(e); let is = false, mark, over;
            e.onmousedown = event => {{ is = true; event.preventDefault() }};
            onmousemove = event => {{ if (!is) return; const day = document.getElementById('d' + Math.floor((event.clientX - g.getBoundingClientRect().x) / 100));
                if (day === over) return; over = day; mark?.remove(); mark = document.createElement('div'); mark.className = 'mark'; mark.innerHTML = '{inside}'; (over.previousElementSibling ?? over).append(mark) }};
            onmouseup = () => {{ if (is) log.push(over.id); is = false }}</script>"
        ))
        .await;
        let to = scene.element("#d4").await;
        let dropped = drags_briefly(&scene, "#e", &to).await;
        assert_eq!(dropped.is_ok(), is_dropped, "{inside}: {dropped:?}");
        assert_eq!(scene.log().await.contains("d4"), is_dropped, "{inside}");
    }
    scene.ends().await;
}

/// On boards whose pieces are placed by their style.
#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_makes_way_gets_the_drop_where_it_was() {
    let scene = Scene::open().await;
    let board = |mark: &str, way: &str| {
        format!(
            "{LOGS}<style>.p {{ position: absolute; left: 10px; width: 200px; height: 60px; background: #9cf; user-select: none }} .way {{ transition: {way} }} .mark {{ background: #eee }}</style>
            <div class='p way' id=a style='top: 10px'><b>A</b></div><div class=p id=b style='top: 90px'><b>B</b></div>
            <script>let held = false, over = false, by = 0; b.onmousedown = e => {{ held = true; by = e.clientY - b.offsetTop; e.preventDefault() }};
            document.onmousemove = e => {{ if (!held) return; b.style.cssText = `top: ${{e.clientY - by}}px; z-index: 9; pointer-events: none`;
                if (!over && b.offsetTop < 40) {{ over = true; document.body.insertAdjacentHTML('beforeend', `{mark}`); a.style.top = '90px' }} }};
            document.onmouseup = e => {{ if (held) note(over && b.offsetTop < 40 ? 'swapped' : 'back'); held = false }}</script>"
        )
    };
    for mark in [
        "",
        "<div class='p mark' style='top: 10px'></div>",
        "<div class=p style='top: 10px'><div class=mark style='height: 60px'></div></div>",
    ] {
        for way in ["none", "top .2s"] {
            scene.shows(&board(mark, way)).await;
            let to = scene.element("#a b").await;
            let dragged = drags_briefly(&scene, "#b b", &to).await;
            assert_eq!(scene.log().await, "swapped", "{mark} {way}: {dragged:?}");
        }
    }
    // Not where all goes along.
    scene
        .shows(&format!(
            "{LOGS}<style>.p {{ position: absolute; left: 10px; width: 200px; height: 40px; background: #9cf; user-select: none }}</style><div id=plane style='position: absolute; top: 0'>
            <div class=p style='top: 10px'>One</div><div class=p id=two style='top: 110px'>Two</div><div class=p id=three style='top: 210px'>Three</div></div>
            <script>let held = false, panned = false; plane.onmousedown = e => {{ held = true; e.preventDefault() }};
            document.onmousemove = e => {{ if (held && !panned && e.clientY > 200) {{ panned = true; plane.style.top = '-60px' }} }};
            document.onmouseup = e => {{ held = false; note(document.elementFromPoint(e.clientX, e.clientY).textContent) }}</script>"
        ))
        .await;
    let dragged = drags_briefly(&scene, ".p", &scene.element("#three").await).await;
    assert_eq!(scene.log().await, "Three", "{dragged:?}");
    // Where something with words of its own has come, the target is followed to where it is now.
    scene.shows(&board("<div class=p style='top: 10px'>Trash</div>", "none")).await;
    let dragged = drags_briefly(&scene, "#b b", &scene.element("#a b").await).await;
    assert_eq!(scene.log().await, "back", "{dragged:?}");
    scene.ends().await;
}
