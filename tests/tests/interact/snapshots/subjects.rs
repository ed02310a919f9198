//! When a ref is stale by more than what is around its element: by what the whole page is about, and by a placeholder.

use super::scene::{Scene, ref_of};

/// Settings under a heading of their own are another person's once the page's first heading and its title both say so.
#[tokio::test]
async fn a_page_about_somebody_else_has_other_buttons() {
    let mut scene = Scene::local().await;
    let page = "<title>Alice Smith</title><header><h1 id=h>Alice Smith</h1><button>Menu</button></header><nav><button>Home</button></nav><main><h2>Danger zone</h2>
        <p>There is no way back.</p><button>Delete account</button><ul><li>Mail <button>Change mail</button></li><li>Name <button>Change name</button></li></ul></main>";
    for (change, is_another) in [
        ("h.textContent = document.title = 'Robert Jones'", true),
        ("h.textContent = 'Robert Jones'", false),
        ("document.title = '(1) New message'", false),
        ("h.textContent = document.title = 'Alice Smith (unsaved)'", false),
        ("h.textContent = document.title = '24:59'", false),
    ] {
        scene.shows(page).await;
        let tree = scene.tree().await;
        scene.evaluate(&format!("{change}; 1")).await;
        for shows in ["Delete account", "Change mail"] {
            let resolved = scene.resolves(&ref_of(&tree, shows)).await;
            assert_eq!(resolved.is_err(), is_another, "{change} {shows} {resolved:?}");
        }
        scene.resolves(&ref_of(&tree, "Home")).await.unwrap();
        // Of a page that has changed so the latest snapshot's refs are right.
        let tree = scene.tree().await;
        scene.resolves(&ref_of(&tree, "Delete account")).await.unwrap();
    }
}

/// Examples that take turns as a field's placeholder tell it no longer; another question in its place does.
#[tokio::test]
async fn a_placeholder_that_takes_turns_makes_no_ref_stale() {
    let mut scene = Scene::local().await;
    scene.shows("<form><input id=i placeholder='Plan a trip'><button>Send</button></form>").await;
    let field = ref_of(&scene.tree().await, "Plan a trip");
    let says = async |words: &str| {
        // Each in a task of its own.
        scene.evaluate(&format!("i.placeholder = '{words}'; new Promise(done => setTimeout(done, 5, 1))")).await;
    };
    says("Card number").await;
    assert!(scene.resolves(&field).await.unwrap_err().contains("Card number"), "it changed once");
    says("Write a poem").await;
    scene.resolves(&field).await.unwrap();
    // What else tells it still does.
    scene.evaluate("i.setAttribute('aria-label', 'Card number'); 1").await;
    scene.resolves(&field).await.unwrap_err();
    // A snapshot that shows another one without an action since is as good as a second change.
    scene.shows("<form><input id=i placeholder='Search hats'><button>Send</button></form>").await;
    scene.tree().await;
    scene.evaluate("i.placeholder = 'Search bags'; 1").await;
    let field = ref_of(&scene.tree().await, "Search bags");
    scene.evaluate("i.placeholder = 'Search shoes'; 1").await;
    scene.resolves(&field).await.unwrap();
}
