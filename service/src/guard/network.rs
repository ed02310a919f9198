//! How a page reaches the network, which decides the checks that are left to the code that drives the page.

use std::sync::Arc;

use super::egress::Egress;

/// A page's network.
#[derive(Clone, Debug)]
pub enum Network {
    /// Our own egress, which judges every connection.
    Egress(Arc<Egress>),
    /// A remote browser's own network, which we observe only through the browser.
    Remote(RemoteNetwork),
}

/// A network outside our control: requests are intercepted before they are sent, and answers are judged by their
/// remote address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteNetwork {
    /// Which requests are intercepted and judged.
    pub intercept: Intercept,
    /// Whether the browser serves this page alone, so that it can be intercepted as a whole, including service workers
    /// and frames in other processes from their first request on.
    pub whole_browser: bool,
    /// Whether the remote address of an answer is the site's own. Behind a proxy it is the proxy's.
    pub judges_addresses: bool,
}

/// Which requests are intercepted and judged before they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intercept {
    /// Documents, and URLs that name a private host literally. Other requests are not delayed.
    DocumentsAndPrivate,
    /// Every request; each costs a round trip.
    Everything,
}

impl Network {
    /// Returns the page's egress, if the network is ours.
    #[must_use]
    pub fn egress(&self) -> Option<&Arc<Egress>> {
        match self {
            Network::Egress(egress) => Some(egress),
            Network::Remote(_) => None,
        }
    }

    /// Returns the properties of a remote network.
    #[must_use]
    pub fn remote(&self) -> Option<RemoteNetwork> {
        match self {
            Network::Egress(_) => None,
            Network::Remote(remote) => Some(*remote),
        }
    }
}
