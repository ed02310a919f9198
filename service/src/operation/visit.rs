//! A visit, the first part of every operation: from a URL to a settled page, with its timings.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::TryFutureExt as _;
use futures_util::future::try_join;
use porthole_contract::limits::REQUEST_TIMEOUT_MAX_MS;
use porthole_contract::{OnTimeout, Timings, Wait, Warning, WarningCode};
use tokio::time::timeout;

use super::phase::{phase, phase_at};
use super::{Browsing, OperationError};
use crate::admission::{Client, Permit};
use crate::guard::{Refusal, Target};
use crate::page::{Appearance, Arrival, Page, PageError, before};
use crate::provider::{Credentials, Frames, Lease, LeaseRequest};
use crate::telemetry::PhaseMetrics;

/// How long a target is judged before anything else begins. Literal addresses and cached names are judged by then, so
/// refusing them costs no lease. Slower verdicts are awaited while the page is leased.
const JUDGED_AHEAD: Duration = Duration::from_millis(10);

/// The warning for a page that reached its egress limits.
pub fn over_budget() -> Warning {
    WarningCode::OverBudget.says("the page tried to load more than its budget, so some of it is missing")
}

/// The parameters of a visit.
pub(super) struct Visit<'a> {
    pub client: &'a Client,
    /// The verified id of the request's sandbox.
    pub sandbox_id: &'a str,
    pub url: &'a str,
    pub appearance: Appearance,
    pub wait: Wait,
    pub on_timeout: OnTimeout,
    /// How the page draws.
    pub frames: Frames,
    pub deadline: tokio::time::Instant,
    pub credentials: Option<Credentials>,
}

/// A visited page. The page is dropped before its lease, and the lease before the permit.
pub(super) struct Visited<T = ()> {
    pub page: Page,
    /// The result of `prepare` in [`Browsing::visit_prepared`].
    pub prepared: T,
    _lease: Lease,
    timings: Timings,
    warnings: Vec<Warning>,
    phases: PhaseMetrics,
    permit: Arc<Permit>,
}

impl<T> Visited<T> {
    /// Returns the request's permit, for work that may outlive the request and must hold it until it ends.
    pub(super) fn permit(&self) -> Arc<Permit> {
        Arc::clone(&self.permit)
    }

    /// Returns the timings and the warnings, once the `work` on the page is done.
    pub(super) fn account(
        &mut self,
        arrival: &Arrival,
        mut work: Stopwatch,
        mut whole: Stopwatch,
    ) -> (Timings, Vec<Warning>) {
        let timings = Timings { capture: work.lap_of("capture", &self.phases), total: whole.lap(), ..self.timings };
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(arrival.over_budget.then(over_budget));
        (timings, warnings)
    }
}

impl Browsing {
    /// Judges the target, waits for a permit, leases a page, navigates and settles.
    pub(super) async fn visit(&self, visit: Visit<'_>) -> Result<Visited, OperationError> {
        self.visit_prepared(visit, async |_| Ok(())).await
    }

    /// Same as [`Browsing::visit`], and runs `prepare` as soon as there is a permit, before a page is leased.
    pub(super) async fn visit_prepared<T>(
        &self,
        visit: Visit<'_>,
        prepare: impl AsyncFnOnce(Arc<Permit>) -> Result<T, OperationError>,
    ) -> Result<Visited<T>, OperationError> {
        let mut judging = pin!(self.judged(visit.url));
        let judged = timeout(JUDGED_AHEAD, &mut judging).await.ok().transpose()?;
        let permit = Arc::new(phase("queue", self.admission.acquire(visit.client, visit.deadline)).await?);
        let mut timings = Timings { queue: millis(permit.waited), ..Timings::default() };
        let prepared = prepare(Arc::clone(&permit)).await?;
        let mut watch = Stopwatch::start();
        let lifetime = visit.deadline.saturating_duration_since(tokio::time::Instant::now());
        let request = LeaseRequest::visit(visit.frames, lifetime, visit.credentials).of_sandbox(visit.sandbox_id);
        let leasing = phase("lease", self.provider.lease(request).map_err(OperationError::from));
        let (target, mut lease) = match judged {
            Some(target) => (target, leasing.await?),
            // DNS is slow: the page is leased meanwhile, and given back unused if the target is refused.
            None => try_join(judging, leasing).await?,
        };
        timings.session = watch.lap_of("session", &self.phases);
        let page = Page::open(&mut lease, &self.judge, &visit.appearance);
        let navigating = Box::pin(page.navigate_or(visit.on_timeout, &target, visit.deadline));
        let mut warnings = phase_at("navigate", target.url(), navigating).await?;
        timings.navigate = watch.lap_of("navigate", &self.phases);
        // A page that has used up its navigation time must leave some for its capture.
        let settle_by = if warnings.is_empty() { visit.deadline } else { before(visit.deadline) };
        let settled = phase("settle", Box::pin(settle(&page, &visit.wait, visit.on_timeout, settle_by))).await;
        warnings.extend(settled.map_err(|error| OperationError::of_selector("wait.selector", error))?);
        timings.settle = watch.lap_of("settle", &self.phases);
        Ok(Visited { page, prepared, _lease: lease, timings, warnings, phases: self.phases.clone(), permit })
    }

    /// Judges `url`, and returns the target if it may be visited.
    async fn judged(&self, url: &str) -> Result<Target, OperationError> {
        let judged = self.judge.guard.judge(url).await;
        if let Err(refusal @ Refusal::Blocked(_)) = &judged {
            self.judge.blocked.blocked(refusal.label(), 1);
            tracing::info!(%refusal, "a target is refused");
        }
        Ok(judged?)
    }
}

/// Waits as requested. Returns a warning, as `code: sentence`, for each condition that was not met.
async fn settle(
    page: &Page,
    wait: &Wait,
    on_timeout: OnTimeout,
    deadline: tokio::time::Instant,
) -> Result<Vec<Warning>, PageError> {
    let mut warnings = match on_timeout {
        OnTimeout::Fail => Vec::new(),
        OnTimeout::Partial => page.draw_without_styles(wait, deadline).await?,
    };
    warnings.extend(page.settle(wait, deadline).await?);
    Ok(warnings)
}

/// Does `work` within the request's own time limit, which includes its time in the queue.
pub(super) async fn within<T>(
    timeout_ms: Option<u32>,
    work: impl AsyncFnOnce(tokio::time::Instant) -> Result<T, OperationError>,
) -> Result<T, OperationError> {
    let timeout_ms = timeout_ms.unwrap_or(REQUEST_TIMEOUT_MAX_MS);
    let limit = Duration::from_millis(timeout_ms.into());
    let deadline = tokio::time::Instant::now() + limit;
    timeout(limit, work(deadline)).await.map_err(|_| OperationError::Deadline { timeout_ms })?
}

/// Measures laps of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the milliseconds since the start or the last lap.
    pub(super) fn lap(&mut self) -> u64 {
        millis(self.time())
    }

    /// Same, and records the lap as the duration of that phase.
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
