//! Captures of a page that moves, one at each interval, in place of its cast.
//!
//! The browser copies each frame that a cast page draws, sent or not: at 15 frames a second most of the cost is frames
//! that nobody gets. A capture costs more than a cast's frame, but only as often as it is taken.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, StreamExt as _};
use tokio::time::{Instant, timeout};

use crate::page::{CastFrame, Page};

/// At shorter intervals a cast costs no more.
const INTERVAL_LEAST: Duration = Duration::from_millis(50);
/// Captures that are taken at once: one takes some 60 ms, mostly waiting for the page to draw.
const UNDER_WAY_MAX: usize = 2;
/// A page that does not answer within this time is cast instead: a dialog or a script holds it.
const WITHIN: Duration = Duration::from_millis(500);
/// How long a page is not captured after that.
const REFUSED_FOR: Duration = Duration::from_secs(10);
/// After input the cast brings frames sooner.
const INPUT_CALM: Duration = Duration::from_millis(300);

/// The captures of one page.
pub(super) struct Captures {
    page: Arc<Page>,
    /// Whether they are taken now, in place of the cast.
    is_on: bool,
    /// Before this the page is cast.
    not_before: Instant,
    under_way: FuturesOrdered<BoxFuture<'static, Option<CastFrame>>>,
}

impl Captures {
    pub(super) fn of(page: Arc<Page>) -> Self {
        Self { page, is_on: false, not_before: Instant::now(), under_way: FuturesOrdered::new() }
    }

    pub(super) const fn are_on(&self) -> bool {
        self.is_on
    }

    /// Whether a page that draws all the time costs less by captures at this interval.
    pub(super) fn cost_less(&self, interval: Duration, now: Instant) -> bool {
        interval >= INTERVAL_LEAST && now >= self.not_before && self.page.is_local()
    }

    pub(super) fn begin(&mut self) {
        self.is_on = true;
    }

    /// Forgets those under way.
    pub(super) fn end(&mut self) {
        self.is_on = false;
        self.under_way = FuturesOrdered::new();
    }

    /// Has the page cast for a while, after input.
    pub(super) fn wait_for_calm(&mut self, now: Instant) {
        self.not_before = self.not_before.max(now + INPUT_CALM);
    }

    pub(super) fn have_room(&self) -> bool {
        self.is_on && self.under_way.len() < UNDER_WAY_MAX
    }

    /// Takes another one.
    pub(super) fn take(&mut self, quality: u32, viewport: (u32, u32)) {
        let page = Arc::clone(&self.page);
        self.under_way.push_back(Box::pin(async move {
            timeout(WITHIN, page.captured_frame(quality, viewport)).await.ok()?.ok()?
        }));
    }

    /// Waits for the next one; `None` where the page can't be captured.
    pub(super) async fn next(&mut self) -> Option<CastFrame> {
        let frame = match self.under_way.next().await {
            Some(frame) => frame,
            None => std::future::pending().await,
        };
        if frame.is_none() {
            self.not_before = Instant::now() + REFUSED_FOR;
        }
        frame
    }
}
