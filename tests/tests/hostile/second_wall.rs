//! The second wall, as `deploy/` ships it: behind it a browser without its own defences reaches the egress and nothing
//! else. Needs root, `ip`, `nft` and cgroup v2, and reports loudly when it is skipped without them.

use std::fs;
use std::path::PathBuf;

use porthole_service::guard::{AllowTargets, Policy, Resolver};
use porthole_service::provider::local::Defence::{DeadEnd, LoopbackRule, ResolverRules, WebRtcPolicy};
use porthole_tests::eventually;
use porthole_tests::eventually::so;
use std::net::Ipv4Addr;
use std::time::Duration;

use super::namespace::{INSIDE, Namespace, ONE_TEST_PASSED, ground, run, skipped};
use super::scene::{Ground, Scene};
use super::service::Service;
use super::silence::expect;
use super::visit::{Variant, Visit, visit_all};
use super::ways::way;

const WALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/second-wall");
const HEARD_WITHIN: Duration = Duration::from_secs(20);
/// Mounts the namespace's cgroups, raises the wall for a cgroup, runs the rest of the command line, and removes the
/// cgroup.
const SCRIPT: &str = r#"
    set -e; service=$1; wall=$2; shift 2
    mount -t cgroup2 none /sys/fs/cgroup
    mkdir -p "/sys/fs/cgroup$service"
    "$wall/raise-second-wall" "$service"
    set +e; "$@"; code=$?
    rmdir "/sys/fs/cgroup$service/browser" "/sys/fs/cgroup$service" "/sys/fs/cgroup${service%/*}" 2> /dev/null
    exit $code"#;

#[test]
fn behind_the_second_wall_a_browser_without_defences_reaches_the_egress_alone() {
    if run("nft", &["--version"]).is_err() {
        return skipped("nft is missing");
    }
    let Some(namespace) = Namespace::new() else { return };
    let service = format!("/porthole-tests-{}.slice/porthole.service", std::process::id());
    let walled = |rest: &[&str]| {
        let mut command = namespace.command("sh");
        command.args(["-c", SCRIPT, "sh", &service, WALL]).args(rest).env(INSIDE, &service);
        command.output().unwrap()
    };
    let tried = walled(&["true"]);
    if !tried.status.success() {
        return skipped(&String::from_utf8_lossy(&tried.stderr));
    }
    let test = std::env::current_exe().unwrap();
    let rest = ["--exact", "second_wall::a_browser_without_defences", "--ignored", "--nocapture"];
    let output = walled(&[&[test.to_str().unwrap()], &rest[..]].concat());
    let told = String::from_utf8_lossy(&output.stdout);
    let ran = output.status.success() && told.contains(ONE_TEST_PASSED);
    assert!(ran, "{told}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs in the namespace, once outside of the walled cgroup and once within.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn a_browser_without_defences() {
    let service = std::env::var(INSIDE).expect("runs only in a network namespace");
    for walled in [false, true] {
        let names = (Ipv4Addr::LOCALHOST, 0).into();
        let ground = Ground { forbidden: Ipv4Addr::LOCALHOST, also: Vec::new(), names, ..ground() };
        let scene = Scene::set(ground).await;
        let chromium = walled.then(|| {
            // Joins the cgroup that the wall was raised for, as the service's process.
            fs::write(format!("/sys/fs/cgroup{service}/cgroup.procs"), "0").unwrap();
            PathBuf::from(WALL).join("chromium-headless-shell-walled")
        });
        let allow = AllowTargets::parse("").unwrap();
        let policy = Policy { allow, resolver: Resolver::new(scene.names.look_up()), ..Policy::default() };
        let without = [DeadEnd, LoopbackRule, ResolverRules, WebRtcPolicy];
        let service = Service::with(policy, chromium, &without, &[]).await;
        let direct = vec![Visit::of(way("image")), Visit::of(way("socket")), Visit::of(way("peer-connection"))];
        let visited = visit_all(&scene, service.caller(), direct).await;
        // The egress refuses the same requests with and without the wall.
        let by_name = Visit { variant: Variant::Name, ..Visit::of(way("image")) };
        expect(&scene, &visit_all(&scene, service.caller(), vec![by_name]).await);
        let heard = || scene.canaries.heard();
        if walled {
            service.end().await;
            assert_eq!(heard(), []);
            visited.iter().for_each(|visited| drop(visited.answer.expect_ok()));
        } else {
            for protocol in ["tcp", "udp"] {
                let came = || heard().iter().any(|heard| heard.protocol == protocol);
                eventually(HEARD_WITHIN, async || so(came(), format!("no {protocol} in {:?}", heard()))).await;
            }
            service.end().await;
        }
    }
}
