//! Hostile neighbours: pages that try to block the browser that they share with other sandboxes.

/// One kind of hostile page.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour {
    /// Its name in tables.
    pub name: &'static str,
    /// The script that it runs when it is parsed.
    pub script: &'static str,
    /// Whether the service ends it for a DevTools message over the size limit.
    pub oversized: bool,
}

const fn neighbour(name: &'static str, script: &'static str) -> Neighbour {
    Neighbour { name, script, oversized: false }
}

const fn oversized(name: &'static str, script: &'static str) -> Neighbour {
    Neighbour { name, script, oversized: true }
}

impl Neighbour {
    /// Returns the page's HTML.
    #[must_use]
    pub fn html(&self) -> String {
        format!("<!doctype html><title>hostile</title><body><p>hostile<script>{}</script>", self.script)
    }
}

/// Does nothing. What any other page costs a neighbour: it is loaded and kept in the same browser.
pub const ORDINARY: Neighbour = neighbour("an ordinary page", "");
/// Only keeps a processor busy. The baseline for every other kind, because sandboxes share the processors as well.
pub const BUSY: Neighbour = neighbour("an endless loop", "setTimeout(() => { for (;;); }, 50)");

/// All kinds. Most start after the document is parsed, so that the page loads.
pub const NEIGHBOURS: [Neighbour; 32] = [
    neighbour(
        "console: 15 strings of 5 MB",
        "setTimeout(() => { for (let i = 0; i < 15; i++) console.log(i + 'x'.repeat(5e6)) }, 50)",
    ),
    neighbour(
        "console: 5 strings of 55 MB in one call",
        "setTimeout(() => console.log(...[1, 2, 3, 4, 5].map(i => i + 'x'.repeat(55e6))), 50)",
    ),
    neighbour(
        "console: before the document is parsed",
        "for (let i = 0; i < 15; i++) console.log(i + 'x'.repeat(5e6), {}, [])",
    ),
    neighbour("console: flood", "setInterval(() => { for (let i = 0; i < 1000; i++) console.log(i) }, 1)"),
    neighbour("exceptions of 30 MB", "setInterval(() => { throw new Error('x'.repeat(3e7)) }, 5)"),
    neighbour("rejections of 30 MB", "setInterval(() => Promise.reject('x'.repeat(3e7)), 5)"),
    neighbour("alert: 200 MB", "setInterval(() => alert('x'.repeat(2e8)), 1)"),
    neighbour("dialogs without end", "setTimeout(() => { for (;;) confirm('a') }, 50)"),
    neighbour(
        "title: 100 MB",
        "let n = 0; const t = 'x'.repeat(1e8); setInterval(() => { document.title = t + n++ }, 1)",
    ),
    neighbour(
        "history: flood",
        "setInterval(() => { for (let i = 0; i < 1000; i++) history.pushState(null, '', '/' + i) }, 1)",
    ),
    neighbour(
        "history: URLs of 1.9 MB",
        "let n = 0; const u = '/' + 'x'.repeat(1.9e6); setInterval(() => { for (let i = 0; i < 50; i++) history.pushState(null, '', u + n++) }, 1)",
    ),
    neighbour("fragments", "let n = 0; setInterval(() => { for (let i = 0; i < 1000; i++) location.hash = n++ }, 1)"),
    neighbour(
        "navigations that end in nothing",
        "let n = 0; setInterval(() => { for (let i = 0; i < 20; i++) location.href = '/nothing-is-here?' + n++ }, 1)",
    ),
    neighbour(
        "frames: flood",
        "setInterval(() => { for (let i = 0; i < 50; i++) { const f = document.createElement('iframe'); document.body.append(f); f.remove() } }, 1)",
    ),
    oversized(
        "frames: made by a function whose name is 30 MB",
        "const big = 'x'.repeat(3e7), make = { [big]() { document.body.append(document.createElement('iframe')) } }[big]; setInterval(make, 1)",
    ),
    neighbour(
        "frames: documents opened and closed",
        "const f = document.createElement('iframe'); document.body.append(f); setInterval(() => { for (let i = 0; i < 1000; i++) { f.contentDocument.open(); f.contentDocument.close() } }, 1)",
    ),
    neighbour(
        "frames: navigations of twenty",
        "let n = 0; const all = [...Array(20)].map(() => document.body.appendChild(document.createElement('iframe'))); setInterval(() => { for (const f of all) f.src = 'about:blank?' + n++ }, 1)",
    ),
    oversized(
        "frames: data URLs of 20 MB",
        "const f = document.createElement('iframe'); document.body.append(f); let n = 0; const u = 'x'.repeat(2e7); setInterval(() => { f.src = 'data:text/html,' + n++ + u }, 1)",
    ),
    neighbour("windows: flood", "setInterval(() => { for (let i = 0; i < 100; i++) open('/nothing-is-here') }, 1)"),
    oversized(
        "windows: names of 30 MB",
        "let n = 0; const u = 'x'.repeat(3e7); setInterval(() => open('/nothing-is-here', u + n++), 1)",
    ),
    neighbour(
        "workers: flood",
        "const u = URL.createObjectURL(new Blob(['close()'])); setInterval(() => { for (let i = 0; i < 10; i++) new Worker(u) }, 1)",
    ),
    oversized(
        "workers: names of 30 MB",
        "const u = URL.createObjectURL(new Blob([''])), name = 'x'.repeat(3e7); setInterval(() => new Worker(u, { name }), 1)",
    ),
    neighbour(
        "data URLs of 30 MB, fetched",
        "const u = 'data:text/plain,' + 'x'.repeat(3e7); setInterval(() => fetch(u + Math.random()).catch(() => 0), 1)",
    ),
    neighbour(
        "fetches: flood",
        "setInterval(() => { for (let i = 0; i < 100; i++) fetch('/nothing-is-here?' + Math.random()).catch(() => 0) }, 1)",
    ),
    neighbour(
        "beacons: flood",
        "setInterval(() => { for (let i = 0; i < 100; i++) navigator.sendBeacon('/nothing-is-here', 'x') }, 1)",
    ),
    neighbour(
        "sockets: flood",
        "setInterval(() => { for (let i = 0; i < 20; i++) new WebSocket('ws://' + location.host + '/x') }, 1)",
    ),
    neighbour(
        "downloads",
        "setInterval(() => { const a = document.createElement('a'); a.href = '/nothing-is-here'; a.download = 'x'; a.click() }, 1)",
    ),
    neighbour(
        "messages of 30 MB to another tab",
        "const a = new BroadcastChannel('a'), b = new BroadcastChannel('a'), s = 'x'.repeat(3e7); setInterval(() => a.postMessage(s), 1)",
    ),
    neighbour(
        "blobs of 5 MB",
        "const b = new Uint8Array(5e6); setInterval(() => { for (let i = 0; i < 5; i++) new Blob([b]) }, 1)",
    ),
    neighbour(
        "theme colours",
        "const m = document.createElement('meta'); m.name = 'theme-color'; document.head.append(m); let n = 0; setInterval(() => { for (let i = 0; i < 1000; i++) m.content = '#' + (n++ % 1000 + 1000) }, 1)",
    ),
    neighbour(
        "cookies",
        "let n = 0; setInterval(() => { for (let i = 0; i < 100; i++) document.cookie = 'a' + n++ % 100 + '=' + 'x'.repeat(4000) }, 1)",
    ),
    neighbour(
        "storage",
        "let n = 0; setInterval(() => { for (let i = 0; i < 100; i++) localStorage.setItem('a', 'x'.repeat(1e6) + n++) }, 1)",
    ),
];
