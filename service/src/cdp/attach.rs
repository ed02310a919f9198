//! Auto-attach: a target session for every target that a page creates (iframes in other processes, workers, popups),
//! each halted until its watcher resumes it.

use chromiumoxide_cdp::cdp::browser_protocol::fetch::{EnableParams as EnableFetch, RequestPattern};
use chromiumoxide_cdp::cdp::browser_protocol::target::{
    AttachToBrowserTargetParams, AttachToTargetParams, CloseTargetParams, FilterEntry, SetAutoAttachParams,
    TargetFilter,
};
use chromiumoxide_cdp::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use serde::Deserialize;

use super::connection::{Call, Session};
use super::error::CdpError;
use super::event::{Event, Events};

const ATTACHED: &str = "Target.attachedToTarget";

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

    /// On the browser's own session: attaches to the existing pages and to those created from now on. None is halted,
    /// since some may belong to other clients.
    pub fn attach_to_pages(&self) -> Attachments {
        self.attachments(false, Some("page"))
    }

    /// On a browser session (each has one auto-attach setting): attaches to the shared workers started from now on,
    /// which no page's session reports. Each is halted until it is resumed, other clients' workers too.
    pub fn attach_to_shared_workers(&self) -> Attachments {
        self.attachments(true, Some("shared_worker"))
    }

    fn attachments(&self, halted: bool, kind: Option<&str>) -> Attachments {
        let events = self.events(&[ATTACHED]);
        let filter = kind.map(|kind| {
            let wanted = FilterEntry { exclude: Some(false), r#type: Some(kind.to_owned()) };
            TargetFilter::new(vec![wanted, FilterEntry { exclude: Some(true), r#type: None }])
        });
        let params =
            SetAutoAttachParams { auto_attach: true, wait_for_debugger_on_start: halted, flatten: Some(true), filter };
        let enabled = Some(self.call(&params));
        Attachments { parent: self.clone(), events, enabled, context: None }
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

/// A stream of attached targets.
pub struct Attachments {
    parent: Session,
    events: Events,
    enabled: Option<Call<<SetAutoAttachParams as chromiumoxide_types::Command>::Response>>,
    /// The browser context whose targets are reported; all contexts' if `None`.
    context: Option<String>,
}

impl Attachments {
    /// Restricts the stream to this browser context. Targets of other contexts are resumed at once.
    #[must_use]
    pub fn within(self, context: String) -> Self {
        Self { context: Some(context), ..self }
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
                    waiting: waiting_for_debugger,
                };
                if self.context.as_ref().is_some_and(|context| *context != attached.context_id) {
                    attached.resume();
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
    /// it is.
    pub fn close(&self) {
        let all = vec![RequestPattern::builder().url_pattern("*").build()];
        self.session.call(&EnableFetch { patterns: Some(all), handle_auth_requests: None }).forget();
        self.close_halted();
        self.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
    }

    /// Closes a halted target without ever resuming it.
    pub fn close_halted(&self) {
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
}
