//! Attacks of a foreign page on the service's own host: the real service runs in a network namespace of its own, a
//! foreign site and a DNS server in another. Needs root and `ip`, and reports loudly when it is skipped without them.

use std::io::{BufRead as _, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::process::{Child, Stdio};
use std::time::Duration;

use futures_util::future::join_all;
use porthole_tests::eventually::so;
use porthole_tests::stack::{Home, Server};
use porthole_tests::{Caller, Reply, Site, eventually, owner};
use serde_json::json;

use super::canary::Canaries;
use super::lent;
use super::names::{Leads, Names, SILENT, ZONE};
use super::namespace::{INSIDE, Namespace, run};
use super::service::another_browser;
use super::tls::TlsSite;

/// The address of the service's host.
const HOST: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 2);
/// The address of the foreign host.
const FOREIGN: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);
/// An address that the service's host gets while the service runs.
const LATER: Ipv4Addr = Ipv4Addr::new(93, 184, 217, 5);
/// An address that is local to the service's host by a route only.
const ROUTED: Ipv4Addr = Ipv4Addr::new(93, 184, 218, 9);
/// A port that the operator has allowed.
const EXCEPTED_PORT: u16 = 28_000;
/// A port of the service's host that, without the guard, only a firewall would protect.
const OTHER_PORT: u16 = 28_001;
const TOLD: &str = "told:";
/// The networks of the host are looked at beside the start.
const WARNED_WITHIN: Duration = Duration::from_secs(10);
/// Number of names on the foreign page that the DNS server never answers.
const DEAD_NAMES: usize = 400;
/// Number of scripts from one dead name. A look-up of it takes 4 s: if each script waited for one of its own, the page
/// would never load within the 15 s of a navigation.
const DEAD_SCRIPTS: usize = 10;
const DEAD_SCRIPTS_ATTEMPTS: usize = 3;

#[tokio::test]
async fn a_page_from_elsewhere_reaches_neither_exceptions_nor_this_host() {
    run_beside_a_foreign_site("foreign::attacks").await;
}

#[tokio::test]
async fn pages_full_of_dead_names_delay_no_other_request() {
    run_beside_a_foreign_site("foreign::dead_names").await;
}

/// Runs an ignored test of this binary in the service's namespace, with the foreign site's URLs in its environment.
pub(super) async fn run_beside_a_foreign_site(test: &str) {
    let Some((host, elsewhere)) = Namespace::pair(HOST, FOREIGN) else { return };
    let inner = |namespace: &Namespace, test: &str| {
        let mut inner = namespace.command(std::env::current_exe().unwrap().to_str().unwrap());
        inner.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
        inner
    };
    let site = inner(&elsewhere, "foreign::the_site").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut site = ForeignSite(site);
    let mut attack = inner(&host, test);
    // Kept open until the end: the site's process prints a last line.
    let mut told = BufReader::new(site.0.stdout.take().unwrap());
    loop {
        let mut line = String::new();
        assert_ne!(told.read_line(&mut line).unwrap(), 0, "the foreign site did not start");
        match line.split_once(TOLD).map(|(_, rest)| rest.trim().split_once(' ')) {
            Some(Some((name, url))) => {
                attack.env(name, url.trim());
            }
            Some(None) => break,
            None => {}
        }
    }
    let output = tokio::task::spawn_blocking(move || attack.output()).await.unwrap().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", said(&output.stdout), said(&output.stderr));
    assert!(said(&output.stdout).contains("1 passed"), "the inner test did not run: {}", said(&output.stdout));
    drop(site);
}

/// The process of the foreign site. It ends when its standard input is closed.
struct ForeignSite(Child);

impl Drop for ForeignSite {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// A page that requests the URL after its own `?` in every way, each marked by a query of its own.
const ASKS: &str = "<p>the public part</p><script>
const target = decodeURIComponent(location.search.slice(1));
const quiet = promise => promise && promise.catch(() => 0);
quiet(fetch(target + '?post', {method: 'POST', mode: 'no-cors', body: 'x'}));
quiet(fetch(target + '?get', {mode: 'no-cors', referrerPolicy: 'no-referrer'}));
quiet(fetch(target + '?cors'));
new Image().src = target + '?picture';
const picture = new Image(); picture.referrerPolicy = 'no-referrer'; picture.src = target + '?quiet-picture';
navigator.sendBeacon(target + '?beacon', 'x');
for (const kind of ['iframe', 'embed']) {
  const frame = document.createElement(kind); frame.src = target + '?' + kind; document.body.append(frame);
}
const style = document.createElement('link'); style.rel = 'stylesheet'; style.href = target + '?style'; document.head.append(style);
const script = document.createElement('script'); script.src = target + '?script'; document.head.append(script);
new WebSocket(target.replace('http:', 'ws:') + '?socket');
new Worker(URL.createObjectURL(new Blob([`fetch('${target}?worker', {mode: 'no-cors'}).catch(() => 0)`])));
const form = document.createElement('form'); form.method = 'post'; form.action = target + '?form';
const inner = document.createElement('iframe'); inner.name = 'inner'; document.body.append(inner, form); form.target = 'inner'; form.submit();
</script>";

/// Serves the foreign site in the foreign namespace until standard input is closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn the_site() {
    assert!(std::env::var_os(INSIDE).is_some(), "runs only in a network namespace");
    let leads = Leads { public: FOREIGN, forbidden: HOST, forbidden6: Ipv6Addr::LOCALHOST };
    let _names = Names::at((FOREIGN, 53).into(), leads).await;
    let site = Site::at(FOREIGN.into());
    let excepted = format!("http://127.0.0.1:{EXCEPTED_PORT}/");
    let dead: String = (0..DEAD_NAMES).map(|n| format!("<img src='http://{SILENT}-{n}.{ZONE}/'>")).collect();
    let asks = site.html(ASKS);
    let goes = "<script>location = decodeURIComponent(location.search.slice(1))</script>";
    let quietly = format!("<meta name=referrer content=no-referrer>{goes}");
    let dead_script = format!("<script src='http://{SILENT}.{ZONE}/a.js'></script>").repeat(DEAD_SCRIPTS);
    for (name, url) in [
        ("ASKS", asks),
        ("GOES", site.html(goes)),
        ("GOES_QUIETLY", site.html(&quietly)),
        ("REDIRECTS", site.page(Reply::redirect(302, &excepted))),
        ("DEAD", site.html(&format!("<p>the public part</p>{dead}"))),
        ("DEAD_SCRIPTS", site.html(&format!("{dead_script}<p>the public part</p>"))),
        (
            "GOOD",
            site.under_name(&site.html("good"), "127.0.0.1").replace(&FOREIGN.to_string(), &format!("public.{ZONE}")),
        ),
    ] {
        println!("{TOLD} {name} {url}");
    }
    let secure = TlsSite::lasting(FOREIGN.into(), &format!("public.{ZONE}"), lent::foreign_page).await;
    println!("{TOLD} {} {}", lent::FINGERPRINT, secure.fingerprint);
    for (name, host) in [(lent::SAME_SITE, format!("public.{ZONE}")), (lent::CROSS_SITE, FOREIGN.to_string())] {
        println!("{TOLD} {name} https://{host}:{}/", secure.addr.port());
    }
    println!("{TOLD} ");
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await.unwrap();
}

pub(super) fn told(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not in the environment"))
}

/// Starts the real service with these settings.
async fn service(home: &Home, settings: &[(&str, &str)]) -> (Server, Caller) {
    let mut environment = home.environment();
    let always = [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_OWNER_KEYS", owner::FIRST.setting()),
        ("PORTHOLE_MAX_CONCURRENT", "6".to_owned()),
        ("PORTHOLE_LOG", "info,porthole_service::guard=debug".to_owned()),
    ];
    let given = settings.iter().map(|(name, value)| (*name, (*value).to_owned()));
    for (name, value) in always.into_iter().chain(another_browser()).chain(given) {
        environment.insert(name.to_owned(), value);
    }
    let service = Server::start("porthole-service", &environment).await;
    let caller = Caller::of(service.url(""));
    (service, caller)
}

/// Runs in the service's namespace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn attacks() {
    assert!(std::env::var_os(INSIDE).is_some(), "runs only in a network namespace");
    let excepted = format!("http://127.0.0.1:{EXCEPTED_PORT}/");
    let excepted_canary = Canaries::at(&[Ipv4Addr::LOCALHOST.into()], EXCEPTED_PORT).await.unwrap();
    let host_canary = Canaries::at(&[IpAddr::from(Ipv4Addr::UNSPECIFIED)], OTHER_PORT).await.unwrap();
    let home = Home::new();
    let (service, caller) = service(&home, &[("PORTHOLE_ALLOW_TARGETS", &format!("127.0.0.1:{EXCEPTED_PORT}"))]).await;
    eventually(WARNED_WITHIN, async || {
        let lines = service.process.stderr();
        so(lines.iter().any(|line| line.contains("93.184.215.0/24")), format!("{lines:#?}"))
    })
    .await;
    let asking =
        |url: &str| json!({"url": format!("{}?{url}", told("ASKS")), "wait": {"until": "load", "delay_ms": 1000}});

    // A foreign page requests the target that the operator allowed for callers.
    let answer = caller.extract(asking(&excepted)).await;
    assert!(answer.content().starts_with("the public part"), "{answer:?}");
    assert!(answer.expect_ok()["blocked_requests"].as_u64() > Some(9), "{answer:?}");
    assert_eq!(excepted_canary.heard(), []);
    for page in ["GOES", "GOES_QUIETLY"] {
        let url = format!("{}?{excepted}", told(page));
        caller.extract(json!({"url": url})).await.expect_code("BLOCKED_TARGET");
    }
    assert_eq!(excepted_canary.heard(), []);
    // Callers reach it, also by a redirect of the foreign site.
    for url in [excepted.clone(), told("REDIRECTS")] {
        assert_eq!(caller.extract(json!({"url": url})).await.content(), "heard");
    }

    // The host's own public addresses, requested by callers and by pages.
    run("ip", &["route", "add", "local", "93.184.218.0/24", "dev", "lo"]).unwrap();
    run("ip", &["addr", "add", &format!("{LATER}/32"), "dev", "lo"]).unwrap();
    for address in [HOST, LATER, ROUTED] {
        let url = format!("http://{address}:{OTHER_PORT}/");
        caller.extract(json!({"url": url})).await.expect_code("BLOCKED_TARGET");
        let answer = caller.extract(asking(&url)).await;
        assert!(answer.expect_ok()["blocked_requests"].as_u64() > Some(9), "{answer:?}");
    }
    // The same by a name that resolves to the host.
    let url = format!("http://inside.{ZONE}:{OTHER_PORT}/");
    caller.extract(json!({"url": url})).await.expect_code("BLOCKED_TARGET");
    assert_eq!(host_canary.heard(), []);
    drop(service);

    // Positive control: allowed targets are reachable, and for every page with `PORTHOLE_ALLOW_TARGETS_FROM=any`.
    let home = Home::new();
    let allow = format!("127.0.0.1:{EXCEPTED_PORT},{HOST}:{OTHER_PORT}");
    let settings = [("PORTHOLE_ALLOW_TARGETS", allow.as_str()), ("PORTHOLE_ALLOW_TARGETS_FROM", "any")];
    let (_service, caller) = self::service(&home, &settings).await;
    let before = excepted_canary.heard().len();
    caller.extract(asking(&excepted)).await.expect_ok();
    assert!(excepted_canary.heard().len() > before + 4, "{:?}", excepted_canary.heard());
    assert!(excepted_canary.heard_about("POST /?post") && excepted_canary.heard_about("GET /?quiet-picture"));
    assert_eq!(caller.extract(json!({"url": format!("http://{HOST}:{OTHER_PORT}/")})).await.content(), "heard");
}

/// Runs in the service's namespace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn dead_names() {
    assert!(std::env::var_os(INSIDE).is_some(), "runs only in a network namespace");
    let home = Home::new();
    let (_service, caller) = service(&home, &[]).await;
    let good = json!({"url": told("GOOD")});
    assert_eq!(caller.extract(good.clone()).await.content(), "good");
    let dead = json!({"url": told("DEAD"), "wait": {"until": "load", "timeout_ms": 30_000}, "timeout_ms": 60_000});
    let pages: Vec<_> = (0..3)
        .map(|_| {
            let (caller, dead) = (caller.clone(), dead.clone());
            tokio::spawn(async move { caller.extract(dead).await })
        })
        .collect();
    // While these wait for their names, the names of another sandbox are resolved.
    let other = caller.clone().owning("sb-other", &owner::FIRST);
    for _ in 0..3 {
        assert_eq!(other.extract(good.clone()).await.content(), "good");
    }
    assert!(pages.iter().all(|page| !page.is_finished()), "the pages with dead names ended before the other requests");
    for page in join_all(pages).await {
        assert_eq!(page.unwrap().content().trim(), "the public part");
    }
    // Many scripts with one dead name in the head: the page still loads. Asked again, as a client would: beside other
    // tests the page may need more than the 4 s of one look-up.
    let mut answer = caller.extract(json!({"url": told("DEAD_SCRIPTS")})).await;
    for _ in 1..DEAD_SCRIPTS_ATTEMPTS {
        if answer.status.is_success() {
            break;
        }
        answer.expect_code("NAVIGATION_TIMEOUT");
        answer = caller.extract(json!({"url": told("DEAD_SCRIPTS")})).await;
    }
    assert_eq!(answer.content().trim(), "the public part");
}
