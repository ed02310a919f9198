//! The pointer: hovering, and what comes before a click. All is written through the page's own session, also what is for
//! frames in other processes.

use std::sync::atomic::Ordering;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventReturns, DispatchMouseEventType, MouseButton,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::actionable::{Ask, Spot, Tries};
use crate::cdp::Call;
use crate::page::interact::acted::{Acted, Method, Point, Terms};
use crate::page::interact::error::Missing;
use crate::page::interact::quiet::{ANSWER_TIMEOUT, Quiet, Rest};
use crate::page::interact::{ActError, Element, Modifiers};
use crate::page::{Page, PageError};

/// What `events.js` says of an element that was acted on by events in its document.
#[derive(Deserialize)]
struct Reached {
    reached: bool,
    /// What became of the element at the press, where it got no click for that.
    #[serde(default)]
    lost: Option<String>,
}

/// Mouse input that was sent, by its answers.
pub(super) type Sent = Vec<Call<DispatchMouseEventReturns>>;

/// An action of the pointer on an element, under way.
pub(super) struct Pointing<'a, 'q> {
    pub page: &'a Page,
    pub element: &'a Element,
    /// What the element must be.
    pub ask: Ask,
    pub quiet: &'q mut Quiet<'a>,
    pub tries: &'q mut Tries,
}

/// A function of the kit was carried out; it returns nothing more.
#[derive(Deserialize)]
pub(super) struct Done {}

/// What came of events that were dispatched in the document.
pub(super) enum Dispatched {
    /// They came to the element. How the documents rest since; `None` where a dialog holds the page.
    Reached(Option<Rest>),
    /// None came to the element.
    NotReached,
}

impl Page {
    /// Moves the pointer onto an element.
    ///
    /// # Errors
    /// As [`Page::click`].
    pub async fn hover(&self, element: &Element, terms: &Terms) -> Result<Acted, ActError> {
        self.or_stale(element, self.hover_over(element, terms).await).await
    }

    async fn hover_over(&self, element: &Element, terms: &Terms) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(terms.deadline);
        // What is disabled can be hovered over.
        let ask = Ask { enabled: false, ..Ask::pointer(terms) };
        if terms.document_first() {
            let mut pointing = Pointing { page: self, element, ask, quiet: &mut quiet, tries: &mut tries };
            let ready = pointing.ready_in_document().await?;
            if moves_pointer(terms) {
                pointing.place_pointer(ready.point).await?;
            }
            if let Dispatched::Reached(rest) = pointing.in_document("domHover", json!({})).await? {
                let settled = quiet.settle(rest).await?;
                return Ok(Acted::new(settled, Method::Dom, Some(ready.bounds)));
            }
            if !terms.by_input() {
                return Err(ActError::DispatchFailed(format!("no pointer came to {}", ready.what)));
            }
        }
        let spot = self.ready(element, ask, &mut tries).await?;
        quiet.begins();
        let moved = vec![self.send_move(spot.point, MouseButton::None, 0)];
        let rest = self.taken(&mut quiet, moved).await?;
        let settled = quiet.settle(rest).await?;
        Ok(Acted::new(settled, Method::Cdp, Some(spot.bounds)))
    }

    /// Moves the pointer to a point of the viewport.
    ///
    /// # Errors
    /// As [`Page::click_at`].
    pub async fn hover_at(&self, point: Point) -> Result<Acted, ActError> {
        self.point_unseen(point, Modifiers::default(), []).await
    }

    /// Moves the pointer to a point and sends what follows, without asking what is there.
    pub(super) async fn point_unseen(
        &self,
        point: Point,
        held: Modifiers,
        then: impl IntoIterator<Item = DispatchMouseEventParams>,
    ) -> Result<Acted, ActError> {
        let document = self.main_document().await?;
        let mut quiet = Quiet::watch(self, &document);
        quiet.count_changes().await?;
        quiet.begins();
        let mut sent = vec![self.send_move(point, MouseButton::None, held.bits())];
        sent.extend(then.into_iter().map(|event| self.session.call(&event)));
        let rest = self.taken(&mut quiet, sent).await?;
        Ok(Acted::new(quiet.settle(rest).await?, Method::Cdp, None))
    }

    /// Waits until input is taken and the documents rest; `None` where a dialog holds the page.
    pub(super) async fn taken(&self, quiet: &mut Quiet<'_>, sent: Sent) -> Result<Option<Rest>, ActError> {
        match quiet.delivered(sent).await? {
            Some(()) => quiet.rest().await,
            None => Ok(None),
        }
    }

    /// Moves the pointer, with a button held or none.
    pub(super) fn send_move(&self, point: Point, button: MouseButton, held: i64) -> Call<DispatchMouseEventReturns> {
        let mut event = DispatchMouseEventParams::new(DispatchMouseEventType::MouseMoved, point.x, point.y);
        self.has_pointer.store(true, Ordering::Relaxed);
        event.buttons = Some(i64::from(button == MouseButton::Left));
        event.button = Some(button);
        event.modifiers = Some(held);
        self.session.call(&event)
    }
}

// === impl Pointing ===

impl Pointing<'_, '_> {
    /// Waits until the element is ready for events in its document: one that must be visible must stand still and be hit at its
    /// point, too.
    pub(super) async fn ready_in_document(&mut self) -> Result<Spot, ActError> {
        let is_seen = self.ask.visible;
        let ask = Ask { hit: is_seen, still: is_seen, ..self.ask };
        let spot = self.page.ready(self.element, ask, self.tries).await?;
        self.quiet.begins();
        Ok(spot)
    }

    /// Places the pointer on the element, whose own events come through the document, for the styles of `:hover`. The browser's
    /// events are kept from the element, which would get each twice, and come to what the pointer leaves.
    pub(super) async fn place_pointer(&self, point: Point) -> Result<(), ActError> {
        let Self { page, element, tries, .. } = self;
        // An element that has gone meanwhile is reported by the events that follow.
        let Ok(Done {}) = page.call_once(element, "hushMoves", json!(null), tries).await else { return Ok(()) };
        self.quiet.delivered(vec![page.send_move(point, MouseButton::None, 0)]).await?;
        match element.frame.call::<()>(page, ANSWER_TIMEOUT, "tellMoves", Vec::new()).await {
            Err(ActError::Page(error)) => Err(error.into()),
            // Its document went away by it.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Acts in the document by a function of the kit.
    pub(super) async fn in_document(&mut self, function: &str, options: Value) -> Result<Dispatched, ActError> {
        let Self { page, element, quiet, tries, .. } = self;
        let reached: Reached = match page.call_once(element, function, options, tries).await {
            Err(ActError::Dialog(_)) => return Ok(Dispatched::Reached(None)),
            // The document went away by it, perhaps with its window.
            Err(ActError::NotFound(Missing::Document(_))) => return Ok(Dispatched::Reached(quiet.rest().await?)),
            Err(ActError::Page(PageError::Crashed(_))) if page.was_closed().await => {
                return Ok(Dispatched::Reached(quiet.rest().await?));
            }
            answer => answer?,
        };
        if !reached.reached {
            return Ok(Dispatched::NotReached);
        }
        let mut rest = quiet.rest().await?;
        if let Some(rest) = &mut rest
            && reached.lost.is_some()
        {
            rest.lost = reached.lost;
        }
        Ok(Dispatched::Reached(rest))
    }
}

/// Whether the pointer goes along with what happens in the document.
pub(super) fn moves_pointer(terms: &Terms) -> bool {
    terms.visible && terms.by_input()
}
