//! With every defence in its place nobody hears anything, and every page is shown or refused as it should be.

use std::ops::RangeInclusive;

use super::scene::{Ground, Scene};
use super::service::Service;
use super::visit::{PUBLIC_PART, Variant, Visit, Visited, visit_all};
use super::ways::{Asks, WAYS, Way};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_out_of_a_page_reaches_what_it_may_not() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let visits = every_visit(&Variant::ALL);
    let visited = visit_all(&scene, service.caller(), visits).await;
    service.end().await;
    // Whatever was on its way when the browser ended has arrived.
    assert_eq!(scene.canaries.heard(), []);
    expect(&scene, &visited);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_is_told_an_address_of_this_host() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let url = scene.site.html(
        "<body>candidates:<script>const p = new RTCPeerConnection({iceServers: []}); p.createDataChannel('x');
        p.onicecandidate = event => document.body.append(' ' + (event.candidate ? event.candidate.candidate : 'end'));
        p.createOffer().then(offer => p.setLocalDescription(offer))</script>",
    );
    let fields = serde_json::json!({"url": url, "wait": {"until": "load", "delay_ms": 2_000}});
    let answer = service.caller().extract(fields).await;
    let candidates = answer.content();
    let told = candidates.strip_prefix("candidates:").unwrap().replace("end", "");
    // By TCP it may offer to call, from no address in particular.
    let lines: Vec<&str> = told.split(" candidate:").filter(|line| !line.trim().is_empty()).collect();
    let harmless = |line: &&str| line.contains(" tcp ") && (line.contains(" 0.0.0.0 9 ") || line.contains(" :: 9 "));
    assert!(lines.iter().all(|line| harmless(&line.trim_start_matches("candidate:"))), "{candidates}");
    service.end().await;
}

/// Every way in every one of these variants; those that nobody takes in the few that differ for the browser.
pub(crate) fn every_visit(variants: &[Variant]) -> Vec<Visit> {
    const DIFFERENT: [Variant; 3] = [Variant::Absolute, Variant::Redirect, Variant::Rebinding];
    let of = |way: &'static Way| {
        let chosen = if matches!(way.asks, Asks::Nobody(_)) { &DIFFERENT } else { variants };
        Visit::in_each(way, chosen)
    };
    WAYS.iter().flat_map(of).collect()
}

/// Asserts of each page that it is what it should be.
pub(crate) fn expect(scene: &Scene, visited: &[Visited]) {
    let wrong: Vec<String> = visited
        .iter()
        .filter_map(|visited| {
            let wrong = |why: String| Some(format!("{why}: {visited}"));
            if visited.visit.way.asks == Asks::WholePage {
                let refused = visited.answer.code().as_deref() == Some("BLOCKED_TARGET");
                return if refused { None } else { wrong("the page is not refused".to_owned()) };
            }
            if visited.answer.code().is_some() || !visited.answer.content().starts_with(PUBLIC_PART) {
                return wrong("the page is not shown".to_owned());
            }
            let expected = refusals(scene, visited.visit);
            let blocked = visited.blocked().unwrap_or_default();
            if expected.contains(&blocked) { None } else { wrong(format!("{blocked} refused, not {expected:?}")) }
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), visited.len(), wrong.join("\n\n"));
}

/// How many of a page's requests are refused.
fn refusals(scene: &Scene, Visit { way, variant, .. }: Visit) -> RangeInclusive<u64> {
    const MANY: u64 = 4;
    let reaches = match way.asks {
        Asks::Page | Asks::Frame => true,
        Asks::OwnSite => variant == Variant::Rebinding,
        Asks::Perhaps => return 0..=MANY,
        Asks::Nobody(_) | Asks::WholePage => false,
    };
    let trusted = !way.trusted_only || (scene.ground.public.is_loopback() && variant != Variant::Rebinding);
    let asked = reaches && trusted && (way.redirected || variant != Variant::Redirect);
    u64::from(asked)..=u64::from(asked)
}
