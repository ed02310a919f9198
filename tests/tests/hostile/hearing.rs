//! Positive controls: with one defence removed at a time, requests reach a canary, which proves that the canaries work.
//! Where two defences back each other up, each alone still holds, and both are removed.

use porthole_service::provider::local::Defence::{
    self, ContextProxy, DeadEnd, EgressJudgement, LoopbackRule, NoPings, NoQuic, ResolverRules, WebRtcPolicy,
};
use porthole_tests::eventually;
use porthole_tests::eventually::so;
use std::time::Duration;

use super::canary::Heard;
use super::scene::{Ground, Scene};
use super::service::Service;
use super::visit::{Variant, Visit, Visited, visit_all, visit_one};
use super::ways::{Asks, WAYS, Way, way};

const NONE: [&str; 0] = [];

/// Maximum number of visits of a page that sent its request too late.
const TRIES: usize = 4;
const HEARD_WITHIN: Duration = Duration::from_secs(20);

/// Sets a scene and makes the visits with a service that lacks these defences.
async fn visited_without(without: &[Defence], visits: Vec<Visit>) -> (Scene, Vec<Visited>) {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::lacking(&scene, without, &[]).await;
    let visited = visit_all(&scene, service.caller(), visits).await;
    service.end().await;
    (scene, visited)
}

/// Splits the visits into those whose requests reached a canary and those whose did not.
fn heard(scene: &Scene, visited: &[Visited]) -> (Vec<String>, Vec<String>) {
    let name = |visited: &Visited| format!("{} {:?}", visited.visit.way.name, visited.visit.variant);
    let (heard, unheard): (Vec<_>, Vec<_>) =
        visited.iter().partition(|visited| scene.canaries.heard_about(&visited.mark));
    (heard.into_iter().map(name).collect(), unheard.into_iter().map(name).collect())
}

/// Returns visits for the ways whose requests arrive in plain text, each by a variant that works for it.
fn marked(asked_by: impl Fn(Asks) -> bool) -> Vec<Visit> {
    let variant = |way: &Way| if way.asks == Asks::OwnSite { Variant::Rebinding } else { Variant::Absolute };
    let ways = WAYS.iter().filter(|way| way.marked && asked_by(way.asks));
    ways.map(|way| Visit { variant: variant(way), ..Visit::of(way) }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_egresss_judgement_every_page_and_every_subresource_arrives() {
    let parts = marked(|asks| matches!(asks, Asks::Page | Asks::OwnSite | Asks::Frame | Asks::WholePage));
    // Without `Both`: of a public and a forbidden address the public one is dialled first.
    let every_variant = Visit::in_each(way("image"), &Variant::ALL).into_iter();
    let every_variant = every_variant.filter(|visit| visit.variant != Variant::Both).collect();
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::lacking(&scene, &[EgressJudgement, NoPings], &[]).await;
    let mut unheard = [parts, every_variant].concat();
    // On a busy machine a page may end before its worker sends the request.
    for _ in 0..TRIES {
        let visited = visit_all(&scene, service.caller(), unheard).await;
        let silent = |visited: &Visited| !scene.canaries.heard_about(&visited.mark);
        unheard = visited.into_iter().filter(silent).map(|visited| visited.visit).collect();
    }
    service.end().await;
    let names: Vec<&str> = unheard.iter().map(|visit| visit.way.name).collect();
    assert_eq!(names, NONE, "requests of these ways reached no canary");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_rule_for_loopback_an_address_bypasses_the_proxy() {
    // The page's own address would bypass the proxy, too, so the page is visited by a name.
    let (scene, visited) = visited_without(&[LoopbackRule], vec![Visit::of(way("image")).by_name()]).await;
    assert_eq!(heard(&scene, &visited).0, ["image Absolute"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_walls_keep_requests_at_the_egress_and_any_one_is_enough() {
    let parts = || ["image", "socket", "worker-fetch", "speculation-rules"].map(|name| Visit::of(way(name))).to_vec();
    for without in [[ContextProxy, DeadEnd], [ContextProxy, ResolverRules], [DeadEnd, ResolverRules]] {
        let (scene, visited) = visited_without(&without, parts()).await;
        assert_eq!(scene.canaries.heard(), [], "without {without:?}");
        let shown = visited.iter().filter(|visited| visited.answer.code().is_none()).count();
        // Without the context's proxy a page can't even be loaded.
        assert_eq!(shown, if without.contains(&ContextProxy) { 0 } else { visited.len() });
    }
    let (scene, visited) = visited_without(&[ContextProxy, DeadEnd, ResolverRules], parts()).await;
    assert_eq!(heard(&scene, &visited).1, NONE, "requests of these ways reached no canary");
}

/// Visits a page that takes this way, and returns what reached the canaries.
async fn heard_of(way: &'static Way, without: &[Defence], quic: bool) -> Vec<Heard> {
    let scene = Scene::set(Ground::loopback()).await;
    let forbidden = scene.authority(&scene.ground.forbidden.to_string());
    let flags: Vec<String> = quic.then(|| format!("--origin-to-force-quic-on={forbidden}")).into_iter().collect();
    let service = Service::lacking(&scene, without, &flags).await;
    visit_one(&scene, service.caller(), Visit::of(way)).await.answer.expect_ok();
    service.end().await;
    scene.canaries.heard()
}

fn by_udp(heard: &[Heard]) -> bool {
    heard.iter().any(|heard| heard.protocol == "udp")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_policy_webrtc_sends_datagrams_past_the_proxy() {
    for name in ["peer-connection", "peer-candidate"] {
        let heard = heard_of(way(name), &[WebRtcPolicy], false).await;
        assert!(by_udp(&heard), "{name}: {heard:?}");
    }
    // WebRTC over TCP goes through the egress, which judges it.
    let heard = heard_of(way("peer-connection"), &[EgressJudgement], false).await;
    assert!(!heard.is_empty() && !by_udp(&heard), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quic_and_webtransport_stay_behind_the_walls_too() {
    const WALLS: [Defence; 3] = [ContextProxy, DeadEnd, ResolverRules];
    let with_quic = [&WALLS[..], &[NoQuic]].concat();
    // A proxy alone prevents QUIC; without one, the flag does.
    assert_eq!(heard_of(way("secure-image"), &[NoQuic], true).await, []);
    let heard = heard_of(way("secure-image"), &WALLS, true).await;
    assert!(!heard.is_empty() && !by_udp(&heard), "{heard:?}");
    assert!(by_udp(&heard_of(way("secure-image"), &with_quic, true).await));
    assert!(by_udp(&heard_of(way("transport"), &WALLS, false).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_peer_check_any_program_leaves_through_an_egress() {
    for (without, served) in [(&[][..], false), (&[Defence::PeerCheck][..], true)] {
        let scene = Scene::set(Ground::loopback()).await;
        let service = Service::lacking(&scene, without, &[]).await;
        let wanted = scene.site.html("for the browser alone");
        let open = scene.site.html("open for a while");
        let fields = serde_json::json!({"url": open, "wait": {"until": "load", "delay_ms": 10_000}});
        let page = tokio::spawn({
            let caller = service.caller().clone();
            async move { caller.extract(fields).await }
        });
        eventually(HEARD_WITHIN, async || so(!scene.site.seen(&open).is_empty(), "the page is not open")).await;
        super::doors::ask_all(&wanted).await;
        assert_eq!(!scene.site.seen(&wanted).is_empty(), served, "without {without:?}");
        page.abort();
        service.end().await;
    }
}
