//! How a person and an agent share a page: what one of them does reaches it before the other goes on, within a bound.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// How long an action waits for what was sent before it.
const SENT_TAKEN_WITHIN: Duration = Duration::from_secs(1);
/// How long a person's input waits for an action that looks for its element. It may be waiting for the person.
const LOOKING_MAX: Duration = Duration::from_secs(3);
/// How long it waits for an action that has sent input. One that types a long text key by key goes on for longer.
const ACTING_MAX: Duration = Duration::from_secs(10);

/// What a page has not taken of a person's input, and the actions that such input waits for. Input of one viewer may still
/// be under way when another one's begins: they share this.
#[derive(Debug)]
pub struct Sharing(watch::Sender<State>);

#[derive(Debug, Default)]
struct State {
    /// Steps that the page has not taken, and how many of them were sent to it.
    untaken: usize,
    sent: usize,
    /// What came until then is not sent any more.
    dropped_at: Option<Instant>,
    /// Actions that are under way, and until when input waits for them.
    acting: usize,
    acting_until: Option<Instant>,
    /// When the last one ended.
    ended_at: Option<Instant>,
}

/// An action on the page, until this is dropped. A person's input waits for it.
pub struct Acting<'a>(&'a Sharing);

impl Default for Sharing {
    fn default() -> Self {
        Self(watch::Sender::new(State::default()))
    }
}

impl Sharing {
    /// An action begins: a person's input waits for it, for a while.
    pub(super) fn begin(&self) -> Acting<'_> {
        self.0.send_modify(|state| state.acting += 1);
        let acting = Acting(self);
        acting.lasts(LOOKING_MAX);
        acting
    }

    /// Whether all that was sent is taken.
    pub(super) fn has_taken_sent(&self) -> bool {
        self.0.borrow().sent == 0
    }

    /// Waits for that, for a short time.
    pub(super) async fn takes_sent(&self) {
        let mut state = self.0.subscribe();
        let _ = timeout_at(Instant::now() + SENT_TAKEN_WITHIN, state.wait_for(|state| state.sent == 0)).await;
    }

    /// Whether all that a person did is taken.
    pub(super) fn has_taken_all(&self) -> bool {
        self.0.borrow().untaken == 0
    }

    /// Waits for that.
    pub(super) async fn takes_all(&self) {
        let _ = self.0.subscribe().wait_for(|state| state.untaken == 0).await;
    }

    /// What came until then is not sent any more.
    pub(super) fn drop_until(&self, until: Instant) {
        self.0.send_modify(|state| state.dropped_at = state.dropped_at.max(Some(until)));
    }

    /// A step was given to be sent.
    pub(super) fn add(&self) {
        self.0.send_modify(|state| state.untaken += 1);
    }

    /// A step is sent to the page.
    pub(super) fn sends(&self) {
        self.0.send_modify(|state| state.sent += 1);
    }

    /// The page has taken this many, of which so many were sent to it. The others were dropped.
    pub(super) fn remove(&self, steps: usize, sent: usize) {
        if steps + sent > 0 {
            self.0.send_modify(|state| {
                state.untaken = state.untaken.saturating_sub(steps);
                state.sent = state.sent.saturating_sub(sent);
            });
        }
    }

    /// Whether what came then is not to be sent.
    pub(super) fn is_dropped(&self, came: Instant) -> bool {
        self.0.borrow().drops(came)
    }

    /// Waits until what came then is not to be sent, which may be never.
    pub(super) async fn dropped(&self, came: Instant) {
        if self.0.subscribe().wait_for(|state| state.drops(came)).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Until when input waits for an action.
    pub(super) fn held_until(&self) -> Option<Instant> {
        let state = self.0.borrow();
        state.acting_until.filter(|until| state.acting > 0 && *until > Instant::now())
    }

    /// When an action ended last.
    pub(super) fn ended_at(&self) -> Option<Instant> {
        self.0.borrow().ended_at
    }

    /// Waits until input has no action to wait for. One that begins to act meanwhile is waited for longer.
    pub(super) async fn holds_none(&self) {
        while let Some(until) = self.held_until() {
            self.is_free(until).await;
        }
    }

    /// Waits until no action is under way, or `until`.
    pub(super) async fn is_free(&self, until: Instant) {
        let mut state = self.0.subscribe();
        let _ = timeout_at(until, state.wait_for(|state| state.acting == 0)).await;
    }
}

impl State {
    fn drops(&self, came: Instant) -> bool {
        self.dropped_at.is_some_and(|at| came <= at)
    }
}

// === impl Acting ===

impl Acting<'_> {
    /// The action sends its input from now on.
    pub(in crate::page) fn begins(&self) {
        self.lasts(ACTING_MAX);
    }

    fn lasts(&self, longest: Duration) {
        let until = Instant::now() + longest;
        self.0.0.send_modify(|state| state.acting_until = state.acting_until.max(Some(until)));
    }
}

impl Drop for Acting<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|state| {
            state.acting -= 1;
            if state.acting == 0 {
                (state.acting_until, state.ended_at) = (None, Some(Instant::now()));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn input_waits_for_an_action_that_begins_to_act_meanwhile() {
        let sharing = Sharing::default();
        let begun = Instant::now();
        let acts = async {
            let acting = sharing.begin();
            tokio::time::sleep(LOOKING_MAX - Duration::from_millis(100)).await;
            acting.begins();
            tokio::time::sleep(Duration::from_secs(1)).await;
        };
        let waits = async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            sharing.holds_none().await;
            begun.elapsed()
        };
        let ((), waited) = tokio::join!(acts, waits);
        assert!(waited >= LOOKING_MAX + Duration::from_millis(900), "{waited:?}");
        let _looks = sharing.begin();
        let (begun, ()) = (Instant::now(), sharing.holds_none().await);
        assert!(begun.elapsed() < LOOKING_MAX + Duration::from_secs(1), "no longer than it may look");
    }
}
