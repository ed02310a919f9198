//! Packet capture of everything that leaves: the real service and its browser run in a network namespace with the
//! system's DNS server. The only allowed target is the public site, which is on the same host there. Needs root, `ip`
//! and `tcpdump`, and reports loudly when it is skipped without them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use porthole_service::guard::{Policy, Resolver};
use porthole_service::provider::local::Defence::{ContextProxy, DeadEnd, ResolverRules, WebRtcPolicy};
use porthole_tests::eventually::so;
use porthole_tests::stack::{Home, Server};
use porthole_tests::{Caller, eventually, owner};
use serde_json::Value;

use super::names::ZONE;
use super::namespace::{DNS, INSIDE, Namespace, ONE_TEST_PASSED, PRIVATE, ground, run, skipped};
use super::scene::Scene;
use super::service::{AT_ONCE, Service, another_browser};
use super::silence::{every_visit, expect};
use super::visit::{Variant, Visit, visit_all};
use super::ways::way;

/// The variants of this run; the packets of the others would not differ.
const VARIANTS: [Variant; 3] = [Variant::Absolute, Variant::Name, Variant::Rebinding];
/// Capture filter: SYN packets, and everything that is not TCP.
const CAPTURED: &str =
    "(ip and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn) or (ip6 and tcp and ip6[53] & 0x12 == 2) or not tcp";
/// The browser's process-wide proxy.
const DEAD_END: &str = "127.0.0.1:9";
const CAPTURING_WITHIN: Duration = Duration::from_secs(20);
/// Prefix of the lines by which the inner test reports to the outer one.
const TOLD: &str = "told:";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_connections_that_the_egress_judged_leave() {
    if run("tcpdump", &["--version"]).is_err() {
        return skipped("tcpdump is missing");
    }
    let Some(namespace) = Namespace::new() else { return };
    let (told, packets) = captured(&namespace, "packets::the_hostile_site").await;
    assert!(packets.len() > 100, "too few packets were captured: {packets:#?}");
    let strays = strays(&told, &packets);
    assert!(strays.is_empty(), "{} of {}: {strays:#?}", strays.len(), packets.len());
    let dialled = told.get("dialled").map_or(0, Vec::len);
    assert!(dialled > 100, "too few connections were dialled: {told:?}");

    // Positive control: without some of the defences, the capture shows such packets.
    let (told, packets) = captured(&namespace, "packets::without_defences").await;
    let strays = strays_of_kinds(&told, &packets);
    for kind in [format!("tcp {PRIVATE}"), format!("udp {PRIVATE}"), "dns".to_owned()] {
        assert!(strays.contains(&kind), "no {kind} in {strays:?}");
    }
}

/// Runs in the namespace: visits the whole hostile site with the real service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn the_hostile_site() {
    assert!(std::env::var_os(INSIDE).is_some(), "runs only in a network namespace");
    let scene = Scene::set(ground()).await;
    let home = Home::new();
    let mut environment = home.environment();
    for (name, value) in [
        ("PORTHOLE_SERVICE_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:0".to_owned()),
        ("PORTHOLE_OWNER_KEYS", owner::FIRST.setting()),
        ("PORTHOLE_MAX_CONCURRENT", AT_ONCE.to_string()),
        ("PORTHOLE_MAX_QUEUE", "1000".to_owned()),
        ("PORTHOLE_LOG", "info,porthole_service::guard=trace".to_owned()),
        // In this namespace the public site has an address of the service's own host.
        ("PORTHOLE_ALLOW_TARGETS", format!("{}/32", scene.ground.public)),
    ]
    .into_iter()
    .chain(another_browser())
    {
        environment.insert(name.to_owned(), value);
    }
    let mut service = Server::start("porthole-service", &environment).await;
    let caller = Caller::of(service.url(""));
    let visited = visit_all(&scene, &caller, every_visit(&VARIANTS)).await;
    service.process.signal(nix::sys::signal::Signal::SIGTERM);
    service.process.ended(Duration::from_secs(40)).await;
    assert_eq!(scene.canaries.heard(), []);
    expect(&scene, &visited);

    tell("service", &service.main.to_string());
    tell("site", &scene.site.addr().to_string());
    let mut looked_up: BTreeMap<String, usize> = BTreeMap::new();
    for event in service.process.stderr().iter().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let field = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        match event["message"].as_str() {
            Some("dials") => tell("dials", &field("address")),
            Some("dialled") => tell("dialled", &field("local")),
            Some("an egress is open") => tell("egress", &field("addr")),
            Some("a name is looked up") => *looked_up.entry(field("host")).or_default() += 1,
            _ => {}
        }
    }
    // The DNS server got one query for each look-up that the service logged, and no others.
    assert_eq!(scene.names.all_asked(), looked_up);
    assert!(
        looked_up.keys().any(|name| name.ends_with(ZONE))
            && !looked_up.keys().any(|name| name.contains("dns-prefetch-name"))
    );
    let names: BTreeSet<String> = looked_up.into_keys().collect();
    names.iter().for_each(|name| tell("name", name));
}

/// Runs in the namespace: visits some pages with a service that lacks some of its defences.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs inside a network namespace, started by another test"]
async fn without_defences() {
    assert!(std::env::var_os(INSIDE).is_some(), "runs only in a network namespace");
    let scene = Scene::set(ground()).await;
    let policy = Policy { resolver: Resolver::default(), ..Policy::default() };
    let without = [ContextProxy, DeadEnd, ResolverRules, WebRtcPolicy];
    let service = Service::with(policy, None, &without, &[]).await;
    let by_name = |name| Visit { variant: Variant::Name, ..Visit::of(way(name)) };
    let visits = vec![Visit::of(way("image")), Visit::of(way("peer-connection")), by_name("image")];
    visit_all(&scene, service.caller(), visits).await;
    service.end().await;
    tell("site", &scene.site.addr().to_string());
}

/// What the tests inside the namespace report: by kind, the values.
type Reports = BTreeMap<String, Vec<String>>;

fn tell(what: &str, value: &str) {
    println!("{TOLD} {what} {value}");
}

/// The relevant parts of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Packet {
    from: String,
    to: String,
    syn: bool,
    /// The packet's line in the output of `tcpdump`.
    line: String,
}

/// Returns the packets that should not have been sent.
fn strays<'a>(told: &Reports, packets: &'a [Packet]) -> Vec<&'a Packet> {
    let all = |what: &str| told.get(what).map_or(&[][..], Vec::as_slice);
    let told = |what: &str, value: &str| all(what).iter().any(|told| told == value);
    let dns = SocketAddr::from(DNS).to_string();
    let expected = |packet: &Packet| {
        if !packet.syn {
            let question = packet.line.split("? ").nth(1).and_then(|rest| rest.split(". ").next());
            return packet.from == dns || (packet.to == dns && question.is_some_and(|name| told("name", name)));
        }
        told("service", &packet.to)
            || told("egress", &packet.to)
            // The proxy of requests that belong to no page: nothing listens there.
            || packet.to == DEAD_END
            || (told("site", &packet.to) && told("dialled", &packet.from))
    };
    // If a page ends while its egress dials, the egress does not log the local address.
    let mut given_up = all("dials").len() - all("dialled").len().min(all("dials").len());
    let mut cut_short = |packet: &&Packet| {
        let ours = packet.syn && told("site", &packet.to) && given_up > 0;
        given_up -= usize::from(ours);
        ours
    };
    packets.iter().filter(|packet| !expected(packet)).filter(|packet| !cut_short(packet)).collect()
}

/// Returns protocol and destination of each stray packet.
fn strays_of_kinds(told: &Reports, packets: &[Packet]) -> BTreeSet<String> {
    let kind = |packet: &Packet| {
        let address = packet.to.rsplit_once(':').map_or(packet.to.as_str(), |(address, _)| address);
        match packet.line.contains("A? ") {
            true => "dns".to_owned(),
            false => format!("{} {address}", if packet.syn { "tcp" } else { "udp" }),
        }
    };
    strays(told, packets).into_iter().map(kind).collect()
}

/// Runs an ignored test of this binary in the namespace, and returns its reports and the packets of that time.
async fn captured(namespace: &Namespace, test: &str) -> (Reports, Vec<Packet>) {
    let folder = tempfile::Builder::new().prefix("porthole-tests-").tempdir().unwrap();
    let file = folder.path().join(format!("{}.pcap", test.replace(':', "-")));
    let log = folder.path().join("tcpdump.log");
    let mut capture = Capture(
        namespace
            .command("tcpdump")
            .args(["-i", "any", "-n", "-U", "-Z", "root", "-B", "65536", "-w"])
            .args([file.as_os_str()])
            .arg(CAPTURED)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log).unwrap())
            .spawn()
            .unwrap(),
    );
    let said = || fs::read_to_string(&log).unwrap_or_default();
    eventually(CAPTURING_WITHIN, async || so(said().contains("listening on"), said())).await;
    let mut inner = namespace.command(std::env::current_exe().unwrap().to_str().unwrap());
    inner.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
    let output = tokio::task::spawn_blocking(move || inner.output()).await.unwrap().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let ran = output.status.success() && stdout.contains(ONE_TEST_PASSED);
    assert!(ran, "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    capture.end();
    assert!(said().contains("\n0 packets dropped by kernel"), "{}", said());
    let mut told = Reports::new();
    for line in stdout.lines().filter_map(|line| line.split_once(TOLD)).map(|(_, rest)| rest.trim()) {
        let (what, value) = line.split_once(' ').unwrap();
        told.entry(what.to_owned()).or_default().push(value.to_owned());
    }
    let shown = Command::new("tcpdump").args(["-n", "-r"]).arg(&file).output().unwrap();
    let packets = String::from_utf8_lossy(&shown.stdout).lines().filter_map(read).collect();
    (told, packets)
}

/// A running `tcpdump`.
struct Capture(Child);

impl Capture {
    /// Ends `tcpdump` with SIGINT, so that it writes all packets that it has captured.
    fn end(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let pid = nix::unistd::Pid::from_raw(i32::try_from(self.0.id()).unwrap());
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT);
        }
        let _ = self.0.wait();
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads a line such as `12:00:00.0 lo In IP 127.0.0.1.40000 > 127.0.0.1.53: 7+ A? example.com. (29)`.
fn read(line: &str) -> Option<Packet> {
    let (_, rest) = line.split_once(" IP ").or_else(|| line.split_once(" IP6 ")).or_else(|| line.split_once(' '))?;
    let (from, rest) = rest.split_once(" > ").unwrap_or(("", rest));
    let (to, said) = rest.split_once(": ").unwrap_or((rest, ""));
    let syn = said.starts_with("Flags [S");
    Some(Packet { from: end(from), to: end(to), syn, line: line.to_owned() })
}

/// Converts an endpoint from the notation of `tcpdump`, `127.0.0.1.53` or `::1.53`, to that of Rust.
fn end(written: &str) -> String {
    let read = |(address, port): (&str, &str)| Some(SocketAddr::new(address.parse().ok()?, port.parse().ok()?));
    written.rsplit_once('.').and_then(read).map_or_else(|| written.to_owned(), |end| end.to_string())
}
