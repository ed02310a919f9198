//! Directives: what an extract reads. [`crate::instruction`] parses their string form into the same type.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::json::{Invalid, Validate, strict_value};
use crate::limits::{DIRECTIVES_MAX, OFFSET_MAX, SELECTOR_MAX_CHARS, SELECTOR_STEPS_MAX, TEXT_MAX_CHARS};
use crate::selector::Chain;

/// What to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExtractKind {
    /// Text as a reader sees it: the browser's own `innerText`.
    #[default]
    Text,
    /// Cleaned HTML: structure and links, without scripts, styles and hidden content.
    Html,
    /// Markdown (CommonMark, with GitHub's tables).
    Markdown,
    /// The page's main content as Markdown, with its metadata in `data`.
    Article,
    /// Every link: text, absolute URL, `rel`.
    Links,
    /// Every image: absolute URL, alternative text, size.
    Images,
    /// The page's metadata.
    Metadata,
    /// The headings, as an outline.
    Headings,
    /// One data table: the selected one, or the largest.
    Table,
    /// All data tables.
    Tables,
    /// Values, each found by a selector of its own, in the shape of `map`.
    Json,
}

impl ExtractKind {
    /// Returns its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Article => "article",
            Self::Links => "links",
            Self::Images => "images",
            Self::Metadata => "metadata",
            Self::Headings => "headings",
            Self::Table => "table",
            Self::Tables => "tables",
            Self::Json => "json",
        }
    }
}

/// How a table is written into `content`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TableFormat {
    /// The same JSON as in `data`.
    Json,
    /// Comma-separated values (RFC 4180); only for `table`.
    Csv,
}

/// One thing to read from the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Directive {
    /// What to read; default `text`.
    #[serde(default)]
    pub kind: ExtractKind,
    /// Where to read: steps separated by ` >> `, each matched within the previous one. A step is CSS, or begins with
    /// `css:`, `xpath:`, `text:`, `role:` or `testid:`. Default: the whole page (for `table`: its largest table).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 4000)]
    pub selector: Option<String>,
    /// Return all matches instead of the first.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// For `text` of the whole page: include the text of its frames.
    #[serde(default, skip_serializing_if = "is_false")]
    pub frames: bool,
    /// For tables: return each cell as `{text, links}`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub links: bool,
    /// For `table`: the format of `content`; default `json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<TableFormat>,
    /// For `json`: maps each field's name to the selector of its value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict_value")]
    #[schema(value_type = Option<Object>)]
    pub map: Option<Value>,
    /// For `json`: a JSON Schema to check the result against; violations are listed in `warnings`. Local `$ref`s may
    /// not be recursive; `unevaluatedProperties`, `unevaluatedItems`, `$dynamicRef` and `$recursiveRef` are refused,
    /// and so is a schema of more than 2 000 subschemas, each `$ref` counted as the subschemas that it refers to.
    /// Patterns have no look-around and no back-references; `format` is an annotation.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict_value")]
    #[schema(value_type = Option<Object>)]
    pub schema: Option<Value>,
    /// Include hidden content.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_hidden: bool,
    /// Where to continue: the `next_offset` of the previous answer. Counts characters of text, rows of a table or
    /// entries of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100_000_000)]
    pub offset: Option<u32>,
    /// Longest `content`, in Unicode scalar values; default: the request's `max_chars`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 20_000)]
    pub max_chars: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

impl Directive {
    /// Returns a directive of this kind for the whole page.
    #[must_use]
    pub fn of(kind: ExtractKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Parses its selector.
    ///
    /// # Errors
    /// [`Invalid`] for `selector`.
    pub fn chain(&self) -> Result<Option<Chain>, Invalid> {
        self.selector.as_deref().map(Chain::parse).transpose()
    }

    /// Checks that each given field is allowed with the kind; the error names the field.
    fn fits(&self) -> Result<(), Invalid> {
        use ExtractKind::{Html, Json, Links, Markdown, Metadata, Table, Tables, Text};
        let only = |field: &str, given: bool, fits: bool, with: &str| match given && !fits {
            true => Err(Invalid::new(field, format!("is only allowed with {with}"))),
            false => Ok(()),
        };
        let (kind, selected) = (self.kind, self.selector.is_some());
        only("selector", selected, !matches!(kind, Metadata | Json | Tables), "a kind that reads one place")?;
        only(
            "all",
            self.all,
            matches!(kind, Text | Html | Markdown | Links) && selected,
            "a selector of text, html, markdown or links",
        )?;
        only("frames", self.frames, kind == Text && !selected, "the whole page's text")?;
        only("links", self.links, matches!(kind, Table | Tables), "tables")?;
        only("format", self.format.is_some(), kind == Table, "table")?;
        only("map", self.map.is_some(), kind == Json, "json")?;
        only("schema", self.schema.is_some(), kind == Json, "json")?;
        if kind == Json && self.map.is_none() {
            return Err(Invalid::new("map", "is required by kind json"));
        }
        Ok(())
    }
}

impl Validate for Directive {
    fn validate(&self) -> Result<(), Invalid> {
        if let Some(selector) = &self.selector {
            if selector.chars().count() > SELECTOR_MAX_CHARS {
                return Err(Invalid::new(
                    "selector",
                    format!("must not be longer than {SELECTOR_MAX_CHARS} characters"),
                ));
            }
            let chain = Chain::parse(selector)?;
            if chain.steps.len() > SELECTOR_STEPS_MAX {
                return Err(Invalid::new("selector", format!("must not have more than {SELECTOR_STEPS_MAX} steps")));
            }
        }
        self.fits()?;
        if self.offset.is_some_and(|offset| offset > OFFSET_MAX) {
            return Err(Invalid::new("offset", format!("must be from 0 to {OFFSET_MAX}")));
        }
        match self.max_chars {
            Some(chars) if chars == 0 || chars as usize > TEXT_MAX_CHARS => {
                Err(Invalid::new("max_chars", format!("must be from 1 to {TEXT_MAX_CHARS}")))
            }
            _ => Ok(()),
        }
    }
}

/// One directive or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Directives {
    /// One.
    One(Box<Directive>),
    /// Several, all read from the page at the same moment.
    Many(Vec<Directive>),
}

/// The OpenAPI schema of [`Directives`].
#[derive(ToSchema)]
#[schema(as = Directives)]
#[serde(untagged)]
#[expect(dead_code, reason = "the macro reads the type; it is never constructed")]
pub(crate) enum DirectivesSchema {
    One(Directive),
    Many(Vec<Directive>),
}

impl Directives {
    /// Returns the directives as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[Directive] {
        match self {
            Self::One(directive) => std::slice::from_ref(directive),
            Self::Many(directives) => directives,
        }
    }
}

impl Validate for Directives {
    fn validate(&self) -> Result<(), Invalid> {
        let directives = self.as_slice();
        if !(1..=DIRECTIVES_MAX).contains(&directives.len()) {
            return Err(Invalid::new("extract", format!("must have from 1 to {DIRECTIVES_MAX} directives")));
        }
        directives.iter().enumerate().try_for_each(|(at, directive)| {
            directive.validate().map_err(|invalid| {
                let place = match self {
                    Self::One(_) => "extract".to_owned(),
                    Self::Many(_) => format!("extract[{at}]"),
                };
                Invalid::new(format!("{place}.{}", invalid.path), invalid.reason)
            })
        })
    }
}

/// Implemented by hand so that errors name the field; an untagged enum would only report that no variant matches.
impl<'de> Deserialize<'de> for Directives {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Directives;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a directive or a list of directives")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Directives, A::Error> {
                Directive::deserialize(MapAccessDeserializer::new(map)).map(|one| Directives::One(Box::new(one)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Directives, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Directives::Many)
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}
