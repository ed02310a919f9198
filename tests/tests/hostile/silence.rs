//! With every defence in place nothing reaches the canaries, and every page is shown or refused as expected.

use std::ops::RangeInclusive;

use porthole_service::provider::local::Defence;
use serde_json::json;

use super::names::ZONE;
use super::scene::{Ground, Scene};
use super::service::Service;
use super::visit::{PUBLIC_PART, Variant, Visit, Visited, picture_all, visit_all};
use super::ways::{Asks, WAYS, Way};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_out_of_a_page_reaches_a_forbidden_target() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let visits = every_visit(&Variant::ALL);
    let visited = visit_all(&scene, service.caller(), visits).await;
    service.end().await;
    // After the end of the browser no more requests can arrive.
    assert_eq!(scene.canaries.heard(), []);
    expect(&scene, &visited);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_out_of_a_page_drawn_with_begin_frame_reaches_a_forbidden_target() {
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
async fn a_name_rebound_between_its_judgement_and_the_dial_is_refused() {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::start(&scene).await;
    let turning = |label: &str| format!("http://{}/", scene.authority(&format!("turns1-{label}.{ZONE}")));
    // When the URL is judged, the name resolves to the public site; at the dial it resolves to the canary.
    let answer = service.caller().extract(json!({"url": turning("page")})).await;
    let fields = answer.expect_code("BLOCKED_TARGET");
    assert!(!fields["details"].to_string().contains("127.0.0.1"), "the details contain a resolved address: {answer:?}");
    // For a page's requests the egress dials the very address that it judged: there is only one look-up.
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
async fn no_page_learns_an_address_of_this_host() {
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

/// Returns visits of every way in each of these variants. Ways that browsers never take are visited in three variants,
/// and `Both`, which differs for the guard only, applies to four ways.
pub(crate) fn every_visit(variants: &[Variant]) -> Vec<Visit> {
    const DIFFERENT: [Variant; 3] = [Variant::Absolute, Variant::Redirect, Variant::Rebinding];
    const ONE_OF_EACH: [&str; 4] = ["image", "socket", "frame", "location"];
    let of = |way: &'static Way| {
        let taken = !matches!(way.asks, Asks::Never(_));
        let visits = Visit::in_each(way, variants).into_iter();
        visits.filter(move |Visit { variant, .. }| match variant {
            Variant::Both => ONE_OF_EACH.contains(&way.name),
            variant => taken || DIFFERENT.contains(variant),
        })
    };
    WAYS.iter().flat_map(of).collect()
}

/// Asserts that each page was shown or refused as expected, with the expected number of refused requests.
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

/// Returns the expected number of a page's refused requests.
fn refusals(scene: &Scene, Visit { way, variant, .. }: Visit) -> RangeInclusive<u64> {
    const MANY: u64 = 4;
    let reaches = match way.asks {
        Asks::Page | Asks::Frame => true,
        Asks::OwnSite => variant == Variant::Rebinding,
        Asks::Perhaps => return 0..=MANY,
        Asks::Never(_) | Asks::WholePage => false,
    };
    let trusted = !way.trusted_only || (scene.ground.public.is_loopback() && variant != Variant::Rebinding);
    let asked = reaches && trusted && (way.redirected || variant != Variant::Redirect);
    let least = u64::from(asked && way.certain);
    // A browser with a window requests the site's icon as well, whose name resolves to the canary by then.
    let icon = u64::from(variant == Variant::Rebinding);
    least..=u64::from(asked) + icon
}
