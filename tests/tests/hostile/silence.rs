//! With every defence in its place nobody hears anything, and every page is shown or refused as it should be.

use std::ops::RangeInclusive;

use porthole_service::provider::local::Defence;
use serde_json::json;

use super::names::ZONE;
use super::scene::{Ground, Scene};
use super::service::Service;
use super::visit::{PUBLIC_PART, Variant, Visit, Visited, picture_all, visit_all};
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
async fn no_way_out_of_a_page_that_is_drawn_by_hand_reaches_what_it_may_not() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let visits = every_visit(&[Variant::Absolute, Variant::Redirect, Variant::Rebinding]);
    let visited = picture_all(&scene, service.caller(), visits).await;
    service.end().await;
    assert_eq!(scene.canaries.heard(), []);
    for visited in &visited {
        let as_expected =
            if visited.visit.leaves() { visited.is_kept_from_leaving() } else { visited.answer.code().is_none() };
        assert!(as_expected, "{visited}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_turns_between_its_judgement_and_the_dial_is_refused() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let turning = |label: &str| format!("http://{}/", scene.authority(&format!("turns1-{label}.{ZONE}")));
    // Who judges the URL hears of the public site; a moment later, at the dial, the name leads elsewhere.
    let answer = service.caller().extract(json!({"url": turning("page")})).await;
    let fields = answer.expect_code("BLOCKED_TARGET");
    assert!(!fields["details"].to_string().contains("127.0.0.1"), "an address that DNS gave is told: {answer:?}");
    // Of what a page asks for the answer that is judged is the one that is dialled: there is no moment between.
    let url = scene.site.html(&format!("<p>{PUBLIC_PART}</p><iframe src='{}'></iframe>", turning("frame")));
    let answer = service.caller().extract(json!({"url": url})).await;
    assert!(answer.content().starts_with(PUBLIC_PART));
    assert_eq!(answer.expect_ok()["blocked_requests"], 0);
    service.end().await;
    assert_eq!(scene.canaries.heard(), []);
    let asked = scene.names.all_asked();
    assert_eq!(asked.values().copied().collect::<Vec<_>>(), [1, 2], "the frame once, the page twice: {asked:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_is_told_an_address_of_this_host() {
    for (without, told) in [(&[][..], false), (&[Defence::WebRtcPolicy][..], true)] {
        let scene = Scene::set(Ground::loopback()).await;
        let service = Service::lacking(&scene, without, &[]).await;
        let url = scene.site.html(
            "<body>candidates:<script>const p = new RTCPeerConnection({iceServers: []}); p.createDataChannel('x');
            p.onicecandidate = event => event.candidate && document.body.append(' ' + event.candidate.address);
            p.createOffer().then(offer => p.setLocalDescription(offer))</script>",
        );
        let fields = json!({"url": url, "wait": {"until": "load", "delay_ms": 2_000}});
        let content = service.caller().extract(fields).await.content();
        assert_eq!(content.trim() != "candidates:", told, "{content} without {without:?}");
        service.end().await;
    }
}

/// Every way in every one of these variants; the ways that nobody takes, and the variants that differ for the guard alone,
/// in a few.
pub(crate) fn every_visit(variants: &[Variant]) -> Vec<Visit> {
    const DIFFERENT: [Variant; 3] = [Variant::Absolute, Variant::Redirect, Variant::Rebinding];
    const ONE_OF_EACH: [&str; 4] = ["image", "socket", "frame", "location"];
    let of = |way: &'static Way| {
        let taken = !matches!(way.asks, Asks::Nobody(_));
        let visits = Visit::in_each(way, variants).into_iter();
        visits.filter(move |Visit { variant, .. }| match variant {
            Variant::Both => ONE_OF_EACH.contains(&way.name),
            variant => taken || DIFFERENT.contains(variant),
        })
    };
    WAYS.iter().flat_map(of).collect()
}

/// Asserts of each page that it is what it should be.
pub(crate) fn expect(scene: &Scene, visited: &[Visited]) {
    let wrong: Vec<String> = visited
        .iter()
        .filter_map(|visited| {
            let wrong = |why: String| Some(format!("{why}: {visited}"));
            if visited.visit.leaves() {
                let kept = visited.is_kept_from_leaving();
                return if kept { None } else { wrong("the page is not refused".to_owned()) };
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
    let least = u64::from(asked && way.certain);
    // A browser with a window asks for its site's icon as well, and that name leads elsewhere by then.
    let icon = u64::from(variant == Variant::Rebinding);
    least..=u64::from(asked) + icon
}
