//! A mouse: tracks the buttons that are down, and converts a viewer's events to browser input.

use chromiumoxide_cdp::cdp::browser_protocol::input::{DispatchMouseEventParams, DispatchMouseEventType, MouseButton};
use porthole_contract::live::{MouseEvent, MouseEventType, PointerButton};

use super::step::{Step, Wheel};

/// A click in a row; browsers count on, pages tell three.
const CLICKS_MAX: u32 = 100;

/// The mouse of one page.
#[derive(Debug, Default)]
pub(super) struct Mouse {
    /// As in `MouseEvent.buttons`.
    held: u8,
    /// Where it was last.
    at: (f64, f64),
}

impl Mouse {
    /// The step of an event; `None` for a press of what is down and a release of what is not.
    pub(super) fn step(&mut self, event: &MouseEvent) -> Option<Step> {
        let (button, mask) = of_protocol(event.button);
        let kind = match event.kind {
            MouseEventType::MousePressed if mask != 0 && self.held & mask == 0 => {
                self.held |= mask;
                DispatchMouseEventType::MousePressed
            }
            MouseEventType::MouseReleased if self.held & mask != 0 => {
                self.held &= !mask;
                DispatchMouseEventType::MouseReleased
            }
            MouseEventType::MouseMoved => DispatchMouseEventType::MouseMoved,
            MouseEventType::MouseWheel => DispatchMouseEventType::MouseWheel,
            MouseEventType::MousePressed | MouseEventType::MouseReleased => return None,
        };
        self.at = (event.x, event.y);
        let mut params = DispatchMouseEventParams::new(kind, event.x, event.y);
        params.modifiers = Some(event.modifiers.into());
        params.buttons = Some(self.held.into());
        Some(match event.kind {
            MouseEventType::MousePressed | MouseEventType::MouseReleased => {
                params.button = Some(button);
                params.click_count = Some(event.click_count_or_default().min(CLICKS_MAX).into());
                Step::Press(Box::new(params))
            }
            MouseEventType::MouseMoved => {
                params.button = Some(lowest(self.held));
                Step::Move(Box::new(params))
            }
            MouseEventType::MouseWheel => {
                params.button = Some(MouseButton::None);
                (params.delta_x, params.delta_y) = (Some(event.delta_x), Some(event.delta_y));
                Step::Wheel(Wheel(Box::new(params)))
            }
        })
    }

    /// Releases all buttons where the mouse was last.
    pub(super) fn release(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for button in [PointerButton::Left, PointerButton::Right, PointerButton::Middle] {
            let (button, mask) = of_protocol(button);
            if self.held & mask == 0 {
                continue;
            }
            self.held &= !mask;
            let (x, y) = self.at;
            let mut params = DispatchMouseEventParams::new(DispatchMouseEventType::MouseReleased, x, y);
            (params.button, params.buttons) = (Some(button), Some(self.held.into()));
            params.click_count = Some(1);
            steps.push(Step::Press(Box::new(params)));
        }
        steps
    }
}

/// A button for the protocol, and its bit in `MouseEvent.buttons`.
fn of_protocol(button: PointerButton) -> (MouseButton, u8) {
    match button {
        PointerButton::Left => (MouseButton::Left, 1),
        PointerButton::Right => (MouseButton::Right, 2),
        PointerButton::Middle => (MouseButton::Middle, 4),
        PointerButton::None => (MouseButton::None, 0),
    }
}

/// The button that a move is said to be with.
fn lowest(held: u8) -> MouseButton {
    match held {
        held if held & 1 != 0 => MouseButton::Left,
        held if held & 2 != 0 => MouseButton::Right,
        held if held & 4 != 0 => MouseButton::Middle,
        _ => MouseButton::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: MouseEventType, button: PointerButton) -> MouseEvent {
        MouseEvent { kind, x: 3.0, y: 4.0, button, click_count: None, delta_x: 0.0, delta_y: 0.0, modifiers: 0 }
    }

    #[test]
    fn buttons_are_pressed_and_released_once() {
        let mut mouse = Mouse::default();
        let press = event(MouseEventType::MousePressed, PointerButton::Left);
        let release = event(MouseEventType::MouseReleased, PointerButton::Left);
        assert!(mouse.step(&release).is_none(), "nothing is down");
        assert!(mouse.step(&press).is_some());
        assert!(mouse.step(&press).is_none(), "it is down");
        let moved = event(MouseEventType::MouseMoved, PointerButton::None);
        assert!(matches!(mouse.step(&moved), Some(Step::Move(params)) if params.buttons == Some(1)));
        assert!(mouse.step(&event(MouseEventType::MousePressed, PointerButton::Middle)).is_some());
        let released: Vec<_> = mouse
            .release()
            .into_iter()
            .filter_map(|step| match step {
                Step::Press(params) => Some((params.buttons, params.x)),
                _ => None,
            })
            .collect();
        assert_eq!(released, [(Some(4), 3.0), (Some(0), 3.0)]);
        assert!(mouse.release().is_empty());
    }

    #[test]
    fn turns_of_the_wheel_are_summed() {
        let mut mouse = Mouse::default();
        let mut wheel = |delta_y, modifiers| {
            let turned = MouseEvent { delta_y, modifiers, ..event(MouseEventType::MouseWheel, PointerButton::None) };
            match mouse.step(&turned) {
                Some(Step::Wheel(wheel)) => wheel,
                other => panic!("{other:?}"),
            }
        };
        let (mut one, other, zoom, far) = (wheel(120.0, 0), wheel(-20.0, 0), wheel(5.0, 2), wheel(4_950.0, 0));
        assert!(one.is_alike(&other) && !one.is_alike(&zoom));
        one.add(&other);
        assert_eq!(one.0.delta_y, Some(100.0));
        one.add(&far);
        assert_eq!(one.0.delta_y, Some(5_000.0));
    }
}
