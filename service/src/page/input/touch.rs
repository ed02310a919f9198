//! A touch screen: tracks the fingers that touch, and converts a viewer's events to browser input.

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchTouchEventType, TouchPoint as Finger};
use porthole_contract::live::{TouchEvent, TouchEventType, TouchPoint};

use super::step::{DispatchTouchEvent, Step};

/// The touch screen of one page.
#[derive(Debug, Default)]
pub(super) struct Touch {
    /// The fingers that touch, where they were last.
    down: Vec<TouchPoint>,
}

impl Touch {
    /// The steps of an event; none where it names a finger twice, or fingers that do not touch.
    pub(super) fn steps(&mut self, event: &TouchEvent) -> Vec<Step> {
        let points = &event.points;
        let is_twice = points.iter().enumerate().any(|(at, point)| has(&points[..at], point));
        let all_down = points.iter().all(|point| has(&self.down, point));
        let lifted: Vec<TouchPoint> = self.down.iter().filter(|point| !has(points, point)).copied().collect();
        let is_move = match event.kind {
            _ if is_twice => return Vec::new(),
            TouchEventType::TouchStart if !all_down => false,
            TouchEventType::TouchMove if all_down => true,
            TouchEventType::TouchEnd if all_down && !lifted.is_empty() => true,
            TouchEventType::TouchCancel => return self.release().into_iter().collect(),
            _ => return Vec::new(),
        };
        let mut steps = Vec::new();
        if !lifted.is_empty() {
            // An end is that of the fingers that it names; of all, where it names none.
            let named = if points.is_empty() { &[][..] } else { &lifted };
            steps.push(Step::Touch(sent(DispatchTouchEventType::TouchEnd, named)));
        }
        let has_moved =
            event.kind == TouchEventType::TouchMove || points.iter().any(|point| !self.down.contains(point));
        if is_move && has_moved {
            steps.push(Step::TouchMove(sent(DispatchTouchEventType::TouchMove, points)));
        } else if !is_move {
            steps.push(Step::Touch(sent(DispatchTouchEventType::TouchStart, points)));
        }
        self.down.clone_from(points);
        steps
    }

    /// Lifts all fingers, without the effect that a tap has.
    pub(super) fn release(&mut self) -> Option<Step> {
        let were_down = !std::mem::take(&mut self.down).is_empty();
        were_down.then(|| Step::Touch(sent(DispatchTouchEventType::TouchCancel, &[])))
    }
}

fn has(points: &[TouchPoint], finger: &TouchPoint) -> bool {
    points.iter().any(|point| point.id == finger.id)
}

fn sent(kind: DispatchTouchEventType, points: &[TouchPoint]) -> DispatchTouchEvent {
    DispatchTouchEvent { kind, touch_points: points.iter().map(finger).collect() }
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
        let mut sent = |kind, points: &[(i64, f64)]| {
            let points = points.iter().map(|(id, x)| TouchPoint { x: *x, y: 2.0, id: *id }).collect();
            let steps = touch.steps(&TouchEvent { kind, points });
            let told = steps.into_iter().map(|step| match step {
                Step::Touch(params) | Step::TouchMove(params) => {
                    let ids: Vec<String> =
                        params.touch_points.iter().filter_map(|one| one.id).map(|id| id.to_string()).collect();
                    format!("{} {}", params.kind.as_ref(), ids.join(","))
                }
                other => format!("{other:?}"),
            });
            told.collect::<Vec<_>>()
        };
        use TouchEventType::{TouchCancel, TouchEnd, TouchMove, TouchStart};
        assert!(sent(TouchMove, &[(1, 0.0)]).is_empty());
        assert!(sent(TouchEnd, &[]).is_empty());
        assert!(sent(TouchStart, &[(1, 0.0), (1, 0.0)]).is_empty());
        assert_eq!(sent(TouchStart, &[(1, 0.0)]), ["touchStart 1"]);
        assert_eq!(sent(TouchStart, &[(1, 0.0), (2, 5.0)]), ["touchStart 1,2"]);
        assert_eq!(sent(TouchMove, &[(2, 6.0), (1, 1.0)]), ["touchMove 2,1"]);
        assert!(sent(TouchMove, &[(3, 0.0)]).is_empty());
        assert_eq!(sent(TouchEnd, &[(2, 6.0)]), ["touchEnd 1"]);
        assert_eq!(sent(TouchStart, &[(2, 6.0), (3, 7.0)]), ["touchStart 2,3"]);
        assert_eq!(sent(TouchEnd, &[(3, 9.0)]), ["touchEnd 2", "touchMove 3"], "what stays has moved");
        assert_eq!(sent(TouchEnd, &[]), ["touchEnd "]);
        assert_eq!(sent(TouchStart, &[(7, 0.0)]), ["touchStart 7"]);
        assert_eq!(sent(TouchStart, &[(8, 0.0)]), ["touchEnd 7", "touchStart 8"], "another one alone");
        assert_eq!(sent(TouchCancel, &[]), ["touchCancel "]);
        assert!(sent(TouchCancel, &[]).is_empty());
    }
}
