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
/// How long a download may take to begin whose response has come: the browser's threads hand it on.
const ANSWERED_DOWNLOAD_BEGINS_WITHIN: Duration = Duration::from_secs(2);
/// How many requests are followed at once; what is begun beyond is not waited for.
const REQUESTS_MAX: usize = 1_000;
/// How many frames are followed.
const FRAMES_MAX: usize = 200;
/// Requests that are not waited for: connections without an end, and what no page waits for. A frame's document is
/// followed by its frame.
const NOT_FOLLOWED: [&str; 7] =
    ["CSPViolationReport", "Document", "EventSource", "Ping", "Prefetch", "Preflight", "WebSocket"];

/// What a navigation is given up with whose response is a download.
const ABORTED: &str = "net::ERR_ABORTED";
/// Statuses of responses without content: a navigation to one is given up, too, and nothing comes of it.
const WITHOUT_CONTENT: [u16; 2] = [204, 205];

/// What an action began.
#[derive(Debug)]
pub(super) struct Began {
    main_frame: String,
    /// Requests under way, by their ids.
    requests: HashMap<String, FollowedRequest>,
    /// Requests for documents of which a response came that may be a download, by their ids.
    answered_documents: HashSet<String>,
    /// Frames that load.
    loading: HashSet<String>,
    /// A navigation of the main frame that was asked for and has not begun, until when it must.
    due: Option<Instant>,
    /// How many more downloads were asked for than have begun; fewer, where some began that were not known of.
    awaited_downloads: i64,
    /// Until when they must have begun.
    downloads_begin_by: Option<Instant>,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered {
    request_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    status: u16,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failed {
    request_id: String,
    #[serde(default)]
    error_text: String,
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
            answered_documents: HashSet::new(),
            loading: HashSet::new(),
            due: None,
            awaited_downloads: 0,
            downloads_begin_by: None,
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
                let Answered { request_id, kind, response } = event.read()?;
                if let Some(request) = self.requests.get_mut(&request_id) {
                    request.ends = Some(Instant::now() + ANSWERED_ENDS_AFTER);
                }
                let may_be_download = kind == "Document" && !WITHOUT_CONTENT.contains(&response.status);
                if may_be_download && self.answered_documents.len() < REQUESTS_MAX {
                    self.answered_documents.insert(request_id);
                }
            }
            "Network.loadingFinished" => {
                let Request { request_id, .. } = event.read()?;
                self.requests.remove(&request_id);
                self.answered_documents.remove(&request_id);
            }
            "Network.loadingFailed" => {
                let Failed { request_id, error_text } = event.read()?;
                self.requests.remove(&request_id);
                if self.answered_documents.remove(&request_id) && error_text == ABORTED {
                    self.await_downloads(1, ANSWERED_DOWNLOAD_BEGINS_WITHIN);
                }
            }
            "Page.windowOpen" => self.anything = true,
            "Page.downloadWillBegin" => {
                (self.anything, self.download) = (true, true);
                self.awaited_downloads -= 1;
            }
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

    /// So many downloads were asked for, which begin within `limit` unless nothing comes of them.
    pub(super) fn await_downloads(&mut self, count: u32, limit: Duration) {
        if count > 0 {
            self.anything = true;
            self.awaited_downloads += i64::from(count);
            self.downloads_begin_by = Some(Instant::now() + limit);
        }
    }

    /// When downloads that were asked for must have begun; `None` where all have.
    fn downloads_begin_by(&self) -> Option<Instant> {
        self.downloads_begin_by.filter(|_| self.awaited_downloads > 0)
    }

    /// The main frame has the document of another navigation: what the one before had begun is gone with it.
    pub(super) fn renew(&mut self, loader: &str) {
        self.downloads_begin_by = None;
        self.requests.retain(|_, request| request.loader == loader);
        self.loading.retain(|frame| *frame == self.main_frame);
    }

    /// Whether anything is under way.
    pub(super) fn is_under_way(&mut self) -> bool {
        let now = Instant::now();
        self.requests.retain(|_, request| request.ends.is_none_or(|ends| ends > now));
        let is_download_due = self.downloads_begin_by().is_some_and(|by| by > now);
        !self.requests.is_empty() || !self.loading.is_empty() || is_download_due
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
        let now = Instant::now();
        let ends = self.requests.values().filter_map(|request| request.ends);
        ends.chain(self.due).chain(self.downloads_begin_by()).filter(|end| *end > now).min()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn began(events: &[(&'static str, Value)]) -> Began {
        let mut began = Began::new("main".to_owned());
        for (method, params) in events {
            began.note(&Event::new(method, None, params.to_string().into()));
        }
        began
    }

    fn answered(status: u16) -> [(&'static str, Value); 3] {
        let answered = json!({"requestId": "a", "type": "Document", "response": {"status": status}});
        let failed = json!({"requestId": "a", "type": "Document", "errorText": "net::ERR_ABORTED"});
        let stopped = json!({"frameId": "main"});
        [
            ("Network.responseReceived", answered),
            ("Network.loadingFailed", failed),
            ("Page.frameStoppedLoading", stopped),
        ]
    }

    #[tokio::test]
    async fn a_response_that_is_given_up_is_a_download_that_has_not_begun_yet() {
        let mut began = began(&answered(200));
        assert!(began.is_under_way() && began.anything() && began.next_expiry().is_some());
        began.note(&Event::new("Page.downloadWillBegin", None, "{}".into()));
        assert!(!began.is_under_way() && began.download() && began.next_expiry().is_none());
    }

    #[tokio::test]
    async fn a_download_that_began_at_once_is_not_waited_for_again() {
        let mut began = began(&[("Page.downloadWillBegin", json!({}))]);
        began.await_downloads(1, ANSWERED_DOWNLOAD_BEGINS_WITHIN);
        assert!(!began.is_under_way());
    }

    #[tokio::test]
    async fn nothing_comes_of_a_response_without_content_and_of_a_document_that_was_replaced() {
        assert!(!began(&answered(204)).is_under_way());
        let mut replaced = began(&answered(200));
        replaced.renew("b");
        assert!(!replaced.is_under_way());
    }

    #[tokio::test]
    async fn what_is_over_is_no_next_expiry() {
        let mut began = began(&answered(200));
        began.due = Some(Instant::now());
        began.downloads_begin_by = Some(Instant::now());
        assert!(began.next_expiry().is_none() && !began.is_under_way());
    }
}
