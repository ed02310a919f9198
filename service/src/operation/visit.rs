//! A visit: what every operation begins with. From a URL to a page that is as it will be, and where the time went.

use std::time::{Duration, Instant};

use porthole_contract::limits::REQUEST_TIMEOUT_MAX_MS;
use porthole_contract::{Timings, Wait};
use tokio::time::timeout;

use super::{Browsing, OperationError};
use crate::page::{Appearance, Arrival, Page};
use crate::provider::Lease;

/// What a caller is told whose page wanted more than it may.
const OVER_BUDGET: &str = "over_budget: the page wanted to load more than one page may, so some of it is missing";

/// Where to go and how to look.
pub(super) struct Visit<'a> {
    pub url: &'a str,
    pub appearance: Appearance,
    pub wait: Wait,
    pub deadline: tokio::time::Instant,
    pub has_browserbase_credentials: bool,
}

/// A page that was visited. The page ends before its lease does, and the lease before the place is given back.
pub(super) struct Visited {
    pub page: Page,
    _lease: Lease,
    timings: Timings,
    warnings: Vec<String>,
    _place: crate::admission::Place,
}

impl Visited {
    /// Where the time went and what the caller should know, once the `work` on the page is done.
    pub(super) fn account(
        &mut self,
        arrival: &Arrival,
        mut work: Stopwatch,
        mut whole: Stopwatch,
    ) -> (Timings, Vec<String>) {
        let timings = Timings { capture: work.lap(), total: whole.lap(), ..self.timings };
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(arrival.over_budget.then(|| OVER_BUDGET.to_owned()));
        (timings, warnings)
    }
}

impl Browsing {
    /// Judges the target, waits for a place, leases a page, navigates and settles.
    pub(super) async fn visit(&self, visit: Visit<'_>) -> Result<Visited, OperationError> {
        if self.draining.is_cancelled() {
            return Err(OperationError::Draining);
        }
        if self.credentials_choose && visit.has_browserbase_credentials {
            // Not by our own browser instead: whoever set them wants pages opened from another network than ours.
            return Err(OperationError::NoBrowserbase);
        }
        let target = match self.judge.guard.judge(visit.url).await {
            Ok(target) => target,
            Err(refusal) => {
                if matches!(refusal, crate::guard::Refusal::Blocked(_)) {
                    self.judge.blocked.blocked(refusal.label(), 1);
                    tracing::info!(%refusal, "a target is refused");
                }
                return Err(refusal.into());
            }
        };
        let place = self.admission.enter().await?;
        let mut timings = Timings { queue: millis(place.waited), ..Timings::default() };
        let mut watch = Stopwatch::start();
        let lease = self.provider.lease().await?;
        timings.session = watch.lap();
        let egress = lease.egress().cloned();
        let page = Page::open(lease.page(), lease.target_id(), &target, &self.judge, egress, &visit.appearance);
        page.navigate(&target).await?;
        timings.navigate = watch.lap();
        let settled = page.settle(&visit.wait, visit.deadline).await;
        let warnings = settled.map_err(|error| OperationError::of_selector("wait.selector", error))?;
        timings.settle = watch.lap();
        Ok(Visited { page, _lease: lease, timings, warnings, _place: place })
    }
}

/// Does `work` within the request's own time, its queue included.
pub(super) async fn within<T>(
    timeout_ms: Option<u32>,
    work: impl AsyncFnOnce(tokio::time::Instant) -> Result<T, OperationError>,
) -> Result<T, OperationError> {
    let timeout_ms = timeout_ms.unwrap_or(REQUEST_TIMEOUT_MAX_MS);
    let limit = Duration::from_millis(timeout_ms.into());
    let deadline = tokio::time::Instant::now() + limit;
    timeout(limit, work(deadline)).await.map_err(|_| OperationError::Deadline { timeout_ms })?
}

/// Tells one stretch of time from the next.
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// The milliseconds since the start or the last lap.
    pub(super) fn lap(&mut self) -> u64 {
        let now = Instant::now();
        millis(now.duration_since(std::mem::replace(&mut self.0, now)))
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
