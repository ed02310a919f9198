//! Metrics as text: OpenMetrics 1.0.0 as the library writes it, and Prometheus' format 0.0.4 converted from that.

use std::fmt::{self, Write as _};

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

const OPENMETRICS: &str = "application/openmetrics-text";

/// A text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Prometheus' text format, which every scraper reads.
    Prometheus,
    /// OpenMetrics, its successor.
    OpenMetrics,
}

impl Format {
    /// Returns `OpenMetrics` if the `Accept` header names it and does not prefer plain text.
    #[must_use]
    pub(crate) fn preferred(accept: &str) -> Self {
        let best = |wanted: &str| {
            let quality = |range: &str| {
                let mut parts = range.split(';').map(str::trim);
                let named = parts.next()?.eq_ignore_ascii_case(wanted);
                let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
                named.then_some(quality)
            };
            accept.split(',').filter_map(quality).fold(0.0, f32::max)
        };
        let open = best(OPENMETRICS);
        if open > 0.0 && open >= best("text/plain") { Format::OpenMetrics } else { Format::Prometheus }
    }

    /// Returns the content type.
    #[must_use]
    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Format::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Format::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// Writes the registry's metrics.
///
/// # Errors
/// When a metric can't be encoded.
pub(crate) fn write(registry: &Registry, format: Format) -> Result<String, fmt::Error> {
    let mut text = String::new();
    encode(&mut text, registry)?;
    match format {
        Format::OpenMetrics => Ok(text),
        Format::Prometheus => prometheus(&text),
    }
}

/// Converts to Prometheus' format: families of counters and infos are named like their samples, there are fewer types,
/// and no units, exemplars or end mark. The library writes a family's HELP directly before its TYPE.
fn prometheus(openmetrics: &str) -> Result<String, fmt::Error> {
    let mut text = String::with_capacity(openmetrics.len());
    let mut help = None;
    for line in openmetrics.lines() {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next().unwrap_or_default()) {
            (Some("#"), Some("HELP"), Some(name), text) => help = Some((name, text)),
            (Some("#"), Some("TYPE"), Some(name), kind) => {
                let suffix = match kind {
                    "counter" => "_total",
                    "info" => "_info",
                    _ => "",
                };
                let kind = match kind {
                    "counter" | "gauge" | "histogram" | "summary" => kind,
                    "info" | "stateset" => "gauge",
                    _ => "untyped",
                };
                if let Some((_, help)) = help.take().filter(|(helped, _)| *helped == name) {
                    writeln!(text, "# HELP {name}{suffix} {help}")?;
                }
                writeln!(text, "# TYPE {name}{suffix} {kind}")?;
            }
            (Some("#"), ..) => {}
            _ => writeln!(text, "{}", without_exemplar(line))?,
        }
    }
    Ok(text)
}

/// Removes the exemplar, which follows the first ` #` outside of label values.
fn without_exemplar(sample: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    for (at, character) in sample.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '#' if !quoted => return sample[..at].trim_end(),
            _ => {}
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use prometheus_client::metrics::counter::Counter;
    use prometheus_client::metrics::family::Family;
    use prometheus_client::metrics::gauge::Gauge;
    use prometheus_client::metrics::histogram::Histogram;
    use prometheus_client::metrics::info::Info;
    use prometheus_client::registry::Unit;

    use super::*;

    fn registry() -> Registry {
        let mut registry = Registry::default();
        let labelled = Family::<Vec<(String, String)>, Counter>::default();
        labelled.get_or_create(&vec![("reason".to_owned(), "a \"b\" # c\\".to_owned())]).inc();
        registry.register("porthole_blocked", "Refused targets", labelled);
        registry.register_with_unit("porthole_session", "Sessions' time", Unit::Seconds, Counter::<u64>::default());
        registry.register("porthole_pages", "Pages", Gauge::<i64>::default());
        let histogram = Histogram::new([0.5]);
        histogram.observe(0.25);
        registry.register("porthole_queue_duration_seconds", "Waiting", histogram);
        registry.register("porthole_build", "Build", Info::new(vec![("version", "1")]));
        registry
    }

    #[test]
    fn prometheus_text_has_the_format_0_0_4() {
        assert_eq!(
            write(&registry(), Format::Prometheus).unwrap(),
            r##"# HELP porthole_blocked_total Refused targets.
# TYPE porthole_blocked_total counter
porthole_blocked_total{reason="a \"b\" # c\\"} 1
# HELP porthole_session_seconds_total Sessions' time.
# TYPE porthole_session_seconds_total counter
porthole_session_seconds_total 0
# HELP porthole_pages Pages.
# TYPE porthole_pages gauge
porthole_pages 0
# HELP porthole_queue_duration_seconds Waiting.
# TYPE porthole_queue_duration_seconds histogram
porthole_queue_duration_seconds_sum 0.25
porthole_queue_duration_seconds_count 1
porthole_queue_duration_seconds_bucket{le="0.5"} 1
porthole_queue_duration_seconds_bucket{le="+Inf"} 1
# HELP porthole_build_info Build.
# TYPE porthole_build_info gauge
porthole_build_info{version="1"} 1
"##
        );
    }

    #[test]
    fn openmetrics_text_ends_with_its_end_mark() {
        let text = write(&registry(), Format::OpenMetrics).unwrap();
        assert!(text.contains("# TYPE porthole_blocked counter\n") && text.ends_with("# EOF\n"), "{text}");
    }

    #[test]
    fn exemplars_are_removed() {
        assert_eq!(
            without_exemplar(r##"a_bucket{le="1",x="#"} 3 # {trace="t"} 0.5"##),
            r##"a_bucket{le="1",x="#"} 3"##
        );
    }

    #[test]
    fn the_accept_header_selects_the_format() {
        for (accept, expected) in [
            ("", Format::Prometheus),
            ("*/*", Format::Prometheus),
            ("text/plain;version=0.0.4", Format::Prometheus),
            ("application/openmetrics-text; version=1.0.0", Format::OpenMetrics),
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1",
                Format::OpenMetrics,
            ),
            ("application/openmetrics-text;q=0.3,text/plain", Format::Prometheus),
            ("application/openmetrics-text;q=0", Format::Prometheus),
        ] {
            assert_eq!(Format::preferred(accept), expected, "{accept}");
        }
    }
}
