//! What a caller wants to locate: kinds of targets, chains of them, and the plan that `script/interact/find/locate.js`
//! carries out.

use std::fmt;

use porthole_contract::Chain;
use porthole_contract::limits::{SELECTOR_STEPS_MAX, TARGET_VALUE_MAX_CHARS};
use porthole_contract::session::TargetBy;
use serde::Serialize;

use crate::page::interact::ActError;

/// Most frames of one document that are looked into.
const FRAMES_OF_ONE_MAX: usize = 50;

/// An element that a caller names. Without `by` all kinds are tried in the order of [`TargetBy::IN_ORDER`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What the first step of the chain is; unless the value says it (`label: Email`).
    pub by: Option<TargetBy>,
    /// A value, or a chain of them with ` >> ` between.
    pub value: String,
    /// The accessible name, of a role.
    pub name: Option<String>,
    /// Absent: the whole text in any case. False: a part of it. True: the whole text in this case.
    pub exact: Option<bool>,
    /// The frame that alone is looked into, a chain of frames within frames.
    pub frame_selector: Option<String>,
    /// Whether it must be visible.
    pub wait_for_visible: bool,
    /// Whether it must be enabled.
    pub wait_for_enabled: bool,
    /// What is to be done with it.
    pub doing: Doing,
}

/// What is to be done with an element, which says which of several matches is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// Anything else: all are alike.
    #[default]
    Other,
    /// It is clicked: of what has a text, what a click does something with is meant.
    Click,
    /// It is typed into: what takes text is meant.
    Type,
    /// An option is selected in it: a list is meant.
    Select,
}

/// How texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Whole,
    Contains,
    Case,
    /// Contains, also in what fields hold.
    Shown,
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Step {
    by: TargetBy,
    value: String,
    name: Option<String>,
    mode: Mode,
}

/// What is evaluated in a document; see `script/interact/find/locate.js`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Plan {
    /// One element of the document, instead of `tries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<u32>,
    pub tries: Vec<Vec<Step>>,
    /// Whether a try that can't be read in its language matches nothing, instead of failing.
    pub lenient: bool,
    pub visible: bool,
    pub enabled: bool,
    /// What is to be done with it.
    pub doing: Doing,
    /// How many frames are reported.
    pub frames: usize,
}

// === impl Step ===

impl Step {
    /// Whether it says what a person would call the element, which must not change then.
    pub(super) fn names(&self) -> bool {
        match self.by {
            TargetBy::Role => self.name.is_some(),
            TargetBy::Label | TargetBy::Text | TargetBy::Placeholder => true,
            TargetBy::TestId | TargetBy::Name | TargetBy::Css | TargetBy::Xpath => false,
        }
    }
}

// === impl Wanted ===

impl Wanted {
    /// Reads what is wanted.
    pub(super) fn plan(&self) -> Result<Plan, ActError> {
        let mode = match self.exact {
            None => Mode::Whole,
            Some(false) => Mode::Contains,
            Some(true) => Mode::Case,
        };
        let parts = parts(&self.value, "target")?;
        let first = parts[0];
        let said = keyword(first);
        let rest = parts[1..].iter().map(|part| later(part, mode)).collect::<Result<Vec<_>, _>>()?;
        let chain = |step: Step| std::iter::once(step).chain(rest.iter().cloned()).collect::<Vec<_>>();
        let name = self.name.as_deref();
        let tries = match (self.by, said) {
            // A value in its own language may look like a keyword's: `label: x` is no CSS.
            (None, Some((kind, value))) => vec![chain(Step::said(kind, value, mode)?)],
            (Some(kind), Some((again, value))) if kind == again && name.is_none() => {
                vec![chain(Step::said(kind, value, mode)?)]
            }
            (Some(kind), Some((again, value))) if kind == again => vec![chain(Step::new(kind, value, name, mode)?)],
            (Some(kind), _) => vec![chain(Step::new(kind, first, name, mode)?)],
            (None, None) => {
                let tried = TargetBy::IN_ORDER.into_iter().filter_map(|kind| match kind {
                    TargetBy::Role => named_role(first).map(|(role, name)| Step::new(kind, role, Some(name), mode)),
                    kind => Some(Step::new(kind, first, None, mode)),
                });
                tried.map(|step| step.map(chain)).collect::<Result<_, _>>()?
            }
        };
        Ok(Plan {
            element: None,
            lenient: tries.len() > 1,
            tries,
            visible: self.wait_for_visible,
            enabled: self.wait_for_enabled,
            doing: self.doing,
            frames: FRAMES_OF_ONE_MAX,
        })
    }

    /// The steps to the frame that alone is looked into.
    pub(super) fn frame_steps(&self) -> Result<Vec<Step>, ActError> {
        let Some(selector) = &self.frame_selector else { return Ok(Vec::new()) };
        parts(selector, "frame_selector")?.iter().map(|part| later(part, Mode::Whole)).collect()
    }
}

// === impl Plan ===

impl Plan {
    /// The plan of one chain.
    pub(super) fn of_steps(steps: Vec<Step>) -> Self {
        let tries = vec![steps];
        Self {
            element: None,
            tries,
            lenient: false,
            visible: true,
            enabled: false,
            doing: Doing::Other,
            frames: FRAMES_OF_ONE_MAX,
        }
    }
}

/// The parts of a chain. A text that ends in an arrow (`Next >>`) is one part.
fn parts<'a>(text: &'a str, field: &str) -> Result<Vec<&'a str>, ActError> {
    let whole = text.trim();
    if whole.is_empty() {
        return Err(ActError::Invalid(format!("{field}: must not be empty")));
    }
    if whole.chars().count() > TARGET_VALUE_MAX_CHARS {
        return Err(ActError::Invalid(format!("{field}: must be at most {TARGET_VALUE_MAX_CHARS} characters long")));
    }
    let parts = Chain::split(whole);
    if parts.iter().any(|part| part.is_empty()) {
        return Ok(vec![whole]);
    }
    if parts.len() > SELECTOR_STEPS_MAX {
        return Err(ActError::Invalid(format!("{field}: must have at most {SELECTOR_STEPS_MAX} steps")));
    }
    Ok(parts)
}

/// A step that begins with its kind, such as `label: Email`.
fn keyword(part: &str) -> Option<(TargetBy, &str)> {
    let (word, value) = part.split_once(':')?;
    let word = word.trim();
    let named = TargetBy::IN_ORDER.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word));
    let kind = named.or_else(|| word.eq_ignore_ascii_case("selector").then_some(TargetBy::Css))?;
    let value = value.trim();
    // `name:first` is a pseudo-class by its form; a keyword of ours has something after it.
    (!value.is_empty()).then_some((kind, value))
}

/// A later step: CSS unless it says otherwise.
fn later(part: &str, mode: Mode) -> Result<Step, ActError> {
    match keyword(part) {
        Some((kind, value)) => Step::said(kind, value, mode),
        None => Step::new(TargetBy::Css, part, None, mode),
    }
}

/// `button "Save"`: a role and a name in quotes.
fn named_role(text: &str) -> Option<(&str, &str)> {
    let (role, _) = text.split_once(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))?;
    let name = unquoted(text[role.len()..].trim())?;
    let is_role = !role.is_empty() && role.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_role.then_some((role, name))
}

fn unquoted(text: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

// === impl Step ===

impl Step {
    fn new(kind: TargetBy, value: &str, name: Option<&str>, mode: Mode) -> Result<Self, ActError> {
        let step = |value: &str, name: Option<&str>| Self {
            by: kind,
            value: value.to_owned(),
            name: name.map(str::to_owned),
            mode,
        };
        if kind != TargetBy::Role {
            return Ok(step(value, None));
        }
        match (name, named_role(value)) {
            (None, Some((role, name))) => Ok(step(role, Some(name))),
            _ if value.bytes().all(|byte| byte.is_ascii_alphabetic()) => Ok(step(value, name)),
            _ => Err(ActError::Invalid(format!("`{value}` is no role: write `button` or `button \"Name\"`"))),
        }
    }

    /// A step after its keyword: quotes around a text are not the text's, and its case counts then.
    fn said(kind: TargetBy, value: &str, mode: Mode) -> Result<Self, ActError> {
        match unquoted(value) {
            Some(text) if !matches!(kind, TargetBy::Css | TargetBy::Xpath | TargetBy::Role) => {
                Self::new(kind, text, None, Mode::Case)
            }
            _ => Self::new(kind, value, None, mode),
        }
    }

    /// Text that is shown, or a part of it, taken literally.
    pub(super) fn shown_text(text: &str) -> Self {
        Self { by: TargetBy::Text, value: text.to_owned(), name: None, mode: Mode::Shown }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.by.name(), self.value)?;
        match &self.name {
            Some(name) => write!(f, " \"{name}\""),
            None => Ok(()),
        }
    }
}

/// A chain as it could be written.
pub(super) fn shown(steps: &[Step]) -> String {
    steps.iter().map(Step::to_string).collect::<Vec<_>>().join(" >> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(by: Option<TargetBy>, value: &str) -> Vec<String> {
        let wanted = Wanted { by, value: value.to_owned(), ..Wanted::default() };
        wanted.plan().unwrap().tries.iter().map(|steps| shown(steps)).collect()
    }

    #[test]
    fn without_a_kind_all_are_tried_in_their_order() {
        let words = |value: &str| {
            tried(None, value).iter().map(|one| one.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words("Save"), ["testid", "label", "placeholder", "name", "text", "css", "xpath"]);
        assert_eq!(words("button \"Save\"")[..2], ["testid", "role"]);
        assert_eq!(tried(None, "label: Email"), ["label: Email"]);
        assert_eq!(tried(None, "a:hover").len(), 7);
    }

    #[test]
    fn chains_go_on_in_css_unless_they_say_otherwise() {
        assert_eq!(
            tried(Some(TargetBy::TestId), "form >> .row >> role: button 'Go >> on'"),
            ["testid: form >> css: .row >> role: button \"Go >> on\""]
        );
        assert_eq!(tried(Some(TargetBy::Text), "Next >>"), ["text: Next >>"]);
        for (by, value) in [(TargetBy::Role, "my button"), (TargetBy::Css, "  ")] {
            let wanted = Wanted { by: Some(by), value: value.to_owned(), ..Wanted::default() };
            assert!(matches!(wanted.plan(), Err(ActError::Invalid(_))), "{value}");
        }
    }
}
