//! The mouse: clicks, drags, the wheel, the pointer's shape.

use porthole_contract::live::{KeyEventType, MouseEventType, PointerButton};
use porthole_service::page::input::{InputEvent, Taken};
use porthole_tests::eventually;
use porthole_tests::eventually::so;
use porthole_tests::site::SHOP;

use super::person::{Person, key, mouse};
use crate::act::scene::Scene;
use crate::held_page::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn clicks_are_a_mouses() {
    let person = Person::at(
        "<button id=b style='width:200px;height:60px'>b</button><p id=p style='width:300px;font:20px monospace'>hello world text</p><script>
        for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'])
            b.addEventListener(type, e => log.push(`${type} ${e.button} ${e.buttons} ${e.detail}${e.isTrusted ? '' : ' untrusted'}`))</script>",
    )
    .await;
    let at = person.middle_of("#b").await;
    person.clicks(at);
    person.hears("pointerdown 0 1 0,mousedown 0 1 1,mouseup 0 0 1,click 0 0 1").await;
    person.evaluate("log.length = 0").await;
    person.mouse(MouseEventType::MousePressed, at, PointerButton::Right, 1);
    person.mouse(MouseEventType::MouseReleased, at, PointerButton::Right, 1);
    person.hears("pointerdown 2 2 0,mousedown 2 2 1,contextmenu 2 2 0,mouseup 2 0 1,auxclick 2 0 1").await;
    person.evaluate("log.length = 0").await;
    // Two buttons at once: the second comes and goes while the first is held.
    person.presses(at);
    person.mouse(MouseEventType::MousePressed, at, PointerButton::Middle, 1);
    person.mouse(MouseEventType::MouseReleased, at, PointerButton::Middle, 1);
    person.releases(at);
    person.hears("pointerdown 0 1 0,mousedown 0 1 1,mousedown 1 5 1,mouseup 1 1 1,auxclick 1 1 1,mouseup 0 0 0").await;
    let word = (75.0, person.middle_of("#p").await.1);
    for clicks in [1, 2] {
        person.mouse(MouseEventType::MousePressed, word, PointerButton::Left, clicks);
        person.mouse(MouseEventType::MouseReleased, word, PointerButton::Left, clicks);
    }
    person.sees("String(getSelection())", "world").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slider_and_a_card_are_dragged() {
    let person = Person::at(
        "<input id=r type=range min=0 max=100 value=0 style='margin:0;width:400px;height:40px'>
        <div id=card draggable=true style='position:absolute;left:10px;top:100px;width:100px;height:50px;background:red'></div>
        <div id=bin style='position:absolute;left:400px;top:100px;width:100px;height:50px;background:blue'
            ondragover='event.preventDefault(); over = true' ondrop='event.preventDefault(); log.push(event.dataTransfer.getData(`text/plain`))'></div>
        <script>let over = false; card.ondragstart = e => { e.dataTransfer.setData('text/plain', 'the card') }; let changes = 0; r.onchange = () => changes++</script>",
    )
    .await;
    person.presses((8.0, 20.0));
    for x in (10..=300).step_by(10) {
        person.moves((f64::from(x), 20.0));
    }
    person.sees("r.value > 50", true).await;
    person.moves((392.0, 20.0));
    person.sees("`${r.value} ${changes}`", "100 0").await;
    person.releases((392.0, 20.0));
    person.sees("`${r.value} ${changes}`", "100 1").await;
    person.presses((60.0, 125.0));
    for x in (60..=450).step_by(15) {
        person.moves((f64::from(x), 125.0));
    }
    // Moves are joined, and those from before the browser has begun the drag are none of it. A hand goes on moving.
    let mut x = 450.0;
    eventually(PATIENCE, async || {
        x = 899.0 - x;
        person.moves((x, 125.0));
        so(person.evaluate("over").await == true, "the drag has not come over its target")
    })
    .await;
    person.releases((450.0, 125.0));
    person.hears("the card").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wheel_scrolls_what_is_under_the_pointer() {
    let person = Person::at(
        "<div id=inner style='width:300px;height:200px;overflow:auto'><div style='height:2000px'>inner</div></div>
        <div style='height:3000px'>outer</div>",
    )
    .await;
    person.wheels((100.0, 100.0), 120.0);
    person.sees("`${inner.scrollTop} ${scrollY}`", "120 0").await;
    person.wheels((500.0, 500.0), 200.0);
    person.sees("`${inner.scrollTop} ${scrollY}`", "120 200").await;
    for _ in 0..20 {
        person.wheels((500.0, 500.0), -30.0);
    }
    person.sees("scrollY", 0).await;
    for _ in 0..50 {
        person.wheels((500.0, 500.0), 10.0);
    }
    person.sees("scrollY", 500).await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_never_stands_behind_moves() {
    let person = Person::at(
        "<button id=b style='position:absolute;left:500px;top:400px;width:200px;height:100px' onclick='log.push(`clicked`)'>b</button>
        <script>let moves = 0; addEventListener('mousemove', () => { moves++; const until = performance.now() + 20; while (performance.now() < until); })</script>",
    )
    .await;
    for number in 0..300 {
        person.moves((f64::from(number), f64::from(number)));
    }
    person.clicks((600.0, 450.0));
    person.hears("clicked").await;
    // Each takes the page 20 ms: 300 of them would be six seconds.
    let moves = person.evaluate("moves").await;
    assert!(moves.as_u64().is_some_and(|moves| moves < 100), "{moves} moves came before the click");
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_held_is_released() {
    let person = Person::at(
        "<input id=i style='width:200px;height:60px'><script>
        for (const type of ['mousedown', 'mouseup', 'keyup', 'touchcancel', 'compositionend'])
            addEventListener(type, e => log.push(`${type} ${e.key ?? e.buttons ?? ''}`.trim()))</script>",
    )
    .await;
    let at = person.middle_of("#i").await;
    assert_eq!(
        person.input.send(InputEvent::Mouse(mouse(MouseEventType::MouseReleased, at, PointerButton::Left))),
        Taken::Ignored,
        "nothing is held"
    );
    person.presses(at);
    person.mouse(MouseEventType::MousePressed, at, PointerButton::Middle, 1);
    person.does(InputEvent::Key(key(KeyEventType::KeyDown, "Shift", None, 8)));
    person.does(InputEvent::Key(key(KeyEventType::KeyDown, "A", Some("A"), 8)));
    person.input.release_all();
    person.hears("mousedown 1,mousedown 5,keyup A,keyup Shift,mouseup 4,mouseup 0").await;
    person.input.release_all();
    assert_eq!(person.input.send(InputEvent::Key(key(KeyEventType::KeyUp, "A", None, 8))), Taken::Ignored);
    // One whose viewer is gone.
    person.evaluate("log.length = 0").await;
    person.presses(at);
    person.hears("mousedown 1").await;
    let scene = person.leaves();
    eventually(PATIENCE, async || {
        let log = scene.log().await;
        so(log == "mousedown 1,mouseup 0", log)
    })
    .await;
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pointers_shape_is_told() {
    let scene = Scene::open().await;
    let inner = scene.site.html("<body style='margin:0;cursor:crosshair'><p style='font:30px monospace;margin:0;width:100px'>text</p><a href=x style='display:block;width:100px;height:50px'>link</a>");
    let inner = scene.site.under_name(&inner, SHOP);
    let person = Person::in_scene(
        scene,
        &format!(
            "<a id=a href=x style='display:block;width:200px;height:50px'>link</a>
            <p id=p style='width:300px;font:30px monospace;margin:0'>some words</p>
            <input id=i style='width:200px;height:40px'>
            <div id=g style='width:200px;height:40px;cursor:url(x.png) 2 2, grab'></div>
            <div id=u style='width:200px;height:40px;font:30px monospace;user-select:none'>words</div>
            <iframe style='position:absolute;left:400px;top:0;border:10px solid;scale:.5;transform-origin:0 0' src='{inner}'></iframe>"
        ),
    )
    .await;
    for (selector, cursor) in [("#a", "pointer"), ("#i", "text"), ("#g", "grab"), ("#u", "default")] {
        person.moves(person.middle_of(selector).await);
        person.cursor_is(cursor).await;
    }
    let (_, y) = person.middle_of("#p").await;
    person.moves((30.0, y));
    person.cursor_is("text").await;
    person.moves((290.0, y));
    person.cursor_is("default").await;
    // In a frame of another process, at half its size.
    person.moves((415.0, 15.0));
    person.cursor_is("crosshair").await;
    person.moves((415.0, 38.0));
    person.cursor_is("pointer").await;
    person.evaluate("document.querySelector('iframe').remove()").await;
    person.moves((700.0, 500.0));
    person.cursor_is("default").await;
    person.ends().await;
}
