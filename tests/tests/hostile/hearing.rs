//! One defence taken away at a time, and a canary hears: a test that can't hear proves nothing. Where two defences stand
//! one behind the other, each alone still holds, and both are taken away.

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

/// How often a page is visited whose way was not taken in time.
const TRIES: usize = 4;
const HEARD_WITHIN: Duration = Duration::from_secs(20);

/// A scene, and what visits of a service without these defences come to.
async fn visited_without(without: &[Defence], visits: Vec<Visit>) -> (Scene, Vec<Visited>) {
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::lacking(&scene, without, &[]).await;
    let visited = visit_all(&scene, service.caller(), visits).await;
    service.end().await;
    (scene, visited)
}

/// Which of these visits the canaries heard of.
fn heard(scene: &Scene, visited: &[Visited]) -> (Vec<String>, Vec<String>) {
    let name = |visited: &Visited| format!("{} {:?}", visited.visit.way.name, visited.visit.variant);
    let (heard, unheard): (Vec<_>, Vec<_>) =
        visited.iter().partition(|visited| scene.canaries.heard_about(&visited.mark));
    (heard.into_iter().map(name).collect(), unheard.into_iter().map(name).collect())
}

/// The ways whose requests would arrive in plain text, each by the variant that it is open to.
fn marked(asked_by: impl Fn(Asks) -> bool) -> Vec<Visit> {
    let variant = |way: &Way| if way.asks == Asks::OwnSite { Variant::Rebinding } else { Variant::Absolute };
    let ways = WAYS.iter().filter(|way| way.marked && asked_by(way.asks));
    ways.map(|way| Visit { variant: variant(way), ..Visit::of(way) }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_egresss_judgement_every_page_and_every_part_of_one_arrives() {
    let parts = marked(|asks| matches!(asks, Asks::Page | Asks::OwnSite | Asks::Frame | Asks::WholePage));
    // Of a name with a public address and another the public one is dialled first.
    let every_variant = Visit::in_each(way("image"), &Variant::ALL).into_iter();
    let every_variant = every_variant.filter(|visit| visit.variant != Variant::Both).collect();
    let scene = Scene::set(Ground::loopback()).await;
    let service = Service::lacking(&scene, &[EgressJudgement, NoPings], &[]).await;
    let mut unheard = [parts, every_variant].concat();
    // On a busy machine a worker may not come to it before its page ends.
    for _ in 0..TRIES {
        let visited = visit_all(&scene, service.caller(), unheard).await;
        let silent = |visited: &Visited| !scene.canaries.heard_about(&visited.mark);
        unheard = visited.into_iter().filter(silent).map(|visited| visited.visit).collect();
    }
    service.end().await;
    let names: Vec<&str> = unheard.iter().map(|visit| visit.way.name).collect();
    assert_eq!(names, NONE, "nothing came of these");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_rule_for_loopback_an_address_bypasses_the_proxy() {
    // The page's own address would bypass it too, so the page is at a name.
    let (scene, visited) = visited_without(&[LoopbackRule], vec![Visit::of(way("image")).by_name()]).await;
    assert_eq!(heard(&scene, &visited).0, ["image Absolute"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_walls_keep_requests_at_the_egress_and_each_pair_can_be_missed() {
    let parts = || ["image", "socket", "worker-fetch", "speculation-rules"].map(|name| Visit::of(way(name))).to_vec();
    for without in [[ContextProxy, DeadEnd], [ContextProxy, ResolverRules], [DeadEnd, ResolverRules]] {
        let (scene, visited) = visited_without(&without, parts()).await;
        assert_eq!(scene.canaries.heard(), [], "without {without:?}");
        let shown = visited.iter().filter(|visited| visited.answer.code().is_none()).count();
        // Without a way out of its own a page can't even be loaded.
        assert_eq!(shown, if without.contains(&ContextProxy) { 0 } else { visited.len() });
    }
    let (scene, visited) = visited_without(&[ContextProxy, DeadEnd, ResolverRules], parts()).await;
    assert_eq!(heard(&scene, &visited).1, NONE, "nothing came of these");
}

/// What was heard first once a page had taken this way.
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
    // What it may send by TCP goes through the egress, which judges it.
    let heard = heard_of(way("peer-connection"), &[EgressJudgement], false).await;
    assert!(!heard.is_empty() && !by_udp(&heard), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quic_and_webtransport_stay_behind_the_walls_too() {
    const WALLS: [Defence; 3] = [ContextProxy, DeadEnd, ResolverRules];
    let with_quic = [&WALLS[..], &[NoQuic]].concat();
    // A proxy alone keeps the browser from QUIC; where there is none, the flag does.
    assert_eq!(heard_of(way("secure-image"), &[NoQuic], true).await, []);
    let heard = heard_of(way("secure-image"), &WALLS, true).await;
    assert!(!heard.is_empty() && !by_udp(&heard), "{heard:?}");
    assert!(by_udp(&heard_of(way("secure-image"), &with_quic, true).await));
    assert!(by_udp(&heard_of(way("transport"), &WALLS, false).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_look_at_who_asks_any_program_leaves_through_an_egress() {
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
