//! Metrics of the live view.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::labels::{Outcome, Reason};

/// Buckets of the time from input to the next frame, in seconds: a frame takes 17 ms, a slow page a second.
const INPUT_BUCKETS_SECONDS: [f64; 9] = [0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.2, 0.5, 1.0];
const SENT: &str = "sent";
const DROPPED: &str = "dropped";
/// Why messages of viewers are ignored.
const IGNORED: [&str; 6] = ["malformed", "unknown", "role", "control", "rate", "moot"];

/// Viewers, their frames and their input. Clones share the counts.
#[derive(Clone, Debug)]
pub struct LiveMetrics {
    viewers: Gauge,
    frames: Family<Outcome, Counter>,
    bytes: Counter,
    input: Counter,
    input_seconds: Histogram,
    ignored: Family<Reason, Counter>,
}

impl LiveMetrics {
    /// Registers the metrics.
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            viewers: Gauge::default(),
            frames: Family::default(),
            bytes: Counter::default(),
            input: Counter::default(),
            input_seconds: Histogram::new(INPUT_BUCKETS_SECONDS),
            ignored: Family::default(),
        };
        for outcome in [SENT, DROPPED] {
            drop(metrics.frames.get_or_create(&Outcome { outcome }));
        }
        for reason in IGNORED {
            drop(metrics.ignored.get_or_create(&Reason { reason }));
        }
        registry.register("porthole_live_viewers", "Viewers that are connected", metrics.viewers.clone());
        registry.register(
            "porthole_live_frames",
            "Frames for viewers by outcome: a viewer that can't take a frame in time gets a later one",
            metrics.frames.clone(),
        );
        registry.register("porthole_live_bytes", "Bytes of frames sent to viewers", metrics.bytes.clone());
        registry.register("porthole_live_input", "Input events of viewers that were acted on", metrics.input.clone());
        registry.register(
            "porthole_live_input_seconds",
            "From a viewer's input to the next frame sent to it",
            metrics.input_seconds.clone(),
        );
        registry.register(
            "porthole_live_ignored",
            "Messages of viewers that were ignored, by reason",
            metrics.ignored.clone(),
        );
        metrics
    }

    /// A viewer has joined.
    pub fn joined(&self) {
        self.viewers.inc();
    }

    /// A viewer has left.
    pub fn left(&self) {
        self.viewers.dec();
    }

    /// A frame of this many bytes was sent.
    pub fn sent(&self, bytes: usize) {
        self.frames.get_or_create(&Outcome { outcome: SENT }).inc();
        self.bytes.inc_by(bytes as u64);
    }

    /// A viewer got later frames in place of this many.
    pub fn dropped(&self, count: u64) {
        self.frames.get_or_create(&Outcome { outcome: DROPPED }).inc_by(count);
    }

    /// An input event was acted on.
    pub fn input(&self) {
        self.input.inc();
    }

    /// A frame was sent this long after the input before it.
    pub fn shown_after(&self, took: Duration) {
        self.input_seconds.observe(took.as_secs_f64());
    }

    /// A message was ignored.
    pub fn ignored(&self, reason: &'static str) {
        self.ignored.get_or_create(&Reason { reason }).inc();
    }
}
