//! The command line: commands, their flags and their help texts. `values` parses the flags' values.

pub(crate) mod session;
pub(crate) mod target;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use porthole_client::{ImageFormat, OnTimeout, Until, Viewport, Wait};

use self::session::SessionCommand;
use self::values::{parse_bytes, parse_millis, parse_percent, parse_seconds, parse_size};

const SETTINGS_HELP: &str = "\
Settings (environment):
  PORTHOLE_URL       where the worker is [default: http://127.0.0.1:8787]
  PORTHOLE_KEY       the client key, if the worker requires one; or PORTHOLE_KEY_FILE, a path
  PORTHOLE_LOG       the log filter for standard error, such as porthole_client=debug
  XDG_CONFIG_HOME    the directory for saved sandboxes, sessions and keys [default: ~/.config]

Exit codes: 0 done, 1 the request failed, 2 wrong usage, 64 a wrong setting.";

const EXAMPLES: &str = "\
Examples:
  porthole up                                     start everything on this machine
  porthole screenshot https://example.com         a picture, as example.com.png
  porthole extract https://example.com            the page's text
  porthole open https://example.com               a browser that stays: click, type, snapshot, close

";

/// See the web through a browser that is not yours: a URL in, a picture of the page or its text out.
#[derive(Debug, Parser)]
#[command(name = "porthole", version, after_help = [EXAMPLES, SETTINGS_HELP].concat(), disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Where the worker is [env: PORTHOLE_URL] [default: http://127.0.0.1:8787]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands. The help text of each is the doc comment of its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Up(UpArgs),
    Demo(DemoArgs),
    Create(CreateArgs),
    Screenshot(Box<ScreenshotArgs>),
    Extract(Box<ExtractArgs>),
    #[command(flatten)]
    Session(SessionCommand),
    Metrics(MetricsArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  porthole completions bash > ~/.local/share/bash-completion/completions/porthole"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Example:\n  porthole man | man -l -")]
    Man,
}

impl Command {
    /// Returns whether the command prints JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Command::Up(args) => args.json,
            Command::Create(args) => args.json,
            Command::Screenshot(args) => args.json,
            Command::Extract(args) => args.json,
            Command::Session(command) => command.json(),
            Command::Metrics(args) => args.json,
            Command::Demo(_) | Command::Completions { .. } | Command::Man => false,
        }
    }
}

/// Start service and worker on this machine and keep them running.
///
/// Makes an owner key and a service key on the first start and keeps them in the user's config directory
/// (porthole/keys.json, mode 0600). Every other setting of service and worker is taken from the environment, such as
/// PORTHOLE_WORKER_ADDR, PORTHOLE_SERVICE_ADDR or PORTHOLE_CHROMIUM; PORTHOLE_SERVICE_URL is always the service
/// started here. A process that dies is restarted; after five deaths within a minute `up` ends.
///
/// Warnings and errors of both processes go to standard error. Ctrl-C or SIGTERM ends both.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  porthole up\n  porthole up --allow-targets localhost:3000\n  PORTHOLE_WORKER_ADDR=127.0.0.1:9000 porthole up --verbose"
)]
pub(crate) struct UpArgs {
    /// Private targets that may be visited: comma-separated names and addresses, with or without a port, and
    /// CIDR ranges
    /// [env: PORTHOLE_ALLOW_TARGETS]
    #[arg(long, value_name = "LIST")]
    pub(crate) allow_targets: Option<String>,
    /// Show every log line of both processes
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print the addresses as one line of JSON once both are ready
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show Porthole at work: start service and worker, take a picture of a page, read it, and keep serving.
///
/// Without a URL it shows a built-in page, which this command serves on loopback.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole demo\n  porthole demo https://example.com --once")]
pub(crate) struct DemoArgs {
    /// The page
    #[arg(value_name = "PAGE")]
    pub(crate) page: Option<String>,
    /// End after showing the picture and the text
    #[arg(long)]
    pub(crate) once: bool,
    /// Where the picture is written
    #[arg(short, long, value_name = "FILE", default_value = "porthole-demo.png")]
    pub(crate) output: String,
    /// Show every log line of both processes
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Make a sandbox and print its owner token.
///
/// Other commands do this by themselves; use it to call the worker with other tools. The sandbox is saved, so later
/// commands use it too.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole create\n  porthole create --ttl 2h --json")]
pub(crate) struct CreateArgs {
    /// How long the owner token is valid, such as 3600, 90m, 12h or 7d; from 60 s to 30 d [default: 1d]
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub(crate) ttl: Option<u64>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Take a picture of a page.
///
/// Without --output the picture is written to a file named after the page's host, never over another file, and its
/// path is printed. Warnings go to standard error.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole screenshot https://example.com
  porthole screenshot https://example.com -o page.webp --full-page
  porthole screenshot https://example.com --viewport 1280x720@2 --dark --preview
  porthole screenshot https://example.com --selector 'main > h1' -o - | wc -c
  porthole screenshot https://example.com --json | jq .title")]
pub(crate) struct ScreenshotArgs {
    /// The page: an absolute http or https URL
    #[arg(value_name = "URL")]
    pub(crate) page: String,
    /// The file to write, - for standard output; its extension selects the format unless --format is given
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The whole page instead of the window
    #[arg(long, conflicts_with = "selector")]
    pub(crate) full_page: bool,
    /// One element instead of the window: the first that this CSS selector matches
    #[arg(long, value_name = "CSS")]
    pub(crate) selector: Option<String>,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    /// The picture's format [default: png]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
    /// Quality of JPEG and WebP
    #[arg(long, value_name = "1-100", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) quality: Option<u8>,
    /// Ask the page for its dark colours
    #[arg(long)]
    pub(crate) dark: bool,
    /// Ask the page for less motion
    #[arg(long)]
    pub(crate) reduced_motion: bool,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// The largest picture, in bytes; a larger one is encoded as JPEG, then cut [default: 1500000]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) max_bytes: Option<u32>,
    /// Draw the picture in the terminal too
    #[arg(long, conflicts_with = "json")]
    pub(crate) preview: bool,
    /// Print the answer as JSON, the picture in it as base64; with -o FILE the picture goes there and the JSON has
    /// its path instead. A failure is printed as JSON too
    #[arg(long)]
    pub(crate) json: bool,
}

/// Read a page: its text, its article, its tables, its links.
///
/// Without an instruction: the text as a reader sees it. An instruction is one directive, or several with ";" between
/// them: article, markdown, html, links, images, metadata, headings, tables, "table: CSS", "selector: CSS",
/// "xpath: ...", "text: ...", "role: button \"Name\"", "testid: ...", "all: CSS", "json: {...}".
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole extract https://example.com
  porthole extract https://example.com article > article.md
  porthole extract https://example.com 'selector: main'
  porthole extract https://example.com 'table: #prices' --csv > prices.csv
  porthole extract https://example.com links | jq -r '.[].url'
  porthole extract https://example.com --json-map fields.json | jq .price
  porthole extract https://example.com --max-chars 500 --json | jq -r .content")]
pub(crate) struct ExtractArgs {
    /// The page: an absolute http or https URL
    #[arg(value_name = "URL")]
    pub(crate) page: String,
    /// What to read, such as article or "selector: CSS"
    pub(crate) instruction: Option<String>,
    /// A table as comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// Read values by a JSON file that maps each field to where its value is, such as {"price": ".price | number"};
    /// "-" reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["instruction", "csv"])]
    pub(crate) json_map: Option<PathBuf>,
    /// Check the values against the JSON Schema in this file; mismatches are warnings
    #[arg(long, value_name = "FILE", requires = "json_map")]
    pub(crate) schema: Option<PathBuf>,
    /// Include the text of the page's frames
    #[arg(long, conflicts_with_all = ["instruction", "csv", "json_map"])]
    pub(crate) frames: bool,
    /// Include text that a reader can't see in articles, Markdown, HTML, tables and values
    #[arg(long)]
    pub(crate) include_hidden: bool,
    /// Continue a truncated answer from this character on
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
    pub(crate) offset: Option<u32>,
    /// The longest text, in characters; a longer one is cut [default: 20000]
    #[arg(long, value_name = "1-20000", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub(crate) max_chars: Option<u32>,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show the counts of the worker or the service since its start, sorted by error rate, then by p95 latency.
///
/// The admin listeners serve metrics, the worker's public address does not: PORTHOLE_URL is not used.
///
/// With --max-p95 or --max-error-rate the exit code is 1 when an operation is over the limit or the listener does not
/// answer; standard error says which and why. An operation without requests is within every limit. A failed request
/// counts as an error when the operator has to look into it: OVERLOADED, SHUTTING_DOWN, BROWSERBASE_NOT_CONFIGURED,
/// SESSION_CREATE_FAILED, PROVIDER_RATE_LIMITED, BROWSER_CRASHED, DEADLINE_EXCEEDED, SERVICE_UNAVAILABLE,
/// SERVICE_TIMEOUT, INTERNAL, and codes that this version does not know. Mistakes of the caller (INVALID_REQUEST,
/// UNAUTHORIZED, RATE_LIMITED and such) and failures of the visited page (NAVIGATION_FAILED, NAVIGATION_TIMEOUT,
/// SELECTOR_NOT_FOUND, EMPTY_EXTRACTION, IMAGE_TOO_LARGE) count as failures but not as errors.
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
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
    wait_timeout: Option<u32>,
    /// Wait this much longer, in milliseconds; at most 10000
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    delay: Option<u32>,
    /// What to do when the document has arrived but the page does not load in time
    #[arg(long, value_name = "WHAT", value_enum, default_value = "partial")]
    on_timeout: OnTimeoutArg,
    /// The time limit of the whole request in the service, such as 30s; from 1 s to 60 s [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
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

/// An image format on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    /// Lossless
    Png,
    /// Lossy, smallest for photographs
    #[value(alias = "jpg")]
    Jpeg,
    /// Lossy, smaller than JPEG at the same quality
    Webp,
}

impl From<FormatArg> for ImageFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Png => ImageFormat::Png,
            FormatArg::Jpeg => ImageFormat::Jpeg,
            FormatArg::Webp => ImageFormat::Webp,
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
    use clap::CommandFactory as _;

    use super::*;

    fn screenshot(args: &[&str]) -> ScreenshotArgs {
        let line = ["porthole", "screenshot", "https://example.com"].into_iter().chain(args.iter().copied());
        match Cli::try_parse_from(line).unwrap().command {
            Command::Screenshot(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        for command in Cli::command().get_subcommands() {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(examples.contains("  porthole "), "{}", command.get_name());
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
