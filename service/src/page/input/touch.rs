//! A touch screen: tracks the fingers that touch, and converts a viewer's events to browser input.

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchTouchEventType, TouchPoint as Finger};
use porthole_contract::live::{TouchEvent, TouchEventType, TouchPoint};

use super::step::{DispatchTouchEvent, Step};

/// The touch screen of one page.
#[derive(Debug, Default)]
pub(super) struct Touch {
    /// The ids of the fingers that touch.
    down: Vec<i64>,
}

impl Touch {
    /// The step of an event; `None` where it names a finger twice, or fingers that do not touch.
    pub(super) fn step(&mut self, event: &TouchEvent) -> Option<Step> {
        let ids: Vec<i64> = event.points.iter().map(|point| point.id).collect();
        let is_twice = ids.iter().enumerate().any(|(at, id)| ids[..at].contains(id));
        if is_twice {
            return None;
        }
        let all_down = |down: &[i64]| ids.iter().all(|id| down.contains(id));
        let kind =
            match event.kind {
                TouchEventType::TouchStart if !all_down(&self.down) => DispatchTouchEventType::TouchStart,
                TouchEventType::TouchMove if all_down(&self.down) => DispatchTouchEventType::TouchMove,
                // The browser releases the fingers that are not named any more, and takes an end for that of all.
                TouchEventType::TouchEnd
                    if !self.down.is_empty() && all_down(&self.down) && ids.len() < self.down.len() =>
                {
                    if ids.is_empty() { DispatchTouchEventType::TouchEnd } else { DispatchTouchEventType::TouchMove }
                }
                TouchEventType::TouchCancel if !self.down.is_empty() => {
                    self.down.clear();
                    return Some(cancel());
                }
                _ => return None,
            };
        let is_move = event.kind == TouchEventType::TouchMove && ids.len() == self.down.len();
        self.down = ids;
        let params = DispatchTouchEvent { kind, touch_points: event.points.iter().map(finger).collect() };
        Some(if is_move { Step::TouchMove(params) } else { Step::Touch(params) })
    }

    /// Lifts all fingers, without the effect that a tap has.
    pub(super) fn release(&mut self) -> Option<Step> {
        let were_down = !std::mem::take(&mut self.down).is_empty();
        were_down.then(cancel)
    }
}

fn cancel() -> Step {
    Step::Touch(DispatchTouchEvent { kind: DispatchTouchEventType::TouchCancel, touch_points: Vec::new() })
}

#[expect(clippy::cast_precision_loss, reason = "a finger's id is small; the browser has it as a number")]
fn finger(point: &TouchPoint) -> Finger {
    let mut finger = Finger::new(point.x, point.y);
    finger.id = Some(point.id as f64);
    finger
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingers_come_and_leave_one_by_one() {
        let mut touch = Touch::default();
        let mut sent = |kind, ids: &[i64]| {
            let points = ids.iter().map(|id| TouchPoint { x: 1.0, y: 2.0, id: *id }).collect();
            match touch.step(&TouchEvent { kind, points }) {
                Some(Step::Touch(params)) => Some((params.kind, params.touch_points.len())),
                Some(Step::TouchMove(params)) => Some((DispatchTouchEventType::TouchMove, params.touch_points.len())),
                _ => None,
            }
        };
        use DispatchTouchEventType as Sent;
        use TouchEventType::{TouchCancel, TouchEnd, TouchMove, TouchStart};
        assert_eq!(sent(TouchMove, &[1]), None);
        assert_eq!(sent(TouchEnd, &[]), None);
        assert_eq!(sent(TouchStart, &[1, 1]), None);
        assert_eq!(sent(TouchStart, &[1]), Some((Sent::TouchStart, 1)));
        assert_eq!(sent(TouchStart, &[1, 2]), Some((Sent::TouchStart, 2)));
        assert_eq!(sent(TouchMove, &[2, 1]), Some((Sent::TouchMove, 2)));
        assert_eq!(sent(TouchMove, &[3]), None);
        assert_eq!(sent(TouchEnd, &[2]), Some((Sent::TouchMove, 1)));
        assert_eq!(sent(TouchEnd, &[]), Some((Sent::TouchEnd, 0)));
        assert_eq!(sent(TouchStart, &[7]), Some((Sent::TouchStart, 1)));
        assert_eq!(sent(TouchCancel, &[]), Some((Sent::TouchCancel, 0)));
        assert_eq!(sent(TouchCancel, &[]), None);
    }
}
