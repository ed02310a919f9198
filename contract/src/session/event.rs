//! What else happened in a session since its last call.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A tab went to another document or URL.
    Navigated {
        /// The tab.
        tab: String,
        /// Where it is now.
        url: String,
    },
    /// A dialog opened; it holds the page until `dialog` answers it.
    Dialog {
        /// The tab.
        tab: String,
        /// Which dialog.
        kind: DialogKind,
        /// What it says.
        message: String,
        /// The text that a prompt begins with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
    },
    /// A tab came: a popup, or a link that asks for a tab of its own.
    TabOpened {
        /// The tab.
        tab: String,
        /// Where it is.
        url: String,
    },
    /// A tab went.
    TabClosed {
        /// The tab.
        tab: String,
        /// Where it was.
        url: String,
    },
    /// A download is complete, or failed.
    Download {
        /// The tab.
        tab: String,
        /// Its name for `files`; none of one that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Its file name, as the page gave it.
        name: String,
        /// Its size.
        #[serde(default)]
        bytes: u64,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Requests of the page that the guard refused.
    Blocked {
        /// How many.
        count: u64,
    },
    /// An error in the page's console.
    Console {
        /// The first 200 characters.
        text: String,
    },
    /// A tab's renderer died.
    Crashed {
        /// The tab.
        tab: String,
    },
    /// There was more than is listed.
    Dropped {
        /// How many events.
        count: u64,
    },
    /// A later kind, which this reader does not know.
    #[serde(other)]
    Other,
}

/// Which dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DialogKind {
    /// A sentence.
    Alert,
    /// A question.
    Confirm,
    /// A question that is answered by text.
    Prompt,
    /// Whether the page may be left.
    BeforeUnload,
}
