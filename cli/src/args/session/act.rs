//! Commands that act on a page, and the wait for what comes.

use clap::{Args, ValueEnum};
use porthole_client::session::{ElementState, Modifier, MouseButton};
use porthole_contract::limits::SCROLL_AMOUNT_MAX_PX;

use super::ActArgs;
use crate::args::target::{ElementArgs, TargetArgs};
use crate::args::values::{parse_network_idle, parse_wait, range};

/// Click an element or a point, and print what changed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  porthole click @e3
  porthole click --role button --name Save
  porthole click --at 10,20 --button right
  porthole click @e7 --hold shift")]
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
    /// Keys held meanwhile, comma-separated
    #[arg(long, value_name = "KEYS", value_enum, value_delimiter = ',')]
    hold: Vec<ModifierArg>,
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
    #[arg(value_name = "REF|OPTION")]
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
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(range(1, SCROLL_AMOUNT_MAX_PX)))]
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
    #[arg(long, value_name = "TIME", value_parser = parse_network_idle)]
    pub(crate) idle: Option<u32>,
    /// This time, such as 2s; at most 30 s
    #[arg(long = "for", value_name = "TIME", value_parser = parse_wait)]
    pub(crate) time: Option<u32>,
    #[command(flatten)]
    pub(crate) act: ActArgs,
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

/// A key that is held on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModifierArg {
    /// Alt
    Alt,
    /// Ctrl
    #[value(alias = "ctrl")]
    Control,
    /// Command or the Windows key
    Meta,
    /// Shift
    Shift,
}

impl ClickArgs {
    pub(crate) fn held(&self) -> Vec<Modifier> {
        let held = self.hold.iter().map(|key| match key {
            ModifierArg::Alt => Modifier::Alt,
            ModifierArg::Control => Modifier::Control,
            ModifierArg::Meta => Modifier::Meta,
            ModifierArg::Shift => Modifier::Shift,
        });
        held.collect()
    }

    pub(crate) fn button(&self) -> MouseButton {
        match self.button {
            ButtonArg::Left => MouseButton::Left,
            ButtonArg::Middle => MouseButton::Middle,
            ButtonArg::Right => MouseButton::Right,
        }
    }
}

impl WaitForArgs {
    /// How many conditions they name that are not about an element.
    pub(crate) fn other_conditions(&self) -> usize {
        let texts = [&self.text, &self.text_gone, &self.page_url];
        let times = [self.idle, self.time];
        texts.iter().filter(|text| text.is_some()).count() + times.iter().filter(|time| time.is_some()).count()
    }

    pub(crate) fn state(&self) -> Option<ElementState> {
        self.state.map(|state| match state {
            StateArg::Visible => ElementState::Visible,
            StateArg::Hidden => ElementState::Hidden,
            StateArg::Enabled => ElementState::Enabled,
        })
    }
}
