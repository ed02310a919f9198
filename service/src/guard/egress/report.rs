//! Records of one egress: how each dial ended, what was refused and why, and how much of the limits was used.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use url::{Host, Url};

use super::EgressLimits;
use crate::guard::Refusal;
use crate::net_error::NetError;

/// How a dial or the connection that it opened ended. Its `Display` form contains no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DialOutcome {
    /// Connected, and nothing went wrong since.
    #[error("connected")]
    Connected,
    /// Refused by the guard; never [`Refusal::NotResolved`], which is [`DialOutcome::NameNotFound`].
    #[error(transparent)]
    Blocked(Refusal),
    /// The name has no address, or no answer came in time.
    #[error("the name can't be found")]
    NameNotFound,
    /// Nothing listens there.
    #[error("the connection was refused")]
    Refused,
    /// No route to the address.
    #[error("the address can't be reached")]
    Unreachable,
    /// No answer to the dial.
    #[error("the connection timed out")]
    TimedOut,
    /// Any other error of the system.
    #[error("the connection failed")]
    Failed,
    /// Reset by the other side once connected.
    #[error("the connection was reset")]
    Reset,
    /// Closed by the other side without an answer.
    #[error("the connection was closed without an answer")]
    Empty,
    /// The answer is not HTTP.
    #[error("the answer is not HTTP")]
    Garbled,
    /// No byte in either direction for [`EgressLimits::idle_timeout`].
    #[error("the connection was idle for too long")]
    Silent,
    /// Closed, or never opened, since the page has used up a limit.
    #[error("the page used up its limit of {0}")]
    OverBudget(Excess),
}

/// Which limit was used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Excess {
    /// [`EgressLimits::bytes`].
    Bytes,
    /// [`EgressLimits::requests`].
    Requests,
}

/// The latest outcome for one host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dial {
    /// The host, as in the URL.
    pub host: Host<String>,
    /// The port.
    pub port: u16,
    /// Its outcome so far.
    pub outcome: DialOutcome,
}

/// What has happened at an egress.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The latest outcome for each host and port, in the order in which they were first asked for.
    pub dials: Vec<Dial>,
    /// Requests refused as blocked targets, by [`Refusal::label`].
    pub blocked: BTreeMap<&'static str, u64>,
    /// Requests that could not be read, or that no browser of ours would send (another scheme, a user name).
    pub malformed: u64,
    /// Requests refused and connections closed because a limit was used up.
    pub over_budget: u64,
    /// Connections that did not come from our browser.
    pub foreign: u64,
    /// Requests and tunnels, the refused ones included.
    pub requests: u64,
    /// Bytes to and from sites.
    pub bytes: u64,
}

/// The state behind a [`Report`].
#[derive(Debug)]
pub(super) struct Books {
    /// Limits of one document, and of the whole lease until the first renewal.
    bytes_max: u64,
    requests_max: u64,
    /// The totals at which connections are closed and requests refused.
    bytes_limit: AtomicU64,
    requests_limit: AtomicU64,
    /// How many times the whole lease may use a document's limits.
    lease_factor: AtomicU64,
    bytes: AtomicU64,
    requests: AtomicU64,
    foreign: AtomicU64,
    malformed: AtomicU64,
    over_budget: AtomicU64,
    dials: Mutex<Dials>,
    /// Hashes of the URLs whose latest answer was the egress's own.
    in_place: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Dials {
    by_authority: HashMap<Authority, (usize, DialOutcome)>,
    blocked: BTreeMap<&'static str, u64>,
}

pub(super) use crate::guard::target::Authority;

// === impl DialOutcome ===

impl DialOutcome {
    /// Returns whether Porthole refused the connection.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, DialOutcome::Blocked(_) | DialOutcome::OverBudget(_))
    }

    /// Returns Chromium's name of this outcome when it dials itself. `None` for an open connection and for Porthole's
    /// own refusals, which have no such name.
    #[must_use]
    pub const fn net_error(&self) -> Option<NetError> {
        match self {
            DialOutcome::Connected | DialOutcome::Blocked(_) | DialOutcome::OverBudget(_) => None,
            DialOutcome::NameNotFound => Some(NetError::NameNotResolved),
            DialOutcome::Refused => Some(NetError::ConnectionRefused),
            DialOutcome::Unreachable => Some(NetError::AddressUnreachable),
            DialOutcome::TimedOut => Some(NetError::ConnectionTimedOut),
            DialOutcome::Failed => Some(NetError::ConnectionFailed),
            DialOutcome::Reset => Some(NetError::ConnectionReset),
            DialOutcome::Empty => Some(NetError::EmptyResponse),
            DialOutcome::Garbled => Some(NetError::InvalidHttpResponse),
            DialOutcome::Silent => Some(NetError::TimedOut),
        }
    }

    /// Returns one word for the browser and the logs. For a blocked target it does not contain the reason.
    #[must_use]
    pub const fn label(&self) -> &'static str {
        match self {
            DialOutcome::Connected => "connected",
            DialOutcome::Blocked(_) => "blocked",
            DialOutcome::NameNotFound => "name_not_found",
            DialOutcome::Refused => "refused",
            DialOutcome::Unreachable => "unreachable",
            DialOutcome::TimedOut => "timed_out",
            DialOutcome::Failed => "failed",
            DialOutcome::Reset => "reset",
            DialOutcome::Empty => "empty",
            DialOutcome::Garbled => "garbled",
            DialOutcome::Silent => "silent",
            DialOutcome::OverBudget(_) => "over_budget",
        }
    }
}

impl From<Refusal> for DialOutcome {
    fn from(refusal: Refusal) -> DialOutcome {
        match refusal {
            Refusal::NotResolved { .. } => DialOutcome::NameNotFound,
            refusal => DialOutcome::Blocked(refusal),
        }
    }
}

impl std::fmt::Display for Excess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Excess::Bytes => "bytes",
            Excess::Requests => "requests",
        })
    }
}

// === impl Report ===

impl Report {
    /// Returns the number of requests refused as blocked targets: `blocked_requests` of a response.
    #[must_use]
    pub fn blocked_requests(&self) -> u64 {
        self.blocked.values().sum()
    }
}

// === impl Books ===

impl Books {
    pub(super) fn new(limits: &EgressLimits) -> Books {
        Books {
            bytes_max: limits.bytes,
            requests_max: limits.requests,
            bytes_limit: AtomicU64::new(limits.bytes),
            requests_limit: AtomicU64::new(limits.requests),
            lease_factor: AtomicU64::new(1),
            bytes: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            foreign: AtomicU64::new(0),
            malformed: AtomicU64::new(0),
            over_budget: AtomicU64::new(0),
            dials: Mutex::default(),
            in_place: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// Sets how many times the whole lease may use a document's limits.
    pub(super) fn set_lease_factor(&self, factor: u32) {
        self.lease_factor.store(factor.into(), Ordering::Relaxed);
    }

    /// Gives a new document its full limits, within what the whole lease may use.
    pub(super) fn renew(&self) {
        let factor = self.lease_factor.load(Ordering::Relaxed);
        let limit = |used: &AtomicU64, max: u64| {
            used.load(Ordering::Relaxed).saturating_add(max).min(max.saturating_mul(factor))
        };
        self.bytes_limit.store(limit(&self.bytes, self.bytes_max), Ordering::Relaxed);
        self.requests_limit.store(limit(&self.requests, self.requests_max), Ordering::Relaxed);
        // Stored outcomes are bounded by one document's requests: a lease of many documents clears them when they are
        // full.
        let mut dials = self.dials();
        if u64::try_from(dials.by_authority.len()).is_ok_and(|known| known >= self.requests_max) {
            dials.by_authority.clear();
        }
        drop(dials);
        let mut urls = self.in_place.lock().unwrap_or_else(PoisonError::into_inner);
        if u64::try_from(urls.len()).is_ok_and(|known| known >= self.requests_max) {
            urls.clear();
        }
    }

    /// Counts a request; fails if the requests or the bytes are used up.
    pub(super) fn request(&self) -> Result<(), Excess> {
        if self.requests.fetch_add(1, Ordering::Relaxed) >= self.requests_limit.load(Ordering::Relaxed) {
            return Err(Excess::Requests);
        }
        self.more_bytes(0)
    }

    /// Counts transferred bytes; fails if they exceed the limit.
    pub(super) fn more_bytes(&self, count: usize) -> Result<(), Excess> {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let before = self.bytes.fetch_add(count, Ordering::Relaxed);
        if before.saturating_add(count) > self.bytes_limit.load(Ordering::Relaxed) {
            Err(Excess::Bytes)
        } else {
            Ok(())
        }
    }

    pub(super) fn foreign(&self) {
        self.foreign.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn malformed(&self) {
        self.malformed.fetch_add(1, Ordering::Relaxed);
    }

    /// Records how a dial ended.
    pub(super) fn ended(&self, authority: &Authority, outcome: DialOutcome) {
        match &outcome {
            DialOutcome::Connected => {}
            DialOutcome::OverBudget(_) => {
                self.over_budget.fetch_add(1, Ordering::Relaxed);
            }
            outcome => {
                tracing::debug!(host = %authority.0, port = authority.1, reason = reason(outcome), "a dial failed");
            }
        }
        let mut dials = self.dials();
        match &outcome {
            DialOutcome::Blocked(refusal @ Refusal::Blocked(_)) => {
                *dials.blocked.entry(refusal.label()).or_default() += 1;
            }
            DialOutcome::Blocked(_) => self.malformed(),
            _ => {}
        }
        let known = dials.by_authority.len();
        if let Some((_, latest)) = dials.by_authority.get_mut(authority) {
            *latest = outcome;
        // A page without requests left can still ask for any number of names, so not all are kept.
        } else if u64::try_from(known).is_ok_and(|known| known < self.requests_max) {
            dials.by_authority.insert(authority.clone(), (known, outcome));
        }
    }

    /// Records whether the site or the egress itself answered this URL.
    pub(super) fn answered(&self, url: &str, in_place: bool) {
        let mut urls = self.in_place.lock().unwrap_or_else(PoisonError::into_inner);
        if !in_place && urls.is_empty() {
            return;
        }
        let Some(url) = self.hash_of(url) else { return };
        // Bounded by the number of requests: further ones are only refused.
        if !in_place {
            urls.remove(&url);
        } else if u64::try_from(urls.len()).is_ok_and(|known| known <= self.requests_max) {
            urls.insert(url);
        }
    }

    pub(super) fn was_answered_in_place(&self, url: &str) -> bool {
        let Some(url) = self.hash_of(url) else { return false };
        self.in_place.lock().unwrap_or_else(PoisonError::into_inner).contains(&url)
    }

    /// Returns the hash of a URL as a proxy receives it, without the parts that stay in the browser.
    fn hash_of(&self, url: &str) -> Option<u64> {
        let mut url = Url::parse(url).ok().filter(|url| url.scheme() == "http")?;
        url.set_fragment(None);
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        Some(self.hasher.hash_one(url.as_str()))
    }

    pub(super) fn outcome_of(&self, host: &Host<String>, port: u16) -> Option<DialOutcome> {
        self.dials().by_authority.get(&(host.clone(), port)).map(|(_, outcome)| outcome.clone())
    }

    pub(super) fn over_budget(&self) -> u64 {
        self.over_budget.load(Ordering::Relaxed)
    }

    pub(super) fn report(&self) -> Report {
        let dials = self.dials();
        let mut ordered: Vec<_> = dials.by_authority.iter().collect();
        ordered.sort_by_key(|(_, (order, _))| *order);
        let dial = |(authority, (_, outcome)): (&Authority, &(usize, DialOutcome))| Dial {
            host: authority.0.clone(),
            port: authority.1,
            outcome: outcome.clone(),
        };
        Report {
            dials: ordered.into_iter().map(dial).collect(),
            blocked: dials.blocked.clone(),
            malformed: self.malformed.load(Ordering::Relaxed),
            over_budget: self.over_budget(),
            foreign: self.foreign.load(Ordering::Relaxed),
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    fn dials(&self) -> MutexGuard<'_, Dials> {
        self.dials.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the reason, as precisely as logs may give it.
fn reason(outcome: &DialOutcome) -> &'static str {
    match outcome {
        DialOutcome::Blocked(refusal) => refusal.label(),
        outcome => outcome.label(),
    }
}
