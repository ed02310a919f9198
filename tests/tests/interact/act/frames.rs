//! Elements in frames in frames, of the same and of other origins, scaled and rotated.

use std::time::Duration;

use porthole_service::page::interact::{ActError, Click, Point, Terms};
use porthole_tests::site::SHOP;
use tokio::time::Instant;

use super::scene::{Scene, ready, typing};

const LEAF: &str = "<div style='height:900px'>far up</div><button id=b onclick='top.postMessage(`b`, `*`)'>go</button>
    <input id=i oninput='top.postMessage(this.value, `*`)'>";
const HEARS: &str = "<script>const log = []; onmessage = e => log.push(e.data)</script>";

#[tokio::test(flavor = "multi_thread")]
async fn elements_in_frames_in_frames_are_hit() {
    for other_origin in [false, true] {
        let scene = Scene::open().await;
        let elsewhere = |url: String| if other_origin { scene.site.under_name(&url, SHOP) } else { url };
        let leaf = elsewhere(scene.site.html(LEAF));
        let middle = scene.site.html(&format!(
            "<div style='height:700px'></div><iframe id=inner src='{leaf}' style='margin:13px;border:7px solid;padding:5px;width:260px;height:120px'></iframe>"
        ));
        let middle = elsewhere(middle).replace(SHOP, if other_origin { "127.0.0.1" } else { SHOP });
        scene
            .shows(&format!(
                "{HEARS}<div style='height:1000px'></div><iframe id=outer src='{middle}' style='border:3px solid;padding:11px;width:400px;height:220px'></iframe>
                <div id=over style='position:fixed;inset:0;display:none'></div>"
            ))
            .await;
        let button = scene.inner(&["#outer", "#inner", "#b"]).await;
        let acted = scene.page.click(&button, &Click::once(ready())).await.unwrap();
        assert_eq!(scene.log().await, "b", "other origin: {other_origin}");
        let bounds = acted.bounding_box.unwrap();
        assert!(bounds.x > 30.0 && bounds.y > 0.0 && bounds.y < 600.0, "{bounds:?}");

        let input = scene.inner(&["#outer", "#inner", "#i"]).await;
        scene.page.type_text(&input, &typing("typed")).await.unwrap();
        assert_eq!(scene.log().await, "b,typed", "other origin: {other_origin}");
        scene.press(None, "Control+A").await.unwrap();
        scene.press(None, "x").await.unwrap();
        assert_eq!(scene.log().await, "b,typed,x", "other origin: {other_origin}");

        scene.evaluate("over.style.display = ''").await;
        let briefly = Terms::until(Instant::now() + Duration::from_millis(700));
        let covered = scene.page.click(&button, &Click::once(briefly)).await.unwrap_err();
        assert!(matches!(&covered, ActError::Covered { by, .. } if by.contains("over")), "{covered:?}");
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_in_transformed_frames_are_hit() {
    let scene = Scene::open().await;
    let leaf =
        scene.site.html("<button id=b style='margin:40px 0 0 150px' onclick='top.postMessage(`b`, `*`)'>go</button>");
    for style in
        ["transform: scale(.5)", "transform: rotate(30deg) scale(.8)", "scale: 1.3", "rotate: 90deg", "zoom: 1.5"]
    {
        scene.shows(&format!("{HEARS}<iframe id=f src='{leaf}' style='margin:80px;{style}'></iframe>")).await;
        let button = scene.inner(&["#f", "#b"]).await;
        scene.page.click(&button, &Click::once(ready())).await.unwrap_or_else(|error| panic!("{style}: {error}"));
        assert_eq!(scene.log().await, "b", "{style}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overlay_that_comes_with_the_pointer_keeps_a_frame_from_being_clicked() {
    let scene = Scene::open().await;
    let leaf = scene.site.html(
        "<button id=b style='width:200px;height:90px' onpointermove='parent.o.hidden = false' onclick='parent.note(`b`)'>go",
    );
    scene
        .shows(&format!(
            "<iframe id=f src='{leaf}'></iframe><div id=o hidden onclick='note(`o`)' style='position:fixed;inset:0'></div>
            <script>const log = [], note = what => log.push(what)</script>"
        ))
        .await;
    let button = scene.inner(&["#f", "#b"]).await;
    let briefly = Terms::until(Instant::now() + Duration::from_millis(700));
    let covered = scene.page.click(&button, &Click::once(briefly)).await.unwrap_err();
    assert!(matches!(&covered, ActError::Covered { by, .. } if by.contains("\"o\"")), "{covered:?}");
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_element_of_many_is_hit_in_a_frame() {
    let scene = Scene::open().await;
    let buttons: String = (0..40)
        .map(|number| format!("<button id=b{number} onclick='top.postMessage(`{number}`, `*`)'>B{number}</button> "))
        .collect();
    let leaf = scene.site.html(&buttons);
    for (page, frame) in [
        ("", "zoom: 1.5; border: 7px solid"),
        ("html { zoom: .8 }", "padding: 9px"),
        ("body { zoom: 1.3 }", "zoom: .7; transform: rotate(10deg); border: 5px solid"),
        ("", "transform: perspective(500px) rotateY(40deg)"),
    ] {
        scene
            .shows(&format!(
                "{HEARS}<style>{page}</style><iframe id=f src='{leaf}' style='margin:40px;{frame}'></iframe>"
            ))
            .await;
        for number in ["0", "17", "31"] {
            let button = scene.inner(&["#f", &format!("#b{number}")]).await;
            scene.evaluate("log.length = 0").await;
            let briefly = Terms::until(Instant::now() + Duration::from_millis(700));
            match scene.page.click(&button, &Click::once(briefly)).await {
                Ok(_) => assert_eq!(scene.log().await, number, "{page} {frame}"),
                Err(error) => {
                    assert!(
                        frame.contains("perspective") && matches!(error, ActError::Covered { .. }),
                        "{page} {frame}: {error}"
                    );
                    assert_eq!(scene.log().await, "", "{page} {frame}");
                }
            }
        }
    }
    scene.ends().await;
}

/// The element at a point of the viewport, wherever its frame draws it.
#[tokio::test(flavor = "multi_thread")]
async fn a_point_in_a_frame_is_of_the_element_that_is_drawn_there() {
    let scene = Scene::open().await;
    // An image of that name stands for the document's method.
    let lies = "<img name=elementFromPoint>";
    let fields = "<body style=\"margin:0\"><input id=a style=\"display:block;height:30px\"><input id=b style=\"display:block;height:30px\">";
    for style in [
        "transform:scale(.5);transform-origin:0 0",
        "padding:20px;border:5px solid",
        "zoom:1.5",
        "transform:rotate(20deg);margin:90px",
    ] {
        scene.shows(&format!("{lies}<iframe id=f style='{style}' srcdoc='{fields}'></iframe>")).await;
        for id in ["a", "b"] {
            let field = scene.inner(&["#f", &format!("#{id}")]).await;
            let drawn = scene.page.place_of(&field).await.unwrap().unwrap();
            let middle = Point { x: drawn.x + drawn.width / 2.0, y: drawn.y + drawn.height / 2.0 };
            let element = scene.page.element_at(middle).await.unwrap();
            assert_eq!(element.number, field.number, "{style} {id}");
            scene.page.type_text(&element, &typing(id)).await.unwrap();
            assert_eq!(scene.evaluate(&format!("f.contentDocument.getElementById('{id}').value")).await, id, "{style}");
        }
    }
    // Which point of a frame that is turned out of its plane that is can't be told.
    for (around, style) in
        [("", "transform:perspective(300px) rotateY(50deg)"), ("perspective:300px", "rotate:y 50deg")]
    {
        scene
            .shows(&format!("<div style='{around}'><iframe id=f style='{style}' srcdoc='{fields}'></iframe></div>"))
            .await;
        scene.inner(&["#f", "#a"]).await;
        let drawn = scene.page.place_of(&scene.element("#f").await).await.unwrap().unwrap();
        let middle = Point { x: drawn.x + drawn.width / 2.0, y: drawn.y + drawn.height / 2.0 };
        let there = scene.page.element_at(middle).await;
        assert!(matches!(there, Err(ActError::NotFound(_))), "{style}: {there:?}");
    }
    scene.ends().await;
}

/// Editors are the body of a frame of their own, which is what has the focus in it before it was ever given it.
#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_is_the_body_of_a_frame_is_written_in() {
    let scene = Scene::open().await;
    let leaf = scene.site.html(
        "<body contenteditable style='height:80px'><script>oninput = () => top.postMessage(document.body.innerText.trim(), `*`)</script>",
    );
    for first in [false, true] {
        scene.shows(&format!("{HEARS}<label>Title <input id=t></label><iframe id=f src='{leaf}'></iframe>")).await;
        if first {
            scene.types("#t", "a title").await.unwrap();
        }
        let editor = scene.inner(&["#f", "body"]).await;
        scene.page.type_text(&editor, &typing("a story")).await.unwrap();
        assert!(scene.log().await.ends_with("a story"), "after the title: {first}");
    }
    scene.ends().await;
}
