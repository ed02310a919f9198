//! API keys, compared as digests in constant time.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

/// The header with a caller's API key.
const HEADER: HeaderName = HeaderName::from_static("x-bb-api-key");

/// Prefix of generated keys.
const MADE_PREFIX: &str = "bb_emulator_";
/// Random part of a generated key, in bytes.
const MADE_BYTES: usize = 32;

/// The accepted API keys.
pub(crate) enum ApiKeys {
    /// The keys with these digests.
    These(Vec<[u8; 32]>),
    /// Every non-empty key.
    Any,
}

impl ApiKeys {
    pub(crate) fn new(keys: &[SecretString]) -> Self {
        Self::These(keys.iter().map(|key| digest(key.expose_secret().as_bytes())).collect())
    }

    /// Whether the request has exactly one accepted key.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(HEADER).iter();
        let (Some(key), None) = (values.next(), values.next()) else { return false };
        let known = match self {
            Self::These(known) => known,
            Self::Any => return !key.is_empty(),
        };
        let presented = digest(key.as_bytes());
        let found = known.iter().fold(Choice::from(0), |found, known| found | known[..].ct_eq(&presented[..]));
        found.into()
    }
}

/// Generates an API key.
pub(crate) fn made() -> Result<SecretString, getrandom::Error> {
    Ok(format!("{MADE_PREFIX}{}", random(MADE_BYTES)?).into())
}

/// Returns this number of random bytes as URL-safe Base64.
pub(crate) fn random(bytes: usize) -> Result<String, getrandom::Error> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random)?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}

/// Compares two secrets in constant time.
pub(crate) fn same(one: &SecretString, other: &str) -> bool {
    digest(one.expose_secret().as_bytes())[..].ct_eq(&digest(other.as_bytes())[..]).into()
}

fn digest(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(keys: &ApiKeys, presented: &[&str]) -> bool {
        keys.admit(&presented.iter().map(|key| (HEADER, key.parse().unwrap())).collect())
    }

    #[test]
    fn only_accepted_keys_are_admitted_and_never_an_empty_one() {
        let keys = ApiKeys::new(&["one", "two"].map(SecretString::from));
        assert!(admits(&keys, &["two"]) && admits(&ApiKeys::Any, &["whatever"]));
        for presented in [&[][..], &[""], &["three"], &["any"], &["one", "one"]] {
            assert!(!admits(&keys, presented), "{presented:?}");
            assert!(!admits(&ApiKeys::new(&[]), presented), "without keys: {presented:?}");
        }
        assert!(!admits(&ApiKeys::Any, &[]) && !admits(&ApiKeys::Any, &[""]));
    }

    #[test]
    fn generated_keys_differ() {
        let [one, other] = [made().unwrap(), made().unwrap()];
        assert!(one.expose_secret().len() > 40 && !same(&one, other.expose_secret()));
        assert!(admits(&ApiKeys::new(std::slice::from_ref(&one)), &[one.expose_secret()]));
    }
}
