//! Dragging an element onto another: by the pointer alone, or as HTML's drag and drop where the page makes it one.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchDragEventParams, DispatchDragEventType, DispatchMouseEventParams, DispatchMouseEventType, DragData,
    MouseButton, SetInterceptDragsParams,
};
use serde::Deserialize;
use tokio::time::timeout;

use super::acted::{Acted, Method, Point, Terms};
use super::actionable::{Ask, Tries};
use super::chord::Modifiers;
use super::quiet::{Quiet, Rest};
use super::{ActError, Element};
use crate::cdp::Events;
use crate::page::Page;

/// Moves between source and target: pages begin a drag after some pixels, and look at what is passed over.
const STEPS: u32 = 10;
/// How long the browser may take to report a drag that the page has begun.
const DRAG_REPORTED_WITHIN: Duration = Duration::from_secs(1);
const INTERCEPTED: &[&str] = &["Input.dragIntercepted"];

/// Where to drag to.
#[derive(Clone, Debug)]
pub enum Drop<'a> {
    /// The middle of an element.
    Element(&'a Element),
    /// A point of the viewport.
    Point(Point),
}

#[derive(Deserialize)]
struct Intercepted {
    data: DragData,
}

/// Has the browser hand over the page's drags until it is dropped.
struct Intercepting<'a>(&'a Page);

impl Intercepting<'_> {
    fn begin(page: &Page) -> (Intercepting<'_>, Events) {
        let events = page.session.events(INTERCEPTED);
        page.session.call(&SetInterceptDragsParams::new(true)).forget();
        (Intercepting(page), events)
    }
}

impl std::ops::Drop for Intercepting<'_> {
    fn drop(&mut self) {
        self.0.session.call(&SetInterceptDragsParams::new(false)).forget();
    }
}

impl Page {
    /// Drags an element to another one, or to a point.
    ///
    /// # Errors
    /// As [`Page::click`], for either element.
    pub async fn drag(&self, element: &Element, to: &Drop<'_>, terms: &Terms) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(terms.deadline);
        let ask = Ask::pointer(terms);
        let (_intercepting, mut drags) = Intercepting::begin(self);
        let press = |page: &Page, spot: &super::actionable::Spot| {
            let point = spot.point;
            vec![page.send_button(point, true)]
        };
        let (spot, rest) = self.point_at(element, ask, Modifiers::default(), &mut quiet, &mut tries, press).await?;
        if rest.is_none() {
            return Ok(Acted::new(quiet.settle(None).await?, Method::Cdp, Some(spot.bounds)));
        }
        // What is dragged may lie over the target from now on, so what is hit there is not asked.
        let target = match to {
            Drop::Point(point) => Ok(*point),
            Drop::Element(target) => {
                let ask = Ask { hit: false, enabled: false, ..ask };
                self.ready(target, ask, &mut tries).await.map(|spot| spot.point)
            }
        };
        let target = match target {
            Ok(target) => target,
            Err(error) => {
                // Let go where it was, or the button would stay down.
                self.send_button(spot.point, false).forget();
                return Err(error);
            }
        };
        let rest = self.carry(spot.point, target, &mut drags, &mut quiet).await?;
        let settled = quiet.settle(rest).await?;
        Ok(Acted::new(settled, Method::Cdp, Some(spot.bounds)).warns_of_no_change())
    }

    /// Moves what is held to the target and lets it go; `None` where a dialog holds the page.
    async fn carry(
        &self,
        from: Point,
        to: Point,
        drags: &mut Events,
        quiet: &mut Quiet<'_>,
    ) -> Result<Option<Rest>, ActError> {
        let along = |step: u32| {
            let part = f64::from(step) / f64::from(STEPS);
            Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
        };
        // The first moves make the page begin its drag, which is reported before they are answered.
        let first = (1..=2).map(|step| self.send_move(along(step), MouseButton::Left, 0)).collect();
        let Some(()) = quiet.delivered(first).await? else { return Ok(None) };
        let mut drag = self.intercepted(drags, quiet.drag_began().await?).await;
        if drag.is_none() {
            let moves = (3..=STEPS).map(|step| self.send_move(along(step), MouseButton::Left, 0));
            let moves = moves.chain(std::iter::once(self.send_move(to, MouseButton::Left, 0))).collect();
            let Some(()) = quiet.delivered(moves).await? else { return Ok(None) };
            drag = self.intercepted(drags, quiet.drag_began().await?).await;
        }
        if let Some(data) = drag {
            let kinds = [
                DispatchDragEventType::DragEnter,
                DispatchDragEventType::DragOver,
                DispatchDragEventType::DragOver,
                DispatchDragEventType::Drop,
            ];
            let events =
                kinds.map(|kind| self.session.call(&DispatchDragEventParams::new(kind, to.x, to.y, data.clone())));
            let Some(()) = quiet.delivered(events.into()).await? else { return Ok(None) };
        }
        let released = vec![self.send_button(to, false)];
        self.taken(quiet, released).await
    }

    /// The drag that the browser has handed over; waits for it where the page has begun one.
    async fn intercepted(&self, drags: &mut Events, began: bool) -> Option<DragData> {
        let event = match drags.try_next() {
            Some(event) => event,
            None if began => timeout(DRAG_REPORTED_WITHIN, drags.next()).await.ok()??,
            None => return None,
        };
        event.read::<Intercepted>().ok().map(|intercepted| intercepted.data)
    }

    /// Presses or releases the main button.
    fn send_button(
        &self,
        point: Point,
        down: bool,
    ) -> crate::cdp::Call<chromiumoxide_cdp::cdp::browser_protocol::input::DispatchMouseEventReturns> {
        let kind = if down { DispatchMouseEventType::MousePressed } else { DispatchMouseEventType::MouseReleased };
        let mut event = DispatchMouseEventParams::new(kind, point.x, point.y);
        event.button = Some(MouseButton::Left);
        event.buttons = Some(i64::from(down));
        event.click_count = Some(1);
        self.session.call(&event)
    }
}
