//! Dragging an element onto another: by the pointer alone, or as HTML's drag and drop where the page makes it one.

use std::borrow::Cow;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchDragEventParams, DispatchDragEventReturns, DispatchDragEventType, DispatchMouseEventParams,
    DispatchMouseEventReturns, DispatchMouseEventType, MouseButton, SetInterceptDragsParams,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::timeout;

use super::acted::{Acted, BoundingBox, Method, Point, Terms};
use super::actionable::{Ask, Spot, Tries, frames_around};
use super::chord::Modifiers;
use super::drop::Zone;
use super::error::unless_held;
use super::press::{Came, Press};
use super::quiet::{ANSWER_TIMEOUT, Quiet, Rest};
use super::{ActError, Element, Frame};
use crate::cdp::{Call, Events};
use crate::page::Page;

/// Moves between source and target: pages begin a drag after some pixels, and look at what is passed over. The page gets
/// each with a frame of its own, as from a hand: many draw what they have heard before they hear more.
const STEPS: u32 = 10;
/// After how many of them a page has begun its drag.
const STEPS_TO_BEGIN: u32 = 2;
/// How long these are where the target is out of view: it is scrolled to once the drag has begun.
const STEP_TO_BEGIN_PX: f64 = 10.0;
/// Frames that the page draws after each of the last moves.
const FRAMES_BETWEEN: u32 = 2;
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

/// What is dragged, as the browser has told it and wants it back.
#[derive(Deserialize)]
struct Intercepted {
    data: Value,
}

/// `Input.dispatchDragEvent`. The generated type leaves out an empty list of items, which a drag without data has, and the
/// browser refuses an event without one: the page stays in its drag.
#[derive(Debug, Serialize)]
struct DispatchDragEvent<'a> {
    #[serde(rename = "type")]
    kind: DispatchDragEventType,
    x: f64,
    y: f64,
    data: &'a Value,
}

impl chromiumoxide_types::Method for DispatchDragEvent<'_> {
    fn identifier(&self) -> Cow<'static, str> {
        DispatchDragEventParams::IDENTIFIER.into()
    }
}

impl chromiumoxide_types::Command for DispatchDragEvent<'_> {
    type Response = DispatchDragEventReturns;
}

/// Distance to step back when checking which elements follow the pointer, in CSS pixels.
const BACK_PX: f64 = 8.0;

/// The point a few pixels before `to`, on the way from `from`.
fn before(from: Point, to: Point) -> Point {
    let back = toward(to, from, BACK_PX);
    if (from.x - to.x).hypot(from.y - to.y) < BACK_PX { from } else { back }
}

/// The point so many pixels from `from`, on the way to `to`.
fn toward(from: Point, to: Point, px: f64) -> Point {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let way = x.hypot(y);
    let part = if way > 0.0 { px / way } else { 0.0 };
    Point { x: from.x + x * part, y: from.y + y * part }
}

/// The point after so many of the steps from `from` to `to`.
fn along(from: Point, to: Point, step: u32) -> Point {
    let part = f64::from(step) / f64::from(STEPS);
    Point { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
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
    source: &'b Element,
    from: Point,
    to: &'a Drop<'b>,
    zone: Option<Zone<'a>>,
    drags: Events,
    /// What is carried, where the page has made HTML's drag and drop of it.
    data: Option<Value>,
    /// The warning for a target that did not accept the drop.
    refused: Option<String>,
    terms: &'a Terms,
    tries: Tries,
}

impl Page {
    /// Drags an element to another one, or to a point. What is under the pointer when it is let go is checked: where that is
    /// another element than the target, or the target is no longer what was meant, nothing is dropped there, what is dragged
    /// is put back, and nothing is clicked.
    ///
    /// # Errors
    /// As [`Page::click`], for either element; [`ActError::Covered`] where another element would have got the drop.
    pub async fn drag(&self, from: &Grip, to: &Drop<'_>, terms: &Terms) -> Result<Acted, ActError> {
        let (Grip::Element(source) | Grip::Point(_, source)) = from;
        let mut quiet = Quiet::watch(self, &source.frame);
        let mut tries = Tries::until(terms.deadline);
        if let Grip::Element(source) = from {
            // In view before the target is looked at.
            let ask = Ask { hit: false, still: false, ..Ask::pointer(terms) };
            self.ready(source, ask, &mut Tries::until(terms.deadline)).await?;
        }
        let zone = match to {
            Drop::Element(target) => Some(Zone::begin(self, target, source, &mut Tries::until(terms.deadline)).await?),
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
        let mut carrying =
            Carrying { page: self, source, from: at, to, zone, drags, data: None, refused: None, terms, tries };
        let carried = match carrying.carry(&mut quiet).await {
            Ok(carried) => carried,
            Err(error) => {
                carrying.put_back(&quiet).await;
                return Err(error);
            }
        };
        let is_unchanged = carrying.changed_nothing(&mut quiet).await;
        let mut settled = quiet.settle(carried).await?;
        if let Some(is_unchanged) = is_unchanged {
            settled.no_change = is_unchanged && settled.settled && !settled.navigated && !settled.blocked;
        }
        let mut acted = Acted::new(settled, Method::Cdp, bounds).warns_of_no_change();
        acted.warnings.extend(carrying.refused.take());
        Ok(acted)
    }
}

impl Carrying<'_, '_> {
    /// Moves what is held to the target and lets it go; `None` where a dialog holds the page.
    async fn carry(&mut self, quiet: &mut Quiet<'_>) -> Result<Option<Rest>, ActError> {
        let Some(spot) = self.begin(quiet).await? else { return Ok(None) };
        let Some((spot, at)) = self.reach(spot, quiet).await? else { return Ok(None) };
        let aside = match &self.zone {
            Some(zone) if self.data.is_some() => Some(zone.hold_others().await),
            _ => None,
        };
        let is_dropped = match &self.data {
            Some(data) => self.drop_data(data, at, quiet).await?,
            None => quiet.delivered(vec![self.page.send_button(at, false)]).await?,
        };
        let Some(()) = is_dropped else { return Ok(None) };
        let elsewhere = match aside {
            Some(aside) => aside.release().await,
            None => None,
        };
        if let Some(zone) = &self.zone {
            let ended = zone.ends().await;
            if let Some(changed) = ended.changed {
                return Err(changed);
            }
            if let Some(by) = ended.by.or(elsewhere) {
                tracing::debug!(%by, "blocked a drop: another element is at the point");
                return Err(ActError::Covered { covered: spot.what, by });
            }
            if self.data.is_some() && !ended.is_taken {
                self.refused = Some(format!("not_dropped: {} did not accept the drop", spot.what));
            } else if self.data.is_none() && ended.is_unbegun {
                self.refused = Some(format!("not_dropped: no drag began that {} could take", spot.what));
            }
        }
        match self.data {
            Some(_) => self.page.taken(quiet, vec![self.page.send_button(at, false)]).await,
            None => quiet.rest().await,
        }
    }

    /// Has the page begin its drag, and brings what is held to the target; `None` where a dialog holds the page.
    async fn begin(&mut self, quiet: &Quiet<'_>) -> Result<Option<Spot>, ActError> {
        let sight = match &self.zone {
            Some(zone) => Some(zone.sight(true, &self.tries).await?),
            None => None,
        };
        let from = self.from;
        // A page takes a drag for one of what was pressed as long as that is where it was: scrolled to its target later.
        let out_of_view = sight.filter(|sight| !sight.is_shown);
        let mut spot = None;
        let first: Vec<_> = match &out_of_view {
            Some(sight) => [1.0, 2.0].map(|step| toward(from, sight.point, step * STEP_TO_BEGIN_PX)).into(),
            None => {
                let to = spot.insert(self.aim(false).await?).point;
                (1..=STEPS_TO_BEGIN).map(|step| along(from, to, step)).collect()
            }
        };
        let Some(()) = self.moves(&first, quiet).await? else { return Ok(None) };
        // What the page begins is reported before the moves are answered.
        self.intercept(quiet).await?;
        let spot = match spot {
            Some(spot) => spot,
            None => self.aim(true).await?,
        };
        let mut begun = along(from, spot.point, STEPS_TO_BEGIN);
        if out_of_view.is_some() && self.data.is_none() {
            let Some(()) = self.moves(&[begun], quiet).await? else { return Ok(None) };
        } else if let Some(last) = first.last() {
            begun = *last;
        }
        if let Some(zone) = &self.zone {
            zone.passes(begun, &spot, false).await?;
        }
        if self.data.is_some() {
            return Ok(Some(spot));
        }
        let way: Vec<_> = (STEPS_TO_BEGIN + 1..STEPS).map(|step| along(from, spot.point, step)).collect();
        let Some(()) = self.moves(&way, quiet).await? else { return Ok(None) };
        let Some(()) = self.arrive(spot.point, quiet).await? else { return Ok(None) };
        self.intercept(quiet).await?;
        Ok(Some(spot))
    }

    /// Follows the target until nothing else would get the drop; where it was, and the point to let go at.
    async fn reach(&mut self, mut spot: Spot, quiet: &Quiet<'_>) -> Result<Option<(Spot, Point)>, ActError> {
        let mut is_passed = self.data.is_some();
        loop {
            let at = spot.point;
            let Some(zone) = &self.zone else { return Ok(Some((spot, at))) };
            // A list that makes room moves its items away from under the pointer, which then is not to follow.
            let Some(by) = zone.cover(at, &spot).await? else { return Ok(Some((spot, at))) };
            let now = self.aim(false).await?;
            if now.point != at {
                spot = now;
                if self.data.is_none() && self.arrive(spot.point, quiet).await?.is_none() {
                    return Ok(None);
                }
            } else if !is_passed {
                // What came late may go with the pointer: seen by a few pixels of its way.
                is_passed = true;
                let back = before(self.from, at);
                let Some(()) = self.moves(&[back], quiet).await? else { return Ok(None) };
                zone.passes(back, &spot, true).await?;
                let Some(()) = self.moves(&[at], quiet).await? else { return Ok(None) };
                continue;
            }
            if !self.tries.next().await {
                return Err(ActError::Covered { covered: spot.what, by });
            }
        }
    }

    /// Moves what is held to these points, each once the page has taken the one before; `None` where a dialog holds it.
    async fn moves(&self, points: &[Point], quiet: &Quiet<'_>) -> Result<Option<()>, ActError> {
        for point in points {
            let moved = vec![self.page.send_move(*point, MouseButton::Left, 0)];
            let Some(()) = quiet.delivered(moved).await? else { return Ok(None) };
        }
        Ok(Some(()))
    }

    /// Moves what is held to its end by more than one move, and lets the page come to rest there.
    async fn arrive(&self, to: Point, quiet: &Quiet<'_>) -> Result<Option<()>, ActError> {
        for (point, frames) in [(before(self.from, to), Some(FRAMES_BETWEEN)), (to, Some(FRAMES_BETWEEN)), (to, None)] {
            let Some(()) = self.moves(&[point], quiet).await? else { return Ok(None) };
            let Some(()) = self.rests(frames).await? else { return Ok(None) };
        }
        Ok(Some(()))
    }

    /// Lets the page draw so many frames, or as many as it takes until nothing moves.
    async fn rests(&self, frames: Option<u32>) -> Result<Option<()>, ActError> {
        let frame = match self.to {
            Drop::Element(target) => &target.frame,
            Drop::Point(_) => &self.source.frame,
        };
        let rested = frame.call::<serde_json::Value>(self.page, ANSWER_TIMEOUT, "dropRests", vec![frames.into()]).await;
        match rested {
            // It went away, which is seen by what comes next.
            Err(ActError::NotFound(_)) => Ok(Some(())),
            rested => Ok(unless_held(rested)?.map(|_| ())),
        }
    }

    /// Whether the drag has changed and begun nothing, where that can be told.
    async fn changed_nothing(&mut self, quiet: &mut Quiet<'_>) -> Option<bool> {
        let zone = self.zone.as_ref()?;
        quiet.drain();
        if self.source.frame.document() != zone.document() {
            return None;
        }
        Some(!zone.has_changed().await && !quiet.began.anything())
    }

    /// Lets go where it was taken up, or the button would stay down. That clicks nothing.
    async fn put_back(&mut self, quiet: &Quiet<'_>) {
        let mut frames: Vec<Frame> = frames_around(&self.source.frame);
        let zone = self.zone.take();
        // Its documents are checked no more, or the release would be stopped as well.
        frames.extend(zone.iter().flat_map(|zone| zone.others(&frames)).collect::<Vec<_>>());
        for frame in &frames {
            let asked = frame.call::<serde_json::Value>(self.page, ANSWER_TIMEOUT, "dropAborts", Vec::new()).await;
            asked.inspect_err(|error| tracing::debug!(%error, "a document did not take that a drag has failed")).ok();
        }
        match self.data.take() {
            Some(data) => {
                let cancel = DispatchDragEventType::DragCancel;
                let session = &self.page.session;
                let Point { x, y } = self.from;
                session.call(&DispatchDragEvent { kind: cancel, x, y, data: &data }).forget();
            }
            // What is held is drawn where it was before it is let go. The carrying's own error says why.
            None if matches!(self.moves(&[self.from], quiet).await, Ok(Some(()))) => {
                let _ = self.rests(Some(FRAMES_BETWEEN)).await;
            }
            None => {}
        }
        let _ = quiet.delivered(vec![self.page.send_button(self.from, false)]).await;
    }

    /// Where the target is now. What is dragged may lie over it, so what is hit there is not asked.
    async fn aim(&self, is_out_of_view: bool) -> Result<Spot, ActError> {
        let spot = match self.to {
            Drop::Point(point) => Spot {
                point: *point,
                bounds: BoundingBox::default(),
                what: "the point".to_owned(),
                points: Vec::new(),
                waited: false,
            },
            Drop::Element(target) => {
                // The zone knows what it must be called.
                let ask = Ask { hit: false, enabled: false, same: false, ..Ask::pointer(self.terms) };
                let mut tries = Tries::until(self.terms.deadline);
                if is_out_of_view {
                    // The first try scrolls to nothing that is only cut off by what scrolls around it.
                    tries.next().await;
                }
                self.page.ready(target, ask, &mut tries).await?
            }
        };
        if let Some(zone) = &self.zone {
            zone.aims().await?;
        }
        Ok(spot)
    }

    /// Drops what HTML's drag and drop carries; `None` where a dialog holds the page.
    async fn drop_data(&self, data: &Value, at: Point, quiet: &Quiet<'_>) -> Result<Option<()>, ActError> {
        let session = &self.page.session;
        let send = |kind| session.call(&DispatchDragEvent { kind, x: at.x, y: at.y, data });
        let comes = vec![send(DispatchDragEventType::DragEnter), send(DispatchDragEventType::DragOver)];
        let Some(()) = quiet.delivered(comes).await? else { return Ok(None) };
        // The page draws what it has made of that.
        let Some(()) = self.rests(Some(FRAMES_BETWEEN)).await? else { return Ok(None) };
        let Some(()) = quiet.delivered(vec![send(DispatchDragEventType::DragOver)]).await? else { return Ok(None) };
        let Some(()) = self.rests(None).await? else { return Ok(None) };
        let drops = vec![send(DispatchDragEventType::DragOver), send(DispatchDragEventType::Drop)];
        quiet.delivered(drops).await
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
