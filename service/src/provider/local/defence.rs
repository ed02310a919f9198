//! The defences between a page and the network, by name, so that tests can remove one and prove that it is needed.
//!
//! No setting removes a defence: only code that builds [`super::LocalOptions`] can.

use crate::guard::Guard;

/// One defence of the local provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defence {
    /// The egress judges every address that it dials.
    EgressJudgement,
    /// A context's requests go through its own egress.
    ContextProxy,
    /// Requests outside any context go to a proxy port on which nothing listens.
    DeadEnd,
    /// Loopback and link-local addresses don't bypass the proxies.
    LoopbackRule,
    /// The browser's own resolver resolves no name.
    ResolverRules,
    /// WebRTC may send nothing past a proxy.
    WebRtcPolicy,
    /// The browser does not speak QUIC.
    NoQuic,
    /// The browser sends no hyperlink auditing pings.
    NoPings,
    /// An egress accepts connections of its own browser only.
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
