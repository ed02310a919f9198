//! Resolves a name: first by the operator's overrides, then `localhost`, then by the system's resolver. Answers are
//! returned unjudged and are not cached; the guard judges them.
//!
//! First judgements, of the URLs that callers name, share a pool of permits. Look-ups that pages cause are bounded for
//! each page (`lookups`) and share nothing with that pool.

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
use super::overrides::ResolveOverrides;

/// How long a first judgement's look-up may take.
const FIRST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a first judgement may wait for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Look-ups of first judgements under way at once. Each uses two sockets.
const FIRST_AT_ONCE_MAX: usize = 256;

/// The result of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Addresses from the operator or DNS: one bad address refuses all of them.
    Addresses(Vec<SocketAddr>),
    /// This host's loopback addresses, which no resolver returned: refused ones are left out.
    Localhost([SocketAddr; 2]),
}

/// Looks up the addresses of a name; may block.
pub trait LookUp: Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static {}
impl<F: Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static> LookUp for F {}

/// Looks up names, through the system by default. Clones share the permits of first judgements.
#[derive(Clone)]
pub struct Resolver {
    first: Arc<Semaphore>,
    source: Source,
}

#[derive(Clone)]
enum Source {
    System(Arc<SystemFiles>),
    /// Given by a test.
    Given(Arc<dyn LookUp>),
}

/// Why there are no addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookUpError {
    /// The name has no address.
    NotFound,
    /// No server answered in time.
    Silent,
}

/// Returns the answer that needs no look-up: the operator's override, or `localhost`, which is never sent to DNS (RFC
/// 6761, 6.3).
pub(super) fn known(overrides: &ResolveOverrides, host: &str, port: u16) -> Option<Answer> {
    if let Some(addresses) = overrides.answer(host) {
        return Some(Answer::Addresses(addresses.iter().map(|address| SocketAddr::new(*address, port)).collect()));
    }
    let loopback: [IpAddr; 2] = [Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()];
    is_localhost(host).then(|| Answer::Localhost(loopback.map(|address| SocketAddr::new(address, port))))
}

// === impl Resolver ===

impl Resolver {
    /// Creates a resolver that uses this function in place of DNS.
    #[must_use]
    pub fn new(look_up: impl LookUp) -> Resolver {
        Resolver::by(Source::Given(Arc::new(look_up)))
    }

    fn by(source: Source) -> Resolver {
        Resolver { first: Arc::new(Semaphore::new(FIRST_AT_ONCE_MAX)), source }
    }

    /// Looks up every address of the name in a caller's URL.
    pub(super) async fn ask_first(&self, host: &str, port: u16) -> Result<Answer, Refusal> {
        let permit = timeout(PERMIT_TIMEOUT, self.first.acquire()).await;
        let Ok(Ok(_permit)) = permit else { return Err(Refusal::LookupsFull { host: host.to_owned() }) };
        let answer = self.ask(host, port, FIRST_TIMEOUT).await;
        answer.map_err(|_| Refusal::NotResolved { host: host.to_owned() })
    }

    /// Looks up every address of this name. Dropping the future ends the look-up.
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
        if addresses.is_empty() { Err(LookUpError::NotFound) } else { Ok(Answer::Addresses(addresses)) }
    }
}

impl Default for Resolver {
    /// Uses the system's files and the DNS servers that they name.
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
    /// Creates a resolver that uses these files.
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
        assert_eq!(resolver.ask("twice.example", 80, SOON).await, Ok(Answer::Addresses(public(80))));
    }

    #[tokio::test]
    async fn a_first_judgement_without_a_permit_is_overloaded() {
        let mut resolver = Resolver::new(|_: &str, port: u16| Ok(public(port)));
        resolver.first = Arc::new(Semaphore::new(1));
        let held = Arc::clone(&resolver.first).acquire_owned().await.unwrap();
        let refusal = resolver.ask_first("a.example", 80).await.unwrap_err();
        assert_eq!(refusal.code(), porthole_contract::ErrorCode::Overloaded, "{refusal}");
        drop(held);
        assert_eq!(resolver.ask_first("a.example", 80).await, Ok(Answer::Addresses(public(80))));
    }

    #[tokio::test]
    async fn the_system_resolves_localhost() {
        let Ok(Answer::Addresses(addresses)) = Resolver::default().ask("localhost", 80, SOON).await else {
            panic!("every system knows localhost");
        };
        assert!(addresses.iter().all(|address| address.ip().is_loopback() && address.port() == 80), "{addresses:?}");
    }

    #[test]
    fn the_operator_is_asked_first_and_localhost_never_goes_to_dns() {
        let overrides = ResolveOverrides::parse("a.example=10.1.2.3,b.localhost=127.0.0.9").unwrap();
        assert_eq!(known(&overrides, "a.example", 80), Some(Answer::Addresses(vec![([10, 1, 2, 3], 80).into()])));
        assert_eq!(known(&overrides, "b.localhost", 80), Some(Answer::Addresses(vec![([127, 0, 0, 9], 80).into()])));
        assert!(matches!(known(&overrides, "c.localhost.", 80), Some(Answer::Localhost(_))));
        assert_eq!(known(&overrides, "c.example", 80), None);
    }
}
