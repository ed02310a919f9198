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
mod compiled;
mod excerpt;
mod limits;
mod pattern;
mod place;

#[cfg(test)]
mod tests;

use std::cell::Cell;

use porthole_contract::{Invalid, Warning};
use serde_json::Value;

pub use self::compiled::Schema;
pub use self::limits::{EXPANDED_MAX, LEVELS_MAX, MISFITS_MAX, STEPS_MAX};

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`Invalid`] for `schema`, with the unsupported or malformed keyword and its place.
    pub fn compile(schema: &Value) -> Result<Self, Invalid> {
        compile::compile(schema)
    }

    /// Returns warnings about the parts of `value` that violate the schema. The check takes its steps from
    /// `steps`, which begins with [`STEPS_MAX`] for all checks of one reading.
    #[must_use]
    pub fn misfits(&self, value: &Value, steps: &Cell<u64>) -> Vec<Warning> {
        check::misfits(self, value, steps)
    }
}
