//! `metrics`.

use clap::Args;

use super::values::{parse_millis, parse_percent};

/// Show the counts of the worker or the service since its start, sorted by error rate, then by p95 latency.
///
/// The admin listeners serve metrics, the worker's public address does not: PORTHOLE_URL is not used.
///
/// With --max-p95 or --max-error-rate the exit code is 1 when an operation is over the limit or the listener does not
/// answer; standard error says which and why. An operation without requests is within every limit. A failed request
/// counts as an error when the operator has to look into it: OVERLOADED, SHUTTING_DOWN, BROWSERBASE_NOT_CONFIGURED,
/// SESSION_CREATE_FAILED, SESSION_LOST, CDP_ATTACH_FAILED, PROVIDER_RATE_LIMITED, BROWSER_CRASHED, DEADLINE_EXCEEDED,
/// SERVICE_UNAVAILABLE, SERVICE_TIMEOUT, INTERNAL, and codes that this version does not know. Mistakes of the caller
/// (INVALID_REQUEST, UNAUTHORIZED, RATE_LIMITED and such) and failures of the visited page (NAVIGATION_FAILED,
/// NAVIGATION_TIMEOUT, SELECTOR_NOT_FOUND, EMPTY_EXTRACTION, IMAGE_TOO_LARGE) count as failures but not as errors.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole metrics                    the worker's
  porthole metrics --service --watch  the service's, every 2 seconds
  porthole metrics --json | jq .operations.screenshot.latency_ms.p95
  porthole metrics --max-p95 2s --max-error-rate 1% > /dev/null || mail-the-operator")]
pub(crate) struct MetricsArgs {
    /// The admin listener to ask
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:9787", conflicts_with = "service")]
    pub(crate) admin_url: String,
    /// Ask the service's admin listener instead: http://127.0.0.1:9788
    #[arg(long)]
    pub(crate) service: bool,
    /// Ask again at this interval, in seconds, until Ctrl-C
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "2",
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) watch: Option<u64>,
    /// Print the answer as JSON; with --watch one line each time
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with 1 when the p95 latency of an operation is over this time, such as 2s or 800ms
    #[arg(long, value_name = "TIME", value_parser = parse_millis, conflicts_with = "watch")]
    pub(crate) max_p95: Option<u32>,
    /// Exit with 1 when more than this share of an operation's requests were errors, such as 1%
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, conflicts_with = "watch")]
    pub(crate) max_error_rate: Option<f64>,
}
