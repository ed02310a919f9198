//! Flags that all commands with a page share: the browser's window and what is waited for.

use clap::{Args, ValueEnum};
use porthole_client::{OnTimeout, Until, Viewport, Wait};
use porthole_contract::limits::WAIT_DELAY_MAX_MS;

use super::values::{parse_size, parse_timeout, parse_wait_timeout, range};

/// Flags for the browser window. Both operations share them; only the default differs.
#[derive(Args, Debug)]
pub(crate) struct WindowArgs {
    /// The browser window in CSS pixels, and the picture's pixels per CSS pixel, such as 1280x720 or
    /// 1280x720@2 [default: a phone's 390x844 for pictures, 1280x720 otherwise]
    #[arg(long, value_name = "WxH[@SCALE]", value_parser = parse_size)]
    viewport: Option<Viewport>,
    /// Emulate a mobile device
    #[arg(long)]
    mobile: bool,
}

impl WindowArgs {
    /// Returns the window that the flags ask for, if any.
    pub(crate) fn viewport(&self) -> Option<Viewport> {
        match self.viewport {
            Some(viewport) => Some(Viewport { mobile: self.mobile, ..viewport }),
            None => self.mobile.then_some(Viewport::PHONE),
        }
    }
}

/// What to wait for, and the time limits.
#[derive(Args, Debug)]
pub(crate) struct WaitArgs {
    /// The state of the page to wait for [default: settled]
    #[arg(long, value_name = "STATE", value_enum)]
    wait: Option<UntilArg>,
    /// Wait for an element too: the first that this CSS selector matches
    #[arg(long, value_name = "CSS")]
    wait_selector: Option<String>,
    /// The longest wait, such as 500ms or 10s; at most 30 s [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_wait_timeout)]
    wait_timeout: Option<u32>,
    /// Wait this much longer, in milliseconds; at most 10000
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(range(0, WAIT_DELAY_MAX_MS)))]
    delay: Option<u32>,
    /// What to do when the document has arrived but the page does not load in time
    #[arg(long, value_name = "WHAT", value_enum, default_value = "partial")]
    on_timeout: OnTimeoutArg,
    /// The time limit of the whole request in the service, such as 30s; from 1 s to 60 s [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_timeout)]
    pub(crate) timeout: Option<u32>,
}

impl WaitArgs {
    /// Returns the wait that the flags ask for, if any.
    pub(crate) fn wait(&self) -> Option<Wait> {
        let wait = Wait {
            until: self.wait.map(Until::from).unwrap_or_default(),
            timeout_ms: self.wait_timeout,
            selector: self.wait_selector.clone(),
            delay_ms: self.delay,
        };
        (self.wait.is_some() || wait != Wait::default()).then_some(wait)
    }

    /// Returns what to do with a page that does not load in time.
    pub(crate) fn on_timeout(&self) -> OnTimeout {
        match self.on_timeout {
            OnTimeoutArg::Partial => OnTimeout::Partial,
            OnTimeoutArg::Fail => OnTimeout::Fail,
        }
    }
}

/// A page's state on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum UntilArg {
    /// The page's final state: timers, animations, fetches and fonts have finished
    Settled,
    /// The document and its resources are loaded
    Load,
    /// The document is parsed
    #[value(name = "domcontentloaded")]
    DomContentLoaded,
    /// No request for 500 ms
    #[value(name = "networkidle")]
    NetworkIdle,
}

impl From<UntilArg> for Until {
    fn from(until: UntilArg) -> Self {
        match until {
            UntilArg::Settled => Until::Settled,
            UntilArg::Load => Until::Load,
            UntilArg::DomContentLoaded => Until::DomContentLoaded,
            UntilArg::NetworkIdle => Until::NetworkIdle,
        }
    }
}

/// `--on-timeout` on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnTimeoutArg {
    /// Use the page as it is, with a warning
    Partial,
    /// Fail with NAVIGATION_TIMEOUT
    Fail,
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::{Cli, Command, ScreenshotArgs};
    use super::*;

    fn screenshot(args: &[&str]) -> ScreenshotArgs {
        let line = ["porthole", "screenshot", "https://example.com"].into_iter().chain(args.iter().copied());
        match Cli::try_parse_from(line).unwrap().command {
            Command::Screenshot(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_flags_ask_for_no_window_and_no_wait() {
        let args = screenshot(&[]);
        assert_eq!((args.window.viewport(), args.wait.wait()), (None, None));
    }

    #[test]
    fn on_timeout_is_partial_by_default() {
        assert_eq!(screenshot(&[]).wait.on_timeout(), OnTimeout::Partial);
        assert_eq!(screenshot(&["--on-timeout", "fail"]).wait.on_timeout(), OnTimeout::Fail);
    }

    #[test]
    fn mobile_alone_means_a_phone_and_keeps_a_given_viewport() {
        assert_eq!(screenshot(&["--mobile"]).window.viewport(), Some(Viewport::PHONE));
        let seen = screenshot(&["--mobile", "--viewport", "800x600@2"]).window.viewport();
        assert_eq!(seen, Some(Viewport { width: 800, height: 600, device_scale_factor: 2.0, mobile: true }));
    }

    #[test]
    fn a_wait_is_asked_for_by_any_of_its_flags() {
        assert_eq!(screenshot(&["--wait", "settled"]).wait.wait(), Some(Wait::default()));
        let wait = screenshot(&["--wait-timeout", "10s", "--delay", "250"]).wait.wait().unwrap();
        assert_eq!((wait.timeout_ms, wait.delay_ms), (Some(10_000), Some(250)));
    }
}
