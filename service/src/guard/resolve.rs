//! From a name to its addresses: the operator's answers, then what needs no asking, then the system's resolver. Every
//! answer is handed over as it is; judging it is the guard's matter, and nothing is remembered.
//!
//! First judgements, of the URLs that callers name, have permits of their own. Look-ups that pages cause are bounded for
//! each page (`lookups`) and share nothing with these.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Refusal;
use super::dns::{self, DnsError, SystemFiles};
use super::name::is_localhost;
use super::policy::ResolveOverrides;

/// How long a first judgement's look-up may take.
const FIRST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a first judgement may wait for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Look-ups of first judgements under way at once. Each has two sockets.
const FIRST_AT_ONCE_MAX: usize = 256;

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

/// Looks names up, of the system unless told otherwise. Clones share the permits of first judgements.
#[derive(Clone)]
pub struct Resolver {
    first: Arc<Semaphore>,
    source: Source,
}

#[derive(Clone)]
enum Source {
    System(Arc<SystemFiles>),
    /// A test's.
    Given(Arc<dyn LookUp>),
}

/// Why there are no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookUpError {
    /// The name has none.
    NotFound,
    /// Nobody answered in time.
    Silent,
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
        Resolver::by(Source::Given(Arc::new(look_up)))
    }

    fn by(source: Source) -> Resolver {
        Resolver { first: Arc::new(Semaphore::new(FIRST_AT_ONCE_MAX)), source }
    }

    /// Every address of the name that a caller's URL has.
    pub(super) async fn ask_first(&self, host: &str, port: u16) -> Result<Answer, Refusal> {
        let permit = timeout(PERMIT_TIMEOUT, self.first.acquire()).await;
        let Ok(Ok(_permit)) = permit else { return Err(Refusal::LookupsFull { host: host.to_owned() }) };
        let answer = self.ask(host, port, FIRST_TIMEOUT).await;
        answer.map_err(|_| Refusal::NotResolved { host: host.to_owned() })
    }

    /// Every address of this name. Whoever drops the future ends the look-up.
    pub(super) async fn ask(&self, host: &str, port: u16, limit: Duration) -> Result<Answer, LookUpError> {
        tracing::trace!(host, "a name is looked up");
        let found = match &self.source {
            Source::System(files) => timeout(limit, dns::look_up(files, host)).await.map(|found| {
                let found = found.map_err(|error| match error {
                    DnsError::NotFound => LookUpError::NotFound,
                    DnsError::Silent => LookUpError::Silent,
                });
                found.map(|addresses| addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
            }),
            Source::Given(look_up) => {
                let (look_up, host) = (Arc::clone(look_up), host.to_owned());
                let found = tokio::task::spawn_blocking(move || look_up(&host, port));
                timeout(limit, found).await.map(|found| match found {
                    Ok(Ok(addresses)) => Ok(addresses),
                    _ => Err(LookUpError::NotFound),
                })
            }
        };
        let mut addresses: Vec<SocketAddr> = found.unwrap_or(Err(LookUpError::Silent))?;
        let mut seen = HashSet::new();
        addresses.retain(|address| seen.insert(*address));
        if addresses.is_empty() { Err(LookUpError::NotFound) } else { Ok(Answer::Told(addresses)) }
    }
}

impl Default for Resolver {
    /// The system's files and the DNS servers that they name.
    fn default() -> Self {
        Resolver::by(Source::System(Arc::default()))
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").field("first", &self.first.available_permits()).finish_non_exhaustive()
    }
}

#[cfg(test)]
impl Resolver {
    /// A resolver that asks what these files say.
    pub(super) fn of_files(files: SystemFiles) -> Resolver {
        Resolver::by(Source::System(Arc::new(files)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(port: u16) -> Vec<SocketAddr> {
        vec![SocketAddr::from(([1, 1, 1, 1], port))]
    }

    const SOON: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn failures_and_empty_answers_are_no_answer_and_repeated_addresses_are_one() {
        let resolver = Resolver::new(|host: &str, port: u16| match host {
            "empty.example" => Ok(Vec::new()),
            "twice.example" => Ok([public(port), public(port)].concat()),
            _ => Err(io::Error::other("NXDOMAIN")),
        });
        assert_eq!(resolver.ask("empty.example", 80, SOON).await, Err(LookUpError::NotFound));
        assert_eq!(resolver.ask("none.example", 80, SOON).await, Err(LookUpError::NotFound));
        assert_eq!(resolver.ask("twice.example", 80, SOON).await, Ok(Answer::Told(public(80))));
    }

    #[tokio::test]
    async fn a_first_judgement_that_gets_no_permit_is_told_that_there_was_no_room() {
        let mut resolver = Resolver::new(|_: &str, port: u16| Ok(public(port)));
        resolver.first = Arc::new(Semaphore::new(1));
        let held = Arc::clone(&resolver.first).acquire_owned().await.unwrap();
        let refusal = resolver.ask_first("a.example", 80).await.unwrap_err();
        assert_eq!(refusal.code(), porthole_contract::ErrorCode::Overloaded, "{refusal}");
        drop(held);
        assert_eq!(resolver.ask_first("a.example", 80).await, Ok(Answer::Told(public(80))));
    }

    #[tokio::test]
    async fn the_system_knows_this_host() {
        let Ok(Answer::Told(addresses)) = Resolver::default().ask("localhost", 80, SOON).await else {
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
