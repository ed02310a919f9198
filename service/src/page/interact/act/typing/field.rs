//! A field, what it holds, and the text to type into it.

use serde::Deserialize;

use crate::page::Page;
use crate::page::interact::Element;
use crate::page::interact::act::actionable::Tries;
use crate::page::interact::acted::Terms;
use crate::page::interact::quiet::Quiet;

/// What to type.
#[derive(Clone, Debug)]
pub struct Typing {
    /// The text.
    pub text: String,
    /// Whether it replaces what is there; otherwise it is added.
    pub clear: bool,
    /// Whether Enter follows.
    pub submit: bool,
    /// Key by key.
    pub slowly: bool,
    /// What is waited for.
    pub terms: Terms,
}

/// The entering of a text into a field, under way.
pub(super) struct Entering<'a, 'q> {
    pub page: &'a Page,
    pub element: &'a Element,
    pub typing: &'a Typing,
    pub quiet: &'q mut Quiet<'a>,
    pub tries: &'q mut Tries,
}

/// What a field says when it gets the focus.
#[derive(Debug, Deserialize)]
pub(super) struct Field {
    pub kind: String,
    pub focused: bool,
    /// What has the focus instead.
    pub holder: Option<String>,
    pub what: String,
    #[serde(flatten)]
    pub held: Content,
}

/// What a field holds.
#[derive(Debug, Deserialize)]
pub(super) struct Content {
    pub value: String,
    /// The text of an editor that draws it beside the field, as far as it is in view.
    pub drawn: Option<String>,
    /// Whether there may be more than is in the document.
    pub long: bool,
    /// Whether nothing is in it, not even what is no text, such as a picture.
    pub bare: bool,
    pub secret: bool,
    /// Whether it draws its text as a picture.
    pub unreadable: bool,
    /// Whether it has one line, so that Enter would send it.
    pub line: bool,
    /// Whether a list has given the field to another entry since the action began.
    #[serde(default)]
    pub another: bool,
}
