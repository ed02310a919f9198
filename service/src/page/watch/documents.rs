//! Handles the events of the page and its main document, with one function for each event.

use chromiumoxide_cdp::cdp::browser_protocol::page::HandleJavaScriptDialogParams;
use chromiumoxide_cdp::cdp::js_protocol::runtime::DisableParams as DisableRuntime;
use porthole_contract::limits::NAVIGATION_TIMEOUT;
use tokio::sync::watch::Receiver;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::events::{
    ContextCreated, DOCUMENT, DialogOpening, FrameNavigated, FrameStartedNavigating, FrameStopped, Lifecycle,
    LoadingFailed, NavigatedWithinDocument, RequestWillBeSent, ResponseReceived,
};
use super::network_use::NetworkOn;
use super::requests;
use super::shared::Watched;
use super::state::{Dialog, Document, Outcome, Outcomes, PageState};
use crate::cdp::{CdpError, Event, Session};
use crate::net_error::NetError;
use crate::page::world::{self, WORLD};
use crate::provider::Dialogs;

/// Navigations that bring no document.
const WITHIN_DOCUMENT: [&str; 2] = ["sameDocument", "historySameDocument"];
/// The arrival type of a document that the browser kept, loaded, in its back/forward cache.
const FROM_CACHE: &str = "BackForwardCacheRestore";

/// Reads the events of the page's own target session.
#[derive(Default)]
pub(super) struct Documents {
    outcomes: Outcomes,
    /// Lookups of a new document's isolated world, and listening for redirects. The event barrier does not wait for them:
    /// a busy page would delay its result.
    pub beside: JoinSet<()>,
}

impl Documents {
    /// Updates the state from an event of the page or its main document.
    pub(super) fn note(&mut self, event: &Event, session: &Session, watched: &Watched) -> Result<(), CdpError> {
        match event.method {
            "Page.frameStartedNavigating" => self.started_navigating(event.read()?, watched),
            "Page.frameNavigated" => self.navigated(event.read()?, session, watched),
            "Page.navigatedWithinDocument" => navigated_within_document(&event.read()?, watched),
            "Page.frameStoppedLoading" => stopped_loading(&event.read()?, watched),
            "Page.lifecycleEvent" => self.lifecycle(&event.read()?, watched),
            "Network.requestWillBeSent" => will_be_sent(event.read()?, watched),
            "Network.responseReceived" => self.received(&event.read()?, watched),
            "Network.loadingFailed" => self.loading_failed(&event.read()?, watched),
            "Page.javascriptDialogOpening" => dialog_opening(event.read()?, session, watched),
            "Page.javascriptDialogClosed" => watched.state.send_modify(|state| state.dialog = None),
            "Runtime.executionContextCreated" => context_created(&event.read()?, session, watched),
            "Inspector.targetCrashed" => watched.state.send_modify(PageState::crash),
            "Emulation.virtualTimeBudgetExpired" => watched.state.send_modify(|state| state.budgets_expired += 1),
            _ => {}
        }
        Ok(())
    }

    fn started_navigating(&mut self, started: FrameStartedNavigating, watched: &Watched) {
        if WITHIN_DOCUMENT.contains(&started.navigation_type.as_str()) {
            return;
        }
        watched.guard.navigates(&started.loader_id, &started.url);
        if started.frame_id != watched.main_frame {
            return;
        }
        let loader = started.loader_id.clone();
        leaves_for(&started.url, started.loader_id, watched);
        if watched.network.egress().is_some() && watched.adopts_popups() {
            self.beside.spawn(hear_redirects(watched.network_use.begin(), watched.state.subscribe(), loader));
        }
    }

    fn navigated(&mut self, FrameNavigated { frame, kind }: FrameNavigated, session: &Session, watched: &Watched) {
        watched.guard.navigates(&frame.loader_id, &frame.url);
        if frame.id != watched.main_frame {
            return;
        }
        let has_failed = frame.unreachable_url.is_some();
        let failure = has_failed.then(|| self.outcomes.failure(&frame.loader_id).unwrap_or(&NetError::Failed).clone());
        // A local network does not report redirects: this is where they have led.
        let led_to = frame.unreachable_url.unwrap_or_else(|| frame.url.clone());
        if watched.state.borrow().asked_for != led_to {
            requests::refuse_credentials(&led_to, watched);
        }
        if watched.network.egress().is_some() {
            // Asked at once, so that the world is known before the first function call in it.
            self.beside.spawn(find_world(session.clone(), watched.clone(), frame.loader_id.clone()));
        }
        let url = frame.url + frame.url_fragment.as_deref().unwrap_or_default();
        watched.state.send_modify(|state| {
            self.arrive(state, frame.loader_id, url, watched);
            if failure.is_some() || state.document.made_by_egress {
                state.asked_for = led_to;
            }
            state.document.failure = failure;
            state.document.missed = false;
            if kind == FROM_CACHE {
                (state.document.dom_content_loaded, state.document.loaded) = (true, true);
            }
        });
    }

    fn lifecycle(&mut self, lifecycle: &Lifecycle, watched: &Watched) {
        if lifecycle.frame_id != watched.main_frame {
            return;
        }
        watched.state.send_if_modified(|state| {
            // A document may arrive before its renderer reports it; then its later events show that it has arrived.
            let is_next = state.document.replacing.as_ref() == Some(&lifecycle.loader_id);
            let is_first = state.document.loader.is_empty() && self.outcomes.status(&lifecycle.loader_id).is_some();
            if lifecycle.loader_id != state.document.loader && (is_next || is_first) {
                let url = state.asked_for.clone();
                self.arrive(state, lifecycle.loader_id.clone(), url, watched);
                state.document.missed = true;
            }
            let document = &mut state.document;
            let field = match lifecycle.name.as_str() {
                "DOMContentLoaded" => &mut document.dom_content_loaded,
                "load" => &mut document.loaded,
                "networkIdle" => &mut document.network_idle,
                _ => return false,
            };
            let is_current = lifecycle.loader_id == document.loader;
            *field |= is_current;
            // The others come after it, so it may only have gone unreported.
            document.dom_content_loaded |= is_current;
            is_current
        });
    }

    fn received(&mut self, received: &ResponseReceived, watched: &Watched) {
        if received.kind != DOCUMENT || received.frame_id != watched.main_frame {
            return;
        }
        let status = received.response.status;
        self.outcomes.note(&received.loader_id, Outcome::Status(status));
        watched.state.send_modify(|state| {
            if state.document.loader == received.loader_id {
                state.document.status = Some(status);
            }
            if state.asked_for.is_empty() {
                // A window that was attached to after it had sent its request.
                state.asked_for.clone_from(&received.response.url);
            }
        });
    }

    fn loading_failed(&mut self, failed: &LoadingFailed, watched: &Watched) {
        if failed.kind != DOCUMENT {
            return;
        }
        let error = NetError::of_name(&failed.error_text);
        watched.state.send_modify(|state| {
            if state.document.replacing.as_ref() == Some(&failed.request_id) {
                state.document.replacing = None;
            }
            if state.document.loader == failed.request_id {
                state.document.broken = true;
                if let Some(failure) = &mut state.document.failure {
                    *failure = error.clone();
                }
            }
        });
        self.outcomes.note(&failed.request_id, Outcome::Failure(error));
    }

    /// Makes the document of navigation `loader` the main frame's current one.
    fn arrive(&self, state: &mut PageState, loader: String, url: String, watched: &Watched) {
        let is_known = state.document.loader == loader;
        let known = if is_known { std::mem::take(&mut state.document) } else { Document::default() };
        if !is_known {
            state.world = None;
        }
        let document = Document {
            failure: self.outcomes.failure(&loader).cloned(),
            status: self.outcomes.status(&loader),
            made_by_egress: watched.network.egress().is_some_and(|egress| egress.was_answered_in_place(&url)),
            loader: loader.clone(),
            url,
            replacing: None,
            ..known
        };
        if is_known {
            state.document.loader = loader;
        }
        state.arrive(document);
    }
}

/// Finds the isolated world of the main frame's document, which the navigation `loader` brought. Asks a local page
/// rather than enabling `Runtime`: all its events pass the main thread of a browser that others share.
async fn find_world(session: Session, watched: Watched, loader: String) {
    match session.call(&world::in_frame(&watched.main_frame)).await {
        Ok(made) => watched.state.send_modify(|state| {
            if state.document.loader == loader {
                state.world = Some(*made.execution_context_id.inner());
            }
        }),
        Err(error) => tracing::debug!(%error, "a document was gone before its isolated world was found"),
    }
}

/// Has the redirects of a session's navigation reported until its document arrives or it is given up, so that it can be
/// stopped where one leads to a target that is refused. Within TLS the egress does not see them.
async fn hear_redirects(reported: NetworkOn, mut state: Receiver<PageState>, loader: String) {
    let is_over = state.wait_for(|state| state.document.replacing.as_ref() != Some(&loader));
    drop(timeout(NAVIGATION_TIMEOUT, is_over).await);
    drop(reported);
}

fn navigated_within_document(navigated: &NavigatedWithinDocument, watched: &Watched) {
    if navigated.frame_id == watched.main_frame {
        watched.state.send_modify(|state| {
            state.within_document += 1;
            state.document.url.clone_from(&navigated.url);
        });
    }
}

fn stopped_loading(stopped: &FrameStopped, watched: &Watched) {
    // No more of the document arrives. If a script navigates to a download during parsing, the browser reports
    // neither `DOMContentLoaded` nor `load`.
    if stopped.frame_id != watched.main_frame {
        return;
    }
    watched.state.send_modify(|state| {
        let document = &mut state.document;
        if !document.loader.is_empty() {
            document.ended_early |= !document.dom_content_loaded;
            (document.dom_content_loaded, document.loaded) = (true, true);
            document.replacing = None;
        }
    });
}

fn will_be_sent(request: RequestWillBeSent, watched: &Watched) {
    let is_document = request.kind == DOCUMENT && request.request_id == request.loader_id;
    if is_document {
        watched.guard.navigates(&request.loader_id, &request.request.url);
    }
    if is_document && request.frame_id == watched.main_frame {
        leaves_for(&request.request.url, request.loader_id, watched);
    }
}

/// Records that the main frame navigates to `url`. Reported at the start of a navigation, and by remote networks at
/// each redirect.
fn leaves_for(url: &str, loader: String, watched: &Watched) {
    // Only one of the two events has the fragment.
    let url = url.split('#').next().unwrap_or(url);
    let (is_news, is_another) = {
        let state = watched.state.borrow();
        let is_another = state.document.replacing.as_ref() != Some(&loader);
        (is_another || state.asked_for != url, is_another)
    };
    if !is_news {
        return;
    }
    if is_another && let Some(egress) = watched.network.egress() {
        egress.renew();
    }
    requests::refuse_credentials(url, watched);
    watched.state.send_modify(|state| {
        url.clone_into(&mut state.asked_for);
        state.document.replacing = Some(loader);
    });
}

fn dialog_opening(dialog: DialogOpening, session: &Session, watched: &Watched) {
    let is_leaving = dialog.kind == "beforeunload";
    let is_reported = match watched.purpose.dialogs() {
        Dialogs::Dismiss => false,
        // A commanded navigation leaves the page regardless of its `beforeunload` dialog.
        Dialogs::Report => !(is_leaving && watched.state.borrow().is_navigating),
    };
    if is_reported {
        let dialog = Dialog::new(dialog.kind, &dialog.message, &dialog.default_prompt);
        watched.state.send_modify(|state| {
            state.dialog = Some(dialog);
            state.dialogs += 1;
        });
    } else {
        session.call(&HandleJavaScriptDialogParams::new(is_leaving)).forget();
    }
}

fn context_created(ContextCreated { context }: &ContextCreated, session: &Session, watched: &Watched) {
    if context.name == WORLD && context.aux_data.frame_id == watched.main_frame {
        watched.state.send_modify(|state| state.world = Some(context.id));
        // From here on the domain would report only the page's own contexts, console and exceptions.
        session.call(&DisableRuntime::default()).forget();
    }
}
