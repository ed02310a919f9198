//! `porthole metrics`.

use std::fmt::Write as _;
use std::time::Duration;

use porthole_client::{Admin, BuildError, Metrics, OperationMetrics};
use porthole_contract::metrics::{Pages, Sessions};
use serde_json::Value;

use super::args::MetricsArgs;
use super::failure::Failed;
use super::objectives::{Objectives, error_rate, percent};
use super::output;
use super::progress::Progress;

const SERVICE_ADMIN_URL: &str = "http://127.0.0.1:9788";
const CLEAR_SCREEN: &str = "\u{1b}[H\u{1b}[2J";

pub(crate) async fn run(args: &MetricsArgs) -> Result<(), Failed> {
    let url = if args.service { SERVICE_ADMIN_URL } else { &args.admin_url };
    let admin = Admin::new(url).map_err(|error| match error {
        BuildError::Url(reason) => Failed::Usage(format!("invalid value '{url}' for '--admin-url <URL>': it {reason}")),
        other => Failed::io("start", std::io::Error::other(other)),
    })?;
    let progress = Progress::new();
    progress.show(&format!("asking {url}"));
    let first = admin.metrics().await;
    progress.done();
    let first = first.map_err(Failed::Metrics)?;
    show(&admin, &first, args)?;

    let Some(seconds) = args.watch else {
        return judged(
            admin.url(),
            &first,
            Objectives { max_p95_ms: args.max_p95, max_error_rate: args.max_error_rate },
        );
    };
    let mut ticks = tokio::time::interval(Duration::from_secs(seconds));
    ticks.tick().await;
    loop {
        ticks.tick().await;
        match admin.metrics().await {
            Ok(seen) => show(&admin, &seen, args)?,
            // Keep watching: a restarted process will answer again.
            Err(error) => output::note(&format!("{}: {error}", error.code())),
        }
    }
}

fn judged(url: &str, seen: &Value, objectives: Objectives) -> Result<(), Failed> {
    // An answer that can't be judged must not pass as within the limits.
    let metrics: Metrics = serde_json::from_value(seen.clone())
        .map_err(|error| Failed::Objective(format!("{url} answered, but with no metrics: {error}")))?;
    let operations = worst_first(&metrics).into_iter();
    let broken: Vec<String> = operations.flat_map(|(name, operation)| objectives.broken_by(name, operation)).collect();
    if broken.is_empty() { Ok(()) } else { Err(Failed::Objective(broken.join("\n"))) }
}

/// Sorts operations by error rate, then by p95 latency, highest first.
fn worst_first(metrics: &Metrics) -> Vec<(&str, &OperationMetrics)> {
    let mut operations: Vec<_> =
        metrics.operations.iter().map(|(name, operation)| (name.as_str(), operation)).collect();
    operations.sort_by(|(_, one), (_, other)| {
        let slowness = |operation: &OperationMetrics| (operation.latency_ms.p95, operation.count);
        error_rate(other).total_cmp(&error_rate(one)).then(slowness(other).cmp(&slowness(one)))
    });
    operations
}

fn show(admin: &Admin, seen: &Value, args: &MetricsArgs) -> Result<(), Failed> {
    if args.json {
        // While watching, one line per answer, so that the reader of the stream can separate them.
        return if args.watch.is_some() { output::text(&seen.to_string()) } else { output::json(seen) };
    }
    if args.watch.is_some() && output::is_terminal() {
        output::bytes(CLEAR_SCREEN.as_bytes())?;
    }
    output::text(&table(admin.url(), seen))
}

/// The column of operations' names: the one-shot ones fit.
const NAME_MIN_WIDTH: usize = 11;

/// What has been counted, for a person. What stands at nothing is left out: a worker has no pages.
fn table(url: &str, seen: &Value) -> String {
    let metrics: Metrics = serde_json::from_value(seen.clone()).unwrap_or_default();
    let mut text = format!("{url}, up {}\n\n", uptime(metrics.uptime_s));
    let mut operations = worst_first(&metrics);
    operations.retain(|(_, operation)| operation.count > 0);
    let width = operations.iter().map(|(name, _)| name.len() + 1).max().unwrap_or_default().max(NAME_MIN_WIDTH);
    let _ = writeln!(
        text,
        "{:<width$}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "", "count", "ok", "failed", "errors", "p50 ms", "p95 ms", "p99 ms", "min ms", "max ms"
    );
    for (name, operation) in &operations {
        let latency = operation.latency_ms;
        let failed = operation.count.saturating_sub(operation.ok);
        let errors = percent(error_rate(operation));
        let _ = writeln!(
            text,
            "{name:<width$}{:>9}{:>9}{failed:>9}{errors:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
            operation.count, operation.ok, latency.p50, latency.p95, latency.p99, latency.min, latency.max
        );
    }
    for (name, operation) in &operations {
        let mut codes: Vec<_> = operation.errors_by_code.iter().collect();
        codes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (code, count) in codes {
            let _ = writeln!(text, "  {name} {code} {count}");
        }
    }
    text.push('\n');
    if metrics.browsers > 0 || metrics.pages != Pages::default() {
        let pages = metrics.pages;
        let _ = writeln!(
            text,
            "browsers {}, pages busy {} warm {} queued {}",
            metrics.browsers, pages.busy, pages.warm, pages.queued
        );
    }
    if metrics.sessions != Sessions::default() {
        let sessions = metrics.sessions;
        let _ = writeln!(
            text,
            "sessions created {} released {} leaked {}, {} s in all",
            sessions.created, sessions.released, sessions.leaked, sessions.seconds
        );
    }
    if !metrics.blocked.is_empty() {
        let reasons: Vec<_> = metrics.blocked.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let _ = writeln!(text, "blocked {}", reasons.join(", "));
    }
    if metrics.bytes_out > 0 {
        let _ = writeln!(text, "bytes out {}", metrics.bytes_out);
    }
    text.trim_end().to_owned()
}

fn uptime(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_shows_what_was_counted() {
        let seen = json!({"operations": {"screenshot": {"count": 3, "ok": 2, "errors_by_code": {"INTERNAL": 1}}},
            "uptime_s": 7_380, "bytes_out": 12, "novelty": 1});
        let text = table("http://a", &seen);
        assert!(text.starts_with("http://a, up 2 h 3 min\n"), "{text}");
        assert!(text.contains("screenshot         3        2        1"), "{text}");
        assert!(text.contains("  screenshot INTERNAL 1\n") && text.ends_with("bytes out 12"), "{text}");
        assert!(!text.contains("sessions"), "{text}");
    }

    #[test]
    fn a_long_name_widens_its_column_and_what_was_never_asked_for_is_left_out() {
        let seen = json!({"operations": {"session_screenshot": {"count": 3, "ok": 3}, "session_click": {"count": 0}}});
        let text = table("http://a", &seen);
        assert!(text.contains("session_screenshot         3        3        0"), "{text}");
        assert!(!text.contains("session_click"), "{text}");
    }

    #[test]
    fn uptimes_are_told_in_their_two_largest_units() {
        for (seconds, expected) in [(59, "59 s"), (60, "1 min"), (3_600, "1 h 0 min"), (90_000, "1 d 1 h")] {
            assert_eq!(uptime(seconds), expected);
        }
    }
}
