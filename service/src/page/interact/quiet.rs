//! Detects by events when everything that an action started has ended.
//!
//! That is: its navigation has loaded, requests begun since have ended, and the documents around the element have been
//! still for two frames, or for one after which nothing is due (`script/interact/quiet/quiet.js`), or never come to rest. This
//! file watches from before the action, `began` reads the events, `settle` waits for the end. Nothing waits for a fixed
//! time.

use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch::Receiver;
use tokio::time::Instant;

use super::began::{Began, EVENTS};
use super::{ActError, Frame};
use crate::cdp::{Call, CdpError, Events, Session};
use crate::page::input::Acting;
use crate::page::watch::{NetworkOn, NetworkUse, PageState};
use crate::page::{Page, PageError};

/// How long requests and changes may go on, together.
pub(super) const REST_TIMEOUT: Duration = Duration::from_secs(5);
/// A document that changes for longer after all else has ended never rests.
const RESTLESS_AFTER: Duration = Duration::from_millis(150);
/// How long a document may take to answer beyond that: its script may be busy.
pub(super) const ANSWER_TIMEOUT: Duration = REST_TIMEOUT;
/// How long the page may take to take input.
const INPUT_TIMEOUT: Duration = Duration::from_secs(10);

/// What is watched from before an action until the page has settled.
pub(super) struct Quiet<'a> {
    pub(super) page: &'a Page,
    /// Has a person's input wait, until what the action sent is taken.
    pub(super) acting: Option<Acting<'a>>,
    /// The element's document and those around it.
    pub(super) frames: Vec<Frame>,
    pub(super) sessions: Vec<(Session, Events)>,
    /// Has their requests reported.
    reported: Vec<NetworkOn>,
    pub(super) state: Receiver<PageState>,
    pub(super) began: Began,
    pub(super) arrivals: u64,
    pub(super) within_document: u64,
    /// How many navigations were stopped before.
    pub(super) stops: u64,
    /// The arrivals up to which what was begun is known, and documents were looked at.
    pub(super) renewed: u64,
    pub(super) followed: u64,
    pub(super) changed: bool,
    /// How long requests and changes may go on.
    pub(super) rest_limit: Duration,
    /// Has [`Quiet::settle`] wait a moment for a change before it says that nothing changed.
    pub(super) awaits_change: bool,
    /// When the wait for its end began.
    pub(super) resting_since: Option<Instant>,
}

/// How the documents are after input.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// What was hit instead of the element, where the input was swallowed.
    pub by: Option<String>,
    /// Whether the element's document saw the input; `None` where that document is gone.
    pub seen: Option<bool>,
    /// How many presses came to the element.
    pub reached: u32,
    /// How many of its clicks did.
    pub done: u32,
    /// What would have got a later event of the same input.
    pub lost: Option<String>,
    /// Whether the element's document has changed beside the field that was written into.
    pub beside: bool,
    /// Whether a document did not answer.
    pub(super) is_busy: bool,
}

/// The answer of `rest`: one document after input, as in [`Rest`].
#[derive(Deserialize)]
struct DocumentRest {
    by: Option<String>,
    seen: bool,
    reached: u32,
    done: u32,
    lost: Option<String>,
    changed: bool,
    beside: bool,
    /// How many links were clicked since the last answer that save a file.
    saves: u32,
}

impl<'a> Quiet<'a> {
    /// Begins to watch a frame's document, those around it, and the page's requests. Nothing is awaited.
    pub(super) fn watch(page: &'a Page, frame: &Frame) -> Self {
        let mut quiet = Self::watch_held(page);
        quiet.acting = Some(page.acts());
        quiet.frames = frame.and_those_around();
        if !frame.session().is_same(&page.session) {
            quiet.sessions.push((frame.session().clone(), frame.session().events(EVENTS)));
            quiet.reported.push(NetworkUse::new(frame.session(), page.network.remote().is_some()).begin());
        }
        quiet
    }

    /// Begins to watch a page whose documents can't be asked, since a dialog holds it: they are once it rests.
    pub(super) fn watch_held(page: &'a Page) -> Self {
        let state = page.state.clone();
        let (arrivals, within_document, stops) = {
            let state = state.borrow();
            (state.arrivals, state.within_document, state.stops)
        };
        Self {
            page,
            acting: None,
            frames: Vec::new(),
            sessions: vec![(page.session.clone(), page.session.events(EVENTS))],
            reported: vec![page.network_use.begin()],
            state,
            began: Began::new(page.main_frame.clone()),
            arrivals,
            within_document,
            stops,
            renewed: arrivals,
            followed: arrivals,
            changed: false,
            rest_limit: REST_TIMEOUT,
            awaits_change: false,
            resting_since: None,
        }
    }

    /// Marks the action's begin: events and changes before it do not count as its effects.
    pub(super) fn begins(&mut self) {
        if let Some(acting) = &self.acting {
            acting.begins();
        }
        self.drain();
        self.began = Began::new(self.page.main_frame.clone());
        let state = self.state.borrow();
        (self.arrivals, self.within_document) = (state.arrivals, state.within_document);
        self.stops = state.stops;
        (self.renewed, self.followed) = (state.arrivals, state.arrivals);
    }

    /// Forgets changes and requests so far, so that only later ones count.
    pub(super) fn forget_changes(&mut self) {
        self.drain();
        self.changed = false;
        self.began.forget_anything();
    }

    /// Starts counting the documents' changes, for actions without a check of an element, which would start it.
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
            Err(ActError::Page(PageError::TimedOut(_) | PageError::Leaving)) => {
                Err(ActError::DispatchFailed("the page did not take the input".to_owned()))
            }
            // Its document was refused: the end says so.
            Err(ActError::Page(PageError::Blocked(_))) => Ok(Some(())),
            // The page closed its window by it.
            Err(ActError::Page(PageError::Crashed(_))) if self.page.was_closed().await => Ok(Some(())),
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

    /// Waits until the documents are still for two frames, for one after which nothing is due, or 150 ms have passed; `None`
    /// where a dialog holds the page.
    pub(super) async fn rest(&mut self) -> Result<Option<Rest>, ActError> {
        self.resting_since.get_or_insert_with(Instant::now);
        let longest: Value = u64::try_from(RESTLESS_AFTER.as_millis()).unwrap_or_default().into();
        let page = self.page;
        let limit = page.settles_until(Instant::now() + ANSWER_TIMEOUT).saturating_duration_since(Instant::now());
        let asked = self.frames.iter().map(|frame| {
            let arguments = vec![longest.clone()];
            async move { frame.call::<DocumentRest>(page, limit, "rest", arguments).await }
        });
        let answers = join_all(asked).await;
        let mut rest = Rest::default();
        let mut gone = Vec::new();
        for (number, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(document) => {
                    rest.by = rest.by.or(document.by);
                    self.changed |= document.changed;
                    self.began.await_downloads(document.saves, REST_TIMEOUT);
                    if number == 0 {
                        rest.seen = Some(document.seen);
                        rest.beside = document.beside;
                        (rest.reached, rest.done, rest.lost) = (document.reached, document.done, document.lost);
                    }
                }
                Err(ActError::Dialog(_)) => return Ok(None),
                Err(ActError::NotFound(_)) => gone.push(number),
                Err(ActError::Page(PageError::Crashed(_))) if page.was_closed().await => gone.push(number),
                // Its script is busy.
                Err(ActError::Page(error)) if error.is_without_answer() => rest.is_busy = true,
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
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        for frame in &self.frames {
            frame.notify("leave");
        }
    }
}
