//! Auto-attach: a target session for every target that a page creates (iframes in other processes, workers, popups),
//! each halted until its watcher resumes it.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{EnableParams as EnableFetch, RequestPattern};
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    AttachToBrowserTargetParams, AttachToTargetParams, CloseTargetParams, FilterEntry, SetAutoAttachParams,
    TargetFilter,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::{EvaluateParams, RunIfWaitingForDebuggerParams};
use serde::Deserialize;
use tokio::time::{sleep, timeout};

use super::connection::{Call, Session};
use super::error::CdpError;
use super::event::{Event, Events};
use super::routes::ATTACHED;

/// A script that takes the constructor of shared workers from a document.
pub const WITHOUT_SHARED_WORKERS: &str = "delete globalThis.SharedWorker";
/// How long a halted shared worker may take to close itself: one whose target is closed before may run. On a busy machine 2 s
/// were too short (seen once).
const CLOSE_ITSELF_TIMEOUT: Duration = Duration::from_secs(10);

impl Session {
    /// Attaches to the targets that this session's target creates from now on. Each is halted until
    /// [`Attached::resume`] is called.
    pub fn auto_attach(&self) -> Attachments {
        self.attachments(true, None)
    }

    /// On the browser's own session: attaches to a target in a session of its own, which lasts as long as the target
    /// even if the target's creator ends.
    ///
    /// # Errors
    /// [`CdpError`] if the target or the browser is gone.
    pub async fn attach_to(&self, target_id: &str) -> Result<Session, CdpError> {
        let params = AttachToTargetParams { target_id: target_id.to_owned().into(), flatten: Some(true) };
        let attached = self.call(&params).await?;
        Ok(self.connection().session(String::from(attached.session_id)))
    }

    /// On the browser's own session: attaches to the existing pages and to those created from now on. Each of these is halted
    /// until it is resumed, other clients' pages too: a page without an opener is halted by nothing else, and asks its server
    /// at once.
    pub fn attach_to_pages(&self) -> Attachments {
        self.attachments(true, Some("page"))
    }

    /// On a browser session (each has one auto-attach setting): attaches to the shared workers started from now on,
    /// which no page's session reports. Each is halted until it is resumed, other clients' workers too.
    pub fn attach_to_shared_workers(&self) -> Attachments {
        self.attachments(true, Some("shared_worker"))
    }

    /// From now on attaches to the shared workers that are started without halting them, which leaves that to others.
    ///
    /// # Errors
    /// [`CdpError`] if the browser refuses or is gone.
    pub async fn halt_no_more_shared_workers(&self) -> Result<(), CdpError> {
        self.call(&attach_automatically(false, Some("shared_worker"))).await.map(drop)
    }

    fn attachments(&self, halted: bool, kind: Option<&str>) -> Attachments {
        let events = self.events(&[ATTACHED]);
        let enabled = Some(self.call(&attach_automatically(halted, kind)));
        Attachments { parent: self.clone(), events, enabled, context: None, others: Others::Run }
    }

    /// Opens another browser session on the same connection.
    ///
    /// # Errors
    /// [`CdpError`] if the browser refuses or is gone.
    pub async fn beside(&self) -> Result<Session, CdpError> {
        let attached = self.call(&AttachToBrowserTargetParams::default()).await?;
        Ok(self.connection().session(String::from(attached.session_id)))
    }
}

fn attach_automatically(halted: bool, kind: Option<&str>) -> SetAutoAttachParams {
    let filter = kind.map(targets_only);
    SetAutoAttachParams { auto_attach: true, wait_for_debugger_on_start: halted, flatten: Some(true), filter }
}

/// Builds the filter of the targets of one type.
pub fn targets_only(kind: &str) -> TargetFilter {
    let wanted = FilterEntry { exclude: Some(false), r#type: Some(kind.to_owned()) };
    TargetFilter::new(vec![wanted, FilterEntry { exclude: Some(true), r#type: None }])
}

/// A stream of attached targets.
pub struct Attachments {
    parent: Session,
    events: Events,
    enabled: Option<Call<<SetAutoAttachParams as chromiumoxide_types::Command>::Response>>,
    /// The browser context whose targets are reported; all contexts' if `None`.
    context: Option<String>,
    others: Others,
}

/// What becomes of halted targets of other contexts than the one that is reported.
#[derive(Debug)]
enum Others {
    /// They are resumed.
    Run,
    /// Those of this context are resumed.
    RunIn(Option<String>),
    /// Those of this context, and those that reach no opener, are resumed at once, all others after a time.
    RunLater(Option<String>, Duration),
}

impl Attachments {
    /// Restricts the stream to this browser context. Targets of other contexts are resumed at once, unless
    /// [`Attachments::resuming_only`] says otherwise.
    #[must_use]
    pub fn within(self, context: String) -> Self {
        Self { context: Some(context), ..self }
    }

    /// Of other contexts, resumes the targets of this one alone.
    ///
    /// The clients of a browser all halt what is attached to them, and one that resumes it may do so for all (tried).
    /// Another client may have its reasons.
    #[must_use]
    pub fn resuming_only(self, context: Option<String>) -> Self {
        Self { others: Others::RunIn(context), ..self }
    }

    /// Of other contexts, resumes the pages of this one at once, and those that can't reach an opener: each client's halt of
    /// these counts for itself (tried). A client that resumes one with an opener does so for all, so those are resumed after a
    /// time, in which their own clients do what they halt them for.
    #[must_use]
    pub fn resuming_opened_later(self, at_once: Option<String>, after: Duration) -> Self {
        Self { others: Others::RunLater(at_once, after), ..self }
    }

    /// Waits until the browser has confirmed the setting; the targets that exist already are then in the stream.
    ///
    /// # Errors
    /// [`CdpError`] if the browser refuses or is gone.
    pub async fn confirmed(&mut self) -> Result<(), CdpError> {
        match self.enabled.take() {
            Some(call) => call.await.map(drop),
            None => Ok(()),
        }
    }

    /// Waits for the next target; `None` when the parent session has ended.
    pub async fn next(&mut self) -> Option<Attached> {
        loop {
            let event = self.events.next().await?;
            if let Some(attached) = self.read(&event) {
                return Some(attached);
            }
        }
    }

    /// Returns the next target if its event has already arrived.
    pub fn attached(&mut self) -> Option<Attached> {
        loop {
            let event = self.events.try_next()?;
            if let Some(attached) = self.read(&event) {
                return Some(attached);
            }
        }
    }

    fn read(&self, event: &Event) -> Option<Attached> {
        match event.read::<AttachedToTarget>() {
            Ok(AttachedToTarget { session_id, target_info, waiting_for_debugger }) => {
                let attached = Attached {
                    session: self.parent.connection().session(session_id),
                    target_id: target_info.target_id,
                    kind: target_info.kind,
                    url: target_info.url,
                    context_id: target_info.browser_context_id,
                    opener_id: target_info.opener_id,
                    reaches_opener: target_info.can_access_opener,
                    waiting: waiting_for_debugger,
                };
                if self.context.as_ref().is_some_and(|context| *context != attached.context_id) {
                    let is_in = |context: &Option<String>| context.as_ref() == Some(&attached.context_id);
                    match &self.others {
                        Others::Run => attached.resume(),
                        Others::RunIn(context) if is_in(context) => attached.resume(),
                        Others::RunIn(_) => {}
                        Others::RunLater(at_once, _) if is_in(at_once) || !attached.reaches_opener => attached.resume(),
                        Others::RunLater(_, after) => {
                            let after = *after;
                            tokio::spawn(async move {
                                sleep(after).await;
                                attached.resume();
                            });
                        }
                    }
                    return None;
                }
                Some(attached)
            }
            Err(error) => {
                tracing::warn!(%error, "an event about an attached target can't be read");
                None
            }
        }
    }
}

/// An attached target.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The session that drives it.
    pub session: Session,
    /// Its id.
    pub target_id: String,
    /// Its type: `page`, `iframe`, `worker`, `shared_worker`, `service_worker`, or a type that a newer browser adds.
    pub kind: String,
    /// Its URL, or the URL that it is about to load.
    pub url: String,
    /// The browser context that it belongs to.
    pub context_id: String,
    /// The target whose page opened it, if one did.
    pub opener_id: Option<String>,
    /// Whether it has a window as its opener, which can reach it.
    pub reaches_opener: bool,
    /// Whether it is halted until [`Attached::resume`].
    pub waiting: bool,
}

impl Attached {
    /// Lets the target run.
    pub fn resume(&self) {
        if self.waiting {
            self.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
        }
    }

    /// Closes a page or a frame. Also resumes it, with all its requests paused, because its opener is halted as long as
    /// it is, and may start shared workers in it until it is closed.
    pub fn close(&self) {
        let all = vec![RequestPattern::builder().url_pattern("*").build()];
        self.session.call(&EvaluateParams::new(WITHOUT_SHARED_WORKERS)).forget();
        self.session.call(&EnableFetch { patterns: Some(all), handle_auth_requests: None }).forget();
        self.close_target();
        self.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
    }

    /// Closes a halted shared worker without ever resuming it.
    ///
    /// The browser may resume it when another client's connection ends, or as it is closed. A worker that has closed
    /// itself runs no script then (tried), and a halted one evaluates. So its target is closed once it has done so, or
    /// after [`CLOSE_ITSELF_TIMEOUT`].
    pub async fn close_halted_worker(&self) {
        let closed_itself = self.session.call(&EvaluateParams::new("close()"));
        if timeout(CLOSE_ITSELF_TIMEOUT, closed_itself).await.is_err() {
            tracing::debug!(target_id = self.target_id, "a halted shared worker did not close itself");
        }
        self.close_target();
    }

    fn close_target(&self) {
        let close = CloseTargetParams::new(self.target_id.clone());
        self.session.connection().browser().call(&close).forget();
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedToTarget {
    session_id: String,
    target_info: TargetInfo,
    #[serde(default)]
    waiting_for_debugger: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    browser_context_id: String,
    opener_id: Option<String>,
    #[serde(default)]
    can_access_opener: bool,
}
