//! The service's operations, one file each. Each reads as the sequence of its steps.

mod annotate;
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
pub use self::visit::over_budget;
pub(crate) use self::{
    extract::Asked,
    screenshot::{Wanted, picture},
};
use crate::admission::{Admission, Overloaded};
use crate::guard::{Judge, Refusal};
use crate::page::PageError;
use crate::provider::{Credentials, Provider, ProviderError};
use crate::telemetry::PhaseMetrics;

/// The dependencies of the operations. Clones share them.
#[derive(Clone)]
pub struct Browsing {
    /// Judges targets.
    pub judge: Judge,
    /// Gives out permits.
    pub admission: Admission,
    /// Leases pages.
    pub provider: Arc<dyn Provider>,
    /// Records the durations of phases.
    pub phases: PhaseMetrics,
}

/// Why an operation failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OperationError {
    /// A field is invalid in a way that only the operation can judge.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The target is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No permit is free, and waiting for one would be of no use.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    /// No page could be leased.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The page could not be shown or read.
    #[error(transparent)]
    Page(#[from] PageError),
    /// No step of the ladder makes the picture fit.
    #[error(transparent)]
    Ladder(#[from] LadderError),
    /// Only white space was read; names what is missing.
    #[error("{0}")]
    Empty(String),
    /// The request's own time limit is over.
    #[error("the request did not end within its {timeout_ms} ms")]
    Deadline {
        /// The request's own time limit.
        timeout_ms: u32,
    },
}

impl OperationError {
    /// Converts a page's error. Reports an invalid selector against its request field.
    fn of_selector(field: &str, error: PageError) -> Self {
        match error {
            PageError::InvalidSelector(_) => Invalid::new(field, error.to_string()).into(),
            error => error.into(),
        }
    }
}

/// Returns the request's Browserbase credentials, if it has any part of them.
pub(crate) fn credentials(api_key: Option<&SecretString>, project_id: Option<&SecretString>) -> Option<Credentials> {
    match (api_key, project_id) {
        (None, None) => None,
        (api_key, project_id) => {
            Some(Credentials { api_key: api_key.cloned().unwrap_or_default(), project_id: project_id.cloned() })
        }
    }
}
