//! What the functions of `script/interact/act/` answer about an element: where it is, or what it lacks for an action.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::page::interact::ActError;
use crate::page::interact::acted::{BoundingBox, Point};
use crate::page::interact::resolve::Identity;

/// What an element lacks for an action, by the code that the functions of `script/interact/act/` give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Lack {
    /// It has left its document.
    Attached,
    Visible,
    /// No point of it is in the viewport.
    View,
    /// It is an option whose list is closed.
    List,
    Enabled,
    /// It is no field.
    Field,
    /// It is a field that is read-only.
    Editable,
    /// Another element is before it.
    Uncovered,
    /// It moves.
    Still,
    /// It is something else than what was meant.
    Same,
    /// It is a select without the option that is wanted.
    Option,
    /// It is a select whose options changed as it got the focus.
    Options,
    /// Its type does not allow the value.
    Value,
    /// It is no select.
    Select,
    /// Several values are wanted of a select for one.
    One,
    /// It takes no files.
    Files,
    /// It has several fields for files inside.
    OneFiles,
    /// Several files are given to a field for one.
    Many,
}

/// The answer of a function of `act.js` or `fields.js` about an element: what it lacks, or where it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Readiness {
    pub lacks: Option<Lack>,
    pub what: String,
    pub by: Option<String>,
    pub x: f64,
    pub y: f64,
    #[serde(rename = "box")]
    pub bounds: Option<BoundingBox>,
    /// What the element has become, where it lacks being the same.
    pub is: Option<Identity>,
    /// Whether the page's script may have run during the look.
    pub waited: bool,
}

// === impl Lack ===

impl Lack {
    /// Whether waiting may bring it.
    fn may_come(self) -> bool {
        match self {
            Self::Visible
            | Self::View
            | Self::Enabled
            | Self::Editable
            | Self::Uncovered
            | Self::Still
            | Self::Option => true,
            Self::Attached
            | Self::Same
            | Self::Field
            | Self::List
            | Self::Value
            | Self::Select
            | Self::One
            | Self::Files
            | Self::OneFiles
            | Self::Many
            | Self::Options => false,
        }
    }
}

// === impl Readiness ===

impl Readiness {
    /// Whether waiting may bring what it lacks.
    pub(super) fn may_come(&self) -> bool {
        self.lacks.is_none_or(Lack::may_come)
    }

    /// The middle of an element that the whole page covers: some pages take no pointer until it moves, so that it may pass over
    /// others on its way into a submenu.
    pub(super) fn waits_for_pointer(&self) -> Option<Point> {
        let is_page = self.lacks == Some(Lack::Uncovered) && self.by.as_deref() == Some("<html>");
        let at = self.bounds.filter(|_| is_page)?;
        Some(Point { x: at.x + at.width / 2.0, y: at.y + at.height / 2.0 })
    }
}

/// Reads what a function of the kit answered about an element.
pub(super) fn read<T>(function: &str, answer: Value) -> Result<T, ActError>
where
    T: DeserializeOwned,
{
    serde_json::from_value(answer).map_err(|error| {
        tracing::error!(function, %error, "the page's script kit gave an unreadable answer");
        ActError::DispatchFailed(format!("the answer about the element can't be read: {error}"))
    })
}

/// Reads what a function of the kit answered about an element: what it returns, or what the element lacks for that.
pub(super) fn read_unless_lacking<T>(function: &str, answer: Value) -> Result<Result<T, Readiness>, ActError>
where
    T: DeserializeOwned,
{
    if answer.get("lacks").is_some() { read(function, answer).map(Err) } else { read(function, answer).map(Ok) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{Lack, Readiness, read, read_unless_lacking};
    use crate::page::interact::ActError;
    use crate::page::script::KIT;

    #[test]
    fn each_code_of_the_kit_is_known() {
        let after = |mark: &str| KIT.split(mark).skip(1).filter_map(|rest| rest.split('\'').next()).collect::<Vec<_>>();
        let codes: BTreeSet<_> = after("lacks('").into_iter().chain(after("lacks: '")).collect();
        assert!(codes.len() > 10, "{codes:?}");
        for code in codes {
            serde_json::from_value::<Lack>(json!(code)).unwrap();
        }
    }

    #[test]
    fn a_code_that_is_not_known_is_an_error() {
        let answer = json!({"lacks": "wings", "what": "<a>"});
        assert!(matches!(read::<Readiness>("ready", answer.clone()), Err(ActError::DispatchFailed(_))));
        assert!(matches!(read_unless_lacking::<bool>("choose", answer), Err(ActError::DispatchFailed(_))));
    }

    #[test]
    fn a_lack_is_told_from_what_was_asked_for() {
        assert!(matches!(read_unless_lacking("choose", json!(true)), Ok(Ok(true))));
        let lacking = read_unless_lacking::<bool>("choose", json!({"lacks": "one-files", "what": "<a>"}));
        assert!(matches!(lacking, Ok(Err(Readiness { lacks: Some(Lack::OneFiles), .. }))));
    }
}
