//! What a schema and its check may cost.

/// Most subschemas of a schema, with every `$ref` replaced by its target.
pub const EXPANDED_MAX: usize = 2_000;
/// Most levels of nested subschemas, `$ref`s followed.
pub const LEVELS_MAX: usize = 48;
/// Most steps of the checks of one reading: some tenths of a second.
pub const STEPS_MAX: u64 = 50_000_000;
/// What a step costs, about.
pub(super) const NS_PER_STEP: u128 = 10;
/// Most misfits (parts of a value that violate its schema) that are listed.
pub const MISFITS_MAX: usize = 20;
