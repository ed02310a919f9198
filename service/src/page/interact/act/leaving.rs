//! Documents that are about to be replaced while keys or several clicks are sent to them. The browser gives input to the
//! document that is there when it arrives, so what is meant for a document that leaves would come to the next one.
//!
//! A navigation is known by its events before the answer of the document that began it. Nothing is sent meanwhile. For what
//! begins between the last look and the input, a document that comes holds such input at first.

use std::collections::HashMap;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, AddScriptToEvaluateOnNewDocumentReturns,
    RemoveScriptToEvaluateOnNewDocumentParams,
};
use futures_util::future::select_all;
use serde::Deserialize;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use super::hold_input::HeldInput;
use crate::cdp::{Call, Event, Events, Session};
use crate::page::Page;
use crate::page::interact::ActError;
use crate::page::interact::Frame;
use crate::page::script::{HOLD_KEYS_AT_FIRST, HOLD_POINTER_AT_FIRST};
use crate::page::world::WORLD;

/// The events that are read.
const EVENTS: &[&str] = &[
    "Page.frameRequestedNavigation",
    "Page.frameStartedNavigating",
    "Page.frameStoppedLoading",
    "Page.frameNavigated",
    "Page.frameDetached",
];
/// How long a navigation that a document asked for may take to begin. Some never do, such as one to an application.
const BEGINS_WITHIN: Duration = Duration::from_secs(1);
/// How long one is waited for that has begun.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// The navigations of an element's frame, and of those around it, since this was made.
pub(super) struct Leaving<'a> {
    page: &'a Page,
    frames: Vec<String>,
    watched: Vec<Watched>,
    /// Frames that navigate, and until when that is believed.
    under_way: HashMap<String, Instant>,
}

/// A target session whose new documents hold input at first, until this is dropped.
struct Watched {
    session: Session,
    events: Events,
    holding: Option<Call<AddScriptToEvaluateOnNewDocumentReturns>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    #[serde(default)]
    frame_id: String,
    #[serde(default)]
    disposition: String,
    #[serde(default)]
    navigation_type: String,
    frame: Option<Navigated>,
}

#[derive(Deserialize)]
struct Navigated {
    id: String,
}

impl<'a> Leaving<'a> {
    /// Begins to watch, and has new documents hold this input at first. Nothing is awaited.
    pub(super) fn watch(page: &'a Page, frame: &Frame, input: HeldInput) -> Self {
        let frames = frame.and_those_around();
        let script = if input == HeldInput::Pointer { HOLD_POINTER_AT_FIRST } else { HOLD_KEYS_AT_FIRST };
        let mut watched = vec![Watched::begin(&page.session, script)];
        for frame in &frames {
            if watched.iter().all(|known| !known.session.is_same(frame.session())) {
                watched.push(Watched::begin(frame.session(), script));
            }
        }
        let frames = frames.iter().map(|frame| frame.id().to_owned()).collect();
        Self { page, frames, watched, under_way: HashMap::new() }
    }

    /// Whether one of the documents is about to be replaced.
    pub(super) fn has_begun(&mut self) -> bool {
        let arrived: Vec<Event> =
            self.watched.iter_mut().flat_map(|one| std::iter::from_fn(move || one.events.try_next())).collect();
        for event in arrived {
            self.note(&event);
        }
        let now = Instant::now();
        self.under_way.retain(|_, until| *until > now);
        !self.under_way.is_empty()
    }

    /// Waits until none is, because the next document is there or none came, `until` at most: whether so.
    ///
    /// # Errors
    /// [`ActError`]: a dialog holds the page, or it is gone.
    pub(super) async fn is_over(&mut self, until: Instant) -> Result<bool, ActError> {
        while self.has_begun() {
            let now = Instant::now();
            if now >= until {
                return Ok(false);
            }
            let expiry = self.under_way.values().min().copied().unwrap_or(until).min(until);
            let page = self.page;
            tokio::select! {
                (event, at) = next_of(&mut self.watched) => match event {
                    Some(event) => self.note(&event),
                    // The process of the frame has ended, and its document with it.
                    None => {
                        self.watched.remove(at);
                        self.under_way.clear();
                    }
                },
                dialog = page.dialog_opens() => return Err(ActError::Dialog(dialog?)),
                () = sleep_until(expiry) => {}
            }
        }
        Ok(true)
    }

    fn note(&mut self, event: &Event) {
        let Ok(of) = event.read::<OfFrame>() else { return };
        let id = of.frame.map_or(of.frame_id, |frame| frame.id);
        if !self.frames.contains(&id) {
            return;
        }
        let now = Instant::now();
        match event.method {
            "Page.frameRequestedNavigation" if of.disposition == "currentTab" => {
                self.under_way.entry(id).or_insert(now + BEGINS_WITHIN);
            }
            "Page.frameStartedNavigating" if !of.navigation_type.to_lowercase().contains("samedocument") => {
                self.under_way.insert(id, now + ENDS_WITHIN);
            }
            "Page.frameStoppedLoading" | "Page.frameNavigated" | "Page.frameDetached" => {
                self.under_way.remove(&id);
            }
            _ => {}
        }
    }
}

/// The next event of any, or that there are no more of it.
async fn next_of(watched: &mut [Watched]) -> (Option<Event>, usize) {
    if watched.is_empty() {
        return std::future::pending().await;
    }
    let nexts = watched.iter_mut().map(|one| Box::pin(one.events.next()));
    let (event, at, _) = select_all(nexts).await;
    (event, at)
}

// === impl Watched ===

impl Watched {
    fn begin(session: &Session, script: &str) -> Self {
        let events = session.events(EVENTS);
        let mut script = AddScriptToEvaluateOnNewDocumentParams::new(script);
        script.world_name = Some(WORLD.to_owned());
        Self { session: session.clone(), events, holding: Some(session.call(&script)) }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let (Some(holding), Ok(runtime)) = (self.holding.take(), Handle::try_current()) else { return };
        let session = self.session.clone();
        // The name of the script is known by now, or when the browser gets to it.
        runtime.spawn(async move {
            if let Ok(added) = holding.await {
                session.call(&RemoveScriptToEvaluateOnNewDocumentParams::new(added.identifier)).forget();
            }
        });
    }
}
