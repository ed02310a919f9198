//! Clicks on pages that put another button where the right one was, by every way there is.

use std::time::Duration;

use porthole_service::page::interact::{ActError, Acted, Click, How, Point, Refs, SnapshotOptions, Terms};

use tokio::time::Instant;

use crate::act::scene::{BRIEFLY, LOGS, Scene, ready};
use crate::warned::Warned;

/// The right button, the wrong one, and a log of what came to either. `swap` puts the wrong one over the right one.
const BUTTONS: &str = "<style>body { margin: 0 } button { position: absolute; left: 50px; top: 50px; width: 200px; height: 80px }
    #w { left: 400px } .over { left: 50px !important; z-index: 9 }</style><main id=m><button id=b>OK</button><button id=w>Pay</button></main>
    <script>let log = []; const note = what => log.push(what), swap = () => w.classList.add('over');
    const hears = one => { for (const type of ['pointerdown', 'mousedown', 'click', 'auxclick', 'dblclick', 'contextmenu'])
        one.addEventListener(type, () => note('wrong ' + type)) };
    hears(w); b.addEventListener('click', () => note('right'))</script>";

/// What a page does, with `BUTTONS`. A frame that comes between look and press may get the press (decision 99), and no
/// click of it.
const SWAPS: &[&str] = &[
    "b.onpointerover = swap",
    "b.onmouseenter = swap",
    "b.onpointermove = swap",
    "b.addEventListener('pointerrawupdate', swap)",
    "addEventListener('mousemove', swap, true)",
    "b.onpointerdown = swap",
    "b.onmousedown = swap",
    "b.onfocus = swap",
    "b.onmousedown = () => { b.replaceWith(w); swap() }",
    "b.onpointerdown = () => { b.remove(); swap() }",
    "b.onpointermove = () => { const twin = b.cloneNode(true); hears(twin); b.replaceWith(twin) }",
    "b.onpointermove = () => Promise.resolve().then(swap)",
    "b.onpointermove = () => queueMicrotask(swap)",
    "new ResizeObserver(() => b.matches(':hover') && swap()).observe(b); b.onpointermove = () => { b.style.width = '201px' }",
    "new IntersectionObserver(swap).observe(b)",
    "(function turn(over) { w.classList.toggle('over', over); requestAnimationFrame(() => turn(!over)) })(true)",
    "setInterval(() => w.classList.toggle('over'), 1)",
    "setInterval(() => w.classList.toggle('over'), 17)",
    "b.onpointerdown = e => w.setPointerCapture(e.pointerId)",
    "b.onpointermove = e => w.setPointerCapture(e.pointerId)",
    "w.requestPointerLock(); b.onpointerdown = () => w.requestPointerLock()",
    "b.onpointermove = () => { w.popover = 'manual'; w.showPopover(); w.style.cssText = 'margin:0;left:50px' }",
    "b.onpointermove = () => { const d = document.createElement('dialog'); d.append(w); m.append(d); swap(); d.showModal() }",
    "b.onpointermove = () => { b.inert = true; swap() }",
    "b.onpointermove = () => { m.inert = true; document.body.append(w); swap() }",
    "b.onpointermove = () => { b.style.pointerEvents = 'none'; w.style.cssText = 'left:50px;z-index:-1' }",
    "b.onpointermove = () => { document.documentElement.style.zoom = 2; swap() }",
    "b.onpointermove = () => { document.body.style.zoom = .5; w.style.left = '100px' }",
    "b.onpointermove = () => document.startViewTransition(swap)",
    "b.onpointermove = () => { b.style.contentVisibility = 'hidden'; b.style.visibility = 'hidden'; w.style.cssText = 'left:50px;z-index:-1' }",
    "b.onpointermove = () => { const f = document.createElement('iframe'); f.style.cssText = 'position:absolute;left:0;top:0;width:600px;height:400px;z-index:9'; f.srcdoc = `<body style=margin:0 onclick='parent.note(\"wrong frame click\")'>`; document.body.append(f) }",
    "b.onpointermove = () => { document.open(); document.write(`<body style=margin:0;height:100vh onclick='note(\"wrong\")'>`); document.close() }",
    "b.onpointerdown = () => { document.open(); document.write(`<body style=margin:0;height:100vh onclick='note(\"wrong\")'>`); document.close() }",
    "b.onpointermove = () => { document.body.innerHTML = `<a href='#x' onclick='note(\"wrong\")' style='position:fixed;inset:0'>x</a>` }",
    "b.onpointerdown = () => { alert('first'); swap() }",
    "b.onpointermove = () => { w.style.cssText = 'left:50px;opacity:0'; w.style.zIndex = 9 }",
    "const s = document.createElement('style'); s.textContent = '#b:hover + #w { left: 50px; z-index: 9 }'; m.append(s)",
    "const s = document.createElement('style'); s.textContent = '#b:active + #w { left: 50px; z-index: 9 }'; m.append(s)",
    "const s = document.createElement('style'); s.textContent = 'body:has(#b:hover) #w { left: 50px; z-index: 9 }'; m.append(s)",
    "const s = document.createElement('style'); s.textContent = '#b { anchor-name: --b } #w { position-anchor: --b; transition: none } #b:hover ~ #w { position: absolute; left: anchor(left); top: anchor(top); z-index: 9 }'; m.append(s)",
    "const s = document.createElement('style'); s.textContent = '@keyframes go { 0%, 45% { left: 400px } 55%, 100% { left: 50px } } #w { animation: go .3s infinite alternate; z-index: 9 }'; m.append(s)",
    "const s = document.createElement('style'); s.textContent = '@keyframes go { to { transform: translateX(-700px) } } #w { animation: go .4s infinite linear; z-index: 9 }'; m.append(s)",
    "const s = document.createElement('style'); s.textContent = '@keyframes hop { 50% { left: 400px } } @keyframes pop { 50% { left: 50px } } #b { animation: hop .6s steps(1) infinite } #w { animation: pop .6s steps(1) infinite }'; m.append(s)",
    "b.onpointermove = () => { const d = document.createElement('div'); d.style.cssText = 'position:fixed;inset:0;z-index:9'; hears(d.attachShadow({ mode: 'closed' }).appendChild(Object.assign(document.createElement('button'), { style: 'position:fixed;inset:0' }))); document.body.append(d) }",
    "m.attachShadow({ mode: 'open' }).innerHTML = `<slot></slot><button id=v style='position:absolute;left:400px;top:50px;width:200px;height:80px;z-index:9'>v</button>`; const v = m.shadowRoot.querySelector('#v'); hears(v); b.onpointermove = () => { v.style.left = '50px' }",
    "b.onpointermove = () => { const s = m.attachShadow({ mode: 'closed' }); s.innerHTML = `<button style='position:absolute;left:50px;top:50px;width:200px;height:80px'>v</button>`; hears(s.firstChild) }",
    "b.onpointermove = () => { const f = document.createElement('iframe'); document.body.append(f); f.contentDocument.body.append(b); swap() }",
    "Document.prototype.elementFromPoint = () => b; Element.prototype.contains = () => true; Element.prototype.closest = () => b; b.onpointermove = swap",
    "Event.prototype.preventDefault = Event.prototype.stopImmediatePropagation = () => {}; Event.prototype.composedPath = () => [b]; b.onpointermove = swap",
    "addEventListener('pointermove', e => { Object.defineProperty(e, 'clientX', { value: 0 }); swap() }, true)",
    "b.onpointermove = () => { const until = Date.now() + 300; while (Date.now() < until); swap() }",
    "b.onpointermove = () => { scrollBy(0, 1); swap() }",
    "document.body.style.height = '4000px'; b.style.top = w.style.top = '2000px'; onscroll = swap",
    "document.body.style.height = '4000px'; b.style.top = w.style.top = '2000px'; onscroll = () => setTimeout(swap, 16)",
    "document.body.style.height = '4000px'; b.style.top = w.style.top = '2000px'; onscroll = () => { b.style.top = '2090px'; w.classList.add('over') }",
    "document.body.style.height = '4000px'; b.style.top = w.style.top = '2000px'; onscroll = () => { b.before(Object.assign(document.createElement('div'), { style: 'height:90px' })); b.style.top = '2090px'; swap() }",
];

/// What holds of every click: nothing came to the wrong element, and "done" means that the click came to the right one.
async fn holds(scene: &Scene, what: &str, acted: Result<Acted, ActError>) {
    if scene.page.dialog().is_some() {
        scene.page.answer_dialog(true, None).await.unwrap();
    }
    // What comes late is heard as well.
    scene.evaluate("new Promise(done => setTimeout(done, 60))").await;
    let log = scene.evaluate("typeof log == 'undefined' ? '' : String(log)").await;
    let log = log.as_str().unwrap_or_default();
    assert!(!log.contains("wrong"), "{what}: {log} {acted:?}");
    match acted {
        Ok(acted) if acted.settled.settled && !acted.warned().join("").contains("click_lost") => {
            assert_eq!(log.matches("right").count(), 1, "{what}: {log} {acted:?}");
        }
        Ok(_) | Err(ActError::Covered { .. } | ActError::NotFound(_) | ActError::TimedOut { .. }) => {}
        Err(ActError::NotVisible(_) | ActError::NotEnabled(_) | ActError::DispatchFailed(_)) => {}
        Err(error) => panic!("{what}: {error:?}"),
    }
}

/// The release is sent when the press was not taken within ten seconds.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_input_after_eleven_seconds_gets_no_wrong_click() {
    let scene = Scene::open().await;
    let late = "b.onpointermove = () => { b.onpointermove = null; swap(); const until = Date.now() + 11000; while (Date.now() < until); }";
    scene.shows(&format!("{BUTTONS}<script>{{ {late} }}</script>")).await;
    let acted = scene.click_within("#b", BRIEFLY).await;
    assert!(acted.is_err(), "{acted:?}");
    tokio::time::sleep(Duration::from_secs(3)).await;
    holds(&scene, late, acted).await;
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_swap_gets_the_click() {
    let scene = Scene::open().await;
    for swaps in SWAPS {
        scene.shows(&format!("{BUTTONS}<script>{{ {swaps} }}</script>")).await;
        let acted = scene.click_within("#b", BRIEFLY).await;
        holds(&scene, swaps, acted).await;
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_goes_into_another_document_by_its_press_is_told() {
    let scene = Scene::open().await;
    for type_ in ["pointerdown", "mousedown", "pointerup", "mousemove", "focus"] {
        for how in [How::Input, How::DocumentFirst] {
            scene.shows(&format!("{LOGS}<div style='padding:20px'><button id=good onclick='note(`good`)'>Good</button><button>Evil</button></div><iframe id=f></iframe>
                <script>good.addEventListener('{type_}', () => f.contentDocument.body.append(good))</script>")).await;
            let options = SnapshotOptions::default();
            let good = scene.by_ref(&mut Refs::default(), &options, |line| line.contains("Good")).await;
            let terms = Terms { how, ..Terms::until(Instant::now() + BRIEFLY) };
            let acted = scene.page.click(&good, &Click::once(terms)).await;
            match &acted {
                Ok(acted) => assert!(acted.warned().join("").contains("click_lost"), "{type_} {how:?}: {acted:?}"),
                Err(ActError::NotFound(_) | ActError::Stale(_) | ActError::Covered { .. } | ActError::NoEffect(_)) => {}
                Err(error) => panic!("{type_} {how:?}: {error:?}"),
            }
        }
    }
    scene.ends().await;
}

/// A click at a point is for the control that was there before the pointer came.
#[tokio::test(flavor = "multi_thread")]
async fn a_click_at_a_point_comes_to_no_control_that_the_pointer_brought_there() {
    let scene = Scene::open().await;
    let at = Point { x: 150.0, y: 90.0 };
    for swap in [
        "b.onpointerover = swap",
        "b.onpointermove = swap",
        "addEventListener('mousemove', swap, true)",
        "b.onpointerdown = swap",
        "b.onmousedown = () => { b.replaceWith(w); swap() }",
        "b.onmousedown = () => { b.textContent = 'Pay' }; b.onclick = () => note('wrong click')",
        "b.onpointermove = () => { b.textContent = 'Pay' }; b.onclick = () => note('wrong click')",
        // A part of a control, and of the page, that was not there.
        "b.onpointerover = () => { b.append(w); w.style.cssText = 'left: 0; top: 0; z-index: 9' }",
        "b.outerHTML = `<a href=#x id=b style='position: absolute; left: 50px; top: 50px; width: 200px; height: 80px'>open</a>`; const a = document.getElementById('b'); a.onpointerover = () => { a.append(w); w.style.cssText = 'left: 0; top: 0; z-index: 9' }",
        "m.innerHTML = '<div id=d style=\"height: 200px\">Card</div>'; d.onpointerover = () => { d.innerHTML += '<div style=\"position: absolute; inset: 0; cursor: pointer\">Delete</div>'; d.lastChild.onclick = () => note('wrong click') }",
        "const other = w; m.innerHTML = '<div id=d style=\"height: 200px; cursor: pointer\">Card</div>'; d.onpointerover = () => { d.append(other); other.style.cssText = 'left: 50px; z-index: 9' }",
        "b.replaceWith(Object.assign(document.createElement('div'), { style: 'height: 200px', onpointermove: swap }))",
        "const s = document.createElement('style'); s.textContent = 'main:hover #w { left: 50px; z-index: 9 }'; m.append(s)",
    ] {
        let page = format!("{BUTTONS}<script>{swap}</script>");
        let outer = format!(
            "<style>body {{ margin: 0 }}</style>{LOGS}<iframe style='border: 0; width: 600px; height: 300px' srcdoc=\"{}\"></iframe>",
            page.replace('"', "&quot;")
        );
        // With a frame beside the point the pointer comes first, and is looked at again.
        let beside =
            format!("{page}<iframe srcdoc=beside style='position: absolute; left: 500px; top: 400px'></iframe>");
        for (document, log) in
            [(&page, "String(log)"), (&beside, "String(log)"), (&outer, "frames[0].eval('String(log)')")]
        {
            scene.page.hover_at(Point { x: 790.0, y: 590.0 }).await.unwrap();
            scene.shows(document).await;
            let clicked = scene.page.click_at(at, &Click::once(ready())).await;
            let said = clicked.map(|(_, acted)| acted.warned());
            let log = scene.evaluate(log).await;
            assert!(!log.as_str().unwrap().contains("click"), "{swap}: {log} {said:?}");
            match said {
                Ok(warnings) => {
                    assert!(warnings.iter().any(|one| one.starts_with("click_lost")), "{swap}: {warnings:?}");
                }
                Err(error) => {
                    assert!(matches!(error, ActError::Covered { .. } | ActError::NotFound(_)), "{swap}: {error:?}");
                }
            }
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_at_a_point_says_what_it_came_to() {
    let scene = Scene::open().await;
    for (document, expected) in [
        ("<button style='width: 300px; height: 200px' onclick='note(1)'><b>Pay</b></button>", ("button", "Pay")),
        (
            "<label style='display: block; height: 200px'>News <input type=checkbox onclick='note(1)'></label>",
            ("checkbox", "News"),
        ),
        (
            "<div style='height: 200px' onclick='note(1)' onmousemove='this.textContent = 1'>map</div>",
            ("generic", "map"),
        ),
        (
            "<div style='height: 200px' onmousemove='this.innerHTML = `<b>1</b>`'>map</div><script>addEventListener('click', () => note(1))</script>",
            ("", ""),
        ),
        ("<canvas width=300 height=200 onclick='note(1)' onmousemove='document.title = 1'></canvas>", ("generic", "")),
        ("<div style='position: fixed; inset: 0' onmousedown='note(1)'></div><button>under</button>", ("generic", "")),
        ("<video controls width=300 height=200 onpointerdown='note(1)'></video>", ("", "")),
        (
            "<select size=2 style='width: 300px; height: 200px; font-size: 90px' onclick='note(1)'><option>One<option>Two</select>",
            ("listbox", ""),
        ),
    ] {
        scene.shows(&format!("{LOGS}{document}")).await;
        let (acted_on, acted) = scene.page.click_at(Point { x: 60.0, y: 60.0 }, &Click::once(ready())).await.unwrap();
        assert_eq!((&*acted_on.role, &*acted_on.name), expected, "{document}");
        assert_eq!(scene.log().await, "1", "{document}: {acted:?}");
        assert_eq!(acted.bounding_box.is_some(), !expected.0.is_empty(), "{document}");
    }
    // What the pointer brought is seen by the next look, and then clicked.
    scene.page.hover_at(Point { x: 790.0, y: 590.0 }).await.unwrap();
    scene.shows(&format!("{BUTTONS}<script>b.onpointermove = swap; log.push = what => log[0] = what</script>")).await;
    let at = Point { x: 150.0, y: 90.0 };
    scene.page.click_at(at, &Click::once(ready())).await.unwrap_err();
    let (acted_on, _) = scene.page.click_at(at, &Click::once(ready())).await.unwrap();
    assert_eq!((&*acted_on.name, &*scene.log().await), ("Pay", "wrong click"));
    scene.ends().await;
}
