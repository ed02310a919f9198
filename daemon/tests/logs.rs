//! Events of libraries that use the `log` crate. A test binary of its own, since `log` has one global logger.

#![expect(clippy::unwrap_used, reason = "a step that fails is the test that fails")]

use std::io::Write;
use std::sync::{Arc, Mutex};

use porthole_daemon::logs::{Form, subscriber};
use tracing_subscriber::util::SubscriberInitExt as _;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn wire_libraries_are_quiet_below_info_through_the_log_crate_too() {
    let lines = Lines::default();
    let writer = lines.clone();
    subscriber("trace,tungstenite=trace", Form::Json, move || writer.clone()).unwrap().init();

    log::trace!(target: "tungstenite::protocol", "hidden frame");
    log::debug!(target: "rustls::client", "hidden hello");
    log::info!(target: "tungstenite", "a word at info");
    log::debug!(target: "elsewhere", "another crate's word");

    let output = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(!output.contains("hidden"), "{output}");
    assert!(output.contains("a word at info") && output.contains("another crate's word"), "{output}");
}
