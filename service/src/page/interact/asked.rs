//! Files for an element that is no field: it is clicked, and the file input whose chooser opens gets them. No chooser is
//! drawn meanwhile.

use chromiumoxide_cdp::cdp::browser_protocol::dom::{BackendNodeId, ResolveNodeParams};
use chromiumoxide_cdp::cdp::browser_protocol::page::{EnableParams as EnablePage, SetInterceptFileChooserDialogParams};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{
    CallFunctionOnParams, ExecutionContextId, ReleaseObjectParams, RemoteObjectId,
};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::acted::{Acted, Terms};
use super::pointer::Click;
use super::quiet::Quiet;
use super::upload::File;
use super::{ActError, Element};
use crate::cdp::{CdpError, Events, Session};
use crate::page::script::{CHOOSER, CHOSEN};
use crate::page::world::{argument, in_frame, value};
use crate::page::{Page, PageError};

const OPENED: &[&str] = &["Page.fileChooserOpened"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    frame_id: String,
    /// None of a chooser that a script opened for itself, which takes no files from outside.
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct Takes {
    multiple: bool,
}

/// A target session that reports its choosers instead of opening them, until this is dropped.
struct Intercepting {
    session: Session,
    events: Events,
}

impl Page {
    /// Clicks an element, and gives files to the file input that asks for them then.
    pub(super) async fn upload_by_click(
        &self,
        element: &Element,
        files: &[File],
        deadline: Instant,
    ) -> Result<Acted, ActError> {
        let session = element.frame.session();
        let mut chooser = Intercepting::begin(session, session.is_same(&self.session));
        let mut acted = self.click(element, &Click::once(Terms::until(deadline))).await?;
        if acted.settled.navigated {
            return Err(ActError::NoEffect("the click that should ask for files opened another page".to_owned()));
        }
        let opened = tokio::select! {
            biased;
            opened = chooser.events.next() => opened,
            dialog = self.dialog_opens() => return Err(ActError::Dialog(dialog?)),
            () = sleep_until(deadline) => None,
        };
        let opened = opened.map(|event| event.read::<Opened>()).transpose().map_err(PageError::from)?;
        let Some(Opened { frame_id, backend_node_id: Some(node) }) = opened else {
            return Err(ActError::NoEffect(
                "it is no field for files, and a click on it asked for none: name the field, or click what shows it"
                    .to_owned(),
            ));
        };
        let mut quiet = Quiet::watch(self, &element.frame);
        quiet.count_changes().await?;
        quiet.begins();
        chooser.give(&frame_id, node, files).await?;
        let rest = quiet.rest().await?;
        acted.settled = quiet.settle(rest).await?;
        acted.warnings.retain(|warning| warning != "no_change");
        Ok(acted)
    }
}

// === impl Intercepting ===

impl Intercepting {
    fn begin(session: &Session, is_main: bool) -> Self {
        let events = session.events(OPENED);
        if !is_main {
            // A frame in a process of its own reports them only then.
            session.call(&EnablePage::default()).forget();
        }
        session.call(&SetInterceptFileChooserDialogParams::new(true)).forget();
        Self { session: session.clone(), events }
    }

    /// Gives files to the input that asked for them.
    async fn give(&self, frame: &str, node: i64, files: &[File]) -> Result<(), ActError> {
        let input = self.input(frame, node).await.map_err(PageError::from)?;
        let Some(input) = input else {
            return Err(ActError::NoEffect("the field that asked for files is gone".to_owned()));
        };
        let given = self.give_to(&input, files).await;
        self.session.call(&ReleaseObjectParams::new(input)).forget();
        if given.map_err(PageError::from)? {
            return Ok(());
        }
        Err(ActError::Invalid("the field that it asks with takes one file".to_owned()))
    }

    async fn input(&self, frame: &str, node: i64) -> Result<Option<RemoteObjectId>, CdpError> {
        let world = *self.session.call(&in_frame(frame)).await?.execution_context_id.inner();
        let resolve = ResolveNodeParams {
            backend_node_id: Some(BackendNodeId::new(node)),
            execution_context_id: Some(ExecutionContextId::new(world)),
            ..ResolveNodeParams::default()
        };
        Ok(self.session.call(&resolve).await?.object.object_id)
    }

    /// Whether it takes so many; if not, it is told that none were chosen.
    async fn give_to(&self, input: &RemoteObjectId, files: &[File]) -> Result<bool, CdpError> {
        let on = |function: &str| {
            let mut call = CallFunctionOnParams::new(function);
            call.object_id = Some(input.clone());
            call.return_by_value = Some(true);
            call
        };
        let Takes { multiple } = value(self.session.call(&on(CHOOSER)).await?)?;
        let fits = multiple || files.len() <= 1;
        let mut chosen = on(CHOSEN);
        chosen.arguments = Some(vec![argument(json!(if fits { files } else { &[] }))]);
        self.session.call(&chosen).await?;
        Ok(fits)
    }
}

impl Drop for Intercepting {
    fn drop(&mut self) {
        self.session.call(&SetInterceptFileChooserDialogParams::new(false)).forget();
    }
}
