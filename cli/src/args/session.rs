//! The commands of sessions: a browser that stays open between commands. `target` has what they act on.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use porthole_client::ColorScheme;
use porthole_client::session::{ElementState, HistoryAction, LoadState, MouseButton, TabsAction};

use super::target::{ElementArgs, TargetArgs};
use super::values::parse_millis;
use super::{FormatArg, WindowArgs};

/// The commands of sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    Open(Box<OpenArgs>),
    Goto(GotoArgs),
    /// Go back in the tab's history
    #[command(after_help = "Example:\n  porthole back")]
    Back(ActArgs),
    /// Go forward in the tab's history
    #[command(after_help = "Example:\n  porthole forward")]
    Forward(ActArgs),
    /// Load the page again
    #[command(after_help = "Example:\n  porthole reload")]
    Reload(ActArgs),
    Snapshot(SnapshotArgs),
    Click(Box<ClickArgs>),
    Type(Box<TypeArgs>),
    Press(Box<PressArgs>),
    Hover(Box<HoverArgs>),
    Select(Box<SelectArgs>),
    Check(Box<CheckArgs>),
    Drag(Box<DragArgs>),
    Scroll(Box<ScrollArgs>),
    Upload(Box<UploadArgs>),
    Wait(Box<WaitForArgs>),
    Shot(Box<ShotArgs>),
    Read(ReadArgs),
    Dialog(DialogArgs),
    Tabs(TabsArgs),
    Files(FilesArgs),
    Close(CloseArgs),
    Sessions(SessionsArgs),
}

/// Which session and tab, how long, and how it is printed.
#[derive(Args, Clone, Debug)]
pub(crate) struct CallArgs {
    /// Another session than the one used last: its number in `porthole sessions`
    #[arg(long, value_name = "NUMBER")]
    pub(crate) session: Option<u32>,
    /// Another tab than the active one, such as t2
    #[arg(long, value_name = "TAB")]
    pub(crate) tab: Option<String>,
    /// The time limit of the call, such as 10s; from 1 s to 60 s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
    pub(crate) timeout: Option<u32>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A call that acts.
#[derive(Args, Clone, Debug)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    pub(crate) call: CallArgs,
    /// Print the whole page afterwards, not only what changed
    #[arg(long)]
    pub(crate) full: bool,
}

/// Open a page in a browser that stays: print its handle and what is on the page.
///
/// Each element that can be acted upon has a ref, such as @e3, which later commands take. The browser ends with `porthole
/// close`, after five minutes without a command, or after an hour. It is remembered, so that later commands find it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole open https://example.com
  porthole click @e3
  porthole type @e2 'ada@example.com' --submit
  porthole close")]
pub(crate) struct OpenArgs {
    /// The page: an absolute http or https URL
    #[arg(value_name = "URL")]
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
    #[arg(long, value_name = "LOCALE")]
    pub(crate) locale: Option<String>,
    /// The pages' time zone, such as Europe/Zurich
    #[arg(long, value_name = "ZONE")]
    pub(crate) time_zone: Option<String>,
    /// What the browser calls itself
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
    /// The only hosts that the browser may reach; comma-separated, *. before a name for all below it
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub(crate) allow_hosts: Option<Vec<String>>,
    /// End after this time without a command, such as 60s; at most 5m [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
    idle: Option<u32>,
    /// The state of the page to wait for
    #[arg(long, value_name = "STATE", value_enum, default_value = "load")]
    wait: LoadArg,
    /// The time limit of the call, such as 10s; from 1 s to 60 s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
    pub(crate) timeout: Option<u32>,
    /// Print the answer, or the failure, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Go to another page in the same browser.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  porthole goto https://example.com/next")]
pub(crate) struct GotoArgs {
    /// The page: an absolute http or https URL
    #[arg(value_name = "URL")]
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
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) depth: Option<u32>,
    /// The part of the page within this element
    #[arg(long, value_name = "REF")]
    pub(crate) root: Option<porthole_client::session::ElementRef>,
    /// Leave out this many children of the root
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
    pub(crate) offset: Option<u32>,
    /// The longest output, in characters [default: 20000]
    #[arg(long, value_name = "500-100000", value_parser = clap::value_parser!(u32).range(500..=100_000))]
    pub(crate) max_chars: Option<u32>,
    /// Each element's box in the window
    #[arg(long)]
    pub(crate) boxes: bool,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Click an element or a point, and print what changed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole click @e3
  porthole click --role button --name Save
  porthole click --at 10,20 --button right")]
pub(crate) struct ClickArgs {
    /// The element's ref
    #[arg(value_name = "REF", num_args = 0..=1)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The mouse button
    #[arg(long, value_enum, default_value = "left")]
    button: ButtonArg,
    /// Click twice
    #[arg(long)]
    pub(crate) double: bool,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Type into a field, and print what changed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole type @e2 'ada@example.com'
  porthole type --label Password \"$PASSWORD\" --submit
  porthole type @e2 ' and more' --append")]
pub(crate) struct TypeArgs {
    /// The field's ref, unless a flag names the field, and the text
    #[arg(value_name = "REF> <TEXT", num_args = 1..=2, required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Press Enter afterwards
    #[arg(long)]
    pub(crate) submit: bool,
    /// Keep what the field holds
    #[arg(long)]
    pub(crate) append: bool,
    /// Key by key
    #[arg(long)]
    pub(crate) slowly: bool,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Press a key or a combination on an element, or on what has the focus.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole press Enter\n  porthole press @e2 Control+A")]
pub(crate) struct PressArgs {
    /// The element's ref, if any, and the key: DOM key names with + between them
    #[arg(value_name = "REF> <KEY", num_args = 1..=2, required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Move the pointer over an element or to a point.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  porthole hover @e3")]
pub(crate) struct HoverArgs {
    /// The element's ref
    #[arg(value_name = "REF", num_args = 0..=1)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Choose in a select, each option by its value or its label; none deselects all.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole select @e4 Switzerland\n  porthole select --label Country Switzerland")]
pub(crate) struct SelectArgs {
    /// The select's ref, unless a flag names it, and the options
    #[arg(value_name = "REF> <OPTION")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Check a checkbox, a radio button or a switch.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole check @e5\n  porthole check --label 'Remember me' --off")]
pub(crate) struct CheckArgs {
    /// The element's ref
    #[arg(value_name = "REF", num_args = 0..=1)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Uncheck it
    #[arg(long)]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Drag one element to another or to a point.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole drag @e3 @e7\n  porthole drag --text 'Card 1' 400,200")]
pub(crate) struct DragArgs {
    /// The element's ref, unless a flag names it, and where it is dropped: a ref or X,Y
    #[arg(value_name = "REF> <TO", num_args = 1..=2, required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Scroll the page or a part of it, or an element into view.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole scroll down
  porthole scroll bottom
  porthole scroll @e9 down --amount 300
  porthole scroll @e9                     until it is in view")]
pub(crate) struct ScrollArgs {
    /// The element's ref, if any, and where: up, down, left, right, top or bottom
    #[arg(value_name = "REF> <WHERE", num_args = 0..=2)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How far, in CSS pixels [default: most of a window]
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) amount: Option<u32>,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Put files into a file field, 10 MB together.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  porthole upload @e6 report.pdf picture.png")]
pub(crate) struct UploadArgs {
    /// The field's ref, unless a flag names it, and the files
    #[arg(value_name = "REF> <FILE", required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// Wait for one condition.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole wait --text 'Order placed'
  porthole wait @e3 --state enabled
  porthole wait --page-url '**/checkout/*'
  porthole wait --idle 500ms")]
pub(crate) struct WaitForArgs {
    /// The element's ref
    #[arg(value_name = "REF", num_args = 0..=1)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) element: ElementArgs,
    /// The element's state
    #[arg(long, value_enum)]
    state: Option<StateArg>,
    /// Text that comes
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Text that goes
    #[arg(long, value_name = "TEXT")]
    pub(crate) text_gone: Option<String>,
    /// The page's URL: * for anything within a part of its path, ** across parts
    #[arg(long, value_name = "GLOB")]
    pub(crate) page_url: Option<String>,
    /// No request for this time, such as 500ms
    #[arg(long, value_name = "TIME", value_parser = parse_millis)]
    pub(crate) idle: Option<u32>,
    /// This time, such as 2s; at most 30 s
    #[arg(long = "for", value_name = "TIME", value_parser = parse_millis)]
    pub(crate) time: Option<u32>,
    #[command(flatten)]
    pub(crate) act: ActArgs,
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
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
    pub(crate) offset: Option<u32>,
    /// The longest text, in characters [default: 20000]
    #[arg(long, value_name = "1-20000", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub(crate) max_chars: Option<u32>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Answer the dialog that holds the page.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  porthole dialog accept\n  porthole dialog accept 'my answer'\n  porthole dialog dismiss"
)]
pub(crate) struct DialogArgs {
    /// OK, or Cancel
    #[arg(value_enum)]
    pub(crate) answer: DialogAnswer,
    /// The text of a prompt
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

/// List, open, select and close tabs.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole tabs
  porthole tabs new https://example.com
  porthole tabs select t2
  porthole tabs close")]
pub(crate) struct TabsArgs {
    /// What is done
    #[arg(value_enum, default_value = "list")]
    action: TabsActionArg,
    /// The URL of a new tab, or the tab
    #[arg(value_name = "URL|TAB")]
    pub(crate) word: Option<String>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// List downloads, or get one.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole files\n  porthole files f1 -o report.pdf")]
pub(crate) struct FilesArgs {
    /// The download to get
    pub(crate) file: Option<String>,
    /// Where it is written, - for standard output [default: a new file of its name]
    #[arg(short, long, value_name = "FILE", requires = "file")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// End the browser.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  porthole close\n  porthole close --all")]
pub(crate) struct CloseArgs {
    /// End all that are remembered
    #[arg(long, conflicts_with = "session")]
    pub(crate) all: bool,
    /// Another session than the one used last: its number in `porthole sessions`
    #[arg(long, value_name = "NUMBER")]
    pub(crate) session: Option<u32>,
    /// Print the answer, or the failure, as JSON; with --all one line each
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the browsers that are open, the one used last marked by *. Looking keeps them open, as any command does.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  porthole sessions")]
pub(crate) struct SessionsArgs {
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
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

/// A mouse button on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ButtonArg {
    /// The first
    Left,
    /// The wheel's
    Middle,
    /// The second
    Right,
}

/// An element's state on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum StateArg {
    /// There and seen
    Visible,
    /// Gone or not seen
    Hidden,
    /// Seen and enabled
    Enabled,
}

/// An answer to a dialog on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialogAnswer {
    /// OK
    Accept,
    /// Cancel
    Dismiss,
}

/// What is done with tabs, on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TabsActionArg {
    /// All of them
    List,
    /// Another one
    New,
    /// Make one active
    Select,
    /// Close one
    Close,
}

// === impl SessionCommand ===

impl SessionCommand {
    /// Returns whether the command prints JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Open(args) => args.json,
            Self::Goto(args) => args.act.call.json,
            Self::Back(act) | Self::Forward(act) | Self::Reload(act) => act.call.json,
            Self::Snapshot(args) => args.call.json,
            Self::Click(args) => args.act.call.json,
            Self::Type(args) => args.act.call.json,
            Self::Press(args) => args.act.call.json,
            Self::Hover(args) => args.act.call.json,
            Self::Select(args) => args.act.call.json,
            Self::Check(args) => args.act.call.json,
            Self::Drag(args) => args.act.call.json,
            Self::Scroll(args) => args.act.call.json,
            Self::Upload(args) => args.act.call.json,
            Self::Wait(args) => args.act.call.json,
            Self::Shot(args) => args.call.json,
            Self::Read(args) => args.call.json,
            Self::Dialog(args) => args.act.call.json,
            Self::Tabs(args) => args.call.json,
            Self::Files(args) => args.call.json,
            Self::Close(args) => args.json,
            Self::Sessions(args) => args.json,
        }
    }

    /// Returns the step through the history that the command asks for.
    pub(crate) fn history(&self) -> Option<HistoryAction> {
        match self {
            Self::Back(_) => Some(HistoryAction::Back),
            Self::Forward(_) => Some(HistoryAction::Forward),
            Self::Reload(_) => Some(HistoryAction::Reload),
            _ => None,
        }
    }
}

// === impl each command's arguments ===

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

impl ClickArgs {
    pub(crate) fn button(&self) -> MouseButton {
        match self.button {
            ButtonArg::Left => MouseButton::Left,
            ButtonArg::Middle => MouseButton::Middle,
            ButtonArg::Right => MouseButton::Right,
        }
    }
}

impl WaitForArgs {
    pub(crate) fn state(&self) -> Option<ElementState> {
        self.state.map(|state| match state {
            StateArg::Visible => ElementState::Visible,
            StateArg::Hidden => ElementState::Hidden,
            StateArg::Enabled => ElementState::Enabled,
        })
    }
}

impl TabsArgs {
    pub(crate) fn action(&self) -> TabsAction {
        match self.action {
            TabsActionArg::List => TabsAction::List,
            TabsActionArg::New => TabsAction::New,
            TabsActionArg::Select => TabsAction::Select,
            TabsActionArg::Close => TabsAction::Close,
        }
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
