//! Settled after an action: what it began has ended, told by events.
//!
//! A navigation that it began has loaded; requests begun since have ended; the documents around the element have been
//! still for two frames (`script/interact/quiet.js`), or never rest. `began` reads the events; nothing here waits for a
//! fixed time.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::network::DisableParams as DisableNetwork;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep_until};

use super::acted::Settled;
use super::actionable::frames_around;
use super::began::{Began, EVENTS};
use super::{ActError, Frame};
use crate::cdp::{Call, CdpError, Event, Events, Session};
use crate::page::script::CALL_KIT;
use crate::page::watch::{PageState, network};
use crate::page::world::{argument, in_world};
use crate::page::{Page, PageError};

/// How long a navigation that the action began may take to load.
const NAVIGATION_TIMEOUT: Duration = Duration::from_secs(10);
/// How long requests and changes may go on, together.
const REST_TIMEOUT: Duration = Duration::from_secs(5);
/// A document that changes for longer after all else has ended never rests.
const RESTLESS_AFTER: Duration = Duration::from_millis(150);
/// How long a document may take to answer beyond that: its script may be busy.
const ANSWER_TIMEOUT: Duration = REST_TIMEOUT;
/// How long the page may take to take input.
const INPUT_TIMEOUT: Duration = Duration::from_secs(10);

/// What is watched from before an action until the page has settled.
pub(super) struct Quiet<'a> {
    page: &'a Page,
    /// The element's document and those around it.
    frames: Vec<Frame>,
    sessions: Vec<(Session, Events)>,
    state: Receiver<PageState>,
    began: Began,
    arrivals: u64,
    within_document: u64,
    /// The arrivals up to which what was begun is known, and documents were looked at.
    renewed: u64,
    followed: u64,
    changed: bool,
}

/// How the documents are after input.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// What was hit instead of the element, where the input was swallowed.
    pub by: Option<String>,
    /// Whether the element's document saw the input; `None` where that document is gone.
    pub seen: Option<bool>,
    /// Whether a document did not answer.
    is_busy: bool,
}

#[derive(Deserialize)]
struct Told {
    by: Option<String>,
    seen: bool,
    changed: bool,
}

impl<'a> Quiet<'a> {
    /// Begins to watch a frame's document, those around it, and the page's requests. Nothing is awaited.
    pub(super) fn watch(page: &'a Page, frame: &Frame) -> Self {
        let mut sessions: Vec<(Session, Events)> = vec![(page.session.clone(), page.session.events(EVENTS))];
        if !frame.session().is_same(&page.session) {
            sessions.push((frame.session().clone(), frame.session().events(EVENTS)));
        }
        if page.network.egress().is_some() {
            for (session, _) in &sessions {
                session.call(&network()).forget();
            }
        }
        let state = page.state.clone();
        let (arrivals, within_document) = {
            let state = state.borrow();
            (state.arrivals, state.within_document)
        };
        let began = Began::new(page.main_frame.clone());
        Self {
            page,
            frames: frames_around(frame),
            sessions,
            state,
            began,
            arrivals,
            within_document,
            renewed: arrivals,
            followed: arrivals,
            changed: false,
        }
    }

    /// The action begins: what has come until now is not its work.
    pub(super) fn begins(&mut self) {
        self.drain();
        self.began = Began::new(self.page.main_frame.clone());
        let state = self.state.borrow();
        (self.arrivals, self.within_document) = (state.arrivals, state.within_document);
        (self.renewed, self.followed) = (state.arrivals, state.arrivals);
    }

    /// Has changes counted from now on where no check of the element began it.
    pub(super) async fn count_changes(&self) -> Result<(), ActError> {
        for frame in &self.frames {
            let _: Value = frame.call(self.page, ANSWER_TIMEOUT, "watch", Vec::new()).await?;
        }
        Ok(())
    }

    /// Waits until the page has taken input; `None` where it opened a dialog meanwhile.
    pub(super) async fn delivered<T>(&self, input: Vec<Call<T>>) -> Result<Option<()>, ActError>
    where
        T: serde::de::DeserializeOwned,
    {
        let taken = async {
            for answer in join_all(input).await {
                match answer {
                    // The document that it was for went away by it.
                    Ok(_) | Err(CdpError::Remote { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        match self.page.unless_held(INPUT_TIMEOUT, "taking input", taken).await {
            Ok(()) => Ok(Some(())),
            Err(ActError::Dialog(_)) => Ok(None),
            Err(ActError::Page(PageError::TimedOut(_))) => {
                Err(ActError::DispatchFailed("the page did not take the input".to_owned()))
            }
            // Its document was refused: the end says so.
            Err(ActError::Page(PageError::Blocked(_))) => Ok(Some(())),
            Err(error) => Err(error),
        }
    }

    /// Whether one of the documents has begun a drag since the element was found ready.
    pub(super) async fn drag_began(&self) -> Result<bool, ActError> {
        let asked =
            self.frames.iter().map(|frame| frame.call::<bool>(self.page, ANSWER_TIMEOUT, "dragging", Vec::new()));
        let answers = join_all(asked).await;
        Ok(answers.into_iter().any(|began| began.unwrap_or(false)))
    }

    /// Waits until the documents are still for two frames, or 150 ms have passed; `None` where a dialog holds the page.
    pub(super) async fn rest(&mut self) -> Result<Option<Rest>, ActError> {
        let longest: Value = u64::try_from(RESTLESS_AFTER.as_millis()).unwrap_or_default().into();
        let page = self.page;
        let asked = self.frames.iter().map(|frame| {
            let arguments = vec![longest.clone()];
            async move { frame.call::<Told>(page, ANSWER_TIMEOUT, "rest", arguments).await }
        });
        let answers = join_all(asked).await;
        let mut rest = Rest::default();
        let mut gone = Vec::new();
        for (number, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(told) => {
                    rest.by = rest.by.or(told.by);
                    self.changed |= told.changed;
                    if number == 0 {
                        rest.seen = Some(told.seen);
                    }
                }
                Err(ActError::Dialog(_)) => return Ok(None),
                Err(ActError::NotFound(_)) => gone.push(number),
                // Its script is busy.
                Err(ActError::Page(PageError::TimedOut(_) | PageError::Browser(_))) => rest.is_busy = true,
                Err(ActError::Page(PageError::Blocked(_))) => {}
                Err(error) => return Err(error),
            }
        }
        for number in gone.into_iter().rev() {
            self.changed = true;
            self.frames.remove(number);
        }
        Ok(Some(rest))
    }

    /// Whether anything that an action does has been seen since it began.
    pub(super) fn shows_effect(&mut self) -> bool {
        self.drain();
        let state = self.state.borrow();
        self.changed || self.began.anything() || state.arrivals > self.arrivals || !state.document.stays()
    }

    /// Waits until what the action began has ended. `rest` is what [`Quiet::rest`] said last.
    pub(super) async fn settle(mut self, rest: Option<Rest>) -> Result<Settled, ActError> {
        let navigated_by = Instant::now() + NAVIGATION_TIMEOUT;
        let mut rests_by = Instant::now() + REST_TIMEOUT;
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
                    rests_by = Instant::now() + REST_TIMEOUT;
                }
                continue;
            }
            if is_known {
                return Ok(self.ends(true));
            }
            if Instant::now() >= rests_by {
                return Ok(self.ends(false));
            }
            match self.follow().await {
                Ok(()) => {}
                Err(ActError::Dialog(_)) => return Ok(self.ends(false)),
                Err(ActError::Page(PageError::Blocked(_)) | ActError::NotFound(_)) => continue,
                Err(error) => return Err(error),
            }
            let Some(rest) = self.rest().await? else { return Ok(self.ends(false)) };
            is_known = !rest.is_busy && !self.frames.is_empty();
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
    async fn follow(&mut self) -> Result<(), ActError> {
        let arrivals = self.state.borrow().arrivals;
        if arrivals > self.followed || self.frames.is_empty() {
            self.frames = vec![self.page.main_document().await?];
            self.followed = arrivals;
        }
        Ok(())
    }

    /// Whether a document is on its way into the main frame, or is there and not loaded.
    fn is_loading(&self) -> bool {
        let state = self.state.borrow();
        let document = &state.document;
        let is_new = state.arrivals > self.arrivals;
        !document.stays() || (is_new && !document.loaded && !document.broken) || self.began.navigation_is_due()
    }

    /// What to answer where a dialog holds the page, or its document was refused.
    fn stopped(&mut self) -> Result<Option<Settled>, ActError> {
        if self.page.dialog().is_some() {
            return Ok(Some(self.ends(false)));
        }
        if self.page.take_refusal().is_some() || self.leads_to_refused() {
            let settled = self.ends(true);
            return Ok(Some(Settled { navigated: false, blocked: true, no_change: false, ..settled }));
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
        let (navigated, held) = {
            let state = self.state.borrow();
            let navigated = state.arrivals > self.arrivals || state.within_document > self.within_document;
            (navigated, state.dialog.is_some())
        };
        let no_change = settled && !navigated && !held && !self.changed && !self.began.anything();
        Settled { navigated, settled, no_change, blocked: false }
    }

    fn drain(&mut self) {
        for (_, events) in &mut self.sessions {
            while let Some(event) = events.try_next() {
                self.began.note(&event);
            }
        }
    }

    /// Waits for the next event, the next change of what is known of the page, or `deadline`.
    async fn next(&mut self, deadline: Instant) {
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

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        for frame in &self.frames {
            let arguments = [argument("leave".into()), argument(Value::Array(Vec::new())), argument(true.into())];
            frame.session().call(&in_world(frame.world(), CALL_KIT, &arguments)).forget();
        }
        if self.page.network.egress().is_some() {
            for (session, _) in &self.sessions {
                session.call(&DisableNetwork::default()).forget();
            }
        }
    }
}
