//! File choosers: intercepted while a viewer may act, reported to viewers, and answered with files.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use porthole_contract::session::UploadFile;
use tokio::sync::{mpsc, watch as watching};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::outside::Chooser;
use super::shared::Shared;
use crate::cdp::{CdpError, Event, Session};
use crate::page::PageError;
use crate::page::chooser::{Asking, Interception, Opened, Takes};
use crate::page::interact::{ActError, File};
use crate::page::world::free_pointer;

/// Frames in processes of their own whose choosers are taken.
const PARTS_MAX: usize = 64;
/// Choosers that wait to be told of; a page may open one with each click only.
const WAITING_MAX: usize = 8;
/// How long a document may take to say what its file input takes: the browser tells of a chooser once.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// A target session whose choosers are taken, until this is dropped.
struct Intercepting {
    interception: Interception,
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
            taken.retain(|id, one| wanted.get(id).is_some_and(|session| session.is_same(one.interception.session())));
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
    let Some(asking) = event.read::<Opened>()?.asking(&session).await? else { return Ok(None) };
    let takes = asking.takes().await?;
    Ok(Some((asking, takes)))
}

/// Answers the chooser with files; none cancels it.
pub(super) async fn give(shared: &Shared, files: &[UploadFile]) -> Result<(), ActError> {
    let Some(asking) = shared.chooser().take() else { return Ok(()) };
    shared.outside.send_modify(|outside| outside.chooser = None);
    let files: Vec<File> = files.iter().map(File::from).collect();
    let given = asking.answer(&files).await;
    asking.release();
    given.map_err(|error| PageError::from(error).into())
}

/// Forgets the chooser that waits; `cancels` it where its document is still there.
fn forget(shared: &Shared, cancels: bool) {
    let Some(asking) = shared.chooser().take() else { return };
    if cancels {
        asking.cancel();
    }
    asking.release();
    shared.outside.send_modify(|outside| outside.chooser = None);
}

impl Intercepting {
    fn begin(session: Session, is_main: bool, opened: &mpsc::Sender<(Session, Event)>) -> Self {
        let (interception, mut events) = Interception::begin(&session, is_main);
        if !is_main {
            free_pointer(&session);
        }
        let opened = opened.clone();
        let mut forwarding = JoinSet::new();
        forwarding.spawn(async move {
            while let Some(event) = events.next().await {
                // One that comes while as many wait is not told of.
                let _ = opened.try_send((session.clone(), event));
            }
        });
        Self { interception, _events: forwarding }
    }
}
