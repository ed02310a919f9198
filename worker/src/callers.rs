//! Who calls, and how often: client keys, and the rate limit by key or address.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderMap, HeaderValue};
use porthole_contract::{ErrorCode, Failure};
use porthole_daemon::answer::Refused;
use porthole_daemon::bearer::{BearerKeys, KeyIndex, UnfitKey, WORKER_CHALLENGE};
use porthole_daemon::client_network::ClientNetwork;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

/// How often callers that have been quiet long enough are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// Whose requests are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Caller {
    /// Callers that present this client key.
    Key(KeyIndex),
    /// Callers of this network.
    Network(ClientNetwork),
}

/// What a caller's name to the service begins with before it is hashed, so that the hash is of no use anywhere else.
const NAME_DOMAIN: &[u8] = b"porthole client name\0";
/// How much of the hash is the name, in bytes: enough that no two callers share one.
const NAME_BYTES: usize = 16;

/// Judges callers.
pub(crate) struct Callers {
    keys: BearerKeys,
    /// What names are hashed with: without the service's key an address could be found by hashing all of them.
    named: Sha256,
    rates: DefaultKeyedRateLimiter<Caller>,
    clock: DefaultClock,
}

impl Callers {
    /// Asks for one of `keys`, if there are any, and lets each caller send `a_minute` requests a minute.
    ///
    /// # Errors
    /// [`UnfitKey`] for a key that settings would have refused.
    pub(crate) fn new(
        keys: &[SecretString],
        service_key: Option<&SecretString>,
        a_minute: NonZeroU32,
    ) -> Result<Self, UnfitKey> {
        let salt = service_key.map_or("", |key| key.expose_secret());
        Ok(Self {
            keys: BearerKeys::new(keys, WORKER_CHALLENGE)?,
            named: Sha256::new().chain_update(NAME_DOMAIN).chain_update(salt).chain_update([0]),
            rates: RateLimiter::keyed(Quota::per_minute(a_minute)),
            clock: DefaultClock::default(),
        })
    }

    /// Lets the request in and gives its caller's name for the service's queue, or says why not. Wrong keys count against their address, so that they can't be tried at
    /// will, and never against who has a right one.
    pub(crate) fn admit(&self, headers: &HeaderMap, address: IpAddr) -> Result<HeaderValue, Box<Response>> {
        let key = self.keys.presented(headers);
        let caller = key.map_or_else(|| Caller::Network(ClientNetwork::of(address)), Caller::Key);
        self.within_rate(caller).map_err(|failure| Box::new(Refused(failure).into_response()))?;
        if key.is_none() && !self.keys.is_empty() { Err(Box::new(self.keys.refusal())) } else { Ok(self.name(caller)) }
    }

    /// The same where no key is asked for; whose requests are counted together goes by the network alone.
    pub(crate) fn admit_without_key(&self, address: IpAddr) -> Result<HeaderValue, Box<Response>> {
        let caller = Caller::Network(ClientNetwork::of(address));
        self.within_rate(caller).map_err(|failure| Box::new(Refused(failure).into_response()))?;
        Ok(self.name(caller))
    }

    /// A hash that tells callers apart and nothing else. Workers with the same settings give the same.
    fn name(&self, caller: Caller) -> HeaderValue {
        let caller = match caller {
            Caller::Key(KeyIndex(index)) => format!("key {index}"),
            Caller::Network(network) => format!("address {network}"),
        };
        let hash = self.named.clone().chain_update(caller).finalize();
        let name: String = hash.iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect();
        HeaderValue::from_str(&name).expect("hexadecimal digits stand in any header")
    }

    fn within_rate(&self, caller: Caller) -> Result<(), Failure> {
        self.rates.check_key(&caller).map_err(|not_until| {
            Failure::new(ErrorCode::RateLimited, "more requests a minute than one caller may send")
                .retry_after(not_until.wait_time_from(self.clock.now()))
        })
    }

    /// Forgets callers whose requests no longer count, so that their number stays bounded; until `ended`.
    pub(crate) async fn forget_the_quiet(&self, ended: CancellationToken) {
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
        let refused = callers.admit(&headers, address.parse().unwrap()).err()?;
        Some(failure_of(&refused).unwrap().code.name())
    }

    #[test]
    fn without_keys_addresses_are_limited_each_on_its_own() {
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
    fn keys_are_limited_each_on_its_own_wherever_they_come_from() {
        let callers = callers(&["a", "b"], 1);
        assert_eq!(code(&callers, Some("a"), "192.0.2.1"), None);
        assert_eq!(code(&callers, Some("a"), "192.0.2.2"), Some("RATE_LIMITED"));
        assert_eq!(code(&callers, Some("b"), "192.0.2.1"), None);
    }

    #[test]
    fn wrong_keys_are_refused_then_limited_and_cost_the_right_one_nothing() {
        let callers = callers(&["a"], 1);
        assert_eq!(code(&callers, None, "192.0.2.1"), Some("UNAUTHORIZED"));
        assert_eq!(code(&callers, Some("x"), "192.0.2.1"), Some("RATE_LIMITED"));
        assert_eq!(code(&callers, Some("a"), "192.0.2.1"), None);
    }

    #[test]
    fn callers_are_told_apart_by_names_that_tell_nothing_else() {
        let known = callers(&["a", "b"], 100);
        let name = |letter: &str, address: &str| {
            let key = HeaderValue::from_str(&format!("Bearer {}", letter.repeat(32))).unwrap();
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, key)]);
            known.admit(&headers, address.parse().unwrap()).unwrap()
        };
        assert_eq!(name("a", "192.0.2.1"), name("a", "192.0.2.2"), "a key is who it is wherever it comes from");
        assert_ne!(name("a", "192.0.2.1"), name("b", "192.0.2.1"));
        let of_address = |callers: &Callers| callers.admit(&HeaderMap::new(), "192.0.2.1".parse().unwrap()).unwrap();
        let salted = Callers::new(&[], Some(&"s".repeat(32).into()), NonZeroU32::MIN).unwrap();
        assert_ne!(of_address(&salted), of_address(&callers(&[], 1)));
        assert_eq!(name("a", "192.0.2.1").len(), 2 * NAME_BYTES);
    }

    #[test]
    fn a_refusal_says_when_the_next_request_is_taken() {
        let callers = callers(&[], 2);
        let address = "192.0.2.1".parse().unwrap();
        let refused =
            std::iter::repeat_with(|| callers.admit(&HeaderMap::new(), address)).find_map(Result::err).unwrap();
        let wait = failure_of(&refused).unwrap().retry_after.unwrap();
        assert!((Duration::from_secs(25)..=Duration::from_secs(30)).contains(&wait), "{wait:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn quiet_callers_are_forgotten() {
        // The limiter keeps its own time: at this rate a caller is forgotten after a microsecond or so.
        let callers = callers(&[], u32::MAX);
        callers.admit(&HeaderMap::new(), "192.0.2.1".parse().unwrap()).unwrap();
        assert_eq!(callers.rates.len(), 1);
        let ended = CancellationToken::new();
        let forgotten = async {
            while !callers.rates.is_empty() {
                tokio::time::sleep(FORGET_EVERY).await;
            }
            ended.cancel();
        };
        let both = async { tokio::join!(callers.forget_the_quiet(ended.clone()), forgotten) };
        tokio::time::timeout(FORGET_EVERY * 10, both).await.expect("never forgotten");
    }
}
