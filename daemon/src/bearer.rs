//! Bearer keys: whether a caller presents one that the operator gave out.
//!
//! Keys are kept and compared as SHA-256 digests, in constant time, so that neither a key's length nor its first bytes
//! can be learnt from how long a refusal takes.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, header};
use porthole_contract::limits::KEY_MIN_BYTES;
use porthole_contract::{ErrorCode, Failure};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};

use crate::answer::Refused;

/// What `WWW-Authenticate` says where the service refuses the worker's key: only then is a 401 about that key.
pub const SERVICE_CHALLENGE: &str = "Bearer realm=\"porthole-service\"";
/// The same where the worker refuses a client's key.
pub const WORKER_CHALLENGE: &str = "Bearer realm=\"porthole\"";

/// The keys that are good here.
pub struct BearerKeys {
    digests: Vec<[u8; 32]>,
    challenge: &'static str,
}

/// A key is too short to be safe, or can't be sent in a header.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("every key must have {KEY_MIN_BYTES} bytes or more, all of them printable ASCII without spaces")]
pub struct UnfitKey;

/// Which of the keys a caller presented: its place in the list, so that callers can be told apart without the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyIndex(pub u32);

impl BearerKeys {
    /// These keys, refused with this `WWW-Authenticate`.
    ///
    /// # Errors
    /// [`UnfitKey`] for a key that is shorter than the contract allows, or that no header can carry.
    pub fn new(keys: &[SecretString], challenge: &'static str) -> Result<Self, UnfitKey> {
        let digests = keys.iter().map(|key| fit(key).map(digest)).collect::<Result<_, _>>()?;
        Ok(Self { digests, challenge })
    }

    /// Whether there is no key, so that none is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Which key the request presents in `Authorization: Bearer …`; `None` for none or a wrong one.
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

    /// The answer to a request without a good key.
    #[must_use]
    pub fn refusal(&self) -> Response {
        let failure = Failure::new(ErrorCode::Unauthorized, "authorization: must be a Bearer key that is known here");
        ([(header::WWW_AUTHENTICATE, HeaderValue::from_static(self.challenge))], Refused(failure)).into_response()
    }
}

/// The key, if it is long enough and can be sent in a header.
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
    fn only_a_known_key_is_taken_and_it_is_known_which() {
        let (a, b) = ("a".repeat(32), "b".repeat(40));
        assert_eq!(presented(&[&format!("Bearer {a}")]), Some(0));
        assert_eq!(presented(&[&format!("bearer   {b} ")]), Some(1));
        for wrong in ["", "Bearer", "Bearer ", "Basic abc", &a, &format!("Bearer {a}x"), &format!("Bearer {}", &a[1..])]
        {
            assert_eq!(presented(&[wrong]), None, "{wrong:?}");
        }
        assert_eq!(presented(&[&format!("Bearer {a}"), &format!("Bearer {b}")]), None, "two keys are no key");
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
