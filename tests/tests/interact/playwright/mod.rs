//! Situations of Playwright's own tests (page-click, page-fill, page-select-option, page-check, page-drag, page-dialog,
//! selectors-role, selectors-get-by) that no other module has, as tables: a page, what is done there, what must be true
//! then. docs/decisions/0079 says what differs on purpose. Trees are read in `reading` and `snapshots`.

use std::fmt::Debug;

use crate::act::scene::Scene;

mod choices;
mod clicks;
mod drags;
mod fields;
mod targets;

/// Shows each page of a table to one browser, does with it what `act` does, and says which are wrong, all at once.
async fn each<'a, C: Copy + 'a, E: Debug>(
    cases: &'a [(&'a str, C, &'a str)],
    act: impl AsyncFn(&Scene, C) -> Result<(), E>,
) {
    let scene = Scene::open().await;
    let mut wrong = Vec::new();
    for (page, case, holds) in cases {
        scene.shows(page).await;
        let done = act(&scene, *case).await;
        let is = scene.evaluate(&format!("JSON.stringify({holds})")).await;
        if done.is_err() || is != "true" {
            wrong.push(format!("{page}\n  {holds} is {is}: {done:?}"));
        }
    }
    scene.ends().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
