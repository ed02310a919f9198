//! The lease request: the purpose, lifetime and budget of a page. Stated once, when the page is leased; everything that
//! differs between a one-shot visit and an agent's session follows from it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;

use crate::telemetry::PageUse;

/// What a page is for, how long it may be held, and how much it may load.
#[derive(Clone, Debug)]
pub struct LeaseRequest {
    /// What the page is for.
    pub purpose: Purpose,
    /// The longest time for which the lease may be held. Remote providers end their session after it.
    pub lifetime: Duration,
    /// How much the page may load.
    pub budget: Budget,
    /// The verified id of the sandbox that the page is for.
    pub sandbox: Option<Arc<str>>,
    /// The account for remote sessions, if the caller's request carried one.
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
    /// A page that an agent drives over many calls and documents: it runs in real time and draws by itself.
    Session,
}

/// How a page draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// By itself, up to sixty times a second.
    Ordinary,
    /// By `begin_frame` if the provider has such pages, else by itself.
    BeginFrame,
}

/// The clock by which a page settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTime {
    /// Chromium's virtual time: it runs ahead as fast as the processor allows.
    Virtual,
    /// Real time.
    Real,
}

/// How the windows that a page opens are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Popups {
    /// Each is closed before it requests anything.
    Close,
    /// Each is handed to the lease's holder.
    Adopt,
}

/// How a page's dialogs are handled.
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
        /// The whole lease may load this many times the limits.
        lease_factor: u32,
    },
}

/// A session's budget, as a multiple of one document's budget.
pub const SESSION_BUDGET_FACTOR: u32 = 20;

/// The credentials of an account with a provider of remote browsers.
#[derive(Clone)]
pub struct Credentials {
    /// The account's API key.
    pub api_key: SecretString,
    /// The project in which remote sessions are created.
    pub project_id: Option<SecretString>,
}

// === impl LeaseRequest ===

impl LeaseRequest {
    /// Requests a page for one visit of at most `lifetime`.
    #[must_use]
    pub fn visit(frames: Frames, lifetime: Duration, credentials: Option<Credentials>) -> Self {
        Self { purpose: Purpose::Visit { frames }, lifetime, budget: Budget::PerLease, sandbox: None, credentials }
    }

    /// Requests a page for a session of at most `lifetime`.
    #[must_use]
    pub fn session(lifetime: Duration, credentials: Option<Credentials>) -> Self {
        let budget = Budget::PerDocument { lease_factor: SESSION_BUDGET_FACTOR };
        Self { purpose: Purpose::Session, lifetime, budget, sandbox: None, credentials }
    }

    /// Names the sandbox that the page is for.
    #[must_use]
    pub fn of_sandbox(mut self, sandbox: &str) -> Self {
        self.sandbox = Some(sandbox.into());
        self
    }
}

// === impl Purpose ===

impl Purpose {
    /// Returns how the page draws.
    #[must_use]
    pub const fn frames(self) -> Frames {
        match self {
            Purpose::Visit { frames } => frames,
            Purpose::Session => Frames::Ordinary,
        }
    }

    /// Returns the clock by which the page settles.
    #[must_use]
    pub const fn time(self) -> PageTime {
        match self {
            Purpose::Visit { .. } => PageTime::Virtual,
            Purpose::Session => PageTime::Real,
        }
    }

    /// Returns how windows that the page opens are handled.
    #[must_use]
    pub const fn popups(self) -> Popups {
        match self {
            Purpose::Visit { .. } => Popups::Close,
            Purpose::Session => Popups::Adopt,
        }
    }

    /// Returns how the page's dialogs are handled.
    #[must_use]
    pub const fn dialogs(self) -> Dialogs {
        match self {
            Purpose::Visit { .. } => Dialogs::Dismiss,
            Purpose::Session => Dialogs::Report,
        }
    }

    /// Returns whether the page counts as busy for the whole lease, which defers the making of warm pages. A
    /// session's page is idle between calls.
    #[must_use]
    pub const fn works_throughout(self) -> bool {
        matches!(self, Purpose::Visit { .. })
    }

    /// Returns what its page is counted as.
    #[must_use]
    pub const fn page_use(self) -> PageUse {
        if self.works_throughout() { PageUse::Busy } else { PageUse::Held }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}
