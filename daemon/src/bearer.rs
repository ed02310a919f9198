//! Bearer keys: checks that a caller presents one of the operator's keys.
//!
//! Keys are kept and compared as SHA-256 digests, in constant time, so that the time of a refusal reveals neither a
//! key's length nor its first bytes.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, header};
use porthole_contract::limits::KEY_MIN_BYTES;
use porthole_contract::{ErrorCode, Failure};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};

use crate::answer::Refused;

/// `WWW-Authenticate` of a service that refuses the worker's key. The worker recognises such a 401 by it.
pub const SERVICE_CHALLENGE: &str = "Bearer realm=\"porthole-service\"";
/// `WWW-Authenticate` of a worker that refuses a client's key.
pub const WORKER_CHALLENGE: &str = "Bearer realm=\"porthole\"";

/// The accepted keys.
pub struct BearerKeys {
    digests: Vec<[u8; 32]>,
    challenge: &'static str,
}

/// A key that is too short to be safe, or can't be sent in a header.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("every key must have {KEY_MIN_BYTES} bytes or more, all of them printable ASCII without spaces")]
pub struct UnfitKey;

/// The index of the key that a caller presented, which distinguishes callers without the key itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyIndex(pub u32);

impl BearerKeys {
    /// Accepts these keys, and refuses others with this `WWW-Authenticate`.
    ///
    /// # Errors
    /// [`UnfitKey`] for a key that is shorter than the contract allows, or can't be sent in a header.
    pub fn new(keys: &[SecretString], challenge: &'static str) -> Result<Self, UnfitKey> {
        let digests = keys.iter().map(|key| fit(key).map(digest)).collect::<Result<_, _>>()?;
        Ok(Self { digests, challenge })
    }

    /// Whether there are no keys, so that none is required.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Returns the index of the key in `Authorization: Bearer …`; `None` for a missing or an unknown key.
    #[must_use]
    pub fn presented(&self, headers: &HeaderMap) -> Option<KeyIndex> {
        let presented = digest(bearer(headers)?);
        let mut found = Choice::from(0);
        let mut at = 0;
        for (index, known) in (0_u32..).zip(&self.digests) {
            let same = known[..].ct_eq(&presented[..]);
            at.conditional_assign(&index, same);
            found |= same;
        }
        bool::from(found).then_some(KeyIndex(at))
    }

    /// Returns the answer to a request without an accepted key.
    #[must_use]
    pub fn refusal(&self) -> Response {
        let failure = Failure::new(ErrorCode::Unauthorized, "authorization: must be a known Bearer key");
        ([(header::WWW_AUTHENTICATE, HeaderValue::from_static(self.challenge))], Refused(failure)).into_response()
    }
}

/// Returns the key if it is long enough and can be sent in a header.
///
/// # Errors
/// [`UnfitKey`].
pub fn fit(key: &SecretString) -> Result<&str, UnfitKey> {
    let key = key.expose_secret();
    let fits = key.len() >= KEY_MIN_BYTES && key.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(key) } else { Err(UnfitKey) }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (value, further) = (values.next()?, values.next());
    let (scheme, key) = value.to_str().ok()?.trim().split_once(' ')?;
    (further.is_none() && scheme.eq_ignore_ascii_case("bearer")).then(|| key.trim())
}

fn digest(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> BearerKeys {
        BearerKeys::new(&["a".repeat(32).into(), "b".repeat(40).into()], SERVICE_CHALLENGE).unwrap()
    }

    fn presented(values: &[&str]) -> Option<u32> {
        let headers = values.iter().map(|value| (header::AUTHORIZATION, HeaderValue::from_str(value).unwrap()));
        keys().presented(&headers.collect()).map(|index| index.0)
    }

    #[test]
    fn only_known_keys_are_accepted_and_the_index_is_returned() {
        let (a, b) = ("a".repeat(32), "b".repeat(40));
        assert_eq!(presented(&[&format!("Bearer {a}")]), Some(0));
        assert_eq!(presented(&[&format!("bearer   {b} ")]), Some(1));
        for wrong in ["", "Bearer", "Bearer ", "Basic abc", &a, &format!("Bearer {a}x"), &format!("Bearer {}", &a[1..])]
        {
            assert_eq!(presented(&[wrong]), None, "{wrong:?}");
        }
        assert_eq!(presented(&[&format!("Bearer {a}"), &format!("Bearer {b}")]), None, "two keys are refused");
        assert_eq!(presented(&[]), None);
    }

    #[test]
    fn unfit_keys_are_refused_and_not_shown() {
        for unfit in ["a".repeat(31), format!("{} {}", "a".repeat(20), "b".repeat(20)), "é".repeat(32)] {
            let error = BearerKeys::new(&[unfit.clone().into()], WORKER_CHALLENGE).err().unwrap();
            assert!(!error.to_string().contains(&unfit));
        }
    }

    #[test]
    fn a_refusal_is_a_challenge() {
        let response = keys().refusal();
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], SERVICE_CHALLENGE);
    }
}
