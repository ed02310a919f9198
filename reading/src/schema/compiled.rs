//! A compiled schema: its subschemas, each with the rules that a value must keep.

use std::collections::HashMap;

use serde_json::{Number, Value};

use super::pattern::Pattern;

/// A subschema, as an index of [`Schema::nodes`].
pub(super) type Id = usize;

/// A compiled schema.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(super) nodes: Vec<Node>,
    pub(super) root: Id,
}

/// A compiled subschema.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) rules: Vec<Rule>,
    /// Number of subschemas in it, itself included, each `$ref` counted as its target.
    pub(super) expanded: usize,
    /// Levels of subschemas in it, itself included.
    pub(super) levels: usize,
}

/// The constraint of one keyword, or of several that belong together.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// `false`: no value is valid.
    Never,
    Type(Vec<Kind>),
    Enum(Vec<Value>),
    Const(Value),
    Ref(Id),
    AllOf(Vec<Id>),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    MultipleOf(Number),
    Bound {
        limit: Number,
        bound: Bound,
    },
    Length(Range),
    Pattern(Pattern),
    Items {
        first: Vec<Id>,
        rest: Option<Id>,
    },
    Contains {
        of: Id,
        count: Range,
    },
    ItemCount(Range),
    Unique,
    Properties(Properties),
    Names(Id),
    Required(Vec<String>),
    PropertyCount(Range),
    /// `dependentRequired`: if the first property is present, the others must be.
    Needs(Vec<(String, Vec<String>)>),
    /// `dependentSchemas`: if the property is present, the whole object must match.
    Implies(Vec<(String, Id)>),
}

/// The schemas of an object's properties.
#[derive(Clone, Debug)]
pub(super) struct Properties {
    /// `properties`: by name.
    pub(super) named: HashMap<String, Id>,
    /// `patternProperties`: by the patterns that a name matches.
    pub(super) patterns: Vec<(Pattern, Id)>,
    /// `additionalProperties`: of all others.
    pub(super) rest: Option<Id>,
}

/// The types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Object,
    Array,
    Number,
    Integer,
    String,
}

/// The kind of a limit on a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Least,
    Most,
    Above,
    Below,
}

/// The allowed range of a count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}
