//! What viewers are shown of an agent's action: the tool, where it acts, and the key that it presses.

use std::time::Duration;

use porthole_contract::session::{BoundingBox, TargetAnswer};
use tokio::time::timeout;

use super::Turn;
use super::action::Action;
use super::aim::{At, box_of};

/// How long an element may take to tell where it is.
const PLACE_TIMEOUT: Duration = Duration::from_millis(200);

/// What is known of an action beside its tool.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShownAction<'a> {
    /// What is acted on.
    pub target: Option<&'a TargetAnswer>,
    /// Where that is.
    pub bounding_box: Option<BoundingBox>,
    /// The key that is pressed.
    pub key: Option<&'a str>,
}

impl Turn<'_> {
    /// Shows viewers what the call does, once.
    pub(super) fn show(&mut self, shown: ShownAction<'_>) {
        let Some(tool) = self.tool.take().filter(|_| self.session.viewers.any()) else { return };
        let ShownAction { target, bounding_box, key } = shown;
        self.session.viewers.show(Action {
            tool,
            reference: target.and_then(|target| target.reference),
            bounding_box: bounding_box.or(target.and_then(|target| target.bounding_box)),
            key: key.map(str::to_owned),
        });
    }

    /// The same of an action on an element or a point, before it happens. Scrolls to an element that is out of view.
    pub(super) async fn show_at(&mut self, at: &At, target: &TargetAnswer, key: Option<&str>) {
        if self.tool.is_none() || !self.session.viewers.any() {
            return;
        }
        let bounding_box = match at {
            At::Point(point) => Some(BoundingBox { x: point.x, y: point.y, width: 0.0, height: 0.0 }),
            // Measured anew: the action scrolls to what is out of view.
            At::Element(element) => {
                let page = self.page();
                let place = timeout(PLACE_TIMEOUT, page.place_of(element)).await;
                place.ok().and_then(Result::ok).flatten().map(box_of)
            }
        };
        self.show(ShownAction { target: Some(target), bounding_box, key });
    }
}
