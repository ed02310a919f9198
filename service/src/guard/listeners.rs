//! Where Porthole itself listens: doors that no exception opens, by whatever address of this host they are named.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use super::host::HostAddresses;

/// Every address that Porthole listens on, shared by all who open or judge one. Clones see the same set.
///
/// Also for addresses elsewhere that must stay shut, such as a browser's debugging port.
#[derive(Clone, Debug, Default)]
pub struct OwnListeners(Arc<RwLock<HashSet<SocketAddr>>>);

impl OwnListeners {
    /// Closes this address to every target, from now on.
    pub fn insert(&self, address: SocketAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(plain(address));
    }

    /// Forgets this address: nobody of ours listens there any more.
    pub fn remove(&self, address: SocketAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&plain(address));
    }

    /// Whether this address leads to one of ours.
    ///
    /// Every address of this host counts where the port is the same, whichever of them the listener is bound to: one
    /// bound to `0.0.0.0` or `[::]` answers at all of them, and 127.0.0.2 or the host's public address are no way in.
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

/// The address as it is dialled: IPv4 where IPv6 maps it, and no scope.
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
