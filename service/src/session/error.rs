//! Why a call to a session failed.

use porthole_contract::Invalid;

use crate::admission::{NoSeat, Overloaded};
use crate::guard::Refusal;
use crate::operation::OperationError;
use crate::page::interact::{ActError, Missed};
use crate::page::{IdentityError, PageError};
use crate::provider::ProviderError;

/// Why a call to a session failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SessionError {
    /// The call names no session, and needs one.
    #[error("session: is missing; only navigate and open create one")]
    NoPage,
    /// No such session: it was never made, has ended, or is another sandbox's.
    #[error("session: no session has this handle")]
    NotFound,
    /// The session's browser died, or the replica that had it is gone.
    #[error("the session's browser, or the server that ran it, is gone")]
    Lost,
    /// No seat, or no room for another tab.
    #[error("{0}")]
    Limit(String),
    /// The machine has no memory, or the queue no room.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    /// A field that only the session can judge.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// No page to begin with.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The target is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The browser opened a tab and did not attach it in time, or opened none.
    #[error("the browser opened no tab")]
    NotAttached,
    /// The session runs as many calls as it may.
    #[error("this session already runs or queues {max} calls; wait for one of them to end")]
    TooManyCalls {
        /// How many that is.
        max: usize,
    },
    /// A dialog holds the session.
    #[error("a dialog ({kind}) in tab {tab} holds the session")]
    Dialog {
        /// Its tab.
        tab: String,
        /// Its kind.
        kind: String,
    },
    /// A dialog was to be answered that no answer has told of.
    #[error("a dialog ({kind}) is open in tab {tab} that no answer has told of yet: it is among the events")]
    UntoldDialog {
        /// Its tab.
        tab: String,
        /// Its kind.
        kind: String,
    },
    /// The tab that the last answer was about has closed by itself, and the call names neither a tab nor a ref.
    #[error("tab {closed} has closed, and {active} is the active one now: look at it, or name the tab")]
    TabClosed {
        /// Its name.
        closed: String,
        /// The tab that would be acted on.
        active: String,
    },
    /// A person has led the tab to another document while the call waited for control, and the call names neither an element
    /// nor a ref.
    #[error("a person has led tab {tab} to another document meanwhile: look at it")]
    LedAway {
        /// Its name.
        tab: String,
    },
    /// A viewer has control of the session.
    #[error("a person has control of the session in its live view")]
    ControlHeld,
    /// The action did not happen.
    #[error(transparent)]
    Act(#[from] ActError),
    /// Nothing was located, or what was is not as it must be.
    #[error(transparent)]
    Missed(#[from] Box<Missed>),
    /// A reading or a picture failed.
    #[error(transparent)]
    Operation(#[from] OperationError),
    /// The call's own time is over.
    #[error("the call did not end within its {timeout_ms} ms")]
    Deadline {
        /// The call's own time.
        timeout_ms: u32,
    },
    /// The signing library failed, or the system gave no randomness.
    #[error("a handle can't be made: {0}")]
    Handle(String),
}

impl From<NoSeat> for SessionError {
    fn from(error: NoSeat) -> Self {
        match error {
            NoSeat::Memory(overloaded) => Self::Overloaded(overloaded),
            NoSeat::Total(_) | NoSeat::PerSandbox(_) => Self::Limit(error.to_string()),
        }
    }
}

impl From<IdentityError> for SessionError {
    fn from(error: IdentityError) -> Self {
        match error {
            IdentityError::Refused { field, message } => {
                Invalid::new(field, format!("is refused by the browser: {message}")).into()
            }
            IdentityError::Page(error) => error.into(),
        }
    }
}

impl From<PageError> for SessionError {
    fn from(error: PageError) -> Self {
        Self::Act(ActError::Page(error))
    }
}
