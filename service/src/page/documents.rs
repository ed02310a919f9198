//! What is known of the page and its main document, as the events tell it: dialogs are answered on the way.

use chromiumoxide_cdp::cdp::browser_protocol::network::DisableParams as DisableNetwork;
use chromiumoxide_cdp::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::DisableParams as DisableRuntime;

use super::events::{
    ContextCreated, DOCUMENT, Dialog, FrameNavigated, FrameStartedNavigating, FrameStopped, Lifecycle, LoadingFailed,
    LoadingFinished, RequestWillBeSent, ResponseReceived,
};
use super::requests;
use super::state::{Document, Fatal, Outcome, Outcomes, PageState};
use super::watch::{self, Watched};
use super::world::WORLD;
use crate::cdp::{CdpError, Event, Session};

/// Navigations that bring no document.
const WITHIN_DOCUMENT: [&str; 2] = ["sameDocument", "historySameDocument"];

/// Notes what an event tells of the page and its main document.
pub(super) fn note(
    event: &Event,
    session: &Session,
    watched: &Watched,
    outcomes: &mut Outcomes,
) -> Result<(), CdpError> {
    let Watched { main_frame, state, .. } = watched;
    match event.method {
        "Page.frameStartedNavigating" => {
            let started: FrameStartedNavigating = event.read()?;
            let within_document = WITHIN_DOCUMENT.contains(&started.navigation_type.as_str());
            if started.frame_id == *main_frame && !within_document {
                leaves_for(&started.url, started.loader_id, watched);
                listen_again(session, watched);
            }
        }
        "Page.frameNavigated" => {
            let FrameNavigated { frame } = event.read()?;
            if frame.id == *main_frame {
                let failure = frame
                    .unreachable_url
                    .is_some()
                    .then(|| outcomes.failure(&frame.loader_id).unwrap_or("net::ERR_FAILED").to_owned());
                // Where redirects are not told, this tells where they have led.
                let led_to = frame.unreachable_url.unwrap_or_else(|| frame.url.clone());
                if watched.state.borrow().asked_for != led_to {
                    requests::goes_to(&led_to, watched);
                }
                state.send_modify(|state| {
                    arrive(state, frame.loader_id, frame.url, outcomes, watched);
                    if failure.is_some() || state.document.made_by_egress {
                        state.asked_for = led_to;
                    }
                    state.document.failure = failure;
                    state.document.missed = false;
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
                    if is_there {
                        document.replacing = None;
                    }
                });
            }
        }
        "Page.lifecycleEvent" => {
            let lifecycle: Lifecycle = event.read()?;
            if lifecycle.frame_id == *main_frame {
                state.send_if_modified(|state| {
                    // A document can be there before the renderer was told to report it: what comes later tells it too.
                    let is_next = state.document.replacing.as_ref() == Some(&lifecycle.loader_id);
                    let is_first = state.document.loader.is_empty() && outcomes.status(&lifecycle.loader_id).is_some();
                    if lifecycle.loader_id != state.document.loader && (is_next || is_first) {
                        let url = state.asked_for.clone();
                        arrive(state, lifecycle.loader_id.clone(), url, outcomes, watched);
                        state.document.missed = true;
                    }
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
                leaves_for(&request.request.url, request.loader_id, watched);
            }
        }
        "Network.responseReceived" => {
            let received: ResponseReceived = event.read()?;
            if received.kind == DOCUMENT && received.frame_id == *main_frame {
                let status = received.response.status;
                outcomes.note(&received.loader_id, Outcome::Status(status));
                state.send_modify(|state| {
                    if state.document.loader == received.loader_id {
                        state.document.status = Some(status);
                    }
                });
            }
        }
        "Network.loadingFinished" => {
            let finished: LoadingFinished = event.read()?;
            stop_listening(&finished.request_id, session, watched);
        }
        "Network.loadingFailed" => {
            let failed: LoadingFailed = event.read()?;
            if failed.kind == DOCUMENT {
                stop_listening(&failed.request_id, session, watched);
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
        "Runtime.executionContextCreated" => {
            let ContextCreated { context } = event.read()?;
            if context.name == WORLD && context.aux_data.frame_id == *main_frame {
                state.send_modify(|state| state.world = Some(context.id));
                // That was all there was to hear: a page's own contexts and its console are of no interest.
                session.call(&DisableRuntime::default()).forget();
            }
        }
        "Inspector.targetCrashed" => watched.fail(Fatal::Crashed),
        "Emulation.virtualTimeBudgetExpired" => state.send_modify(|state| state.budgets_expired += 1),
        _ => {}
    }
    Ok(())
}

/// The main frame is on its way to `url`: said at its start, and where the network reports to us at each redirect, too.
fn leaves_for(url: &str, loader: String, watched: &Watched) {
    // One event has it, the other has not.
    let url = url.split('#').next().unwrap_or(url);
    let is_news = {
        let state = watched.state.borrow();
        state.asked_for != url || state.document.replacing.as_ref() != Some(&loader)
    };
    if is_news {
        requests::goes_to(url, watched);
        watched.state.send_modify(|state| {
            url.clone_into(&mut state.asked_for);
            state.document.replacing = Some(loader);
        });
    }
}

/// Once a local page's document has come, its network reports no more: every part of it is judged on its way out, and six
/// news of each go by way of the browser's main thread. What `request` brought was that document, or nothing happens.
fn stop_listening(request: &str, session: &Session, watched: &Watched) {
    if watched.network.egress().is_some() && watched.state.borrow().document.loader == request {
        watched.state.send_modify(|state| state.network_is_silent = true);
        session.call(&DisableNetwork::default()).forget();
    }
}

/// The page goes elsewhere, and how that ends is of interest again. It may have ended before the browser hears of this: then
/// the document is asked for its status, and the egress for why there is none.
fn listen_again(session: &Session, watched: &Watched) {
    if watched.state.borrow().network_is_silent {
        watched.state.send_modify(|state| state.network_is_silent = false);
        session.call(&watch::network()).forget();
    }
}

/// The main frame shows the document of this navigation from now on.
fn arrive(state: &mut PageState, loader: String, url: String, outcomes: &Outcomes, watched: &Watched) {
    let known = if state.document.loader == loader { std::mem::take(&mut state.document) } else { Document::default() };
    if known.loader.is_empty() {
        state.world = None;
    }
    state.document = Document {
        failure: outcomes.failure(&loader).map(str::to_owned),
        status: outcomes.status(&loader),
        made_by_egress: watched.network.egress().is_some_and(|egress| egress.was_answered_in_place(&url)),
        loader,
        url,
        replacing: None,
        ..known
    };
}
