//! The pointer: hovering, and what comes before a click. All is written through the page's own session, also what is for
//! frames in other processes.

use std::sync::atomic::Ordering;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchMouseEventParams, DispatchMouseEventReturns, DispatchMouseEventType, MouseButton,
};
use serde::Deserialize;
use serde_json::json;

use super::actionable::{Ask, Tries};
use super::press::Sent;
use crate::cdp::Call;
use crate::page::interact::acted::{Acted, Method, Point, Terms};
use crate::page::interact::error::Missing;
use crate::page::interact::quiet::{ANSWER_TIMEOUT, Quiet, Rest};
use crate::page::interact::{ActError, Element, Modifiers};
use crate::page::{Page, PageError};

/// What `dom.js` says of an element that was acted on in its document.
#[derive(Deserialize)]
struct Reached {
    reached: bool,
    /// What became of the element at the press, where it got no click for that.
    #[serde(default)]
    lost: Option<String>,
}

/// A function of the kit was carried out; it returns nothing more.
#[derive(Deserialize)]
pub(super) struct Done {}

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
            let seen = Ask { hit: ask.visible, still: ask.visible, ..ask };
            let ready = self.ready(element, seen, &mut tries).await?;
            quiet.begins();
            if moves_pointer(terms) {
                self.place_pointer(element, ready.point, &quiet, &tries).await?;
            }
            let acted = self.in_document(element, "domHover", json!({}), &mut quiet, &tries).await?;
            if let Some(rest) = acted {
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

    /// Places the pointer on an element whose events come through the document, for the styles of `:hover`. The element
    /// hears nothing of it, so that it hears of the pointer once; what the pointer leaves does.
    pub(super) async fn place_pointer(
        &self,
        element: &Element,
        point: Point,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<(), ActError> {
        // The events that follow say what an element lacks that has gone meanwhile.
        let Ok(Done {}) = self.call_once(element, "hushMoves", json!(null), tries).await else { return Ok(()) };
        quiet.delivered(vec![self.send_move(point, MouseButton::None, 0)]).await?;
        match element.frame.call::<()>(self, ANSWER_TIMEOUT, "tellMoves", Vec::new()).await {
            Err(ActError::Page(error)) => Err(error.into()),
            // Its document went away by it.
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Acts in the document; `None` where no event came to the element, `Some(None)` where a dialog holds the page since.
    pub(super) async fn in_document(
        &self,
        element: &Element,
        name: &str,
        options: serde_json::Value,
        quiet: &mut Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Option<Rest>>, ActError> {
        let reached: Reached = match self.call_once(element, name, options, tries).await {
            Err(ActError::Dialog(_)) => return Ok(Some(None)),
            // The document went away by it, perhaps with its window.
            Err(ActError::NotFound(Missing::Document(_))) => return Ok(Some(quiet.rest().await?)),
            Err(ActError::Page(PageError::Crashed(_))) if self.was_closed().await => {
                return Ok(Some(quiet.rest().await?));
            }
            answer => answer?,
        };
        if !reached.reached {
            return Ok(None);
        }
        let mut rest = quiet.rest().await?;
        if let Some(rest) = &mut rest
            && reached.lost.is_some()
        {
            rest.lost = reached.lost;
        }
        Ok(Some(rest))
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

/// Whether the pointer goes along with what happens in the document.
pub(super) fn moves_pointer(terms: &Terms) -> bool {
    terms.visible && terms.by_input()
}
