//! What an action started, by the browser's events: requests, loading frames, navigations, windows, downloads.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::cdp::{CdpError, Event};

/// The events that are read.
pub(super) const EVENTS: &[&str] = &[
    "Network.loadingFailed",
    "Network.loadingFinished",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.downloadWillBegin",
    "Page.frameDetached",
    "Page.frameRequestedNavigation",
    "Page.frameStartedLoading",
    "Page.frameStartedNavigating",
    "Page.frameStoppedLoading",
    "Page.windowOpen",
];

/// A request whose headers came counts as ended after this: its body may be one that the page never reads, or an endless
/// one.
const ANSWERED_ENDS_AFTER: Duration = Duration::from_millis(500);
/// How long a navigation that a document asked for may take to begin.
const NAVIGATION_BEGINS_WITHIN: Duration = Duration::from_secs(1);
/// How many requests are followed at once; what is begun beyond is not waited for.
const REQUESTS_MAX: usize = 1_000;
/// How many frames are followed.
const FRAMES_MAX: usize = 200;
/// Requests that are not waited for: connections without an end, and what no page waits for. A frame's document is
/// followed by its frame.
const NOT_FOLLOWED: [&str; 7] =
    ["CSPViolationReport", "Document", "EventSource", "Ping", "Prefetch", "Preflight", "WebSocket"];

/// What an action began.
#[derive(Debug)]
pub(super) struct Began {
    main_frame: String,
    /// Requests under way, by their ids.
    requests: HashMap<String, FollowedRequest>,
    /// Frames that load.
    loading: HashSet<String>,
    /// A navigation of the main frame that was asked for and has not begun, until when it must.
    due: Option<Instant>,
    anything: bool,
    download: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    request_id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(rename = "type", default)]
    kind: String,
}

/// A request under way.
#[derive(Debug)]
struct FollowedRequest {
    /// The navigation that brought its document.
    loader: String,
    /// When it counts as ended, once it is answered.
    ends: Option<Instant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    frame_id: String,
    #[serde(default)]
    disposition: String,
}

impl Began {
    pub(super) fn new(main_frame: String) -> Self {
        Self {
            main_frame,
            requests: HashMap::new(),
            loading: HashSet::new(),
            due: None,
            anything: false,
            download: false,
        }
    }

    /// Reads an event.
    pub(super) fn note(&mut self, event: &Event) {
        if let Err(error) = self.try_note(event) {
            tracing::debug!(%error, "an event of an action can't be read");
        }
    }

    fn try_note(&mut self, event: &Event) -> Result<(), CdpError> {
        match event.method {
            "Network.requestWillBeSent" => {
                let Request { request_id, loader_id, kind } = event.read()?;
                // A worker's script has no loader: the end of its request is told to the worker's own session.
                let is_followed = !loader_id.is_empty() && !NOT_FOLLOWED.contains(&kind.as_str());
                if is_followed && self.requests.len() < REQUESTS_MAX {
                    self.anything = true;
                    self.requests.insert(request_id, FollowedRequest { loader: loader_id, ends: None });
                }
            }
            "Network.responseReceived" => {
                let Request { request_id, .. } = event.read()?;
                if let Some(request) = self.requests.get_mut(&request_id) {
                    request.ends = Some(Instant::now() + ANSWERED_ENDS_AFTER);
                }
            }
            "Network.loadingFinished" | "Network.loadingFailed" => {
                let Request { request_id, .. } = event.read()?;
                self.requests.remove(&request_id);
            }
            "Page.windowOpen" => self.anything = true,
            "Page.downloadWillBegin" => (self.anything, self.download) = (true, true),
            _ => self.note_frame(event.method, event.read()?),
        }
        Ok(())
    }

    fn note_frame(&mut self, method: &str, OfFrame { frame_id, disposition }: OfFrame) {
        let is_main = frame_id == self.main_frame;
        match method {
            "Page.frameRequestedNavigation" => {
                self.anything = true;
                if is_main && disposition == "currentTab" {
                    self.due = Some(Instant::now() + NAVIGATION_BEGINS_WITHIN);
                }
            }
            "Page.frameStartedLoading" if self.loading.len() < FRAMES_MAX => {
                self.anything = true;
                self.loading.insert(frame_id);
            }
            "Page.frameStartedNavigating" if is_main => self.due = None,
            "Page.frameStoppedLoading" | "Page.frameDetached" => {
                if is_main {
                    self.due = None;
                }
                self.loading.remove(&frame_id);
            }
            _ => {}
        }
    }

    /// The main frame has the document of another navigation: what the one before had begun is gone with it.
    pub(super) fn renew(&mut self, loader: &str) {
        self.requests.retain(|_, request| request.loader == loader);
        self.loading.retain(|frame| *frame == self.main_frame);
    }

    /// Whether anything is under way.
    pub(super) fn is_under_way(&mut self) -> bool {
        let now = Instant::now();
        self.requests.retain(|_, request| request.ends.is_none_or(|ends| ends > now));
        !self.requests.is_empty() || !self.loading.is_empty()
    }

    /// Whether the main frame is about to navigate.
    pub(super) fn navigation_is_due(&self) -> bool {
        self.due.is_some_and(|due| due > Instant::now())
    }

    /// Whether anything was begun at all.
    pub(super) fn anything(&self) -> bool {
        self.anything
    }

    /// Whether a download was.
    pub(super) fn download(&self) -> bool {
        self.download
    }

    /// Forgets that anything was begun.
    pub(super) fn forget_anything(&mut self) {
        self.anything = false;
    }

    /// When something ends without an event, next.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.requests.values().filter_map(|request| request.ends).chain(self.due).min()
    }
}
