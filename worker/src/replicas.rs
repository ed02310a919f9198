//! The service's replicas: their addresses and ids, and the choice of one for a call.
//!
//! Addresses come from `PORTHOLE_SERVICE_URL`, or from the DNS name in `PORTHOLE_SERVICE_PEERS`. A session's handle
//! only chooses among them; it can't name another. This file does no I/O: `watch` looks the name up and asks the
//! replicas.

mod resolver;
mod watch;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use crate::service_error::ServiceError;
use crate::settings::Settings;

use self::resolver::Lookup;
pub use self::resolver::{Resolver, system_resolver};

/// Replicas that are kept in mind; a DNS answer with more is cut.
const REPLICAS_MAX: usize = 256;
/// Time for finding an address that takes a call's connection.
const CONNECTING_TIMEOUT: Duration = Duration::from_secs(10);

/// The replicas that the worker knows.
pub(crate) struct Replicas {
    known: Mutex<Vec<Replica>>,
    /// Counts calls that any replica may take, to spread them.
    turn: AtomicUsize,
    lookup: Option<Lookup>,
    /// When all replicas were last asked for their ids.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

/// One replica.
#[derive(Clone, Debug)]
struct Replica {
    base: Arc<Url>,
    /// Its id, once it has told it.
    id: Option<String>,
    /// Whether it took its last call or question.
    ready: bool,
    /// Whether the settings or the last look-up name it. One that is named no more drains: it gets calls to its sessions
    /// for as long as it answers with its id.
    named: bool,
}

/// Where one call may go.
pub(crate) struct Way {
    bases: VecDeque<Arc<Url>>,
    /// Whether that is the replica which has the call's session.
    of_session: bool,
}

/// The attempts of one call: one address after the other until one takes the connection. A call that was sent is never
/// sent again.
pub(crate) struct Attempts<'a> {
    replicas: &'a Replicas,
    way: Way,
    until: Instant,
    at: Option<Arc<Url>>,
    error: ServiceError,
}

// === impl Replicas ===

impl Replicas {
    /// The replicas of the settings. Those behind a DNS name are not looked up yet.
    pub(crate) fn new(settings: &Settings, resolver: Resolver) -> Self {
        let lookup = settings.service_peers.clone().map(|peers| Lookup { peers, resolver });
        let urls = if lookup.is_some() { Vec::new() } else { settings.service_urls.clone() };
        let replicas = Self { known: Mutex::default(), turn: AtomicUsize::new(0), lookup, asked: Default::default() };
        replicas.name(urls);
        replicas
    }

    /// The only replica's address. Its id doesn't matter: every call goes there.
    pub(crate) fn alone(&self) -> Option<Arc<Url>> {
        match self.known().as_slice() {
            [one] if self.lookup.is_none() => Some(Arc::clone(&one.base)),
            _ => None,
        }
    }

    /// The way of a call that any replica may take: to each in turn, those last that were not ready.
    pub(crate) fn any(&self) -> Way {
        let known = self.known();
        let (ready, others): (Vec<&Replica>, Vec<&Replica>) =
            known.iter().filter(|replica| replica.named).partition(|replica| replica.ready);
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let from_turn = |replicas: Vec<&Replica>| -> Vec<Arc<Url>> {
            let first = turn.checked_rem(replicas.len()).unwrap_or_default();
            let (before, after) = replicas.split_at(first);
            after.iter().chain(before).map(|replica| Arc::clone(&replica.base)).collect()
        };
        Way { bases: from_turn(ready).into_iter().chain(from_turn(others)).collect(), of_session: false }
    }

    /// The way to the replica with this id, if it is known.
    fn to(&self, id: &str) -> Option<Way> {
        let known = self.known();
        let replica = known.iter().find(|replica| replica.id.as_deref() == Some(id))?;
        Some(Way { bases: [Arc::clone(&replica.base)].into(), of_session: true })
    }

    /// Begins a call's attempts.
    pub(crate) fn attempts(&self, way: Way) -> Attempts<'_> {
        let until = Instant::now() + CONNECTING_TIMEOUT;
        Attempts { replicas: self, way, until, at: None, error: ServiceError::Nowhere }
    }

    fn bases(&self) -> Vec<Arc<Url>> {
        self.known().iter().map(|replica| Arc::clone(&replica.base)).collect()
    }

    /// Replaces the set of known replicas.
    fn name(&self, mut bases: Vec<Url>) {
        bases.sort();
        bases.dedup();
        bases.truncate(REPLICAS_MAX);
        let mut known = self.known();
        for replica in known.iter_mut() {
            replica.named = bases.contains(&replica.base);
        }
        known.retain(|replica| replica.named || replica.id.is_some());
        bases.retain(|base| known.iter().all(|replica| *replica.base != *base));
        known.extend(bases.into_iter().map(|base| Replica {
            base: Arc::new(base),
            id: None,
            ready: true,
            named: true,
        }));
    }

    /// Notes what a replica told: its id, if it answered, and whether it takes requests.
    fn note(&self, base: &Url, id: Option<String>, ready: bool) {
        let mut known = self.known();
        let Some(at) = known.iter().position(|replica| *replica.base == *base) else { return };
        let replica = &mut known[at];
        if !replica.named && (id.is_none() || replica.id != id) {
            tracing::info!(replica = replica.id, "a replica has ended");
            known.remove(at);
            return;
        }
        replica.ready = ready;
        if id.is_some() && replica.id != id {
            tracing::info!(address = base.as_str(), replica = id, "found a replica of the service");
            replica.id = id;
        }
    }

    /// Notes that a replica took no connection, or that it drains: others come first until it is asked again.
    pub(crate) fn note_unready(&self, base: &Url) {
        if let Some(replica) = self.known().iter_mut().find(|replica| *replica.base == *base) {
            replica.ready = false;
        }
    }

    fn known(&self) -> MutexGuard<'_, Vec<Replica>> {
        // Each change is complete before anything can panic.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Attempts ===

impl Attempts<'_> {
    /// The next address to send to.
    pub(crate) fn next(&mut self) -> Option<Arc<Url>> {
        if self.at.is_some() && Instant::now() >= self.until {
            return None;
        }
        self.at = self.way.bases.pop_front();
        self.at.clone()
    }

    /// Takes the outcome of sending to that address: an answer or a failure, unless nothing was sent and another address
    /// may be tried.
    pub(crate) fn settled<T>(&mut self, outcome: Result<T, ServiceError>) -> Option<Result<T, ServiceError>> {
        match outcome {
            Err(error @ ServiceError::NoConnection(_)) => {
                if let Some(base) = &self.at {
                    self.replicas.note_unready(base);
                }
                self.error = error;
                None
            }
            outcome => Some(outcome),
        }
    }

    /// Why no address took the call.
    pub(crate) fn failed(self) -> ServiceError {
        match self.error {
            ServiceError::NoConnection(error) if self.way.of_session => ServiceError::ReplicaGone(error),
            error => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use porthole_daemon::settings::Reader;

    use super::*;

    fn replicas(environment: &[(&str, &str)]) -> Replicas {
        let settings = Settings::read(&Reader::new(environment.iter().copied().collect())).unwrap();
        Replicas::new(&settings, system_resolver())
    }

    fn url(host: &str) -> Url {
        format!("http://{host}:8788").parse().unwrap()
    }

    fn hosts(way: &Way) -> Vec<&str> {
        way.bases.iter().filter_map(|base| base.host_str()).collect()
    }

    const PEERS: &[(&str, &str)] = &[("PORTHOLE_SERVICE_PEERS", "service:8788")];

    #[test]
    fn calls_are_spread_and_those_that_are_not_ready_come_last() {
        let replicas = replicas(PEERS);
        replicas.name(vec![url("10.0.0.3"), url("10.0.0.1"), url("10.0.0.2"), url("10.0.0.1")]);
        let firsts: Vec<String> = (0..4).map(|_| hosts(&replicas.any())[0].to_owned()).collect();
        assert_eq!(firsts, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.1"]);
        replicas.note_unready(&url("10.0.0.2"));
        for _ in 0..4 {
            let way = replicas.any();
            assert_eq!((way.bases.len(), hosts(&way)[2]), (3, "10.0.0.2"));
        }
        replicas.note(&url("10.0.0.2"), None, true);
        assert!((0..3).any(|_| hosts(&replicas.any())[0] == "10.0.0.2"));
    }

    #[test]
    fn a_replica_is_found_by_its_id_alone() {
        let replicas = replicas(PEERS);
        replicas.name(vec![url("10.0.0.1"), url("10.0.0.2")]);
        assert!(replicas.to("AAAAAAAA").is_none());
        replicas.note(&url("10.0.0.2"), Some("AAAAAAAA".to_owned()), true);
        replicas.note(&url("10.9.9.9"), Some("BBBBBBBB".to_owned()), true);
        assert_eq!(hosts(&replicas.to("AAAAAAAA").unwrap()), ["10.0.0.2"]);
        assert!(replicas.to("BBBBBBBB").is_none(), "only addresses that were found count");
        replicas.note(&url("10.0.0.2"), Some("CCCCCCCC".to_owned()), true);
        assert!(replicas.to("AAAAAAAA").is_none(), "it was started again");
    }

    #[test]
    fn a_draining_replica_keeps_its_sessions_and_gets_no_others() {
        let replicas = replicas(PEERS);
        replicas.name(vec![url("10.0.0.1"), url("10.0.0.2")]);
        replicas.note(&url("10.0.0.1"), Some("AAAAAAAA".to_owned()), true);
        replicas.name(vec![url("10.0.0.3")]);
        assert_eq!(hosts(&replicas.any()), ["10.0.0.3"]);
        assert_eq!(hosts(&replicas.to("AAAAAAAA").unwrap()), ["10.0.0.1"]);
        replicas.note(&url("10.0.0.1"), Some("AAAAAAAA".to_owned()), false);
        assert!(replicas.to("AAAAAAAA").is_some());
        replicas.note(&url("10.0.0.1"), None, false);
        assert!(replicas.to("AAAAAAAA").is_none() && replicas.bases().len() == 1);
    }

    #[test]
    fn a_single_url_is_every_calls_way() {
        assert!(replicas(&[]).alone().is_some());
        assert!(replicas(&[("PORTHOLE_SERVICE_URL", "http://a,http://b")]).alone().is_none());
        let peers = replicas(PEERS);
        peers.name(vec![url("10.0.0.1")]);
        assert!(peers.alone().is_none(), "there may be more a moment later");
    }
}
