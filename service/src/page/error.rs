//! Why a page could not be shown or read.

use std::time::Duration;

use super::watch::{Fatal, Stop};
use crate::cdp::CdpError;
use crate::guard::Refusal;
use crate::net_error::NetError;

/// Why a page could not be shown or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PageError {
    /// The page, its redirect or its script went to a target that is refused.
    #[error(transparent)]
    Blocked(Refusal),
    /// The browser could not load the page: the `net::` name.
    #[error("{0}")]
    Failed(NetError),
    /// The page's history has no entry in that direction.
    #[error("the page's history has no entry in that direction")]
    NoHistory,
    /// The URL is a download.
    #[error("{0}: the URL is a download")]
    Download(NetError),
    /// It is more than a page may load.
    #[error("net::ERR_FAILED: {0}")]
    OverBudget(String),
    /// The page sent more events than a page of a shared browser may.
    #[error("net::ERR_FAILED: the page kept the browser busier than one page may")]
    Flooded,
    /// The page did not reach `DOMContentLoaded` in time.
    #[error("Page did not load within {} s", .0.as_secs())]
    NavigationTimedOut(Duration),
    /// The renderer or the browser died.
    #[error("{0}")]
    Crashed(String),
    /// A capture or a reading took too long.
    #[error("{0} took too long: the page's script may be busy")]
    TimedOut(&'static str),
    /// The page did not answer because it is about to be replaced: the browser passes nothing on to a page until the
    /// server of the next one has answered.
    #[error("the page is leaving for another one, whose server has not answered yet; wait, or navigate elsewhere")]
    Leaving,
    /// A page drawn by `begin_frame` drew no frame in time. An ordinary page may still work.
    #[error("the page drew no frame: {0}")]
    NoFrame(String),
    /// No element matches.
    #[error("no element matches {0}")]
    SelectorNotFound(String),
    /// Not a CSS selector.
    #[error("not a CSS selector: {0}")]
    InvalidSelector(String),
    /// The browser refused a command.
    #[error(transparent)]
    Browser(CdpError),
}

impl PageError {
    /// Whether the page gave no answer that can be used: its script is busy, it is leaving, or it is being replaced.
    pub(super) fn is_without_answer(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::Leaving | Self::Browser(_))
    }
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> Self {
        match error {
            error if error.is_gone() => PageError::Crashed(error.to_string()),
            CdpError::TooLarge { .. } => PageError::Flooded,
            error => PageError::Browser(error),
        }
    }
}

impl From<Stop> for PageError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(refusal) => PageError::Blocked(refusal),
            Stop::Dead(fatal) => fatal.into(),
        }
    }
}

impl From<Fatal> for PageError {
    fn from(fatal: Fatal) -> Self {
        match fatal {
            Fatal::Flooded => PageError::Flooded,
            Fatal::Crashed => PageError::Crashed("the page's renderer crashed".to_owned()),
            Fatal::Gone => PageError::Crashed("the browser is gone".to_owned()),
        }
    }
}
