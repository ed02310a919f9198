//! The guard of a remote browser, on a foreign network: requests that name a private host never leave it, requests
//! whose name resolves to one are detected.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use porthole_tests::agent::Agent;
use porthole_tests::emulator::EmulatorOptions;
use porthole_tests::eventually::so;
use porthole_tests::site::{REBOUND, SHOP};
use porthole_tests::{Remote, Reply, Stack, eventually};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

const SOON: Duration = Duration::from_secs(20);

/// Loads a page with `html` and asserts that its text is read, that requests were refused, and that none reached the
/// forbidden port.
async fn goes_on_without(stack: &Stack, html: &str, refused_at_least: u64) {
    let url = stack.site.html(&format!("<p>the public part</p>{html}"));
    let answer = stack.extract(json!({"url": url})).await;
    assert_eq!(answer.code(), None, "{html}");
    assert!(answer.content().starts_with("the public part"), "{html}");
    assert_eq!(stack.site.forbidden_visits(), 0, "{html}");
    let refused = answer.json()["blocked_requests"].as_u64().unwrap();
    assert!(refused >= refused_at_least, "{refused} refused: {html}");
}

/// Tries every kind of request that names a private host; none may leave the browser, whoever runs it.
async fn tries_every_way_out_by_name(stack: &Stack) {
    let forbidden = stack.site.forbidden();
    let redirect = stack.site.page(Reply::redirect(302, &forbidden));
    let decimal = forbidden.replace("127.0.0.1", "2130706433");
    let script = stack.site.page(Reply::of(
        "text/javascript",
        format!("oninstall = () => {{ skipWaiting(); fetch('{forbidden}', {{mode: 'no-cors'}}).catch(() => 0) }}"),
    ));
    for html in [
        format!("<img src='{forbidden}'>"),
        format!("<img src='{decimal}'>"),
        format!("<img src='{redirect}'>"),
        format!("<iframe src='{forbidden}'></iframe>"),
        format!("<iframe src='{redirect}'></iframe>"),
        format!("<link rel=stylesheet href='{forbidden}'><script src='{forbidden}'></script>"),
        format!("<script>fetch('{forbidden}', {{mode: 'no-cors'}}).catch(() => 0)</script>"),
        format!(
            "<script>new Worker(URL.createObjectURL(new Blob([`fetch('{forbidden}', {{mode: 'no-cors'}})`])))</script>"
        ),
    ] {
        goes_on_without(stack, &html, 1).await;
    }
    for html in [
        format!("<script>window.open('{forbidden}')</script>"),
        format!("<script>new EventSource('{forbidden}'); navigator.sendBeacon('{forbidden}', 'x')</script>"),
        format!("<link rel=prefetch href='{forbidden}'><link rel=icon href='{forbidden}'>"),
        format!(
            "<script>navigator.serviceWorker.register('{script}').then(() => navigator.serviceWorker.ready)</script>"
        ),
        "<a href='http://localhost/'>a page that merely mentions localhost</a>".to_owned(),
    ] {
        goes_on_without(stack, &html, 0).await;
    }
    for url in [redirect, stack.site.html(&format!("<script>location = '{forbidden}'</script>"))] {
        stack.screenshot(json!({"url": url})).await.expect_code("BLOCKED_TARGET");
        assert_eq!(stack.site.forbidden_visits(), 0, "{url}");
    }
}

#[tokio::test]
async fn requests_that_name_a_private_host_never_leave() {
    let remote = Remote::start().await;
    tries_every_way_out_by_name(&remote.stack).await;
    let ledger = remote.expect_all_given_back().await;
    assert!(ledger["totals"]["created"].as_u64() > Some(10));
    // Positive control: where that host is allowed, the same page reaches the canary.
    let hearing = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_ALLOW_TARGETS", "127.0.0.0/8")]).await;
    let url = hearing.stack.site.html(&format!("<p>x<img src='{}'>", hearing.stack.site.forbidden()));
    hearing.stack.extract(json!({"url": url})).await.expect_ok();
    assert!(
        hearing.stack.site.forbidden_visits() > 0,
        "the canary was not reached where it is allowed, so this proves nothing"
    );
}

#[tokio::test]
async fn an_answer_from_a_private_address_withholds_the_result() {
    let remote = Remote::start().await;
    let site = &remote.stack.site;
    let picture = site.page(Reply::text("not a picture"));
    let rebound = site.under_name(&picture, REBOUND);
    let redirected = site.page(Reply::redirect(302, &rebound));
    let worker = format!("fetch('{rebound}', {{mode: 'no-cors'}})");
    for html in [
        format!("<p>x<img src='{rebound}'>"),
        format!("<p>x<img src='{redirected}'>"),
        format!("<p>x<script>fetch('{rebound}', {{mode: 'no-cors'}}).catch(() => 0)</script>"),
        format!("<p>x<script>new Worker(URL.createObjectURL(new Blob([`{worker}`])))</script>"),
    ] {
        let seen = site.seen(&picture).len();
        let answer = remote.stack.screenshot(json!({"url": site.html(&html)})).await;
        answer.expect_code("BLOCKED_TARGET");
        assert!(
            !answer.json()["details"].as_str().unwrap().contains("127.0.0.1"),
            "the details contain a resolved address: {answer:?}"
        );
        assert!(site.seen(&picture).len() > seen, "the browser sent no request, so this tests nothing");
    }
    // A name that the operator allowed may resolve to any address.
    let shop = site.html(&format!("<p>x<img src='{}'>", site.under_name(&picture, SHOP)));
    remote.stack.screenshot(json!({"url": shop})).await.expect_ok();
    remote.expect_all_given_back().await;
}

#[tokio::test]
async fn what_a_session_got_from_a_private_address_is_read_by_no_call() {
    // The service takes the name for a public one, the browser is led elsewhere.
    let names = format!("{SHOP}=127.0.0.1,{REBOUND}=93.184.216.34");
    let remote = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_RESOLVE", &names)]).await;
    let site = &remote.stack.site;
    let secret =
        site.page(Reply::html("<title>secret</title><p>the secret text").header("access-control-allow-origin", "*"));
    let rebound = site.under_name(&secret, REBOUND);
    let page = site.html(&format!(
        "<title>start</title><a href='{rebound}'>link</a> <a target=_blank rel=noopener href='{rebound}'>window</a>
        <button onclick=\"window.open('{rebound}')\">opened</button>
        <button onclick=\"fetch('{rebound}').then(a => a.text()).then(t => document.body.append(t))\">fetch</button>"
    ));
    let (agent, _) = Agent::at(remote.stack.caller(), &page).await;
    agent.call("navigate", json!({"url": rebound})).await.expect_code("BLOCKED_TARGET");
    for way in ["navigate", "link", "window", "opened", "fetch"] {
        let seen = site.seen(&secret).len();
        if way != "navigate" {
            agent.does("navigate", json!({"url": page, "tab": "t1"})).await;
            let click = json!({"tab": "t1", "target": {"by": "text", "value": way}, "snapshot": "full"});
            let clicked = agent.call("click", click).await;
            assert!(!clicked.json().to_string().contains("secret text"), "{way}: {clicked:?}");
            eventually(SOON, async || so(site.seen(&secret).len() > seen, format!("{way}: nothing was asked for")))
                .await;
        }
        let tabs = agent.does("tabs", json!({"action": "list"})).await;
        assert!(!serde_json::to_string(&tabs).unwrap().contains("secret"), "{way}: {tabs:#?}");
        for tab in tabs["tabs"].as_array().unwrap() {
            for (route, fields) in [("extract", json!({})), ("snapshot", json!({"interactive_only": false}))] {
                let mut fields = fields.clone();
                fields["tab"] = tab["tab"].clone();
                let read = agent.call(route, fields).await;
                assert!(!read.json().to_string().contains("secret text"), "{way} {route}: {read:?}");
            }
        }
    }
    agent.does("close", json!({})).await;
}

#[tokio::test]
async fn behind_a_proxy_an_address_is_not_the_sites_own_and_not_judged() {
    let remote = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_BROWSERBASE_PROXIES", "true")]).await;
    let site = &remote.stack.site;
    let rebound = site.under_name(&site.page(Reply::text("x")), REBOUND);
    let url = site.html(&format!("<p>x<img src='{rebound}'>"));
    remote.stack.screenshot(json!({"url": url})).await.expect_ok();
    assert_eq!(remote.emulator.ledger().await["sessions"][0]["asked_with"]["proxies"], true);
}

#[tokio::test]
async fn a_socket_that_opens_to_a_private_host_withholds_the_result() {
    let remote = Remote::start().await;
    let opened = Arc::new(AtomicUsize::new(0));
    let addr = echo(Arc::clone(&opened)).await;
    for host in ["127.0.0.1", REBOUND] {
        let before = opened.load(Ordering::Relaxed);
        let url = remote.stack.site.html(&format!(
            "<p>x<script>const s = new WebSocket('ws://{host}:{}/'); s.onopen = () => s.send('hello')</script>",
            addr.port()
        ));
        let wait = json!({"until": "networkidle"});
        remote.stack.extract(json!({"url": url, "wait": wait})).await.expect_code("BLOCKED_TARGET");
        assert!(opened.load(Ordering::Relaxed) > before, "{host}: no socket was opened, so this tests nothing");
    }
    // A socket whose connection is refused is counted, and the page goes on.
    let nobody = remote.stack.site.forbidden().replace("http:", "ws:");
    let url = remote.stack.site.html(&format!("<p>goes on<script>new WebSocket('{nobody}')</script>"));
    let answer = remote.stack.extract(json!({"url": url, "wait": {"until": "networkidle"}})).await;
    assert_eq!(answer.content().trim(), "goes on");
    assert!(answer.json()["blocked_requests"].as_u64() >= Some(1), "{answer:?}");
    // A socket to an allowed target does no harm to the result.
    let ours = Remote::with(EmulatorOptions::new(), &[("PORTHOLE_ALLOW_TARGETS", "127.0.0.0/8")]).await;
    let url =
        ours.stack.site.html(&format!("<p>goes on<script>new WebSocket('ws://127.0.0.1:{}/')</script>", addr.port()));
    ours.stack.extract(json!({"url": url, "wait": {"until": "networkidle"}})).await.expect_ok();
}

#[tokio::test]
async fn a_foreign_page_reaches_no_exception() {
    // For the service the foreign site has a public address; the browser resolves it to the fixture site's, which
    // Browserbase's proxy hides from the service.
    let resolve = format!("{SHOP}=127.0.0.1,{REBOUND}=93.184.216.34");
    let settings = [("PORTHOLE_RESOLVE", resolve.as_str()), ("PORTHOLE_BROWSERBASE_PROXIES", "true")];
    let any = [&settings[..], &[("PORTHOLE_ALLOW_TARGETS_FROM", "any")]].concat();
    for (settings, hears) in [(&settings[..], false), (&any[..], true)] {
        let remote = Remote::with(EmulatorOptions::new(), settings).await;
        let site = &remote.stack.site;
        let foreign = |html: &str| site.under_name(&site.html(html), REBOUND);
        let by_address = site.html("the excepted part");
        for target in [by_address.clone(), site.under_name(&by_address, SHOP)] {
            let seen = || site.seen(&by_address).len();
            for html in [
                format!("<img src='{target}'>"),
                format!("<img src='{target}' referrerpolicy=no-referrer>"),
                format!("<iframe src='{target}'></iframe>"),
                format!(
                    "<script>fetch('{target}', {{method: 'POST', mode: 'no-cors', body: 'x'}}).catch(() => 0)</script>"
                ),
            ] {
                let before = seen();
                let answer = remote.stack.extract(json!({"url": foreign(&format!("<p>the public part{html}"))})).await;
                assert!(answer.content().starts_with("the public part"), "{html}: {answer:?}");
                assert_eq!(seen() > before, hears, "{html} with {settings:?}");
            }
            if hears {
                continue;
            }
            let before = seen();
            let goes = foreign(&format!("<script>location = '{target}'</script>"));
            remote.stack.extract(json!({"url": goes})).await.expect_code("BLOCKED_TARGET");
            assert_eq!(seen(), before, "{target}");
            // The document that the caller named may redirect there.
            let leads = site.under_name(&site.page(Reply::redirect(302, &target)), REBOUND);
            let answer = remote.stack.extract(json!({"url": leads})).await;
            assert_eq!(answer.content().trim(), "the excepted part", "{answer:?}");
        }
        // Subresources of an excepted document may be on other exceptions, whether it has foreign parts or not.
        let picture = site.page(Reply::text("not a picture"));
        let elsewhere = site.under_name(&site.page(Reply::text("x")), REBOUND);
        let own = format!("<p>x<img src='{elsewhere}'><img src='{}'>", site.under_name(&picture, SHOP));
        remote.stack.extract(json!({"url": site.html(&own)})).await.expect_ok();
        assert!(!site.seen(&picture).is_empty());
    }
}

#[tokio::test]
async fn an_endpoints_every_request_is_judged_by_our_own_dns() {
    let (stack, _browser) = super::endpoint::stack(&[]).await;
    tries_every_way_out_by_name(&stack).await;
    // Requests whose name only resolves to a private address are refused before they leave, too.
    let site = &stack.site;
    let picture = site.page(Reply::text("not a picture"));
    let rebound = site.under_name(&picture, REBOUND);
    let redirected = site.page(Reply::redirect(302, &rebound));
    let script = site.page(Reply::of(
        "text/javascript",
        format!("oninstall = () => {{ skipWaiting(); fetch('{rebound}', {{mode: 'no-cors'}}).catch(() => 0) }}"),
    ));
    for html in [
        format!("<img src='{rebound}'>"),
        format!("<img src='{redirected}'>"),
        format!("<script>fetch('{rebound}', {{mode: 'no-cors'}}).catch(() => 0)</script>"),
        format!(
            "<script>new Worker(URL.createObjectURL(new Blob([`fetch('{rebound}', {{mode: 'no-cors'}})`])))</script>"
        ),
        format!(
            "<script>navigator.serviceWorker.register('{script}').then(() => navigator.serviceWorker.ready)</script>"
        ),
    ] {
        let url = site.html(&format!("<p>the public part</p>{html}"));
        // A service worker starts after the page has loaded.
        let wait = json!({"until": "load", "delay_ms": 1_500});
        let answer = stack.extract(json!({"url": url, "wait": wait})).await;
        assert!(answer.content().starts_with("the public part"), "{html}");
        assert!(answer.json()["blocked_requests"].as_u64() >= Some(1), "{html}: {answer:?}");
        assert_eq!(site.seen(&picture).len(), 0, "{html}");
    }
}

/// Nothing stops the requests of a shared worker that another client of the browser lets run (decision 0080).
#[tokio::test]
async fn a_guest_s_documents_have_no_shared_workers() {
    let (guest, _browser) = super::endpoint::stack(&[]).await;
    let tells = "parent.postMessage(typeof SharedWorker, '*')";
    let inner = guest.site.html(&format!("<script>{tells}</script>"));
    let elsewhere = guest.site.under_name(&inner, SHOP);
    let page = format!(
        "<p id=p></p><script>
        const told = [], tell = (name, what) => {{ told.push(name + ' ' + what); p.textContent = told.sort().join(', ') }};
        tell('page', typeof SharedWorker);
        tell('frame', typeof document.body.appendChild(document.createElement('iframe')).contentWindow.SharedWorker);
        const posts = {{}};
        for (const [name, key, value] of [['of its text', 'srcdoc', `<script>{tells}<\\/script>`], ['here', 'src', '{inner}'], ['elsewhere', 'src', '{elsewhere}']]) {{
            const frame = document.createElement('iframe');
            frame[key] = value;
            addEventListener('message', (event) => {{ if (event.source === frame.contentWindow) tell(name, event.data) }});
            document.body.append(frame);
        }}
        </script>"
    );
    let url = guest.site.html(&page);
    let answer = guest
        .extract(json!({"url": url, "instruction": "selector: p", "wait": {"until": "load", "delay_ms": 500}}))
        .await;
    let none = "elsewhere undefined, frame undefined, here undefined, of its text undefined, page undefined";
    assert_eq!(answer.content().trim(), none);
}

/// The guard of a page ends with the page: scripts that still run then must not send requests.
#[tokio::test]
async fn nothing_leaves_as_a_page_ends() {
    let remote = Remote::start().await;
    let (guest, _browser) = super::endpoint::stack(&[]).await;
    for (stack, rounds) in [(&remote.stack, 3), (&guest, 8)] {
        let forbidden = stack.site.forbidden();
        let fetch = format!("fetch('{forbidden}', {{mode: 'no-cors', keepalive: true}}).catch(() => 0)");
        let hammer = format!("setInterval(() => {{ {fetch} }}, 1)");
        for what in
            ["Worker", "SharedWorker", "SharedWorker of a frame", "SharedWorker of a window", "serviceWorker", "unload"]
        {
            let life = stack.site.page(Reply::text("it runs"));
            let lives = format!("fetch('{life}', {{mode: 'no-cors'}}); {hammer}");
            let html = match what {
                "serviceWorker" => {
                    let script = stack.site.page(Reply::of("text/javascript", lives));
                    format!("navigator.serviceWorker.register('{script}')")
                }
                "unload" => format!(
                    "fetch('{life}'); onpagehide = onbeforeunload = () => {{ navigator.sendBeacon('{forbidden}'); {fetch} }}"
                ),
                worker => {
                    let (class, of) = worker.split_once(" of ").unwrap_or((worker, "page"));
                    let view = match of {
                        "frame" => "document.body.appendChild(document.createElement('iframe')).contentWindow",
                        "window" => "open('')",
                        _ => "self",
                    };
                    format!("const view = {view}; new view.{class}(URL.createObjectURL(new Blob([`{lives}`])))")
                }
            };
            let url = stack.site.html(&format!("<p>the public part</p><script>{html}</script>"));
            // Shared workers of a guest's page do not run.
            let runs = !(what.starts_with("SharedWorker") && std::ptr::eq(stack, &guest));
            let has_run = || !stack.site.seen(&life).is_empty();
            for round in 0..50 {
                if round >= rounds && has_run() == runs {
                    break;
                }
                let wait = json!({"until": "load", "delay_ms": 40 * round});
                let answer = stack.extract(json!({"url": url, "wait": wait})).await;
                assert_eq!(answer.content().trim(), "the public part");
            }
            stack.expect_idle(Duration::from_secs(20)).await;
            assert_eq!(stack.site.forbidden_visits(), 0, "{what} {rounds}");
            let ran = stack.site.seen(&life).len();
            assert!(if runs { ran > 0 } else { ran == 0 }, "{what} {rounds}: {ran}");
        }
    }
}

/// Starts a WebSocket server that echoes each message and counts the sockets.
async fn echo(opened: Arc<AtomicUsize>) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let opened = Arc::clone(&opened);
            tokio::spawn(async move {
                let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
                opened.fetch_add(1, Ordering::Relaxed);
                while let Some(Ok(Message::Text(text))) = socket.next().await {
                    if socket.send(Message::Text(text)).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    addr
}
