//! Values in the shape of a map: each field has its own selector, and its value is read as the field's type.
//!
//! A field is written as
//! - `"SELECTOR"`, with `@attribute`, `[]` for all matches and ` | type` after it: `"a.more@href[]"`, `".price | number"`;
//! - `["SELECTOR"]` for all matches, `["SELECTOR", {…}]` for a map of each of them;
//! - `{"selector": …, "attr": …, "type": …, "list": …, "fields": {…}}`, the long form of the same;
//! - `{…}`, a nested map, read from the same element.
//!
//! A name may end in `[]` too.

use std::fmt;

use porthole_contract::limits::SELECTOR_STEPS_MAX;
use porthole_contract::{Chain, Invalid, Warning, WarningCode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::budget::Budget;
use crate::clean::cleaned;
use crate::dom::NodeId;
use crate::snapshot::Raw;
use crate::values;
use crate::view::View;

/// Most fields of a map, those of nested maps included.
const FIELDS_MAX: usize = 200;
/// Deepest nesting of maps.
const DEPTH_MAX: usize = 8;
/// Most warnings of one map.
pub const WARNINGS_MAX: usize = 20;
/// Longest excerpt of a text in a warning, in characters.
const EXCERPT_MAX_CHARS: usize = 60;
/// Longest excerpt of a field's name in a warning, in characters.
const PATH_STEP_MAX_CHARS: usize = 100;

/// The type that a value is read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Text.
    #[default]
    #[serde(alias = "text")]
    String,
    /// A number, in the notation of the page's language.
    Number,
    /// A date, in the notation of the page's language; returned as ISO 8601.
    Date,
    /// An absolute URL: of the link or image, or written as text.
    Url,
    /// Yes or no.
    #[serde(alias = "boolean")]
    Bool,
}

/// A field of a map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Field {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// The selector of its value; without steps, the element that the map is read from.
    pub chain: Chain,
    /// The attribute to read; by default the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// Whether to read all matches.
    pub list: bool,
    /// The nested map to read from each match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<Field>>,
    /// The type that the value is read as.
    #[serde(skip)]
    pub kind: Type,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelt {
    selector: String,
    attr: Option<String>,
    #[serde(default)]
    r#type: Type,
    #[serde(default)]
    list: bool,
    fields: Option<Map<String, Value>>,
}

/// Parses a map.
///
/// # Errors
/// [`Invalid`] with the field's path, such as `map.price`.
pub fn parse(map: &Value) -> Result<Vec<Field>, Invalid> {
    let Value::Object(map) = map else { return Err(Invalid::new("map", "must be an object")) };
    let mut left = FIELDS_MAX;
    fields(map, "map", 0, &mut left)
}

fn fields(map: &Map<String, Value>, path: &str, depth: usize, left: &mut usize) -> Result<Vec<Field>, Invalid> {
    if depth >= DEPTH_MAX {
        return Err(Invalid::new(path, format!("maps may be nested at most {DEPTH_MAX} deep")));
    }
    if map.is_empty() {
        return Err(Invalid::new(path, "has no fields"));
    }
    map.iter()
        .map(|(name, value)| {
            let path = format!("{path}.{name}");
            *left = left
                .checked_sub(1)
                .ok_or_else(|| Invalid::new(&path, format!("exceeds the limit of {FIELDS_MAX} fields")))?;
            let mut field = field(value, &path, depth, left)?;
            let bare = name.strip_suffix("[]");
            field.list |= bare.is_some();
            field.name = bare.unwrap_or(name).to_owned();
            Ok(field)
        })
        .collect()
}

fn field(value: &Value, path: &str, depth: usize, left: &mut usize) -> Result<Field, Invalid> {
    match value {
        Value::String(text) => short(text, path),
        Value::Array(list) => match list.as_slice() {
            [Value::String(text)] => Ok(Field { list: true, ..short(text, path)? }),
            [Value::Object(spelt)] => Ok(Field { list: true, ..object(spelt, path, depth, left)? }),
            [Value::String(text), Value::Object(map)] => {
                Ok(Field { list: true, fields: Some(fields(map, path, depth + 1, left)?), ..short(text, path)? })
            }
            _ => Err(Invalid::new(path, "a list is `[\"SELECTOR\"]` or `[\"SELECTOR\", {…}]`")),
        },
        Value::Object(map) => object(map, path, depth, left),
        _ => Err(Invalid::new(path, "must be a selector, a list or a map")),
    }
}

fn object(map: &Map<String, Value>, path: &str, depth: usize, left: &mut usize) -> Result<Field, Invalid> {
    if !map.get("selector").is_some_and(Value::is_string) {
        let fields = fields(map, path, depth + 1, left)?;
        return Ok(Field {
            name: String::new(),
            chain: Chain::default(),
            attribute: None,
            list: false,
            fields: Some(fields),
            kind: Type::String,
        });
    }
    let spelt: Spelt =
        serde_json::from_value(Value::Object(map.clone())).map_err(|error| Invalid::new(path, error.to_string()))?;
    let inner = spelt.fields.map(|map| fields(&map, path, depth + 1, left)).transpose()?;
    let short = short(&spelt.selector, path)?;
    Ok(Field {
        attribute: spelt.attr.or(short.attribute),
        list: spelt.list || short.list,
        kind: if short.kind == Type::String { spelt.r#type } else { short.kind },
        fields: inner,
        ..short
    })
}

/// Parses the short form `SELECTOR@attribute[] | type`.
fn short(text: &str, path: &str) -> Result<Field, Invalid> {
    let mut rest = text.trim();
    let mut kind = Type::String;
    if let Some((before, word)) = rest.rsplit_once('|')
        && let Ok(named) = serde_json::from_value(json!(word.trim().to_ascii_lowercase()))
    {
        kind = named;
        rest = before.trim_end();
    }
    let mut list = false;
    if let Some(before) = rest.strip_suffix("[]") {
        list = true;
        rest = before.trim_end();
    }
    let mut attribute = None;
    // In an XPath `/@href` is a step; CSS has no `@` outside brackets and quotes.
    if let Some((before, name)) = rest.rsplit_once('@')
        && !before.trim_end().ends_with(['/', ':', '['])
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
    {
        attribute = Some(name.to_owned());
        rest = before.trim_end();
    }
    if let Some(before) = rest.strip_suffix("[]") {
        list = true;
        rest = before.trim_end();
    }
    let chain = match rest {
        "" | "." => Chain::default(),
        selector => Chain::parse(selector).map_err(|invalid| Invalid::new(path, invalid.reason))?,
    };
    if chain.steps.len() > SELECTOR_STEPS_MAX {
        return Err(Invalid::new(path, format!("a selector may have at most {SELECTOR_STEPS_MAX} steps")));
    }
    Ok(Field { name: String::new(), chain, attribute, list, fields: None, kind })
}

/// Reads a map's values.
pub struct Reader<'a> {
    /// The page.
    pub view: View<'a>,
    /// Its language.
    pub language: &'a str,
    /// The base of its relative URLs.
    pub base: Option<url::Url>,
    /// Warnings about values that are missing or did not fit their type, each as `code: sentence`.
    pub warnings: Vec<Warning>,
    /// Number of warnings, including those beyond [`WARNINGS_MAX`].
    pub misfits: usize,
    /// Budget for texts, and for the field names of each value.
    pub budget: Budget<'a>,
    /// Number of values that may still be created, missing ones included.
    pub values: usize,
}

/// A value's path in the map, used only in warnings.
#[derive(Clone, Copy)]
enum Path<'a> {
    Map,
    Field(&'a Path<'a>, &'a str),
    Entry(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map => Ok(()),
            Self::Field(Path::Map, name) => write!(f, "{name:.PATH_STEP_MAX_CHARS$}"),
            Self::Field(above, name) => write!(f, "{above}.{name:.PATH_STEP_MAX_CHARS$}"),
            Self::Entry(above, at) => write!(f, "{above}[{at}]"),
        }
    }
}

impl Reader<'_> {
    /// Reads the values of the map's fields.
    pub fn object(&mut self, fields: &[Field], values: &[Raw]) -> Value {
        self.map(fields, values, &Path::Map)
    }

    fn map(&mut self, fields: &[Field], values: &[Raw], path: &Path<'_>) -> Value {
        let mut object = Map::new();
        for (field, raw) in fields.iter().zip(values) {
            let path = Path::Field(path, &field.name);
            let Some(left) = self.values.checked_sub(1).filter(|_| self.budget.take_bytes(field.name.len())) else {
                self.warn(|| {
                    WarningCode::PageCut
                        .says(format!("`{path}` was not read because the values before it used up the read budget"))
                });
                break;
            };
            self.values = left;
            let value = match &raw.list {
                Some(list) => {
                    let mut entries = Vec::new();
                    for (at, one) in list.iter().enumerate() {
                        if self.values == 0 || self.budget.is_spent() {
                            break;
                        }
                        self.values -= 1;
                        entries.push(self.value(field, one, &Path::Entry(&path, at)));
                    }
                    Value::Array(entries)
                }
                None if raw.none => {
                    self.warn(|| WarningCode::NotFound.says(format!("nothing matches the selector of `{path}`")));
                    Value::Null
                }
                None => self.value(field, raw, &path),
            };
            object.insert(field.name.clone(), value);
        }
        Value::Object(object)
    }

    fn value(&mut self, field: &Field, raw: &Raw, path: &Path<'_>) -> Value {
        if let (Some(fields), Some(values)) = (&field.fields, &raw.map) {
            return self.map(fields, values, path);
        }
        let node = raw.at.and_then(|at| usize::try_from(at).ok()).filter(|at| *at < self.view.dom.len());
        if let Some(node) = node
            && !self.budget.take(node)
        {
            self.warn(|| {
                WarningCode::PageCut
                    .says(format!("`{path}` was not read because the values before it used up the read budget"))
            });
            return Value::Null;
        }
        let text = match (&raw.text, node) {
            (Some(Value::String(text)), _) => cleaned(text),
            (_, Some(node)) => self.text(node, field.kind),
            // A missing attribute.
            _ => {
                self.warn(|| WarningCode::NotFound.says(format!("`{path}` is missing")));
                return Value::Null;
            }
        };
        let value = match field.kind {
            Type::String => Some(json!(text)),
            Type::Number => values::number(&text, self.language).map(|number| {
                // Whole numbers are written as JSON integers.
                #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
                if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
            }),
            Type::Date => values::date(&text, self.language).map(Value::from),
            Type::Bool => values::boolean(&text).map(Value::from),
            Type::Url => match &self.base {
                Some(base) if !text.trim().is_empty() => base.join(text.trim()).ok().map(|url| json!(url.as_str())),
                _ => url::Url::parse(text.trim()).ok().map(|url| json!(url.as_str())),
            },
        };
        value.unwrap_or_else(|| {
            let excerpt: String = text.chars().take(EXCERPT_MAX_CHARS).collect();
            let kind = format!("{:?}", field.kind).to_lowercase();
            self.warn(|| {
                WarningCode::Misfit.says(format!("`{path}` can't be read as an unambiguous {kind}: {excerpt:?}"))
            });
            Value::Null
        })
    }

    /// Returns an element's text for a type: its machine-readable value if it has one.
    fn text(&self, node: NodeId, kind: Type) -> String {
        let dom = self.view.dom;
        let own = match kind {
            Type::Date => dom.attribute(node, "datetime"),
            Type::Url => dom.attribute(node, "href").or_else(|| dom.attribute(node, "src")),
            Type::Bool if dom.name(node) == "input" => {
                Some(if dom.attribute(node, "is-checked").is_some() { "true" } else { "false" })
            }
            _ => None,
        };
        let text = match own {
            Some(own) => own.to_owned(),
            None => self.view.folded_text(node),
        };
        if text.is_empty() {
            return ["content", "value", "alt"]
                .into_iter()
                .find_map(|name| dom.attribute(node, name))
                .map(cleaned)
                .unwrap_or_default();
        }
        cleaned(&text)
    }

    fn warn(&mut self, warning: impl FnOnce() -> Warning) {
        self.misfits += 1;
        if self.warnings.len() < WARNINGS_MAX {
            self.warnings.push(warning());
        }
    }
}
