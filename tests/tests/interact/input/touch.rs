//! Fingers: taps, scrolling, pinching.

use porthole_contract::live::TouchEventType::{TouchEnd, TouchMove, TouchStart};

use super::person::Person;

#[tokio::test(flavor = "multi_thread")]
async fn a_tap_clicks() {
    let person = Person::at(
        "<button id=b style='width:200px;height:100px'>b</button><script>
        for (const type of ['touchstart', 'touchend', 'mousedown', 'click'])
            b.addEventListener(type, e => log.push(`${type}${e.isTrusted ? '' : ' untrusted'}`))</script>",
    )
    .await;
    let (x, y) = person.middle_of("#b").await;
    person.touches(TouchStart, &[(0, x, y)]);
    person.touches(TouchEnd, &[]);
    person.hears("touchstart,touchend,mousedown,click").await;
    person.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finger_scrolls_and_two_are_told_apart() {
    let person = Person::at(
        "<div style='height:3000px'></div><script>
        for (const type of ['touchstart', 'touchend']) addEventListener(type, e => log.push(`${type} ${e.touches.length}`))</script>",
    )
    .await;
    // What has not been drawn does not scroll.
    person.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))").await;
    person.touches(TouchStart, &[(0, 400.0, 500.0)]);
    for step in 1..=20 {
        person.touches(TouchMove, &[(0, 400.0, 500.0 - f64::from(step) * 15.0)]);
    }
    person.sees("scrollY > 100", true).await;
    person.touches(TouchEnd, &[]);
    person.hears("touchstart 1,touchend 0").await;
    person.evaluate("log.length = 0").await;
    person.touches(TouchStart, &[(3, 100.0, 100.0)]);
    person.touches(TouchStart, &[(3, 100.0, 100.0), (5, 300.0, 100.0)]);
    person.touches(TouchEnd, &[(5, 300.0, 100.0)]);
    person.touches(TouchEnd, &[]);
    person.hears("touchstart 1,touchstart 2,touchend 1,touchend 0").await;
    person.ends().await;
}
