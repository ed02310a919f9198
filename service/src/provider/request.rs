//! The lease request: what a page is wanted for. Said once, when the page is leased; whatever differs between a one-shot
//! visit and an agent's session follows from it.

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;

/// What a page is wanted for, for how long, and how much it may load.
#[derive(Clone, Debug)]
pub struct LeaseRequest {
    /// What the page is for.
    pub purpose: Purpose,
    /// The longest time for which the lease may be held. Remote providers end their session after it.
    pub lifetime: Duration,
    /// How much the page may load.
    pub budget: Budget,
    /// The account whose remote sessions are used, where the request brought one.
    pub credentials: Option<Credentials>,
}

/// What a page is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One visit for one request: one document is loaded, settled in virtual time, and captured or read.
    Visit {
        /// How the page draws.
        frames: Frames,
    },
    /// A page that an agent acts in, over many documents and between calls: in real time, drawing by itself.
    Session,
}

/// How a page draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// By itself, up to sixty times a second.
    Ordinary,
    /// By `begin_frame` where the provider has such pages, else by itself.
    BeginFrame,
}

/// Which clock a page has while it settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTime {
    /// Chromium's virtual time: it runs ahead as fast as the processor allows.
    Virtual,
    /// The real one.
    Real,
}

/// What becomes of the windows that a page opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Popups {
    /// Each is closed before it asks for anything.
    Close,
    /// Each is handed to the lease's holder.
    Adopt,
}

/// What becomes of a page's dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialogs {
    /// Each is dismissed at once; `beforeunload` is accepted.
    Dismiss,
    /// Each is reported to the lease's holder, who answers it. `beforeunload` is reported as well.
    Report,
}

/// How much a page may load through its egress: multiples of the limits in
/// [`EgressLimits`](crate::guard::egress::EgressLimits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// The limits hold for the whole lease.
    PerLease,
    /// The limits are renewed with each document of the main frame.
    PerDocument {
        /// So many times the limits in the whole lease.
        lease_factor: u32,
    },
}

/// How many times a document's budget a session may load in its life (SESSIONS.md, Handles, life, limits).
pub const SESSION_BUDGET_FACTOR: u32 = 20;

/// An account of a provider of remote browsers.
#[derive(Clone)]
pub struct Credentials {
    /// Its key.
    pub api_key: SecretString,
    /// The project that sessions are created in.
    pub project_id: Option<SecretString>,
}

// === impl LeaseRequest ===

impl LeaseRequest {
    /// A page for one visit that ends after `lifetime`.
    #[must_use]
    pub fn visit(frames: Frames, lifetime: Duration, credentials: Option<Credentials>) -> Self {
        Self { purpose: Purpose::Visit { frames }, lifetime, budget: Budget::PerLease, credentials }
    }

    /// A page for a session that lasts `lifetime` at most.
    #[must_use]
    pub fn session(lifetime: Duration, credentials: Option<Credentials>) -> Self {
        let budget = Budget::PerDocument { lease_factor: SESSION_BUDGET_FACTOR };
        Self { purpose: Purpose::Session, lifetime, budget, credentials }
    }
}

// === impl Purpose ===

impl Purpose {
    /// How the page draws.
    #[must_use]
    pub const fn frames(self) -> Frames {
        match self {
            Purpose::Visit { frames } => frames,
            Purpose::Session => Frames::Ordinary,
        }
    }

    /// Which clock the page has while it settles.
    #[must_use]
    pub const fn time(self) -> PageTime {
        match self {
            Purpose::Visit { .. } => PageTime::Virtual,
            Purpose::Session => PageTime::Real,
        }
    }

    /// What becomes of windows that the page opens.
    #[must_use]
    pub const fn popups(self) -> Popups {
        match self {
            Purpose::Visit { .. } => Popups::Close,
            Purpose::Session => Popups::Adopt,
        }
    }

    /// What becomes of the page's dialogs.
    #[must_use]
    pub const fn dialogs(self) -> Dialogs {
        match self {
            Purpose::Visit { .. } => Dialogs::Dismiss,
            Purpose::Session => Dialogs::Report,
        }
    }

    /// Whether the page counts as working for as long as it is leased: then no warm page is made beside it and it shows
    /// as busy. A session's page is idle between calls.
    #[must_use]
    pub const fn works_throughout(self) -> bool {
        matches!(self, Purpose::Visit { .. })
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}
