//! Carrying what is dragged to its target: the moves, the checks on the way, and putting it back where it can't be dropped.

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchDragEventType, MouseButton};
use futures_util::future::join_all;
use porthole_contract::{Warning, WarningCode};

use super::data::{DragData, Intercepting};
use super::drop::Zone;
use super::ends::{Drop, Grip};
use crate::page::Page;
use crate::page::interact::act::actionable::{Ask, Spot, Tries};
use crate::page::interact::acted::{BoundingBox, Point, Terms};
use crate::page::interact::error::unless_held;
use crate::page::interact::quiet::{ANSWER_TIMEOUT, Quiet, Rest};
use crate::page::interact::resolve::Identity;
use crate::page::interact::{ActError, Element, Frame};

/// Moves between source and target: pages begin a drag after some pixels, and look at what is passed over. The page gets
/// each with a frame of its own, as from a hand: many draw what they have heard before they hear more.
const STEPS: u32 = 10;
/// After how many of them a page has begun its drag.
const STEPS_TO_BEGIN: u32 = 2;
/// How long these are where the target is out of view: it is scrolled to once the drag has begun.
const STEP_TO_BEGIN_PX: f64 = 10.0;
/// Frames that the page draws after each of the last moves.
const FRAMES_BETWEEN: u32 = 2;
/// Distance to step back when checking which elements follow the pointer, in CSS pixels.
const BACK_PX: f64 = 8.0;

/// How far beside the end of its way a drag comes there first, in CSS pixels.
const BESIDE_PX: f64 = 3.0;

/// The point a few pixels before `to`, on the way from `from`.
fn before(from: Point, to: Point) -> Point {
    let back = toward(to, from, BACK_PX);
    if (from.x - to.x).hypot(from.y - to.y) < BACK_PX { from } else { back }
}

/// The point a few pixels from `to` on the side of `from`, off the middle in both directions.
fn beside(from: Point, to: Point) -> Point {
    let side = |from: f64, to: f64| to + if from > to { BESIDE_PX } else { -BESIDE_PX };
    Point { x: side(from.x, to.x), y: side(from.y, to.y) }
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

/// What carries a drag to its end.
pub(super) struct Carrying<'a, 'b> {
    page: &'a Page,
    source: &'b Element,
    /// Whether the source is what is dragged, and not only what holds a point.
    is_named: bool,
    from: Point,
    to: &'a Drop<'b>,
    zone: Option<Zone<'a>>,
    intercepting: Intercepting<'a>,
    /// What is carried, where the page has made HTML's drag and drop of it.
    data: Option<DragData>,
    /// The warning for a target that did not accept the drop.
    refused: Option<Warning>,
    terms: &'a Terms,
    tries: Tries,
}

impl<'a, 'b> Carrying<'a, 'b> {
    /// Carries what was pressed at `from`.
    pub(super) fn new(
        page: &'a Page,
        grip: &'b Grip,
        from: Point,
        to: &'a Drop<'b>,
        zone: Option<Zone<'a>>,
        intercepting: Intercepting<'a>,
        terms: &'a Terms,
    ) -> Self {
        let (Grip::Element(source) | Grip::Point(_, source)) = grip;
        let (is_named, tries) = (matches!(grip, Grip::Element(_)), Tries::until(terms.deadline));
        Self { page, source, is_named, from, to, zone, intercepting, data: None, refused: None, terms, tries }
    }

    /// Returns the warning for a target that did not accept the drop.
    pub(super) fn refused(&mut self) -> Option<Warning> {
        self.refused.take()
    }
}

impl Carrying<'_, '_> {
    /// Moves what is held to the target and lets it go; `None` where a dialog holds the page.
    pub(super) async fn carry(&mut self, quiet: &mut Quiet<'_>) -> Result<Option<Rest>, ActError> {
        let Some(spot) = self.begin(quiet).await? else { return Ok(None) };
        let Some((spot, at)) = self.reach(spot, quiet).await? else { return Ok(None) };
        if let Some(by) = self.carried_instead().await? {
            return Err(ActError::Covered { covered: spot.what, by });
        }
        let aside = match &self.zone {
            Some(zone) if self.data.is_some() => Some(zone.hold_others().await?),
            _ => None,
        };
        let dropped = match &self.data {
            Some(data) => self.drop_data(data, (spot, at), quiet).await?,
            None => quiet.delivered(vec![self.page.send_release(at)]).await?.map(|()| (spot, at)),
        };
        let Some((spot, at)) = dropped else { return Ok(None) };
        let elsewhere = match aside {
            Some(aside) => aside.release(self.page).await,
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
                self.refused = Some(WarningCode::NotDropped.says(format!("{} did not accept the drop", spot.what)));
            } else if self.data.is_none() && ended.is_unbegun {
                self.refused =
                    Some(WarningCode::NotDropped.says(format!("no drag began that {} could take", spot.what)));
            }
        }
        match self.data {
            Some(_) => self.page.taken(quiet, vec![self.page.send_release(at)]).await,
            None => quiet.rest().await,
        }
    }

    /// Fails where what was pressed is no longer what was meant: the press takes the focus from a field, whose page may then
    /// put another entry there.
    async fn is_meant(&self) -> Result<(), ActError> {
        if !self.is_named {
            return Ok(());
        }
        let asked = self.source.frame.call::<Option<Identity>>(self.page, ANSWER_TIMEOUT, "changed", Vec::new()).await;
        match unless_held(asked)?.flatten() {
            Some(now) => Err(now.changed(&self.source.meant)),
            None => Ok(()),
        }
    }

    /// What HTML's drag and drop would have carried instead of the source. The zone knows it of its own document.
    async fn carried_instead(&self) -> Result<Option<String>, ActError> {
        let is_elsewhere = self.zone.as_ref().is_none_or(|zone| zone.document() != self.source.frame.document());
        if !self.is_named || !is_elsewhere {
            return Ok(None);
        }
        let asked = self.source.frame.call(self.page, ANSWER_TIMEOUT, "carriedInstead", Vec::new()).await;
        Ok(unless_held(asked)?.flatten())
    }

    /// Has the page begin its drag, and brings what is held to the target; `None` where a dialog holds the page.
    async fn begin(&mut self, quiet: &Quiet<'_>) -> Result<Option<Spot>, ActError> {
        self.is_meant().await?;
        let sight = match &self.zone {
            Some(zone) if zone.points().is_none() => Some(zone.sight(true, &self.tries).await?),
            _ => None,
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
        self.data = self.intercepting.take(quiet).await?;
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
        self.data = self.intercepting.take(quiet).await?;
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
    pub(super) async fn changed_nothing(&mut self, quiet: &mut Quiet<'_>) -> Option<bool> {
        let zone = self.zone.as_ref()?;
        quiet.drain();
        if self.source.frame.document() != zone.document() {
            return None;
        }
        Some(!zone.has_changed().await && !quiet.began.anything())
    }

    /// Whether what was dragged is back where it was, after the page has settled.
    pub(super) async fn has_returned(&self) -> bool {
        match &self.zone {
            Some(zone) if self.is_named && self.source.frame.document() == zone.document() => zone.has_returned().await,
            _ => false,
        }
    }

    /// Puts back what could not be dropped; the error then, which says whether the page is as it was.
    pub(super) async fn put_back_after(&mut self, error: ActError, quiet: &Quiet<'_>) -> ActError {
        let has_moved = self.put_back(quiet).await;
        match error {
            ActError::Covered { covered, by } if has_moved => {
                let by = format!("{by}; the page says something else now than before: look before another try");
                ActError::Covered { covered, by }
            }
            error => error,
        }
    }

    /// Lets go where it was taken up, or the button would stay down. That clicks nothing. Returns whether source and target say
    /// something else now than before: lists that sort themselves take what comes back as a drop, too.
    async fn put_back(&mut self, quiet: &Quiet<'_>) -> bool {
        let mut frames: Vec<Frame> = self.source.frame.and_those_around();
        let zone = self.zone.take();
        // Its documents are checked no more, or the release would be stopped as well.
        frames.extend(zone.iter().flat_map(|zone| zone.others(&frames)).collect::<Vec<_>>());
        for frame in &frames {
            let asked = frame.call::<serde_json::Value>(self.page, ANSWER_TIMEOUT, "dropAborts", Vec::new()).await;
            asked.inspect_err(|error| tracing::debug!(%error, "failed to end a drag in a document")).ok();
        }
        match self.data.take() {
            Some(data) => {
                data.send(self.page, DispatchDragEventType::DragCancel, self.from).forget();
            }
            // What is held is drawn where it was before it is let go. The carrying's own error says why.
            None if matches!(self.moves(&[self.from], quiet).await, Ok(Some(()))) => {
                let _ = self.rests(Some(FRAMES_BETWEEN)).await;
            }
            None => {}
        }
        let _ = quiet.delivered(vec![self.page.send_release(self.from)]).await;
        let _ = self.rests(Some(FRAMES_BETWEEN)).await;
        let asked = frames.iter().map(|frame| frame.call(self.page, ANSWER_TIMEOUT, "dropMoved", Vec::new()));
        join_all(asked).await.into_iter().any(|moved| moved.unwrap_or(false))
    }

    /// Where the target is now. What is dragged may lie over it, so what is hit there is not asked.
    async fn aim(&self, is_out_of_view: bool) -> Result<Spot, ActError> {
        let spot = match self.to {
            Drop::Point(point) => Spot {
                point: *point,
                bounds: BoundingBox::default(),
                what: "the point".to_owned(),
                points: self.zone.as_ref().and_then(Zone::points).unwrap_or_default().to_vec(),
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

    /// Drops what HTML's drag and drop carries on the target, which was at this spot; where it was at last. `None` where a
    /// dialog holds the page. A list that takes the item may move the target away by that: it is followed, as in [`Self::reach`].
    async fn drop_data(
        &self,
        data: &DragData,
        (mut spot, mut at): (Spot, Point),
        quiet: &Quiet<'_>,
    ) -> Result<Option<(Spot, Point)>, ActError> {
        let mut tries = Tries::until(self.terms.deadline);
        loop {
            let Some(()) = self.come_with_data(data, at, quiet).await? else { return Ok(None) };
            let Some(zone) = &self.zone else { break };
            let Some(by) = zone.cover(at, &spot).await? else { break };
            spot = self.aim(false).await?;
            at = spot.point;
            if !tries.next().await {
                return Err(ActError::Covered { covered: spot.what, by });
            }
        }
        let drops =
            [DispatchDragEventType::DragOver, DispatchDragEventType::Drop].map(|kind| data.send(self.page, kind, at));
        Ok(quiet.delivered(drops.into()).await?.map(|()| (spot, at)))
    }

    /// Brings what HTML's drag and drop carries to a point; `None` where a dialog holds the page.
    async fn come_with_data(&self, data: &DragData, at: Point, quiet: &Quiet<'_>) -> Result<Option<()>, ActError> {
        let send = |kind| data.send(self.page, kind, at);
        // Lists that sort themselves do nothing at the very middle of an item, where no hand comes first.
        let near = beside(self.from, at);
        let comes = [DispatchDragEventType::DragEnter, DispatchDragEventType::DragOver];
        let Some(()) = quiet.delivered(comes.map(|kind| data.send(self.page, kind, near)).into()).await? else {
            return Ok(None);
        };
        let Some(()) = self.rests(Some(FRAMES_BETWEEN)).await? else { return Ok(None) };
        let Some(()) = quiet.delivered(vec![send(DispatchDragEventType::DragOver)]).await? else { return Ok(None) };
        // The page draws what it has made of that.
        let Some(()) = self.rests(Some(FRAMES_BETWEEN)).await? else { return Ok(None) };
        let Some(()) = quiet.delivered(vec![send(DispatchDragEventType::DragOver)]).await? else { return Ok(None) };
        self.rests(None).await
    }
}
