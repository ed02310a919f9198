//! What stands between a page and the network, by name, so that tests can take one away and hear that it was needed.
//!
//! No setting reaches this: only a program that passes a [`Weakness`] can leave a defence out.

use crate::guard::Guard;

/// One defence of the local provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defence {
    /// The egress judges every address that it dials.
    EgressJudgement,
    /// A context's requests go through an egress of its own.
    ContextProxy,
    /// What belongs to no context goes to a proxy that is not there.
    DeadEnd,
    /// Loopback and link-local addresses don't bypass the proxies.
    LoopbackRule,
    /// The browser's own resolver finds nothing.
    ResolverRules,
    /// WebRTC may send nothing past a proxy.
    WebRtcPolicy,
    /// The browser does not speak QUIC.
    NoQuic,
    /// The browser tells nobody that a link was followed.
    NoPings,
    /// An egress serves its own browser alone.
    PeerCheck,
    /// Each page has a browser context of its own.
    OwnContext,
}

/// How the browsers of a provider differ from production's. The default is no difference.
#[derive(Clone, Debug, Default)]
pub struct Weakness {
    /// Defences that are left out.
    pub without: Vec<Defence>,
    /// Flags for the browser, after our own.
    pub flags: Vec<String>,
}

impl Weakness {
    /// Whether this defence is in place.
    pub(super) fn leaves(&self, defence: Defence) -> bool {
        !self.without.contains(&defence)
    }

    /// The egress's guard: this one, or one that lets everything through where [`Defence::EgressJudgement`] is left out.
    pub(super) fn guard(&self, guard: &Guard) -> Guard {
        if self.leaves(Defence::EgressJudgement) { guard.clone() } else { guard.opened() }
    }
}
