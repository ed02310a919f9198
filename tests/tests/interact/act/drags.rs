//! Dragging and scrolling.

use porthole_service::page::interact::{Direction, Drop, End, Point, Scroll};

use super::scene::{Scene, ready};

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
    scene.page.drag(&from, &Drop::Element(&to), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "up 451 351");
    scene.page.drag(&from, &Drop::Point(Point { x: 100.0, y: 200.0 }), &ready()).await.unwrap();
    assert_eq!(scene.evaluate("a.style.left + a.style.top").await, "70px170px");

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
    let acted = scene.page.drag(&from, &Drop::Element(&to), &ready()).await.unwrap();
    assert_eq!(scene.log().await, "start,enter,drop carried,end");
    assert!(acted.settled.settled && !acted.settled.no_change, "{acted:?}");
    scene.click("#a").await.unwrap();
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
    assert_eq!(acted.warnings, ["no_change"]);
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
    scene.ends().await;
}
