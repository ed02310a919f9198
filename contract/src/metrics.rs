//! The metrics' JSON shape, `/api/metrics`, and the counters that fill its `operations`.
//!
//! Service, worker and client count in the same shape; none of this reads a clock.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::ErrorCode;
use crate::routes;

/// Builds [`Operation`] and its table in one place, so that no operation can lack a column.
macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $variant:ident, $name:literal, $route:path;)+) => {
        /// A thing that callers ask for, as metrics name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Operation {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl Operation {
            /// Every operation.
            pub const ALL: [Operation; [$($name),+].len()] = [$(Operation::$variant),+];

            /// Its name in labels and logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Operation::$variant => $name),+ }
            }

            /// Its route, without the worker's prefix.
            #[must_use]
            pub const fn route(self) -> &'static str {
                match self { $(Operation::$variant => $route),+ }
            }

            /// The operation of one of the service's routes.
            #[must_use]
            pub fn of_route(route: &str) -> Option<Operation> {
                match route { $($route => Some(Operation::$variant),)+ _ => None }
            }
        }
    };
}

operations! {
    /// `POST browser-screenshot`.
    Screenshot, "screenshot", routes::SCREENSHOT;
    /// `POST browser-extract`.
    Extract, "extract", routes::EXTRACT;
    /// `POST create`.
    Create, "create", routes::CREATE;
    /// `POST session/open`.
    SessionOpen, "session_open", routes::session::OPEN;
    /// `POST session/navigate`.
    SessionNavigate, "session_navigate", routes::session::NAVIGATE;
    /// `POST session/snapshot`.
    SessionSnapshot, "session_snapshot", routes::session::SNAPSHOT;
    /// `POST session/click`.
    SessionClick, "session_click", routes::session::CLICK;
    /// `POST session/type`.
    SessionType, "session_type", routes::session::TYPE;
    /// `POST session/press`.
    SessionPress, "session_press", routes::session::PRESS;
    /// `POST session/hover`.
    SessionHover, "session_hover", routes::session::HOVER;
    /// `POST session/select`.
    SessionSelect, "session_select", routes::session::SELECT;
    /// `POST session/check`.
    SessionCheck, "session_check", routes::session::CHECK;
    /// `POST session/drag`.
    SessionDrag, "session_drag", routes::session::DRAG;
    /// `POST session/scroll`.
    SessionScroll, "session_scroll", routes::session::SCROLL;
    /// `POST session/upload`.
    SessionUpload, "session_upload", routes::session::UPLOAD;
    /// `POST session/wait`.
    SessionWait, "session_wait", routes::session::WAIT;
    /// `POST session/interact`.
    SessionInteract, "session_interact", routes::session::INTERACT;
    /// `POST session/screenshot`.
    SessionScreenshot, "session_screenshot", routes::session::SCREENSHOT;
    /// `POST session/extract`.
    SessionExtract, "session_extract", routes::session::EXTRACT;
    /// `POST session/dialog`.
    SessionDialog, "session_dialog", routes::session::DIALOG;
    /// `POST session/tabs`.
    SessionTabs, "session_tabs", routes::session::TABS;
    /// `POST session/files`.
    SessionFiles, "session_files", routes::session::FILES;
    /// `POST session/state`.
    SessionState, "session_state", routes::session::STATE;
    /// `POST session/status`.
    SessionStatus, "session_status", routes::session::STATUS;
    /// `POST session/viewer`.
    SessionViewer, "session_viewer", routes::session::VIEWER;
    /// `POST session/close`.
    SessionClose, "session_close", routes::session::CLOSE;
    /// `GET tools`.
    Tools, "tools", routes::TOOLS;
    /// `POST tools/run`.
    ToolsRun, "tools_run", routes::TOOLS_RUN;
    /// `POST tools/intent`.
    ToolsIntent, "tools_intent", routes::TOOLS_INTENT;
}

/// `/api/metrics`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Metrics {
    /// Counts and latencies by operation name.
    pub operations: BTreeMap<String, OperationMetrics>,
    /// Browsers that are connected.
    pub browsers: u64,
    /// Pages by state.
    pub pages: Pages,
    /// Browser sessions.
    pub sessions: Sessions,
    /// Refused targets by reason.
    pub blocked: BTreeMap<String, u64>,
    /// Bytes of answers sent.
    pub bytes_out: u64,
    /// Time since the process started, in seconds.
    pub uptime_s: u64,
}

/// One operation's counts and latencies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct OperationMetrics {
    /// Requests that ended.
    pub count: u64,
    /// Those that succeeded.
    pub ok: u64,
    /// Those that failed, by code.
    pub errors_by_code: BTreeMap<String, u64>,
    /// Attempts that were retries (counted by the client).
    pub retries: u64,
    /// Latencies of all requests that ended.
    pub latency_ms: Latency,
}

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Latency {
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// Sum.
    pub total: u64,
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
}

/// Pages by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Pages {
    /// Held by a request, until the browser confirms that the page is gone.
    pub busy: u64,
    /// Blank and ready.
    pub warm: u64,
    /// Requests waiting for a permit.
    pub queued: u64,
}

/// Browser sessions since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Sessions {
    /// Started.
    pub created: u64,
    /// Released, and confirmed as released.
    pub released: u64,
    /// Abandoned: their release was never confirmed.
    pub leaked: u64,
    /// Total time of all sessions, in whole seconds.
    pub seconds: u64,
}

/// Counts one operation's requests; [`OperationMetrics`] is its snapshot.
#[derive(Clone, Debug)]
pub struct OperationStats {
    ok: u64,
    errors: BTreeMap<String, u64>,
    retries: u64,
    total_ms: u64,
    latency_ms: Histogram<u64>,
}

/// Latencies beyond ten minutes count as ten minutes: no request may take that long.
const LATENCY_MAX_MS: u64 = 600_000;

impl Default for OperationStats {
    fn default() -> Self {
        // Two significant digits: percentiles within 1 %, in a few kilobytes.
        let latency_ms = Histogram::new_with_max(LATENCY_MAX_MS, 2).expect("the histogram's bounds are valid");
        Self { ok: 0, errors: BTreeMap::new(), retries: 0, total_ms: 0, latency_ms }
    }
}

impl OperationStats {
    /// Counts a request that ended after `latency_ms`, with its error code if it failed.
    pub fn record(&mut self, failed_with: Option<ErrorCode>, latency_ms: u64) {
        match failed_with {
            None => self.ok += 1,
            Some(code) => *self.errors.entry(code.name().to_owned()).or_default() += 1,
        }
        self.total_ms = self.total_ms.saturating_add(latency_ms);
        self.latency_ms.saturating_record(latency_ms);
    }

    /// Counts a retry.
    pub fn record_retry(&mut self) {
        self.retries += 1;
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn snapshot(&self) -> OperationMetrics {
        let latency_ms = if self.latency_ms.is_empty() {
            Latency::default()
        } else {
            // A quantile is the upper end of its bucket, so it is capped at the longest latency seen.
            let longest = self.latency_ms.max();
            let quantile = |q| self.latency_ms.value_at_quantile(q).min(longest);
            Latency {
                min: self.latency_ms.min(),
                max: longest,
                total: self.total_ms,
                p50: quantile(0.5),
                p95: quantile(0.95),
                p99: quantile(0.99),
            }
        };
        OperationMetrics {
            count: self.latency_ms.len(),
            ok: self.ok,
            errors_by_code: self.errors.clone(),
            retries: self.retries,
            latency_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_route_has_an_operation_of_its_name() {
        for route in routes::session::ALL {
            let operation = Operation::of_route(route).unwrap();
            assert_eq!(operation.name(), route.trim_start_matches('/').replace('/', "_"));
            assert_eq!(serde_json::to_value(operation).unwrap(), operation.name());
        }
        assert_eq!(Operation::of_route("/session/fly"), None);
    }

    #[test]
    fn counts_and_percentiles_add_up() {
        let mut stats = OperationStats::default();
        assert_eq!(stats.snapshot(), OperationMetrics::default());
        for latency_ms in 1..=100 {
            stats.record(None, latency_ms);
        }
        stats.record(Some(ErrorCode::BlockedTarget), 200);
        let seen = stats.snapshot();
        assert_eq!((seen.count, seen.ok, seen.errors_by_code["BLOCKED_TARGET"]), (101, 100, 1));
        assert_eq!((seen.latency_ms.min, seen.latency_ms.p50, seen.latency_ms.total), (1, 51, 5250));
        assert!(seen.latency_ms.p95 <= seen.latency_ms.p99 && seen.latency_ms.p99 <= seen.latency_ms.max);
    }
}
