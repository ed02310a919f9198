//! Navigates through the page's history, or reloads, until a document is parsed.

use chromiumoxide_cdp::cdp::browser_protocol::page::{
    GetNavigationHistoryParams, NavigateToHistoryEntryParams, ReloadParams,
};
use porthole_contract::limits::{CAPTURE_TIMEOUT, NAVIGATION_TIMEOUT};
use serde::Deserialize;
use tokio::time::Instant;

use super::navigate::is_ready;
use super::watch::{NetworkOn, PageState};
use super::{BLANK, Page, PageError};
use crate::cdp::Events;
use crate::net_error::NetError;

/// The events that tell of the requests for documents.
const EVENTS: &[&str] = &["Network.requestWillBeSent", "Network.loadingFailed"];

/// A navigation without a target URL of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// To the previous entry of the page's history.
    Back,
    /// To the next entry of the page's history.
    Forward,
    /// To the current document's URL again.
    Reload,
}

/// Follows the request for the main frame's next document, whose end without one no other event tells.
struct DocumentRequests<'a> {
    page: &'a Page,
    events: Events,
    _reported: NetworkOn,
    /// The latest request.
    asked: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    request_id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    request_id: String,
    #[serde(default)]
    error_text: String,
}

impl Page {
    /// Goes through the page's history, or reloads, and waits until a document is parsed. Each document is judged
    /// again.
    ///
    /// # Errors
    /// [`PageError::NoHistory`] if there is no such entry; [`PageError::Failed`] also for an answer without content, which
    /// leaves the page as it was; otherwise as for [`Page::navigate`].
    pub async fn travel(&self, travel: Travel) -> Result<(), PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        let entry = match travel {
            Travel::Back => Some(self.history_entry(-1).await?),
            Travel::Forward => Some(self.history_entry(1).await?),
            Travel::Reload => None,
        };
        let _under_way = self.begin(None);
        let mut documents = DocumentRequests::watch(self);
        let before = Counts::of(&self.state.borrow());
        match entry {
            Some(entry) => {
                let asked = self.session.call(&NavigateToHistoryEntryParams::new(entry));
                self.within(NAVIGATION_TIMEOUT, "navigating", asked).await?;
            }
            None => {
                let asked = self.session.call(&ReloadParams::default());
                self.within(NAVIGATION_TIMEOUT, "navigating", asked).await?;
            }
        }
        let ended = self.reaches(deadline, |state| {
            let now = Counts::of(state);
            let has_document = now.arrivals > before.arrivals && is_ready(state);
            has_document || now.within_document > before.within_document
        });
        let ended = tokio::select! {
            biased;
            ended = ended => ended?,
            () = documents.aborted() => {
                let stopped = self.state.borrow().stopped.clone();
                return Err(stopped.map_or(PageError::Failed(NetError::Aborted), PageError::Blocked));
            }
        };
        if !ended {
            return Err(PageError::NavigationTimedOut(NAVIGATION_TIMEOUT));
        }
        self.not_a_page(&self.state.borrow(), false).map_or(Ok(()), Err)
    }

    /// Returns the id of the history entry that is `offset` entries away from the current one.
    async fn history_entry(&self, offset: i64) -> Result<i64, PageError> {
        let asked = self.session.call(&GetNavigationHistoryParams::default());
        let history = self.within(CAPTURE_TIMEOUT, "asking for the history", asked).await?;
        let entry = usize::try_from(history.current_index + offset).ok().and_then(|index| history.entries.get(index));
        // A page begins blank, so its first entry is not a navigation's.
        let is_beginning = |index: i64, url: &str| index == 0 && url == BLANK;
        let entry = entry.filter(|entry| !is_beginning(history.current_index + offset, &entry.url));
        entry.map(|entry| entry.id).ok_or(PageError::NoHistory)
    }
}

// === impl DocumentRequests ===

impl<'a> DocumentRequests<'a> {
    fn watch(page: &'a Page) -> Self {
        let events = page.session.events(EVENTS);
        Self { page, events, _reported: page.network_use.begin(), asked: None }
    }

    /// Waits until the browser gives the request up: the answer had no content, or was a download, or we stopped it.
    async fn aborted(&mut self) {
        while let Some(event) = self.events.next().await {
            if let Ok(sent) = event.read::<Sent>()
                && event.method == "Network.requestWillBeSent"
            {
                let is_document = sent.request_id == sent.loader_id && sent.frame_id == self.page.main_frame;
                self.asked = is_document.then_some(sent.request_id).or(self.asked.take());
            } else if let Ok(ended) = event.read::<Ended>()
                && self.asked.as_ref() == Some(&ended.request_id)
                && NetError::of_name(&ended.error_text) == NetError::Aborted
            {
                return;
            }
        }
        std::future::pending::<()>().await;
    }
}

/// A page's counts of arrivals and of navigations within its document.
#[derive(Clone, Copy, Debug)]
struct Counts {
    arrivals: u64,
    within_document: u64,
}

impl Counts {
    fn of(state: &PageState) -> Self {
        Self { arrivals: state.arrivals, within_document: state.within_document }
    }
}
