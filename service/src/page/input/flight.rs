//! Input that was sent and is not answered yet. It is counted, and awaited for a short time at most: a page whose
//! script is busy answers nothing.

use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::page::GetFrameTreeParams;
use chromiumoxide_types::Command;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::{Instant, timeout, timeout_at};

use crate::cdp::Session;
use crate::page::Page;

/// The weight of unanswered events ([`Step::weight`](super::pump::Step::weight)); more wait in the queue.
const UNANSWERED_MAX: usize = 256;
/// Unanswered events of a kind that is joined: the next one waits in the pump, where it can be replaced.
const JOINED_MAX: usize = 3;
/// After this an event counts as answered. The browser still keeps it for the page: until the page answers one again, it
/// gets one at a time.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);
/// How long keys wait for what was pressed before, and the end of a drag for its moves.
const FOLLOWED_WITHIN: Duration = Duration::from_millis(250);
/// Frames in processes of their own that are asked whether they took a press.
const PARTS_MAX: usize = 16;

/// What an unanswered event means for those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A move or a turn of the wheel.
    Joined,
    /// A press, a release, a touch: it may move the focus.
    Press,
    /// Any other.
    Other,
}

/// An event that is unanswered no more.
struct Outcome {
    kind: Kind,
    weight: usize,
    was_answered: bool,
}

/// The unanswered events of one page.
#[derive(Default)]
pub(super) struct Flight {
    events: FuturesUnordered<BoxFuture<'static, Outcome>>,
    weight: usize,
    /// Whether the event before was not answered in time.
    is_stuck: bool,
    joined: usize,
    presses: usize,
    /// Whether something was pressed since the focus was last known to have followed.
    may_move_focus: bool,
}

impl Flight {
    /// Sends an event of this kind and weight.
    pub(super) fn send<C: Command>(&mut self, session: &Session, (kind, weight): (Kind, usize), event: &C)
    where
        C::Response: Send + 'static,
    {
        let call = session.call(event);
        self.weight += weight;
        match kind {
            Kind::Joined => self.joined += 1,
            Kind::Press => (self.presses, self.may_move_focus) = (self.presses + 1, true),
            Kind::Other => {}
        }
        let answered = async move {
            // What the answer is, is the page's affair.
            let was_answered = timeout(ANSWERED_WITHIN, call).await.is_ok();
            Outcome { kind, weight, was_answered }
        };
        self.events.push(answered.boxed());
    }

    /// Whether nothing is unanswered.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether the browser has not answered the last event in time.
    pub(super) fn is_stuck(&self) -> bool {
        self.is_stuck
    }

    /// Whether another event may be sent.
    pub(super) fn has_room(&self) -> bool {
        if self.is_stuck { self.is_empty() } else { self.weight < UNANSWERED_MAX }
    }

    /// Whether another event of a kind that is joined may be sent. A drag's are sent one by one: the browser begins to
    /// drag what a page lets it (`draggable`) only when it has taken a move, and what it gets before is no drag.
    pub(super) fn has_room_to_join(&self, drags: bool) -> bool {
        self.joined < if drags { 1 } else { JOINED_MAX }
    }

    /// Waits until an event is answered; at once where none is unanswered.
    pub(super) async fn answered(&mut self) {
        let Some(Outcome { kind, weight, was_answered }) = self.events.next().await else { return };
        self.weight -= weight;
        self.is_stuck = !was_answered;
        match kind {
            Kind::Joined => self.joined -= 1,
            Kind::Press => self.presses -= 1,
            Kind::Other => {}
        }
    }

    /// Waits until what was pressed has moved the focus, or for a short time. The browser sends a press to the frame under
    /// the pointer and a key to the frame that has the focus. A frame in a process of its own tells it of the focus after
    /// it has taken a press, and before it answers what it is asked then.
    pub(super) async fn focused(&mut self, page: &Page) {
        if !std::mem::take(&mut self.may_move_focus) {
            return;
        }
        let until = Instant::now() + FOLLOWED_WITHIN;
        while self.presses > 0 && timeout_at(until, self.answered()).await.is_ok() {}
        if !page.state.borrow().parts.is_empty() {
            all_answer(page, until).await;
        }
    }

    /// Waits until all moves are answered, or for a short time.
    pub(super) async fn moved(&mut self) {
        let until = Instant::now() + FOLLOWED_WITHIN;
        while self.joined > 0 && timeout_at(until, self.answered()).await.is_ok() {}
    }
}

/// Waits until all processes of a page have answered, and so have taken what they were sent before, or `until`.
pub(super) async fn all_answer(page: &Page, until: Instant) {
    let parts: Vec<Session> = page.state.borrow().parts.values().take(PARTS_MAX).cloned().collect();
    let sessions = parts.iter().chain([&page.session]);
    let asked = join_all(sessions.map(|session| session.call(&GetFrameTreeParams::default())));
    let _ = timeout_at(until, asked).await;
}
