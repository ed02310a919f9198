//! Waits until everything that an action started has ended.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::ActError;
use super::acted::Settled;
use super::quiet::{Quiet, Rest};
use crate::cdp::{Event, Events};
use crate::page::PageError;

/// How long a navigation that the action began may take to load.
const NAVIGATION_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an action waits for a first change where none has come. Dialogs that Streamlit's server sends over a socket come 230 to
/// 300 ms after the click (measured, on one machine).
const FIRST_CHANGE_WITHIN: Duration = Duration::from_millis(300);

/// How long a new document may take to answer at least.
const LOOK_TIME_MIN: Duration = Duration::from_millis(500);

impl Quiet<'_> {
    /// Waits until what the action began has ended. `rest` is what [`Quiet::rest`] said last.
    pub(super) async fn settle(mut self, rest: Option<Rest>) -> Result<Settled, ActError> {
        // What comes from now on may be a person's.
        self.frames.iter().for_each(|frame| frame.notify("endInput"));
        self.acting = None;
        let navigated_by = self.resting_since.unwrap_or_else(Instant::now) + NAVIGATION_TIMEOUT;
        let navigated_by = self.page.settles_until(navigated_by);
        let mut rests_by = self.page.settles_until(Instant::now() + self.rest_limit);
        let Some(rest) = rest else { return Ok(self.ends(false)) };
        let mut is_known = !rest.is_busy && !self.frames.is_empty();
        loop {
            self.drain();
            if let Some(dialog_or_refusal) = self.stopped()? {
                return Ok(dialog_or_refusal);
            }
            self.renew();
            let is_loading = self.is_loading();
            let deadline = if is_loading { navigated_by } else { rests_by };
            if is_loading || self.began.is_under_way() {
                is_known = false;
                if Instant::now() >= deadline {
                    return Ok(self.ends(false));
                }
                self.next(deadline).await;
                if is_loading && !self.is_loading() {
                    rests_by = self.page.settles_until(Instant::now() + self.rest_limit);
                }
                continue;
            }
            if is_known && !(self.awaits_change && self.ends(true).no_change && self.change_comes().await) {
                return Ok(self.ends(true));
            }
            if Instant::now() >= rests_by {
                return Ok(self.ends(false));
            }
            match self.follow(rests_by).await {
                Ok(()) => {}
                Err(ActError::Dialog(_)) => return Ok(self.ends(false)),
                Err(ActError::Page(PageError::Blocked(_)) | ActError::NotFound(_)) => continue,
                Err(ActError::Page(PageError::Crashed(_))) if self.page.was_closed().await => continue,
                // Its script is busy.
                Err(ActError::Page(PageError::TimedOut(_) | PageError::Leaving)) => return Ok(self.ends(false)),
                Err(error) => return Err(error),
            }
            let Some(rest) = self.rest().await? else { return Ok(self.ends(false)) };
            is_known = !rest.is_busy && !self.frames.is_empty();
        }
    }

    /// Waits a moment, once, for the first change or request: a page's workers and sockets answer in their own time, and that it
    /// asked them is not seen. Returns whether one has come.
    async fn change_comes(&mut self) -> bool {
        self.awaits_change = false;
        let until = self.page.settles_until(Instant::now() + FIRST_CHANGE_WITHIN);
        let longest: Value = u64::try_from(FIRST_CHANGE_WITHIN.as_millis()).unwrap_or_default().into();
        let (page, frames) = (self.page, self.frames.clone());
        let asked = frames.iter().map(|frame| {
            let arguments = vec![longest.clone()];
            async move { frame.call::<bool>(page, 2 * FIRST_CHANGE_WITHIN, "changeComes", arguments).await }
        });
        let mut answers: FuturesUnordered<_> = asked.collect();
        loop {
            tokio::select! {
                Some(answer) = answers.next() => match answer {
                    Ok(false) => {}
                    // Its document is gone, or a dialog holds it.
                    Ok(true) | Err(_) => return true,
                },
                () = self.next(until) => {}
            }
            if self.is_loading() || !self.ends(true).no_change {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
        }
    }

    /// Forgets what a document had begun that has been replaced.
    fn renew(&mut self) {
        let state = self.state.borrow();
        if state.arrivals > self.renewed {
            self.renewed = state.arrivals;
            self.began.renew(&state.document.loader);
        }
    }

    /// Looks at the main frame's present document where another one has arrived.
    async fn follow(&mut self, until: Instant) -> Result<(), ActError> {
        let arrivals = self.state.borrow().arrivals;
        if arrivals > self.followed || self.frames.is_empty() {
            let limit = until.saturating_duration_since(Instant::now()).max(LOOK_TIME_MIN);
            self.frames = vec![self.page.main_document_within(limit).await?];
            self.followed = arrivals;
        }
        Ok(())
    }

    /// Whether a document is on its way into the main frame, or is there and not loaded.
    pub(super) fn is_loading(&self) -> bool {
        let state = self.state.borrow();
        let document = &state.document;
        let is_new = state.arrivals > self.arrivals;
        !document.stays() || (is_new && !document.loaded && !document.broken) || self.began.navigation_is_due()
    }

    /// What to answer where a dialog holds the page, its document was refused, or its window is closed.
    fn stopped(&mut self) -> Result<Option<Settled>, ActError> {
        if self.page.dialog().is_some() {
            return Ok(Some(self.ends(false)));
        }
        if self.page.take_refusal().is_some() || self.leads_to_refused() {
            let settled = self.ends(true);
            return Ok(Some(Settled { navigated: false, blocked: true, no_change: false, ..settled }));
        }
        if self.page.is_closed() {
            return Ok(Some(self.ends(true)));
        }
        let stop = self.state.borrow().stop();
        stop.map_or(Ok(None), |stop| Err(PageError::from(stop).into()))
    }

    /// Whether the document that has arrived stands for one that the egress refused.
    fn leads_to_refused(&self) -> bool {
        let state = self.state.borrow();
        state.arrivals > self.arrivals && matches!(self.page.not_a_page(&state, false), Some(PageError::Blocked(_)))
    }

    fn ends(&self, settled: bool) -> Settled {
        let (navigated, held, blocked) = {
            let state = self.state.borrow();
            let navigated = state.arrivals > self.arrivals || state.within_document > self.within_document;
            (navigated, state.dialog.is_some(), state.stops > self.stops)
        };
        let no_change = settled && !navigated && !held && !blocked && !self.changed && !self.began.anything();
        Settled {
            navigated,
            settled,
            no_change,
            blocked,
            download: self.began.download(),
            took: self.resting_since.map_or(Duration::ZERO, |since| since.elapsed()),
        }
    }

    pub(super) fn drain(&mut self) {
        for (_, events) in &mut self.sessions {
            while let Some(event) = events.try_next() {
                self.began.note(&event);
            }
        }
    }

    /// Waits for the next event, the next change of what is known of the page, or `deadline`.
    pub(super) async fn next(&mut self, deadline: Instant) {
        let until = self.began.next_expiry().map_or(deadline, |expiry| expiry.min(deadline));
        let (first, second) = match self.sessions.as_mut_slice() {
            [(_, first), (_, second)] => (Some(first), Some(second)),
            [(_, first), ..] => (Some(first), None),
            [] => (None, None),
        };
        let event = tokio::select! {
            event = one_of(first) => event,
            event = one_of(second) => event,
            _ = self.state.changed() => None,
            () = sleep_until(until) => None,
        };
        if let Some(event) = event {
            self.began.note(&event);
        }
    }
}

/// The next event; never where there are none.
async fn one_of(events: Option<&mut Events>) -> Option<Event> {
    match events {
        Some(events) => match events.next().await {
            Some(event) => Some(event),
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}
