//! What is looked at before a click: the element is there, free and still, and what was meant.

use porthole_contract::session::TargetBy;
use porthole_service::page::interact::{ActError, Click, Point, Refs, SnapshotOptions, Terms, Wanted};
use tokio::time::Instant;

use super::scene::{BRIEFLY, LOGS, Scene, in_document, ready};
use crate::warned::Warned;

/// More words may come after a name as the pointer does, such as a tooltip's; words before or among it may say the opposite.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_that_says_something_else_under_the_pointer_is_not_clicked() {
    let scene = Scene::open().await;
    for (before, after, clicks) in [
        ("Keep account", "Do not keep account", false),
        ("Pay $5.00", "Pay $995.00 (was $5.00)", false),
        ("Delete draft", "Delete account and every draft", false),
        ("Save", "Save Writes the file", true),
    ] {
        scene
            .shows(&format!(
                "{LOGS}<button id=a>{before}</button><script>a.onclick = () => note('clicked');
                a.onpointerenter = () => {{ a.textContent = '{after}' }}</script>"
            ))
            .await;
        let element =
            scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains(before)).await;
        let acted = scene.page.click(&element, &Click::once(Terms::until(Instant::now() + BRIEFLY))).await;
        assert_eq!(acted.is_ok(), clicks, "{after}: {acted:?}");
        assert_eq!(scene.log().await, if clicks { "clicked" } else { "" }, "{after}");
        // Away from where the next one will be.
        scene.page.click_at(Point { x: 600.0, y: 500.0 }, &Click::once(ready())).await.unwrap();
    }
    // A label that the press gives to another box, clicked in the document.
    scene
        .shows(
            "<label id=l for=c>Agree</label><input type=checkbox id=c hidden><input type=checkbox id=d hidden>
            <script>l.onpointerdown = () => { l.htmlFor = 'd' }</script>",
        )
        .await;
    let acted = scene.page.click(&scene.element("#l").await, &Click::once(in_document())).await.unwrap();
    assert!(acted.warned().iter().any(|warning| warning.starts_with("click_lost")), "{acted:?}");
    assert_eq!(scene.evaluate("c.checked || d.checked").await, false);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_covered_is_not_clicked_until_it_is_free() {
    let scene = Scene::showing(&format!(
        "{LOGS}<button id=b onclick='note(`b`)'>go</button>
        <div id=consent onclick='note(`consent`)' style='position:fixed;inset:0'><p>Cookies?</div>"
    ))
    .await;
    let covered = scene.click_within("#b", BRIEFLY).await.unwrap_err();
    let ActError::Covered { covered, by } = covered else { panic!("{covered:?}") };
    assert_eq!((covered.as_str(), by.as_str()), ("<button id=\"b\">", "<div id=\"consent\">"));
    assert_eq!(scene.log().await, "");
    scene.evaluate("setTimeout(() => consent.remove(), 150)").await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "b");

    // Half covered: the other half will do.
    scene
        .shows(&format!(
            "{LOGS}<button id=b onclick='note(`b`)' style='position:absolute;left:0;top:0;width:300px;height:60px'>b</button>
            <div onclick='note(`over`)' style='position:absolute;left:100px;top:0;width:300px;height:100px;background:red'>"
        ))
        .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "b");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_is_swapped_when_the_pointer_comes_is_not_clicked() {
    // Its place is taken by another as soon as the pointer is over it.
    let scene = Scene::showing(&format!(
        "{LOGS}<div id=place><button id=b onclick='note(`b`)' style='width:200px;height:80px'>pay 1</button></div>
        <script>addEventListener('mousedown', () => note('down'), true);
        b.addEventListener('pointermove', () => {{
            place.innerHTML = '<button onclick=\"note(`other`)\" style=\"width:200px;height:80px\">pay 1000</button>' }})</script>"
    ))
    .await;
    let swapped = scene.click_within("#b", BRIEFLY).await.unwrap_err();
    assert!(matches!(swapped, ActError::NotFound(_) | ActError::Covered { .. }), "{swapped:?}");
    assert_eq!(scene.log().await, "", "neither of them is clicked");

    // And an overlay that comes with the pointer.
    scene
        .shows(&format!(
            "{LOGS}<button id=b onclick='note(`b`)' style='width:200px;height:80px'>go</button>
            <div id=o hidden onclick='note(`o`)' style='position:fixed;inset:0'></div>
            <script>b.addEventListener('pointermove', () => {{ o.hidden = false }})</script>"
        ))
        .await;
    let covered = scene.click_within("#b", BRIEFLY).await.unwrap_err();
    assert!(matches!(&covered, ActError::Covered { by, .. } if by.contains("\"o\"")), "{covered:?}");
    assert_eq!(scene.log().await, "");

    // In a document whose only script is in attributes.
    scene
        .shows(
            "<button id=b onpointermove='o.hidden = false' style='width:200px;height:80px'>go</button>
            <div id=o hidden onmousedown='document.title = `pressed`' style='position:fixed;inset:0'></div>",
        )
        .await;
    let covered = scene.click_within("#b", BRIEFLY).await.unwrap_err();
    assert!(matches!(covered, ActError::Covered { .. }), "{covered:?}");
    assert_eq!(scene.evaluate("document.title").await, "");

    // Swapped by the press itself: no click comes to what is there then.
    scene
        .shows(&format!(
            "{LOGS}<div id=place><button id=b style='width:200px;height:80px'>go</button></div>
            <script>b.addEventListener('mousedown', () => {{
            place.innerHTML = '<button onclick=\"note(`other`)\" style=\"width:200px;height:80px\">else</button>' }})</script>"
        ))
        .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_is_waited_for_until_it_is_ready() {
    let scene = Scene::showing(&format!(
        "{LOGS}<fieldset id=f disabled><button id=b onclick='note(`b`)'>go</button></fieldset>
        <div aria-disabled=true><div role=button id=a onclick='note(`a`)'>go</div></div>
        <button id=h style='visibility:hidden' onclick='note(`h`)'>go</button>"
    ))
    .await;
    let disabled = scene.click_within("#b", BRIEFLY).await.unwrap_err();
    assert!(matches!(&disabled, ActError::NotEnabled(what) if what.contains("\"b\"")), "{disabled:?}");
    assert!(matches!(scene.click_within("#a", BRIEFLY).await, Err(ActError::NotEnabled(_))));
    assert!(matches!(scene.click_within("#h", BRIEFLY).await, Err(ActError::NotVisible(_))));
    scene.evaluate("setTimeout(() => { f.disabled = false; h.style.visibility = '' }, 250)").await;
    scene.click("#b").await.unwrap();
    scene.click("#h").await.unwrap();
    assert_eq!(scene.log().await, "b,h");

    let element = scene.element("#b").await;
    scene.evaluate("b.remove()").await;
    let gone = scene.page.click(&element, &Click::once(ready())).await.unwrap_err();
    assert!(matches!(gone, ActError::NotFound(_)), "{gone:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moves_is_clicked_when_it_stands_still() {
    let scene = Scene::showing(&format!(
        "{LOGS}<style>@keyframes slide {{ from {{ transform: translate(0) }} to {{ transform: translate(500px, 300px) }} }}
        #b {{ animation: slide .6s linear both }}</style><button id=b onclick='note(`b`)'>go</button>"
    ))
    .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "b");
    scene.evaluate("b.style.animation = 'slide .5s linear infinite alternate'").await;
    let moving = scene.click_within("#b", BRIEFLY).await.unwrap_err();
    assert!(matches!(moving, ActError::TimedOut { .. }), "{moving:?}");

    // By script, frame by frame.
    scene
        .shows(&format!(
            "{LOGS}<button id=b onclick='note(`b`)' style='position:absolute;left:0'>go</button><script>
            let x = 0; const move = () => {{ b.style.left = (x += 8) + 'px'; if (x < 400) requestAnimationFrame(move) }}; move()</script>"
        ))
        .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "b");
    scene.ends().await;
}

/// A button that asks for attention for as long as it is there keeps its middle.
#[tokio::test(flavor = "multi_thread")]
async fn what_pulses_or_spins_for_ever_is_clicked_in_its_middle() {
    let scene = Scene::open().await;
    for moves in ["scale(1.2)", "rotate(180deg)"] {
        for (repeats, terms) in [("infinite", ready()), ("infinite", in_document()), ("3", ready())] {
            scene
                .shows(&format!(
                    "{LOGS}<style>@keyframes moves {{ to {{ transform: {moves} }} }} #b {{ animation: moves .4s {repeats}; margin: 99px }}</style>
                    <button id=b onclick='note(b.getAnimations().length)'>Buy now</button>"
                ))
                .await;
            let element = scene.element("#b").await;
            scene.page.click(&element, &Click::once(terms)).await.unwrap();
            // What comes to an end is waited for.
            assert_eq!(scene.log().await, if repeats == "3" { "0" } else { "1" }, "{moves} {repeats}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_are_scrolled_into_view_past_what_sticks() {
    let bars =
        "<style>html { scroll-behavior: smooth } header, footer { position: fixed; left: 0; right: 0; height: 200px;
        background: #ccc; z-index: 1 } header { top: 0 } footer { bottom: 0 }</style>
        <header onclick='note(`header`)'></header><footer onclick='note(`footer`)'></footer>";
    let scene = Scene::showing(&format!(
        "{LOGS}{bars}<div style='height:1500px'></div><button id=b onclick='note(`b`)'>go</button><div style='height:1500px'>"
    ))
    .await;
    scene.click("#b").await.unwrap();
    // In view, and under the header.
    scene.evaluate("scrollTo({top: b.offsetTop - 100, behavior: 'instant'})").await;
    scene.click("#b").await.unwrap();
    scene.evaluate("scrollTo({top: b.offsetTop - 500, behavior: 'instant'})").await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "b,b,b");

    // In containers, each of which must scroll.
    scene
        .shows(&format!(
            "{LOGS}<div style='height:1000px'></div><div style='height:200px;overflow:auto'><div style='height:800px'></div>
            <div style='height:150px;overflow:auto'><div style='height:900px'></div><a href=# id=b
            onclick='note(`b`);return false'>go</a><div style='height:900px'></div></div></div>"
        ))
        .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "b");
    scene.ends().await;
}

/// While an element is waited for the pointer has not come to it: what changes then is no answer to the pointer.
#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_something_else_while_it_is_waited_for_is_not_clicked() {
    let scene = Scene::open().await;
    let cover = "<div id=cover style='position:fixed;inset:0'></div><script>b.onclick = () => note('b')</script>";
    for (html, change) in [
        (
            "<dialog open aria-label='Delete Ann?' id=d><button id=b>Yes</button></dialog>",
            "d.ariaLabel = 'Delete Bob?'",
        ),
        ("<button id=b>Remove</button>", "b.textContent = 'Remove all files'"),
        ("<ul><li><span id=n>Ann</span><button id=b>Delete</button><li>Cid</ul>", "n.textContent = 'All but Ann'"),
    ] {
        scene.shows(&format!("{LOGS}{html}{cover}")).await;
        let button =
            scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("button")).await;
        scene.evaluate(&format!("setTimeout(() => {{ {change} }}, 200); setTimeout(() => cover.remove(), 500)")).await;
        let clicked = scene.page.click(&button, &Click::once(ready())).await.unwrap_err();
        assert!(matches!(clicked, ActError::Stale(_)), "{change}: {clicked:?}");
        assert_eq!(scene.log().await, "", "{change}");
    }
    scene.ends().await;
}

/// Targets that say nothing of what a person sees must match when the click comes.
#[tokio::test(flavor = "multi_thread")]
async fn what_its_selector_matches_no_more_is_not_clicked() {
    let scene = Scene::open().await;
    let row = "<table><tr data-id=7><td id=n>Ann<td><button id=b data-testid=delete-7>Delete</button></table>
        <div id=cover style='position:fixed;inset:0'></div><script>b.onclick = () => note('b')</script>";
    let change = "setTimeout(() => { n.textContent = 'Bob'; b.dataset.testid = 'delete-8'; n.parentNode.dataset.id = '8' }, 200);
        setTimeout(() => cover.remove(), 500)";
    for (by, value) in [
        (TargetBy::Css, "tr[data-id='7'] button"),
        (TargetBy::TestId, "delete-7"),
        (TargetBy::Xpath, "//tr[td='Ann']//button"),
        (TargetBy::Role, "row \"Ann Delete\" >> css:button"),
    ] {
        scene.shows(&format!("{LOGS}{row}")).await;
        let wanted = Wanted { by: Some(by), value: value.to_owned(), ..Wanted::default() };
        let located = scene.page.locate(&wanted, ready().deadline).await.unwrap();
        scene.evaluate(change).await;
        let clicked = scene.page.click(&located.element, &Click::once(ready())).await.unwrap_err();
        assert!(matches!(clicked, ActError::NotFound(_)), "{value}: {clicked:?}");
        assert_eq!(scene.log().await, "", "{value}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_list_shows_over_its_field_is_the_field() {
    let page = |over: &str| {
        format!(
            "<style>.w {{ display: flex; width: 200px; height: 30px; border: 1px solid }} .s {{ position: relative; flex: 1; display: flex; align-items: center }}
            #i {{ width: 11px; height: 24px; opacity: 0; border: 0; padding: 0 }} .p {{ position: absolute; top: 0; height: 100%; width: 100%; z-index: 1 }}</style>
            {LOGS}<label for=i>Zone</label><div class=w onclick=\"note('opens')\"><div class=s><div><input id=i role=combobox aria-expanded=false readonly></div>{over}</div></div>"
        )
    };
    let scene = Scene::showing(&page("<div class=p>Pick zone</div>")).await;
    scene.click("#i").await.unwrap();
    assert_eq!(scene.log().await, "opens");
    // Material Design's fields are 56 px high.
    scene.shows(&page("<div class=p>Pick zone</div>").replace("height: 30px", "height: 56px")).await;
    scene.click("#i").await.unwrap();
    // What acts by itself is not.
    scene.shows(&page("<button class=p onclick=\"event.stopPropagation(); note('clears')\">Clear</button>")).await;
    let covered = scene.click_within("#i", BRIEFLY).await;
    assert!(matches!(covered, Err(ActError::Covered { .. })), "{covered:?}");
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}
