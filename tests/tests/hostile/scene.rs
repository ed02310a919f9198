//! The scene: a public site, canaries at the same port of other addresses, and a DNS server with names for both.
//!
//! Without privileges the public site is at 127.0.0.2, which the service's settings allow, and the canaries are at
//! other loopback addresses. In a network namespace they have real public and private addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use porthole_tests::Site;

use super::canary::Canaries;
use super::names::{Leads, Names};

/// Maximum number of attempts to find a port that is free at every address.
const TRIES: usize = 50;

/// The roles of the scene's addresses.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// The public site's address.
    pub(crate) public: Ipv4Addr,
    /// The address of the canary that the hostile pages aim at.
    pub(crate) forbidden: Ipv4Addr,
    /// The same canary's IPv6 address.
    pub forbidden6: Ipv6Addr,
    /// Addresses of more canaries.
    pub(crate) also: Vec<IpAddr>,
    /// The DNS server's address.
    pub(crate) names: SocketAddr,
}

impl Ground {
    /// Returns a ground of loopback addresses only.
    pub(crate) fn loopback() -> Ground {
        Ground {
            public: Ipv4Addr::new(127, 0, 0, 2),
            forbidden: Ipv4Addr::LOCALHOST,
            forbidden6: Ipv6Addr::LOCALHOST,
            also: vec![Ipv4Addr::new(127, 0, 0, 3).into()],
            names: (Ipv4Addr::LOCALHOST, 0).into(),
        }
    }
}

/// Everything that a hostile test needs except the service.
pub(crate) struct Scene {
    pub(crate) ground: Ground,
    pub(crate) site: Site,
    pub(crate) canaries: Canaries,
    pub(crate) names: Names,
}

impl Scene {
    /// Starts the site, the canaries and the DNS server.
    ///
    /// # Panics
    /// When this host does not have the addresses.
    pub(crate) async fn set(ground: Ground) -> Scene {
        let addresses = [vec![ground.forbidden.into(), ground.forbidden6.into()], ground.also.clone()].concat();
        let leads = Leads { public: ground.public, forbidden: ground.forbidden, forbidden6: ground.forbidden6 };
        let names = Names::at(ground.names, leads).await;
        for _ in 0..TRIES {
            let site = Site::at(ground.public.into());
            if let Some(canaries) = Canaries::at(&addresses, site.addr().port()).await {
                return Scene { ground, site, canaries, names };
            }
        }
        panic!("no port is free at {addresses:?}")
    }

    /// Returns the port of the site and of every canary.
    pub(crate) fn port(&self) -> u16 {
        self.site.addr().port()
    }

    /// Returns the authority of a host at that port.
    pub(crate) fn authority(&self, host: &str) -> String {
        format!("{host}:{}", self.port())
    }
}
