//! One tab's screencast, for all viewers that watch it.
//!
//! Frames are acknowledged at the pace of the viewer who asks for most. The browser drops what it draws while three are
//! unacknowledged; if it may have dropped the last one before the page came to rest, the cast is begun anew, which
//! brings what the page shows. So it is after a change of the viewport: of a page that is resized just after a frame the
//! browser often sends none of its new size. A frame may be lost without any of these signs, so the cast of a page at
//! rest is also begun anew at intervals; a picture that viewers have already is not sent again. A page that draws more
//! than is asked for is captured instead, where that costs less, until it rests or a viewer acts.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::captures::Captures;
use super::frame::Frame;
use super::wish::Wish;
use crate::page::{CastFrame, FRAMES_UNDER_WAY_MAX, Page, Screencast};

/// After the last acknowledgement: a page that has sent no frame by then is at rest.
const REST: Duration = Duration::from_millis(60);
/// After a new picture: if no frame has come by then, the cast is begun anew.
const LOOK_AFTER: Duration = Duration::from_secs(1);
/// How often the cast of a page that stays at rest is begun anew: a lost frame comes this much later, at most.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long frames are left out whose picture is of another shape than their viewport, as the first ones after a resize may
/// be, or shows another viewport or is too small, as just after an agent's picture of the whole page. A browser that goes on
/// with such frames for longer has no others: they are shown as they are.
const MISSHAPEN_FOR: Duration = Duration::from_secs(3);

/// The latest frame of a tab; each reader sees the latest that it can take.
pub(super) type Latest = watch::Receiver<Option<Arc<Frame>>>;

/// A running cast. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Cast {
    /// Tells one cast of a tab from the next.
    pub(super) number: u64,
    /// How often the tab's renderer had died when it was begun.
    pub(super) crashes: u64,
    pub(super) latest: Latest,
    wish: watch::Sender<Wish>,
    hurry: Arc<Notify>,
    task: AbortHandle,
}

impl Cast {
    /// Begins a cast. `seq` numbers the frames of the whole session.
    pub(super) fn begin(number: u64, page: Arc<Page>, wish: Wish, seq: Arc<AtomicU64>) -> Self {
        let (latest_of, latest) = watch::channel(None);
        let crashes = page.crashes();
        let (wish, wishes) = watch::channel(wish);
        let hurry = Arc::new(Notify::new());
        let task = tokio::spawn(run(page, wishes, latest_of, Arc::clone(&hurry), seq)).abort_handle();
        Self { number, crashes, latest, wish, hurry, task }
    }

    /// Sets what the viewers ask for.
    pub(super) fn wish(&self, wish: Wish) {
        self.wish.send_if_modified(|known| std::mem::replace(known, wish) != wish);
    }

    /// Lets the browser draw at once, after input.
    pub(super) fn hurry(&self) {
        self.hurry.notify_one();
    }
}

impl Drop for Cast {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A cast as it runs.
struct Run {
    page: Arc<Page>,
    cast: Screencast,
    captures: Captures,
    wish: Wish,
    latest: watch::Sender<Option<Arc<Frame>>>,
    seq: Arc<AtomicU64>,
    nth: u64,
    unacknowledged: VecDeque<i64>,
    /// When the next frame is acknowledged, or captured.
    next_at: Instant,
    /// Since when the page seems at rest although a frame may be missing.
    missing_since: Option<Instant>,
    may_miss: bool,
    /// Since when frames are left out.
    misshapen_since: Option<Instant>,
    look_at: Instant,
    /// Whether frames are asked for that may show nothing new.
    looking: bool,
}

async fn run(
    page: Arc<Page>,
    mut wishes: watch::Receiver<Wish>,
    latest: watch::Sender<Option<Arc<Frame>>>,
    hurry: Arc<Notify>,
    seq: Arc<AtomicU64>,
) {
    let mut run = Run::begin(page, *wishes.borrow_and_update(), latest, seq);
    loop {
        let is_cast = !run.captures.are_on();
        let (next_at, look_at) = (run.next_at, run.look_at);
        let rests_at = run.missing_since.map(|since| since + REST);
        tokio::select! {
            biased;
            frame = run.cast.next() => match frame {
                Some(frame) => run.take(frame),
                None => return,
            },
            captured = run.captures.next(), if !is_cast => run.take_capture(captured),
            () = hurry.notified() => run.hurry(),
            () = sleep_until(next_at), if !run.unacknowledged.is_empty() => run.acknowledge(),
            () = sleep_until(next_at), if run.captures.have_room() => run.capture(),
            () = async { sleep_until(rests_at.unwrap_or_else(Instant::now)).await }, if rests_at.is_some() => {
                (run.missing_since, run.may_miss) = (None, false);
                run.cast.restart(run.wish.options());
            }
            () = sleep_until(look_at), if is_cast && run.unacknowledged.is_empty() => run.look(LOOK_EVERY),
            changed = wishes.changed() => {
                if changed.is_err() {
                    return;
                }
                run.change(*wishes.borrow_and_update());
            }
        }
    }
}

impl Run {
    fn begin(page: Arc<Page>, wish: Wish, latest: watch::Sender<Option<Arc<Frame>>>, seq: Arc<AtomicU64>) -> Self {
        let now = Instant::now();
        Self {
            cast: page.screencast(wish.options()),
            captures: Captures::of(Arc::clone(&page)),
            page,
            wish,
            latest,
            seq,
            nth: 0,
            unacknowledged: VecDeque::with_capacity(FRAMES_UNDER_WAY_MAX),
            next_at: now,
            missing_since: None,
            may_miss: false,
            misshapen_since: None,
            look_at: now + LOOK_AFTER,
            looking: false,
        }
    }

    /// Takes a frame of the cast.
    fn take(&mut self, frame: CastFrame) {
        let number = frame.number;
        if self.shows_viewport(&frame) {
            self.misshapen_since = None;
        } else if self.leaves_out_misshapen() {
            self.cast.acknowledge(number);
            self.missing_since = Some(Instant::now());
            return;
        }
        self.missing_since = None;
        if self.looking && self.is_known(&frame) {
            self.cast.acknowledge(number);
            return;
        }
        self.publish(frame);
        if self.captures.are_on() {
            // It was under way when the cast was stopped.
            return;
        }
        self.unacknowledged.push_back(number);
        let is_full = self.unacknowledged.len() >= FRAMES_UNDER_WAY_MAX;
        self.may_miss |= is_full;
        if is_full && self.wish.is_unscaled && self.captures.cost_less(self.wish.interval(), Instant::now()) {
            self.cast.stop();
            self.unacknowledged.clear();
            self.captures.begin();
        }
    }

    fn leaves_out_misshapen(&mut self) -> bool {
        if self.page.is_captured_beyond_viewport(Duration::ZERO) {
            self.misshapen_since = None;
            return true;
        }
        self.misshapen_since.get_or_insert_with(Instant::now).elapsed() < MISSHAPEN_FOR
    }

    /// Takes a capture. A page that shows the same as before, or can't be captured, is cast again.
    fn take_capture(&mut self, frame: Option<CastFrame>) {
        match frame.filter(|frame| self.shows_viewport(frame) && !self.is_known(frame)) {
            Some(frame) => self.publish(frame),
            None => self.cast_again(),
        }
    }

    /// Whether a frame shows the viewport that the page is to have. While an agent's picture of the whole page is taken, it has
    /// the page's size; just after that, the browser may scale a frame by that size.
    fn shows_viewport(&self, frame: &CastFrame) -> bool {
        let may_be_small = !self.page.is_captured_beyond_viewport(MISSHAPEN_FOR);
        let is_of = |viewport| viewport == frame.viewport;
        has_shape_of_viewport(frame)
            && (may_be_small || self.wish.is_met_by(frame.size))
            && self.wish.viewport.is_none_or(is_of)
    }

    fn is_known(&self, frame: &CastFrame) -> bool {
        self.latest.borrow().as_ref().is_some_and(|known| known.is_as(frame))
    }

    fn publish(&mut self, frame: CastFrame) {
        self.looking = false;
        self.look_at = Instant::now() + LOOK_AFTER;
        self.nth += 1;
        let seq = self.seq.fetch_add(1, Ordering::Relaxed) + 1;
        self.latest.send_replace(Some(Arc::new(Frame::new(self.nth, seq, frame))));
    }

    fn hurry(&mut self) {
        let now = Instant::now();
        self.captures.wait_for_calm(now);
        if self.captures.are_on() {
            self.cast_again();
        }
        for number in self.unacknowledged.drain(..) {
            self.cast.acknowledge(number);
        }
        self.next_at = now;
        self.missing_since = self.may_miss.then_some(now);
    }

    fn acknowledge(&mut self) {
        if let Some(number) = self.unacknowledged.pop_front() {
            self.cast.acknowledge(number);
        }
        self.next_at = Instant::now() + self.wish.interval();
        self.missing_since = (self.may_miss && self.unacknowledged.is_empty()).then(Instant::now);
    }

    fn capture(&mut self) {
        self.captures.take(self.wish.quality, self.wish.viewport.unwrap_or_default());
        self.next_at = (self.next_at + self.wish.interval()).max(Instant::now());
    }

    /// Begins the cast anew after captures; its first frame is what the page shows now.
    fn cast_again(&mut self) {
        self.captures.end();
        self.cast.start(self.wish.options());
        self.next_at = Instant::now();
        (self.may_miss, self.missing_since) = (false, None);
    }

    /// Begins the cast anew to see whether a frame was lost.
    fn look(&mut self, again_after: Duration) {
        self.looking = true;
        self.look_at = Instant::now() + again_after;
        self.cast.restart(self.wish.options());
    }

    fn change(&mut self, wish: Wish) {
        let before = std::mem::replace(&mut self.wish, wish);
        let is_other = before.options() != wish.options() || before.viewport != wish.viewport;
        if self.captures.are_on() {
            if is_other || !wish.is_unscaled || !self.captures.cost_less(wish.interval(), Instant::now()) {
                self.cast_again();
            }
        } else if is_other {
            self.unacknowledged.clear();
            self.cast.restart(wish.options());
        }
    }
}

/// Whether the picture shows the viewport that it is said to show: the same shape, to a pixel of either.
fn has_shape_of_viewport(frame: &CastFrame) -> bool {
    let ((width, height), (of_width, of_height)) = (frame.size, frame.viewport);
    let cross = |one: u32, other: u32| u64::from(one) * u64::from(other);
    cross(width, of_height).abs_diff(cross(height, of_width)) <= u64::from(of_width) + u64::from(of_height)
}
