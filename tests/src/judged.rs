//! The judged set: pages that are red until they reach their final state, then green. Each settles in a way that real
//! pages do; a page that never settles turns green at some moment and continues its activity afterwards.

use std::time::Duration;

use crate::site::{Reply, SHOP, Site};

/// The colour of a page in its final state.
pub const DONE: [u8; 3] = [0, 170, 102];

/// One page of the set.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The page's name: its activity until the final state.
    pub name: &'static str,
    /// Its body; names in `«»` are replaced by URLs of the site.
    body: &'static str,
    /// Whether it needs animation frames to settle: an ordinary page draws them in real time, even in virtual time.
    pub needs_frames: bool,
}

impl Judged {
    /// Puts the page on the site and returns its URL.
    #[must_use]
    pub fn put(&self, site: &Site) -> String {
        site.html(&fill(&format!("{HEAD}{}", self.body), site))
    }
}

const HEAD: &str = "<!doctype html><meta name=viewport content='width=device-width'><style>
    html, body { margin: 0; height: 100%; background: rgb(255, 0, 0) }
    .done { background: rgb(0, 170, 102) !important }
    .cover { position: fixed; inset: 0; background: rgb(0, 170, 102) }
    @keyframes come { from { opacity: 0 } to { opacity: 1 } }
    </style><script>
    const done = () => { document.documentElement.className = 'done'; document.body.className = 'done' };
    const get = async url => (await fetch(url + '?' + Math.random())).text();
    const later = ms => new Promise(resolve => setTimeout(resolve, ms));
    </script><body>";

fn fill(html: &str, site: &Site) -> String {
    let mut filled = html.to_owned();
    let late = |ms: u64| Reply::text("data").late(Duration::from_millis(ms));
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='390' height='900'><rect width='390' height='900' \
        fill='rgb(0,170,102)'/></svg>";
    let frame = |then: &str| Reply::html(&format!("<body style='background:rgb(255,0,0)'><script>{then}</script>"));
    let worker = |script: &str| Reply::of("text/javascript", script.to_owned());
    for (name, reply) in [
        ("data 0", late(0)),
        ("data 100", late(100)),
        ("data 400", late(400)),
        ("data 1000", late(1_000)),
        ("never", Reply::never()),
        ("stream", Reply::of("text/event-stream", "data: hello\n\n").held()),
        ("picture", Reply::of("image/svg+xml", svg)),
        ("picture 300", Reply::of("image/svg+xml", svg).late(Duration::from_millis(300))),
        (
            "style 200",
            Reply::of("text/css", ".late{background:rgb(0,170,102) !important}").late(Duration::from_millis(200)),
        ),
        ("module", Reply::of("text/javascript", "done()").late(Duration::from_millis(100))),
        ("script", Reply::of("text/javascript", "done()")),
        ("framed", frame("setTimeout(() => parent.postMessage('done', '*'), 500)")),
        (
            "framed fetch",
            frame("fetch('/never-there').then(() => setTimeout(() => parent.postMessage('done', '*'), 300))"),
        ),
        ("worker", worker("postMessage([...Array(1e5).keys()].reduce((a, b) => a + b))")),
        ("worker 300", worker("setTimeout(() => postMessage('done'), 300)")),
        ("worker fetch", worker("fetch('/data').then(() => postMessage('done'))")),
        ("elsewhere", Reply::html(&format!("{HEAD}<script>setTimeout(done, 200)</script>"))),
    ] {
        let place = format!("«{name}»");
        let abroad = format!("«abroad {name}»");
        if filled.contains(&place) || filled.contains(&abroad) {
            let url = site.page(reply);
            filled = filled.replace(&abroad, &site.under_name(&url, SHOP)).replace(&place, &url);
        }
    }
    assert!(!filled.contains('«'), "unknown name in «»: {filled}");
    filled
}

const fn page(name: &'static str, body: &'static str) -> Judged {
    Judged { name, body, needs_frames: false }
}

const fn by_frames(name: &'static str, body: &'static str) -> Judged {
    Judged { name, body, needs_frames: true }
}

/// All pages of the set.
pub const PAGES: &[Judged] = &[
    page("static", "<div class=cover></div>"),
    page("inline script", "<script>done()</script>"),
    page("deferred script", "<script defer src='«script»'></script>"),
    page("module script", "<script type=module src='«module»'></script>"),
    page("dynamic import", "<script>import('«module»')</script>"),
    page(
        "stylesheet put in late",
        "<script>const link = Object.assign(document.createElement('link'), \
        {rel: 'stylesheet', href: '«style 200»'}); document.head.append(link); \
        for (const e of [document.documentElement, document.body]) e.classList.add('late')</script>",
    ),
    page("image", "<img src='«picture 300»' style='display:block'>"),
    page("lazy image", "<img loading=lazy src='«picture 300»' width=390 height=900 style='display:block'>"),
    page(
        "lazy image put in by a timer",
        "<script>setTimeout(() => document.body.innerHTML = \
        \"<img loading=lazy src='«picture 300»' width=390 height=900 style='display:block'>\", 400)</script>",
    ),
    page(
        "image decoded first",
        "<script>const image = new Image(); image.src = '«picture»'; \
        image.decode().then(() => { image.style.display = 'block'; document.body.append(image) })</script>",
    ),
    page("background image", "<div style=\"position:fixed;inset:0;background:url('«picture 300»')\"></div>"),
    page("fetch of 100 ms", "<script>get('«data 100»').then(done)</script>"),
    page("fetch of 400 ms", "<script>get('«data 400»').then(done)</script>"),
    page("fetch of 1 s", "<script>get('«data 1000»').then(done)</script>"),
    page(
        "XMLHttpRequest",
        "<script>const x = new XMLHttpRequest(); x.onload = done; x.open('GET', '«data 400»'); x.send()</script>",
    ),
    page(
        "fetch after load and a timer",
        "<script>onload = () => setTimeout(() => get('«data 100»').then(done), 300)</script>",
    ),
    page(
        "chain of fetches",
        "<script>(async () => { for (let n = 0; n < 3; n++) await get('«data 100»'); done() })()</script>",
    ),
    page(
        "chain of fetches and timers",
        "<script>(async () => { for (let n = 0; n < 3; n++) { await get('«data 100»'); await later(200) } done() })()</script>",
    ),
    page("timer of 1 s", "<script>setTimeout(done, 1000)</script>"),
    page("timer of 3 s", "<script>setTimeout(done, 2900)</script>"),
    page(
        "interval that counts",
        "<script>let n = 0; const i = setInterval(() => { if (++n == 20) { clearInterval(i); done() } }, 100)</script>",
    ),
    page("CSS animation", "<div class=cover style='animation: come 1s both'></div>"),
    page("CSS animation after a delay", "<div class=cover style='animation: come 1s 1s both'></div>"),
    page(
        "CSS transition",
        "<div class=cover id=cover style='opacity:0;transition:opacity 1s'></div><script>onload = () => { getComputedStyle(cover).opacity; cover.style.opacity = 1 }</script>",
    ),
    by_frames("end of an animation", "<div style='animation: come .5s' onanimationend='done()'>.</div>"),
    page(
        "end of a transition",
        "<div id=t style='opacity:0;transition:opacity .5s' ontransitionend='done()'>.</div><script>onload = () => { getComputedStyle(t).opacity; t.style.opacity = 1 }</script>",
    ),
    page(
        "Web Animations",
        "<div id=t>.</div><script>t.animate([{opacity: 0}, {opacity: 1}], 700).finished.then(done)</script>",
    ),
    by_frames(
        "animation by time",
        "<script>const start = performance.now(); (function step(now) { now - start > 1000 ? done() : requestAnimationFrame(step) })(start)</script>",
    ),
    by_frames(
        "animation by frames",
        "<p id=p style='width:0;height:9px;background:#000'></p><script>let n = 0; (function step() { p.style.width = n * 12 + 'px'; ++n > 12 ? (p.remove(), done()) : requestAnimationFrame(step) })()</script>",
    ),
    by_frames(
        "two frames after load",
        "<script>onload = () => requestAnimationFrame(() => requestAnimationFrame(done))</script>",
    ),
    by_frames(
        "fetch from a frame",
        "<script>requestAnimationFrame(() => get('«data 100»').then(() => requestAnimationFrame(done)))</script>",
    ),
    page(
        "spinner that ends",
        "<div style='width:50px;height:50px;animation: come 1s infinite'>.</div><script>get('«data 400»').then(() => { document.body.textContent = ''; done() })</script>",
    ),
    page(
        "spinner that does not end",
        "<div style='width:50px;height:50px;animation: come 1s infinite'>.</div><script>setTimeout(done, 900)</script>",
    ),
    // Observers are told with a frame, which an ordinary page draws when the machine has time for it.
    by_frames(
        "IntersectionObserver",
        "<div id=seen>.</div><script>new IntersectionObserver(([e]) => e.isIntersecting && done()).observe(seen)</script>",
    ),
    by_frames(
        "ResizeObserver",
        "<div id=seen>.</div><script>new ResizeObserver(() => seen.offsetWidth < 300 ? done() : seen.style.width = '100px').observe(seen)</script>",
    ),
    page(
        "MutationObserver",
        "<script>new MutationObserver(done).observe(document.body, {childList: true}); setTimeout(() => document.body.append(document.createElement('i')), 300)</script>",
    ),
    page(
        "tasks by MessageChannel",
        "<script>const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => ++n == 200 ? done() : c.port2.postMessage(0); onload = () => c.port2.postMessage(0)</script>",
    ),
    page("idle callback", "<script>onload = () => requestIdleCallback(done, {timeout: 2000})</script>"),
    page(
        "router with pushState",
        "<script>onload = () => { history.pushState({}, '', '?page=2'); get('«data 100»').then(done) }</script>",
    ),
    page(
        "router with a hash",
        "<script>onhashchange = () => setTimeout(done, 100); onload = () => location.hash = 'page'</script>",
    ),
    page("goes elsewhere by script", "<script>setTimeout(() => location.replace('«elsewhere»'), 300)</script>"),
    page("goes elsewhere by meta", "<meta http-equiv=refresh content='1;url=«elsewhere»'>"),
    page(
        "worker that computes",
        "<script>const source = fetch('«worker»').then(r => r.blob()).then(b => new Worker(URL.createObjectURL(b)).onmessage = done)</script>",
    ),
    page("worker with a timer", "<script>new Worker('«worker 300»').onmessage = done</script>"),
    page(
        "frame with a timer",
        "<script>onmessage = done</script><iframe style='position:absolute;left:60px;top:100px;width:100px;height:60px;border:0' src='«framed»'></iframe>",
    ),
    page(
        "frame of another site with a timer",
        "<script>onmessage = done</script><iframe style='position:absolute;left:60px;top:100px;width:100px;height:60px;border:0' src='«abroad framed»'></iframe>",
    ),
    page(
        "fetch given up after 1 s",
        "<script>const c = new AbortController(); setTimeout(() => c.abort(), 1000); fetch('«never»', {signal: c.signal}).catch(done)</script>",
    ),
    page("fetch with a timeout", "<script>fetch('«never»', {signal: AbortSignal.timeout(1000)}).catch(done)</script>"),
    page("long poll", "<script>fetch('«never»'); setTimeout(done, 500)</script>"),
    page("event stream", "<script>new EventSource('«stream»').onmessage = done</script>"),
    page(
        "socket that does not open",
        "<script>new WebSocket('«never»'.replace('http', 'ws')); setTimeout(done, 500)</script>",
    ),
    page("beacon", "<script>onload = () => { navigator.sendBeacon('«never»', 'x'); setTimeout(done, 300) }</script>"),
    page(
        "changes for ever",
        "<p id=p></p><script>setInterval(() => p.hidden = !p.hidden, 10); setTimeout(done, 700)</script>",
    ),
    page("timers without end", "<script>(function again() { setTimeout(again, 0) })(); setTimeout(done, 700)</script>"),
    page(
        "reads the clock",
        "<script>const [a, b] = [Date.now(), performance.now()]; setTimeout(() => { \
        const [x, y] = [Date.now() - a, performance.now() - b]; if (x >= 990 && y >= 990 && Math.abs(x - y) < 50) done() }, 1000)</script>",
    ),
    page(
        "frames by the clock",
        "<script>let last = 0, fine = true; setTimeout(() => fine && done(), 1200); \
        requestAnimationFrame(function step(now) { fine &&= now >= last; last = now; requestAnimationFrame(step) })</script>",
    ),
    page(
        "canvas",
        "<canvas id=c width=390 height=900 style='display:block'></canvas><script>setTimeout(() => { const x = c.getContext('2d'); x.fillStyle = 'rgb(0,170,102)'; x.fillRect(0, 0, 390, 900) }, 400)</script>",
    ),
    page(
        "custom element",
        "<late-part></late-part><script>setTimeout(() => customElements.define('late-part', class extends HTMLElement { connectedCallback() { done() } }), 200)</script>",
    ),
    page("fonts", "<script>document.fonts.ready.then(() => later(100)).then(done)</script>"),
];
