//! The addresses that Porthole itself listens on. No exception opens them, under any address of this host.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use super::host::HostAddresses;

/// Every address that Porthole listens on, shared by the code that opens listeners and the code that judges targets.
/// Clones share one set.
///
/// Also holds addresses on other hosts that must stay closed, such as a browser's debugging port.
#[derive(Clone, Debug, Default)]
pub struct OwnListeners(Arc<RwLock<HashSet<SocketAddr>>>);

impl OwnListeners {
    /// Blocks this address as a target from now on.
    pub fn insert(&self, address: SocketAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(plain(address));
    }

    /// Removes this address, because Porthole no longer listens there.
    pub fn remove(&self, address: SocketAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&plain(address));
    }

    /// Returns whether this address leads to one of Porthole's listeners.
    ///
    /// Every address of this host with the listener's port counts, not only the one that the listener is bound to: one
    /// bound to `0.0.0.0` or `[::]` also answers at 127.0.0.2 and at the host's public address.
    #[must_use]
    pub fn contains(&self, address: SocketAddr, host: &HostAddresses) -> bool {
        let address = plain(address);
        let same_port = {
            let listeners = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if listeners.contains(&address) {
                return true;
            }
            listeners.iter().any(|listener| listener.port() == address.port())
        };
        same_port && host.has(address.ip())
    }
}

/// Returns the address as it is dialled: IPv4-mapped IPv6 as IPv4, and without a scope.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_listener_is_known_by_every_address_of_this_host() {
        for bound in ["127.0.0.1:8788", "0.0.0.0:8788", "[::]:8788", "[::1]:8788"] {
            let own = OwnListeners::default();
            own.insert(at(bound));
            for same in [
                "127.0.0.1:8788",
                "127.9.9.9:8788",
                "[::1]:8788",
                "0.0.0.0:8788",
                "[::]:8788",
                "[::ffff:127.0.0.1]:8788",
            ] {
                assert!(own.contains(at(same), &HostAddresses::default()), "{same} of {bound}");
            }
            for other in ["127.0.0.1:8789", "[::1]:80", "93.184.216.34:8788"] {
                assert!(!own.contains(at(other), &HostAddresses::default()), "{other} of {bound}");
            }
        }
    }

    #[test]
    fn an_address_elsewhere_is_closed_as_it_is() {
        let own = OwnListeners::default();
        own.insert(at("10.1.2.3:9222"));
        assert!(own.contains(at("10.1.2.3:9222"), &HostAddresses::default()));
        assert!(own.contains(at("[::ffff:10.1.2.3]:9222"), &HostAddresses::default()));
        assert!(!own.contains(at("10.1.2.4:9222"), &HostAddresses::default()));
        own.remove(at("10.1.2.3:9222"));
        assert!(!own.contains(at("10.1.2.3:9222"), &HostAddresses::default()));
    }
}
