//! Metrics of every process, read at each scrape: its build, its drain, and its use of the machine.
//!
//! `process_*` have the names and meanings of Prometheus' own client libraries. They are read from `/proc`, and left
//! out on systems without it.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use tokio_util::sync::CancellationToken;

/// Ticks a second in `/proc/*/stat`: `USER_HZ`, which Linux keeps at 100 for all programs (`man 5 proc`).
const TICKS_A_SECOND: f64 = 100.0;

/// Registers `porthole_build_info`, `porthole_draining` and `process_*`. `draining` is cancelled when the drain begins.
pub fn register(registry: &mut Registry, version: &'static str, draining: CancellationToken) {
    registry.register("porthole_build", "The version of this process", Info::new(vec![("version", version)]));
    registry.register_collector(Box::new(Own { draining }));
}

#[derive(Debug)]
struct Own {
    draining: CancellationToken,
}

impl Collector for Own {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut write = |name: &str, help: &str, metric: &dyn Encodes| {
            metric.encode_into(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
        };
        let draining = ConstGauge::new(i64::from(self.draining.is_cancelled()));
        write("porthole_draining", "1 if the process is draining and accepts no new requests, else 0", &draining)?;
        let used = Used::read();
        if let Some(seconds) = used.cpu_seconds {
            write("process_cpu_seconds", "Processor time used, in seconds", &ConstCounter::new(seconds))?;
        }
        if let Some(seconds) = used.started_at {
            let help = "When the process started, in seconds since 1970";
            write("process_start_time_seconds", help, &ConstGauge::new(seconds))?;
        }
        for (name, help, value) in [
            ("process_resident_memory_bytes", "Resident memory, in bytes, without the browsers'", used.resident),
            ("process_virtual_memory_bytes", "Virtual memory, in bytes", used.virtual_memory),
            ("process_open_fds", "Open file descriptors", used.open_files),
            ("process_max_fds", "File descriptors that may be open", used.open_files_max),
            ("process_threads", "Threads", used.threads),
        ] {
            if let Some(value) = value {
                write(name, help, &ConstGauge::new(value))?;
            }
        }
        Ok(())
    }
}

/// An object-safe form of [`EncodeMetric`].
trait Encodes {
    fn metric_type(&self) -> prometheus_client::metrics::MetricType;
    fn encode_into(&self, encoder: MetricEncoder<'_>) -> Result<(), fmt::Error>;
}

impl<T: EncodeMetric> Encodes for T {
    fn metric_type(&self) -> prometheus_client::metrics::MetricType {
        EncodeMetric::metric_type(self)
    }

    fn encode_into(&self, encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        self.encode(encoder)
    }
}

/// The process's current use; `None` for values that the system does not report.
#[derive(Debug, Default, PartialEq)]
struct Used {
    cpu_seconds: Option<f64>,
    started_at: Option<f64>,
    resident: Option<u64>,
    virtual_memory: Option<u64>,
    open_files: Option<u64>,
    open_files_max: Option<u64>,
    threads: Option<u64>,
}

impl Used {
    fn read() -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let mut used = Self::of(
            &text("/proc/self/stat"),
            &text("/proc/self/status"),
            &text("/proc/self/limits"),
            &text("/proc/stat"),
        );
        // One of them is the descriptor of the folder being read.
        used.open_files = fs::read_dir("/proc/self/fd").ok().map(|entries| (entries.count() as u64).saturating_sub(1));
        used
    }

    fn of(stat: &str, status: &str, limits: &str, system: &str) -> Self {
        // The second field is the program's name and may contain anything, brackets included: fields are counted from
        // its end.
        let fields: Vec<&str> = stat.rsplit_once(')').map_or_else(Vec::new, |(_, rest)| rest.split(' ').collect());
        // Fields 14, 15 and 22 of `man 5 proc`; index 0, empty text after the bracket, stands for field 2.
        let ticks = |number: usize| fields.get(number - 2).and_then(|field| field.parse::<f64>().ok());
        let kilobytes = |name| word_after(status, name).map(|kilobytes| kilobytes * 1024);
        let booted_at = word_after(system, "btime ");
        #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are exact for a long time to come")]
        let since_boot = |ticks: f64| Some(booted_at? as f64 + ticks / TICKS_A_SECOND);
        Self {
            cpu_seconds: ticks(14).zip(ticks(15)).map(|(user, system)| (user + system) / TICKS_A_SECOND),
            started_at: ticks(22).and_then(since_boot),
            resident: kilobytes("VmRSS:"),
            virtual_memory: kilobytes("VmSize:"),
            open_files: None,
            open_files_max: word_after(limits, "Max open files"),
            threads: word_after(status, "Threads:"),
        }
    }
}

/// Returns the integer after `name` on the line that begins with it.
fn word_after(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_proc_are_parsed() {
        let stat = "7 (a) name) S 1 7 7 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 12 0 1200 99 88 18446744073709551615";
        let status = "Name:\ta) name\nVmSize:\t    2048 kB\nVmRSS:\t    1024 kB\nThreads:\t12\n";
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024    4096    files\n";
        assert_eq!(
            Used::of(stat, status, limits, "cpu 1 2\nbtime 1700000000\n"),
            Used {
                cpu_seconds: Some(3.0),
                started_at: Some(1_700_000_012.0),
                resident: Some(1024 * 1024),
                virtual_memory: Some(2048 * 1024),
                open_files: None,
                open_files_max: Some(1024),
                threads: Some(12),
            }
        );
        assert_eq!(Used::of("", "", "Max open files unlimited", ""), Used::default());
    }

    #[test]
    fn this_process_has_values() {
        let used = Used::read();
        assert!(used.open_files.is_some_and(|open| open >= 3), "{used:?}");
        assert!(used.resident.is_some_and(|bytes| bytes > 1024 * 1024), "{used:?}");
        assert!(used.started_at.is_some_and(|at| at > 1.7e9), "{used:?}");
    }
}
