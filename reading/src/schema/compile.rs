//! Compiles a schema from JSON. Each subschema is compiled once; `$ref`s share their target.

use std::collections::HashMap;

use porthole_contract::Invalid;
use serde_json::{Map, Number, Value};

use super::compiled::{Bound, Id, Kind, Node, Properties, Range, Rule, Schema};
use super::limits::{EXPANDED_MAX, LEVELS_MAX};
use super::pattern::Pattern;
use super::place::Place;

/// Most distinct patterns of one schema.
const PATTERNS_MAX: usize = 50;
/// Largest size of all compiled patterns of one schema, in KiB.
const PATTERNS_MAX_KIB: usize = 4 * 1024;

/// Keywords that are refused everywhere: their constraint depends on the results of other keywords, or on the path by
/// which they were reached.
const REFUSED: [&str; 6] =
    ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"];

pub(super) fn compile(schema: &Value) -> Result<Schema, Invalid> {
    let mut compiler = Compiler { whole: schema, nodes: Vec::new(), known: HashMap::new(), patterns: HashMap::new() };
    let root = compiler.node(schema, &Place::Root, 1)?;
    Ok(Schema { nodes: compiler.nodes, root })
}

fn refused(place: &Place<'_>, keyword: &str, reason: impl std::fmt::Display) -> Invalid {
    let keyword: String = keyword.chars().take(100).collect();
    Invalid::new("schema", format!("`{keyword}` at `{}` {reason}", place.pointer()))
}

/// The state of a subschema that the compiler has visited.
#[derive(Clone, Copy)]
enum Known {
    /// It is being compiled: a reference to it would be recursive.
    Open,
    Done(Id),
}

struct Compiler<'a> {
    whole: &'a Value,
    nodes: Vec<Node>,
    /// Subschemas by their address inside `whole`, which does not move.
    known: HashMap<usize, Known>,
    patterns: HashMap<&'a str, Pattern>,
}

impl<'a> Compiler<'a> {
    /// Compiles the subschema `value` at `place`, at this level of nested subschemas and references.
    fn node(&mut self, value: &'a Value, place: &Place<'_>, level: usize) -> Result<Id, Invalid> {
        let address = std::ptr::from_ref(value) as usize;
        if let Some(Known::Done(id)) = self.known.get(&address) {
            return Ok(*id);
        }
        if level > LEVELS_MAX {
            return Err(Invalid::new(
                "schema",
                format!("is nested deeper than {LEVELS_MAX} levels at `{}`, following `$ref`s", place.pointer()),
            ));
        }
        self.known.insert(address, Known::Open);
        let mut node = Node { expanded: 1, levels: 1, rules: Vec::new() };
        match value {
            Value::Bool(true) => {}
            Value::Bool(false) => node.rules.push(Rule::Never),
            Value::Object(object) => {
                let mut open = Open { compiler: self, object, place, level, node: &mut node };
                open.keywords()?;
            }
            _ => return Err(Invalid::new("schema", format!("has no schema at `{}`", place.pointer()))),
        }
        let id = self.nodes.len();
        self.nodes.push(node);
        self.known.insert(address, Known::Done(id));
        Ok(id)
    }

    fn pattern(&mut self, text: &'a str, place: &Place<'_>, keyword: &str) -> Result<Pattern, Invalid> {
        if let Some(known) = self.patterns.get(text) {
            return Ok(known.clone());
        }
        if self.patterns.len() >= PATTERNS_MAX {
            return Err(refused(place, keyword, format!("exceeds the limit of {PATTERNS_MAX} patterns")));
        }
        let compiled = Pattern::compile(text).map_err(|reason| refused(place, keyword, reason))?;
        let kib: usize = self.patterns.values().map(Pattern::kib).sum();
        if kib + compiled.kib() > PATTERNS_MAX_KIB {
            return Err(refused(place, keyword, "and the patterns before it are too large once compiled"));
        }
        self.patterns.insert(text, compiled.clone());
        Ok(compiled)
    }
}

/// A subschema that is being compiled.
struct Open<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    object: &'a Map<String, Value>,
    place: &'c Place<'c>,
    level: usize,
    node: &'c mut Node,
}

impl<'a> Open<'_, 'a> {
    fn keywords(&mut self) -> Result<(), Invalid> {
        for keyword in REFUSED {
            if self.object.contains_key(keyword) {
                return Err(refused(self.place, keyword, "is not supported"));
            }
        }
        // References inside a nested `$id` would be relative to it.
        if self.object.contains_key("$id") && !matches!(self.place, Place::Root) {
            return Err(refused(self.place, "$id", "is supported at the schema's root only"));
        }
        self.any()?;
        self.combined()?;
        self.numbers()?;
        self.strings()?;
        self.arrays()?;
        self.objects()
    }

    fn refuse<T>(&self, keyword: &str, reason: &str) -> Result<T, Invalid> {
        Err(refused(self.place, keyword, reason))
    }

    fn push(&mut self, rule: Rule) {
        self.node.rules.push(rule);
    }

    /// Compiles a subschema below this one and counts its expanded size.
    fn below(&mut self, value: &'a Value, place: &Place<'_>) -> Result<Id, Invalid> {
        let id = self.compiler.node(value, place, self.level + 1)?;
        let below = &self.compiler.nodes[id];
        self.node.expanded = self.node.expanded.saturating_add(below.expanded);
        self.node.levels = self.node.levels.max(below.levels + 1);
        if self.node.expanded > EXPANDED_MAX || self.level + below.levels > LEVELS_MAX {
            return Err(Invalid::new(
                "schema",
                format!(
                    "has more than {EXPANDED_MAX} subschemas or {LEVELS_MAX} levels at `{}`, with each `$ref` counted as \
                     its target",
                    place.pointer()
                ),
            ));
        }
        Ok(id)
    }

    fn schema(&mut self, keyword: &'a str) -> Result<Option<Id>, Invalid> {
        let Some(value) = self.object.get(keyword) else { return Ok(None) };
        let place = self.place.name(keyword);
        self.below(value, &place).map(Some)
    }

    fn schemas(&mut self, keyword: &'a str) -> Result<Option<Vec<Id>>, Invalid> {
        match self.object.get(keyword) {
            None => Ok(None),
            Some(Value::Array(list)) if !list.is_empty() => {
                let place = self.place.name(keyword);
                list.iter()
                    .enumerate()
                    .map(|(at, one)| self.below(one, &place.entry(at)))
                    .collect::<Result<_, _>>()
                    .map(Some)
            }
            Some(_) => self.refuse(keyword, "must be a list of schemas"),
        }
    }

    fn named(&mut self, keyword: &'a str) -> Result<Vec<(&'a str, Id)>, Invalid> {
        match self.object.get(keyword) {
            None => Ok(Vec::new()),
            Some(Value::Object(map)) => {
                let place = self.place.name(keyword);
                map.iter().map(|(name, one)| Ok((name.as_str(), self.below(one, &place.name(name))?))).collect()
            }
            Some(_) => self.refuse(keyword, "must be an object of schemas"),
        }
    }

    fn number(&self, keyword: &str) -> Result<Option<Number>, Invalid> {
        match self.object.get(keyword) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number.clone())),
            Some(_) => self.refuse(keyword, "must be a number"),
        }
    }

    fn count(&self, keyword: &str) -> Result<Option<u64>, Invalid> {
        let Some(number) = self.number(keyword)? else { return Ok(None) };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and in the range")]
        let whole = number.as_u64().or_else(|| {
            number.as_f64().filter(|real| real.fract() == 0.0 && (0.0..9e15).contains(real)).map(|real| real as u64)
        });
        match whole {
            Some(whole) => Ok(Some(whole)),
            None => self.refuse(keyword, "must be a non-negative integer"),
        }
    }

    fn range(&self, least: &str, most: &str) -> Result<Option<Range>, Invalid> {
        let range = Range { least: self.count(least)?, most: self.count(most)? };
        Ok((range.least.is_some() || range.most.is_some()).then_some(range))
    }

    fn strings_of(&self, keyword: &str, value: &Value) -> Result<Vec<String>, Invalid> {
        let list = value.as_array().map(|list| list.iter().map(|one| one.as_str().map(str::to_owned)).collect());
        match list {
            Some(Some(names)) => Ok(names),
            _ => self.refuse(keyword, "must be a list of names"),
        }
    }

    fn any(&mut self) -> Result<(), Invalid> {
        if let Some(value) = self.object.get("type") {
            let kinds: Option<Vec<Kind>> = match value {
                Value::String(name) => Kind::of_name(name).map(|kind| vec![kind]),
                Value::Array(list) if !list.is_empty() => {
                    list.iter().map(|one| one.as_str().and_then(Kind::of_name)).collect()
                }
                _ => None,
            };
            match kinds {
                Some(kinds) => self.push(Rule::Type(kinds)),
                None => return self.refuse("type", "must be the name of a type or a list of such names"),
            }
        }
        match self.object.get("enum") {
            None => {}
            Some(Value::Array(list)) => self.push(Rule::Enum(list.clone())),
            Some(_) => return self.refuse("enum", "must be a list"),
        }
        if let Some(value) = self.object.get("const") {
            self.push(Rule::Const(value.clone()));
        }
        match self.object.get("$ref") {
            None => Ok(()),
            Some(Value::String(pointer)) => self.reference(pointer),
            Some(_) => self.refuse("$ref", "must be a string"),
        }
    }

    fn reference(&mut self, pointer: &str) -> Result<(), Invalid> {
        let decoded = percent_encoding::percent_decode_str(pointer).decode_utf8_lossy();
        let target = decoded.strip_prefix('#').and_then(|pointer| match pointer {
            "" | "/" => Some(self.compiler.whole),
            pointer if pointer.starts_with('/') => self.compiler.whole.pointer(pointer),
            _ => None,
        });
        let Some(target) = target else {
            return self.refuse("$ref", "must point at a part of this schema, as `#/$defs/name` does");
        };
        if matches!(self.compiler.known.get(&(std::ptr::from_ref(target) as usize)), Some(Known::Open)) {
            return self.refuse("$ref", "leads back to itself; recursive schemas are not supported");
        }
        let place = self.place.name("$ref");
        let id = self.below(target, &place)?;
        self.push(Rule::Ref(id));
        Ok(())
    }

    fn combined(&mut self) -> Result<(), Invalid> {
        if let Some(ids) = self.schemas("allOf")? {
            self.push(Rule::AllOf(ids));
        }
        if let Some(ids) = self.schemas("anyOf")? {
            self.push(Rule::AnyOf(ids));
        }
        if let Some(ids) = self.schemas("oneOf")? {
            self.push(Rule::OneOf(ids));
        }
        if let Some(id) = self.schema("not")? {
            self.push(Rule::Not(id));
        }
        let (condition, then, otherwise) = (self.schema("if")?, self.schema("then")?, self.schema("else")?);
        if let Some(condition) = condition
            && (then.is_some() || otherwise.is_some())
        {
            self.push(Rule::If { condition, then, otherwise });
        }
        Ok(())
    }

    fn numbers(&mut self) -> Result<(), Invalid> {
        if let Some(divisor) = self.number("multipleOf")? {
            if !divisor.as_f64().is_some_and(|divisor| divisor > 0.0) {
                return self.refuse("multipleOf", "must be greater than 0");
            }
            self.push(Rule::MultipleOf(divisor));
        }
        for (keyword, bound) in [
            ("minimum", Bound::Least),
            ("maximum", Bound::Most),
            ("exclusiveMinimum", Bound::Above),
            ("exclusiveMaximum", Bound::Below),
        ] {
            if let Some(limit) = self.number(keyword)? {
                self.push(Rule::Bound { limit, bound });
            }
        }
        Ok(())
    }

    fn strings(&mut self) -> Result<(), Invalid> {
        if let Some(range) = self.range("minLength", "maxLength")? {
            self.push(Rule::Length(range));
        }
        match self.object.get("pattern") {
            None => Ok(()),
            Some(Value::String(pattern)) => {
                let pattern = self.compiler.pattern(pattern, self.place, "pattern")?;
                self.push(Rule::Pattern(pattern));
                Ok(())
            }
            Some(_) => self.refuse("pattern", "must be a string"),
        }
    }

    fn arrays(&mut self) -> Result<(), Invalid> {
        // Drafts before 2020-12 write `prefixItems` as a list in `items`, and `items` as `additionalItems`.
        let is_older = self.object.get("items").is_some_and(Value::is_array);
        if is_older && self.object.contains_key("prefixItems") {
            return self.refuse("items", "must be a schema beside `prefixItems`");
        }
        let empty = self.object.get("items").and_then(Value::as_array).is_some_and(Vec::is_empty);
        let (first, rest) = match is_older {
            true if empty => (None, self.schema("additionalItems")?),
            true => (self.schemas("items")?, self.schema("additionalItems")?),
            false => (self.schemas("prefixItems")?, self.schema("items")?),
        };
        if first.is_some() || rest.is_some() {
            self.push(Rule::Items { first: first.unwrap_or_default(), rest });
        }
        let count = self.range("minContains", "maxContains")?.unwrap_or_default();
        if let Some(of) = self.schema("contains")? {
            self.push(Rule::Contains { of, count: Range { least: count.least.or(Some(1)), ..count } });
        }
        if let Some(range) = self.range("minItems", "maxItems")? {
            self.push(Rule::ItemCount(range));
        }
        match self.object.get("uniqueItems") {
            None | Some(Value::Bool(false)) => Ok(()),
            Some(Value::Bool(true)) => {
                self.push(Rule::Unique);
                Ok(())
            }
            Some(_) => self.refuse("uniqueItems", "must be true or false"),
        }
    }

    fn objects(&mut self) -> Result<(), Invalid> {
        let named: HashMap<String, Id> =
            self.named("properties")?.into_iter().map(|(name, id)| (name.to_owned(), id)).collect();
        let mut patterns = Vec::new();
        for (text, id) in self.named("patternProperties")? {
            patterns.push((self.compiler.pattern(text, self.place, "patternProperties")?, id));
        }
        let rest = self.schema("additionalProperties")?;
        if !named.is_empty() || !patterns.is_empty() || rest.is_some() {
            self.push(Rule::Properties(Properties { named, patterns, rest }));
        }
        if let Some(id) = self.schema("propertyNames")? {
            self.push(Rule::Names(id));
        }
        if let Some(value) = self.object.get("required") {
            let names = self.strings_of("required", value)?;
            self.push(Rule::Required(names));
        }
        if let Some(range) = self.range("minProperties", "maxProperties")? {
            self.push(Rule::PropertyCount(range));
        }
        let mut needs = Vec::new();
        let mut implies: Vec<(String, Id)> =
            self.named("dependentSchemas")?.into_iter().map(|(name, id)| (name.to_owned(), id)).collect();
        // Drafts before 2019-09 have both in `dependencies`.
        for keyword in ["dependentRequired", "dependencies"] {
            match self.object.get(keyword) {
                None => {}
                Some(Value::Object(map)) => {
                    let place = self.place.name(keyword);
                    for (name, value) in map {
                        if value.is_array() || keyword == "dependentRequired" {
                            needs.push((name.clone(), self.strings_of(keyword, value)?));
                        } else {
                            implies.push((name.clone(), self.below(value, &place.name(name))?));
                        }
                    }
                }
                Some(_) => return self.refuse(keyword, "must be an object"),
            }
        }
        if !needs.is_empty() {
            self.push(Rule::Needs(needs));
        }
        if !implies.is_empty() {
            self.push(Rule::Implies(implies));
        }
        Ok(())
    }
}

impl Kind {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "object" => Self::Object,
            "array" => Self::Array,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "string" => Self::String,
            _ => return None,
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Object => "object",
            Self::Array => "array",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::String => "string",
        }
    }
}
