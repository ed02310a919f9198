//! Who may call: API keys, compared as digests and in the same time whatever they are.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

/// Where a caller presents its key.
const HEADER: HeaderName = HeaderName::from_static("x-bb-api-key");

/// What a key that was made here begins with.
const MADE_PREFIX: &str = "bb_emulator_";
/// The random part of a key that was made here, in bytes.
const MADE_BYTES: usize = 32;

/// The keys that are good here.
pub(crate) enum ApiKeys {
    /// Those with these digests.
    These(Vec<[u8; 32]>),
    /// Any.
    Any,
}

impl ApiKeys {
    pub(crate) fn new(keys: &[SecretString]) -> Self {
        Self::These(keys.iter().map(|key| digest(key.expose_secret().as_bytes())).collect())
    }

    /// Whether the request presents a good key.
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

/// A new API key.
pub(crate) fn made() -> Result<SecretString, getrandom::Error> {
    Ok(format!("{MADE_PREFIX}{}", random(MADE_BYTES)?).into())
}

/// So many random bytes, as text that URLs and headers take.
pub(crate) fn random(bytes: usize) -> Result<String, getrandom::Error> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random)?;
    Ok(URL_SAFE_NO_PAD.encode(random))
}

/// Whether two secrets are the same.
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
    fn only_good_keys_are_admitted_and_where_any_is_not_an_empty_one() {
        let keys = ApiKeys::new(&["one", "two"].map(SecretString::from));
        assert!(admits(&keys, &["two"]) && admits(&ApiKeys::Any, &["whatever"]));
        for presented in [&[][..], &[""], &["three"], &["any"], &["one", "one"]] {
            assert!(!admits(&keys, presented), "{presented:?}");
            assert!(!admits(&ApiKeys::new(&[]), presented), "no key is good: {presented:?}");
        }
        assert!(!admits(&ApiKeys::Any, &[]) && !admits(&ApiKeys::Any, &[""]));
    }

    #[test]
    fn a_made_key_is_another_each_time() {
        let [one, other] = [made().unwrap(), made().unwrap()];
        assert!(one.expose_secret().len() > 40 && !same(&one, other.expose_secret()));
        assert!(admits(&ApiKeys::new(std::slice::from_ref(&one)), &[one.expose_secret()]));
    }
}
