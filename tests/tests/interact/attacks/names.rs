//! Elements that become something else: recycled by a list, renamed as the pointer comes, or with another control in them.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{
    ActError, Acted, Click, Element, Fate, How, Point, Refs, SnapshotOptions, Stale, Terms, Wanted,
};
use tokio::time::Instant;

use crate::act::scene::{BRIEFLY, LOGS, Scene, briefly, ready, typing};
use crate::warned::{NO_CHANGE, Warned};

/// A list of 1000 rows in 8 elements, which are given to other rows as it scrolls.
const RECYCLED: &str = "<style>body { margin: 0 } ul { height: 200px; overflow: auto; margin: 0; padding: 0; position: relative } li { position: absolute; height: 50px; list-style: none }</style>
    <ul id=list><div style='height:50000px'></div></ul><script>const items = Array.from({ length: 8 }, () => list.appendChild(document.createElement('li')));
    for (const item of items) { item.innerHTML = '<span></span> <button>Delete</button> <input>';
        item.children[1].onclick = () => note('deleted ' + item.firstChild.textContent); item.children[2].oninput = () => note('typed ' + item.firstChild.textContent) }
    const name = n => 'person' + String.fromCharCode(97 + n % 26, 97 + n / 26 | 0);
    const draw = () => { const first = list.scrollTop / 50 | 0; for (const [n, item] of items.entries()) { const row = first - 2 + n;
        item.style.top = row * 50 + 'px'; item.firstChild.textContent = name(Math.max(row, 0)) } };
    list.scrollTop = 2000; draw()</script>";

async fn clicks(scene: &Scene, element: &Element) -> Result<Acted, ActError> {
    scene.page.click(element, &Click::once(Terms::until(Instant::now() + BRIEFLY))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_its_list_gives_to_another_row_is_not_acted_on() {
    for draws in ["list.onscroll = draw", "list.onscroll = () => setTimeout(draw, 30)"] {
        let scene = Scene::showing(&format!("{LOGS}{RECYCLED}")).await;
        let mut refs = Refs::default();
        // The last row is out of view: it is scrolled to, and its element is another row's by then.
        let tree = scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap().tree;
        assert!(tree.matches("Delete").count() == 8, "{tree}");
        for (nth, act) in [(0, "click"), (7, "click"), (0, "type"), (7, "hover")] {
            scene.evaluate("list.onscroll = null; list.scrollTop = 2000; draw()").await;
            scene.evaluate("log = []; new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))").await;
            let kind = if act == "type" { "textbox" } else { "button" };
            let snapshot = scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap();
            let row: Vec<&str> = snapshot.tree.lines().filter(|line| line.contains(kind)).collect();
            let reference = row[nth].split("[ref=").nth(1).unwrap().split(']').next().unwrap().parse().unwrap();
            let element = scene.page.resolve(&refs, reference).await.unwrap();
            let meant = scene.evaluate(&format!("items[{nth}].firstChild.textContent")).await;
            scene.evaluate(draws).await;
            let acted = match act {
                "type" => scene.page.type_text(&element, &typing("text")).await,
                "hover" => scene.page.hover(&element, &ready()).await,
                _ => clicks(&scene, &element).await,
            };
            let log = scene.log().await;
            match acted {
                Err(ActError::Stale(Stale { fate: Fate::AnotherRow { .. }, .. })) => assert_eq!(log, "", "{act} {nth}"),
                // The press came before the list was drawn anew.
                Ok(_) if act == "hover" || log.ends_with(meant.as_str().unwrap()) => {}
                // The press came before that, and its release after it: no click came of it, and that is told.
                Ok(acted) if log.is_empty() && acted.warned().join("").contains("click_lost") => {}
                Ok(acted) => panic!("{draws} {act} {nth} of {meant}: {log} {acted:?}"),
                Err(error) => panic!("{draws} {act} {nth}: {error:?} {log}"),
            }
        }
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_found_element_that_changes_on_the_way_is_not_acted_on() {
    let scene = Scene::showing(&format!(
        "{LOGS}<div style='height:3000px'></div><button id=b onclick='note(`clicked ` + this.textContent)'>Save</button>
        <script>onscroll = () => {{ b.textContent = 'Delete' }}</script>"
    ))
    .await;
    for by in [TargetBy::Text, TargetBy::Role] {
        for how in [How::Input, How::DocumentFirst] {
            scene.evaluate("scrollTo(0, 0); new Promise(done => setTimeout(done, 60))").await;
            scene.evaluate("log = []; b.textContent = 'Save'").await;
            let is_role = by == TargetBy::Role;
            let value = if is_role { "button" } else { "Save" };
            let name = is_role.then(|| "Save".to_owned());
            let wanted = Wanted { by: Some(by), value: value.to_owned(), name, ..Wanted::default() };
            let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
            let terms = Terms { how, ..Terms::until(Instant::now() + BRIEFLY) };
            let acted = scene.page.click(&located.element, &Click::once(terms)).await;
            assert!(
                matches!(&acted, Err(ActError::NotFound(what)) if what.to_string().contains("Delete")),
                "{by:?} {acted:?}"
            );
            assert_eq!(scene.log().await, "", "{by:?} {how:?}");
        }
    }
    // A selector says nothing of an element's name: the element may have any.
    let wanted = Wanted { by: Some(TargetBy::Css), value: "#b".to_owned(), ..Wanted::default() };
    let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
    clicks(&scene, &located.element).await.unwrap();
    assert_eq!(scene.log().await, "clicked Delete");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_is_renamed_under_the_pointer_is_not_clicked() {
    let page = |hover: &str| {
        format!(
            "{LOGS}<button id=b title='More' onclick='note(this.textContent)'>Following</button><button id=i title=Settings onclick='note(`i`)'>&#9881;</button>
            <iframe id=f srcdoc=x></iframe><script>{hover}</script>"
        )
    };
    for (hover, is_clicked) in [
        ("b.onpointerenter = () => { b.textContent = 'Unfollow' }", false),
        ("b.onmousemove = () => { b.textContent = 'Unfollow' }", false),
        ("b.onpointerenter = () => b.setAttribute('aria-label', 'Delete account')", false),
        ("b.onpointerenter = () => b.setAttribute('role', 'link')", false),
        // What tooltips do.
        ("b.onpointerenter = () => { b.removeAttribute('title'); b.setAttribute('aria-describedby', 'f') }", true),
        ("b.onpointerenter = () => b.append(' (you)')", true),
        ("b.onpointerenter = () => { b.style.color = 'red'; document.title = 'x' }", true),
    ] {
        for in_frames in [false, true] {
            let scene = Scene::showing(&page(hover)).await;
            if !in_frames {
                scene.evaluate("f.remove()").await;
            }
            let mut refs = Refs::default();
            let element = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("Following")).await;
            let acted = clicks(&scene, &element).await;
            let log = scene.log().await;
            if is_clicked {
                acted.unwrap_or_else(|error| panic!("{hover}: {error:?}"));
                assert!(log.starts_with("Following"), "{hover}: {log}");
            } else {
                assert!(
                    matches!(&acted, Err(ActError::Stale(Stale { fate: Fate::Changed { .. }, .. }))),
                    "{hover}: {acted:?}"
                );
                assert_eq!(log, "", "{hover}");
                // Known by its new name it is clicked.
                let element = scene
                    .by_ref(&mut refs, &SnapshotOptions::default(), |line| {
                        line.contains("Unfollow") || line.contains("Delete") || line.contains("link")
                    })
                    .await;
                clicks(&scene, &element).await.unwrap();
            }
            scene.ends().await;
        }
    }
    // An icon whose name goes into a tooltip.
    let scene = Scene::showing(&page("i.onpointerenter = () => i.removeAttribute('title')")).await;
    let mut refs = Refs::default();
    let element = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("\u{2699}")).await;
    clicks(&scene, &element).await.unwrap();
    assert_eq!(scene.log().await, "i");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_inside_is_not_clicked_for_what_it_is_in() {
    let card = |inside: &str| {
        format!(
            "{LOGS}<style>body {{ margin: 0 }} #c {{ position: relative; width: 300px; height: 120px; cursor: pointer; background: #eee }}
            button, a {{ position: absolute; left: 100px; top: 40px; width: 100px; height: 40px }}</style>
            <div id=c onclick='note(event.target.id)'>card{inside}</div>"
        )
    };
    // Its middle is a button's: another point of it is clicked.
    let scene = Scene::showing(&card("<button id=del>Delete</button>")).await;
    clicks(&scene, &scene.element("#c").await).await.unwrap();
    assert_eq!(scene.log().await, "c");
    // It comes with the pointer, which is kept from it; by then another point is clicked.
    for inside in [
        "<button id=del hidden>Delete</button><script>c.onpointerenter = () => { del.hidden = false }</script>",
        "<style>#del { display: none } #c:hover #del { display: block }</style><a id=del href=#x>Delete</a>",
        "<script>c.onpointerenter = () => { c.insertAdjacentHTML('beforeend', '<button id=del>Delete</button>') }</script>",
        "<span id=h></span><script>c.onpointerenter = () => { h.attachShadow({ mode: 'open' }).innerHTML = '<button id=del style=\"position:absolute;inset:0\" onclick=\"note(`del`)\">Delete</button>' }</script>",
    ] {
        // The pointer was there before.
        scene.page.hover_at(Point { x: 700.0, y: 500.0 }).await.unwrap();
        scene.shows(&card(inside)).await;
        let acted = clicks(&scene, &scene.element("#c").await).await;
        let log = scene.log().await;
        assert!(!log.contains("del"), "{inside}: {log} {acted:?}");
        assert!(log == "c" || matches!(acted, Err(ActError::Covered { .. })), "{inside}: {log} {acted:?}");
    }
    // What is wrapped is what is meant where the wrapper does nothing by itself.
    scene
        .shows(&format!("{LOGS}<ul><li id=l style='width:100px'><a id=a href=#x onclick='note(`a`)'>a link as wide as its item</a></ul>"))
        .await;
    clicks(&scene, &scene.element("#l").await).await.unwrap();
    assert_eq!(scene.log().await, "a");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_is_not_clicked_on_a_control_that_is_for_something_else() {
    let scene = Scene::open().await;
    let button = |style: &str| format!("<button id=del style='{style}' onclick='note(`del`)'>Delete account</button>");
    let panel = |inside: &str| {
        format!(
            "<b id=t>Settings</b><div id=c role=tabpanel aria-labelledby=t style='height:200px;display:grid;place-items:center'>{inside}</div>"
        )
    };
    let click = async |how| {
        let terms = Terms { how, ..briefly() };
        scene.page.click(&scene.element("#c").await, &Click::once(terms)).await
    };
    for how in [How::Input, How::DocumentFirst] {
        // In the middle of it, and over all of it.
        scene.shows(&format!("{LOGS}{}", panel(&button("")))).await;
        let acted = click(how).await.unwrap();
        assert_eq!((scene.log().await.as_str(), acted.warned()), ("", vec![NO_CHANGE.to_owned()]), "{how:?}");
        scene.shows(&format!("{LOGS}{}", panel(&button("width:100%;height:100%")))).await;
        let acted = click(how).await;
        assert!(matches!(&acted, Err(ActError::Covered { by, .. }) if by.contains("\"del\"")), "{how:?}: {acted:?}");
        assert_eq!(scene.log().await, "", "{how:?}");
        for (inside, clicked) in [
            // Its text says more than the button in it.
            (
                "<div id=c style='width:400px;text-align:center'>Anna <button onclick='note(`wrong`)'>Delete the whole entry</button></div>",
                "",
            ),
            // None of two without a name is what both are in.
            (
                "<div id=c><button onclick='note(`wrong`)' style='width:50%'>-</button><button onclick='note(`wrong`)' style='width:50%'>+</button></div>",
                "",
            ),
            // What says all that its wrapper says, or is the only one in a wrapper and says nothing.
            (
                "<div id=c aria-label=Close style='width:40px'><button onclick='note(`right`)' style='width:40px;height:40px'></button></div>",
                "right",
            ),
            (
                "<div id=c aria-label=Fruit style='width:99px'><div role=combobox tabindex=0 onclick='note(`right`)' style='width:99px'>Apple</div></div>",
                "right",
            ),
            (
                "<span id=c aria-label=Save style='display:inline-block'><button onclick='note(`right`)' style='width:99px'>Save all</button></span>",
                "right",
            ),
            // An icon without a name, in the middle.
            (
                "<div id=c style='width:400px;text-align:center'>Invoice 42 <button onclick='note(`wrong`)' style='width:60px'></button> of May</div>",
                "",
            ),
            // A link that is stretched over a whole card.
            (
                "<div id=c style='position:relative;width:300px'><h3>Lamp</h3>Warm light<a href='#x' onclick='note(`right`)' style='position:absolute;inset:0'></a></div>",
                "right",
            ),
            (
                "<div id=c style='position:relative;width:300px'><h3>Lamp</h3>Warm light<a href='#x' onclick='note(`right`)' style='position:absolute;inset:0'>More</a></div>",
                "right",
            ),
        ] {
            scene.shows(&format!("{LOGS}{inside}")).await;
            let acted = click(how).await;
            assert_eq!(scene.log().await, clicked, "{how:?} {inside}: {acted:?}");
        }
        // The pointer may be over it, and a field in it may get the focus.
        scene.shows(&format!("{LOGS}{}", panel(&button("width:100%;height:100%")))).await;
        let terms = Terms { how, ..briefly() };
        scene.page.hover(&scene.element("#c").await, &terms).await.unwrap();
        scene.shows("<div id=c aria-label=Message><textarea id=t style='width:100%'></textarea></div>").await;
        click(how).await.unwrap();
        assert_eq!(scene.evaluate("document.activeElement.id").await, "t", "{how:?}");
    }
    scene.ends().await;
}
