//! `settled`: pictures of pages that come to their end in as many ways, drawn by hand and by the browser itself.

use futures_util::{StreamExt as _, stream};
use porthole_tests::judged::{DONE, Judged, PAGES};
use porthole_tests::{Picture, Stack};
use serde_json::json;

const AT_ONCE: usize = 3;
/// How many pages may have drawn no frame in time, on a machine that has much else to do, and be visited again.
const REVISITED_MAX: usize = 2;

/// Takes a picture of each, and tells which are not as they will be.
async fn unfinished(stack: &Stack, pages: impl Iterator<Item = &'static Judged>) -> Vec<&'static str> {
    let taken = pages.map(async |page| {
        let picture = stack.screenshot(json!({"url": page.put(&stack.site)})).await.picture();
        (!is_done(&picture)).then_some(page.name)
    });
    stream::iter(taken).buffered(AT_ONCE).filter_map(async |name| name).collect().await
}

/// Pages that go on at their top for ever are done below it.
fn is_done(picture: &Picture) -> bool {
    [(20, 700), (195, 780), (380, 830)].iter().all(|&(x, y)| {
        let shown = picture.at(x, y);
        shown.iter().zip(DONE).all(|(shown, wanted)| shown.abs_diff(wanted) <= 2)
    })
}

#[tokio::test]
async fn what_is_drawn_by_hand_shows_every_page_as_it_will_be() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    assert_eq!(unfinished(&stack, PAGES.iter()).await, Vec::<&str>::new());
    let revisited: Vec<String> = stack.logs().into_iter().filter(|line| line.contains("drew no frame")).collect();
    assert!(revisited.len() <= REVISITED_MAX, "{revisited:#?}");
}

#[tokio::test]
async fn what_browsers_draw_by_themselves_shows_every_page_that_needs_no_frames_as_it_will_be() {
    let stack = Stack::with().setting("PORTHOLE_FRAMES", "off").setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    let pages = PAGES.iter().filter(|page| !page.needs_frames);
    assert_eq!(unfinished(&stack, pages).await, Vec::<&str>::new());
}
