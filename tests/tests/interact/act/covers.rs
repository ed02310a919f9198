//! What pages draw over a control or in its place: what takes the clicks that are meant for the control, and what covers it.

use porthole_service::page::interact::{ActError, Click, Drop, Grip, How, Point, Refs, SnapshotOptions, Terms};

use super::scene::{BRIEFLY, LOGS, Scene, briefly, ready};
use crate::warned::Warned;

/// A transparent box that is laid over its drawing takes the clicks that are meant for what is drawn.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_box_is_laid_over_is_clicked_by_its_words() {
    let scene = Scene::open().await;
    let over = "position:absolute;inset:0;width:100%;height:100%;opacity:0;margin:0;z-index:1";
    let page = |named: &str, more: &str, style: &str| {
        format!(
            "<div style='position:relative;width:200px'><input id=b type=checkbox {named} style='{style}'>
            <div style='border:1px solid;padding:8px;cursor:pointer'><span id=s>Follow</span></div>{more}</div>"
        )
    };
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&page("", "", over)).await;
        let (refs, options) = (&mut Refs::default(), SnapshotOptions::default());
        scene.by_ref(refs, &options, |line| line.contains("checkbox [ref=") && line.ends_with(": Follow")).await;
        let click = Click::once(Terms { how, ..ready() });
        scene.page.click(&scene.element("#s").await, &click).await.unwrap();
        assert_eq!(scene.evaluate("b.checked").await, true, "{how:?}");
    }
    // One for something else, one beside another control, one that is seen, and one that covers a part.
    for covering in [
        page("aria-label='Delete all'", "", over),
        page("", "<button>Delete</button>", over),
        page("", "", &over.replace("opacity:0", "opacity:.1")),
        page("", "", &over.replace("width:100%", "width:40px")),
    ] {
        scene.shows(&covering).await;
        let refused = scene.click_within("#s", BRIEFLY).await;
        let is_missed = scene.evaluate("!b.checked").await;
        assert_eq!(is_missed, true, "{covering} {refused:?}");
        assert!(
            matches!(refused, Err(ActError::Covered { .. })) || covering.contains("40px"),
            "{covering} {refused:?}"
        );
    }
    scene.ends().await;
}

/// Libraries draw their lists beside a field that is clipped away and holds the focus alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_stands_for_a_drawn_list_is_clicked_there() {
    let scene = Scene::open().await;
    let clipped = "position:absolute;clip:rect(0 0 0 0);height:1px;width:1px;margin:-1px;overflow:hidden";
    let line = "position:relative;width:200px;padding:10px;cursor:pointer";
    let page = |field: &str, more: &str| {
        format!(
            "{LOGS}<div style='{line}' onclick='note(1)'><div style='{clipped}'><input id=i aria-label=City {field}></div>
            <span style='display:block'>Select a City</span>{more}</div>"
        )
    };
    let scaled = |field: &str, more: &str| {
        format!(
            "{LOGS}<label for=i>City</label><div style='{line}' onclick='note(1)'>
            <input id=i {field} style='position:absolute;transform:scale(0)'><span style='display:block'>Select a City</span>{more}</div>"
        )
    };
    for stands in [
        page("readonly", ""),
        page("role=combobox", ""),
        page("role=listbox aria-haspopup=tree", ""),
        page("readonly", "<button aria-haspopup=listbox style='width:9px'></button>"),
        page("readonly", &format!("<div style='{clipped}'><select><option>Bern</select></div>")),
        scaled("readonly", ""),
        scaled("role=combobox", ""),
        page("readonly style='transform:scale(0)'", ""),
        page("role=combobox", "<input aria-hidden=true tabindex=-1 style='opacity:0'>"),
        // Where it shows what was chosen, its buttons take that back.
        page("readonly role=combobox aria-expanded=false", "<button style='width:9px'>x</button>"),
        page("readonly role=combobox", "<div role=button aria-haspopup=tree style='width:9px'>v</div>"),
        // A list that is laid over what it is drawn by, which says which option is chosen.
        format!(
            "{LOGS}<label for=i>City</label><div style='{line}' onclick='note(1)'><select id=i style='position:absolute;inset:0;opacity:0;pointer-events:none'><option>Bern</select>
            <div role=listbox><div role=option aria-selected=true>Bern</div></div></div>"
        ),
    ] {
        scene.shows(&stands).await;
        let (refs, options) = (&mut Refs::default(), SnapshotOptions::default());
        let field = scene.by_ref(refs, &options, |line| line.contains("\"City\"") && line.contains("[ref=")).await;
        let click = Click::once(ready());
        scene.page.click(&field, &click).await.unwrap_or_else(|error| panic!("{stands} {error:?}"));
        assert_eq!(scene.log().await, "1", "{stands}");
    }
    // A field to write in, and one beside another control.
    for covered in [
        page("", ""),
        page("readonly", "<button>Delete</button>"),
        page("role=listbox", "<input>"),
        scaled("", ""),
        scaled("readonly", "<button>Delete</button>"),
    ] {
        scene.shows(&covered).await;
        let refused = scene.click_within("#i", BRIEFLY).await.unwrap_err();
        assert!(matches!(refused, ActError::Covered { .. } | ActError::NotVisible(_)), "{covered} {refused:?}");
        assert_eq!(scene.log().await, "", "{covered}");
    }
    scene.ends().await;
}

/// Pages lay something clear over the words of an entry that was clicked, and tick boxes by a label that is for none.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_lays_over_its_own_words_covers_nothing() {
    let scene = Scene::open().await;
    let item = |over: &str, more: &str| {
        format!(
            "{LOGS}<style>.item {{ position: absolute; left: 20px; top: 20px; width: 160px; height: 30px }} .over {{ position: absolute; inset: 0 }}</style>
            <div class=item id=i><div id=w>Task 1</div>{more}</div><script>i.onpointerup = () => {{ if (!i.querySelector('.over')) i.insertAdjacentHTML('beforeend', `<div class=over {over}></div>`) }};
            i.onclick = () => note('click'); i.ondblclick = () => note('dblclick')</script>"
        )
    };
    let twice = Click { count: 2, ..Click::once(briefly()) };
    scene.shows(&item("", "")).await;
    let acted = scene.page.click(&scene.element("#w").await, &twice).await.unwrap();
    assert_eq!((scene.log().await.as_str(), acted.warned()), ("click,click,dblclick", vec![]));
    // What is for something else, or seen, gets no second click.
    for covering in [
        item("aria-label=Delete", ""),
        item("style='background: red'", ""),
        item("role=button", ""),
        item("onclick=this.remove()", ""),
        item("style='position: fixed'", ""),
        item("", "<span style='position: absolute; left: 90px'>and 2</span>"),
        item("", "<button style='position: absolute; right: 0'></button>"),
    ] {
        scene.shows(&covering).await;
        let acted = scene.page.click(&scene.element("#w").await, &twice).await.unwrap();
        assert!(acted.warned().join("").contains("click_lost: 1 of 2"), "{covering} {acted:?}");
        assert_eq!(scene.log().await, "click", "{covering}");
    }
    let boxed = |label: &str, more: &str| {
        format!(
            "<style>div {{ position: relative }} input[type=checkbox] {{ position: absolute; left: 0; top: 0; opacity: 0; z-index: -1 }} label {{ display: block; padding-left: 24px }}</style>
            <div onclick='event.target === b || (b.checked = !b.checked)'><input type=checkbox id=b><label {label}>I agree</label>{more}</div><input id=other>"
        )
    };
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&boxed("", "")).await;
        scene.page.check(&scene.element("#b").await, true, &Terms { how, ..briefly() }).await.unwrap();
        assert_eq!(scene.evaluate("b.checked").await, true, "{how:?}");
    }
    for covered in [boxed("for=other", ""), boxed("", "<button>Delete</button>")] {
        scene.shows(&covered).await;
        let refused = scene.page.check(&scene.element("#b").await, true, &briefly()).await;
        assert!(matches!(refused, Err(ActError::Covered { .. })), "{covered} {refused:?}");
    }
    scene.ends().await;
}

/// A touch target that is laid over a small control takes its clicks. What lies over it otherwise covers it.
#[tokio::test(flavor = "multi_thread")]
async fn a_touch_target_over_a_control_takes_its_clicks() {
    let page = |over: &str, beside: &str| {
        format!(
            "<script>let log = []</script><div style='position:relative;width:84px;height:40px'><div id=c role=combobox tabindex=0 aria-label=Items style='margin:0 16px;line-height:28px'>10</div>
            {beside}<div id=t style='position:absolute;inset:-4px 0;cursor:pointer;{over}' onmousedown='log.push(1)'></div></div>"
        )
    };
    let scene = Scene::showing(&page("", "")).await;
    scene.click("#c").await.unwrap();
    assert_eq!(scene.log().await, "1");
    // A button under it may be for something else.
    scene.shows(&page("", "").replace("role=combobox", "role=button")).await;
    let covered = scene.click_within("#c", BRIEFLY).await.unwrap_err();
    assert!(matches!(covered, ActError::Covered { .. }), "{covered:?}");
    for (over, beside) in [
        ("", "<button style='position:absolute;right:0;top:0'>x</button>"),
        ("background:#fff", ""),
        ("cursor:default", ""),
        ("inset:-90px", ""),
    ] {
        scene.shows(&page(over, beside)).await;
        let covered = scene.click_within("#c", BRIEFLY).await.unwrap_err();
        assert!(matches!(covered, ActError::Covered { .. }), "{over} {beside}: {covered:?}");
        assert_eq!(scene.log().await, "", "{over} {beside}");
    }
    scene.ends().await;
}

/// A switch is drawn by an element beside its box, which draws nothing itself; its page ticks the box.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_drawn_beside_a_box_that_draws_nothing_takes_its_clicks() {
    let page = |boxed: &str, beside: &str| {
        format!(
            "{LOGS}<div style='position:relative;width:50px;height:30px'><input id=b type=checkbox style='position:absolute;inset:0;margin:0;{boxed}'>
            <div style='position:absolute;inset:0;background:#ccc' onclick='b.checked = !b.checked; note(1)'></div>{beside}</div>"
        )
    };
    let scene = Scene::showing(&page("appearance:none", "")).await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.evaluate("b.checked").await, true);
    for covered in [page("", ""), page("appearance:none", "<b>Off</b>"), page("appearance:none", "<button></button>")] {
        scene.shows(&covered).await;
        let refused = scene.click_within("#b", BRIEFLY).await.unwrap_err();
        assert!(matches!(refused, ActError::Covered { .. }), "{covered} {refused:?}");
        assert_eq!(scene.log().await, "", "{covered}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_draws_a_hidden_field_takes_the_pointer_for_it() {
    let scene = Scene::open().await;
    let hidden = "<style>.h { border: 0; clip: rect(0 0 0 0); height: 1px; width: 1px; margin: -1px; overflow: hidden; position: absolute }</style>";
    // The thumb of a slider.
    let slider = "<p id=s style='position: relative; height: 20px; width: 220px; background: #ddd'><span id=t style='position: absolute; left: 40px; width: 20px; height: 20px; background: #06c; display: flex; cursor: grab'><input type=range class=h aria-label=Volume></span></p>
        <script>let held; t.onpointerdown = e => { held = true; t.setPointerCapture(e.pointerId) }; t.onpointermove = e => { if (held) t.style.left = `${e.clientX - s.offsetLeft - 10}px` }; t.onpointerup = () => { held = false; note(t.style.left) }</script>";
    scene.shows(&format!("{LOGS}{hidden}{slider}")).await;
    let to = Point { x: 150.0, y: 30.0 };
    let volume = Grip::Element(scene.element("[aria-label=Volume]").await);
    let dragged = scene.page.drag(&volume, &Drop::Point(to), &ready()).await;
    assert_eq!(scene.log().await, "132px", "{dragged:?}");
    // The stars of a rating, each with a radio button whose wrapper is clipped away.
    let star = |name: &str| {
        format!(
            "<span class=s onclick='if (event.target.tagName != `INPUT`) {{ this.querySelector(`input`).checked = true; note(`{name}`) }}' style='display:inline-flex;width:16px;height:16px'>
            <span class=h><input type=radio name=r aria-label='{name}'></span><svg width=16 height=16 aria-hidden=true><circle cx=8 cy=8 r=7 /></svg></span>"
        )
    };
    scene.shows(&format!("{LOGS}{hidden}<p>{}{}", star("1 star"), star("2 stars"))).await;
    scene.click("[aria-label='2 stars']").await.unwrap();
    assert_eq!(scene.log().await, "2 stars");
    // A box without a size, beside what draws it, in what the page has the click for.
    let undrawn = "<li><span id=w style='cursor:pointer;position:relative'><input id=b type=checkbox style='opacity:0;position:absolute;width:0;height:0'>
        <span style='display:inline-block;width:14px;height:14px;background:#ccc'></span></span> Europe</li><script>w.onclick = () => { b.checked = !b.checked; note(b.checked) }</script>";
    scene.shows(&format!("{LOGS}{undrawn}")).await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "true");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_no_pointer_until_it_moves_is_waited_for() {
    let scene = Scene::showing(&format!(
        "{LOGS}<div role=menuitem tabindex=-1 id=a>One</div><div role=menuitem tabindex=-1 id=b style='pointer-events: auto'>More</div>
        <script>const root = document.documentElement; b.onclick = () => root.style.pointerEvents = 'none'; a.onclick = () => note('one');
        document.addEventListener('mousemove', e => {{ if (!b.contains(e.target)) root.style.pointerEvents = '' }})</script>"
    ))
    .await;
    scene.click("#b").await.unwrap();
    let clicked = scene.click("#a").await;
    assert_eq!(scene.log().await, "one", "{clicked:?}");
    scene.ends().await;
}
