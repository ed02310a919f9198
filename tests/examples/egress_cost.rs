//! Measures what the egress costs a page load. Two services take the same pages in turns, so that other load on the
//! machine affects both; one of them lets its browser connect to the site directly.
//!
//! `cargo run -p porthole-tests --example egress_cost [turns]`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that is run manually")]

use std::net::Ipv4Addr;
use std::time::Duration;

use porthole_daemon::settings::{Environment, Reader};
use porthole_service::guard::AllowTargets;
use porthole_service::provider::local::Defence::{self, ContextProxy, DeadEnd, LoopbackRule, ResolverRules};
use porthole_service::provider::local::Weakness;
use porthole_service::server::Server;
use porthole_service::settings::Settings;
use porthole_tests::stack::Home;
use porthole_tests::{Caller, Reply, Site, owner};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const PUBLIC: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// The defences to remove so that the browser connects to the site directly.
const STRAIGHT: [Defence; 4] = [ContextProxy, DeadEnd, LoopbackRule, ResolverRules];
const TURNS: usize = 60;
const WARM_UP_TURNS: usize = 5;
const PARTS: usize = 40;
const PART_BYTES: usize = 25_000;

struct Running {
    caller: Caller,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
    _home: Home,
}

async fn start(without: &[Defence]) -> Running {
    let home = Home::new();
    let environment: Environment = [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_OWNER_KEYS", owner::FIRST.setting()),
        ("PORTHOLE_PROVIDER", "local".to_owned()),
    ]
    .into_iter()
    .collect();
    let mut settings = Settings::read(&Reader::new(environment)).unwrap();
    settings.policy.allow = AllowTargets::parse(&format!("{PUBLIC}/32")).unwrap();
    let local = settings.pages.local_mut().expect("the local provider");
    local.profiles = home.temp();
    let weakness = Weakness { without: without.to_vec(), ..Weakness::default() };
    let server = Server::bind_weakened(settings, weakness).await.unwrap();
    let caller = Caller::of(format!("http://{}", server.addr()));
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(server.run(shutdown.clone()));
    Running { caller, shutdown, task, _home: home }
}

/// Puts a page with many images on the site, each answered after `delay`.
fn page(site: &Site, delay: Duration) -> String {
    let part = site.page(Reply::of("image/svg+xml", svg()).late(delay));
    let parts: String = (0..PARTS).map(|number| format!("<img width=40 height=40 src='{part}?{number}'>")).collect();
    site.page(Reply::html(&format!("<title>parts</title><h1>Parts</h1>{parts}")).late(delay))
}

fn svg() -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><!--{}--></svg>", "x".repeat(PART_BYTES))
}

/// Returns the milliseconds of one screenshot, from the request to its answer.
async fn took(running: &Running, url: &str) -> f64 {
    let answer = running.caller.screenshot(json!({"url": url})).await;
    assert_eq!(answer.code(), None, "{answer:?}");
    answer.took.as_secs_f64() * 1000.0
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[tokio::main]
async fn main() {
    let turns = std::env::args().nth(1).map_or(TURNS, |turns| turns.parse().unwrap());
    let site = Site::at(PUBLIC.into());
    let (through, straight) = (start(&[]).await, start(&STRAIGHT).await);
    for (what, url) in [
        ("one small document", site.html("<title>small</title><h1>Small</h1>")),
        ("40 pictures of 25 kB", page(&site, Duration::ZERO)),
        ("the same, each 20 ms away", page(&site, Duration::from_millis(20))),
    ] {
        let (mut with, mut without, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for turn in 0..turns + WARM_UP_TURNS {
            // The services alternate in going first.
            let (one, other) = if turn % 2 == 0 {
                let one = took(&through, &url).await;
                (one, took(&straight, &url).await)
            } else {
                let other = took(&straight, &url).await;
                (took(&through, &url).await, other)
            };
            if turn >= WARM_UP_TURNS {
                with.push(one);
                without.push(other);
                ratios.push(one / other);
            }
        }
        let (with, without, ratio) = (median(&mut with), median(&mut without), median(&mut ratios));
        println!(
            "{what}: {with:.1} ms through the egress, {without:.1} ms straight; {:+.1} % (median of {turns} pairs: {:+.1} %)",
            (with / without - 1.0) * 100.0,
            (ratio - 1.0) * 100.0
        );
    }
    for running in [through, straight] {
        running.shutdown.cancel();
        running.task.await.unwrap();
    }
}
