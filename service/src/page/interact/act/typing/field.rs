//! A field, what it holds, and what to type into it.

use serde::Deserialize;

use crate::page::interact::acted::Terms;

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

/// What a field says when it gets the focus.
#[derive(Debug, Deserialize)]
pub(super) struct Field {
    pub kind: String,
    pub focused: bool,
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
