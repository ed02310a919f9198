//! A caller's JSON Schema: the subset that can be compiled and checked in bounded time and memory.
//!
//! Compiling ([`compile`]) is linear in the schema's JSON: each subschema is compiled once, however many `$ref`s point
//! at it. The size with all references expanded is counted and must not exceed [`EXPANDED_MAX`], so no schema can grow
//! exponentially. Checking ([`check`]) spends from a budget of [`STEPS_MAX`] steps and ends when it is spent.
//!
//! The keywords are those of drafts 7 to 2020-12, read as 2020-12 does. Keywords whose cost depends on what other
//! keywords did (`unevaluatedProperties`, `$dynamicRef`, …) and recursive references are refused by name. As the
//! specification demands, `format` is an annotation and unknown keywords are ignored.

mod check;
mod compile;
mod excerpt;
mod pattern;
mod place;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use porthole_contract::Invalid;
use serde_json::{Number, Value};

use self::pattern::Pattern;

/// Most subschemas of a schema, with every `$ref` replaced by its target.
pub const EXPANDED_MAX: usize = 2_000;
/// Most levels of nested subschemas, `$ref`s followed.
pub const LEVELS_MAX: usize = 48;
/// Most steps of one check: some tenths of a second. A step costs about 10 ns.
pub const STEPS_MAX: u64 = 50_000_000;
/// Most misfits (parts of a value that violate its schema) that are listed.
pub const MISFITS_MAX: usize = 20;

/// A subschema, as an index of [`Schema::nodes`].
type Id = usize;

/// A compiled schema.
#[derive(Clone, Debug)]
pub struct Schema {
    nodes: Vec<Node>,
    root: Id,
}

/// A compiled subschema.
#[derive(Clone, Debug, Default)]
struct Node {
    rules: Vec<Rule>,
    /// Number of subschemas in it, itself included, each `$ref` counted as its target.
    expanded: usize,
    /// Levels of subschemas in it, itself included.
    levels: usize,
}

/// The constraint of one keyword, or of several that belong together.
#[derive(Clone, Debug)]
enum Rule {
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
    Properties {
        named: HashMap<String, Id>,
        patterns: Vec<(Pattern, Id)>,
        rest: Option<Id>,
    },
    Names(Id),
    Required(Vec<String>),
    PropertyCount(Range),
    /// `dependentRequired`: if the first property is present, the others must be.
    Needs(Vec<(String, Vec<String>)>),
    /// `dependentSchemas`: if the property is present, the whole object must match.
    Implies(Vec<(String, Id)>),
}

/// The types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
enum Bound {
    Least,
    Most,
    Above,
    Below,
}

/// The allowed range of a count.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    least: Option<u64>,
    most: Option<u64>,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`Invalid`] for `schema`, with the unsupported or malformed keyword and its place.
    pub fn compile(schema: &Value) -> Result<Self, Invalid> {
        compile::compile(schema)
    }

    /// Returns warnings about the parts of `value` that violate the schema, each as `code: sentence`.
    #[must_use]
    pub fn misfits(&self, value: &Value) -> Vec<String> {
        check::misfits(self, value, STEPS_MAX)
    }
}
