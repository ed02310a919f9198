//! Duplicates and twins that no one sees: the one that a person sees is acted on.

use std::time::Duration;

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Click, How, Terms, Wanted};
use tokio::time::Instant;

use crate::act::scene::{LOGS, Scene, briefly, ready};
use crate::warned::{NO_CHANGE, Warned};

#[tokio::test(flavor = "multi_thread")]
async fn a_twin_that_no_one_sees_is_not_first() {
    let scene = Scene::open().await;
    for (hides, around) in [
        ("opacity: 0", ""),
        ("", "opacity: 0"),
        ("position: absolute; left: -9999px", ""),
        ("position: absolute; top: -9999px", ""),
        (
            "position: absolute; width: 1px; height: 1px; overflow: hidden; padding: 0; border: 0; clip-path: inset(50%)",
            "",
        ),
        ("visibility: hidden", ""),
        ("", "display: none"),
        ("", "content-visibility: hidden"),
        // Beyond each edge of the window, as drawers are.
        ("", "position: fixed; top: 0; right: 0; width: 200px; transform: translateX(100%)"),
        ("", "position: fixed; top: 0; left: 0; width: 200px; transform: translateX(-100%)"),
        ("", "position: fixed; bottom: 0; left: 0; width: 200px; transform: translateY(100%)"),
        ("margin-left: 900px", "overflow-x: hidden; width: 300px; white-space: nowrap"),
        ("position: absolute; left: 300px", "overflow: clip; width: 200px; height: 50px; position: relative"),
    ] {
        for how in [How::Input, How::DocumentFirst] {
            for (by, value, name) in [
                (Some(TargetBy::Role), "button", Some("Pay")),
                (Some(TargetBy::Text), "Pay", None),
                (None, "Pay", None),
            ] {
                scene
                    .shows(&format!("{LOGS}<div style='{around}'><button style='{hides}' onclick='note(`hidden`)'>Pay</button></div><p>x</p><button onclick='note(`seen`)'>Pay</button>"))
                    .await;
                let wanted = Wanted {
                    by,
                    value: value.into(),
                    name: name.map(str::to_owned),
                    wait_for_visible: true,
                    wait_for_enabled: true,
                    ..Wanted::default()
                };
                let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
                scene.page.click(&located.element, &Click::once(Terms { how, ..ready() })).await.unwrap();
                assert_eq!(scene.log().await, "seen", "{hides} {around} {by:?}");
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_in_the_document_counts_where_the_element_stays() {
    let scene = Scene::open().await;
    let acts = async |page: &str| {
        scene
            .shows(&format!(
                "{LOGS}<div id=m><button id=b onclick='note(`clicked`)'>OK</button></div><script>{page}</script>"
            ))
            .await;
        let terms = Terms { how: How::DocumentFirst, ..Terms::until(Instant::now() + Duration::from_millis(700)) };
        let acted = scene.page.click(&scene.element("#b").await, &Click::once(terms)).await;
        (acted, scene.log().await)
    };
    // Rendered anew as the pointer comes: the listener of an element that has left would be told of a click that nothing hears.
    let (acted, log) = acts("m.onmouseover = () => { m.innerHTML = m.innerHTML; m.onmouseover = null }").await;
    assert!(matches!(acted, Err(ActError::NotFound(_))), "{acted:?}");
    assert_eq!(log, "");
    let (acted, log) = acts("b.onmousedown = () => b.remove()").await;
    assert!(acted.unwrap().warned().join("").contains("click_lost"));
    assert_eq!(log, "");
    let (acted, log) = acts("").await;
    assert_eq!((acted.unwrap().warned(), log.as_str()), (vec![NO_CHANGE.to_owned()], "clicked"));
    scene.ends().await;
}

/// What lies behind a modal dialog, or is inert, looks as if it could be clicked.
#[tokio::test(flavor = "multi_thread")]
async fn a_twin_that_takes_no_input_is_not_first() {
    let scene = Scene::open().await;
    let button = |note: &str| format!("<button onclick='note(`{note}`)'>Delete</button>");
    for (page, found) in [
        (
            format!("{}<dialog id=d>{}</dialog><script>d.showModal()</script>", button("behind"), button("dialog")),
            "dialog",
        ),
        (format!("<div inert>{}</div>{}", button("inert"), button("free")), "free"),
        // By its label comes first, and is behind the dialog.
        (
            format!(
                "<button aria-label=Delete onclick='note(`behind`)'>x</button><dialog id=d>{}</dialog><script>d.showModal()</script>",
                button("dialog")
            ),
            "dialog",
        ),
    ] {
        for (by, value) in [(Some(TargetBy::Role), "button \"Delete\""), (None, "Delete")] {
            scene.shows(&format!("{LOGS}{page}")).await;
            let wanted =
                Wanted { by, value: value.into(), wait_for_visible: true, wait_for_enabled: true, ..Wanted::default() };
            let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
            let acted =
                scene.page.click(&located.element, &Click::once(Terms { how: How::DocumentFirst, ..briefly() })).await;
            assert_eq!(scene.log().await, found, "{by:?} {page}: {acted:?}");
        }
    }
    // The only one is found, and told as what is covered.
    scene.shows(&format!("{LOGS}{}<dialog id=d>Sure?</dialog><script>d.showModal()</script>", button("behind"))).await;
    let wanted = Wanted { value: "Delete".into(), wait_for_visible: true, ..Wanted::default() };
    let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
    let acted = scene.page.click(&located.element, &Click::once(briefly())).await;
    assert!(matches!(acted, Err(ActError::Covered { .. })), "{acted:?}");
    scene.ends().await;
}

/// An element that a person can scroll to counts as visible, although a box around it hides it now.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_scrolled_away_is_no_twin_that_no_one_sees() {
    let scene = Scene::open().await;
    for around in [
        "position: absolute; top: 3000px",
        "overflow: auto; height: 50px; padding-top: 60px",
        "position: fixed; bottom: 0; right: 0; width: 200px; height: 50px; overflow-y: auto; padding-top: 60px",
        "overflow: hidden; height: 50px'><div style='overflow-x: scroll; width: 100px; white-space: nowrap'><i style='padding-left: 500px'></i><div style='display: inline",
        "overflow: hidden; height: 50px'><div style='position: fixed; top: 100px; left: 400px",
        "overflow: hidden; width: 50px; height: 50px'><div style='position: absolute; top: 100px; left: 400px",
        "overflow: hidden; width: 50px; height: 50px'><div style='display: contents; position: relative'><button onclick='note(`first`)' style='position: absolute; top: 200px; left: 400px'>Pay</button><div style='display: none",
        "overflow: clip; overflow-clip-margin: 90px; width: 50px; height: 50px'><div style='position: relative; top: 60px",
        "transform: translate(0)'><div style='position: fixed; top: 1000px; left: 9px",
        "display: table-row; overflow: hidden; position: relative'><div style='position: absolute; top: 90px",
    ] {
        scene.shows(&format!("{LOGS}<div style='{around}'><button onclick='note(`first`)'>Pay</button></div></div><p>x</p><button onclick='note(`second`)'>Pay</button>")).await;
        let wanted = Wanted {
            by: Some(TargetBy::Text),
            value: "Pay".into(),
            wait_for_visible: true,
            wait_for_enabled: true,
            ..Wanted::default()
        };
        let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
        scene.page.click(&located.element, &Click::once(ready())).await.unwrap();
        assert_eq!(scene.log().await, "first", "{around}");
    }
    scene.ends().await;
}
