//! Fields whose popup the browser draws outside the page, so that the viewer draws it.

use serde::{Deserialize, Serialize};

use crate::session::BoundingBox;

/// A field that opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenField {
    /// Which field.
    pub kind: FieldKind,
    /// What can be chosen, of a list or a datalist.
    #[serde(default)]
    pub options: Vec<FieldOption>,
    /// Whether more than one option can be chosen.
    #[serde(default)]
    pub multiple: bool,
    /// The field's value, as the page reads it.
    #[serde(default)]
    pub value: String,
    /// Smallest value, of dates and times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    /// Largest value, of dates and times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    /// The step between values, of dates and times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Where the field is.
    pub rect: BoundingBox,
}

/// Which field opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// `<select>`.
    List,
    /// `<input type=date>`.
    Date,
    /// `<input type=time>`.
    Time,
    /// `<input type=datetime-local>`.
    #[serde(rename = "datetime-local")]
    DateTimeLocal,
    /// `<input type=month>`.
    Month,
    /// `<input type=week>`.
    Week,
    /// `<input type=color>`.
    Color,
    /// `<input list=…>`.
    Datalist,
}

/// An option of a list or a datalist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOption {
    /// What people read.
    pub label: String,
    /// What `choose` sends.
    pub value: String,
    /// Whether it can't be chosen.
    #[serde(default)]
    pub disabled: bool,
    /// Whether it is chosen.
    #[serde(default)]
    pub selected: bool,
    /// The label of its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}
