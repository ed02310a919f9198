//! The limits of `porthole metrics`, for cron jobs: which operations are over them.

use porthole_client::{ErrorCode, OperationMetrics};

/// The given limits; `None` means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Objectives {
    /// In milliseconds.
    pub(crate) max_p95_ms: Option<u32>,
    /// A share of all requests, 0 to 1.
    pub(crate) max_error_rate: Option<f64>,
}

impl Objectives {
    /// Returns a sentence for each limit that the operation is over.
    pub(crate) fn broken_by(self, name: &str, operation: &OperationMetrics) -> Vec<String> {
        let mut broken = Vec::new();
        let p95 = operation.latency_ms.p95;
        if let Some(max) = self.max_p95_ms.filter(|max| p95 > u64::from(*max)) {
            broken.push(format!("{name}: p95 is {p95} ms, over {max} ms"));
        }
        let rate = error_rate(operation);
        if let Some(max) = self.max_error_rate.filter(|max| rate > *max) {
            let (errors, count) = (errors(operation), operation.count);
            broken.push(format!(
                "{name}: {} of requests were errors ({errors} of {count}), over {}",
                percent(rate),
                percent(max)
            ));
        }
        broken
    }
}

/// Counts the failures that are the operator's concern. Codes unknown to this version count.
pub(crate) fn errors(operation: &OperationMetrics) -> u64 {
    let concern = |code: &str| ErrorCode::from_name(code).is_none_or(ErrorCode::operators_concern);
    operation.errors_by_code.iter().filter(|(code, _)| concern(code)).map(|(_, count)| count).sum()
}

/// Returns the share of errors among all requests, 0 to 1; 0 without requests.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more digits than a float has")]
pub(crate) fn error_rate(operation: &OperationMetrics) -> f64 {
    if operation.count == 0 { 0.0 } else { errors(operation) as f64 / operation.count as f64 }
}

/// Formats a share as a percentage: at most two decimals, without trailing zeros.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn operation(count: u64, errors_by_code: &serde_json::Value, p95: u64) -> OperationMetrics {
        let metrics = json!({"count": count, "errors_by_code": errors_by_code, "latency_ms": {"p95": p95}});
        serde_json::from_value(metrics).unwrap()
    }

    #[test]
    fn failures_of_callers_and_pages_are_not_errors() {
        let counted = json!({"INVALID_REQUEST": 40, "NAVIGATION_FAILED": 9, "INTERNAL": 2, "OVERLOADED": 1, "NEW": 1});
        let seen = operation(400, &counted, 0);
        assert_eq!(errors(&seen), 4);
        let within = |max_error_rate| Objectives { max_error_rate: Some(max_error_rate), max_p95_ms: None };
        assert!(within(0.01).broken_by("extract", &seen).is_empty());
        let broken = within(0.005).broken_by("extract", &seen);
        assert_eq!(broken, ["extract: 1% of requests were errors (4 of 400), over 0.5%"]);
    }

    #[test]
    fn a_limit_may_be_reached_but_not_exceeded() {
        let within = |max| Objectives { max_p95_ms: Some(max), max_error_rate: None };
        let seen = operation(3, &json!({}), 2_000);
        assert!(within(2_000).broken_by("screenshot", &seen).is_empty());
        assert_eq!(within(1_999).broken_by("screenshot", &seen), ["screenshot: p95 is 2000 ms, over 1999 ms"]);
    }

    #[test]
    fn an_operation_without_requests_is_within_every_limit() {
        let strict = Objectives { max_p95_ms: Some(0), max_error_rate: Some(0.0) };
        assert!(strict.broken_by("create", &OperationMetrics::default()).is_empty());
    }
}
