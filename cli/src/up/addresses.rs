//! The addresses that the environment configures for both processes, and whether they are free.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener};

use crate::failure::Failed;

/// A listener's variable and the configured address.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub(super) variable: &'static str,
    pub(super) asked: String,
}

/// The four listeners.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    pub(super) worker: Endpoint,
    pub(super) worker_admin: Endpoint,
    pub(super) service: Endpoint,
    pub(super) service_admin: Endpoint,
}

impl Endpoint {
    fn new(variable: &'static str, default: &str) -> Self {
        let asked = std::env::var(variable).ok().filter(|value| !value.is_empty());
        Self { variable, asked: asked.unwrap_or_else(|| default.to_owned()) }
    }

    /// Returns the address if it is known before the process listens. It is not for port 0 or a host name.
    pub(super) fn known(&self) -> Option<SocketAddr> {
        self.asked.parse().ok().filter(|address: &SocketAddr| address.port() != 0)
    }

    fn must_be_free(&self) -> Result<(), Failed> {
        match TcpListener::bind(&self.asked) {
            Err(error) if error.kind() == ErrorKind::AddrInUse => Err(Failed::Up {
                sentence: format!(
                    "{} is in use already: is another `porthole up` running? End it, or set {} to another address",
                    self.asked, self.variable
                ),
                setting: false,
            }),
            // The process itself reports any other problem with its address.
            _ => Ok(()),
        }
    }
}

impl Addresses {
    pub(super) fn from_environment() -> Self {
        Self {
            worker: Endpoint::new("PORTHOLE_WORKER_ADDR", "127.0.0.1:8787"),
            worker_admin: Endpoint::new("PORTHOLE_WORKER_ADMIN_ADDR", "127.0.0.1:9787"),
            service: Endpoint::new("PORTHOLE_SERVICE_ADDR", "127.0.0.1:8788"),
            service_admin: Endpoint::new("PORTHOLE_SERVICE_ADMIN_ADDR", "127.0.0.1:9788"),
        }
    }

    /// Free ports of loopback. The environment's addresses don't apply.
    pub(super) fn free() -> Self {
        let free = |variable| Endpoint { variable, asked: "127.0.0.1:0".to_owned() };
        let Self { worker, worker_admin, service, service_admin } = Self::from_environment();
        Self {
            worker: free(worker.variable),
            worker_admin: free(worker_admin.variable),
            service: free(service.variable),
            service_admin: free(service_admin.variable),
        }
    }

    /// Checks every address before a process is started, so that the error names the address, not a process that died.
    pub(super) fn must_be_free(&self) -> Result<(), Failed> {
        [&self.worker, &self.worker_admin, &self.service, &self.service_admin]
            .into_iter()
            .try_for_each(Endpoint::must_be_free)
    }
}

/// Returns the URL at which clients on this machine reach the address.
pub(super) fn url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(asked: &str) -> Endpoint {
        Endpoint { variable: "PORTHOLE_WORKER_ADDR", asked: asked.to_owned() }
    }

    #[test]
    fn an_address_in_use_is_reported_with_its_variable() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let sentence = endpoint(&address).must_be_free().unwrap_err().to_string();
        assert!(sentence.contains(&address) && sentence.contains("PORTHOLE_WORKER_ADDR"), "{sentence}");
        assert!(endpoint("127.0.0.1:0").must_be_free().is_ok());
        assert!(endpoint("nonsense").must_be_free().is_ok());
    }

    #[test]
    fn an_address_is_known_unless_the_system_chooses_it() {
        assert!(endpoint("127.0.0.1:8787").known().is_some());
        assert!(endpoint("127.0.0.1:0").known().is_none());
        assert!(endpoint("localhost:8787").known().is_none());
    }

    #[test]
    fn unspecified_addresses_are_reached_through_loopback() {
        for (address, expected) in
            [("0.0.0.0:1", "http://127.0.0.1:1"), ("[::]:1", "http://[::1]:1"), ("192.0.2.1:1", "http://192.0.2.1:1")]
        {
            assert_eq!(url(address.parse().unwrap()), expected);
        }
    }
}
