//! Auto-attach: a session for every target that a session's target brings forth (iframes in other processes, workers,
//! popups), each halted until somebody has looked at it.

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
    /// Attaches to what this session's target brings forth from now on. Each new target stands still until
    /// [`Attached::resume`] is called.
    pub fn auto_attach(&self) -> Attachments {
        self.attachments(true, None)
    }

    /// On the browser's own session: attaches to a target in a session of its own, which lasts as long as the target,
    /// whatever becomes of those who brought it forth.
    ///
    /// # Errors
    /// [`CdpError`] where the target or the browser is gone.
    pub async fn attach_to(&self, target_id: &str) -> Result<Session, CdpError> {
        let params = AttachToTargetParams { target_id: target_id.to_owned().into(), flatten: Some(true) };
        let attached = self.call(&params).await?;
        Ok(self.connection().session(String::from(attached.session_id)))
    }

    /// On the browser's own session: attaches to the pages that there are and to those that will be made. None of them
    /// is made to stand still: they may be somebody else's.
    pub fn attach_to_pages(&self) -> Attachments {
        self.attachments(false, Some("page"))
    }

    /// On a session of the browser's own (each has one way of attaching): attaches to the shared workers that will be
    /// started, which no page's session tells of. Each stands still until it is resumed, somebody else's too.
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

    /// Another session of the browser's own.
    ///
    /// # Errors
    /// [`CdpError`] where the browser has none to give, or is gone.
    pub async fn beside(&self) -> Result<Session, CdpError> {
        let attached = self.call(&AttachToBrowserTargetParams::default()).await?;
        Ok(self.connection().session(String::from(attached.session_id)))
    }
}

/// A stream of the targets that were attached to.
pub struct Attachments {
    parent: Session,
    events: Events,
    enabled: Option<Call<<SetAutoAttachParams as chromiumoxide_types::Command>::Response>>,
    /// The one browser context whose targets are of interest, where it is one.
    context: Option<String>,
}

impl Attachments {
    /// The targets of this browser context alone. All others run as if nobody had looked.
    #[must_use]
    pub fn within(self, context: String) -> Self {
        Self { context: Some(context), ..self }
    }

    /// Waits until the browser has confirmed that it attaches; the targets that exist already are then in the stream.
    ///
    /// # Errors
    /// [`CdpError`] where the browser refuses or is gone.
    pub async fn confirmed(&mut self) -> Result<(), CdpError> {
        match self.enabled.take() {
            Some(call) => call.await.map(drop),
            None => Ok(()),
        }
    }

    /// The next target; none when the parent session has ended.
    pub async fn next(&mut self) -> Option<Attached> {
        loop {
            let event = self.events.next().await?;
            if let Some(attached) = self.read(&event) {
                return Some(attached);
            }
        }
    }

    /// The next target that was attached to already, if there is one.
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
                tracing::warn!(%error, "an attached target can't be read");
                None
            }
        }
    }
}

/// A target that was attached to.
#[derive(Clone, Debug)]
pub struct Attached {
    /// The session to drive it by.
    pub session: Session,
    /// Its id.
    pub target_id: String,
    /// What it is: `page`, `iframe`, `worker`, `shared_worker`, `service_worker`, or what a newer browser calls it.
    pub kind: String,
    /// Where it is, or is about to go.
    pub url: String,
    /// The browser context that it belongs to.
    pub context_id: String,
    /// Whether it stands still until [`Attached::resume`].
    pub waiting: bool,
}

impl Attached {
    /// Lets the target run.
    pub fn resume(&self) {
        if self.waiting {
            self.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
        }
    }

    /// Closes a page or a frame. It is let go, too, since its opener stands still with it: on its way to its end, with
    /// every request of it stopped for good.
    pub fn close(&self) {
        let all = vec![RequestPattern::builder().url_pattern("*").build()];
        self.session.call(&EnableFetch { patterns: Some(all), handle_auth_requests: None }).forget();
        self.close_halted();
        self.session.call(&RunIfWaitingForDebuggerParams::default()).forget();
    }

    /// Closes a target that stands still, and never lets it run.
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
