//! Waiting for elements, texts and URLs that come later, and for those that never do.

use std::time::Duration;

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Awaited, UrlGlob, Wanted};
use tokio::time::Instant;

use super::scene::{Scene, by};
use crate::held_page::PATIENCE;

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_later_is_seen_as_it_comes() {
    let scene = Scene::new().await;
    let soon = |script: &str| format!("setTimeout(() => {{ {script} }}, 300)");
    for (html, script) in [
        ("<p>-", "document.body.insertAdjacentHTML('beforeend', '<button>Now</button>')"),
        ("<button disabled>Now</button>", "document.querySelector('button').disabled = false"),
        ("<button style='display:none'>Now</button>", "document.querySelector('button').style.display = ''"),
        ("<style>button{display:none}</style><button>Now</button>", "document.styleSheets[0].deleteRule(0)"),
        ("<button>Later</button>", "document.querySelector('button').firstChild.data = 'Now'"),
        ("<button>-</button>", "location.hash = 'x'; document.querySelector('button').textContent = 'now'"),
    ] {
        scene.shows(html).await;
        let began = Instant::now();
        scene.evaluate(&soon(script)).await;
        scene.locate(&by(TargetBy::Role, "button \"Now\"")).await.unwrap();
        assert!(began.elapsed() >= Duration::from_millis(290), "{script}: before it came");
    }
    // In the document that comes after this one.
    let next = scene.site.html("<button>Now</button>");
    scene.shows("<p>-").await;
    scene.evaluate(&soon(&format!("location = '{next}'"))).await;
    scene.locate(&by(TargetBy::Role, "button \"Now\"")).await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn states_texts_and_urls_are_waited_for() {
    let scene = Scene::new().await;
    let page = &scene.page;
    let (later, in_vain) = (|| Instant::now() + PATIENCE, || Instant::now() + Duration::from_millis(150));
    scene.shows("<p id=p>Loading the <b>list</b></p><button id=b disabled>Go</button>").await;
    page.wait_for_text("loading THE list", later()).await.unwrap();
    // What a field holds is shown as well, a password is not.
    scene.evaluate("document.body.insertAdjacentHTML('beforeend', '<textarea readonly>Saved 1</textarea><input type=password value=Secret>')").await;
    page.wait_for_text("saved 1", later()).await.unwrap();
    let missed = page.wait_for_text("Secret", in_vain()).await.unwrap_err();
    assert!(matches!(missed.error, ActError::TimedOut { .. }), "{missed:?}");
    let go = by(TargetBy::Css, "#b");
    page.wait_for(&go, Awaited::Visible, later()).await.unwrap();
    let missed = page.wait_for(&go, Awaited::Enabled, in_vain()).await.unwrap_err();
    assert!(matches!(missed.error, ActError::TimedOut { .. }), "{missed:?}");
    let missed = page.wait_for(&go, Awaited::Hidden, in_vain()).await.unwrap_err();
    assert!(matches!(missed.error, ActError::TimedOut { .. }), "{missed:?}");
    let missed = page.wait_for_text_gone("Loading", in_vain()).await.unwrap_err();
    assert!(matches!(missed.error, ActError::TimedOut { .. }), "{missed:?}");
    let element = scene.locate(&Wanted { wait_for_enabled: false, ..go.clone() }).await.unwrap().element;
    scene.evaluate("setTimeout(() => { p.hidden = true; b.disabled = false }, 200)").await;
    page.wait_for_element(&element, Awaited::Enabled, later()).await.unwrap();
    page.wait_for_text_gone("Loading", later()).await.unwrap();
    page.wait_for(&by(TargetBy::Text, "Loading the list"), Awaited::Hidden, later()).await.unwrap();
    scene.evaluate("setTimeout(() => b.remove(), 200)").await;
    page.wait_for_element(&element, Awaited::Hidden, later()).await.unwrap();
    let missed = page.wait_for_element(&element, Awaited::Visible, later()).await.unwrap_err();
    assert!(matches!(missed.error, ActError::NotFound(_)), "{missed:?}");

    let glob = |pattern: &str| UrlGlob::parse(pattern).unwrap();
    scene.evaluate("setTimeout(() => history.pushState(1, '', '/shop/7/done?x=1'), 200)").await;
    let url = page.wait_for_url(&glob("/shop/*/done**"), later()).await.unwrap();
    assert!(url.ends_with("/shop/7/done?x=1"), "{url}");
    page.wait_for_url(&glob("**/7/*"), later()).await.unwrap();
    let missed = page.wait_for_url(&glob("/shop/*"), in_vain()).await.unwrap_err();
    assert!(matches!(missed, ActError::TimedOut { .. }), "{missed:?}");
    let next = scene.site.html("<p>next");
    scene.evaluate(&format!("setTimeout(() => location = '{next}', 200)")).await;
    page.wait_for_url(&glob(&next), later()).await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_ends_the_wait() {
    let scene = Scene::new().await;
    scene.shows("<p>-").await;
    scene.evaluate("setTimeout(() => alert('hello'), 200)").await;
    let missed = scene.locate(&by(TargetBy::Text, "never")).await.unwrap_err();
    assert!(matches!(&missed.error, ActError::Dialog(dialog) if dialog.message == "hello"), "{missed:?}");
    scene.page.answer_dialog(true, None).await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_nobody_sees_is_waited_for() {
    let scene = Scene::new().await;
    let page = &scene.page;
    for (html, script) in [
        ("<details id=d><summary>More</summary>Order placed</details>", "d.open = true"),
        ("<iframe id=f style='visibility:hidden' srcdoc='Order placed'></iframe>", "f.style.visibility = ''"),
        ("<p id=t style='opacity:0'>Order placed</p>", "t.style.opacity = 1"),
    ] {
        scene.shows(html).await;
        let missed = page.wait_for_text("Order placed", Instant::now() + Duration::from_millis(150)).await.unwrap_err();
        assert!(matches!(missed.error, ActError::TimedOut { .. }), "{html} {missed:?}");
        page.wait_for_text_gone("Order placed", Instant::now() + PATIENCE).await.unwrap();
        scene.evaluate(script).await;
        page.wait_for_text("Order placed", Instant::now() + PATIENCE).await.unwrap();
    }
    scene.ends().await;
}

/// Without a snapshot before, which asks for closed shadow roots as well.
#[tokio::test(flavor = "multi_thread")]
async fn closed_shadow_roots_are_searched() {
    let scene = Scene::new().await;
    let page = &scene.page;
    let later = || Instant::now() + PATIENCE;
    let many = "<div style='width:9px;height:9px'></div>".repeat(150);
    let inner = "<p>Done</p><div id=h2></div>";
    let attach = format!(
        "const root = host.attachShadow({{ mode: 'closed' }}); root.innerHTML = \"{inner}\";
         root.querySelector('#h2').attachShadow({{ mode: 'closed' }}).innerHTML = '<button>Save</button>'"
    );
    let is_late = format!("setTimeout(() => {{ {attach} }}, 300)");
    for (html, script) in [
        ("<div id=host></div>".to_owned(), &attach),
        (format!("{many}<div id=host></div>"), &attach),
        ("<div id=host><b>light</b></div>".to_owned(), &attach),
        ("<div id=host style='width:99px;height:99px'></div>".to_owned(), &is_late),
    ] {
        scene.shows(&format!("{html}<script>{script}</script>")).await;
        page.wait_for_text("Done", later()).await.unwrap();
        let missed = page.wait_for_text_gone("Done", Instant::now() + Duration::from_millis(150)).await.unwrap_err();
        assert!(matches!(missed.error, ActError::TimedOut { .. }), "{missed:?}");
        scene.shows(&format!("{html}<script>{script}</script>")).await;
        let save = by(TargetBy::Role, "button \"Save\"");
        page.wait_for(&save, Awaited::Enabled, later()).await.unwrap();
        scene.locate(&save).await.unwrap();
    }
    // Nothing is asked before the text is gone but the roots themselves.
    scene.shows(&format!("<div id=host></div><script>{attach}</script>")).await;
    let missed = page.wait_for_text_gone("Done", Instant::now() + Duration::from_millis(150)).await.unwrap_err();
    assert!(matches!(missed.error, ActError::TimedOut { .. }), "{missed:?}");
    scene.ends().await;
}
