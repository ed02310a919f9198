//! The drop of a drag: its target in each document on the way, checked as the events of the drop arrive
//! (`script/interact/drop.js`).

use std::time::Duration;

use serde::Deserialize;

use super::acted::Point;
use super::actionable::{Spot, frames_around};
use super::aside::{Aside, Input};
use super::{ActError, Element, Frame};
use crate::page::Page;

/// How long a document may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The target of a drag, from before its press until it has been let go.
pub(super) struct Zone<'a> {
    page: &'a Page,
    /// The target's document and those around it, from inside out.
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Told {
    by: Option<String>,
    #[serde(default)]
    done: bool,
}

/// How a drop ended.
pub(super) struct Ended {
    /// What would have got it, where that was not the target.
    pub by: Option<String>,
    /// Whether the target got it.
    pub is_taken: bool,
}

impl<'a> Zone<'a> {
    /// Watches the target's documents. `source` is what will be dragged.
    pub(super) async fn begin(page: &'a Page, target: &Element, source: &Element) -> Result<Self, ActError> {
        let frames = frames_around(&target.frame);
        let numbers = std::iter::once(target.number).chain(frames.iter().filter_map(|frame| Some(frame.owner()?.1)));
        for (frame, number) in frames.iter().zip(numbers) {
            let dragged = if frame.document() == source.frame.document() { source.number } else { 0 };
            let arguments = vec![number.into(), dragged.into()];
            let _: serde_json::Value = frame.call(page, ANSWER_TIMEOUT, "dropBegins", arguments).await?;
        }
        Ok(Self { page, frames })
    }

    /// The pointer is at `at` on its way to the target at `spot`, or near its end (`is_late`).
    pub(super) async fn passes(&self, at: Point, spot: &Spot, is_late: bool) -> Result<(), ActError> {
        for (frame, inside) in self.frames.iter().zip(&spot.points) {
            // Frames are seldom scaled, and the point only has to be one on the way.
            let (x, y) = (inside.x + at.x - spot.point.x, inside.y + at.y - spot.point.y);
            let _: serde_json::Value =
                frame.call(self.page, ANSWER_TIMEOUT, "dropPasses", vec![x.into(), y.into(), is_late.into()]).await?;
        }
        Ok(())
    }

    /// What would get a drop at the target's spot instead of it. What comes there is checked from now on.
    pub(super) async fn cover(&self, spot: &Spot) -> Result<Option<String>, ActError> {
        let mut cover = None;
        for (frame, inside) in self.frames.iter().zip(&spot.points) {
            let arguments = vec![inside.x.into(), inside.y.into()];
            let told: Told = frame.call(self.page, ANSWER_TIMEOUT, "dropReady", arguments).await?;
            cover = cover.or(told.by);
        }
        Ok(cover)
    }

    /// Has all other documents take no drop.
    pub(super) async fn hold_others(&self) -> Aside {
        self.page.hold_aside(&self.frames, Input::Drops).await
    }

    /// Ends the checks.
    pub(super) async fn ends(&self) -> Ended {
        let mut ended = Ended { by: None, is_taken: false };
        for frame in &self.frames {
            let told: Result<Told, ActError> = frame.call(self.page, ANSWER_TIMEOUT, "dropEnds", Vec::new()).await;
            // A document that the drop led away from has taken it.
            ended.is_taken |= told.as_ref().map_or(true, |told| told.done);
            ended.by = ended.by.or(told.ok().and_then(|told| told.by));
        }
        ended
    }
}

impl Drop for Zone<'_> {
    fn drop(&mut self) {
        for frame in &self.frames {
            frame.tell("dropEnds");
        }
    }
}
