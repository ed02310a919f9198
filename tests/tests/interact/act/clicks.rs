//! What a click sends, where it goes, and what is told of it.

use porthole_service::page::interact::{ActError, Button, Click, How, Method, Point, Refs, SnapshotOptions, Terms};
use porthole_tests::eventually;

use super::scene::{BRIEFLY, LOGS, Scene, held, in_document, ready};
use crate::held_page::PATIENCE;
use crate::warned::{NO_CHANGE, Warned};

#[tokio::test(flavor = "multi_thread")]
async fn a_button_is_clicked_once_with_what_a_mouse_sends() {
    let scene = Scene::showing(&format!(
        "{LOGS}<button id=b>go</button><script>
        for (const type of ['pointerdown','mousedown','pointerup','mouseup','click','dblclick','auxclick','contextmenu'])
            b.addEventListener(type, e => note(type + (e.isTrusted ? '' : '!') + (e.shiftKey ? '+' : '')))</script>"
    ))
    .await;
    let acted = scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "pointerdown,mousedown,pointerup,mouseup,click");
    assert_eq!((acted.method, acted.settled.settled, acted.settled.navigated), (Method::Cdp, true, false));
    let bounds = acted.bounding_box.unwrap();
    assert!(bounds.width > 10.0 && bounds.height > 10.0, "{bounds:?}");

    scene.evaluate("log = []").await;
    let element = scene.element("#b").await;
    let double = Click { count: 2, modifiers: held(&["Shift"]), ..Click::once(ready()) };
    scene.page.click(&element, &double).await.unwrap();
    assert!(scene.log().await.ends_with("click+,dblclick+"), "{}", scene.log().await);

    scene.evaluate("log = []").await;
    scene.page.click(&element, &Click { button: Button::Right, ..Click::once(ready()) }).await.unwrap();
    assert!(scene.log().await.contains("contextmenu"), "{}", scene.log().await);

    scene.evaluate("log = []").await;
    let acted = scene.page.click(&element, &Click::once(in_document())).await.unwrap();
    assert_eq!(acted.method, Method::Dom);
    assert_eq!(scene.log().await, "pointerdown!,mousedown!,pointerup!,mouseup!,click!");

    scene.evaluate("log = []").await;
    let at = Point { x: bounds.x + 5.0, y: bounds.y + 5.0 };
    scene.page.click_at(at, &Click::once(ready())).await.unwrap();
    assert!(scene.log().await.ends_with("click"), "{}", scene.log().await);
    scene.ends().await;
}

/// Links of an image map have no box of their own; their shapes are on the image, wherever that is.
#[tokio::test(flavor = "multi_thread")]
async fn areas_of_an_image_map_are_clicked_on_their_shapes() {
    let scene = Scene::open().await;
    let map = "<p style='height:2000px'>above</p><img usemap=#m alt=Plan width=200 height=100 style='padding:10px 20px;border:5px solid'
        src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"100\"/>'>
        <map name=m><area id=r shape=rect coords=10,10,50,50 href=#r alt=Rect><area id=c shape=circle coords=100,50,20 href=#c>
        <area id=p shape=poly coords=150,10,190,10,190,90 href=#p alt=Poly><area id=d shape=default href=#d alt=Rest></map>
        <map name=other><area id=o coords=0,0,9,9 href=#o alt=Other></map>
        <script>addEventListener('click', event => note(event.target.id + event.isTrusted))</script>";
    scene.shows(&format!("{LOGS}{map}")).await;
    for (id, width) in [("r", 40.0), ("c", 40.0), ("p", 40.0)] {
        scene.evaluate("log = []").await;
        let acted = scene.click(&format!("#{id}")).await.unwrap();
        assert_eq!(scene.log().await, format!("{id}true"));
        assert_eq!(acted.bounding_box.unwrap().width, width, "{id}");
        assert_eq!(scene.evaluate("location.hash").await, format!("#{id}"));
    }
    // What lies over a shape, and an area of an image that is not there.
    scene
        .evaluate(
            "log = []; document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed;inset:0\"></div>')",
        )
        .await;
    assert!(matches!(scene.click_within("#r", BRIEFLY).await, Err(ActError::Covered { .. })));
    assert!(matches!(scene.click_within("#o", BRIEFLY).await, Err(ActError::NotVisible(_))));
    assert_eq!(scene.log().await, "");
    scene.ends().await;
}

/// A page's own menu lies under the pointer before the button is released; what is put there instead is no menu.
#[tokio::test(flavor = "multi_thread")]
async fn a_context_menu_that_opens_under_the_pointer_loses_no_click() {
    let scene = Scene::open().await;
    let menu = "<button id=b>go</button><div id=m style='display:none;position:fixed;width:100px;height:80px;z-index:9' onclick=\"note('chosen')\">Delete</div>";
    for (on, is_lost) in [("contextmenu", false), ("mousedown", true)] {
        let script = format!(
            "b.addEventListener('{on}', event => {{ event.preventDefault(); note('opened'); m.style.display = 'block';
                m.style.left = event.clientX - 5 + 'px'; m.style.top = event.clientY - 5 + 'px' }})
             m.addEventListener('auxclick', () => note('chosen'));
             if ('{on}' === 'contextmenu') for (const type of ['pointerup', 'mouseup']) m.addEventListener(type, () => note('chosen'))"
        );
        scene.shows(&format!("{LOGS}{menu}<script>{script}</script>")).await;
        let element = scene.element("#b").await;
        let acted = scene.page.click(&element, &Click { button: Button::Right, ..Click::once(ready()) }).await.unwrap();
        assert_eq!(scene.log().await, "opened", "{on}");
        assert_eq!(acted.warned().iter().any(|warning| warning.starts_with("click_lost")), is_lost, "{on}: {acted:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_shadow_roots_and_labels_show_is_hit() {
    let scene = Scene::showing(&format!(
        "{LOGS}<div id=host style='display:inline-block'></div><label id=l for=c><span id=s>Agree</span></label><input type=checkbox id=c style='opacity:0'>
        <button id=outer onclick='note(`outer`)'><i id=icon style='pointer-events:none'>x</i></button>
        <span id=none style='display:contents'><b onclick='note(`inner`)'>word</b></span>
        <script>host.attachShadow({{mode: 'open'}}).innerHTML = '<slot></slot><button>in</button>';
        host.shadowRoot.querySelector('button').onclick = () => note('shadow'); host.id = 'host'</script>"
    ))
    .await;
    scene.click("#host").await.unwrap();
    scene.click("#icon").await.unwrap();
    scene.click("#none").await.unwrap();
    scene.click("#l").await.unwrap();
    assert_eq!(scene.log().await, "shadow,outer,inner");
    assert_eq!(scene.evaluate("c.checked").await, true);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hovering_opens_a_menu_whose_entry_is_clicked() {
    for how in [How::Input, How::DocumentFirst] {
        let scene = Scene::showing(&format!(
            "{LOGS}<style>ul {{ display: none }} #m:hover ul {{ display: block }}</style><div id=m>menu
            <ul><li id=e onclick='note(`e`)'>entry</ul></div><p id=o>other</p>
            <script>for (const type of ['mouseover', 'mouseenter', 'pointerover', 'pointerenter'])
            m.addEventListener(type, e => note(type)); o.onmouseenter = () => note('o')</script>"
        ))
        .await;
        assert!(matches!(scene.click_within("#e", BRIEFLY).await, Err(ActError::NotVisible(_))));
        let menu = scene.element("#m").await;
        let acted = scene.page.hover(&menu, &Terms { how, ..ready() }).await.unwrap();
        assert_eq!(acted.method == Method::Dom, how == How::DocumentFirst);
        let heard = "pointerover,pointerenter,mouseover,mouseenter";
        assert_eq!(scene.log().await, heard, "{how:?}: each once");
        scene.evaluate("log = []").await;
        scene.click("#e").await.unwrap();
        assert!(scene.log().await.ends_with("e"));
        scene.page.hover(&scene.element("#o").await, &ready()).await.unwrap();
        assert!(scene.log().await.ends_with("o"), "moves are told again");
        scene.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_press_puts_off_comes_before_the_focus_that_it_gives() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene
            .shows(&format!(
                "{LOGS}<div id=t role=tab tabindex=0 style='padding:10px'>Tab B</div><script>
                t.onmousedown = () => {{ note('down'); Promise.resolve().then(() => 0).then(() => 0).then(() => note('put off')) }};
                t.onfocus = () => note('focus'); t.onclick = () => note('click')</script>"
            ))
            .await;
        let tab = scene.element("#t").await;
        scene.page.click(&tab, &Click::once(Terms { how, ..ready() })).await.unwrap();
        assert_eq!(scene.log().await, "down,put off,focus,click", "{how:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_for_a_moment_as_the_pointer_comes_is_clicked() {
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene
            .shows(&format!(
                "{LOGS}<button id=b onclick='note(`click`)'>Cut</button><script>let hid = false;
                b.onmouseenter = () => {{ if (hid) return; hid = true; b.style.visibility = 'hidden'; setTimeout(() => {{ b.style.visibility = '' }}, 200) }}</script>"
            ))
            .await;
        scene.page.hover_at(Point { x: 790.0, y: 590.0 }).await.unwrap();
        let button = scene.element("#b").await;
        scene.page.click(&button, &Click::once(Terms { how, ..ready() })).await.unwrap();
        assert_eq!(scene.log().await, "click", "{how:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_redefine_prototypes_are_acted_on() {
    let scene = Scene::showing(&format!(
        "{LOGS}<form id=f onsubmit='note(`sent`);return false'><input name=id><input name=parentNode><input name=closest>
        <input name=getBoundingClientRect><input name=getRootNode><input name=isConnected><input name=ownerDocument><input name=getClientRects><input name=t><button id=b>go</button></form>
        <img name=activeElement><img name=elementFromPoint><img name=documentElement>
        <script>Element.prototype.getBoundingClientRect = () => ({{x: 9999, y: 9999}});
        Document.prototype.elementFromPoint = () => null; Event.prototype.preventDefault = () => {{}};
        Object.defineProperty(Event.prototype, 'isTrusted', {{get: () => false}});
        Array.prototype.map = Array.prototype.find = () => {{ throw 1 }}; window.requestAnimationFrame = () => 0</script>"
    ))
    .await;
    scene.click("#b").await.unwrap();
    assert_eq!(scene.log().await, "sent");
    scene.types("[name=t]", "hello").await.unwrap();
    assert_eq!(scene.evaluate("document.querySelector('[name=t]').value").await, "hello");
    scene.click("#f").await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_in_the_middle_of_a_click_ends_it() {
    let scene = Scene::showing(&format!(
        "{LOGS}<button id=b onclick='note(`before`);alert(`hello`);note(`after`)'>go</button>
        <button id=d onmousedown='alert(`down`)' onclick='note(`d`)'>go</button>"
    ))
    .await;
    let acted = scene.click("#b").await.unwrap();
    assert!(!acted.settled.settled, "{acted:?}");
    assert_eq!(scene.page.dialog().unwrap().message, "hello");
    let held = scene.page.click_at(Point { x: 1.0, y: 1.0 }, &Click::once(ready())).await.unwrap_err();
    assert!(matches!(held, ActError::Dialog(_)), "{held:?}");
    scene.page.answer_dialog(true, None).await.unwrap();
    eventually(PATIENCE, async || match scene.log().await {
        log if log == "before,after" => Ok(()),
        log => Err(log),
    })
    .await;
    assert_eq!(acted.warned(), Vec::<String>::new());
    let acted = scene.click("#d").await.unwrap();
    assert!(!acted.settled.settled, "{acted:?}");
    scene.page.answer_dialog(true, None).await.unwrap();
    // One that the click opens holds none up, also of a click in the document.
    scene.shows("<button id=b onclick='alert(`hello`)'>Go</button>").await;
    let click = Click::once(Terms { how: How::DocumentFirst, ..ready() });
    let acted = scene.page.click(&scene.element("#b").await, &click).await.unwrap();
    assert_eq!(acted.warned(), Vec::<String>::new());
    scene.page.answer_dialog(true, None).await.unwrap();
    // One that opens at the release holds the click up.
    for how in [How::Input, How::DocumentFirst] {
        for (renames, log) in [("", "clicked"), ("b.textContent = 'Delete'", "")] {
            scene
                .shows(&format!(
                    "{LOGS}<button id=b onclick='note(`clicked`)'>Keep</button><script>b.onmouseup = () => {{ alert(1); {renames} }}</script>"
                ))
                .await;
            let click = Click::once(Terms { how, ..ready() });
            let options = SnapshotOptions::default();
            let element = scene.by_ref(&mut Refs::default(), &options, |line| line.contains("Keep")).await;
            let acted = scene.page.click(&element, &click).await.unwrap();
            assert!(acted.warned().iter().any(|one| one.starts_with("dialog_opened")), "{how:?} {acted:?}");
            scene.page.answer_dialog(true, None).await.unwrap();
            eventually(PATIENCE, async || match scene.log().await {
                now if now == log => Ok(()),
                now => Err(now),
            })
            .await;
        }
    }
    scene.ends().await;
}

/// A box without a size of its own, whose label draws it.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_without_a_size_is_clicked_on_its_label() {
    let scene = Scene::open().await;
    for style in ["width:0;height:0;position:absolute;opacity:0", "display:none"] {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&format!("<label><input id=b type=checkbox style='{style}'><span>Fancy</span></label>")).await;
            let element = scene.element("#b").await;
            scene.page.click(&element, &Click::once(Terms { how, ..ready() })).await.unwrap();
            assert_eq!(scene.evaluate("b.checked").await, true, "{style} {how:?}");
        }
    }
    scene.ends().await;
}

/// What is drawn on a canvas can't be compared, so nothing is said of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_a_canvas_is_not_told_to_change_nothing() {
    let scene = Scene::showing("<canvas id=c width=100 height=60></canvas><div id=b>nothing</div>").await;
    assert_eq!(scene.click("#c").await.unwrap().warned(), Vec::<String>::new());
    assert_eq!(scene.click("#b").await.unwrap().warned(), ["no_change: nothing on the page changed"]);
    scene.ends().await;
}

/// The input of some sliders is clipped away inside their thumb.
#[tokio::test(flavor = "multi_thread")]
async fn an_input_is_clicked_where_its_thumb_is() {
    let scene = Scene::showing(&format!(
        "{LOGS}<div style='position:relative;width:300px;height:100px'><span onclick='note(`thumb`)' style='position:absolute;left:100px;top:50px;width:20px;height:20px'>
        <input id=i type=range style='position:absolute;inset:0;width:100%;height:100%;margin:-1px;overflow:hidden;clip:rect(0 0 0 0)'></span></div>"
    ))
    .await;
    scene.click("#i").await.unwrap();
    assert_eq!(scene.log().await, "thumb");
    scene.ends().await;
}

/// What a listener of the press puts off until it is over comes before the release, as between the two of a person. An option
/// may be chosen at the release, and be gone then.
#[tokio::test(flavor = "multi_thread")]
async fn a_press_and_a_release_are_two_tasks() {
    let page = format!(
        "{LOGS}<body style='margin:50px'><button id=t role=combobox aria-label=Fruit>Cherry</button>
        <div id=l role=listbox hidden style='position:absolute;left:50px;top:50px;background:#fff'><div id=a role=option>Banana</div><div role=option>Cherry</div></div>
        <script>t.onpointerdown = () => Promise.resolve().then(() => {{ l.hidden = false;
            addEventListener('pointerup', (event) => event.stopPropagation(), {{ capture: true, once: true }}) }});
        a.onpointerup = () => {{ note(a.textContent); t.textContent = a.textContent; l.remove() }}</script>"
    );
    let scene = Scene::open().await;
    for how in [How::DocumentFirst, How::Input] {
        scene.shows(&page).await;
        let click = Click::once(Terms { how, ..ready() });
        scene.page.click(&scene.element("#t").await, &click).await.unwrap();
        let option =
            scene.by_ref(&mut Refs::default(), &SnapshotOptions::default(), |line| line.contains("Banana")).await;
        let acted = scene.page.click(&option, &click).await.unwrap();
        assert_eq!(scene.log().await, "Banana", "{how:?}");
        assert_eq!(acted.warned(), [""; 0], "{how:?}");
    }
    scene.ends().await;
}

/// Some controls take no click until a zero-delay timer that they set as the pointer comes: no person is as quick.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_comes_after_the_pages_deferred_hover_handling() {
    let page = "<div id=c style='padding:40px'><section id=s style='padding:40px'><label id=l><input type=radio id=b> Streets</label></section></div><script>
        const stops = (event) => event.preventDefault();
        c.addEventListener('mouseover', (event) => {
            if (event.relatedTarget && c.contains(event.relatedTarget)) return;
            s.addEventListener('click', stops);
            setTimeout(() => s.removeEventListener('click', stops));
        });</script>";
    let scene = Scene::open().await;
    for how in [How::DocumentFirst, How::Input] {
        for selector in ["#b", "#l"] {
            scene.shows(page).await;
            let click = Click::once(Terms { how, ..ready() });
            scene.page.click(&scene.element(selector).await, &click).await.unwrap();
            assert_eq!(scene.evaluate("b.checked").await, true, "{selector} {how:?}");
        }
    }
    scene.ends().await;
}

/// A calendar opens over its field as that gets the focus: the press has done what a click would.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_has_got_the_focus_was_clicked() {
    let page = "<input id=f style='margin:100px' onfocus='d.hidden = false'><div id=d hidden style='position:fixed;inset:0;background:#fff'>
        <button id=x style='position:absolute;inset:0'>November</button></div>";
    let scene = Scene::open().await;
    for how in [How::DocumentFirst, How::Input] {
        scene.shows(page).await;
        let click = Click::once(Terms { how, ..ready() });
        let acted = scene.page.click(&scene.element("#f").await, &click).await.unwrap();
        assert_eq!(acted.warned(), [""; 0], "{how:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_focus_that_a_press_gives_is_no_change() {
    let scene = Scene::showing("<button id=b>Go</button><div id=d tabindex=0>A place</div><label id=l><input id=r type=radio checked>On</label>").await;
    for (selector, is_warned) in [("#b", true), ("#b", true), ("#d", false), ("#r", true), ("#b", true), ("#l", true)] {
        let acted = scene.click(selector).await.unwrap();
        assert_eq!(acted.warned().iter().any(|warning| warning == NO_CHANGE), is_warned, "{selector} {acted:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_that_is_for_another_field_by_its_own_click_is_told() {
    let label = format!(
        "{LOGS}<label id=l for=a>Agree</label><input type=checkbox id=a><input type=checkbox id=b><script>l.onclick = () => {{ l.htmlFor = 'b' }}</script>"
    );
    let scene = Scene::open().await;
    for how in [How::Input, How::DocumentFirst] {
        scene.shows(&label).await;
        let click = Click::once(Terms { how, ..ready() });
        let acted = scene.page.click(&scene.element("#l").await, &click).await.unwrap();
        assert!(acted.warned().iter().any(|warning| warning.starts_with("click_lost")), "{how:?} {acted:?}");
        assert_eq!(scene.evaluate("b.checked").await, false, "{how:?}");
    }
    scene.ends().await;
}

/// What the pointer was over hears that it has gone, and is hovered over again by the next action there.
#[tokio::test(flavor = "multi_thread")]
async fn the_pointer_goes_along_with_a_click_in_the_document() {
    let scene = Scene::open().await;
    let page = "<button id=a>Alpha</button><button id=b style='margin: 90px'>Beta</button><script>for (const one of [a, b])
        for (const type of ['mouseenter', 'mouseleave', 'click']) one.addEventListener(type, () => note(one.id + type))</script>";
    scene.shows(&format!("{LOGS}{page}")).await;
    let (alpha, beta) = (scene.element("#a").await, scene.element("#b").await);
    scene.page.hover(&alpha, &ready()).await.unwrap();
    let in_document = Terms { how: How::DocumentFirst, ..ready() };
    let clicked = scene.page.click(&beta, &Click::once(in_document)).await.unwrap();
    assert_eq!(clicked.method, Method::Dom);
    scene.page.hover(&alpha, &ready()).await.unwrap();
    let log = scene.log().await;
    assert_eq!(log, "amouseenter,amouseleave,bmouseenter,bclick,bmouseleave,amouseenter");
    scene.ends().await;
}

/// An option that acts at the press and goes is chosen, also where a style sheet adds to its name what is not chosen with it.
#[tokio::test(flavor = "multi_thread")]
async fn an_option_that_a_style_sheet_adds_to_is_chosen_by_the_press() {
    let scene = Scene::showing(
        "<style>#o::after { content: ' Press to select' }</style><div id=f role=combobox aria-expanded=true>Pick</div>
        <div role=listbox id=l><div role=option id=o>Blue</div></div><script>o.onmousedown = () => { f.textContent = 'Blue'; l.remove() }</script>",
    )
    .await;
    let mut refs = Refs::default();
    let option = scene.by_ref(&mut refs, &SnapshotOptions::default(), |line| line.contains("Blue")).await;
    let acted = scene.page.click(&option, &Click::once(ready())).await.unwrap();
    assert!(!acted.warned().join("").contains("click_lost"), "{acted:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_of_a_tree_is_clicked_above_those_that_it_holds() {
    let scene = Scene::open().await;
    let held = "<li role=treeitem>x.js</li>".repeat(120);
    scene
        .shows(&format!(
            "{LOGS}<ul role=tree style='margin-top: 300px'><li role=treeitem id=t aria-expanded=true>src<ul role=group id=g>{held}</ul></li></ul>
            <script>t.onclick = e => {{ note(e.target === t ? 'src' : 'x.js'); g.hidden = !g.hidden }}</script>"
        ))
        .await;
    let entry = scene.element("#t").await;
    // Open, closed, open again with the entry above the window.
    scene.page.click(&entry, &Click::once(ready())).await.unwrap();
    scene.page.click(&entry, &Click::once(ready())).await.unwrap();
    scene.evaluate("scrollTo(0, 1500)").await;
    scene.page.click(&entry, &Click::once(ready())).await.unwrap();
    assert_eq!(scene.log().await, "src,src,src");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bent_line_is_clicked_on_itself() {
    let scene = Scene::open().await;
    for line in
        ["<polyline id=x points='10,10 10,190 190,190'/>", "<g id=x><path d='M10 190 A180 180 0 0 1 190 10'/></g>"]
    {
        scene
            .shows(&format!("{LOGS}<svg width=200 height=200 fill=none stroke=black stroke-width=3>{line}</svg><script>x.onclick = () => note('line')</script>"))
            .await;
        scene.page.click(&scene.element("#x").await, &Click::once(ready())).await.unwrap();
        assert_eq!(scene.log().await, "line", "{line}");
    }
    scene.ends().await;
}

/// As JupyterLab's list of files: of its entries the one that the arrow keys are at is a button in the order of the tab key.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_gets_its_role_by_the_press_is_clicked() {
    let scene = Scene::showing(
        "<ul id=u><li><span tabindex=0 role=button>one.txt</span></li><li><span tabindex=-1 id=two>two.txt</span></li></ul><script>const log = [];
        u.onmousedown = (event) => { for (const one of u.querySelectorAll('span')) { one.removeAttribute('role'); one.tabIndex = -1 }
            const now = event.target.closest('li').firstChild; now.setAttribute('role', 'button'); now.tabIndex = 0 };
        for (const type of ['click', 'dblclick', 'contextmenu']) u.addEventListener(type, (event) => { log.push(type); event.preventDefault() })</script>",
    )
    .await;
    let tree = scene.page.snapshot(&mut Refs::default(), &SnapshotOptions::default()).await.unwrap().tree;
    assert!(tree.contains("generic \"two.txt\" [clickable]"), "{tree}");
    for (selector, click) in [
        ("#two", Click::once(ready())),
        ("li", Click { button: Button::Right, ..Click::once(ready()) }),
        ("li + li", Click { count: 2, ..Click::once(ready()) }),
    ] {
        let acted = scene.page.click(&scene.element(selector).await, &click).await.unwrap();
        assert!(acted.warnings.is_empty(), "{acted:?}");
    }
    assert_eq!(scene.log().await, "click,contextmenu,click,click,dblclick");
    scene.ends().await;
}
