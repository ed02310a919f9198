//! Progress on standard error: a spinner on a terminal, nothing in a pipe. Retries and warnings appear in both.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use porthole_client::Retry;
use porthole_contract::limits::RETRIES_MAX;

use super::output;

const SPINNER_TICK: Duration = Duration::from_millis(100);

/// A spinner. Clones share it; it is removed with the last one.
#[derive(Clone)]
pub(crate) struct Progress {
    spinner: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let spinner = io::stderr().is_terminal().then(|| {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(ProgressStyle::default_spinner())
        });
        Self { spinner }
    }

    /// Shows the current activity.
    pub(crate) fn show(&self, doing: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(output::printable(doing));
            spinner.enable_steady_tick(SPINNER_TICK);
        }
    }

    /// Writes a line that stays, on a terminal and in a pipe.
    pub(crate) fn note(&self, line: &str) {
        match &self.spinner {
            Some(spinner) => spinner.suspend(|| output::note(line)),
            None => output::note(line),
        }
    }

    /// Writes a line on a terminal only.
    pub(crate) fn remark(&self, line: &str) {
        if self.spinner.is_some() {
            self.note(&output::printable(line));
        }
    }

    /// Reports a retry.
    pub(crate) fn retry(&self, retry: &Retry<'_>) {
        let line = format!(
            "{}: {} (retry {} of {RETRIES_MAX} in {:.1} s)",
            retry.error.code(),
            retry.error.sentence(),
            retry.number,
            retry.wait.as_secs_f64()
        );
        self.note(&output::printable(&line));
    }

    /// Removes the spinner.
    pub(crate) fn done(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}
