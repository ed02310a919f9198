//! Metrics of the service besides its requests: pages, sessions, browsers, waits, phases, refusals.

mod labels;
mod live;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use porthole_contract::metrics::{Pages, Sessions};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use self::labels::{End, Phase, Reason, SessionEvent, State};
pub use self::live::LiveMetrics;
use crate::cdp::Meter;

/// Upper bounds of the buckets of a wait in the queue, in seconds; the last is the longest time of a request.
const QUEUE_BUCKETS_SECONDS: [f64; 12] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0];

/// Upper bounds of the buckets of a visit's phase, in seconds: a warm page is leased within 1 ms, a slow lease is
/// given up after 20 s.
const PHASE_BUCKETS_SECONDS: [f64; 12] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 20.0];

/// Why a local browser is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// There was none.
    First,
    /// The one before died.
    Died,
    /// The one before had made as many pages, or grown as large, as it may.
    Worn,
    /// A page keeps the one before busy.
    Noisy,
    /// Several sandboxes make visits.
    Spare,
    /// The start before failed.
    StartFailed,
}

impl StartReason {
    const ALL: [Self; 6] = [Self::First, Self::Died, Self::Worn, Self::Noisy, Self::Spare, Self::StartFailed];

    const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Died => "died",
            Self::Worn => "worn",
            Self::Noisy => "noisy",
            Self::Spare => "spare",
            Self::StartFailed => "start_failed",
        }
    }
}

/// Leased browser contexts and remote sessions, their pages, and the browsers that carry them. Clones share the counts.
#[derive(Clone, Debug)]
pub struct LeaseMetrics {
    pages: Family<State, Gauge>,
    warm_sessions: Gauge,
    browsers: Gauge,
    browser_starts: Family<Reason, Counter>,
    events: Family<SessionEvent, Counter>,
    seconds: Counter<f64, AtomicU64>,
    cdp: Meter,
}

impl LeaseMetrics {
    /// Registers the metrics.
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            pages: Family::default(),
            warm_sessions: Gauge::default(),
            browsers: Gauge::default(),
            browser_starts: Family::default(),
            events: Family::default(),
            seconds: Counter::default(),
            cdp: Meter::default(),
        };
        for state in ["busy", "held", "warm", "queued"] {
            drop(metrics.pages.get_or_create(&State { state }));
        }
        for event in ["created", "released", "leaked", "reaped"] {
            drop(metrics.events.get_or_create(&SessionEvent { event }));
        }
        for reason in StartReason::ALL {
            drop(metrics.browser_starts.get_or_create(&Reason { reason: reason.name() }));
        }
        registry.register(
            "porthole_browser_starts",
            "Starts of a local browser, by what happened to the one before",
            metrics.browser_starts.clone(),
        );
        registry.register("porthole_pages", "Pages by state", metrics.pages.clone());
        registry.register(
            "porthole_warm_sessions",
            "Remote sessions that are kept ready, and billed",
            metrics.warm_sessions.clone(),
        );
        registry.register("porthole_browsers", "Browsers that are connected", metrics.browsers.clone());
        registry.register("porthole_sessions", "Page leases by what happened to them", metrics.events.clone());
        registry.register(
            "porthole_cdp_read_bytes",
            "Bytes read from local browsers over their control pipes",
            metrics.cdp.bytes.clone(),
        );
        registry.register(
            "porthole_cdp_oversized_messages",
            "Messages of local browsers over their size cap, skipped unread",
            metrics.cdp.oversized.clone(),
        );
        registry.register(
            "porthole_cdp_floods",
            "Pages ended because they sent a local browser more events than one page may",
            metrics.cdp.floods.clone(),
        );
        registry.register("porthole_session_seconds", "Time of page leases, in seconds", metrics.seconds.clone());
        metrics
    }

    /// Records that a browser context or remote session was created, and that its page is in use.
    pub fn created(&self, page: PageUse) {
        self.events.get_or_create(&SessionEvent { event: "created" }).inc();
        self.pages.get_or_create(&page.state()).inc();
    }

    /// Records that the number of ready pages of one kind has changed.
    pub fn warm_changed(&self, before: usize, now: usize) {
        let count = |pages: usize| i64::try_from(pages).unwrap_or(i64::MAX);
        self.pages.get_or_create(&State { state: "warm" }).inc_by(count(now) - count(before));
    }

    /// Records that a created remote session is ready: its page is warm and not busy.
    pub fn session_waits(&self) {
        self.pages.get_or_create(&State { state: "busy" }).dec();
        self.pages.get_or_create(&State { state: "warm" }).inc();
        self.warm_sessions.inc();
    }

    /// Records that a ready remote session is used or given back.
    pub fn session_waits_no_longer(&self) {
        self.warm_sessions.dec();
        self.pages.get_or_create(&State { state: "warm" }).dec();
        self.pages.get_or_create(&State { state: "busy" }).inc();
    }

    /// Records that a browser context or remote session of this length has ended, and its page with it. `confirmed`
    /// says whether the browser has confirmed it; otherwise it counts as leaked.
    pub fn ended(&self, page: PageUse, length: Duration, confirmed: bool) {
        let event = if confirmed { "released" } else { "leaked" };
        self.events.get_or_create(&SessionEvent { event }).inc();
        self.pages.get_or_create(&page.state()).dec();
        self.seconds.inc_by(length.as_secs_f64());
    }

    /// Records that a session which a killed process had left behind was released.
    pub fn reaped(&self) {
        self.events.get_or_create(&SessionEvent { event: "reaped" }).inc();
    }

    /// Records that a local browser is being started.
    pub fn browser_starts(&self, reason: StartReason) {
        self.browser_starts.get_or_create(&Reason { reason: reason.name() }).inc();
    }

    /// Returns the meter of what is read from local browsers.
    pub(crate) fn cdp(&self) -> &Meter {
        &self.cdp
    }

    /// Records that a browser is connected.
    pub fn browser_started(&self) {
        self.browsers.inc();
    }

    /// Records that a browser is gone.
    pub fn browser_ended(&self) {
        self.browsers.dec();
    }

    fn event(&self, event: &'static str) -> u64 {
        self.events.get_or_create(&SessionEvent { event }).get()
    }

    fn state(&self, state: &'static str) -> u64 {
        self.pages.get_or_create(&State { state }).get().try_into().unwrap_or(0)
    }

    /// Returns the contract's `sessions`.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds of a process's life, never negative"
    )]
    pub fn sessions(&self) -> Sessions {
        Sessions {
            created: self.event("created"),
            released: self.event("released"),
            leaked: self.event("leaked"),
            seconds: self.seconds.get() as u64,
        }
    }

    /// Returns the contract's `pages`.
    #[must_use]
    pub fn pages(&self) -> Pages {
        Pages { busy: self.state("busy"), warm: self.state("warm"), queued: self.state("queued") }
    }

    /// Returns the contract's `browsers`.
    #[must_use]
    pub fn browsers(&self) -> u64 {
        self.browsers.get().try_into().unwrap_or(0)
    }
}

/// Agents' sessions. Clones share the counts.
#[derive(Clone, Debug)]
pub struct AgentMetrics {
    /// Their live views.
    pub live: LiveMetrics,
    open: Family<State, Gauge>,
    ended: Family<End, Counter>,
}

impl AgentMetrics {
    /// Registers the metrics; `ends` are the ways in which sessions end.
    pub fn register(registry: &mut Registry, ends: impl IntoIterator<Item = &'static str>) -> Self {
        let live = LiveMetrics::register(registry);
        let metrics = Self { live, open: Family::default(), ended: Family::default() };
        drop(metrics.open.get_or_create(&State { state: "open" }));
        for end in ends {
            drop(metrics.ended.get_or_create(&End { end }));
        }
        registry.register("porthole_agent_sessions", "Agents' sessions by state", metrics.open.clone());
        // OpenMetrics names a counter's family without `_total`: it can't be named like the gauge.
        registry.register(
            "porthole_agent_sessions_ended",
            "Agents' sessions that ended, by how",
            metrics.ended.clone(),
        );
        metrics
    }

    /// Records that a session began.
    pub fn began(&self) {
        self.open.get_or_create(&State { state: "open" }).inc();
    }

    /// Records that a session ended in this way.
    pub fn ended(&self, end: &'static str) {
        self.open.get_or_create(&State { state: "open" }).dec();
        self.ended.get_or_create(&End { end }).inc();
    }
}

/// What a leased page is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageUse {
    /// It is worked on as long as it is leased.
    Busy,
    /// It is held by a session, whether its agent acts or not.
    Held,
}

impl PageUse {
    fn state(self) -> State {
        State { state: if self == Self::Busy { "busy" } else { "held" } }
    }
}

/// A remote browser, counted as connected until this is dropped.
#[derive(Debug)]
pub struct ConnectedBrowser(LeaseMetrics);

impl ConnectedBrowser {
    /// Counts a browser as connected.
    #[must_use]
    pub fn count(metrics: &LeaseMetrics) -> Self {
        metrics.browser_started();
        Self(metrics.clone())
    }
}

impl Drop for ConnectedBrowser {
    fn drop(&mut self) {
        self.0.browser_ended();
    }
}

/// Waits in the queue.
#[derive(Clone, Debug)]
pub struct QueueMetrics {
    pages: Family<State, Gauge>,
    seconds: Histogram,
}

impl QueueMetrics {
    /// Registers the metrics; `sessions` has the gauge of pages, which both use.
    pub fn register(registry: &mut Registry, sessions: &LeaseMetrics) -> Self {
        let seconds = Histogram::new(QUEUE_BUCKETS_SECONDS);
        registry.register("porthole_queue_duration_seconds", "Waits for a permit, in seconds", seconds.clone());
        Self { pages: sessions.pages.clone(), seconds }
    }

    /// Records that a request waits.
    pub fn entered(&self) {
        self.pages.get_or_create(&State { state: "queued" }).inc();
    }

    /// Records that a request no longer waits.
    pub fn left(&self) {
        self.pages.get_or_create(&State { state: "queued" }).dec();
    }

    /// Records that a request got its permit after this wait.
    pub fn waited(&self, wait: Duration) {
        self.seconds.observe(wait.as_secs_f64());
    }
}

/// Registers `porthole_places` and `porthole_queue_limit`, the limits of busy pages and of the queue.
pub fn register_limits(registry: &mut Registry, permits: usize, queue_max: usize) {
    for (name, help, limit) in [
        ("porthole_places", "Pages that may be worked on at once", permits),
        ("porthole_queue_limit", "Requests that may wait for a permit", queue_max),
    ] {
        let gauge: Gauge = Gauge::default();
        gauge.set(limit.try_into().unwrap_or(i64::MAX));
        registry.register(name, help, gauge);
    }
}

/// Durations of the phases of visits that succeeded: `session`, `navigate`, `settle`, `capture`.
#[derive(Clone, Debug)]
pub struct PhaseMetrics(Family<Phase, Histogram, fn() -> Histogram>);

impl PhaseMetrics {
    /// Registers the metrics.
    pub fn register(registry: &mut Registry) -> Self {
        let seconds: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(PHASE_BUCKETS_SECONDS));
        for phase in ["session", "navigate", "settle", "capture"] {
            drop(seconds.get_or_create(&Phase { phase }));
        }
        registry.register("porthole_phase_duration_seconds", "Phases of visits, in seconds", seconds.clone());
        Self(seconds)
    }

    /// Records the duration of a phase that succeeded.
    pub fn ended(&self, phase: &'static str, lasted: Duration) {
        self.0.get_or_create(&Phase { phase }).observe(lasted.as_secs_f64());
    }
}

/// Targets that were refused, by reason.
#[derive(Clone, Debug, Default)]
pub struct BlockedMetrics {
    counts: Family<Reason, Counter>,
    reasons: Arc<std::sync::Mutex<BTreeMap<&'static str, u64>>>,
}

impl BlockedMetrics {
    /// Registers the metrics.
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register("porthole_blocked", "Refused targets by reason", metrics.counts.clone());
        metrics
    }

    /// Counts `count` refused targets.
    pub fn blocked(&self, reason: &'static str, count: u64) {
        self.counts.get_or_create(&Reason { reason }).inc_by(count);
        *self.lock().entry(reason).or_default() += count;
    }

    /// Returns the contract's `blocked`.
    #[must_use]
    pub fn snapshot(&self) -> BTreeMap<String, u64> {
        self.lock().iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, u64>> {
        self.reasons.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
