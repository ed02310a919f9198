//! A node of the tree, as the page's own functions found it and before anything of it is folded or cut.

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
    /// The number of its ref, where it has one.
    pub reference: Option<u64>,
    /// Its placeholder.
    pub placeholder: Option<String>,
    /// Where a link leads, as the document says.
    pub url: Option<String>,
    /// What an element without a name may be for: of its title, id or class.
    pub hint: Option<String>,
    /// Its box in CSS pixels of the viewport: x, y, width, height.
    pub bounds: Option<[i64; 4]>,
    /// What is inside it.
    pub children: Vec<Node>,
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
