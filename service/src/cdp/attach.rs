//! Auto-attach: a session for every target that a session's target brings forth (iframes in other processes, workers,
//! popups), each halted until somebody has looked at it.

use chromiumoxide_cdp::cdp::browser_protocol::target::{FilterEntry, SetAutoAttachParams, TargetFilter};
use chromiumoxide_cdp::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use serde::Deserialize;

use super::connection::{Call, Session};
use super::event::{Event, Events};

const ATTACHED: &str = "Target.attachedToTarget";

impl Session {
    /// Attaches to what this session's target brings forth from now on. Each new target stands still until
    /// [`Attached::resume`] is called.
    pub fn auto_attach(&self) -> Attachments {
        let events = self.events(&[ATTACHED]);
        let params = SetAutoAttachParams {
            auto_attach: true,
            wait_for_debugger_on_start: true,
            flatten: Some(true),
            filter: None,
        };
        let enabled = self.call(&params);
        Attachments { parent: self.clone(), events, enabled: Some(enabled) }
    }

    /// On the browser's own session: attaches to the pages that there are and to those that will be made. None of them
    /// is made to stand still: they may be somebody else's.
    pub fn attach_to_pages(&self) -> Attachments {
        let events = self.events(&[ATTACHED]);
        let pages = FilterEntry { exclude: Some(false), r#type: Some("page".to_owned()) };
        let others = FilterEntry { exclude: Some(true), r#type: None };
        let params = SetAutoAttachParams {
            auto_attach: true,
            wait_for_debugger_on_start: false,
            flatten: Some(true),
            filter: Some(TargetFilter::new(vec![pages, others])),
        };
        let enabled = self.call(&params);
        Attachments { parent: self.clone(), events, enabled: Some(enabled) }
    }
}

/// A stream of the targets that were attached to.
pub struct Attachments {
    parent: Session,
    events: Events,
    enabled: Option<Call<<SetAutoAttachParams as chromiumoxide_types::Command>::Response>>,
}

impl Attachments {
    /// Waits until the browser has confirmed that it attaches; the targets that exist already are then in the stream.
    ///
    /// # Errors
    /// [`super::CdpError`] where the browser refuses or is gone.
    pub async fn confirmed(&mut self) -> Result<(), super::CdpError> {
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
            Ok(attached) => Some(Attached {
                session: self.parent.connection().session(attached.session_id),
                target_id: attached.target_info.target_id,
                context_id: attached.target_info.browser_context_id,
                kind: attached.target_info.kind,
                url: attached.target_info.url,
                waiting: attached.waiting_for_debugger,
            }),
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
    /// The browser context that it is in; empty where the browser does not say.
    pub context_id: String,
    /// What it is: `page`, `iframe`, `worker`, `shared_worker`, `service_worker`, or what a newer browser calls it.
    pub kind: String,
    /// Where it is, or is about to go.
    pub url: String,
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
