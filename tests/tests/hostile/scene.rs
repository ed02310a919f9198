//! The scene: a public site, canaries beside it at the same port, and a DNS server whose names lead to both.
//!
//! Without privileges the public site is at 127.0.0.2, which the service is told to let through, and the canaries are at
//! other loopback addresses. In a network namespace of our own they have the addresses that they stand for.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use porthole_tests::Site;

use super::canary::Canaries;
use super::names::{Leads, Names};

/// How often a port is looked for that is free at every address.
const TRIES: usize = 50;

/// Which addresses stand for what.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// The public site's.
    pub(crate) public: Ipv4Addr,
    /// A canary's, which the hostile pages aim at.
    pub(crate) forbidden: Ipv4Addr,
    /// The same in IPv6.
    pub forbidden6: Ipv6Addr,
    /// Where other canaries are.
    pub(crate) also: Vec<IpAddr>,
    /// Where the DNS server is.
    pub(crate) names: SocketAddr,
}

impl Ground {
    /// Loopback addresses alone.
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

/// Everything but the service.
pub(crate) struct Scene {
    pub(crate) ground: Ground,
    pub(crate) site: Site,
    pub(crate) canaries: Canaries,
    pub(crate) names: Names,
}

impl Scene {
    /// Sets it up.
    ///
    /// # Panics
    /// When the addresses are not this host's.
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

    /// The port of the site and of every canary.
    pub(crate) fn port(&self) -> u16 {
        self.site.addr().port()
    }

    /// The authority of this host at that port.
    pub(crate) fn authority(&self, host: &str) -> String {
        format!("{host}:{}", self.port())
    }
}
