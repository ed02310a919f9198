//! What belongs to a session as a whole: its dialog, tabs, files, state, status and end.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::handle::check_handle;
use super::request::session_request;
use super::storage::StorageState;
use super::url::check_url;
use crate::json::Invalid;

session_request! {
    /// `POST session/dialog`: answers the dialog that holds the page.
    DialogRequest [snapshot] {
        /// OK, or Cancel.
        pub accept: bool,
        /// The text of a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
    }
}

session_request! {
    /// `POST session/tabs`: lists, opens, selects and closes tabs.
    TabsRequest [snapshot] {
        /// What is done; `select` needs `tab`, `close` takes the active one without it.
        pub action: TabsAction,
        /// Where a `new` tab goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub url: Option<String>,
    }
}

session_request! {
    /// `POST session/files`: lists and reads what was downloaded.
    FilesRequest [] {
        /// What is done; `get` needs `file`.
        pub action: FilesAction,
        /// The file, as `list` or an event named it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(max_length = 64)]
        pub file: Option<String>,
    }
}

session_request! {
    /// `POST session/state`: the session's cookies and local storage, for `open` later.
    StateRequest [] {}
}

session_request! {
    /// `POST session/status`: tabs, age, idle time and control.
    StatusRequest [snapshot] {}
}

session_request! {
    /// `POST session/close`: ends the session; a second time is a success too.
    CloseRequest [] {}
}

/// What is done with tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TabsAction {
    /// All of them.
    #[default]
    List,
    /// Another one, which becomes active.
    New,
    /// Makes one active.
    Select,
    /// Closes one.
    Close,
}

/// What is done with files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilesAction {
    /// All of them.
    #[default]
    List,
    /// One, with its content.
    Get,
}

impl DialogRequest {
    fn check(&self) -> Result<(), Invalid> {
        match self.text.is_some() && !self.accept {
            true => Err(Invalid::new("text", "goes with accept: true only")),
            false => Ok(()),
        }
    }
}

impl TabsRequest {
    fn check(&self) -> Result<(), Invalid> {
        if self.action == TabsAction::Select && self.tab.is_none() {
            return Err(Invalid::new("tab", "is missing: select needs one"));
        }
        match &self.url {
            Some(_) if self.action != TabsAction::New => Err(Invalid::new("url", "goes with new only")),
            Some(url) => check_url("url", url),
            None => Ok(()),
        }
    }
}

impl FilesRequest {
    fn check(&self) -> Result<(), Invalid> {
        match (self.action, &self.file) {
            (FilesAction::Get, None) => Err(Invalid::new("file", "is missing: get needs one")),
            (FilesAction::List, Some(_)) => Err(Invalid::new("file", "goes with get only")),
            (_, file) => check_handle("file", file.as_deref()),
        }
    }
}

impl StateRequest {
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl StatusRequest {
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

impl CloseRequest {
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

/// What `tabs` answers beside the fields of every answer; the answer's `tab` is the active one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tabs {
    /// All tabs.
    pub tabs: Vec<TabInfo>,
}

/// A tab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TabInfo {
    /// Its name.
    pub tab: String,
    /// Where it is.
    pub url: String,
    /// Its page's title, cut at 1000 characters.
    pub title: String,
}

/// What `files` answers beside the fields of every answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Files {
    /// All of them, to `list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileInfo>>,
    /// The one of `get`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
}

impl Files {
    /// The answer to `list`.
    #[must_use]
    pub fn list(files: Vec<FileInfo>) -> Self {
        Self { files: Some(files), ..Self::default() }
    }

    /// The answer to `get`.
    #[must_use]
    pub fn one(file: FileInfo, content_base64: String) -> Self {
        Self {
            files: None,
            file: Some(file.file),
            name: Some(file.name),
            mime_type: Some(file.mime_type),
            bytes: Some(file.bytes),
            content_base64: Some(content_base64),
        }
    }
}

/// A file that was downloaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileInfo {
    /// Its name for `get`.
    pub file: String,
    /// Its file name, as the page gave it.
    pub name: String,
    /// Its media type.
    pub mime_type: String,
    /// Its size.
    pub bytes: u64,
}

/// What `state` answers beside the fields of every answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct State {
    /// Cookies and local storage. A secret.
    pub storage_state: StorageState,
}

/// What `status` answers beside the fields of every answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Status {
    /// All tabs.
    pub tabs: Vec<TabInfo>,
    /// Since the session began.
    pub age_seconds: u64,
    /// Since the call or input before this one.
    pub idle_seconds: u64,
    /// When it ends at the latest, RFC 3339 in UTC.
    #[schema(format = DateTime)]
    pub expires_at: String,
    /// Who has control.
    pub control: Control,
}

/// Who has control of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    /// Neither the agent nor a person.
    #[default]
    None,
    /// An acting call that runs.
    Agent,
    /// A person.
    Viewer,
}

/// What `close` answers beside the fields of every answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Closed {
    /// Whether this call ended it; false if it had ended before.
    pub closed: bool,
}
