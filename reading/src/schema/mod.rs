//! A caller's JSON Schema: the subset that can be compiled and checked in bounded time and memory.
//!
//! Compiling ([`compile`]) is linear in the schema's JSON: each subschema is compiled once, however many `$ref`s point at
//! it. What the references would expand to is counted and must not exceed [`EXPANDED_MAX`], so no schema doubles from
//! level to level. Checking ([`check`]) spends from a budget of [`STEPS_MAX`] steps and ends when it is spent.
//!
//! The keywords are those of drafts 7 to 2020-12, read as 2020-12 does. Keywords whose cost depends on what other
//! keywords did (`unevaluatedProperties`, `$dynamicRef`, …) and recursive references are refused by name. `format` is an
//! annotation, as the specification has it. Unknown keywords are ignored, as it asks.

mod check;
mod compile;
mod pattern;
mod place;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use porthole_contract::Invalid;
use serde_json::{Number, Value};

use self::pattern::Pattern;

/// Subschemas that a schema may come to once every `$ref` is replaced by what it points at.
pub const EXPANDED_MAX: usize = 2_000;
/// Levels of subschemas inside one another, `$ref`s followed.
pub const LEVELS_MAX: usize = 48;
/// Steps of one check: some tenths of a second. A step costs about 10 ns.
pub const STEPS_MAX: u64 = 50_000_000;
/// Misfits that are listed.
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
    /// Subschemas in it, itself included, each `$ref` counted as what it points at.
    expanded: usize,
    /// Levels of subschemas in it, itself included.
    levels: usize,
}

/// What one keyword, or several that belong together, demand.
#[derive(Clone, Debug)]
enum Rule {
    /// `false`: nothing fits.
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
    /// `dependentRequired`: where the first is there, the others must be.
    Needs(Vec<(String, Vec<String>)>),
    /// `dependentSchemas`: where the property is there, the whole object must fit.
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

/// A limit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Least,
    Most,
    Above,
    Below,
}

/// How many there may be.
#[derive(Clone, Copy, Debug, Default)]
struct Range {
    least: Option<u64>,
    most: Option<u64>,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`Invalid`] naming `schema`, with the keyword that is not supported or not well-formed, and its place.
    pub fn compile(schema: &Value) -> Result<Self, Invalid> {
        compile::compile(schema)
    }

    /// Warnings about the parts of `value` that do not fit, each as `code: sentence`.
    #[must_use]
    pub fn misfits(&self, value: &Value) -> Vec<String> {
        check::misfits(self, value, STEPS_MAX)
    }
}
