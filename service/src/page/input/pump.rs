//! Sends a person's input to the page in order, without waiting for answers: a busy page handles it when it can.
//!
//! Moves, wheel turns and moves of fingers are merged while earlier ones are unanswered, and never delay a press.
//! Pasting, copying, choosing and giving files ask the page's documents; later input waits for that, for a bounded
//! time.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchKeyEventType, DispatchMouseEventType, ImeSetCompositionParams, InsertTextParams,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::ask::ask;
use super::flight::{Flight, Kind, all_answer};
use super::shared::Shared;
use super::step::{ASKING_TIMEOUT, FILES_TIMEOUT, Step, Wheel};

/// What waited longer for a page that answers nothing is not sent any more: it was meant for what the page showed then.
const WAITS_MAX: Duration = Duration::from_secs(10);

/// How long input waits for documents that are busy after an action.
const HEARD_WITHIN: Duration = Duration::from_secs(1);

/// Sends the steps of one page.
pub(super) struct Pump {
    shared: Arc<Shared>,
    queue: mpsc::UnboundedReceiver<(Instant, Step)>,
    copied: mpsc::Sender<String>,
    ended: CancellationToken,
    flight: Flight,
    /// What was not sent yet because earlier ones of its kind are unanswered.
    joined: Option<(Instant, Step)>,
    /// Steps that came since nothing was unanswered, and how many of them were sent.
    taking: usize,
    sent: usize,
    /// When the last action ended that the documents have heard of.
    followed: Option<Instant>,
    /// The buttons and keys that are down in the browser.
    down: HashSet<String>,
    /// Whether the pointer moved with a button held.
    drags: bool,
}

impl Pump {
    pub(super) fn new(
        shared: Arc<Shared>,
        queue: mpsc::UnboundedReceiver<(Instant, Step)>,
        copied: mpsc::Sender<String>,
        ended: CancellationToken,
    ) -> Self {
        Self {
            shared,
            queue,
            copied,
            ended,
            flight: Flight::default(),
            joined: None,
            taking: 0,
            sent: 0,
            followed: None,
            down: HashSet::new(),
            drags: false,
        }
    }

    /// Sends steps until no more can come.
    pub(super) async fn run(mut self) {
        loop {
            if self.flight.is_empty() && self.joined.is_none() {
                // An action waits for the release of what is pressed, too.
                let sent = if self.down.is_empty() { std::mem::take(&mut self.sent) } else { 0 };
                let taking = std::mem::take(&mut self.taking);
                self.shared.page.sharing.remove(taking, sent);
            }
            let has_room = self.flight.has_room() || self.ended.is_cancelled();
            let held_until = self.held_until();
            tokio::select! {
                biased;
                () = self.flight.answered(), if !self.flight.is_empty() => self.send_joined(false),
                () = self.shared.page.sharing.is_free(held_until.unwrap_or_else(Instant::now)), if held_until.is_some() => {}
                step = self.queue.recv(), if has_room && held_until.is_none() => match step {
                    Some((came, step)) => {
                        self.shared.waiting.fetch_sub(step.weight(), Ordering::Relaxed);
                        self.taking += 1;
                        self.follow_action().await;
                        if self.goes(came, &step) {
                            self.shared.page.sharing.sends();
                            self.sent += 1;
                            self.take(came, step).await;
                        } else if matches!(step, Step::Files(_)) {
                            self.shared.files_wait.store(false, Ordering::Relaxed);
                        }
                    }
                    None => return self.finish().await,
                },
                () = self.ended.cancelled(), if !has_room => {}
            }
        }
    }

    /// Until when input waits for an action. What is pressed is released before.
    fn held_until(&self) -> Option<Instant> {
        self.shared.page.sharing.held_until().filter(|_| self.down.is_empty())
    }

    /// Waits until nothing is unanswered any more: an agent waits for it, too.
    async fn finish(&mut self) {
        self.send_joined(true);
        while !self.flight.is_empty() {
            self.flight.answered().await;
        }
    }

    /// Waits until the documents have heard that an action is over, for a short time: they stop what they take for its input.
    async fn follow_action(&mut self) {
        let page = &self.shared.page;
        loop {
            if self.down.is_empty() {
                page.sharing.holds_none().await;
            }
            let ended_at = page.sharing.ended_at();
            if ended_at <= self.followed {
                return;
            }
            self.followed = ended_at;
            all_answer(page, Instant::now() + HEARD_WITHIN).await;
        }
    }

    /// Whether a step that came then is sent. A release is, of what was pressed.
    fn goes(&mut self, came: Instant, step: &Step) -> bool {
        let is_late = self.flight.is_stuck() && came.elapsed() >= WAITS_MAX;
        let is_dropped = is_late || self.shared.page.sharing.is_dropped(came);
        match (step.pressed(), step.releases()) {
            (Some(pressed), true) => self.down.remove(pressed),
            (Some(pressed), false) if !is_dropped => {
                self.down.insert(pressed.to_owned());
                true
            }
            (_, releases) => releases || !is_dropped,
        }
    }

    async fn take(&mut self, came: Instant, step: Step) {
        self.note(&step);
        if let Step::Move(event) = &step {
            self.drags |= event.buttons != Some(0);
        }
        if step.is_joined() {
            let next = match &mut self.joined {
                Some((since, waiting)) => {
                    *since = came;
                    waiting.join(step)
                }
                None => Some(step),
            };
            if let Some(next) = next {
                self.send_joined(true);
                self.joined = Some((came, next));
            }
            return self.send_joined(false);
        }
        let is_release = matches!(&step, Step::Press(event) if event.r#type == DispatchMouseEventType::MouseReleased);
        let waits = !self.ended.is_cancelled();
        if is_release && std::mem::take(&mut self.drags) && waits {
            // What is dragged is dropped where the last move was taken.
            self.flight.moved().await;
            self.send_joined(true);
            self.flight.moved().await;
        }
        self.send_joined(true);
        match step {
            Step::Clipboard(..) | Step::Paste(_) | Step::Copy | Step::Choose(_) | Step::Files(_) => {
                if waits {
                    self.flight.focused(&self.shared.page).await;
                }
                let limit = if matches!(step, Step::Files(_)) { FILES_TIMEOUT } else { ASKING_TIMEOUT };
                if matches!(step, Step::Files(_)) {
                    self.shared.files_wait.store(false, Ordering::Relaxed);
                }
                let (ended, page) = (self.ended.clone(), Arc::clone(&self.shared.page));
                tokio::select! {
                    () = ended.cancelled() => {}
                    () = page.sharing.dropped(came) => {}
                    asked = timeout(limit, ask(&self.shared, &self.copied, step)) => match asked {
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => tracing::debug!(%error, "delivering a viewer's input failed"),
                        Err(_) => tracing::debug!("a viewer's input was not taken in time"),
                    },
                }
            }
            Step::Key(_) | Step::Text(_) | Step::Compose { .. } => {
                if waits {
                    self.flight.focused(&self.shared.page).await;
                }
                self.send(step);
            }
            step => self.send(step),
        }
    }

    /// Sends what waits to be joined, if there is room or it must go first.
    fn send_joined(&mut self, must_go: bool) {
        let sharing = &self.shared.page.sharing;
        self.joined.take_if(|(came, step)| !step.releases() && sharing.is_dropped(*came));
        let drags = matches!(&self.joined, Some((_, Step::Move(event))) if event.buttons != Some(0));
        if (must_go || self.flight.has_room_to_join(drags))
            && let Some((_, step)) = self.joined.take()
        {
            self.send(step);
        }
    }

    fn send(&mut self, step: Step) {
        let session = &self.shared.page.session;
        let weight = step.weight();
        match step {
            Step::Move(event) => self.flight.send(session, (Kind::Joined, weight), &*event),
            Step::Wheel(Wheel(event)) => self.flight.send(session, (Kind::Joined, weight), &*event),
            Step::TouchMove(event) => self.flight.send(session, (Kind::Joined, weight), &event),
            Step::Press(event) => self.flight.send(session, (Kind::Press, weight), &*event),
            Step::Touch(event) => self.flight.send(session, (Kind::Press, weight), &event),
            Step::Key(event) => self.flight.send(session, (Kind::Other, weight), &*event),
            Step::Text(text) => self.flight.send(session, (Kind::Other, weight), &InsertTextParams::new(text)),
            Step::Compose { text, from, to } => {
                let units = u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
                let to = to.or(from).map_or(units, |to| to.min(units));
                let from = from.map_or(to, |from| from.min(to));
                self.flight.send(session, (Kind::Other, weight), &ImeSetCompositionParams::new(text, from, to));
            }
            Step::Clipboard(..) | Step::Paste(_) | Step::Copy | Step::Choose(_) | Step::Files(_) => {}
        }
    }

    /// Has the page looked at after what a step may open, close or point at.
    fn note(&self, step: &Step) {
        let looks = &self.shared.looks;
        match step {
            Step::Move(event) => looks.moved((event.x, event.y)),
            Step::Press(event) => looks.pressed((event.x, event.y)),
            Step::Touch(event) => match event.touch_points.first() {
                Some(point) => looks.pressed((point.x, point.y)),
                None => looks.acted(),
            },
            Step::Key(event) => {
                let closes = matches!(event.key.as_deref(), Some("Escape" | "Tab" | "Enter"));
                let opens = event.text.is_some() || event.key.as_deref() == Some("ArrowDown");
                match event.r#type {
                    DispatchKeyEventType::KeyUp => {}
                    _ if closes => looks.closed(),
                    _ if opens => looks.typed(),
                    _ => looks.acted(),
                }
            }
            Step::Text(_) | Step::Compose { .. } | Step::Paste(_) => looks.typed(),
            Step::Wheel(_) | Step::TouchMove(_) | Step::Clipboard(..) | Step::Choose(_) | Step::Files(_) => {
                looks.acted();
            }
            Step::Copy => {}
        }
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.shared.page.sharing.remove(self.taking, self.sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_weighed_by_its_memory() {
        let commit = |bytes| Step::Text("x".repeat(bytes)).weight();
        assert_eq!((commit(1), commit(60_000)), (1, 59));
        assert_eq!(Step::Choose(None).weight(), 1);
        let many = vec![String::new(); 20_000];
        assert!(Step::Choose(Some(many)).weight() > 400, "they take 480 kB");
    }
}
