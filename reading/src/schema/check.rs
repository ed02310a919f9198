//! Checks a value against a compiled schema, within a budget of steps.
//!
//! Since references don't recurse, a subschema is applied to a part of the value at most once for each path through the
//! schema. The steps are therefore at most subschemas × values plus those of comparisons. The budget ends checks that
//! are still too long.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState};
use std::time::Instant;

use porthole_contract::{Warning, WarningCode};
use serde_json::{Map, Number, Value};

use super::compiled::{Bound, Id, Kind, Properties, Range, Rule, Schema};
use super::excerpt::{EXCERPT_MAX_CHARS, brief, name_of};
use super::limits::{MISFITS_MAX, NS_PER_STEP, STEPS_MAX};
use super::pattern::Pattern;
use super::place::Place;

/// Bytes of text that are compared in one step.
const COMPARED_BYTES_PER_STEP: usize = 16;

/// Why a check ends early.
enum End {
    /// The budget of steps is spent.
    Spent,
    /// The list of misfits is full.
    Full,
}

pub(super) fn misfits(schema: &Schema, value: &Value, steps: &Cell<u64>) -> Vec<Warning> {
    let mut check = Check { schema, steps, listed: Vec::new() };
    match check.node(schema.root, value, &Place::Root, true) {
        Ok(_) => {}
        Err(End::Full) => {
            check.listed.truncate(MISFITS_MAX);
            check.listed.push(WarningCode::SchemaMisfit.says("there are more misfits; only the first are listed"));
        }
        Err(End::Spent) => check.listed.push(
            WarningCode::SchemaUnchecked
                .says("checking all values against the schema takes too long, so only some were checked"),
        ),
    }
    check.listed
}

struct Check<'s> {
    schema: &'s Schema,
    /// What may still be spent.
    steps: &'s Cell<u64>,
    listed: Vec<Warning>,
}

impl Check<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), End> {
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or_default());
        left.map(drop).ok_or(End::Spent)
    }

    /// Spends what it takes to compare or hash a text.
    fn spend_text(&mut self, text: &str) -> Result<(), End> {
        self.spend((text.len() / COMPARED_BYTES_PER_STEP) as u64)
    }

    /// Returns an object's value of this name, which is compared with several others.
    fn get<'v>(&mut self, object: &'v Map<String, Value>, name: &str) -> Result<Option<&'v Value>, End> {
        let comparisons = usize::BITS - object.len().leading_zeros();
        self.spend(u64::from(comparisons) * (name.len() / COMPARED_BYTES_PER_STEP) as u64)?;
        Ok(object.get(name))
    }

    /// Returns whether a pattern fits a text. A match can't be stopped: one that might take longer than all checks may is not begun,
    /// and what it took is spent.
    fn matches(&mut self, pattern: &Pattern, text: &str) -> Result<bool, End> {
        self.spend(pattern.steps(text))?;
        if pattern.steps_max(text) > STEPS_MAX {
            return Err(End::Spent);
        }
        let since = Instant::now();
        let fits = pattern.fits(text);
        self.spend(u64::try_from(since.elapsed().as_nanos() / NS_PER_STEP).unwrap_or(u64::MAX))?;
        Ok(fits)
    }

    /// Returns whether `value` is valid. With `lists` all misfits are listed; without, the first one ends the check.
    fn node(&mut self, id: Id, value: &Value, place: &Place<'_>, lists: bool) -> Result<bool, End> {
        self.spend(1)?;
        let mut fits = true;
        let schema = self.schema;
        for rule in &schema.nodes[id].rules {
            self.spend(1)?;
            fits &= self.rule(rule, value, place, lists)?;
            if !fits && !lists {
                return Ok(false);
            }
        }
        Ok(fits)
    }

    fn all(&mut self, ids: &[Id], value: &Value, place: &Place<'_>, lists: bool) -> Result<bool, End> {
        let mut fits = true;
        for id in ids {
            fits &= self.node(*id, value, place, lists)?;
            if !fits && !lists {
                break;
            }
        }
        Ok(fits)
    }

    /// Returns how many of the subschemas accept the value, counted no further than `most`.
    fn fitting(&mut self, ids: &[Id], value: &Value, place: &Place<'_>, most: usize) -> Result<usize, End> {
        let mut count = 0;
        for id in ids {
            count += usize::from(self.node(*id, value, place, false)?);
            if count == most {
                break;
            }
        }
        Ok(count)
    }

    /// Returns `fits`; if it is false and `lists` is set, lists a misfit.
    fn report(
        &mut self,
        fits: bool,
        place: &Place<'_>,
        lists: bool,
        why: impl FnOnce() -> String,
    ) -> Result<bool, End> {
        if !fits && lists {
            if self.listed.len() >= MISFITS_MAX {
                return Err(End::Full);
            }
            self.listed.push(WarningCode::SchemaMisfit.says(format!("{}: {}", place.pointer(), why())));
        }
        Ok(fits)
    }

    fn rule(&mut self, rule: &Rule, value: &Value, place: &Place<'_>, lists: bool) -> Result<bool, End> {
        match rule {
            Rule::Never => self.report(false, place, lists, || "no value is allowed here".to_owned()),
            Rule::Type(kinds) => {
                let fits = kinds.iter().any(|kind| kind.is_of(value));
                self.report(fits, place, lists, || {
                    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                    format!("{} is not of type {}", brief(value), names.join(" or "))
                })
            }
            Rule::Enum(values) => {
                let mut fits = false;
                for one in values {
                    if self.equal(one, value)? {
                        fits = true;
                        break;
                    }
                }
                self.report(fits, place, lists, || {
                    format!("{} is not one of the {} allowed values", brief(value), values.len())
                })
            }
            Rule::Const(one) => {
                let fits = self.equal(one, value)?;
                self.report(fits, place, lists, || format!("{} is not {}", brief(value), brief(one)))
            }
            Rule::Ref(id) => self.node(*id, value, place, lists),
            Rule::AllOf(ids) => self.all(ids, value, place, lists),
            Rule::AnyOf(ids) => {
                let fits = self.fitting(ids, value, place, 1)? > 0;
                self.report(fits, place, lists, || format!("{} fits no schema of `anyOf`", brief(value)))
            }
            Rule::OneOf(ids) => {
                let count = self.fitting(ids, value, place, 2)?;
                self.report(count == 1, place, lists, || match count {
                    0 => format!("{} fits no schema of `oneOf`", brief(value)),
                    _ => format!("{} fits more than one schema of `oneOf`", brief(value)),
                })
            }
            Rule::Not(id) => {
                let fits = !self.node(*id, value, place, false)?;
                self.report(fits, place, lists, || format!("{} fits the schema of `not`", brief(value)))
            }
            Rule::If { condition, then, otherwise } => {
                let branch = if self.node(*condition, value, place, false)? { then } else { otherwise };
                branch.map_or(Ok(true), |id| self.node(id, value, place, lists))
            }
            Rule::MultipleOf(..) | Rule::Bound { .. } => match value {
                Value::Number(number) => self.number(rule, number, place, lists),
                _ => Ok(true),
            },
            Rule::Length(..) | Rule::Pattern(..) => match value {
                Value::String(text) => self.text(rule, text, place, lists),
                _ => Ok(true),
            },
            Rule::Items { .. } | Rule::Contains { .. } | Rule::ItemCount(..) | Rule::Unique => match value {
                Value::Array(list) => self.array(rule, list, place, lists),
                _ => Ok(true),
            },
            Rule::Properties(..)
            | Rule::Names(..)
            | Rule::Required(..)
            | Rule::PropertyCount(..)
            | Rule::Needs(..)
            | Rule::Implies(..) => match value {
                Value::Object(object) => self.object(rule, object, value, place, lists),
                _ => Ok(true),
            },
        }
    }

    fn number(&mut self, rule: &Rule, number: &Number, place: &Place<'_>, lists: bool) -> Result<bool, End> {
        match rule {
            Rule::MultipleOf(divisor) => {
                let fits = is_multiple(number, divisor);
                self.report(fits, place, lists, || format!("{number} is not a multiple of {divisor}"))
            }
            Rule::Bound { limit, bound } => {
                let order = compared(number, limit);
                let (fits, words) = match bound {
                    Bound::Least => (order != Ordering::Less, "less than the minimum of"),
                    Bound::Most => (order != Ordering::Greater, "greater than the maximum of"),
                    Bound::Above => (order == Ordering::Greater, "not greater than"),
                    Bound::Below => (order == Ordering::Less, "not less than"),
                };
                self.report(fits, place, lists, || format!("{number} is {words} {limit}"))
            }
            _ => Ok(true),
        }
    }

    fn text(&mut self, rule: &Rule, text: &str, place: &Place<'_>, lists: bool) -> Result<bool, End> {
        let excerpt = || brief(&Value::String(text.chars().take(EXCERPT_MAX_CHARS + 1).collect()));
        match rule {
            Rule::Length(range) => {
                self.spend_text(text)?;
                let chars = text.chars().count() as u64;
                self.report(range.has(chars), place, lists, || {
                    format!("{} has {}", excerpt(), range.misfit(chars, "characters"))
                })
            }
            Rule::Pattern(pattern) => {
                let fits = self.matches(pattern, text)?;
                self.report(fits, place, lists, || format!("{} does not match the pattern", excerpt()))
            }
            _ => Ok(true),
        }
    }

    fn array(&mut self, rule: &Rule, list: &[Value], place: &Place<'_>, lists: bool) -> Result<bool, End> {
        match rule {
            Rule::Items { first, rest } => {
                let mut fits = true;
                for (at, one) in list.iter().enumerate() {
                    let Some(id) = first.get(at).copied().or(*rest) else { break };
                    fits &= self.node(id, one, &place.entry(at), lists)?;
                    if !fits && !lists {
                        break;
                    }
                }
                Ok(fits)
            }
            Rule::Contains { of, count } => {
                let mut found = 0;
                for (at, one) in list.iter().enumerate() {
                    found += u64::from(self.node(*of, one, &place.entry(at), false)?);
                }
                self.report(count.has(found), place, lists, || {
                    format!("{} of the {} entries fit the schema of `contains`", found, list.len())
                })
            }
            Rule::ItemCount(range) => {
                let count = list.len() as u64;
                self.report(range.has(count), place, lists, || {
                    format!("the list has {}", range.misfit(count, "entries"))
                })
            }
            Rule::Unique => {
                let duplicate = self.duplicate(list)?;
                self.report(duplicate.is_none(), place, lists, || {
                    let (one, other) = duplicate.unwrap_or_default();
                    format!("entries {one} and {other} are the same")
                })
            }
            _ => Ok(true),
        }
    }

    /// Checks one property by the schema of its name and those of the patterns that its name matches, or else by that of all
    /// others.
    fn property(
        &mut self,
        properties: &Properties,
        name: &str,
        value: &Value,
        place: &Place<'_>,
        lists: bool,
    ) -> Result<bool, End> {
        let Properties { named, patterns, rest } = properties;
        let inside = place.name(name);
        let (mut fits, mut is_known) = (true, false);
        self.spend_text(name)?;
        if let Some(id) = named.get(name) {
            is_known = true;
            fits &= self.node(*id, value, &inside, lists)?;
        }
        for (pattern, id) in patterns {
            if self.matches(pattern, name)? {
                is_known = true;
                fits &= self.node(*id, value, &inside, lists)?;
            }
        }
        if let Some(id) = rest
            && !is_known
        {
            fits &= self.node(*id, value, &inside, lists)?;
        }
        Ok(fits)
    }

    fn object(
        &mut self,
        rule: &Rule,
        object: &Map<String, Value>,
        value: &Value,
        place: &Place<'_>,
        lists: bool,
    ) -> Result<bool, End> {
        let mut fits = true;
        match rule {
            Rule::Properties(properties) => {
                for (name, one) in object {
                    fits &= self.property(properties, name, one, place, lists)?;
                    if !fits && !lists {
                        break;
                    }
                }
                Ok(fits)
            }
            Rule::Names(id) => {
                for name in object.keys() {
                    self.spend_text(name)?;
                    fits &= self.node(*id, &Value::String(name.clone()), &place.name(name), lists)?;
                }
                Ok(fits)
            }
            Rule::Required(names) => {
                for name in names {
                    self.spend(1)?;
                    let has = self.get(object, name)?.is_some();
                    fits &= self.report(has, place, lists, || format!("{} is missing", name_of(name)))?;
                }
                Ok(fits)
            }
            Rule::PropertyCount(range) => {
                let count = object.len() as u64;
                self.report(range.has(count), place, lists, || {
                    format!("the object has {}", range.misfit(count, "properties"))
                })
            }
            Rule::Needs(needs) => {
                for (name, others) in needs {
                    self.spend(1 + others.len() as u64)?;
                    if self.get(object, name)?.is_none() {
                        continue;
                    }
                    for other in others {
                        let has = self.get(object, other)?.is_some();
                        fits &= self.report(has, place, lists, || {
                            format!("{} is missing, which {} needs", name_of(other), name_of(name))
                        })?;
                    }
                }
                Ok(fits)
            }
            Rule::Implies(implied) => {
                for (name, id) in implied {
                    self.spend(1)?;
                    if self.get(object, name)?.is_some() {
                        fits &= self.node(*id, value, place, lists)?;
                    }
                }
                Ok(fits)
            }
            _ => Ok(true),
        }
    }

    /// Returns whether two values are equal by JSON Schema: numbers by their value, objects in any order.
    fn equal(&mut self, one: &Value, other: &Value) -> Result<bool, End> {
        self.spend(1)?;
        match (one, other) {
            (Value::Number(one), Value::Number(other)) => Ok(compared(one, other) == Ordering::Equal),
            (Value::String(one), Value::String(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                self.spend_text(one)?;
                Ok(one == other)
            }
            (Value::Array(one), Value::Array(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                for (one, other) in one.iter().zip(other) {
                    if !self.equal(one, other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Object(one), Value::Object(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                for (name, one) in one {
                    match self.get(other, name)? {
                        Some(other) if self.equal(one, other)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            (one, other) => Ok(one == other),
        }
    }

    /// Returns the indices of two equal entries, if there are any.
    fn duplicate(&mut self, list: &[Value]) -> Result<Option<(usize, usize)>, End> {
        let hashing = RandomState::new();
        let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, one) in list.iter().enumerate() {
            let mut hasher = hashing.build_hasher();
            self.hash(one, &mut hasher)?;
            let alike = seen.entry(hasher.finish()).or_default();
            for before in alike.iter() {
                if self.equal(&list[*before], one)? {
                    return Ok(Some((*before, at)));
                }
            }
            alike.push(at);
        }
        Ok(None)
    }

    /// Hashes a value so that equal ones have the same hash.
    fn hash(&mut self, value: &Value, hasher: &mut impl std::hash::Hasher) -> Result<(), End> {
        self.spend(1)?;
        match value {
            Value::Null => 0_u8.hash(hasher),
            Value::Bool(one) => (1_u8, one).hash(hasher),
            // Integers that a float can't represent share a hash with their neighbours.
            Value::Number(number) => (2_u8, (number.as_f64().unwrap_or_default() + 0.0).to_bits()).hash(hasher),
            Value::String(text) => {
                self.spend_text(text)?;
                (3_u8, text).hash(hasher);
            }
            Value::Array(list) => {
                (4_u8, list.len()).hash(hasher);
                for one in list {
                    self.hash(one, hasher)?;
                }
            }
            Value::Object(object) => {
                // A map's entries are always ordered by name.
                (5_u8, object.len()).hash(hasher);
                for (name, one) in object {
                    self.spend_text(name)?;
                    name.hash(hasher);
                    self.hash(one, hasher)?;
                }
            }
        }
        Ok(())
    }
}

impl Kind {
    fn is_of(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Object, Value::Object(_))
            | (Self::Array, Value::Array(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_)) => true,
            (Self::Integer, Value::Number(number)) => {
                number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|real| real.fract() == 0.0)
            }
            _ => false,
        }
    }
}

impl Range {
    fn has(self, count: u64) -> bool {
        self.least.is_none_or(|least| count >= least) && self.most.is_none_or(|most| count <= most)
    }

    fn misfit(self, count: u64, what: &str) -> String {
        match (self.least, self.most) {
            (Some(least), _) if count < least => format!("{count} {what}, fewer than {least}"),
            (_, Some(most)) => format!("{count} {what}, more than {most}"),
            _ => format!("{count} {what}"),
        }
    }
}

/// Compares numbers by their value, integers exactly.
fn compared(one: &Number, other: &Number) -> Ordering {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => {
            let real = |number: &Number| number.as_f64().unwrap_or_default();
            real(one).partial_cmp(&real(other)).unwrap_or(Ordering::Equal)
        }
    }
}

fn is_multiple(number: &Number, divisor: &Number) -> bool {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    if let (Some(number), Some(divisor)) = (whole(number), whole(divisor)) {
        return divisor != 0 && number % divisor == 0;
    }
    let (Some(number), Some(divisor)) = (number.as_f64(), divisor.as_f64()) else { return true };
    // 0.3 is a multiple of 0.1 although their binary fractions say otherwise.
    let times = number / divisor;
    (times - times.round()).abs() <= 1e-9 * times.abs().max(1.0)
}
