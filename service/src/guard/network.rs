//! How a page reaches the network, and so which part of the guard's work is left to whoever drives the page.

use std::sync::Arc;

use super::egress::Egress;

/// A page's network.
#[derive(Clone, Debug)]
pub enum Network {
    /// Our own way out: it judges every connection.
    Egress(Arc<Egress>),
    /// A remote browser's own network, which we see through the browser's eyes alone.
    Remote(RemoteNetwork),
}

/// A network that is out of our reach: requests are intercepted before they leave, answers judged by where they came
/// from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteNetwork {
    /// Which requests are stopped and judged.
    pub intercept: Intercept,
    /// Whether the whole browser serves this page alone, so that it can be intercepted as one: its service workers
    /// and frames in other processes included, from their first request on.
    pub whole_browser: bool,
    /// Whether the address that an answer came from is the site's own. Behind a proxy it is the proxy's.
    pub judges_addresses: bool,
}

/// Which requests are stopped and judged before they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intercept {
    /// Documents, and whatever names a private host outright. All other requests pay nothing.
    DocumentsAndPrivate,
    /// Every request: each pays a round trip.
    Everything,
}

impl Network {
    /// The page's way out, where it is ours.
    #[must_use]
    pub fn egress(&self) -> Option<&Arc<Egress>> {
        match self {
            Network::Egress(egress) => Some(egress),
            Network::Remote(_) => None,
        }
    }

    /// What is known of a network that is not ours.
    #[must_use]
    pub fn remote(&self) -> Option<RemoteNetwork> {
        match self {
            Network::Egress(_) => None,
            Network::Remote(remote) => Some(*remote),
        }
    }
}
