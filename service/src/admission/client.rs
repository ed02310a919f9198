//! The client of a request, for the queue's fairness: the worker's name for its caller, or an address.

use std::net::IpAddr;
use std::sync::Arc;

/// Maximum length of a client's name, in bytes.
const NAME_MAX_BYTES: usize = 64;

/// A client of the queue. Clones are the same client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Client(Arc<str>);

impl Client {
    /// Returns the client of this name, which the worker makes: a hash, so up to 64 letters and digits. `None` for
    /// anything else.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let fits = (1..=NAME_MAX_BYTES).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fits.then(|| Self(name.into()))
    }

    /// Its name or address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the client at this address, for a call without a worker in between.
    #[must_use]
    pub fn at(address: IpAddr) -> Self {
        Self(address.to_canonical().to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_hashes_and_no_address_can_be_taken_for_one() {
        assert!(Client::named("0a1b2c").is_some());
        for unfit in ["", "a b", "127.0.0.1", "::1", &"a".repeat(65)] {
            assert_eq!(Client::named(unfit), None, "{unfit}");
        }
        assert_eq!(Client::at("::ffff:192.0.2.1".parse().unwrap()), Client::at("192.0.2.1".parse().unwrap()));
    }
}
