//! Limits what one page of a shared browser may send: size caps for messages, and an allowance of events for each page.
//!
//! Every event passes the browser's main thread, which all pages share, and our reader. We send the commands, so our
//! own requests bound their answers; an allowance covers events only.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use prometheus_client::metrics::counter::Counter;

use super::MESSAGE_MAX_BYTES;
use super::event::SCREENCAST_FRAME;

/// The largest event, in bytes. Chromium cuts URLs at 2 MB; only a name or a `data:` URL chosen by a page's script
/// may be longer.
const EVENT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// A page's allowance: bytes in one burst, and bytes added each second.
const BURST_BYTES: u32 = 16 * 1024 * 1024;
const REFILL_BYTES_A_SECOND: u32 = 2 * 1024 * 1024;
/// Charged for each event beyond its own bytes: routing a small event costs the browser about as much as copying these.
const EVENT_COST_BYTES: usize = 512;
/// Charged for each [`HEAVY`] event instead. It occupies the browser's main thread for about a millisecond.
const HEAVY_COST_BYTES: usize = 32 * 1024;
/// Navigations: Chromium limits them per frame and not per page, and twenty frames stopped all other pages for seconds.
/// Dialogs: a loop of them runs as fast as they are answered.
const HEAVY: [&str; 2] = ["Page.frameStartedNavigating", "Page.javascriptDialogOpening"];

/// The limits of one connection.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The largest answer to a command, in bytes. A larger one fails its call.
    pub answer_max_bytes: usize,
    /// The largest event, in bytes. A larger one fails its page.
    pub event_max_bytes: usize,
    /// How many bytes of events a page may send at once.
    pub burst_bytes: u32,
    /// How many bytes are added to a page's allowance each second.
    pub refill_bytes_a_second: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            answer_max_bytes: MESSAGE_MAX_BYTES,
            event_max_bytes: EVENT_MAX_BYTES,
            burst_bytes: BURST_BYTES,
            refill_bytes_a_second: REFILL_BYTES_A_SECOND,
        }
    }
}

/// Counts what was read from local browsers. Clones share the counters.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Bytes read.
    pub bytes: Counter,
    /// Messages over their size cap.
    pub oversized: Counter,
    /// Pages ended because they exceeded a limit.
    pub floods: Counter,
}

impl Meter {
    pub(super) fn read(&self, bytes: usize) {
        self.bytes.inc_by(bytes as u64);
    }
}

/// A session's id.
type Id = Arc<str>;

/// The allowances of a connection's pages. Events of a page's frames and workers, which have sessions of their own, are
/// charged to the page.
#[derive(Debug)]
pub(super) struct Allowances {
    bounds: Bounds,
    pages: HashMap<Id, Allowance>,
    /// The page of each child session.
    page_of: HashMap<Id, Id>,
    failed: HashSet<Id>,
}

#[derive(Debug)]
struct Allowance {
    left_bytes: f64,
    at: Instant,
}

impl Allowances {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, pages: HashMap::new(), page_of: HashMap::new(), failed: HashSet::new() }
    }

    /// Charges an event from a session to its page; returns whether to route the event, drop it or end the page.
    pub(super) fn take(&mut self, session: &str, method: &[u8], bytes: usize, now: Instant) -> Verdict {
        let page = self.page_of(session);
        if self.failed.contains(&page) {
            return Verdict::Drop;
        }
        // Our acknowledgements bound how many there are, and a frame has at most the bytes of an event.
        if method == SCREENCAST_FRAME.as_bytes() {
            return Verdict::Route;
        }
        let burst = f64::from(self.bounds.burst_bytes);
        let allowance = self.pages.entry(Arc::clone(&page)).or_insert(Allowance { left_bytes: burst, at: now });
        let seconds = now.saturating_duration_since(allowance.at).as_secs_f64();
        let refilled = allowance.left_bytes + seconds * f64::from(self.bounds.refill_bytes_a_second);
        #[expect(clippy::cast_precision_loss, reason = "a message's length is far below 2^52")]
        let cost = (bytes + cost_of(method)) as f64;
        *allowance = Allowance { left_bytes: refilled.min(burst) - cost, at: now };
        if allowance.left_bytes < 0.0 { self.fail(session) } else { Verdict::Route }
    }

    /// Ends this session's page: none of its events is routed from now on.
    pub(super) fn fail(&mut self, session: &str) -> Verdict {
        let page = self.page_of(session);
        self.pages.remove(&page);
        if self.failed.insert(Arc::clone(&page)) { Verdict::End(page) } else { Verdict::Drop }
    }

    /// Records that `child` was attached below `parent`.
    pub(super) fn attached(&mut self, parent: &str, child: &str) {
        let page = self.page_of(parent);
        self.page_of.insert(child.into(), page);
    }

    /// Forgets a detached session and its children.
    pub(super) fn detached(&mut self, session: &str) {
        self.pages.remove(session);
        self.failed.remove(session);
        if self.page_of.remove(session).is_none() {
            self.page_of.retain(|_, page| **page != *session);
        }
    }

    fn page_of(&self, session: &str) -> Id {
        self.page_of.get(session).cloned().unwrap_or_else(|| session.into())
    }
}

/// Returns the charge for an event beyond its own bytes.
fn cost_of(method: &[u8]) -> usize {
    if HEAVY.iter().any(|heavy| heavy.as_bytes() == method) { HEAVY_COST_BYTES } else { EVENT_COST_BYTES }
}

/// The decision on an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Route it.
    Route,
    /// Drop it: its page has already been ended.
    Drop,
    /// Drop it and end this page, which has exceeded its allowance.
    End(Arc<str>),
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const BOUNDS: Bounds = Bounds {
        answer_max_bytes: 1 << 20,
        event_max_bytes: 1 << 16,
        burst_bytes: 10_000,
        refill_bytes_a_second: 1_000,
    };

    #[test]
    fn an_allowance_refills_and_a_page_over_it_is_ended_once() {
        let (mut allowances, start) = (Allowances::new(BOUNDS), Instant::now());
        for second in 0..100 {
            let now = start + Duration::from_secs(second);
            assert_eq!(allowances.take("S", b"Any.event", 400, now), Verdict::Route, "after {second} s");
        }
        let now = start + Duration::from_secs(100);
        let ended =
            (0..100).map(|_| allowances.take("S", b"Any.event", 400, now)).find(|verdict| *verdict != Verdict::Route);
        assert_eq!(ended, Some(Verdict::End("S".into())));
        assert_eq!(allowances.take("S", b"Any.event", 1, now), Verdict::Drop);
        assert_eq!(allowances.take("T", b"Any.event", 1, now), Verdict::Route, "another page has its own allowance");
        allowances.detached("S");
        assert_eq!(allowances.take("S", b"Any.event", 1, now), Verdict::Route);
    }

    #[test]
    fn small_events_count_too() {
        let (mut allowances, now) = (Allowances::new(BOUNDS), Instant::now());
        let routed = (0..1_000).take_while(|_| allowances.take("S", b"Any.event", 0, now) == Verdict::Route).count();
        assert_eq!(routed, 19, "10 000 bytes at 512 each");
    }

    #[test]
    fn a_navigation_is_charged_more_than_its_bytes() {
        let (mut allowances, now) = (Allowances::new(Bounds::default()), Instant::now());
        let navigated =
            (0..10_000).take_while(|_| allowances.take("S", HEAVY[0].as_bytes(), 256, now) == Verdict::Route).count();
        assert_eq!(navigated, 508);
    }

    #[test]
    fn frames_of_a_screencast_cost_nothing_until_the_page_is_ended() {
        let (mut allowances, now) = (Allowances::new(BOUNDS), Instant::now());
        for _ in 0..1_000 {
            assert_eq!(allowances.take("S", SCREENCAST_FRAME.as_bytes(), 60_000, now), Verdict::Route);
        }
        assert_eq!(allowances.take("S", b"Any.event", 9_000, now), Verdict::Route);
        allowances.fail("S");
        assert_eq!(allowances.take("S", SCREENCAST_FRAME.as_bytes(), 1, now), Verdict::Drop);
    }

    #[test]
    fn events_of_child_sessions_are_charged_to_their_page() {
        let (mut allowances, now) = (Allowances::new(BOUNDS), Instant::now());
        allowances.attached("S", "frame");
        allowances.attached("frame", "worker");
        assert_eq!(allowances.take("worker", b"Any.event", 5_000, now), Verdict::Route);
        assert_eq!(allowances.take("frame", b"Any.event", 5_000, now), Verdict::End("S".into()));
        assert_eq!(allowances.take("S", b"Any.event", 1, now), Verdict::Drop);
        allowances.detached("S");
        assert!(allowances.page_of.is_empty() && allowances.pages.is_empty() && allowances.failed.is_empty());
    }
}
