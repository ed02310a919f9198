//! What a person has done and the page has not taken yet: who acts next waits for it, or has what was not sent dropped.

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::page::Page;

/// The steps that the page has not taken. Those who send them share it: the input of one viewer may still be under way
/// when another one's begins.
#[derive(Debug)]
pub struct Untaken(watch::Sender<State>);

#[derive(Debug, Default)]
struct State {
    steps: usize,
    /// What came until then is not sent any more.
    dropped_at: Option<Instant>,
}

impl Default for Untaken {
    fn default() -> Self {
        Self(watch::Sender::new(State::default()))
    }
}

impl Untaken {
    /// A step was given to be sent.
    pub(super) fn add(&self) {
        self.0.send_modify(|state| state.steps += 1);
    }

    /// The page has taken this many, or they were dropped.
    pub(super) fn remove(&self, steps: usize) {
        if steps > 0 {
            self.0.send_modify(|state| state.steps = state.steps.saturating_sub(steps));
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
}

impl State {
    fn drops(&self, came: Instant) -> bool {
        self.dropped_at.is_some_and(|at| came <= at)
    }
}

impl Page {
    /// Whether it has taken all that a person did. While a dialog is open that is so: what is held up by it goes on after it.
    #[must_use]
    pub fn has_taken_input(&self) -> bool {
        self.untaken.0.borrow().steps == 0 || self.dialog().is_some()
    }

    /// Waits until the page has taken what a person did, and drops at `until` what was not sent by then.
    pub async fn takes_input(&self, until: Instant) {
        let (mut untaken, mut state) = (self.untaken.0.subscribe(), self.state.clone());
        let taken = async {
            tokio::select! {
                _ = untaken.wait_for(|untaken| untaken.steps == 0) => {}
                _ = state.wait_for(|state| state.dialog.is_some()) => {}
            }
        };
        if timeout_at(until, taken).await.is_err() {
            self.drop_input();
        }
    }

    /// Sends nothing any more of what a person did until now, but for the releases of what is held.
    pub fn drop_input(&self) {
        self.untaken.0.send_modify(|state| state.dropped_at = Some(Instant::now()));
    }
}
