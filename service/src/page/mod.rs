//! What can be done with an open page: navigate, settle, capture, read.
//!
//! Knows `cdp`, and the `guard` that judges where documents may go; never who gave the page.

mod answers;
mod capture;
mod documents;
mod drawing;
mod events;
mod failed;
mod frames;
mod navigate;
mod read;
mod requests;
mod settle;
mod state;
mod watch;
mod world;

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetEmulatedMediaParams, SetTouchEmulationEnabledParams,
};
use chromiumoxide_cdp::cdp::browser_protocol::inspector::EnableParams as EnableInspector;
use chromiumoxide_cdp::cdp::browser_protocol::page::{
    EnableParams as EnablePage, GetNavigationHistoryParams, GetNavigationHistoryReturns,
    SetLifecycleEventsEnabledParams,
};
use porthole_contract::limits::{CAPTURE_TIMEOUT, TITLE_MAX_CHARS};
use porthole_contract::{ColorScheme, Viewport};
use tokio::sync::watch::{Receiver, channel};
use tokio::time::{Instant, timeout};

pub use self::capture::{Capture, Region};
use self::drawing::Drawing;
use self::state::{Fatal, PageState};
use self::watch::{RollCall, Watched};
use self::world::of_a_document;
use crate::cdp::{CdpError, Session};
use crate::guard::egress::Report;
use crate::guard::{Judge, Network, Refusal, Target};
use crate::provider::Lease;

/// How long a document is asked for its status: one that a script went to may be busy.
const STATUS_TIMEOUT: Duration = Duration::from_secs(1);
/// The status that a document came with, as its own records have it; 0 where it came from no server.
const STATUS: &str = "() => performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0";

/// Why a page could not be shown or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PageError {
    /// The page, its redirect or its script went to a target that is refused.
    #[error(transparent)]
    Blocked(Refusal),
    /// The browser could not load it: the `net::` name.
    #[error("{0}")]
    Failed(String),
    /// It is nothing that a browser shows: the `net::` name.
    #[error("{0}: the URL is a download")]
    Download(String),
    /// It is more than a page may load.
    #[error("net::ERR_FAILED: {0}")]
    OverBudget(String),
    /// It did not reach `DOMContentLoaded` in time.
    #[error("Page did not load within {} s", .0.as_secs())]
    NavigationTimedOut(Duration),
    /// The renderer or the browser died.
    #[error("{0}")]
    Crashed(String),
    /// A capture or a reading took too long.
    #[error("{what} took longer than {} s", CAPTURE_TIMEOUT.as_secs(), what = .0)]
    TimedOut(&'static str),
    /// A page that draws only when told to did not draw in time: one that draws by itself may.
    #[error("the page drew no frame: {0}")]
    NoFrame(String),
    /// No element matches.
    #[error("no element matches {0}")]
    SelectorNotFound(String),
    /// Not a CSS selector.
    #[error("not a CSS selector: {0}")]
    InvalidSelector(String),
    /// The browser refused a command.
    #[error(transparent)]
    Browser(CdpError),
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> Self {
        if error.is_gone() { PageError::Crashed(error.to_string()) } else { PageError::Browser(error) }
    }
}

impl From<Fatal> for PageError {
    fn from(fatal: Fatal) -> Self {
        match fatal {
            Fatal::Blocked(refusal) => PageError::Blocked(refusal),
            Fatal::Crashed => PageError::Crashed("the page's renderer crashed".to_owned()),
            Fatal::Gone => PageError::Crashed("the browser is gone".to_owned()),
        }
    }
}

/// How a page sees its screen and its reader.
#[derive(Clone, Copy, Debug)]
pub struct Appearance {
    /// The browser window.
    pub viewport: Viewport,
    /// What `prefers-color-scheme` says, if anything.
    pub color_scheme: Option<ColorScheme>,
    /// What `prefers-reduced-motion` says, if anything.
    pub reduced_motion: Option<bool>,
}

/// Where a page has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The document's URL after its redirects.
    pub final_url: String,
    /// What its server answered.
    pub status_code: u16,
    /// The document's title, cut at [`TITLE_MAX_CHARS`].
    pub title: String,
    /// How many of the page's own requests were refused.
    pub blocked_requests: u64,
    /// Whether the page wanted to load more than it may.
    pub over_budget: bool,
}

/// Has a blank page report what an open one needs to know, and our world made in its documents. Where that is said before
/// anybody wants the page, nobody waits for it.
pub fn prepare(session: &Session) {
    session.call(&EnablePage::default()).forget();
    session.call(&SetLifecycleEventsEnabledParams::new(true)).forget();
    session.call(&EnableInspector::default()).forget();
    session.call(&watch::network()).forget();
    world::prepare(session);
}

/// An open page. Its watchers belong to its lease, as the page itself does.
pub struct Page {
    session: Session,
    main_frame: String,
    state: Receiver<PageState>,
    viewport: Viewport,
    network: Network,
    /// There where the page draws only when told to.
    drawing: Option<Drawing>,
    roll_call: RollCall,
}

impl Page {
    /// Makes a lease's blank page ready for `target`. Nothing is waited for: the commands are on their way ahead of whatever
    /// comes next, and the browser works them off in order.
    #[must_use]
    pub fn open(lease: &mut Lease, target: &Target, judge: &Judge, appearance: &Appearance) -> Self {
        let (session, network) = (lease.page().clone(), lease.network().clone());
        let (state, seen) = channel(PageState::default());
        let roll_call = RollCall::new();
        let watched = Watched {
            main_frame: lease.target_id().to_owned(),
            first: target.clone(),
            guard: judge.guard.clone(),
            blocked: judge.blocked.clone(),
            network: network.clone(),
            state,
            roll_call: roll_call.clone(),
        };
        watch::watch_page(lease.watchers(), &session, watched);
        if !lease.is_prepared() {
            prepare(&session);
        }
        appear(&session, appearance);
        Self {
            session,
            main_frame: lease.target_id().to_owned(),
            state: seen,
            viewport: appearance.viewport,
            network,
            drawing: lease.turns().cloned().map(Drawing::new),
            roll_call,
        }
    }

    /// Does `work`, and tells where the page had arrived with it, and under which title. Judged is all that had come from
    /// the browser when the work was done: what it made must not overtake the news of where its parts came from.
    ///
    /// # Errors
    /// [`PageError`] where the page is gone, was refused, or went to where nothing could be loaded.
    pub async fn arrival<T>(&self, work: impl Future<Output = T>) -> (T, Result<Arrival, PageError>) {
        let (history, status, done) = tokio::join!(self.history(), Box::pin(self.status()), work);
        self.roll_call.all_caught_up().await;
        (done, history.and_then(|history| self.arrived(&history, status)))
    }

    async fn history(&self) -> Result<GetNavigationHistoryReturns, PageError> {
        let history = of_a_document(|| self.session.call(&GetNavigationHistoryParams::default()));
        self.within(CAPTURE_TIMEOUT, "asking for the title", history).await
    }

    /// What the document's server answered, asked of the document itself; nothing where events have told it, or will.
    async fn status(&self) -> Option<u16> {
        if self.network.egress().is_none() || self.state.borrow().document.status.is_some() {
            return None;
        }
        self.run(STATUS_TIMEOUT, "asking for the status", STATUS, []).await.ok().filter(|status| *status != 0)
    }

    fn arrived(&self, history: &GetNavigationHistoryReturns, asked: Option<u16>) -> Result<Arrival, PageError> {
        let entry = usize::try_from(history.current_index).ok().and_then(|index| history.entries.get(index));
        let state = self.state.borrow();
        if let Some(fatal) = &state.fatal {
            return Err(fatal.clone().into());
        }
        if let Some(error) = self.not_a_page(&state) {
            return Err(error);
        }
        let final_url = entry.map_or_else(|| state.document.url.clone(), |entry| entry.url.clone());
        let report = self.network.egress().map(|egress| egress.report());
        Ok(Arrival {
            final_url,
            status_code: state.document.status.or(asked).unwrap_or(200),
            title: entry.map(|entry| entry.title.chars().take(TITLE_MAX_CHARS).collect()).unwrap_or_default(),
            blocked_requests: state.blocked_requests + report.as_ref().map_or(0, Report::blocked_requests),
            over_budget: report.is_some_and(|report| report.over_budget > 0),
        })
    }

    /// Awaits an answer, but no longer than `limit`, and not beyond the page's own end.
    async fn within<T>(
        &self,
        limit: Duration,
        what: &'static str,
        answer: impl Future<Output = Result<T, CdpError>>,
    ) -> Result<T, PageError> {
        tokio::select! {
            biased;
            fatal = self.fatal() => Err(fatal.into()),
            answer = timeout(limit, answer) => Ok(answer.map_err(|_| PageError::TimedOut(what))??),
        }
    }

    /// Waits until the page can't go on.
    async fn fatal(&self) -> Fatal {
        let mut state = self.state.clone();
        match state.wait_for(|state| state.fatal.is_some()).await {
            Ok(state) => state.fatal.clone().unwrap_or(Fatal::Gone),
            Err(_) => Fatal::Gone,
        }
    }

    /// Waits until the page's state is as wanted, no longer than until `deadline`, and not beyond the page's end.
    async fn reaches(&self, deadline: Instant, wanted: impl FnMut(&PageState) -> bool) -> Result<bool, PageError> {
        let mut state = self.state.clone();
        tokio::select! {
            biased;
            fatal = self.fatal() => Err(fatal.into()),
            reached = tokio::time::timeout_at(deadline, state.wait_for(wanted)) => match reached {
                Ok(Ok(_)) => Ok(true),
                Ok(Err(_)) => Err(Fatal::Gone.into()),
                Err(_) => Ok(false),
            },
        }
    }
}

fn appear(session: &Session, appearance: &Appearance) {
    let Viewport { width, height, device_scale_factor, mobile } = appearance.viewport;
    session
        .call(&SetDeviceMetricsOverrideParams::new(i64::from(width), i64::from(height), device_scale_factor, mobile))
        .forget();
    if mobile {
        session.call(&SetTouchEmulationEnabledParams::new(true)).forget();
    }
    let mut features = Vec::new();
    if let Some(scheme) = appearance.color_scheme {
        let value = match scheme {
            ColorScheme::Light => "light",
            ColorScheme::Dark => "dark",
        };
        features.push(MediaFeature::new("prefers-color-scheme", value));
    }
    if let Some(reduced) = appearance.reduced_motion {
        features.push(MediaFeature::new("prefers-reduced-motion", if reduced { "reduce" } else { "no-preference" }));
    }
    if !features.is_empty() {
        let media = SetEmulatedMediaParams { features: Some(features), ..Default::default() };
        session.call(&media).forget();
    }
}
