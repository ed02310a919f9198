//! Isolation of requests: nothing that a page stores can be found by a later page or by one open at the same time. The
//! positive control without a browser context for each page finds all of it.

use std::collections::BTreeSet;

use porthole_service::provider::local::Defence::{self, ContextProxy, DeadEnd, OwnContext, ResolverRules};
use porthole_tests::{Answer, Reply};
use serde_json::json;

use super::names::ZONE;
use super::scene::{Ground, Scene};
use super::service::Service;
use super::tls::TlsSite;

/// Defences to remove for pages that share the browser's default context, whose only proxy is the dead end.
const SHARED: [Defence; 4] = [OwnContext, ContextProxy, DeadEnd, ResolverRules];

/// Shows what an earlier visit left, one word each, then leaves all of it itself. `CACHED` is a file that may be cached
/// for an hour, `WORKER` a service worker's script.
const TELLS_AND_LEAVES: &str = r#"<body><script>
const found = [];
const within = (promise, word) => Promise.race([promise, new Promise(done => setTimeout(done, 2000))])
  .then(value => { if (value) found.push(word) }).catch(() => 0);
const request = (open, event = 'onsuccess') => new Promise((done, failed) => { open[event] = () => done(open.result); open.onerror = failed; });
(async () => {
  if (document.cookie) found.push('cookie');
  if (localStorage.left) found.push('localStorage');
  if (sessionStorage.left) found.push('sessionStorage');
  if (window.name) found.push('name');
  if (history.length > 2) found.push('history');
  if (devicePixelRatio !== 1 || visualViewport.scale !== 1) found.push('zoom');
  await within(indexedDB.databases().then(all => all.length), 'indexedDB');
  await within(caches.keys().then(all => all.length), 'caches');
  await within(cookieStore.getAll().then(all => all.length), 'cookieStore');
  await within(navigator.serviceWorker.getRegistrations().then(all => all.length), 'serviceWorker');
  await within(navigator.storage.getDirectory().then(async folder => { for await (const _ of folder.keys()) return true }), 'files');
  await within(navigator.storage.persisted(), 'persisted');
  for (const name of ['geolocation', 'notifications', 'clipboard-read', 'camera', 'midi', 'persistent-storage'])
    await within(navigator.permissions.query({name}).then(permission => permission.state === 'granted'), 'permission ' + name);
  await within(navigator.clipboard?.readText(), 'clipboard');
  await within(fetch('CACHED').then(answer => answer.text()).then(text => performance.getEntriesByType('resource')
    .some(entry => entry.name.endsWith('CACHED') && entry.transferSize === 0)), 'httpCache');

  document.cookie = 'left=1; max-age=3600';
  localStorage.left = sessionStorage.left = window.name = 'left';
  document.body.style.zoom = 2;
  const database = indexedDB.open('left');
  await within(request(database), '');
  await within(caches.open('left').then(cache => cache.put('/left', new Response('left'))), '');
  await within(navigator.serviceWorker.register('WORKER').then(() => navigator.serviceWorker.ready), '');
  await within(navigator.storage.getDirectory().then(folder => folder.getFileHandle('left', {create: true})), '');
  await within(navigator.storage.persist(), '');
  await within(window.Notification?.requestPermission(), '');
  await within(navigator.clipboard?.writeText('left'), '');
  const text = document.createElement('textarea'); text.value = 'left'; document.body.append(text); text.select();
  document.execCommand('copy'); text.remove();
  document.body.textContent = 'found: ' + found.filter(word => word).join(', ');
  document.body.id = 'done';
})();
</script>"#;

fn words(answer: &Answer) -> BTreeSet<String> {
    let content = answer.content();
    let list = content.strip_prefix("found:").unwrap_or_else(|| panic!("{answer:?}"));
    list.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

/// Visits a page twice and returns what each visit found.
async fn found_twice(scene: &Scene, service: &Service) -> (BTreeSet<String>, BTreeSet<String>) {
    let cached = scene.site.page(Reply::text("kept").header("cache-control", "max-age=3600"));
    let worker = scene.site.page(Reply::of("text/javascript", "onfetch = () => 0"));
    let path = |url: &str| url.rsplit_once('/').map(|(_, path)| format!("/{path}")).unwrap();
    let page = TELLS_AND_LEAVES.replace("CACHED", &path(&cached)).replace("WORKER", &path(&worker));
    let url = scene.site.html(&page);
    let fields = json!({"url": url, "wait": {"until": "load", "selector": "#done", "timeout_ms": 30_000}});
    let first = words(&service.caller().extract(fields.clone()).await);
    (first, words(&service.caller().extract(fields).await))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_a_page_stores_is_found_by_the_next() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let (first, second) = found_twice(&scene, &service).await;
    assert_eq!((first, second), (BTreeSet::new(), BTreeSet::new()));
    service.end().await;

    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::lacking(&scene, &SHARED, &[]).await;
    let (first, second) = found_twice(&scene, &service).await;
    assert_eq!(first, BTreeSet::new());
    for word in ["cookie", "cookieStore", "localStorage", "indexedDB", "caches", "serviceWorker", "files", "httpCache"]
    {
        assert!(second.contains(word), "{word} can't be found at all: {second:?}");
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_one_site_that_are_open_at_once_can_not_communicate() {
    const CALLS: &str = r#"<body>heard: <script>
const id = Math.random(); const channel = new BroadcastChannel('c');
channel.onmessage = event => { if (event.data !== id) { document.body.append('channel '); done() } };
const shared = new SharedWorker('WORKER'); let pages = 0;
shared.port.onmessage = event => { if (event.data > 1) { document.body.append('worker '); done() } };
addEventListener('storage', () => { document.body.append('storage '); done() });
let heard = 0; const done = () => { if (++heard > 2) clearInterval(calling) };
const calling = setInterval(() => { channel.postMessage(id); localStorage.call = Math.random(); shared.port.postMessage(0) }, 50);
</script>"#;
    const COUNTS: &str = "let pages = 0; onconnect = event => { pages++;
        event.ports[0].onmessage = message => message.target.postMessage(pages) }";
    for (without, isolated) in [(&[][..], true), (&SHARED[..], false)] {
        let scene = Scene::set(Ground::loopback()).await;
        let service = Service::lacking(&scene, without, &[]).await;
        let worker = scene.site.page(Reply::of("text/javascript", COUNTS));
        let url = scene.site.html(&CALLS.replace("WORKER", &worker));
        let fields = json!({"url": url, "wait": {"until": "load", "delay_ms": 3_000}});
        let (one, other) =
            tokio::join!(service.caller().extract(fields.clone()), service.caller().extract(fields.clone()));
        for answer in [one, other] {
            let heard = answer.content();
            assert_eq!(heard.trim() == "heard:", isolated, "{heard:?} without {without:?}");
        }
        service.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strict_transport_security_is_forgotten_after_a_request() {
    for (without, remembered) in [(&[][..], false), (&SHARED[..], true)] {
        let scene = Scene::set(Ground::loopback()).await;
        let name = format!("public-strict.{ZONE}");
        let public = scene.ground.public;
        let strict = "Strict-Transport-Security: max-age=3600\r\n";
        let site = TlsSite::at(public.into(), &name, strict, "by TLS").await;
        // Without the defences the browser resolves names itself, and needs this one mapped.
        let mut flags = vec![site.trusting.clone()];
        flags.extend(remembered.then(|| format!("--host-resolver-rules=MAP {name} {public}")));
        let service = Service::lacking(&scene, without, &flags).await;
        let port = site.addr.port();
        let secure = service.caller().extract(json!({"url": format!("https://{name}:{port}/")})).await;
        assert_eq!(secure.content(), "by TLS");
        // The port speaks only TLS: a plain request succeeds only if the browser upgrades it.
        let plain = service.caller().extract(json!({"url": format!("http://{name}:{port}/")})).await;
        if remembered {
            assert_eq!(plain.content(), "by TLS");
        } else {
            plain.expect_code("NAVIGATION_FAILED");
        }
        service.end().await;
    }
}
