//! Why an action did not happen.

use super::{Fate, Stale};
use crate::page::{Dialog, PageError};

/// Why an action on an element did not happen, or can't be said to have.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ActError {
    /// The ref no longer means the element that it was shown for.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Nothing matches, or the document is gone.
    #[error("{0}")]
    NotFound(Missing),
    /// The element is not rendered, or has no size.
    #[error("{0} is not visible")]
    NotVisible(String),
    /// The element is disabled.
    #[error("{0} is disabled")]
    NotEnabled(String),
    /// The element takes no text.
    #[error("{0} takes no text")]
    NotEditable(String),
    /// Another element is under the point.
    #[error("{covered} is covered by {by}")]
    Covered {
        /// The element that was meant.
        covered: String,
        /// What is in front of it, as `<div id="consent">`.
        by: String,
    },
    /// The page did not take the input.
    #[error("{0}")]
    NoEffect(String),
    /// The input could not be delivered.
    #[error("{0}")]
    DispatchFailed(String),
    /// The element never stood still, or what was waited for did not come.
    #[error("{what} within {waited_ms} ms")]
    TimedOut {
        /// What did not come about, such as `the element did not stand still`.
        what: String,
        /// How long was waited.
        waited_ms: u64,
    },
    /// A dialog holds the page.
    #[error("a dialog ({}) holds the page", .0.kind)]
    Dialog(Dialog),
    /// An argument that only the page can judge.
    #[error("{0}")]
    Invalid(String),
    /// The page was refused or died, or its browser did.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// What is not there.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Missing {
    /// An element: what was looked for.
    #[error("no element matches {0}")]
    Element(String),
    /// The document: of what, or why.
    #[error("the document is gone: {0}")]
    Document(String),
}

impl ActError {
    /// No element matches this.
    pub(super) fn no_element(what: impl Into<String>) -> Self {
        Self::NotFound(Missing::Element(what.into()))
    }

    /// The document is gone: of what, or why.
    pub(super) fn no_document(what: impl Into<String>) -> Self {
        Self::NotFound(Missing::Document(what.into()))
    }

    /// Whether the element has left its document, which is still there. Where the document left as well, the action may have
    /// had it go.
    pub fn is_of_a_gone_element(&self) -> bool {
        matches!(self, Self::NotFound(Missing::Element(_)))
    }

    /// Whether the element of a ref has left its document.
    pub fn is_of_a_gone_ref(&self) -> bool {
        matches!(self, Self::Stale(Stale { fate: Fate::Gone { .. }, .. }))
    }

    /// Whether the element that was meant lacks something or did not take the action. Else the page or the call did.
    pub fn is_about_the_element(&self) -> bool {
        !matches!(self, Self::Dialog(_) | Self::Invalid(_) | Self::Page(_))
    }
}

/// Whether a call found its document gone, or had it go.
pub(super) fn finds_no_document<T>(answer: &Result<T, ActError>) -> bool {
    matches!(answer, Err(ActError::NotFound(Missing::Document(_))))
}

/// `None` where a dialog holds the page: then what was asked for happened, and its answer is still to come.
pub(super) fn unless_held<T>(answer: Result<T, ActError>) -> Result<Option<T>, ActError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(ActError::Dialog(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
