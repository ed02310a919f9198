//! Commands that go to pages and look at them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use porthole_client::ColorScheme;
use porthole_client::session::{ElementRef, LoadState};
use porthole_contract::limits::{
    OFFSET_MAX, SNAPSHOT_CHARS_MAX, SNAPSHOT_CHARS_MIN, SNAPSHOT_DEPTH_MAX, TEXT_MAX_CHARS,
};

use super::{ActArgs, CallArgs};
use crate::args::target::TargetArgs;
use crate::args::values::{parse_locale, parse_page, parse_session_idle, parse_time_zone, parse_timeout, range};
use crate::args::{FormatArg, WindowArgs};

/// Open a page in a browser that stays: print its handle and what is on the page.
///
/// Each element that can be acted upon has a ref, such as @e3, which later commands take. The browser ends with `porthole
/// close`, after five minutes without a command, or after an hour. It is remembered, so that later commands find it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole open https://example.com
  porthole open https://example.com --watch
  porthole click @e3
  porthole type @e2 'ada@example.com' --submit
  porthole close")]
pub(crate) struct OpenArgs {
    /// The page: an http or https URL, or only example.com
    #[arg(value_name = "URL", value_parser = parse_page)]
    pub(crate) page: String,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    /// Ask pages for their dark colours
    #[arg(long)]
    dark: bool,
    /// Ask pages for less motion
    #[arg(long)]
    pub(crate) reduced_motion: bool,
    /// The pages' language, such as de-CH
    #[arg(long, value_name = "LOCALE", value_parser = parse_locale)]
    pub(crate) locale: Option<String>,
    /// The pages' time zone, such as Europe/Zurich
    #[arg(long, value_name = "ZONE", value_parser = parse_time_zone)]
    pub(crate) time_zone: Option<String>,
    /// What the browser calls itself
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
    /// The only hosts that the browser may reach; comma-separated, *. before a name for all below it
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub(crate) allow_hosts: Option<Vec<String>>,
    /// Begin with the cookies and local storage that `porthole state` wrote to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// End after this time without a command, such as 60s; at most 5m [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = parse_session_idle)]
    idle: Option<u32>,
    /// The state of the page to wait for
    #[arg(long, value_name = "STATE", value_enum, default_value = "load")]
    wait: LoadArg,
    /// The time limit of the call, such as 10s; from 1 s to 60 s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_timeout)]
    pub(crate) timeout: Option<u32>,
    /// Print the address of the live view, in which you watch and help; open it where there is a desktop. The address
    /// is a secret: anyone who has it can act in this browser
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Go to another page in the same browser.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  porthole goto https://example.com/next")]
pub(crate) struct GotoArgs {
    /// The page: an http or https URL, or only example.com
    #[arg(value_name = "URL", value_parser = parse_page)]
    pub(crate) page: String,
    /// The state of the page to wait for
    #[arg(long, value_name = "STATE", value_enum, default_value = "load")]
    wait: LoadArg,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Print what is on the page, with refs to act by.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole snapshot
  porthole snapshot --all --root @e12
  porthole snapshot --changes")]
pub(crate) struct SnapshotArgs {
    /// All text too, not only what can be acted upon
    #[arg(long)]
    pub(crate) all: bool,
    /// What changed since the last snapshot
    #[arg(long)]
    pub(crate) changes: bool,
    /// Levels below the top
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u32).range(range(0, SNAPSHOT_DEPTH_MAX)))]
    pub(crate) depth: Option<u32>,
    /// The part of the page within this element
    #[arg(long, value_name = "REF")]
    pub(crate) root: Option<ElementRef>,
    /// Leave out this many children of the root
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(range(0, OFFSET_MAX)))]
    pub(crate) offset: Option<u32>,
    /// The longest output, in characters [default: 20000]
    #[arg(long, value_name = "500-100000", value_parser = clap::value_parser!(u32).range(range(SNAPSHOT_CHARS_MIN, SNAPSHOT_CHARS_MAX)))]
    pub(crate) max_chars: Option<u32>,
    /// Each element's box in the window
    #[arg(long)]
    pub(crate) boxes: bool,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Take a picture of the page as it stands, or of one element.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole shot -o page.png\n  porthole shot @e3\n  porthole shot --annotate")]
pub(crate) struct ShotArgs {
    /// The element's ref
    #[arg(value_name = "REF", num_args = 0..=1)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The file to write, - for standard output [default: a new one, named after the page's host]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The whole page instead of the window
    #[arg(long)]
    pub(crate) full_page: bool,
    /// Draw the refs of the last snapshot on it
    #[arg(long)]
    pub(crate) annotate: bool,
    /// The picture's format [default: png]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
    /// Quality of JPEG and WebP
    #[arg(long, value_name = "1-100", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) quality: Option<u8>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Read the page as it stands: its text, its article, its tables. Instructions are those of `porthole extract`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole read\n  porthole read article\n  porthole read 'table: #prices'")]
pub(crate) struct ReadArgs {
    /// What to read, such as article or "selector: CSS"
    pub(crate) instruction: Option<String>,
    /// Continue a truncated answer from this character on
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(range(0, OFFSET_MAX)))]
    pub(crate) offset: Option<u32>,
    /// The longest text, in characters [default: 20000]
    #[arg(long, value_name = "1-20000", value_parser = clap::value_parser!(u32).range(range(1, TEXT_MAX_CHARS)))]
    pub(crate) max_chars: Option<u32>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// A document's state on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LoadArg {
    /// The document and its resources are loaded
    Load,
    /// The document is parsed
    #[value(name = "domcontentloaded")]
    DomContentLoaded,
    /// No request for 500 ms
    #[value(name = "networkidle")]
    NetworkIdle,
}

impl OpenArgs {
    pub(crate) fn wait(&self) -> LoadState {
        self.wait.into()
    }

    pub(crate) fn color_scheme(&self) -> Option<ColorScheme> {
        self.dark.then_some(ColorScheme::Dark)
    }

    pub(crate) fn idle_seconds(&self) -> Option<u32> {
        self.idle.map(|ms| ms.div_ceil(1000))
    }
}

impl GotoArgs {
    pub(crate) fn wait(&self) -> LoadState {
        self.wait.into()
    }
}

impl From<LoadArg> for LoadState {
    fn from(state: LoadArg) -> Self {
        match state {
            LoadArg::Load => LoadState::Load,
            LoadArg::DomContentLoaded => LoadState::DomContentLoaded,
            LoadArg::NetworkIdle => LoadState::NetworkIdle,
        }
    }
}
