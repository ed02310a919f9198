//! The watchers of a page: one for the page itself, one for each frame in a process of its own, and, on a remote
//! network, one for each worker. Each reads its target session's events in the browser's order.

use chromiumoxide_cdp::cdp::browser_protocol::page::EnableParams as EnablePage;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;

use super::answers::{self, Sockets};
use super::documents::Documents;
use super::network_use::network;
use super::requests;
use super::shared::Watched;
use super::state::Fatal;
use crate::cdp::{Attached, Attachments, Call, CdpError, Event, Events, FLOODED, Session};
use crate::page::world::withhold_shared_workers;

/// Maximum depth of nested frames in processes of their own. Chromium allows more than a reader could see.
const FRAME_DEPTH_MAX: u32 = 16;

/// The source of a watcher's events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The page's own target session.
    Page,
    /// A frame in a process of its own, or a worker.
    Part,
    /// The whole browser, where it serves this page alone.
    Browser,
}

/// Starts the watchers of the page. Awaits nothing.
pub(in super::super) fn watch_page(watchers: &mut JoinSet<()>, session: &Session, watched: Watched) {
    let events = listen(session, Role::Page, &watched);
    watched.downloads.iter().for_each(|downloads| downloads.listen(session));
    if watched.intercepts_browser() {
        let browser = session.connection().browser();
        let events = listen(&browser, Role::Browser, &watched);
        requests::intercept(&browser, &watched);
        watchers.spawn(watch(browser, events, watched.clone()));
    } else {
        requests::intercept(session, &watched);
        if watched.is_guest() {
            watchers.spawn(confirm(withhold_shared_workers(session), &watched));
        }
    }
    watch_parts(watchers, session, watched.clone(), 0);
    let session = session.clone();
    watchers.spawn(async move {
        watch(session, events, watched.clone()).await;
        // `Gone` replaces a crash: no navigation brings the page back.
        watched.state.send_modify(|state| {
            if !matches!(state.fatal, Some(Fatal::Flooded)) {
                state.fatal = Some(Fatal::Gone);
            }
        });
    });
}

/// Keeps the page from being navigated until the browser has confirmed the script of this call. A page without it is dead.
fn confirm<T: DeserializeOwned>(script: Call<T>, watched: &Watched) -> impl Future<Output = ()> + use<T> {
    let state = watched.state.clone();
    state.send_modify(|state| state.lacks_script = true);
    async move {
        let confirmed = script.await;
        state.send_modify(|state| match confirmed {
            Ok(_) => state.lacks_script = false,
            Err(_) => drop(state.fatal.get_or_insert(Fatal::Gone)),
        });
    }
}

fn listen(session: &Session, role: Role, watched: &Watched) -> Events {
    let is_remote = watched.network.remote().is_some();
    session.events(match role {
        Role::Page if is_remote && watched.adopts_popups() => REMOTE_SESSION,
        Role::Page if is_remote => REMOTE_PAGE,
        Role::Page if watched.adopts_popups() => LOCAL_SESSION,
        // The egress judges its sockets.
        Role::Page => LOCAL_PAGE,
        Role::Part if is_remote => REMOTE_PART,
        // The egress judges its requests. Only the end of the events matters: it shows that the part is gone.
        Role::Part => &[],
        Role::Browser => PAUSED,
    })
}

const PAUSED: &[&str] = &["Fetch.requestPaused"];
/// The events of a local page. Domains in which a page chooses the amount stay off: `Network` (URLs, sent messages)
/// and `Runtime` (console, exceptions).
macro_rules! local_page {
    ($($more:literal),*) => {
        &[
            "Emulation.virtualTimeBudgetExpired",
            "Inspector.targetCrashed",
            "Page.frameNavigated",
            "Page.frameStartedNavigating",
            "Page.frameStoppedLoading",
            "Page.javascriptDialogOpening",
            "Page.lifecycleEvent",
            FLOODED,
            $($more),*
        ]
    };
}

/// The events of a remote page.
macro_rules! remote_page {
    ($($more:literal),*) => {
        &[
            "Emulation.virtualTimeBudgetExpired",
            "Fetch.requestPaused",
            "Inspector.targetCrashed",
            "Network.loadingFailed",
            "Network.requestWillBeSent",
            "Network.responseReceived",
            "Network.webSocketCreated",
            "Network.webSocketHandshakeResponseReceived",
            "Network.webTransportConnectionEstablished",
            "Network.webTransportCreated",
            "Page.frameNavigated",
            "Page.frameStoppedLoading",
            "Page.javascriptDialogOpening",
            "Page.lifecycleEvent",
            "Runtime.executionContextCreated",
            $($more),*
        ]
    };
}

const LOCAL_PAGE: &[&str] = local_page!();
const REMOTE_PAGE: &[&str] = remote_page!();
// A session navigates within documents and through the history, and its agent answers dialogs. `Network`, which is on while
// it acts and navigates, tells of redirects.
const LOCAL_SESSION: &[&str] =
    local_page!("Network.requestWillBeSent", "Page.javascriptDialogClosed", "Page.navigatedWithinDocument");
const REMOTE_SESSION: &[&str] = remote_page!("Page.javascriptDialogClosed", "Page.navigatedWithinDocument");
const REMOTE_PART: &[&str] = &[
    "Fetch.requestPaused",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.webSocketCreated",
    "Network.webSocketHandshakeResponseReceived",
    "Network.webTransportConnectionEstablished",
    "Network.webTransportCreated",
];

/// Watches the frames and workers of a target session. Frames in other processes are judged like the page.
fn watch_parts(watchers: &mut JoinSet<()>, session: &Session, watched: Watched, depth: u32) {
    let attachments = session.auto_attach();
    watchers.spawn(follow(attachments, watched, depth));
}

/// Boxed, since frames nest.
fn follow(mut attachments: Attachments, watched: Watched, depth: u32) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let mut within = JoinSet::new();
        let mut barrier = watched.barrier.join();
        loop {
            tokio::select! {
                attached = attachments.next() => match attached {
                    Some(attached) => handle_attached(&mut within, &attached, &watched, depth),
                    // Its frames and workers may outlive it by a moment.
                    None => break,
                },
                reached = barrier.recv() => {
                    while let Some(attached) = attachments.attached() {
                        handle_attached(&mut within, &attached, &watched, depth);
                    }
                    drop(reached);
                },
                Some(_) = within.join_next() => {}
            }
        }
        while within.join_next().await.is_some() {}
    })
}

fn handle_attached(within: &mut JoinSet<()>, attached: &Attached, watched: &Watched, depth: u32) {
    let is_remote = watched.network.remote().is_some();
    // Windows get it where they are taken on.
    if attached.kind != "page" {
        watched.identity.apply(&attached.session);
    }
    if attached.kind == "worker" {
        watched.state.send_modify(|state| state.has_workers = true);
    }
    // Its navigations are not reported here. It stays paused until the guard knows of it.
    if !is_remote && !attached.kind.ends_with("worker") {
        watched.guard.has_unknown_document();
    }
    match attached.kind.as_str() {
        "iframe" if depth < FRAME_DEPTH_MAX => watch_part(within, attached, watched, depth),
        // The lease's holder attaches to it through the browser's own target session.
        "page" if watched.adopts_popups() => attached.resume(),
        // No request reads a popup, or a frame this deep.
        "page" | "iframe" => attached.close(),
        _ if watched.intercepts_browser() && depth < FRAME_DEPTH_MAX => watch_part(within, attached, watched, depth),
        _ if is_remote && depth < FRAME_DEPTH_MAX => {
            let (attached, watched) = (attached.clone(), watched.clone());
            within.spawn(watch_worker(attached, watched, depth));
        }
        // All bytes of a local worker go through the egress.
        _ if !is_remote => attached.resume(),
        // A worker that can't be watched stays paused.
        _ => {}
    }
}

/// Watches a worker whose requests are intercepted on its own target session. A worker outlives its page by a moment,
/// so we attach through the browser: that target session lasts as long as the worker. The worker stays paused until
/// it is watched.
async fn watch_worker(attached: Attached, watched: Watched, depth: u32) {
    let browser = attached.session.connection().browser();
    let session = match browser.attach_to(&attached.target_id).await {
        Ok(session) => session,
        Err(error) => {
            tracing::debug!(%error, "a worker ended before it could be watched");
            return;
        }
    };
    let mut within = JoinSet::new();
    watch_part(&mut within, &Attached { session, ..attached.clone() }, &watched, depth);
    // Only the target session that paused it can resume it.
    attached.resume();
    while within.join_next().await.is_some() {}
}

fn watch_part(within: &mut JoinSet<()>, attached: &Attached, watched: &Watched, depth: u32) {
    let events = listen(&attached.session, Role::Part, watched);
    if !watched.intercepts_browser() {
        requests::intercept(&attached.session, watched);
    }
    if watched.network.remote().is_some() {
        attached.session.call(&network()).forget();
    }
    watch_parts(within, &attached.session, watched.clone(), depth + 1);
    let (session, watched, id) = (attached.session.clone(), watched.clone(), attached.target_id.clone());
    if attached.kind == "iframe" {
        if watched.is_guest() {
            // It is halted until it has the script.
            withhold_shared_workers(&attached.session).forget();
        }
        if let Some(downloads) = &watched.downloads {
            downloads.listen(&attached.session);
            attached.session.call(&EnablePage::default()).forget();
        }
        watched.state.send_modify(|state| drop(state.parts.insert(id.clone(), session.clone())));
    }
    within.spawn(async move {
        let state = watched.state.clone();
        watch(session.clone(), events, watched).await;
        // Meanwhile the frame may have moved to another process and been attached again.
        state.send_if_modified(|state| {
            state.parts.get(&id).is_some_and(|known| known.is_same(&session)) && state.parts.remove(&id).is_some()
        });
    });
    attached.resume();
}

async fn watch(session: Session, mut events: Events, watched: Watched) {
    let mut watcher = Watcher {
        session,
        watched,
        documents: Documents::default(),
        sockets: Sockets::default(),
        judging: JoinSet::new(),
    };
    let mut barrier = watcher.watched.barrier.join();
    loop {
        tokio::select! {
            biased;
            reached = barrier.recv() => {
                while let Some(event) = events.try_next() {
                    watcher.read(&event);
                }
                while watcher.judging.join_next().await.is_some() {}
                drop(reached);
            },
            event = events.next() => match event {
                Some(event) => watcher.read(&event),
                None => return,
            },
            Some(_) = watcher.judging.join_next() => {}
            Some(_) = watcher.documents.beside.join_next() => {}
        }
    }
}

/// Reads the events of one target session.
struct Watcher {
    session: Session,
    watched: Watched,
    documents: Documents,
    sockets: Sockets,
    /// Verdicts that wait for DNS.
    judging: JoinSet<()>,
}

impl Watcher {
    fn read(&mut self, event: &Event) {
        if let Err(error) = self.try_read(event) {
            tracing::warn!(%error, "an event of a page can't be read");
        }
    }

    fn try_read(&mut self, event: &Event) -> Result<(), CdpError> {
        let Self { session, watched, documents, sockets, judging } = self;
        if event.method == FLOODED {
            watched.fail(Fatal::Flooded);
            return Ok(());
        }
        if event.method == "Fetch.requestPaused" {
            return requests::paused(event, session, watched, judging);
        }
        if watched.network.remote().is_some() {
            answers::judge_event(event, watched, sockets, judging)?;
        }
        documents.note(event, session, watched)
    }
}
