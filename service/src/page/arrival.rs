//! Where a page has arrived.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{GetNavigationHistoryParams, GetNavigationHistoryReturns};
use chromiumoxide_cdp::cdp::browser_protocol::target::GetTargetInfoParams;
use porthole_contract::limits::{CAPTURE_TIMEOUT, TITLE_MAX_CHARS};
use serde::Deserialize;

use super::run::retry_across_documents;
use super::script::PLACE;
use super::{Page, PageError};
use crate::guard::egress::Report;

/// Time limit for asking a document where it is: its script may be busy.
const PLACE_TIMEOUT: Duration = Duration::from_secs(1);

/// Where a page has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The document's URL after its redirects.
    pub final_url: String,
    /// The HTTP status of its server's answer.
    pub status_code: u16,
    /// The document's title, cut at [`TITLE_MAX_CHARS`].
    pub title: String,
    /// How many of the page's own requests were refused.
    pub blocked_requests: u64,
    /// Whether the page reached its egress limits.
    pub over_budget: bool,
}

/// Where a page is, as its document or its browser reports it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Place {
    url: Option<String>,
    title: String,
    /// The HTTP status of the document's response.
    status: Option<u16>,
    /// Whether the document's response is incomplete.
    is_cut: bool,
}

impl Place {
    fn of_history(history: GetNavigationHistoryReturns) -> Self {
        let current = usize::try_from(history.current_index).ok();
        let entry = current.and_then(|index| history.entries.into_iter().nth(index));
        entry.map_or_else(Self::default, |entry| Self { url: Some(entry.url), title: entry.title, ..Self::default() })
    }
}

impl Page {
    /// Does `work`, and returns where the page was meanwhile. First judges all events that the browser had sent when
    /// the work was done: a result must not be returned before the events that show where its parts came from.
    ///
    /// # Errors
    /// [`PageError`] if the page is gone, was refused, or navigated to a URL that could not be loaded.
    pub async fn arrival<T>(&self, work: impl Future<Output = T>) -> (T, Result<Arrival, PageError>) {
        let (place, done) = tokio::join!(Box::pin(self.place()), work);
        self.barrier.wait().await;
        (done, place.and_then(|place| self.arrived(place)))
    }

    /// Returns the URL and the title of a page that is leaving, and so can't be asked; `None` if it is gone.
    pub async fn last_place(&self) -> Option<(String, String)> {
        let place = self.last_reported().await.ok()?;
        Some((place.url?, place.title.chars().take(TITLE_MAX_CHARS).collect()))
    }

    /// Returns the title of the page's document, cut at [`TITLE_MAX_CHARS`]; `None` if the page does not answer.
    pub async fn title(&self) -> Option<String> {
        let place = self.place().await.ok()?;
        Some(place.title.chars().take(TITLE_MAX_CHARS).collect())
    }

    /// Returns the HTTP status of the answer that brought the document; `None` if none did.
    pub async fn answered_with(&self) -> Option<u16> {
        let known = self.status_code();
        let place = async { self.place().await.ok().and_then(|place| place.status.filter(|status| *status != 0)) };
        if known.is_some() { known } else { place.await }
    }

    /// Why the document is not whole: its response was cut at the page's limit of bytes.
    pub async fn cut_document(&self) -> Option<PageError> {
        if self.over_budget_requests() == 0 || self.dialog().is_some() {
            return None;
        }
        let is_cut = self.place().await.is_ok_and(|place| place.is_cut);
        self.not_a_page(&self.state.borrow(), is_cut)
    }

    /// Returns where the page is. Asks a local document itself, since its answer is bounded: the browser keeps up to
    /// fifty URLs of 2 MB in a page's history.
    async fn place(&self) -> Result<Place, PageError> {
        if self.network.egress().is_none() {
            let history = retry_across_documents(|| self.session.call(&GetNavigationHistoryParams::default()));
            return self.within(CAPTURE_TIMEOUT, "asking for the title", history).await.map(Place::of_history);
        }
        match self.run(PLACE_TIMEOUT, "asking for the title", PLACE, [TITLE_MAX_CHARS.into()]).await {
            Ok(place) => Ok(place),
            // The document's script is busy.
            Err(error) if error.is_without_answer() => self.last_reported().await,
            Err(error) => Err(error),
        }
    }

    /// Returns the URL and the title that the document last reported to the browser process, without asking it.
    async fn last_reported(&self) -> Result<Place, PageError> {
        let asked = self.session.call(&GetTargetInfoParams::default());
        let info = self.within(CAPTURE_TIMEOUT, "asking for the title", asked).await?.target_info;
        Ok(Place { url: Some(info.url), title: info.title, ..Place::default() })
    }

    fn arrived(&self, place: Place) -> Result<Arrival, PageError> {
        let state = self.state.borrow();
        if let Some(stop) = state.stop() {
            return Err(stop.into());
        }
        if let Some(error) = self.not_a_page(&state, place.is_cut) {
            return Err(error);
        }
        let report = self.network.egress().map(|egress| egress.report());
        Ok(Arrival {
            final_url: place.url.unwrap_or_else(|| state.document.url.clone()),
            status_code: state.document.status.or(place.status.filter(|status| *status != 0)).unwrap_or(200),
            title: place.title.chars().take(TITLE_MAX_CHARS).collect(),
            blocked_requests: state.blocked_requests + report.as_ref().map_or(0, Report::blocked_requests),
            over_budget: report.is_some_and(|report| report.over_budget > 0),
        })
    }
}
