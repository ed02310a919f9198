//! From a name to its addresses: the operator's answers, then what needs no asking, then the system's resolver. Every
//! answer is handed over as it is; judging it is the guard's matter, and nothing is remembered.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::Semaphore;

use super::name::is_localhost;
use super::policy::ResolveOverrides;

/// How long one look-up may take, its wait for a place included.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Look-ups under way at once. One that was given up keeps its thread until the system's resolver is done, so without
/// a bound slow names would take every thread that the runtime has for blocking work.
const LOOKUPS_MAX: usize = 128;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Told by the operator or DNS: one bad address spoils all of them.
    Told(Vec<SocketAddr>),
    /// This host's loopback addresses, which nobody told: those that are not let through are left out.
    Localhost([SocketAddr; 2]),
}

/// Asks for the addresses of a name; may block.
pub trait LookUp: Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static {}
impl<F: Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static> LookUp for F {}

/// Looks names up, of the system unless told otherwise. Clones share the bound on look-ups.
#[derive(Clone)]
pub struct Resolver {
    places: Arc<Semaphore>,
    look_up: Arc<dyn LookUp>,
}

/// The answer that needs nobody asked: the operator's, or `localhost`, which never goes to DNS (RFC 6761, 6.3).
pub(super) fn known(overrides: &ResolveOverrides, host: &str, port: u16) -> Option<Answer> {
    if let Some(addresses) = overrides.answer(host) {
        return Some(Answer::Told(addresses.iter().map(|address| SocketAddr::new(*address, port)).collect()));
    }
    let loopback: [IpAddr; 2] = [Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()];
    is_localhost(host).then(|| Answer::Localhost(loopback.map(|address| SocketAddr::new(address, port))))
}

// === impl Resolver ===

impl Resolver {
    /// A resolver for which this function is DNS.
    #[must_use]
    pub fn new(look_up: impl LookUp) -> Resolver {
        Resolver { places: Arc::new(Semaphore::new(LOOKUPS_MAX)), look_up: Arc::new(look_up) }
    }

    /// Every address of this name, or `None` if it has none, the resolver failed or took too long.
    pub(super) async fn ask(&self, host: &str, port: u16) -> Option<Answer> {
        self.ask_within(LOOKUP_TIMEOUT, host, port).await
    }

    async fn ask_within(&self, limit: Duration, host: &str, port: u16) -> Option<Answer> {
        let found = tokio::time::timeout(limit, async {
            let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
            let (look_up, host) = (Arc::clone(&self.look_up), host.to_owned());
            tracing::trace!(host, "a name is looked up");
            let look_up = tokio::task::spawn_blocking(move || {
                let _place = place;
                look_up(&host, port)
            });
            look_up.await.ok()?.ok()
        });
        let mut addresses = found.await.ok().flatten()?;
        let mut seen = HashSet::new();
        addresses.retain(|address| seen.insert(*address));
        (!addresses.is_empty()).then_some(Answer::Told(addresses))
    }
}

impl Default for Resolver {
    /// The system's resolver.
    fn default() -> Self {
        Resolver::new(|host: &str, port: u16| Ok((host, port).to_socket_addrs()?.collect()))
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").field("places", &self.places.available_permits()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    fn public(port: u16) -> Vec<SocketAddr> {
        vec![SocketAddr::from(([1, 1, 1, 1], port))]
    }

    #[tokio::test]
    async fn a_look_up_that_never_ends_is_given_up_and_keeps_its_place() {
        const SHORT: Duration = Duration::from_millis(20);
        let (end, ended) = mpsc::sync_channel::<()>(0);
        let ended = Mutex::new(ended);
        let mut resolver = Resolver::new(move |host: &str, port: u16| {
            if host == "slow.example" {
                let _ = ended.lock().unwrap().recv();
            }
            Ok(public(port))
        });
        resolver.places = Arc::new(Semaphore::new(1));
        assert_eq!(resolver.ask_within(SHORT, "slow.example", 80).await, None);
        assert_eq!(resolver.ask_within(SHORT, "fast.example", 80).await, None, "no place is free");
        drop(end);
        assert_eq!(resolver.ask("fast.example", 80).await, Some(Answer::Told(public(80))));
    }

    #[tokio::test]
    async fn failures_and_empty_answers_are_no_answer_and_repeated_addresses_are_one() {
        let resolver = Resolver::new(|host: &str, port: u16| match host {
            "empty.example" => Ok(Vec::new()),
            "twice.example" => Ok([public(port), public(port)].concat()),
            _ => Err(io::Error::other("NXDOMAIN")),
        });
        assert_eq!(resolver.ask("empty.example", 80).await, None);
        assert_eq!(resolver.ask("none.example", 80).await, None);
        assert_eq!(resolver.ask("twice.example", 80).await, Some(Answer::Told(public(80))));
    }

    #[tokio::test]
    async fn the_system_knows_this_host() {
        let Some(Answer::Told(addresses)) = Resolver::default().ask("localhost", 80).await else {
            panic!("every system knows localhost");
        };
        assert!(addresses.iter().all(|address| address.ip().is_loopback() && address.port() == 80), "{addresses:?}");
    }

    #[test]
    fn the_operator_is_asked_first_and_localhost_never_goes_to_dns() {
        let overrides = ResolveOverrides::parse("a.example=10.1.2.3,b.localhost=127.0.0.9").unwrap();
        assert_eq!(known(&overrides, "a.example", 80), Some(Answer::Told(vec![([10, 1, 2, 3], 80).into()])));
        assert_eq!(known(&overrides, "b.localhost", 80), Some(Answer::Told(vec![([127, 0, 0, 9], 80).into()])));
        assert!(matches!(known(&overrides, "c.localhost.", 80), Some(Answer::Localhost(_))));
        assert_eq!(known(&overrides, "c.example", 80), None);
    }
}
