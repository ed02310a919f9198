//! Where a session begins and where it goes: `open` and `navigate`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::open_options::Opens as _;
use super::request::session_request;
use super::url::check_url;
use crate::json::Invalid;

session_request! {
    /// `POST session/open`: makes a session with given options.
    OpenRequest [open snapshot] {}
}

session_request! {
    /// `POST session/navigate`: goes to a URL or through the history. Without a session it makes one, and may say how
    /// that is to be.
    NavigateRequest [open snapshot] {
        /// The page: an absolute `http` or `https` URL.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub url: Option<String>,
        /// Through the history instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub action: Option<HistoryAction>,
        /// The state that is waited for.
        #[serde(default)]
        pub wait_until: LoadState,
    }
}

/// A step through a tab's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryAction {
    /// To the page before.
    Back,
    /// To the page after.
    Forward,
    /// The same page again.
    Reload,
}

/// The state of a document that `navigate` waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadState {
    /// The document and all that it names is loaded.
    #[default]
    Load,
    /// The document is parsed.
    DomContentLoaded,
    /// No request for 500 ms.
    NetworkIdle,
}

// === impl OpenRequest ===

impl OpenRequest {
    fn check(&self) -> Result<(), Invalid> {
        for (path, given) in [("session", self.session.is_some()), ("tab", self.tab.is_some())] {
            if given {
                return Err(Invalid::new(path, "is not for open: it makes a new session"));
            }
        }
        self.open_options().check()
    }
}

// === impl NavigateRequest ===

impl NavigateRequest {
    fn check(&self) -> Result<(), Invalid> {
        match (&self.url, self.action) {
            (None, None) => return Err(Invalid::new("url", "is missing: send one of url and action")),
            (Some(_), Some(_)) => return Err(Invalid::new("action", "goes without url: send one of them")),
            (Some(url), None) => check_url("url", url)?,
            (None, Some(_)) => {}
        }
        let options = self.open_options();
        if self.session.is_some()
            && let Some(field) = options.first_given()
        {
            return Err(Invalid::new(field, "goes without session: it is for a new one"));
        }
        options.check()
    }
}
