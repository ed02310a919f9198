//! The watchers of a page: one for the page itself, one for each frame in a process of its own, and, where the network
//! is not ours, one for each worker. Each reads its session's events in the browser's order; what an event means stands
//! in `documents`, `requests` and `answers`.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::network::EnableParams as EnableNetwork;
use futures_util::future::BoxFuture;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answers::Sockets;
use super::state::{Fatal, Outcomes, PageState};
use super::{answers, documents, requests};
use crate::cdp::{Attached, Attachments, CdpError, Event, Events, Session};
use crate::guard::{Guard, Intercept, Network, Target};
use crate::telemetry::BlockedMetrics;

/// How deep frames in processes of their own are followed; Chromium's own limit of nested frames is far above what
/// anybody can see.
const FRAME_DEPTH_MAX: u32 = 16;
/// How long events that have arrived already may take to be judged before an answer is given without waiting longer.
const CAUGHT_UP_WITHIN: Duration = Duration::from_secs(5);

/// What the watchers share.
#[derive(Clone)]
pub(super) struct Watched {
    pub main_frame: String,
    /// The target that the request named: it is judged already.
    pub first: Target,
    pub guard: Guard,
    pub blocked: BlockedMetrics,
    pub network: Network,
    pub state: watch::Sender<PageState>,
    pub roll_call: RollCall,
}

/// Asks all watchers whether they have read what has arrived.
#[derive(Clone)]
pub(super) struct RollCall(broadcast::Sender<mpsc::Sender<()>>);

impl RollCall {
    pub(super) fn new() -> Self {
        Self(broadcast::channel(1).0)
    }

    /// Waits until every event that has arrived by now is read and judged.
    pub(super) async fn all_caught_up(&self) {
        let (present, mut last) = mpsc::channel(1);
        if self.0.send(present).is_err() {
            return;
        }
        // Each watcher lets go of its copy when it has caught up: the channel ends with the last.
        if timeout(CAUGHT_UP_WITHIN, last.recv()).await.is_err() {
            tracing::warn!("a page's events are not all judged in time");
        }
    }
}

/// Whose events a watcher reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The page's own session.
    Page,
    /// A frame in a process of its own, or a worker.
    Part,
    /// The whole browser, where it serves this page alone.
    Browser,
}

/// Watches the page itself. Nothing is waited for.
pub(super) fn watch_page(watchers: &mut JoinSet<()>, session: &Session, watched: Watched) {
    let events = listen(session, Role::Page, &watched);
    if watched.intercepts_browser() {
        let browser = session.connection().browser();
        let events = listen(&browser, Role::Browser, &watched);
        requests::intercept(&browser, &watched.network);
        watchers.spawn(watch(browser, events, watched.clone()));
    } else {
        requests::intercept(session, &watched.network);
    }
    watch_parts(watchers, session, watched.clone(), 0);
    let session = session.clone();
    watchers.spawn(async move {
        let state = watched.state.clone();
        watch(session, events, watched).await;
        state.send_modify(|state| {
            state.fatal.get_or_insert(Fatal::Gone);
        });
    });
}

impl Watched {
    fn intercepts_browser(&self) -> bool {
        self.network.remote().is_some_and(|remote| remote.whole_browser)
    }
}

fn listen(session: &Session, role: Role, watched: &Watched) -> Events {
    let is_remote = watched.network.remote().is_some();
    session.events(match role {
        Role::Page if is_remote => REMOTE_PAGE,
        // Its sockets are judged where its network is.
        Role::Page => LOCAL_PAGE,
        Role::Part if is_remote => REMOTE_PART,
        // Where its requests lead the egress judges; that its events end tells that it is gone.
        Role::Part => &[],
        Role::Browser => PAUSED,
    })
}

/// News of what is asked for and answered. The browser need not keep what came for us: its default is 100 MB.
pub(super) fn network() -> EnableNetwork {
    EnableNetwork { max_total_buffer_size: Some(0), max_resource_buffer_size: Some(0), ..EnableNetwork::default() }
}

const PAUSED: &[&str] = &["Fetch.requestPaused"];
const LOCAL_PAGE: &[&str] = &[
    "Emulation.virtualTimeBudgetExpired",
    "Inspector.targetCrashed",
    "Network.loadingFailed",
    "Network.loadingFinished",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.frameNavigated",
    "Page.frameStartedNavigating",
    "Page.frameStoppedLoading",
    "Page.javascriptDialogOpening",
    "Page.lifecycleEvent",
    "Runtime.executionContextCreated",
];
const REMOTE_PAGE: &[&str] = &[
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
];
const REMOTE_PART: &[&str] = &[
    "Fetch.requestPaused",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.webSocketCreated",
    "Network.webSocketHandshakeResponseReceived",
    "Network.webTransportConnectionEstablished",
    "Network.webTransportCreated",
];

/// Watches what the page brings forth: frames in other processes are judged like the page, workers run, popups don't.
fn watch_parts(watchers: &mut JoinSet<()>, session: &Session, watched: Watched, depth: u32) {
    let attachments = session.auto_attach();
    watchers.spawn(follow(attachments, watched, depth));
}

/// Boxed, since frames nest.
fn follow(mut attachments: Attachments, watched: Watched, depth: u32) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let mut within = JoinSet::new();
        let mut roll_calls = watched.roll_call.0.subscribe();
        loop {
            tokio::select! {
                attached = attachments.next() => match attached {
                    Some(attached) => take_in(&mut within, &attached, &watched, depth),
                    // What it brought forth may outlive it by a moment.
                    None => break,
                },
                called = roll_calls.recv() => {
                    while let Some(attached) = attachments.attached() {
                        take_in(&mut within, &attached, &watched, depth);
                    }
                    drop(called);
                },
                Some(_) = within.join_next() => {}
            }
        }
        while within.join_next().await.is_some() {}
    })
}

fn take_in(within: &mut JoinSet<()>, attached: &Attached, watched: &Watched, depth: u32) {
    let is_remote = watched.network.remote().is_some();
    if attached.kind == "worker" {
        watched.state.send_modify(|state| state.has_workers = true);
    }
    match attached.kind.as_str() {
        "iframe" if depth < FRAME_DEPTH_MAX => watch_part(within, attached, watched, depth),
        // A popup has no reader; a frame this deep neither.
        "page" | "iframe" => attached.close(),
        _ if watched.intercepts_browser() && depth < FRAME_DEPTH_MAX => watch_part(within, attached, watched, depth),
        _ if is_remote && depth < FRAME_DEPTH_MAX => {
            let (attached, watched) = (attached.clone(), watched.clone());
            within.spawn(watch_worker(attached, watched, depth));
        }
        // Every byte of a worker leaves through our own way out.
        _ if !is_remote => attached.resume(),
        // A worker that can't be watched stands still.
        _ => {}
    }
}

/// A worker outlives its page by a moment, and would be let go by it: where its own session is what stops its requests, it
/// is watched by one that lasts as long as the worker. Until it is, it stands still.
async fn watch_worker(attached: Attached, watched: Watched, depth: u32) {
    let browser = attached.session.connection().browser();
    let session = match browser.attach_to(&attached.target_id).await {
        Ok(session) => session,
        Err(error) => {
            tracing::debug!(%error, "a worker is gone before it could be watched");
            return;
        }
    };
    let mut within = JoinSet::new();
    watch_part(&mut within, &Attached { session, ..attached.clone() }, &watched, depth);
    // By the session that halted it: another's word is not enough.
    attached.resume();
    while within.join_next().await.is_some() {}
}

fn watch_part(within: &mut JoinSet<()>, attached: &Attached, watched: &Watched, depth: u32) {
    let events = listen(&attached.session, Role::Part, watched);
    if !watched.intercepts_browser() {
        requests::intercept(&attached.session, &watched.network);
    }
    if watched.network.remote().is_some() {
        attached.session.call(&network()).forget();
    }
    watch_parts(within, &attached.session, watched.clone(), depth + 1);
    let (session, watched, id) = (attached.session.clone(), watched.clone(), attached.target_id.clone());
    if attached.kind == "iframe" {
        watched.state.send_modify(|state| drop(state.parts.insert(id.clone(), session.clone())));
    }
    within.spawn(async move {
        let state = watched.state.clone();
        watch(session.clone(), events, watched).await;
        // The frame may have got another process, and be attached to anew, meanwhile.
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
        outcomes: Outcomes::default(),
        sockets: Sockets::default(),
        judging: JoinSet::new(),
    };
    let mut roll_calls = watcher.watched.roll_call.0.subscribe();
    loop {
        tokio::select! {
            biased;
            called = roll_calls.recv() => {
                while let Some(event) = events.try_next() {
                    watcher.read(&event);
                }
                // Whoever asked goes on when this is dropped; the judging goes on without them if it takes too long.
                while watcher.judging.join_next().await.is_some() {}
                drop(called);
            },
            event = events.next() => match event {
                Some(event) => watcher.read(&event),
                None => return,
            },
            Some(_) = watcher.judging.join_next() => {}
        }
    }
}

/// One session's reader.
struct Watcher {
    session: Session,
    watched: Watched,
    outcomes: Outcomes,
    sockets: Sockets,
    /// What takes time: asking DNS.
    judging: JoinSet<()>,
}

impl Watcher {
    fn read(&mut self, event: &Event) {
        if let Err(error) = self.try_read(event) {
            tracing::warn!(%error, "an event of a page can't be read");
        }
    }

    fn try_read(&mut self, event: &Event) -> Result<(), CdpError> {
        let Self { session, watched, outcomes, sockets, judging } = self;
        if event.method == "Fetch.requestPaused" {
            return requests::paused(event, session, watched, judging);
        }
        if watched.network.remote().is_some() {
            answers::note(event, watched, sockets, judging)?;
        }
        documents::note(event, session, watched, outcomes)
    }
}

impl Watched {
    /// Whether every request is stopped and judged.
    pub(super) fn intercepts_everything(&self) -> bool {
        self.network.remote().is_some_and(|remote| remote.intercept == Intercept::Everything)
    }
}
