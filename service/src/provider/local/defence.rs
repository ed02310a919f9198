//! What stands between a page and the network, by name, so that tests can take one away and hear that it was needed.
//!
//! No setting reaches this: only who builds a [`super::LocalOptions`] in a program can leave one out.

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

impl Defence {
    /// The guard that judges in this defence's place, which is this one unless the defence is left out.
    #[must_use]
    pub(crate) fn guard(self, without: &[Defence], guard: &Guard) -> Guard {
        if without.contains(&self) { guard.opened() } else { guard.clone() }
    }
}
