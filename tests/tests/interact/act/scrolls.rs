//! Scrolling of pages and of what is in them.

use porthole_service::page::interact::{Direction, End, Scroll};

use super::scene::{LOGS, Scene, ready};
use crate::warned::{NO_CHANGE, Warned};

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_into_view_from_below_is_not_brought_to_the_middle_sideways() {
    let scene = Scene::showing(&format!(
        "{LOGS}<style>body {{ margin: 0 }} main {{ height: 100vh; overflow-x: hidden; overflow-y: auto }}</style><main id=m><div style='width:2500px'>kept out of view</div>
        <div style='height:2000px'></div><button id=b style='margin-left:600px' onclick='note(1)'>Save</button><div style='height:900px'></div></main>"
    ))
    .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "1");
    assert_eq!(scene.evaluate("m.scrollLeft + ',' + (m.scrollTop > 0)").await, "0,true");
    let top = scene.element("#b").await;
    scene.page.scroll(None, Scroll::To(End::Top), ready().deadline).await.unwrap();
    scene.page.scroll(Some(&top), Scroll::IntoView, ready().deadline).await.unwrap();
    assert_eq!(scene.evaluate("m.scrollLeft + ',' + (m.scrollTop > 0)").await, "0,true");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_containers_are_scrolled_at_once() {
    let scene = Scene::showing(
        "<style>* { scroll-behavior: smooth }</style><div id=box style='height:200px;overflow:auto'><div style='height:2000px;width:3000px'>
        <p id=inside></div></div><div style='height:4000px'></div><p id=end>end</p>",
    )
    .await;
    let by = async |scroll| scene.page.scroll(None, scroll, ready().deadline).await.unwrap();
    by(Scroll::By(Direction::Down, Some(300.0))).await;
    assert_eq!(scene.evaluate("scrollY").await, 300);
    by(Scroll::To(End::Bottom)).await;
    assert!(scene.evaluate("scrollY").await.as_f64().unwrap() > 3000.0);
    let acted = by(Scroll::To(End::Bottom)).await;
    assert_eq!(acted.warned(), [NO_CHANGE]);
    by(Scroll::To(End::Top)).await;
    by(Scroll::By(Direction::Down, None)).await;
    assert_eq!(scene.evaluate("scrollY").await, 510);
    let container = scene.element("#inside").await;
    let within = async |scroll| scene.page.scroll(Some(&container), scroll, ready().deadline).await.unwrap();
    within(Scroll::By(Direction::Down, Some(120.0))).await;
    within(Scroll::By(Direction::Right, Some(50.0))).await;
    assert_eq!(scene.evaluate("box.scrollTop + ',' + box.scrollLeft").await, "120,50");
    let end = scene.element("#end").await;
    scene.page.scroll(Some(&end), Scroll::IntoView, ready().deadline).await.unwrap();
    assert_eq!(scene.evaluate("end.getBoundingClientRect().top < innerHeight").await, true);

    scene.shows("<style>body { margin: 0; height: 100vh; overflow: hidden } main { height: 100vh; overflow: auto }</style><main id=m><div style='height:3000px'>").await;
    by(Scroll::By(Direction::Down, Some(200.0))).await;
    assert_eq!(scene.evaluate("m.scrollTop").await, 200, "what fills the window scrolls where the page does not");

    // A chat begins at its end: scrolled to its top, its position is negative.
    scene.shows("<div id=m style='height:200px;overflow:auto;display:flex;flex-direction:column-reverse'><p id=last>last</p><div style='flex:none;height:2000px'></div><p id=first>first</p>").await;
    let list = scene.element("#last").await;
    for (end, seen) in [(End::Top, "first"), (End::Bottom, "last")] {
        let acted = scene.page.scroll(Some(&list), Scroll::To(end), ready().deadline).await.unwrap();
        assert_eq!(acted.warned(), Vec::<String>::new());
        let place = format!(
            "{{ const [o, i] = [m, {seen}].map(e => e.getBoundingClientRect()); i.top >= o.top && i.bottom <= o.bottom }}"
        );
        assert_eq!(scene.evaluate(&place).await, true, "{seen}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_scrolls_the_page_hears_of_the_wheel() {
    let scene = Scene::open().await;
    let map = "<div id=map style='width: 200px; height: 200px'><canvas id=c width=200 height=200></canvas></div>";
    let hears = "<script>addEventListener('wheel', e => note(`${e.target.id} ${e.deltaX} ${e.deltaY} ${e.clientX > 0}`))</script>";
    scene.shows(&format!("{LOGS}{map}{hears}")).await;
    let element = scene.element("#map").await;
    let scroll = async |target, scroll| scene.page.scroll(target, scroll, ready().deadline).await.unwrap();
    scroll(Some(&element), Scroll::By(Direction::Up, Some(120.0))).await;
    scroll(None, Scroll::By(Direction::Right, Some(50.0))).await;
    let acted = scroll(None, Scroll::To(End::Bottom)).await;
    assert_eq!(acted.warned(), [NO_CHANGE]);
    assert!(scene.log().await.starts_with("c 0 -120 true,"), "{}", scene.log().await);
    assert!(scene.log().await.ends_with(" 50 0 true"), "{}", scene.log().await);
    // What scrolls does so without.
    scene
        .shows(&format!(
            "{LOGS}<div id=map style='height: 100px; overflow: auto'><p style='height: 900px'>x</p></div>{hears}"
        ))
        .await;
    scroll(Some(&scene.element("#map").await), Scroll::By(Direction::Down, Some(120.0))).await;
    assert_eq!((scene.log().await.as_str(), scene.evaluate("map.scrollTop").await), ("", 120.into()));
    scene.ends().await;
}
