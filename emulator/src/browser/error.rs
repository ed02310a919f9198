//! Why a browser can't be started or reached.

/// Why a browser can't be started or reached.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BrowserError {
    #[error("the browser can't be started")]
    Start(#[source] std::io::Error),
    #[error("the browser exited during start-up: {0}")]
    Ended(String),
    #[error("the browser did not start in time: {0}")]
    Late(String),
    #[error("the browser can't be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl BrowserError {
    /// Whether another start may succeed; it can't if the system refuses to start the program.
    pub(super) fn is_worth_another_start(&self) -> bool {
        match self {
            Self::Start(_) => false,
            Self::Ended(_) | Self::Late(_) | Self::Unreachable(_) => true,
        }
    }
}
