//! Who may call: API keys, compared as digests and in the same time whatever they are.

use http::{HeaderMap, HeaderName};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

/// Where a caller presents its key.
const HEADER: HeaderName = HeaderName::from_static("x-bb-api-key");

/// The keys that are good here; with none, any is.
pub(crate) struct ApiKeys(Vec<[u8; 32]>);

impl ApiKeys {
    pub(crate) fn new(keys: &[SecretString]) -> Self {
        Self(keys.iter().map(|key| digest(key.expose_secret().as_bytes())).collect())
    }

    /// Whether the request presents a good key.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(HEADER).iter();
        let (Some(key), None) = (values.next(), values.next()) else { return false };
        if self.0.is_empty() {
            return !key.is_empty();
        }
        let presented = digest(key.as_bytes());
        let found = self.0.iter().fold(Choice::from(0), |found, known| found | known[..].ct_eq(&presented[..]));
        found.into()
    }
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

    fn admits(keys: &[&str], presented: &[&'static str]) -> bool {
        let keys: Vec<SecretString> = keys.iter().map(|key| SecretString::from(*key)).collect();
        let headers = presented.iter().map(|key| (HEADER, key.parse().unwrap()));
        ApiKeys::new(&keys).admit(&headers.collect())
    }

    #[test]
    fn a_good_key_is_admitted_and_without_keys_any_but_none() {
        assert!(admits(&["one", "two"], &["two"]));
        assert!(admits(&[], &["whatever"]));
        for presented in [&[][..], &[""], &["three"], &["one", "one"]] {
            assert!(!admits(&["one", "two"], presented), "{presented:?}");
        }
        assert!(!admits(&[], &[]) && !admits(&[], &[""]));
    }
}
