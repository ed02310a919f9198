//! `settled`: pictures of pages that finish in various ways, drawn with `begin_frame` and by the browser itself.

use futures_util::{StreamExt as _, stream};
use porthole_tests::judged::{DONE, Judged, PAGES};
use porthole_tests::{Picture, Stack};
use serde_json::json;

const AT_ONCE: usize = 3;
/// Maximum number of pages that may be visited again because a busy machine drew no frame in time.
const REVISITED_MAX: usize = 2;

/// Takes a picture of each page and returns the names of those that are not shown finished, with the warnings.
async fn unfinished(stack: &Stack, pages: impl Iterator<Item = &'static Judged>) -> Vec<String> {
    let taken = pages.map(async |page| {
        let url = page.put(&stack.site);
        let mut answer = stack.screenshot(json!({"url": url})).await;
        if !answer.warnings().is_empty() && !is_done(&answer.picture()) {
            // The wait ended before the page did, on a machine that is this busy.
            let wait = json!({"until": "settled", "timeout_ms": 20_000});
            answer = stack.screenshot(json!({"url": url, "wait": wait})).await;
        }
        (!is_done(&answer.picture())).then(|| format!("{}: {:?}", page.name, answer.warnings()))
    });
    stream::iter(taken).buffered(AT_ONCE).filter_map(async |name| name).collect().await
}

/// Whether a picture shows a finished page. Only the lower part counts: some pages animate their top for ever.
fn is_done(picture: &Picture) -> bool {
    [(20, 700), (195, 780), (380, 830)].iter().all(|&(x, y)| {
        let shown = picture.at(x, y);
        shown.iter().zip(DONE).all(|(shown, wanted)| shown.abs_diff(wanted) <= 2)
    })
}

#[tokio::test]
async fn pictures_by_begin_frame_show_every_page_finished() {
    let stack = Stack::with().begin_frame().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    assert_eq!(unfinished(&stack, PAGES.iter()).await, Vec::<String>::new());
    let revisited: Vec<String> = stack.logs().into_iter().filter(|line| line.contains("drew no frame")).collect();
    assert!(revisited.len() <= REVISITED_MAX, "{revisited:#?}");
}

#[tokio::test]
async fn pictures_without_begin_frame_show_every_page_that_needs_no_frames_finished() {
    let stack = Stack::with().setting("PORTHOLE_MAX_CONCURRENT", "4").start().await;
    let pages = PAGES.iter().filter(|page| !page.needs_frames);
    assert_eq!(unfinished(&stack, pages).await, Vec::<String>::new());
}
