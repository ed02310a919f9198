//! What the service does: one file an operation, each reading like the sentence that describes it.

mod extract;
pub mod ladder;
mod lossless;
mod phase;
mod screenshot;
mod visit;

use std::sync::Arc;

use porthole_contract::Invalid;
use secrecy::SecretString;

pub use self::extract::Extract;
pub use self::ladder::LadderError;
pub use self::screenshot::Screenshot;
use crate::admission::{Admission, Overloaded};
use crate::guard::{Judge, Refusal};
use crate::page::PageError;
use crate::provider::{Credentials, Provider, ProviderError};
use crate::telemetry::PhaseMetrics;

/// All that operations work with. Clones share it.
#[derive(Clone)]
pub struct Browsing {
    /// Judges targets.
    pub judge: Judge,
    /// Gives out permits.
    pub admission: Admission,
    /// Leases pages.
    pub provider: Arc<dyn Provider>,
    /// Where phases are timed.
    pub phases: PhaseMetrics,
}

/// Why an operation failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OperationError {
    /// A field that only the operation can judge.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The target is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no permit, and no use in waiting for one.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    /// No page to work with.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The page could not be shown or read.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The picture fits on no step of the ladder.
    #[error(transparent)]
    Ladder(#[from] LadderError),
    /// Nothing but white space was read: what is missing.
    #[error("{0}")]
    Empty(String),
    /// The request's own time is over.
    #[error("the request did not end within its {timeout_ms} ms")]
    Deadline {
        /// The request's own time.
        timeout_ms: u32,
    },
}

impl OperationError {
    /// A page's error; a selector that is none is told by the field that it came in.
    fn of_selector(field: &str, error: PageError) -> Self {
        match error {
            PageError::InvalidSelector(_) => Invalid::new(field, error.to_string()).into(),
            error => error.into(),
        }
    }
}

/// The account that a request brought, if it brought any part of one.
fn credentials(api_key: Option<&SecretString>, project_id: Option<&SecretString>) -> Option<Credentials> {
    match (api_key, project_id) {
        (None, None) => None,
        (api_key, project_id) => {
            Some(Credentials { api_key: api_key.cloned().unwrap_or_default(), project_id: project_id.cloned() })
        }
    }
}
