//! Dragging an element onto another: by the pointer alone, or as HTML's drag and drop where the page makes it one.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchDragEventParams, DispatchDragEventType, DispatchMouseEventParams, DispatchMouseEventReturns,
    DispatchMouseEventType, DragData, MouseButton, SetInterceptDragsParams,
};
use serde::Deserialize;
use tokio::time::timeout;

use super::acted::{Acted, BoundingBox, Method, Point, Terms};
use super::actionable::{Ask, Spot, Tries};
use super::chord::Modifiers;
use super::drop::Zone;
use super::press::{Came, Press};
use super::quiet::{Quiet, Rest};
use super::{ActError, Element};
use crate::cdp::{Call, Events};
use crate::page::Page;

/// Moves between source and target: pages begin a drag after some pixels, and look at what is passed over.
const STEPS: u32 = 10;
/// After how many of them a page has begun its drag.
const STEPS_TO_BEGIN: u32 = 2;
/// How long the browser may take to report a drag that the page has begun.
const DRAG_REPORTED_WITHIN: Duration = Duration::from_secs(1);
const INTERCEPTED: &[&str] = &["Input.dragIntercepted"];

/// What to drag.
#[derive(Clone, Debug)]
pub enum Grip {
    /// An element, by a point of it that is hit.
    Element(Element),
    /// A point of the viewport, and the element that was hit there.
    Point(Point, Element),
}

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

/// Distance to step back when checking which elements follow the pointer, in CSS pixels.
const BACK_PX: f64 = 8.0;

/// The point a few pixels before `to`, on the way from `from`.
fn before(from: Point, to: Point) -> Point {
    let (x, y) = (from.x - to.x, from.y - to.y);
    let way = x.hypot(y);
    let part = if way > 0.0 { (BACK_PX / way).min(1.0) } else { 0.0 };
    Point { x: to.x + x * part, y: to.y + y * part }
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

/// What carries a drag to its end.
struct Carrying<'a, 'b> {
    page: &'a Page,
    from: Point,
    to: &'a Drop<'b>,
    zone: Option<Zone<'a>>,
    drags: Events,
    /// What is carried, where the page has made HTML's drag and drop of it.
    data: Option<DragData>,
    /// The warning for a target that did not accept the drop.
    refused: Option<String>,
    terms: &'a Terms,
    tries: Tries,
}

impl Page {
    /// Drags an element to another one, or to a point. What is under the pointer when it is let go is checked: where that is
    /// another element than the target, nothing is dropped there, and what is dragged is put back.
    ///
    /// # Errors
    /// As [`Page::click`], for either element; [`ActError::Covered`] where another element would have got the drop.
    pub async fn drag(&self, from: &Grip, to: &Drop<'_>, terms: &Terms) -> Result<Acted, ActError> {
        let (Grip::Element(source) | Grip::Point(_, source)) = from;
        let mut quiet = Quiet::watch(self, &source.frame);
        let mut tries = Tries::until(terms.deadline);
        let zone = match to {
            Drop::Element(target) => Some(Zone::begin(self, target, source).await?),
            Drop::Point(_) => None,
        };
        let (_intercepting, drags) = Intercepting::begin(self);
        let (at, bounds, rest) = match from {
            Grip::Element(source) => {
                let press =
                    |point| vec![Press { down: button(point, true), up: button(point, false), stays_down: true }];
                let ask = Ask::pointer(terms);
                let Came { spot, rest, .. } =
                    self.point_at(source, ask, Modifiers::default(), &mut quiet, &mut tries, press).await?;
                (spot.point, Some(spot.bounds), rest)
            }
            Grip::Point(point, _) => {
                quiet.count_changes().await?;
                quiet.begins();
                let sent = vec![self.send_move(*point, MouseButton::None, 0), self.send_button(*point, true)];
                (*point, None, self.taken(&mut quiet, sent).await?)
            }
        };
        if rest.is_none() {
            return Ok(Acted::new(quiet.settle(None).await?, Method::Cdp, bounds));
        }
        let tries = Tries::until(terms.deadline);
        let mut carrying = Carrying { page: self, from: at, to, zone, drags, data: None, refused: None, terms, tries };
        let carried = carrying.carry(&mut quiet).await;
        if carried.is_err() {
            // Checked no more, or the release would be stopped as well.
            if let Some(zone) = carrying.zone.take() {
                zone.ends().await;
            }
            let released = carrying.put_back();
            // The carrying's own error says why.
            let _ = quiet.delivered(vec![released]).await;
        }
        let settled = quiet.settle(carried?).await?;
        let mut acted = Acted::new(settled, Method::Cdp, bounds).warns_of_no_change();
        acted.warnings.extend(carrying.refused.take());
        Ok(acted)
    }
}

impl Carrying<'_, '_> {
    /// Moves what is held to the target and lets it go; `None` where a dialog holds the page.
    async fn carry(&mut self, quiet: &mut Quiet<'_>) -> Result<Option<Rest>, ActError> {
        let page = self.page;
        let spot = self.aim().await?;
        let (from, to) = (self.from, spot.point);
        let along = |step: u32| {
            let part = f64::from(step) / f64::from(STEPS);
            Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
        };
        // The first moves make the page begin its drag, which is reported before they are answered.
        let first = (1..=STEPS_TO_BEGIN).map(|step| page.send_move(along(step), MouseButton::Left, 0)).collect();
        let Some(()) = quiet.delivered(first).await? else { return Ok(None) };
        self.intercept(quiet).await?;
        if let Some(zone) = &self.zone {
            zone.passes(along(STEPS_TO_BEGIN), &spot, false).await?;
        }
        if self.data.is_none() {
            let moves = (STEPS_TO_BEGIN + 1..=STEPS).map(|step| page.send_move(along(step), MouseButton::Left, 0));
            let moves = moves.chain(std::iter::once(page.send_move(to, MouseButton::Left, 0))).collect();
            let Some(()) = quiet.delivered(moves).await? else { return Ok(None) };
            self.intercept(quiet).await?;
        }
        let mut at = to;
        let mut is_passed = self.data.is_some();
        let spot = loop {
            // The page may have made room for it, or opened what it is over.
            let spot = self.aim().await?;
            if self.data.is_none() && spot.point != at {
                at = spot.point;
                let moves = vec![page.send_move(at, MouseButton::Left, 0), page.send_move(at, MouseButton::Left, 0)];
                let Some(()) = quiet.delivered(moves).await? else { return Ok(None) };
            }
            let Some(zone) = &self.zone else { break spot };
            let Some(by) = zone.cover(&spot).await? else { break spot };
            if !is_passed {
                // What came late may go with the pointer: seen by a few pixels of its way.
                is_passed = true;
                let back = before(self.from, at);
                let Some(()) = quiet.delivered(vec![page.send_move(back, MouseButton::Left, 0)]).await? else {
                    return Ok(None);
                };
                zone.passes(back, &spot, true).await?;
                let moves = vec![page.send_move(at, MouseButton::Left, 0)];
                let Some(()) = quiet.delivered(moves).await? else { return Ok(None) };
                continue;
            }
            if !self.tries.next().await {
                return Err(ActError::Covered { covered: spot.what, by });
            }
        };
        let aside = match &self.zone {
            Some(zone) if self.data.is_some() => Some(zone.hold_others().await),
            _ => None,
        };
        let is_dropped = match &self.data {
            Some(data) => self.drop_data(data, spot.point, quiet).await?,
            None => quiet.delivered(vec![page.send_button(spot.point, false)]).await?,
        };
        let Some(()) = is_dropped else { return Ok(None) };
        let elsewhere = match aside {
            Some(aside) => aside.release().await,
            None => None,
        };
        if let Some(zone) = &self.zone {
            let ended = zone.ends().await;
            if let Some(by) = ended.by.or(elsewhere) {
                tracing::debug!(%by, "blocked a drop: another element is at the point");
                return Err(ActError::Covered { covered: spot.what, by });
            }
            if self.data.is_some() && !ended.is_taken {
                self.refused = Some(format!("not_dropped: {} did not accept the drop", spot.what));
            }
        }
        match self.data {
            Some(_) => page.taken(quiet, vec![page.send_button(spot.point, false)]).await,
            None => quiet.rest().await,
        }
    }

    /// Lets go where it was taken up, or the button would stay down.
    fn put_back(&mut self) -> Call<DispatchMouseEventReturns> {
        match self.data.take() {
            Some(data) => {
                let cancel = DispatchDragEventType::DragCancel;
                let session = &self.page.session;
                session.call(&DispatchDragEventParams::new(cancel, self.from.x, self.from.y, data)).forget();
            }
            None => self.page.send_move(self.from, MouseButton::Left, 0).forget(),
        }
        self.page.send_button(self.from, false)
    }

    /// Where the target is now. What is dragged may lie over it, so what is hit there is not asked.
    async fn aim(&self) -> Result<Spot, ActError> {
        match self.to {
            Drop::Point(point) => Ok(Spot {
                point: *point,
                bounds: BoundingBox::default(),
                what: "the point".to_owned(),
                points: Vec::new(),
                waited: false,
            }),
            Drop::Element(target) => {
                // What it is called may say by now that something can be dropped there.
                let ask = Ask { hit: false, enabled: false, same: false, ..Ask::pointer(self.terms) };
                self.page.ready(target, ask, &mut Tries::until(self.terms.deadline)).await
            }
        }
    }

    /// Drops what HTML's drag and drop carries; `None` where a dialog holds the page.
    async fn drop_data(&self, data: &DragData, at: Point, quiet: &Quiet<'_>) -> Result<Option<()>, ActError> {
        let kinds = [
            DispatchDragEventType::DragEnter,
            DispatchDragEventType::DragOver,
            DispatchDragEventType::DragOver,
            DispatchDragEventType::Drop,
        ];
        let session = &self.page.session;
        let events = kinds.map(|kind| session.call(&DispatchDragEventParams::new(kind, at.x, at.y, data.clone())));
        quiet.delivered(events.into()).await
    }

    /// Takes what the browser has handed over; waits for it where the page has begun a drag.
    async fn intercept(&mut self, quiet: &Quiet<'_>) -> Result<(), ActError> {
        let event = match self.drags.try_next() {
            Some(event) => Some(event),
            None if quiet.drag_began().await? => timeout(DRAG_REPORTED_WITHIN, self.drags.next()).await.ok().flatten(),
            None => None,
        };
        self.data = event.and_then(|event| Some(event.read::<Intercepted>().ok()?.data));
        Ok(())
    }
}

impl Page {
    /// Presses or releases the main button.
    fn send_button(&self, point: Point, down: bool) -> Call<DispatchMouseEventReturns> {
        self.session.call(&button(point, down))
    }
}

/// The main button goes down or up.
fn button(point: Point, down: bool) -> DispatchMouseEventParams {
    let kind = if down { DispatchMouseEventType::MousePressed } else { DispatchMouseEventType::MouseReleased };
    let mut event = DispatchMouseEventParams::new(kind, point.x, point.y);
    event.button = Some(MouseButton::Left);
    event.buttons = Some(i64::from(down));
    event.click_count = Some(1);
    event
}
