//! What a call acts on: an element by its ref or by what a person would name, or a point.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::handle::ElementRef;
use crate::json::{Invalid, Validate};
use crate::limits::{POINT_MAX_PX, SELECTOR_STEPS_MAX, TARGET_VALUE_MAX_CHARS};
use crate::request::{at_most_chars, not_blank};
use crate::scan::Scan;

/// What a call acts on.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The element that had this ref in a snapshot.
    Ref(ElementRef),
    /// The element that a person would name so.
    Semantic(SemanticTarget),
    /// A point of the viewport.
    At(Point),
}

/// A request or an object that has `ref`, `target` and `at`.
pub trait Targeted {
    /// What each of the three fields holds.
    fn given(&self) -> (Option<ElementRef>, Option<&SemanticTarget>, Option<Point>);

    /// The target; a valid request has at most one.
    fn target(&self) -> Option<Target> {
        match self.given() {
            (Some(reference), _, _) => Some(Target::Ref(reference)),
            (None, Some(semantic), _) => Some(Target::Semantic(semantic.clone())),
            (None, None, Some(point)) => Some(Target::At(point)),
            (None, None, None) => None,
        }
    }

    /// Refuses more than one target and one that is out of range, by its path with `prefix` before it.
    ///
    /// # Errors
    /// [`Invalid`], with the field's path.
    fn check_at_most_one(&self, prefix: &str) -> Result<(), Invalid> {
        let (reference, semantic, point) = self.given();
        let count = usize::from(reference.is_some()) + usize::from(semantic.is_some()) + usize::from(point.is_some());
        if count > 1 {
            let field = if semantic.is_some() { "target" } else { "at" };
            return Err(Invalid::new(format!("{prefix}{field}"), "send one of ref, target and at"));
        }
        let within = |invalid: Invalid| Invalid::new(format!("{prefix}{}", invalid.path), invalid.reason);
        semantic.map_or(Ok(()), Validate::validate).map_err(within)?;
        point.as_ref().map_or(Ok(()), Validate::validate).map_err(within)
    }

    /// The same, and refuses that there is none.
    ///
    /// # Errors
    /// [`Invalid`], with the field's path.
    fn check_one(&self, prefix: &str) -> Result<(), Invalid> {
        if self.given() == (None, None, None) {
            return Err(Invalid::new(format!("{prefix}ref"), "is missing: send one of ref, target and at"));
        }
        self.check_at_most_one(prefix)
    }
}

/// A target as an object of its own: one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetObject {
    /// The element, by its ref in a snapshot: `@e5` or `e5`.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub reference: Option<ElementRef>,
    /// The element, by what a person would name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<SemanticTarget>,
    /// A point of the viewport instead of an element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Point>,
}

impl Targeted for TargetObject {
    fn given(&self) -> (Option<ElementRef>, Option<&SemanticTarget>, Option<Point>) {
        (self.reference, self.target.as_ref(), self.at)
    }
}

/// A point of the viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// From the left edge.
    #[schema(minimum = 0, maximum = 10_000)]
    pub x: f64,
    /// From the upper edge.
    #[schema(minimum = 0, maximum = 10_000)]
    pub y: f64,
}

impl Validate for Point {
    fn validate(&self) -> Result<(), Invalid> {
        for (path, value) in [("at.x", self.x), ("at.y", self.y)] {
            if !(0.0..=POINT_MAX_PX).contains(&value) {
                return Err(Invalid::new(path, format!("must be from 0 to {POINT_MAX_PX}")));
            }
        }
        Ok(())
    }
}

/// An element by what a person would name. Chains have ` >> ` between their steps, as in extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SemanticTarget {
    /// The kind of name; without it the kinds are tried in the order testid, role and name, label, placeholder, name,
    /// text, css, xpath.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<TargetBy>,
    /// What is looked for.
    #[schema(min_length = 1, max_length = 4000)]
    pub value: String,
    /// The accessible name of an element by role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 4000)]
    pub name: Option<String>,
    /// Default: the whole text, in any case. `false`: a part of it. `true`: the whole, and case counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
}

impl Validate for SemanticTarget {
    fn validate(&self) -> Result<(), Invalid> {
        for (path, text) in [("target.value", Some(self.value.as_str())), ("target.name", self.name.as_deref())] {
            not_blank(path, text)?;
            at_most_chars(path, text, TARGET_VALUE_MAX_CHARS)?;
        }
        if self.name.is_some() && self.by.is_some_and(|by| by != TargetBy::Role) {
            return Err(Invalid::new("target.name", "goes with by role only"));
        }
        if Scan::split(&self.value, ">>").len() > SELECTOR_STEPS_MAX {
            return Err(Invalid::new("target.value", format!("must not have more than {SELECTOR_STEPS_MAX} steps")));
        }
        Ok(())
    }
}

/// The kind of a semantic target's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetBy {
    /// The value of `data-testid`.
    TestId,
    /// An ARIA role; `name` is the accessible name.
    Role,
    /// The text of a field's label.
    Label,
    /// Text that is shown.
    Text,
    /// A field's placeholder.
    Placeholder,
    /// A field's `name` attribute.
    Name,
    /// A CSS selector.
    Css,
    /// An XPath 1.0 expression.
    Xpath,
}

impl TargetBy {
    /// Every kind, in the order in which a target without `by` is tried.
    pub const IN_ORDER: [TargetBy; 8] =
        [Self::TestId, Self::Role, Self::Label, Self::Placeholder, Self::Name, Self::Text, Self::Css, Self::Xpath];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TestId => "testid",
            Self::Role => "role",
            Self::Label => "label",
            Self::Text => "text",
            Self::Placeholder => "placeholder",
            Self::Name => "name",
            Self::Css => "css",
            Self::Xpath => "xpath",
        }
    }
}
