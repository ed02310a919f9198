//! File choosers: intercepted while a viewer may act, reported to viewers, and answered with files.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::dom::{BackendNodeId, ResolveNodeParams};
use chromiumoxide_cdp::cdp::browser_protocol::page::{EnableParams as EnablePage, SetInterceptFileChooserDialogParams};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{
    CallFunctionOnParams, ExecutionContextId, ReleaseObjectParams, RemoteObjectId,
};
use porthole_contract::session::UploadFile;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{mpsc, watch as watching};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::outside::Chooser;
use super::shared::{Asking, Shared};
use crate::cdp::{CdpError, Event, Session};
use crate::page::PageError;
use crate::page::interact::{ActError, File};
use crate::page::script::{CHOOSER, CHOSEN};
use crate::page::world::{argument, free_pointer, in_frame, value};

const OPENED: &[&str] = &["Page.fileChooserOpened"];
/// Frames in processes of their own whose choosers are taken.
const PARTS_MAX: usize = 64;
/// Choosers that wait to be told of; a page may open one with each click only.
const WAITING_MAX: usize = 8;
/// How long a document may take to say what its file input takes: the browser tells of a chooser once.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opened {
    frame_id: String,
    /// None of a chooser that a script opened for itself (`showOpenFilePicker`), which gets nothing.
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct Takes {
    accept: String,
    multiple: bool,
}

/// A target session whose choosers are taken; they are the browser's again when it is dropped.
struct Intercepting {
    session: Session,
    _events: JoinSet<()>,
}

/// Takes the page's file choosers as long as it is controlled.
pub(super) async fn watch(shared: Arc<Shared>, mut controlled: watching::Receiver<bool>, ended: CancellationToken) {
    let (opened, mut openings) = mpsc::channel(WAITING_MAX);
    let mut state = shared.page.state.clone();
    let mut taken: HashMap<String, Intercepting> = HashMap::new();
    let mut number = 0;
    let mut document = String::new();
    // One at a time, beside what follows the page: a busy document answers late.
    let mut asked = JoinSet::new();
    loop {
        if *controlled.borrow_and_update() {
            let (parts, loader) = {
                let state = state.borrow_and_update();
                let parts: Vec<(String, Session)> =
                    state.parts.iter().take(PARTS_MAX).map(|(id, session)| (id.clone(), session.clone())).collect();
                (parts, state.document.loader.clone())
            };
            if document != loader {
                document = loader;
                asked.abort_all();
                forget(&shared, false);
            }
            let main = (shared.page.main_frame.clone(), shared.page.session.clone());
            let wanted: HashMap<String, Session> = std::iter::once(main).chain(parts).collect();
            taken.retain(|id, one| wanted.get(id).is_some_and(|session| session.is_same(&one.session)));
            for (id, session) in wanted {
                let is_main = id == shared.page.main_frame;
                taken.entry(id).or_insert_with(|| Intercepting::begin(session, is_main, &opened));
            }
        } else {
            taken.clear();
            asked.abort_all();
            forget(&shared, true);
        }
        tokio::select! {
            biased;
            () = ended.cancelled() => break,
            changed = controlled.changed() => if changed.is_err() { break },
            changed = state.changed(), if !taken.is_empty() => if changed.is_err() { break },
            Some((session, event)) = openings.recv(), if asked.is_empty() => {
                asked.spawn(async move { timeout(ANSWER_TIMEOUT, asking(session, &event)).await });
            }
            Some(answer) = asked.join_next() => match answer {
                Ok(Ok(Ok(Some((asking, takes))))) => {
                    forget(&shared, true);
                    number += 1;
                    *shared.chooser() = Some(asking);
                    let chooser = Chooser { number, multiple: takes.multiple, accept: takes.accept };
                    shared.outside.send_modify(|outside| outside.chooser = Some(chooser));
                }
                Ok(Ok(Err(error))) => tracing::debug!(%error, "can't report a file chooser"),
                Ok(Err(_)) => tracing::debug!("a file chooser's document does not answer"),
                // It has no input, or control has ended.
                Ok(Ok(Ok(None))) | Err(_) => {}
            },
        }
    }
    taken.clear();
    forget(&shared, true);
}

/// Finds the file input of a chooser, and what it takes.
async fn asking(session: Session, event: &Event) -> Result<Option<(Asking, Takes)>, CdpError> {
    let Opened { frame_id, backend_node_id } = event.read()?;
    let Some(node) = backend_node_id else { return Ok(None) };
    let world = *session.call(&in_frame(&frame_id)).await?.execution_context_id.inner();
    let resolve = ResolveNodeParams {
        backend_node_id: Some(BackendNodeId::new(node)),
        execution_context_id: Some(ExecutionContextId::new(world)),
        ..ResolveNodeParams::default()
    };
    let Some(input) = session.call(&resolve).await?.object.object_id else { return Ok(None) };
    let takes: Takes = value(session.call(&on(&input, CHOOSER)).await?)?;
    Ok(Some((Asking { session, input }, takes)))
}

/// Answers the chooser with files; none cancels it.
pub(super) async fn give(shared: &Shared, files: &[UploadFile]) -> Result<(), ActError> {
    let Some(asking) = shared.chooser().take() else { return Ok(()) };
    shared.outside.send_modify(|outside| outside.chooser = None);
    let files: Vec<File> = files.iter().map(File::from).collect();
    let given = asking.session.call(&Asking::answer(&asking.input, &files)).await;
    asking.release();
    given.map(drop).map_err(|error| PageError::from(error).into())
}

/// Forgets the chooser that waits; `cancels` it where its document is still there.
fn forget(shared: &Shared, cancels: bool) {
    let Some(asking) = shared.chooser().take() else { return };
    if cancels {
        asking.session.call(&Asking::answer(&asking.input, &[])).forget();
    }
    asking.release();
    shared.outside.send_modify(|outside| outside.chooser = None);
}

fn on(input: &RemoteObjectId, function: &str) -> CallFunctionOnParams {
    let mut call = CallFunctionOnParams::new(function);
    call.object_id = Some(input.clone());
    call.return_by_value = Some(true);
    call
}

impl Asking {
    fn answer(input: &RemoteObjectId, files: &[File]) -> CallFunctionOnParams {
        let mut call = on(input, CHOSEN);
        call.arguments = Some(vec![argument(json!(files))]);
        call
    }

    fn release(self) {
        self.session.call(&ReleaseObjectParams::new(self.input)).forget();
    }
}

impl Intercepting {
    fn begin(session: Session, is_main: bool, opened: &mpsc::Sender<(Session, Event)>) -> Self {
        let mut events = session.events(OPENED);
        if !is_main {
            // A frame in a process of its own reports them only then.
            session.call(&EnablePage::default()).forget();
            free_pointer(&session);
        }
        session.call(&SetInterceptFileChooserDialogParams::new(true)).forget();
        let (opened, own) = (opened.clone(), session.clone());
        let mut forwarding = JoinSet::new();
        forwarding.spawn(async move {
            while let Some(event) = events.next().await {
                // One that comes while as many wait is not told of.
                let _ = opened.try_send((own.clone(), event));
            }
        });
        Self { session, _events: forwarding }
    }
}

impl Drop for Intercepting {
    fn drop(&mut self) {
        self.session.call(&SetInterceptFileChooserDialogParams::new(false)).forget();
    }
}
