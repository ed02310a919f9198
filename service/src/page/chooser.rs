//! File choosers: the browser reports them instead of opening them, and the input that asks is given files.

use chromiumoxide_cdp::cdp::browser_protocol::dom::{BackendNodeId, ResolveNodeParams};
use chromiumoxide_cdp::cdp::browser_protocol::page::{EnableParams as EnablePage, SetInterceptFileChooserDialogParams};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{
    CallFunctionOnParams, ExecutionContextId, ReleaseObjectParams, RemoteObjectId,
};
use serde::Deserialize;
use serde_json::json;

use super::interact::File;
use super::script::{CHOOSER, CHOSEN};
use super::world::{argument, in_frame, value};
use crate::cdp::{CdpError, Events, Session};

/// A target session whose choosers are reported; they are the browser's again when it is dropped.
pub(super) struct Interception(Session);

/// A chooser that would have opened.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Opened {
    frame_id: String,
    /// None of a chooser that a script opened for itself (`showOpenFilePicker`), which gets nothing.
    backend_node_id: Option<i64>,
}

/// The file input that waits for files.
#[derive(Debug)]
pub(super) struct Asking {
    session: Session,
    input: RemoteObjectId,
}

/// What a file input takes.
#[derive(Deserialize)]
pub(super) struct Takes {
    pub accept: String,
    pub multiple: bool,
}

// === impl Interception ===

impl Interception {
    /// Has choosers reported. Awaits nothing.
    pub(super) fn begin(session: &Session, is_main: bool) -> (Self, Events) {
        let events = session.events(&["Page.fileChooserOpened"]);
        if !is_main {
            // A frame in a process of its own reports them only then.
            session.call(&EnablePage::default()).forget();
        }
        session.call(&SetInterceptFileChooserDialogParams::new(true)).forget();
        (Self(session.clone()), events)
    }

    pub(super) fn session(&self) -> &Session {
        &self.0
    }
}

impl Drop for Interception {
    fn drop(&mut self) {
        self.0.call(&SetInterceptFileChooserDialogParams::new(false)).forget();
    }
}

// === impl Opened ===

impl Opened {
    /// Whether a file input asks.
    pub(super) fn is_of_input(&self) -> bool {
        self.backend_node_id.is_some()
    }

    /// The input that asks; `None` where none does, or it is gone.
    pub(super) async fn asking(self, session: &Session) -> Result<Option<Asking>, CdpError> {
        let Some(node) = self.backend_node_id else { return Ok(None) };
        let world = *session.call(&in_frame(&self.frame_id)).await?.execution_context_id.inner();
        let resolve = ResolveNodeParams {
            backend_node_id: Some(BackendNodeId::new(node)),
            execution_context_id: Some(ExecutionContextId::new(world)),
            ..ResolveNodeParams::default()
        };
        let input = session.call(&resolve).await?.object.object_id;
        Ok(input.map(|input| Asking { session: session.clone(), input }))
    }
}

// === impl Asking ===

impl Asking {
    pub(super) async fn takes(&self) -> Result<Takes, CdpError> {
        value(self.session.call(&self.on(CHOOSER)).await?)
    }

    /// Gives it files; none cancels.
    pub(super) async fn answer(&self, files: &[File]) -> Result<(), CdpError> {
        self.session.call(&self.chosen(files)).await.map(drop)
    }

    /// Says that none were chosen. Awaits nothing.
    pub(super) fn cancel(&self) {
        self.session.call(&self.chosen(&[])).forget();
    }

    pub(super) fn release(self) {
        self.session.call(&ReleaseObjectParams::new(self.input)).forget();
    }

    fn chosen(&self, files: &[File]) -> CallFunctionOnParams {
        let mut call = self.on(CHOSEN);
        call.arguments = Some(vec![argument(json!(files))]);
        call
    }

    fn on(&self, function: &str) -> CallFunctionOnParams {
        let mut call = CallFunctionOnParams::new(function);
        call.object_id = Some(self.input.clone());
        call.return_by_value = Some(true);
        call
    }
}
