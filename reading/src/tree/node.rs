//! A node of the tree, as the page's own functions found it and before anything of it is folded or cut.

use std::fmt;

/// A node: an element, or a run of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Its ARIA role; `text` for a run of text, `generic` for what has none.
    pub role: String,
    /// Its accessible name, with runs of spaces as one; empty where it has none or shows none.
    pub name: String,
    /// What follows the colon: its value, or its own text.
    pub text: Option<String>,
    /// Its states, in the order in which they are written.
    pub states: Vec<State>,
    /// By what a ref is asked for; `None` for what can have none.
    pub handle: Option<u64>,
    /// Whether its line shows a ref. Others get one where something of theirs is left out.
    pub wants_ref: bool,
    /// The number of its ref, once it has one.
    pub reference: Option<u64>,
    /// Its placeholder.
    pub placeholder: Option<String>,
    /// Where a link leads, as the document says.
    pub url: Option<String>,
    /// What an element without a name may be for: of its title, id or class.
    pub hint: Option<String>,
    /// Its box in CSS pixels of the viewport: x, y, width, height.
    pub bounds: Option<[i64; 4]>,
    /// What the row or the part of the page around it is about, as a number that is another one once that is; 0 where it is in
    /// none.
    pub row: u32,
    /// What is inside it.
    pub children: Vec<Node>,
    /// Set in a node that stands for others which are left out; it has nothing else.
    pub rest: Option<Rest>,
}

/// What is left out, and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// How many siblings, or lines.
    pub count: usize,
    /// How many lines they are, with all that is inside of them.
    pub lines: usize,
    /// Their name in the plural.
    pub what: String,
    /// The ref that they are inside of; `None` for the document.
    pub root: Option<u64>,
    /// The first of them among the children of `root`; `None` where all of them are left out.
    pub offset: Option<usize>,
}

/// A state that is written in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// `[checked]`.
    Checked,
    /// `[checked=mixed]`.
    Mixed,
    /// `[disabled]`.
    Disabled,
    /// `[expanded]`.
    Expanded,
    /// `[collapsed]`.
    Collapsed,
    /// `[selected]`.
    Selected,
    /// `[pressed]`.
    Pressed,
    /// `[required]`.
    Required,
    /// `[readonly]`.
    ReadOnly,
    /// `[invalid]`.
    Invalid,
    /// `[focused]`.
    Focused,
    /// `[level=N]`.
    Level(u32),
    /// `[file]`: a field for files.
    File,
    /// `[color]`: a field for a colour.
    Color,
    /// `[clickable]`: an element without a role that reacts to a click.
    Clickable,
    /// `[filled]`: a password's field that holds something.
    Filled,
}

/// The roles of what is acted on.
const CONTROLS: [&str; 17] = [
    "button",
    "checkbox",
    "combobox",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
];

// === impl Node ===

impl Node {
    /// Whether it is something to act on, shown with its ref.
    pub(super) fn is_control(&self) -> bool {
        let acts = CONTROLS.contains(&self.role.as_str()) || self.states.contains(&State::Clickable);
        acts && self.reference.is_some()
    }

    /// A node that stands for a sibling which is left out with its lines; `offset` is its number.
    pub(super) fn standing_for_sibling(lines: usize, what: String, offset: usize) -> Self {
        Self { rest: Some(Rest { count: 1, lines, what, root: None, offset: Some(offset) }), ..Self::default() }
    }

    /// A node that stands for lines which are left out; `offset` is the number of the first.
    pub(super) fn standing_for_lines(lines: usize, what: &str, offset: Option<usize>) -> Self {
        Self { rest: Some(Rest { count: lines, lines, what: what.to_owned(), root: None, offset }), ..Self::default() }
    }

    /// How many lines it is with all inside, or stands for.
    pub(super) fn lines(&self) -> usize {
        self.rest.as_ref().map_or_else(|| 1 + self.children.iter().map(Self::lines).sum::<usize>(), |rest| rest.lines)
    }

    /// How many siblings it is, or stands for.
    pub(super) fn siblings(&self) -> usize {
        self.rest.as_ref().map_or(1, |rest| rest.count)
    }

    /// Whether it has a ref, or can get one.
    pub(super) fn can_have_ref(&self) -> bool {
        self.reference.is_some() || self.handle.is_some()
    }

    /// The node's ref: the one it has, or a new one.
    pub(super) fn give_ref(&mut self, give: &mut dyn FnMut(u64) -> u64) -> Option<u64> {
        if self.reference.is_none() {
            self.reference = self.handle.map(give);
        }
        self.reference
    }
}

// === impl State ===

impl State {
    /// The state that the page's function calls so; `None` for a word that is no state.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "checked" => Self::Checked,
            "mixed" => Self::Mixed,
            "disabled" => Self::Disabled,
            "expanded" => Self::Expanded,
            "collapsed" => Self::Collapsed,
            "selected" => Self::Selected,
            "pressed" => Self::Pressed,
            "required" => Self::Required,
            "readonly" => Self::ReadOnly,
            "invalid" => Self::Invalid,
            "focused" => Self::Focused,
            "file" => Self::File,
            "color" => Self::Color,
            "clickable" => Self::Clickable,
            "filled" => Self::Filled,
            _ => Self::Level(word.strip_prefix("level=")?.parse().ok()?),
        })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checked => f.write_str("[checked]"),
            Self::Mixed => f.write_str("[checked=mixed]"),
            Self::Disabled => f.write_str("[disabled]"),
            Self::Expanded => f.write_str("[expanded]"),
            Self::Collapsed => f.write_str("[collapsed]"),
            Self::Selected => f.write_str("[selected]"),
            Self::Pressed => f.write_str("[pressed]"),
            Self::Required => f.write_str("[required]"),
            Self::ReadOnly => f.write_str("[readonly]"),
            Self::Invalid => f.write_str("[invalid]"),
            Self::Focused => f.write_str("[focused]"),
            Self::Level(level) => write!(f, "[level={level}]"),
            Self::File => f.write_str("[file]"),
            Self::Color => f.write_str("[color]"),
            Self::Clickable => f.write_str("[clickable]"),
            Self::Filled => f.write_str("[filled]"),
        }
    }
}
