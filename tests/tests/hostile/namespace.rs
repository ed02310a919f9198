//! A network namespace with real public and private addresses, in which all other packets leave through an interface
//! that leads nowhere. Needs root and `ip`.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::scene::Ground;

const PUBLIC: Ipv4Addr = Ipv4Addr::new(93, 184, 215, 14);
pub(crate) const PRIVATE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
const PRIVATE6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0x77, 0, 0, 0, 0, 0, 1);
const METADATA: Ipv4Addr = Ipv4Addr::new(169, 254, 169, 254);
pub(crate) const DNS: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 53);
/// Environment variable that is set for the tests inside a namespace.
pub(crate) const INSIDE: &str = "PORTHOLE_TESTS_INSIDE_NAMESPACE";
/// Printed by a test binary that ran one test. A name that matches no test succeeds as well, with `0 passed`.
pub(crate) const ONE_TEST_PASSED: &str = "test result: ok. 1 passed";

/// Returns the roles of the namespace's addresses.
pub(crate) fn ground() -> Ground {
    let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
    Ground {
        public: PUBLIC,
        forbidden: PRIVATE,
        forbidden6: PRIVATE6,
        also: [&[METADATA.into()][..], &loopback].concat(),
        names: DNS.into(),
    }
}

/// A network namespace. Dropping this removes it.
pub(crate) struct Namespace {
    name: String,
    resolver: PathBuf,
}

impl Namespace {
    /// Creates a namespace with the scene's addresses. Prints why and returns `None` where that is impossible.
    pub(crate) fn new() -> Option<Namespace> {
        let namespace = Namespace::bare(DNS.0)?;
        let ours = [PUBLIC, PRIVATE, METADATA].map(|address| format!("addr add {address}/32 dev lo"));
        let laid = ours.into_iter().chain([
            format!("addr add {PRIVATE6}/128 dev lo"),
            // All other packets leave through this interface, which leads nowhere, and are captured.
            "link add out0 type veth peer name nowhere".to_owned(),
            "link set nowhere addrgenmode none up".to_owned(),
            "link set out0 addrgenmode none arp off up".to_owned(),
            "addr add 198.18.77.2/24 dev out0".to_owned(),
            "route add default dev out0".to_owned(),
            "-6 route add default dev out0".to_owned(),
        ]);
        namespace.lay(laid)
    }

    /// Creates two namespaces in one network, joined by a virtual cable. The first uses the second as DNS server.
    pub(crate) fn pair(first: Ipv4Addr, second: Ipv4Addr) -> Option<(Namespace, Namespace)> {
        let (one, other) = (Namespace::bare(second)?, Namespace::bare(second)?);
        let cable = format!("link add cable type veth peer name cable netns {}", other.name);
        let up = |address| [format!("addr add {address}/24 dev cable"), "link set cable up".to_owned()];
        let one = one.lay([cable].into_iter().chain(up(first)))?;
        Some((one, other.lay(up(second))?))
    }

    /// Creates a namespace with nothing but loopback.
    fn bare(dns: Ipv4Addr) -> Option<Namespace> {
        let skipped = |why: &str| {
            skipped(why);
            None
        };
        if !nix::unistd::geteuid().is_root() {
            return skipped("only root can make a network namespace");
        }
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("porthole-tests-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        if let Err(why) = run("ip", &["netns", "add", &name]) {
            return skipped(&why);
        }
        let resolver = PathBuf::from("/etc/netns").join(&name);
        let namespace = Namespace { name, resolver };
        fs::create_dir_all(&namespace.resolver).unwrap();
        fs::write(namespace.resolver.join("resolv.conf"), format!("nameserver {dns}\n")).unwrap();
        namespace.lay(["link set lo up".to_owned()])
    }

    /// Runs these `ip` commands in the namespace.
    fn lay(self, commands: impl IntoIterator<Item = String>) -> Option<Namespace> {
        let laid = commands.into_iter().try_for_each(|command| {
            let words: Vec<&str> = ["-n", &self.name].into_iter().chain(command.split(' ')).collect();
            run("ip", &words)
        });
        laid.inspect_err(|why| skipped(why)).ok().map(|()| self)
    }

    /// Returns a command that runs a program in the namespace.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name, program]);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = run("ip", &["netns", "delete", &self.name]);
        let _ = fs::remove_dir_all(&self.resolver);
    }
}

/// Reports that a test is skipped, and why.
pub(crate) fn skipped(why: &str) {
    eprintln!("\n*** SKIPPED, nothing is proven: {why} ***\n");
}

/// Runs a program to its end.
///
/// # Errors
/// The program's standard error, or why it could not be started.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let told = |why: &str| format!("{program} {}: {why}", arguments.join(" "));
    let output = Command::new(program).args(arguments).output().map_err(|error| told(&error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(told(String::from_utf8_lossy(&output.stderr).trim())) }
}
