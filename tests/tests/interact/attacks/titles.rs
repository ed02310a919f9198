//! Pages that show another entry in the same place by themselves: its title tells which one a button is for.

use porthole_service::page::interact::{ActError, Click, Ref, Refs, SnapshotOptions};
use porthole_tests::agent::reference;

use crate::act::scene::{LOGS, Scene, ready};

/// A title in the element `#t`, and a button "Delete" under it.
const PAGES: &[&str] = &[
    "<main><h1 id=t>Ann Lee</h1><p>Born <b id=b>in Rome</b></p><button>Delete</button></main>",
    "<h1>People</h1><section><h2 id=t>Ann Lee</h2><p>Born <b id=b>in Rome</b></p><div><button>Delete</button></div></section>",
    "<main><header><h1 id=t>Ann Lee</h1><button>Star</button></header><div role=toolbar><button>Delete</button></div></main>",
    "<div class=card><h3 id=t>Ann Lee</h3><button>Delete</button></div>",
    "<h2 id=t>Delete Ann Lee?</h2><button>Delete</button> <button>Keep</button>",
    "<div role=group aria-roledescription=slide><h2 id=t>Ann Lee</h2><a href='#'>Delete</a></div>",
    "<main><h2 id=t>Ann Lee</h2><label>Note <input aria-label=Delete></label></main>",
];

/// What the title says later, by its text so far.
const BOB: &str = "t.textContent = t.textContent.replace('Ann', 'Bob'); window.b && (b.textContent = 'by the sea')";

impl Scene {
    /// Shows a page, and returns the ref of what is called "Delete" in it, with the refs.
    async fn shows_delete(&self, page: &str) -> (Refs, Ref) {
        self.shows(&format!("{LOGS}{page}<script>onclick = e => note(t.textContent)</script>")).await;
        let mut refs = Refs::default();
        let tree = self.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap().tree;
        let delete = reference(&tree, "\"Delete\"").parse().unwrap();
        (refs, delete)
    }

    async fn is_stale(&self, refs: &Refs, of: Ref) -> bool {
        matches!(self.page.resolve(refs, of).await, Err(ActError::Stale(_)))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_is_not_that_of_another_title() {
    let scene = Scene::open().await;
    for page in PAGES {
        let (mut refs, delete) = scene.shows_delete(page).await;
        assert!(!scene.is_stale(&refs, delete).await, "{page}");
        scene.evaluate(BOB).await;
        assert!(scene.is_stale(&refs, delete).await, "{page}");
        // The next snapshot shows what it is for.
        scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap();
        assert!(!scene.is_stale(&refs, delete).await, "{page}");
    }
    scene.ends().await;
}

/// What a title says of its state, and titles that say nothing of the button, don't count.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_stays_while_its_title_changes_its_state() {
    let scene = Scene::open().await;
    for changes in [
        "t.textContent = 'Ann Lee (3)'",
        "t.textContent = 'Ann Lee – saving…'",
        "t.textContent = 'Ann Lee is typing'",
        "t.textContent = 'Offline'",
        "b.textContent = 'by the sea'",
        "t.textContent = 'Loading…'; b.textContent = 'by the sea'",
        "t.textContent = ''",
        "t.remove()",
        "t.insertAdjacentHTML('afterend', '<p role=status>Bob Lee has come</p>')",
        "document.body.insertAdjacentHTML('afterbegin', '<h2>Bob Kay has written</h2>')",
        "document.body.insertAdjacentHTML('beforeend', '<h2>Bob Kay has written</h2>')",
        "t.insertAdjacentHTML('afterend', '<h2>Bob Kay has written</h2>'); b.textContent = 'by the sea'",
        "document.querySelector('nav h2').textContent = 'Bob Kay'",
    ] {
        let page = format!("<nav><h2>Menu</h2><button>Open</button></nav>{}", PAGES[1]);
        let (refs, delete) = scene.shows_delete(&page).await;
        scene.evaluate(changes).await;
        let resolved = scene.page.resolve(&refs, delete).await;
        assert!(resolved.is_ok(), "{changes}: {:?}", resolved.map(|_| ()));
    }
    scene.ends().await;
}

/// What an action changes is meant, even if no snapshot was asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_stays_where_an_action_changed_its_title() {
    let scene = Scene::open().await;
    let page = "<main><h1 id=t>New note</h1><button>Name</button><button>Delete</button></main>
        <script>document.querySelector('button').onclick = () => { t.textContent = 'Shopping' }</script>";
    let (refs, delete) = scene.shows_delete(page).await;
    let name = scene.element("button").await;
    scene.page.click(&name, &Click::once(ready())).await.unwrap();
    assert!(!scene.is_stale(&refs, delete).await);
    scene.ends().await;
}

/// A title that is written letter by letter, or takes turns with others, keeps a button from being clicked twice at most.
#[tokio::test(flavor = "multi_thread")]
async fn a_title_that_never_rests_does_not_count_for_long() {
    let scene = Scene::open().await;
    let (mut refs, delete) = scene.shows_delete(PAGES[1]).await;
    for (turn, says) in ["Bob Lee", "Cid Lee", "Dan Lee", "Eve Lee"].into_iter().enumerate() {
        scene.evaluate(&format!("t.textContent = '{says}'; b.textContent = 'as {says}'")).await;
        assert_eq!(scene.is_stale(&refs, delete).await, turn < 2, "{says}");
        scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap();
    }
    let control = scene.page.resolve(&refs, delete).await.unwrap();
    scene.page.click(&control, &Click::once(ready())).await.unwrap();
    assert_eq!(scene.log().await, "Eve Lee");
    // What comes soon after that click may be what it asked for, and what comes later is not.
    scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap();
    scene.evaluate("t.textContent = 'Fay Lee'; b.textContent = 'now'").await;
    assert!(!scene.is_stale(&refs, delete).await, "right after an action");
    scene.evaluate("new Promise(done => setTimeout(done, 3500))").await;
    assert!(scene.is_stale(&refs, delete).await, "later");
    scene.ends().await;
}
