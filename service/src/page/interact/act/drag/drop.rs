//! The drop of a drag: its target in each document on the way, checked as the events of the drop arrive
//! (`script/interact/act/drag/drop.js`).

use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::page::Page;
use crate::page::interact::act::actionable::{Spot, Tries};
use crate::page::interact::act::hold_input::{Aside, HeldInput};
use crate::page::interact::act::readiness::{Readiness, read, read_unless_lacking};
use crate::page::interact::acted::Point;
use crate::page::interact::element::Meant;
use crate::page::interact::resolve::Identity;
use crate::page::interact::{ActError, Element, Frame};

/// How long a document may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The target of a drag, from before its press until it has been let go.
pub(super) struct Zone<'a> {
    page: &'a Page,
    target: &'a Element,
    /// The target's document and those around it, from inside out.
    frames: Vec<Frame>,
    /// Where the drop goes in each of them, if that is a point and not the target's middle.
    points: Option<Vec<Point>>,
}

/// The answer of `dropReady` and `dropEnds`: what a document saw at the point of the drop.
#[derive(Deserialize)]
struct DropCheck {
    /// The element there that is not the target.
    by: Option<String>,
    /// What the target has become, where that is not what was meant.
    is: Option<Identity>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    unbegun: bool,
}

/// Where a target is.
#[derive(Debug)]
pub(super) struct Sight {
    pub point: Point,
    /// Whether it is in view there.
    pub is_shown: bool,
}

#[derive(Deserialize)]
struct Seen {
    x: f64,
    y: f64,
    shown: bool,
}

/// How a drop ended.
pub(super) struct Ended {
    /// What would have got it, where that was not the target.
    pub by: Option<String>,
    /// The error for a target that was no longer what was meant.
    pub changed: Option<ActError>,
    /// Whether the target got it.
    pub is_taken: bool,
    /// Whether what is dragged is draggable by HTML's drag and drop, and no such drag began.
    pub is_unbegun: bool,
}

impl<'a> Zone<'a> {
    /// Watches the target's documents, and waits until it is visible and, where it is in view, nothing covers it. `source`
    /// is what will be dragged.
    pub(super) async fn begin(
        page: &'a Page,
        target: &'a Element,
        source: &Element,
        tries: &mut Tries,
    ) -> Result<Self, ActError> {
        let frames = target.frame.and_those_around();
        let zone = Self { page, target, frames, points: None };
        let mut meant = match &target.meant {
            Meant::Shown(shown) => json!({ "shown": shown }),
            Meant::Found => json!({"found": true}),
            Meant::Node | Meant::Matched => Value::Null,
        };
        for readiness in zone.begins(source, |_| meant.take()).await? {
            zone.check(readiness, tries)?;
        }
        let mut lacking = None;
        while tries.next().await {
            match zone.sight(false, tries).await {
                Ok(_) => return Ok(zone),
                Err(error @ (ActError::Covered { .. } | ActError::NotVisible(_))) => lacking = Some(error),
                Err(error) => return Err(error),
            }
        }
        lacking.map_or(Ok(zone), Err)
    }

    /// Watches the documents of a point, at which `hit` is now, and which is `points` in each of them, from inside out.
    pub(super) async fn at_point(
        page: &'a Page,
        hit: &'a Element,
        points: Vec<Point>,
        source: &Element,
    ) -> Result<Self, ActError> {
        let zone = Self { page, target: hit, frames: hit.frame.and_those_around(), points: Some(points.clone()) };
        let asked = |n: usize| points.get(n).map_or(Value::Null, |Point { x, y }| json!({"at": [x, y]}));
        zone.begins(source, asked).await?;
        Ok(zone)
    }

    /// Announces the drag to each document, with what `asked` says of the target in the nth. Returns their answers.
    async fn begins(
        &self,
        source: &Element,
        mut asked: impl FnMut(usize) -> Value,
    ) -> Result<Vec<Readiness>, ActError> {
        let owners = self.frames.iter().filter_map(|frame| Some(frame.owner()?.1));
        let mut answers = Vec::new();
        for (n, (frame, number)) in
            self.frames.iter().zip(std::iter::once(self.target.number).chain(owners)).enumerate()
        {
            let dragged = if frame.document() == source.frame.document() { source.number } else { 0 };
            let arguments = vec![number.into(), dragged.into(), asked(n)];
            answers.push(read("dropBegins", frame.call(self.page, ANSWER_TIMEOUT, "dropBegins", arguments).await?)?);
        }
        Ok(answers)
    }

    /// Where the drop goes in each document, from inside out, if that is a point.
    pub(super) fn points(&self) -> Option<&[Point]> {
        self.points.as_deref()
    }

    fn check(&self, readiness: Readiness, tries: &Tries) -> Result<(), ActError> {
        let is_ready = readiness.is.is_none() && readiness.lacks.is_none();
        if is_ready { Ok(()) } else { Err(tries.error(readiness, &self.target.meant)) }
    }

    /// Where the target is now, without scrolling to it; the error for what it lacks. Before the press that is also what
    /// covers it: once something is held (`is_held`), that may be a part of the drag.
    pub(super) async fn sight(&self, is_held: bool, tries: &Tries) -> Result<Sight, ActError> {
        let mut sight = Sight { point: Point { x: 0.0, y: 0.0 }, is_shown: true };
        let mut inner = Value::Null;
        for frame in &self.frames {
            let answer = frame.call(self.page, ANSWER_TIMEOUT, "dropSight", vec![inner.take(), is_held.into()]).await?;
            let Seen { x, y, shown } = match read_unless_lacking("dropSight", answer)? {
                Ok(seen) => seen,
                Err(lacking) => return Err(tries.error(lacking, &self.target.meant)),
            };
            sight = Sight { point: Point { x, y }, is_shown: sight.is_shown && shown };
            inner = json!(sight.point);
        }
        Ok(sight)
    }

    /// The pointer is sent to the target now.
    pub(super) async fn aims(&self) -> Result<(), ActError> {
        for frame in &self.frames {
            let _: Value = frame.call(self.page, ANSWER_TIMEOUT, "dropAims", Vec::new()).await?;
        }
        Ok(())
    }

    /// The pointer is at `at` on its way to the target at `spot`, or near its end (`is_late`).
    pub(super) async fn passes(&self, at: Point, spot: &Spot, is_late: bool) -> Result<(), ActError> {
        for (frame, point) in self.frames.iter().zip(inside(at, spot)) {
            let arguments = vec![point.x.into(), point.y.into(), is_late.into()];
            let _: Value = frame.call(self.page, ANSWER_TIMEOUT, "dropPasses", arguments).await?;
        }
        Ok(())
    }

    /// What would get a drop at `at` instead of the target, which was at `spot`; an error where that is no longer what was
    /// meant. What comes there is checked from now on.
    pub(super) async fn cover(&self, at: Point, spot: &Spot) -> Result<Option<String>, ActError> {
        let mut cover = None;
        for (frame, point) in self.frames.iter().zip(inside(at, spot)) {
            let arguments = vec![point.x.into(), point.y.into()];
            let check: DropCheck = frame.call(self.page, ANSWER_TIMEOUT, "dropReady", arguments).await?;
            if let Some(is) = check.is {
                return Err(is.changed(&self.target.meant));
            }
            cover = cover.or(check.by);
        }
        Ok(cover)
    }

    /// The target's document.
    pub(super) fn document(&self) -> &str {
        self.target.frame.document()
    }

    /// Its documents that are not among `known`.
    pub(super) fn others(&self, known: &[Frame]) -> Vec<Frame> {
        let is_known = |frame: &Frame| known.iter().any(|one| one.document() == frame.document());
        self.frames.iter().filter(|frame| !is_known(frame)).cloned().collect()
    }

    /// Has all other documents take no drop.
    pub(super) async fn hold_others(&self) -> Result<Aside, ActError> {
        self.page.hold_aside(&self.frames, HeldInput::Drops).await
    }

    /// Ends the checks.
    pub(super) async fn ends(&self) -> Ended {
        let mut ended = Ended { by: None, changed: None, is_taken: false, is_unbegun: false };
        for frame in &self.frames {
            let check: Result<DropCheck, ActError> =
                frame.call(self.page, ANSWER_TIMEOUT, "dropEnds", Vec::new()).await;
            // A document that the drop led away from has taken it.
            let Ok(check) = check else {
                ended.is_taken = true;
                continue;
            };
            ended.is_taken |= check.done;
            ended.is_unbegun |= check.unbegun;
            ended.by = ended.by.or(check.by);
            ended.changed = ended.changed.or(check.is.map(|is| is.changed(&self.target.meant)));
        }
        ended
    }

    /// Whether what was dragged by the pointer is back where it was, in a page that says what it said before. Asked after
    /// [`Self::has_changed`].
    pub(super) async fn has_returned(&self) -> bool {
        let Some(frame) = self.frames.first() else { return false };
        frame.call(self.page, ANSWER_TIMEOUT, "dropReturned", Vec::new()).await.unwrap_or(false)
    }

    /// Whether any of the documents has changed since the press; the focus that it gives is no change.
    pub(super) async fn has_changed(&self) -> bool {
        let asked = self.frames.iter().map(|frame| frame.call(self.page, ANSWER_TIMEOUT, "dropChanged", Vec::new()));
        join_all(asked).await.into_iter().any(|changed| changed.unwrap_or(true))
    }
}

impl Drop for Zone<'_> {
    fn drop(&mut self) {
        for frame in &self.frames {
            frame.notify("dropLeaves");
        }
    }
}

/// A point of the page in each document to the target at `spot`. Frames are seldom scaled, and one on the way will do.
fn inside(at: Point, spot: &Spot) -> impl Iterator<Item = Point> {
    let (x, y) = (at.x - spot.point.x, at.y - spot.point.y);
    spot.points.iter().map(move |point| Point { x: point.x + x, y: point.y + y })
}
