//! What is known of the page and its main document, as the events tell it: dialogs are answered on the way.

use chromiumoxide_cdp::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::DisableParams as DisableRuntime;

use super::events::{
    ContextCreated, DOCUMENT, Dialog, FrameNavigated, FrameStopped, Lifecycle, LoadingFailed, RequestWillBeSent,
    ResponseReceived,
};
use super::requests;
use super::state::{Document, Fatal, Outcome, Outcomes, PageState};
use super::watch::Watched;
use super::world::WORLD;
use crate::cdp::{CdpError, Event, Session};

/// Notes what an event tells of the page and its main document.
pub(super) fn note(
    event: &Event,
    session: &Session,
    watched: &Watched,
    outcomes: &mut Outcomes,
) -> Result<(), CdpError> {
    let Watched { main_frame, state, .. } = watched;
    match event.method {
        "Page.frameNavigated" => {
            let FrameNavigated { frame } = event.read()?;
            if frame.id == *main_frame {
                let failure = frame
                    .unreachable_url
                    .is_some()
                    .then(|| outcomes.failure(&frame.loader_id).unwrap_or("net::ERR_FAILED").to_owned());
                state.send_modify(|state| {
                    arrive(state, frame.loader_id, frame.url, outcomes);
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
                        arrive(state, lifecycle.loader_id.clone(), url, outcomes);
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
                requests::goes_to(&request.request.url, watched);
                state.send_modify(|state| {
                    state.asked_for = request.request.url;
                    state.document.replacing = Some(request.loader_id);
                });
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

/// The main frame shows the document of this navigation from now on.
fn arrive(state: &mut PageState, loader: String, url: String, outcomes: &Outcomes) {
    let known = if state.document.loader == loader { std::mem::take(&mut state.document) } else { Document::default() };
    let answer = outcomes.status(&loader);
    if known.loader.is_empty() {
        state.world = None;
    }
    state.document = Document {
        failure: outcomes.failure(&loader).map(str::to_owned),
        loader,
        url,
        status: answer.map(|(status, _)| status),
        made_by_egress: answer.is_some_and(|(_, made_by_egress)| made_by_egress),
        replacing: None,
        ..known
    };
}
