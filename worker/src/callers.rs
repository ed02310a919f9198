//! Authenticates callers by client key, and limits their rate by key or network.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderMap, HeaderValue};
use porthole_contract::limits::SESSION_CALLS_PER_REQUEST;
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::answer::Refused;
use porthole_daemon::bearer::{BearerKeys, KeyIndex, UnfitKey, WORKER_CHALLENGE};
use porthole_daemon::client_network::ClientNetwork;
use porthole_daemon::listen::CONNECTIONS_MAX;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

/// Interval for dropping the rate limiter's state of idle callers.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// The unit of the rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Caller {
    /// All callers with this client key.
    Key(KeyIndex),
    /// All callers from this network.
    Network(ClientNetwork),
}

/// What a call costs of its caller's rate, in cells of the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight(NonZeroU32);

impl Weight {
    /// A request that opens a page of its own.
    pub(crate) const REQUEST: Self = Self(NonZeroU32::new(SESSION_CALLS_PER_REQUEST).unwrap());
    /// A call to a session.
    pub(crate) const SESSION_CALL: Self = Self(NonZeroU32::MIN);
    /// What is left of a request's once it has been counted as a call.
    pub(crate) const REQUEST_AFTER_A_CALL: Self = Self(NonZeroU32::new(SESSION_CALLS_PER_REQUEST - 1).unwrap());
}

/// A caller whose request was admitted.
#[derive(Debug)]
pub(crate) struct Admitted {
    caller: Caller,
    name: HeaderValue,
}

impl Admitted {
    /// The caller's name for the service's queue.
    pub(crate) fn name(&self) -> &HeaderValue {
        &self.name
    }

    /// The key that the caller presented.
    pub(crate) fn key(&self) -> Option<KeyIndex> {
        match self.caller {
            Caller::Key(key) => Some(key),
            Caller::Network(_) => None,
        }
    }
}

/// Prefix of the hashed text, so that a caller's name can't be confused with a hash for another purpose.
const NAME_DOMAIN: &[u8] = b"porthole client name\0";
/// Length of a caller's name in bytes, long enough to be unique.
const NAME_BYTES: usize = 16;

/// Calls of one caller that may be in flight: half of the connections, so that others get through where all come by one
/// proxy.
const IN_FLIGHT_MAX: usize = CONNECTIONS_MAX / 2;

/// A call in flight, until this is dropped.
pub(crate) struct InFlight<'a> {
    callers: &'a Callers,
    caller: Caller,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let mut in_flight = self.callers.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = in_flight.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                in_flight.remove(&self.caller);
            }
        }
    }
}

/// Authenticates and rate-limits callers.
pub(crate) struct Callers {
    keys: BearerKeys,
    /// Hash state of callers' names, salted with the service's key: without a salt, hashing all addresses would reveal
    /// a caller's.
    salted: Sha256,
    rates: DefaultKeyedRateLimiter<Caller>,
    clock: DefaultClock,
    /// How many calls each caller has in flight.
    in_flight: Mutex<HashMap<Caller, usize>>,
}

impl Callers {
    /// Requires one of `keys`, if there are any, and allows each caller `a_minute` requests a minute, or
    /// [`SESSION_CALLS_PER_REQUEST`] times as many calls to sessions.
    ///
    /// # Errors
    /// [`UnfitKey`] for a key that the settings would have refused.
    pub(crate) fn new(
        keys: &[SecretString],
        service_key: Option<&SecretString>,
        a_minute: NonZeroU32,
    ) -> Result<Self, UnfitKey> {
        let salt = service_key.map_or("", |key| key.expose_secret());
        Ok(Self {
            keys: BearerKeys::new(keys, WORKER_CHALLENGE)?,
            salted: Sha256::new().chain_update(NAME_DOMAIN).chain_update(salt).chain_update([0]),
            rates: RateLimiter::keyed(Quota::per_minute(a_minute.saturating_mul(Weight::REQUEST.0))),
            clock: DefaultClock::default(),
            in_flight: Mutex::default(),
        })
    }

    /// Admits the request and returns who its caller is. Wrong keys count against the network that sends them, which limits
    /// guessing, and never against the holder of a right key.
    ///
    /// # Errors
    /// The answer that refuses the request: `RATE_LIMITED` or `UNAUTHORIZED`.
    pub(crate) fn admit_caller(
        &self,
        headers: &HeaderMap,
        address: IpAddr,
        weight: Weight,
    ) -> Result<Admitted, Box<Response>> {
        let key = self.keys.presented(headers);
        let caller = key.map_or_else(|| Caller::Network(ClientNetwork::of(address)), Caller::Key);
        self.within_rate(caller, weight).map_err(|failure| Box::new(Refused(failure).into_response()))?;
        if key.is_none() && !self.keys.is_empty() {
            return Err(Box::new(self.keys.refusal()));
        }
        Ok(Admitted { caller, name: self.name(caller) })
    }

    /// Counts an admitted call among those of its caller that are in flight.
    ///
    /// # Errors
    /// `RATE_LIMITED` where there are too many.
    pub(crate) fn enter(&self, admitted: &Admitted) -> Result<InFlight<'_>, Failure> {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        let count = in_flight.entry(admitted.caller).or_default();
        if *count >= IN_FLIGHT_MAX {
            let failure = Failure::new(ErrorCode::RateLimited, "the caller has too many calls in flight");
            return Err(failure.retry_after(Duration::from_secs(1)));
        }
        *count += 1;
        Ok(InFlight { callers: self, caller: admitted.caller })
    }

    /// Counts further work of an admitted request.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) fn charge(&self, admitted: &Admitted, weight: Weight) -> Result<(), Failure> {
        self.within_rate(admitted.caller, weight)
    }

    /// Admits like [`Callers::admit_caller`] without requiring a key, rate-limited by network only.
    pub(crate) fn admit_without_key(&self, address: IpAddr, weight: Weight) -> Result<HeaderValue, Box<Response>> {
        let caller = Caller::Network(ClientNetwork::of(address));
        self.within_rate(caller, weight).map_err(|failure| Box::new(Refused(failure).into_response()))?;
        Ok(self.name(caller))
    }

    /// Returns a hash that identifies the caller and reveals nothing else. Workers with equal settings return the same.
    fn name(&self, caller: Caller) -> HeaderValue {
        let caller = match caller {
            Caller::Key(KeyIndex(index)) => format!("key {index}"),
            Caller::Network(network) => format!("address {network}"),
        };
        let hash = self.salted.clone().chain_update(caller).finalize();
        let name: String = hash.iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect();
        HeaderValue::from_str(&name).expect("hexadecimal digits are a valid header value")
    }

    fn within_rate(&self, caller: Caller, weight: Weight) -> Result<(), Failure> {
        let limited =
            || Failure::new(ErrorCode::RateLimited, "the caller sent more requests than its limit per minute");
        let cells = self.rates.check_key_n(&caller, weight.0);
        cells
            .map_err(|_more_than_a_minutes_worth| limited())?
            .map_err(|not_until| limited().retry_after(not_until.wait_time_from(self.clock.now())))
    }

    /// Drops the state of idle callers at intervals, which bounds its size, until `ended` is cancelled.
    pub(crate) async fn forget_idle(&self, ended: CancellationToken) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(FORGET_EVERY) => {}
                () = ended.cancelled() => return,
            }
            self.rates.retain_recent();
            self.rates.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header;
    use porthole_daemon::answer::failure_of;

    use super::*;

    fn callers(keys: &[&str], a_minute: u32) -> Callers {
        let keys: Vec<_> = keys.iter().map(|letter| letter.repeat(32).into()).collect();
        Callers::new(&keys, None, NonZeroU32::new(a_minute).unwrap()).unwrap()
    }

    fn code(callers: &Callers, key: Option<&str>, address: &str) -> Option<&'static str> {
        let key = key.map(|letter| HeaderValue::from_str(&format!("Bearer {}", letter.repeat(32))).unwrap());
        let headers = key.into_iter().map(|key| (header::AUTHORIZATION, key)).collect();
        let refused = callers.admit_caller(&headers, address.parse().unwrap(), Weight::REQUEST).err()?;
        Some(failure_of(&refused).unwrap().code.name())
    }

    #[test]
    fn without_keys_each_network_is_limited() {
        let callers = callers(&[], 2);
        for (address, refusal) in [
            ("192.0.2.1", None),
            ("::ffff:192.0.2.1", None),
            ("192.0.2.1", Some("RATE_LIMITED")),
            ("192.0.2.2", None),
            ("2001:db8::1", None),
            ("2001:db8::2", None),
            ("2001:db8::3:4", Some("RATE_LIMITED")),
            ("2001:db8:0:1::1", None),
        ] {
            assert_eq!(code(&callers, Some("any"), address), refusal, "{address}");
        }
    }

    #[test]
    fn each_key_is_limited_whatever_its_address() {
        let callers = callers(&["a", "b"], 1);
        assert_eq!(code(&callers, Some("a"), "192.0.2.1"), None);
        assert_eq!(code(&callers, Some("a"), "192.0.2.2"), Some("RATE_LIMITED"));
        assert_eq!(code(&callers, Some("b"), "192.0.2.1"), None);
    }

    #[test]
    fn wrong_keys_are_refused_then_limited_and_do_not_count_against_the_right_one() {
        let callers = callers(&["a"], 1);
        assert_eq!(code(&callers, None, "192.0.2.1"), Some("UNAUTHORIZED"));
        assert_eq!(code(&callers, Some("x"), "192.0.2.1"), Some("RATE_LIMITED"));
        assert_eq!(code(&callers, Some("a"), "192.0.2.1"), None);
    }

    #[test]
    fn names_identify_callers_and_reveal_nothing_else() {
        let known = callers(&["a", "b"], 100);
        let name = |letter: &str, address: &str| {
            let key = HeaderValue::from_str(&format!("Bearer {}", letter.repeat(32))).unwrap();
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, key)]);
            known.admit_caller(&headers, address.parse().unwrap(), Weight::REQUEST).unwrap().name
        };
        assert_eq!(name("a", "192.0.2.1"), name("a", "192.0.2.2"), "a key has one name at every address");
        assert_ne!(name("a", "192.0.2.1"), name("b", "192.0.2.1"));
        let of_address = |callers: &Callers| {
            callers.admit_caller(&HeaderMap::new(), "192.0.2.1".parse().unwrap(), Weight::REQUEST).unwrap().name
        };
        let salted = Callers::new(&[], Some(&"s".repeat(32).into()), NonZeroU32::MIN).unwrap();
        assert_ne!(of_address(&salted), of_address(&callers(&[], 1)));
        assert_eq!(name("a", "192.0.2.1").len(), 2 * NAME_BYTES);
    }

    #[test]
    fn a_refusal_has_the_time_until_the_next_request_is_admitted() {
        let callers = callers(&[], 2);
        let address = "192.0.2.1".parse().unwrap();
        let refused = std::iter::repeat_with(|| callers.admit_caller(&HeaderMap::new(), address, Weight::REQUEST))
            .find_map(Result::err)
            .unwrap();
        let wait = failure_of(&refused).unwrap().retry_after.unwrap();
        assert!((Duration::from_secs(25)..=Duration::from_secs(30)).contains(&wait), "{wait:?}");
    }

    #[test]
    fn a_caller_has_so_many_calls_in_flight_and_leaves_room_for_others() {
        let callers = callers(&["a", "b"], u32::MAX);
        let admitted = |letter: &str| {
            let key = HeaderValue::from_str(&format!("Bearer {}", letter.repeat(32))).unwrap();
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, key)]);
            callers.admit_caller(&headers, "192.0.2.1".parse().unwrap(), Weight::SESSION_CALL).unwrap()
        };
        let (a, b) = (admitted("a"), admitted("b"));
        let mut in_flight: Vec<InFlight<'_>> = (0..IN_FLIGHT_MAX).map(|_| callers.enter(&a).unwrap()).collect();
        assert_eq!(callers.enter(&a).err().map(|failure| failure.code), Some(ErrorCode::RateLimited));
        assert!(callers.enter(&b).is_ok());
        in_flight.pop();
        assert!(callers.enter(&a).is_ok());
        drop(in_flight);
        assert!(callers.in_flight.lock().unwrap().is_empty());
    }

    #[test]
    fn ten_session_calls_count_as_one_request() {
        let callers = callers(&[], 2);
        let address = "192.0.2.1".parse().unwrap();
        let admitted = |weight| callers.admit_caller(&HeaderMap::new(), address, weight).is_ok();
        assert!(admitted(Weight::REQUEST));
        assert_eq!((0..20).filter(|_| admitted(Weight::SESSION_CALL)).count(), 10);
        assert!(!admitted(Weight::REQUEST));
    }

    #[tokio::test(start_paused = true)]
    async fn idle_callers_are_forgotten() {
        // The limiter uses a real clock: at this rate a caller is idle after about a microsecond.
        let callers = callers(&[], u32::MAX);
        callers.admit_caller(&HeaderMap::new(), "192.0.2.1".parse().unwrap(), Weight::REQUEST).unwrap();
        assert_eq!(callers.rates.len(), 1);
        let ended = CancellationToken::new();
        let forgotten = async {
            while !callers.rates.is_empty() {
                tokio::time::sleep(FORGET_EVERY).await;
            }
            ended.cancel();
        };
        let both = async { tokio::join!(callers.forget_idle(ended.clone()), forgotten) };
        tokio::time::timeout(FORGET_EVERY * 10, both).await.expect("never forgotten");
    }
}
