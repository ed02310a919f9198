//! A visit: what every operation begins with. From a URL to a page that is as it will be, and where the time went.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::TryFutureExt as _;
use futures_util::future::try_join;
use porthole_contract::limits::REQUEST_TIMEOUT_MAX_MS;
use porthole_contract::{Timings, Wait};
use tokio::time::timeout;

use super::phase::{phase, phase_at};
use super::{Browsing, OperationError};
use crate::admission::{Client, Place};
use crate::guard::{Refusal, Target};
use crate::page::{Appearance, Arrival, Page};
use crate::provider::{Credentials, Lease, Order};
use crate::telemetry::PhaseMetrics;

/// How long a target is judged before anything else begins: literal addresses and names that a resolver knows are
/// done by then, so that a refused one costs nobody a session. A slower answer comes while the page is made.
const JUDGED_AHEAD: Duration = Duration::from_millis(10);

/// What a caller is told whose page wanted more than it may.
const OVER_BUDGET: &str = "over_budget: the page wanted to load more than one page may, so some of it is missing";

/// Where to go and how to look.
pub(super) struct Visit<'a> {
    pub client: &'a Client,
    pub url: &'a str,
    pub appearance: Appearance,
    pub wait: Wait,
    /// Whether the page may be one that draws only when told to.
    pub by_hand: bool,
    pub deadline: tokio::time::Instant,
    pub credentials: Option<Credentials>,
}

/// A page that was visited. The page ends before its lease does, and the lease before the place is given back.
pub(super) struct Visited {
    pub page: Page,
    _lease: Lease,
    timings: Timings,
    warnings: Vec<String>,
    phases: PhaseMetrics,
    _place: Place,
}

impl Visited {
    /// Where the time went and what the caller should know, once the `work` on the page is done.
    pub(super) fn account(
        &mut self,
        arrival: &Arrival,
        mut work: Stopwatch,
        mut whole: Stopwatch,
    ) -> (Timings, Vec<String>) {
        let timings = Timings { capture: work.lap_of("capture", &self.phases), total: whole.lap(), ..self.timings };
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(arrival.over_budget.then(|| OVER_BUDGET.to_owned()));
        (timings, warnings)
    }
}

impl Browsing {
    /// Judges the target, waits for a place, leases a page, navigates and settles.
    pub(super) async fn visit(&self, visit: Visit<'_>) -> Result<Visited, OperationError> {
        let mut judging = pin!(self.judged(visit.url));
        let judged = timeout(JUDGED_AHEAD, &mut judging).await.ok().transpose()?;
        let place = phase("queue", self.admission.enter(visit.client, visit.deadline)).await?;
        let mut timings = Timings { queue: millis(place.waited), ..Timings::default() };
        let mut watch = Stopwatch::start();
        let order = Order { credentials: visit.credentials, deadline: visit.deadline, by_hand: visit.by_hand };
        let leasing = phase("lease", self.provider.lease(order).map_err(OperationError::from));
        let (target, mut lease) = match judged {
            Some(target) => (target, leasing.await?),
            // A slow answer of DNS is not waited for twice; should it be a refusal, the page is given back unused.
            None => try_join(judging, leasing).await?,
        };
        timings.session = watch.lap_of("session", &self.phases);
        let page = Page::open(&mut lease, &target, &self.judge, &visit.appearance);
        phase_at("navigate", target.url(), page.navigate(&target)).await?;
        timings.navigate = watch.lap_of("navigate", &self.phases);
        let settled = phase("settle", Box::pin(page.settle(&visit.wait, visit.deadline))).await;
        let warnings = settled.map_err(|error| OperationError::of_selector("wait.selector", error))?;
        timings.settle = watch.lap_of("settle", &self.phases);
        Ok(Visited { page, _lease: lease, timings, warnings, phases: self.phases.clone(), _place: place })
    }

    /// The target, if it may be visited.
    async fn judged(&self, url: &str) -> Result<Target, OperationError> {
        let judged = self.judge.guard.judge(url).await;
        if let Err(refusal @ Refusal::Blocked(_)) = &judged {
            self.judge.blocked.blocked(refusal.label(), 1);
            tracing::info!(%refusal, "a target is refused");
        }
        Ok(judged?)
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// The milliseconds since the start or the last lap.
    pub(super) fn lap(&mut self) -> u64 {
        millis(self.time())
    }

    /// The same, counted as that phase's time.
    pub(super) fn lap_of(&mut self, phase: &'static str, phases: &PhaseMetrics) -> u64 {
        let time = self.time();
        phases.ended(phase, time);
        millis(time)
    }

    fn time(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now))
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
