//! The watchers of a page: every document request is judged before it leaves, dialogs are answered, popups closed,
//! and what the events tell is kept as the page's state.

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{
    ContinueRequestParams, EnableParams as EnableFetch, FailRequestParams, RequestPattern,
};
use chromiumoxide_cdp::cdp::browser_protocol::network::{ErrorReason, ResourceType};
use chromiumoxide_cdp::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use chromiumoxide_cdp::cdp::browser_protocol::target::CloseTargetParams;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::events::{
    DOCUMENT, Dialog, FrameNavigated, FrameStopped, Lifecycle, LoadingFailed, RequestPaused, RequestWillBeSent,
    ResponseReceived,
};
use super::state::{Document, Fatal, Outcome, Outcomes, PageState};
use crate::cdp::{Attached, CdpError, Event, Events, Session};
use crate::guard::{Guard, Refusal, Target};
use crate::telemetry::BlockedMetrics;

const WATCHED: &[&str] = &[
    "Emulation.virtualTimeBudgetExpired",
    "Fetch.requestPaused",
    "Inspector.targetCrashed",
    "Network.loadingFailed",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.frameNavigated",
    "Page.frameStoppedLoading",
    "Page.javascriptDialogOpening",
    "Page.lifecycleEvent",
];
const WATCHED_IN_FRAMES: &[&str] = &["Fetch.requestPaused"];

/// How deep frames in processes of their own are followed; Chromium's own limit of nested frames is far above what
/// anybody can see.
const FRAME_DEPTH_MAX: u32 = 16;

/// What the watchers share.
#[derive(Clone)]
pub(super) struct Watched {
    pub main_frame: String,
    /// The target that the request named: it is judged already.
    pub first: Target,
    pub guard: Guard,
    pub blocked: BlockedMetrics,
    pub state: watch::Sender<PageState>,
}

/// Watches the page itself.
pub(super) fn watch_main(watchers: &mut JoinSet<()>, session: &Session, watched: Watched) {
    let events = session.events(WATCHED);
    intercept_documents(session);
    watch_frames(watchers, session, watched.clone(), 0);
    let session = session.clone();
    watchers.spawn(async move {
        let state = watched.state.clone();
        watch(session, events, watched).await;
        state.send_modify(|state| {
            state.fatal.get_or_insert(Fatal::Gone);
        });
    });
}

/// Watches what the page brings forth: frames in other processes are judged like the page, workers run, popups don't.
fn watch_frames(watchers: &mut JoinSet<()>, session: &Session, watched: Watched, depth: u32) {
    let attachments = session.auto_attach();
    let session = session.clone();
    watchers.spawn(follow(session, attachments, watched, depth));
}

/// Boxed, since frames nest.
fn follow(
    parent: Session,
    mut attachments: crate::cdp::Attachments,
    watched: Watched,
    depth: u32,
) -> futures_util::future::BoxFuture<'static, ()> {
    Box::pin(async move {
        let mut within = JoinSet::new();
        loop {
            tokio::select! {
                attached = attachments.next() => match attached {
                    Some(attached) => take_in(&mut within, &parent, &attached, &watched, depth),
                    None => return,
                },
                Some(_) = within.join_next() => {}
            }
        }
    })
}

fn take_in(within: &mut JoinSet<()>, parent: &Session, attached: &Attached, watched: &Watched, depth: u32) {
    match attached.kind.as_str() {
        "iframe" if depth < FRAME_DEPTH_MAX => {
            let events = attached.session.events(WATCHED_IN_FRAMES);
            intercept_documents(&attached.session);
            watch_frames(within, &attached.session, watched.clone(), depth + 1);
            within.spawn(watch(attached.session.clone(), events, watched.clone()));
            attached.resume();
        }
        // A popup has no reader; a frame this deep neither.
        "page" | "iframe" => {
            let close = CloseTargetParams::new(attached.target_id.clone());
            parent.connection().browser().call(&close).forget();
        }
        _ => attached.resume(),
    }
}

fn intercept_documents(session: &Session) {
    let pattern = RequestPattern::builder().url_pattern("*").resource_type(ResourceType::Document).build();
    session.call(&EnableFetch { patterns: Some(vec![pattern]), handle_auth_requests: None }).forget();
}

async fn watch(session: Session, mut events: Events, watched: Watched) {
    let mut outcomes = Outcomes::default();
    let mut judging = JoinSet::new();
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(event) => {
                    if let Err(error) = note(&event, &session, &watched, &mut outcomes, &mut judging) {
                        tracing::warn!(%error, "an event of a page can't be read");
                    }
                }
                None => return,
            },
            Some(_) = judging.join_next() => {}
        }
    }
}

fn note(
    event: &Event,
    session: &Session,
    watched: &Watched,
    outcomes: &mut Outcomes,
    judging: &mut JoinSet<()>,
) -> Result<(), CdpError> {
    let Watched { main_frame, state, .. } = watched;
    match event.method {
        "Fetch.requestPaused" => {
            let paused: RequestPaused = event.read()?;
            if paused.frame_id == *main_frame {
                state.send_modify(|state| state.asked_for.clone_from(&paused.request.url));
            }
            judging.spawn(judge(session.clone(), paused, watched.clone()));
        }
        "Page.frameNavigated" => {
            let FrameNavigated { frame } = event.read()?;
            if frame.id == *main_frame {
                let failure = frame
                    .unreachable_url
                    .is_some()
                    .then(|| outcomes.failure(&frame.loader_id).unwrap_or("net::ERR_FAILED").to_owned());
                let answer = outcomes.status(&frame.loader_id);
                state.send_modify(|state| {
                    state.document = Document {
                        loader: frame.loader_id,
                        url: frame.url,
                        status: answer.map(|(status, _)| status),
                        made_by_egress: answer.is_some_and(|(_, made_by_egress)| made_by_egress),
                        failure,
                        ..Document::default()
                    };
                });
            }
        }
        "Page.frameStoppedLoading" => {
            let stopped: FrameStopped = event.read()?;
            // Nothing more comes. Mostly that is known already, but a page whose script navigated to a download while
            // it was parsed tells neither that it is parsed nor that it is loaded.
            if stopped.frame_id == *main_frame {
                state.send_modify(|state| {
                    let document = &mut state.document;
                    let is_there = !document.loader.is_empty();
                    document.dom_content_loaded |= is_there;
                    document.loaded |= is_there;
                    document.replacing = None;
                });
            }
        }
        "Page.lifecycleEvent" => {
            let lifecycle: Lifecycle = event.read()?;
            if lifecycle.frame_id == *main_frame {
                state.send_if_modified(|state| {
                    let document = &mut state.document;
                    let field = match lifecycle.name.as_str() {
                        "DOMContentLoaded" => &mut document.dom_content_loaded,
                        "load" => &mut document.loaded,
                        "networkIdle" => &mut document.network_idle,
                        _ => return false,
                    };
                    let current = lifecycle.loader_id == document.loader;
                    *field |= current;
                    current
                });
            }
        }
        "Network.requestWillBeSent" => {
            let request: RequestWillBeSent = event.read()?;
            let navigates =
                request.kind == DOCUMENT && request.frame_id == *main_frame && request.request_id == request.loader_id;
            if navigates {
                state.send_modify(|state| state.document.replacing = Some(request.loader_id));
            }
        }
        "Network.responseReceived" => {
            let received: ResponseReceived = event.read()?;
            if received.kind == DOCUMENT && received.frame_id == *main_frame {
                let (status, made_by_egress) = (received.response.status, received.response.is_made_by_egress());
                outcomes.note(&received.loader_id, Outcome::Status { status, made_by_egress });
                state.send_modify(|state| {
                    if state.document.loader == received.loader_id {
                        state.document.status = Some(status);
                        state.document.made_by_egress = made_by_egress;
                    }
                });
            }
        }
        "Network.loadingFailed" => {
            let failed: LoadingFailed = event.read()?;
            if failed.kind == DOCUMENT {
                state.send_modify(|state| {
                    if state.document.replacing.as_ref() == Some(&failed.request_id) {
                        state.document.replacing = None;
                    }
                    if state.document.loader == failed.request_id {
                        state.document.broken = true;
                        if let Some(failure) = &mut state.document.failure {
                            failure.clone_from(&failed.error_text);
                        }
                    }
                });
                outcomes.note(&failed.request_id, Outcome::Failure(failed.error_text));
            }
        }
        "Page.javascriptDialogOpening" => {
            let dialog: Dialog = event.read()?;
            // Leaving is let happen, everything else is answered like by somebody who closes the dialog.
            session.call(&HandleJavaScriptDialogParams::new(dialog.kind == "beforeunload")).forget();
        }
        "Inspector.targetCrashed" => state.send_modify(|state| {
            state.fatal.get_or_insert(Fatal::Crashed);
        }),
        "Emulation.virtualTimeBudgetExpired" => state.send_modify(|state| state.budgets_expired += 1),
        _ => {}
    }
    Ok(())
}

/// Judges a document's request while it stands still: the first one, each redirect, each frame's.
async fn judge(session: Session, paused: RequestPaused, watched: Watched) {
    let refusal = if paused.request.url == watched.first.url().as_str() {
        None
    } else {
        watched.guard.judge(&paused.request.url).await.err()
    };
    let reason = match refusal {
        None => {
            session.call(&ContinueRequestParams::new(paused.request_id)).forget();
            return;
        }
        // Failed here and not left to the browser: its resolver might find what ours did not.
        Some(Refusal::NotResolved { .. }) => ErrorReason::NameNotResolved,
        Some(refusal) => {
            let of_page = paused.frame_id == watched.main_frame;
            tracing::info!(%refusal, of_page, "a document's request is refused");
            watched.blocked.blocked(refusal.label(), 1);
            watched.state.send_modify(|state| {
                state.blocked_requests += 1;
                if of_page {
                    state.fatal.get_or_insert(Fatal::Blocked(refusal));
                }
            });
            ErrorReason::BlockedByClient
        }
    };
    session.call(&FailRequestParams::new(paused.request_id, reason)).forget();
}
