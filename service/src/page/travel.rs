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
use crate::cdp::{Event, Events};
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

/// What going through the history came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Travelled {
    /// Whether the browser sent a form again for it, without asking, as a reload of a form's answer does.
    pub form_was_resent: bool,
}

/// Follows the request for the main frame's next document, whose end without one no other event tells.
struct DocumentRequests<'a> {
    page: &'a Page,
    events: Events,
    _reported: NetworkOn,
    /// The latest request.
    asked: Option<String>,
    /// Whether one of them was no `GET`.
    was_posted: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    request_id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    frame_id: String,
    request: Asked,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    method: String,
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
    pub async fn travel(&self, travel: Travel) -> Result<Travelled, PageError> {
        let deadline = Instant::now() + NAVIGATION_TIMEOUT;
        let entry = match travel {
            Travel::Back => Some(self.history_entry(-1).await?),
            Travel::Forward => Some(self.history_entry(1).await?),
            // The browser loads nothing again where nothing ever was.
            Travel::Reload => match self.load_error() {
                Some(error) if self.has_shown_nothing() => return Err(error),
                _ => None,
            },
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
        let form_was_resent = documents.was_posted();
        self.not_a_page(&self.state.borrow(), false).map_or(Ok(Travelled { form_was_resent }), Err)
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
        Self { page, events, _reported: page.network_use.begin(), asked: None, was_posted: false }
    }

    /// Waits until the browser gives the request up: the answer had no content, or was a download, or we stopped it.
    async fn aborted(&mut self) {
        while let Some(event) = self.events.next().await {
            self.note(&event);
            if let Ok(ended) = event.read::<Ended>()
                && self.asked.as_ref() == Some(&ended.request_id)
                && NetError::of_name(&ended.error_text) == NetError::Aborted
            {
                return;
            }
        }
        std::future::pending::<()>().await;
    }

    /// Notes a request for the main frame's document.
    fn note(&mut self, event: &Event) {
        let sent = (event.method == "Network.requestWillBeSent").then(|| event.read::<Sent>());
        let Some(Ok(sent)) = sent else { return };
        if sent.request_id == sent.loader_id && sent.frame_id == self.page.main_frame {
            self.was_posted |= sent.request.method == "POST";
            self.asked = Some(sent.request_id);
        }
    }

    /// Whether any of the requests so far sent a form.
    fn was_posted(&mut self) -> bool {
        while let Some(event) = self.events.try_next() {
            self.note(&event);
        }
        self.was_posted
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
