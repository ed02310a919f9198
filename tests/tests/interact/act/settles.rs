//! Settled: what a click began is there when it is answered, and nothing is waited for that it did not begin.

use std::time::Duration;

use porthole_service::page::PageError;
use porthole_service::page::interact::{
    Click, Direction, End, How, Method, Refs, Scroll, SnapshotOptions, Terms, Typing,
};
use porthole_tests::Reply;
use tokio::time::Instant;

use super::scene::{Scene, ready, typing};
use crate::warned::{NO_CHANGE, Warned};

/// What a click that changes nothing may take on a busy machine; on an idle one it is some 340 ms, 300 of which a first change is
/// waited for.
const QUICKLY: Duration = Duration::from_millis(900);

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_changes_nothing_is_answered_soon() {
    let scene = Scene::showing("<button id=b>go</button><p id=p>text</p>").await;
    scene.click("#b").await.unwrap();
    let mut took: Vec<Duration> = Vec::new();
    for _ in 0..9 {
        let began = Instant::now();
        let acted = scene.click("#p").await.unwrap();
        took.push(began.elapsed());
        assert!(acted.settled.settled && acted.settled.no_change, "{acted:?}");
        assert_eq!(acted.warned(), [NO_CHANGE]);
    }
    took.sort();
    println!("a click that changes nothing: {took:?}");
    assert!(took[took.len() / 2] < QUICKLY, "{took:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_click_fetches_is_there_when_it_is_settled() {
    let scene = Scene::open().await;
    let late = scene.site.page(Reply::text("fetched").late(Duration::from_millis(700)));
    let later = scene.site.page(Reply::text("fetched twice").late(Duration::from_millis(300)));
    scene
        .shows(&format!(
            "<button id=b>go</button><p id=p></p><script>b.onclick = async () => {{
            const text = await (await fetch('{late}')).text();
            const more = await (await fetch('{later}')).text();
            setTimeout(() => {{ p.textContent = text + ', ' + more }}) }}</script>"
        ))
        .await;
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.settled.settled && !acted.settled.no_change && !acted.settled.navigated, "{acted:?}");
    assert_eq!(scene.evaluate("p.textContent").await, "fetched, fetched twice");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_never_end_are_not_waited_for() {
    let scene = Scene::open().await;
    let held = scene.site.page(Reply::text("begun").held());
    let stream = scene.site.page(Reply::of("text/event-stream", "data: 1\n\n").held());
    scene
        .shows(&format!(
            "<button id=b>go</button><p id=p></p><script>b.onclick = () => {{ fetch('{held}'); new EventSource('{stream}');
            p.textContent = 'clicked' }}</script>"
        ))
        .await;
    let began = Instant::now();
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.settled.settled, "{acted:?}");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());

    let never = scene.site.page(Reply::never());
    scene.shows(&format!("<button id=b onclick=\"fetch('{never}')\">go</button>")).await;
    let began = Instant::now();
    let acted = scene.click("#b").await.unwrap();
    assert!(!acted.settled.settled, "{acted:?}");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_navigates_is_settled_in_the_new_document() {
    let scene = Scene::open().await;
    let data = scene.site.page(Reply::text("of the new document").late(Duration::from_millis(300)));
    let next = scene.site.page(
        Reply::html(&format!(
            "<title>next</title><p id=p></p><script>fetch('{data}').then(a => a.text()).then(t => {{ p.textContent = t }})</script>"
        ))
        .late(Duration::from_millis(400)),
    );
    let links = format!(
        "<a id=a href='{next}'>link</a><button id=s onclick=\"location = '{next}'\">script</button>
        <form action='{next}'><button id=f>form</button></form><a id=h href='#x'>fragment</a>
        <button id=push onclick=\"history.pushState(1, '', '?p')\">push</button>"
    );
    for selector in ["#a", "#s", "#f"] {
        scene.shows(&links).await;
        let acted = scene.click(selector).await.unwrap();
        assert!(acted.settled.settled && acted.settled.navigated && !acted.settled.no_change, "{selector}: {acted:?}");
        assert_eq!(
            scene.evaluate("document.title + ': ' + p.textContent").await,
            "next: of the new document",
            "{selector}"
        );
    }
    scene.shows(&links).await;
    for selector in ["#h", "#push"] {
        let acted = scene.click(selector).await.unwrap();
        assert!(acted.settled.settled && acted.settled.navigated, "{selector}: {acted:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_and_an_empty_answer_leave_the_page() {
    let scene = Scene::open().await;
    let download = scene.site.page(
        Reply::of("application/octet-stream", "saved").header("content-disposition", "attachment; filename=a.bin"),
    );
    let nothing = scene.site.page(Reply::text("").status(204));
    scene.shows(&format!("<title>here</title><a id=d href='{download}'>d</a><a id=n href='{nothing}'>n</a>")).await;
    for selector in ["#d", "#n"] {
        let began = Instant::now();
        let acted = scene.click(selector).await.unwrap();
        assert!(acted.settled.settled && !acted.settled.navigated && !acted.settled.no_change, "{selector}: {acted:?}");
        assert!(began.elapsed() < Duration::from_secs(4), "{selector}: {:?}", began.elapsed());
        assert_eq!(scene.evaluate("document.title").await, "here");
    }
    scene.ends().await;
}

/// Pages that show what a click did in another way each, at most two frames later.
const LATER: [(&str, &str); 10] = [
    (
        "a database",
        "let db; b.disabled = true; const asked = indexedDB.open('a', 1);
        asked.onupgradeneeded = () => asked.result.createObjectStore('s');
        asked.onsuccess = () => { db = asked.result; b.disabled = false };
        b.onclick = () => {
            const write = db.transaction('s', 'readwrite'); write.objectStore('s').put(1, 1);
            write.oncomplete = () => { db.transaction('s').objectStore('s').get(1).onsuccess = show };
        }",
    ),
    ("a frame in a frame", "b.onclick = () => requestAnimationFrame(() => requestAnimationFrame(show))"),
    ("a timer", "b.onclick = () => setTimeout(show, 10)"),
    ("idle time", "b.onclick = () => requestIdleCallback(show)"),
    (
        "tasks that post tasks",
        "const c = new MessageChannel(); let left = 20;
        c.port1.onmessage = () => (left-- > 0 ? c.port2.postMessage(1) : show());
        b.onclick = () => c.port2.postMessage(1)",
    ),
    (
        "a worker",
        "const w = new Worker(URL.createObjectURL(new Blob(['onmessage = () => postMessage(1)'])));
        w.onmessage = show; b.onclick = () => w.postMessage(1)",
    ),
    ("the end of a transition", "o.ontransitionend = show; b.onclick = () => { o.style.width = '50px' }"),
    (
        "a change of size",
        "new ResizeObserver(() => { if (o.style.width) show() }).observe(o); b.onclick = () => { o.style.width = '50px' }",
    ),
    ("the page's history", "history.pushState(1, ''); onpopstate = show; b.onclick = () => history.back()"),
    ("a view transition", "b.onclick = () => document.startViewTransition(show)"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_within_two_frames_is_awaited() {
    let scene = Scene::open().await;
    for (how, script) in LATER {
        scene
            .shows(&format!(
                "<style>#o {{ width: 40px; transition: width 10ms }}</style><button id=b>go</button><p id=o>none</p>
                <script>const show = () => {{ o.textContent = 'shown' }}; {script}</script>"
            ))
            .await;
        let acted = scene.click("#b").await.unwrap();
        assert!(acted.settled.settled && !acted.settled.no_change, "{how}: {acted:?}");
        assert_eq!(scene.evaluate("o.textContent").await, "shown", "{how}");
    }
    scene.ends().await;
}

/// Ways in which libraries fade something out by script before they remove it.
const FADES: [(&str, &str); 2] = [
    (
        "frames, as jQuery does",
        "const began = performance.now();
        const step = () => { const done = (performance.now() - began) / 400;
            if (done >= 1) return end(); o.style.opacity = 1 - done; requestAnimationFrame(step) };
        requestAnimationFrame(step)",
    ),
    (
        "a timer, as older ones do",
        "let left = 30; const timer = setInterval(() => { o.style.height = left + 'px';
            if (--left < 0) { clearInterval(timer); end() } }, 13)",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_fades_out_is_gone() {
    let scene = Scene::open().await;
    for (how, script) in FADES {
        scene
            .shows(&format!(
                "<button id=b>go</button><p id=o>fading</p><p id=t>none</p>
                <script>const end = () => {{ o.remove(); t.textContent = 'shown' }}; b.onclick = () => {{ {script} }}</script>"
            ))
            .await;
        let acted = scene.click("#b").await.unwrap();
        assert!(acted.settled.settled && !acted.settled.no_change, "{how}: {acted:?}");
        assert_eq!(scene.evaluate("t.textContent").await, "shown", "{how}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_is_settled_soon() {
    let scene = Scene::showing(
        "<p id=t></p><button id=b onclick='this.textContent = 1'>go</button>
        <script>const tick = () => { t.textContent = Math.random(); t.style.opacity = Math.random(); requestAnimationFrame(tick) }; tick()</script>",
    )
    .await;
    let began = Instant::now();
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.settled.settled && !acted.settled.no_change, "{acted:?}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_asks_before_it_is_left_holds_the_click() {
    let scene = Scene::open().await;
    let next = scene.site.html("<title>next</title>");
    scene
        .shows(&format!("<script>onbeforeunload = e => e.preventDefault()</script><a id=a href='{next}'>leave</a>"))
        .await;
    let acted = scene.click("#a").await.unwrap();
    assert!(!acted.settled.settled, "{acted:?}");
    assert_eq!(scene.page.dialog().unwrap().kind, "beforeunload");
    scene.page.answer_dialog(false, None).await.unwrap();
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_refused_target_is_told() {
    let scene = Scene::open().await;
    let forbidden = scene.site.forbidden();
    let redirect = scene.site.page(Reply::redirect(302, &forbidden));
    let twice = scene.site.page(Reply::redirect(302, &redirect));
    let tunnel = forbidden.replace("http:", "https:");
    for (number, to) in [&forbidden, &tunnel, &redirect, &twice].into_iter().enumerate() {
        scene
            .shows(&format!(
                "<title>here {number}</title><a id=a href='{to}'>leave</a><button id=b>stay</button>
                <p id=p></p><script>let kept = 1; b.onclick = () => {{ p.textContent = ++kept }}</script>"
            ))
            .await;
        scene.click("#b").await.unwrap();
        let before = scene.page.url();
        let acted = scene.click("#a").await.unwrap();
        assert!(acted.settled.blocked && acted.settled.settled && !acted.settled.navigated, "{to}: {acted:?}");
        assert_eq!(acted.warned(), ["blocked_target: the page tried to open a blocked address"], "{to}");
        assert_eq!(scene.site.forbidden_visits(), 0);
        // The page is as it was, and usable.
        let arrival = scene.page.arrival(async {}).await.1.unwrap();
        assert_eq!((arrival.title, arrival.final_url), (format!("here {number}"), before), "{to}");
        scene.click("#b").await.unwrap();
        assert_eq!(scene.evaluate("kept").await, 3, "{to}");
    }
    // By itself, between two calls; and commanded, by a redirect.
    scene.evaluate(&format!("new Promise(done => {{ location = '{forbidden}'; setTimeout(done, 300) }})")).await;
    scene.click("#b").await.unwrap();
    let refused = scene.try_goes(&twice).await.unwrap_err();
    assert!(matches!(refused, PageError::Blocked(_)), "{refused:?}");
    scene.click("#b").await.unwrap();
    assert_eq!(scene.evaluate("kept").await, 5);
    // What is refused beside it does not stop a navigation that may be.
    let slow = scene.site.page(Reply::html("<title>there</title>").late(Duration::from_millis(300)));
    scene.evaluate(&format!("a.href = '{slow}'; a.onclick = () => {{ new Image().src = '{forbidden}' }}")).await;
    let acted = scene.click("#a").await.unwrap();
    assert!(acted.settled.navigated && !acted.settled.blocked, "{acted:?}");
    assert_eq!(scene.evaluate("document.title").await, "there");
    assert_eq!(scene.site.forbidden_visits(), 0);
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_may_make_large_urls_of_its_own() {
    let scene = Scene::showing(
        "<button id=b>go</button><img id=i><script>b.onclick = () => {
        i.src = 'data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\"><desc>' + 'x'.repeat(6e6) + '</desc></svg>' }</script>",
    )
    .await;
    for _ in 0..2 {
        let acted = scene.click("#b").await.unwrap();
        assert!(acted.settled.settled, "{acted:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_page_is_waited_for_and_a_stuck_one_is_not_settled() {
    let scene = Scene::showing(
        "<button id=b>go</button><p id=p></p><button id=stuck>stuck</button><script>const busy = ms => { const until = Date.now() + ms; while (Date.now() < until); };
        b.onclick = () => setTimeout(() => { busy(1500); p.textContent = 'done' }); stuck.onclick = () => setTimeout(() => busy(30000))</script>",
    )
    .await;
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.settled.settled && !acted.settled.no_change, "{acted:?}");
    assert_eq!(scene.evaluate("p.textContent").await, "done");
    let acted = scene.click("#stuck").await.unwrap();
    assert!(!acted.settled.settled, "{acted:?}");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_navigates_away_under_the_click_is_settled() {
    let scene = Scene::open().await;
    let next = scene.site.page(Reply::html("<p>next").late(Duration::from_millis(300)));
    let inner = scene.site.html(&format!("<a id=a href='{next}'>leave</a>"));
    scene.shows(&format!("<iframe id=f src='{inner}'></iframe>")).await;
    let link = scene.inner(&["#f", "#a"]).await;
    let acted = scene.page.click(&link, &Click::once(ready())).await.unwrap();
    assert!(acted.settled.settled && !acted.settled.no_change, "{acted:?}");
    assert_eq!(scene.evaluate("f.contentDocument.body.textContent").await, "next");
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hidden_is_acted_on_in_the_document() {
    let scene = Scene::showing(
        "<button id=b hidden onclick='p.textContent = 1'>go</button><input id=i style='display:none'><p id=p></p>",
    )
    .await;
    let terms = Terms { visible: false, how: How::DocumentFirst, ..ready() };
    let acted = scene.page.click(&scene.element("#b").await, &Click::once(terms)).await.unwrap();
    assert_eq!((acted.method, scene.evaluate("p.textContent").await), (Method::Dom, "1".into()));
    let typing = Typing { terms, ..typing("text") };
    scene.page.type_text(&scene.element("#i").await, &typing).await.unwrap();
    assert_eq!(scene.evaluate("i.value").await, "text");
    scene.ends().await;
}

/// What an action brings in few words stands in the next snapshot, wherever the page has put it.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_of_an_action_is_shown() {
    let scene = Scene::open().await;
    let page = |does: &str| {
        format!(
            "<style>#hid, #cls {{ display: none }} .on #cls {{ display: block }}</style>
            <div><button id=b onclick=\"{does}\">Save</button></div><div><div><div><div><p id=t></p><p>other words</p><i id=n>99 seconds</i>
            <p id=hid>Saved 3 books</p><p id=cls>Saved <b>3 books</b></p>
            </div></div></div></div>"
        )
    };
    for (does, shown) in [
        ("t.textContent = 'Saved 3 books'", true),
        ("t.append('Saved', ' ', '3 books')", true),
        ("hid.style.display = 'block'", true),
        ("document.body.className = 'on'", true),
        ("t.className = 'x'", false),
        ("t.innerHTML = '<b>Saved</b> 3 books'; n.textContent = '98 seconds'", true),
        (
            "t.textContent = 'Saved 3 books'; for (let i = 0; i < 20; i++) t.parentNode.append(`a line of another view ${i}`)",
            false,
        ),
    ] {
        scene.shows(&page(does)).await;
        let mut refs = Refs::default();
        let mut tree = async || scene.page.snapshot(&mut refs, &SnapshotOptions::default()).await.unwrap().tree;
        assert_eq!(tree().await, "- button \"Save\" [ref=@e1]", "{does}");
        scene.click("#b").await.unwrap();
        for _ in 0..2 {
            let tree = tree().await;
            assert_eq!(tree.contains("Saved 3 books"), shown, "{does}: {tree}");
            assert!(!tree.contains("seconds") && !tree.contains("other words"), "{does}: {tree}");
        }
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fades_out_is_gone_some_frames_after_its_transition() {
    let scene = Scene::open().await;
    for frames in 0..=4 {
        scene
            .shows(&format!(
                "<style>#p {{ transition: opacity 150ms }} .out {{ opacity: 0 }}</style><button id=b>Close</button><div id=p role=dialog>Panel</div><script>
                const later = (frames, then) => frames ? requestAnimationFrame(() => later(frames - 1, then)) : then();
                b.onclick = () => p.classList.add('out'); p.ontransitionend = () => later({frames}, () => p.remove())</script>"
            ))
            .await;
        let acted = scene.click("#b").await.unwrap();
        assert_eq!(scene.evaluate("document.getElementById('p')").await, serde_json::Value::Null, "{frames} {acted:?}");
    }
    scene.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scroll_that_the_page_takes_back_is_no_change() {
    let scene = Scene::open().await;
    for (takes_back, changes) in [("", true), ("addEventListener('scroll', () => scrollTo(0, 0))", false)] {
        scene.shows(&format!("<div style='height: 4000px'>x</div><script>{takes_back}</script>")).await;
        for scroll in [Scroll::By(Direction::Down, None), Scroll::To(End::Bottom)] {
            let acted = scene.page.scroll(None, scroll, ready().deadline).await.unwrap();
            assert_eq!(acted.warned().is_empty(), changes, "{takes_back} {scroll:?}: {acted:?}");
        }
        let again = scene.page.scroll(None, Scroll::To(End::Bottom), ready().deadline).await.unwrap();
        assert_eq!(again.warned(), [NO_CHANGE]);
    }
    scene.ends().await;
}

/// React's scheduler works in slices, each a message to itself; others have a worker do it, which is not seen to begin.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_in_slices_or_by_a_worker_is_awaited() {
    let scene = Scene::open().await;
    let show = "const show = () => { m.innerHTML = '<h1>Done</h1>' };";
    let slices = "b.onclick = () => { const { port1, port2 } = new MessageChannel(); let left = 20;
        port1.onmessage = () => { const began = performance.now(); while (performance.now() - began < 5); if (--left > 0) port2.postMessage(0); else show() };
        if (location.hash === '') history.pushState(null, '', '#next'); port2.postMessage(0) }";
    let worker = "const w = new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(1), 80)'])));
        w.onmessage = show; b.onclick = () => w.postMessage(1)";
    for script in [slices, worker] {
        scene.shows(&format!("<button id=b>Go</button><main id=m>old</main><script>{show}{script}</script>")).await;
        let acted = scene.click("#b").await.unwrap();
        assert_eq!(scene.evaluate("m.textContent").await, "Done", "{script}");
        assert!(acted.settled.settled && acted.warnings.is_empty(), "{acted:?}");
    }
    // A page that posts messages to itself at all times is not waited for.
    scene
        .shows(
            "<button id=b onclick='this.textContent = `Gone`'>Go</button><script>const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => { const began = performance.now(); while (performance.now() - began < 2); port2.postMessage(0) }; port2.postMessage(0)</script>",
        )
        .await;
    let acted = scene.click("#b").await.unwrap();
    assert!(acted.settled.settled && acted.settled.took < Duration::from_secs(2), "{acted:?}");
    scene.ends().await;
}
