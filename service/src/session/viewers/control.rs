//! Control of a session: held by one viewer, or by the agent while it acts. Times are passed in.

use porthole_contract::limits::{CONTROL_IDLE, CONTROL_TAKE_AFTER};
use porthole_contract::session::Control;
use tokio::time::Instant;

/// A viewer's number in its session; never given again.
pub(super) type ViewerId = u64;

/// Another viewer has control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeldByAnother;

/// Who has control.
#[derive(Debug, Default)]
pub(super) struct ControlState {
    holder: Option<Holder>,
    /// Acting calls that run.
    acting: usize,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    viewer: ViewerId,
    last_input: Instant,
}

impl ControlState {
    /// A viewer acts: it takes control if no viewer has it. Whether the holder changed.
    ///
    /// # Errors
    /// [`HeldByAnother`] where another viewer has control.
    pub(super) fn act(&mut self, viewer: ViewerId, now: Instant) -> Result<bool, HeldByAnother> {
        match self.holder_at(now) {
            Some(holder) if holder.viewer != viewer => Err(HeldByAnother),
            _ => Ok(self.give(viewer, now)),
        }
    }

    /// A viewer takes control, from another one only if that gave no input for [`CONTROL_TAKE_AFTER`]. Whether the holder
    /// changed.
    ///
    /// # Errors
    /// [`HeldByAnother`].
    pub(super) fn take(&mut self, viewer: ViewerId, now: Instant) -> Result<bool, HeldByAnother> {
        match self.holder_at(now) {
            Some(holder) if holder.viewer != viewer && now < holder.last_input + CONTROL_TAKE_AFTER => {
                Err(HeldByAnother)
            }
            _ => Ok(self.give(viewer, now)),
        }
    }

    /// A viewer releases control, or leaves. Whether it had it.
    pub(super) fn release(&mut self, viewer: ViewerId) -> bool {
        let had = self.is_held_by(viewer);
        self.holder = self.holder.filter(|holder| holder.viewer != viewer);
        had
    }

    /// Takes control from a viewer that gave no input for [`CONTROL_IDLE`]. Whether there was one.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let had = self.holder.is_some();
        self.holder = self.holder_at(now);
        had && self.holder.is_none()
    }

    /// When control ends without further input; `None` where no viewer has it.
    pub(super) fn expires_at(&self) -> Option<Instant> {
        self.holder.map(|holder| holder.last_input + CONTROL_IDLE)
    }

    /// An acting call begins.
    pub(super) fn agent_begins(&mut self) {
        self.acting += 1;
    }

    /// An acting call has ended.
    pub(super) fn agent_ends(&mut self) {
        self.acting = self.acting.saturating_sub(1);
    }

    /// Who has control.
    pub(super) fn holder(&self) -> Control {
        match (self.holder, self.acting) {
            (Some(_), _) => Control::Viewer,
            (None, 0) => Control::None,
            (None, _) => Control::Agent,
        }
    }

    /// The viewer that has control.
    pub(super) fn viewer(&self) -> Option<ViewerId> {
        self.holder.map(|holder| holder.viewer)
    }

    /// Whether this viewer has control.
    pub(super) fn is_held_by(&self, viewer: ViewerId) -> bool {
        self.holder.is_some_and(|holder| holder.viewer == viewer)
    }

    fn holder_at(&self, now: Instant) -> Option<Holder> {
        self.holder.filter(|holder| now < holder.last_input + CONTROL_IDLE)
    }

    fn give(&mut self, viewer: ViewerId, now: Instant) -> bool {
        let changes = !self.is_held_by(viewer);
        self.holder = Some(Holder { viewer, last_input: now });
        changes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_act_takes_control_and_others_wait_for_five_seconds_without_input() {
        let (mut control, start) = (ControlState::default(), Instant::now());
        assert_eq!(control.act(1, start), Ok(true));
        assert_eq!((control.holder(), control.is_held_by(1), control.is_held_by(2)), (Control::Viewer, true, false));
        assert_eq!(control.act(2, start), Err(HeldByAnother));
        assert_eq!(control.take(2, start + SECOND * 4), Err(HeldByAnother));
        assert_eq!(control.act(1, start + SECOND * 4), Ok(false), "input keeps it");
        assert_eq!(control.take(2, start + SECOND * 8), Err(HeldByAnother));
        assert_eq!(control.take(2, start + SECOND * 9), Ok(true));
        assert_eq!(control.act(1, start + SECOND * 9), Err(HeldByAnother));
        assert_eq!(control.act(2, start + SECOND * 30), Ok(false), "an act alone does not lose it");
    }

    #[test]
    fn control_ends_with_its_release_and_after_a_minute_without_input() {
        let (mut control, start) = (ControlState::default(), Instant::now());
        assert_eq!(control.take(1, start), Ok(true));
        assert!(!control.release(2) && control.release(1) && !control.release(1));
        assert_eq!(control.holder(), Control::None);
        assert_eq!(control.act(1, start), Ok(true));
        assert_eq!(control.expires_at(), Some(start + SECOND * 60));
        assert!(!control.expire(start + SECOND * 59) && control.expire(start + SECOND * 60));
        assert_eq!((control.holder(), control.expires_at()), (Control::None, None));
        assert_eq!(control.act(1, start), Ok(true));
        assert_eq!(control.act(2, start + SECOND * 60), Ok(true), "control ends with the minute, not with `expire`");
    }

    #[test]
    fn the_agent_has_control_while_it_acts_unless_a_viewer_has_it() {
        let (mut control, now) = (ControlState::default(), Instant::now());
        control.agent_begins();
        assert_eq!(control.holder(), Control::Agent);
        assert_eq!(control.act(1, now), Ok(true));
        assert_eq!(control.holder(), Control::Viewer);
        control.release(1);
        assert_eq!(control.holder(), Control::Agent);
        control.agent_ends();
        assert_eq!(control.holder(), Control::None);
    }
}
