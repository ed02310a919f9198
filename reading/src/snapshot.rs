//! The page function's output in its wire format: the page as columns.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;

/// Most nodes that one snapshot holds.
pub const NODES_MAX: usize = 120_000;
/// Most text that one snapshot holds, in UTF-16 units.
pub const TEXT_MAX_UNITS: usize = 4_000_000;
/// Most names and values of attributes that one snapshot holds, in UTF-16 units; each pair also has a fixed cost.
pub const ATTRIBUTES_MAX_UNITS: usize = 4_000_000;
/// Most values of all maps of one snapshot, missing ones included.
pub const VALUES_MAX: usize = 20_000;
/// Longest JSON of a snapshot, in bytes. The page function's own limits stay below it; longer JSON is not read.
pub const SNAPSHOT_MAX_BYTES: usize = 64 * 1024 * 1024;

/// The page function's answer to a plan.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// The query that could not be executed, if any; all other fields are then empty.
    pub refused: Option<RefusedQuery>,
    /// The document's metadata.
    pub head: Head,
    /// One answer for each query, in the order of the queries.
    pub answers: Vec<Found>,
    /// The names of elements; the first stands for text nodes.
    pub names: Vec<String>,
    /// The nodes; `None` if only text was requested.
    pub columns: Option<Columns>,
    /// Number of hidden characters by reason, in the order of [`crate::dom::Hidden`].
    pub hidden: [u64; 7],
    /// Whether the page exceeded a limit of the snapshot.
    pub cut: bool,
    /// Number of requested frames that could not be read.
    #[serde(skip)]
    pub unread_frames: usize,
}

/// Why a query could not be executed.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct RefusedQuery {
    /// The query's index.
    pub query: usize,
    /// `invalid` or `too_much`.
    pub code: String,
    /// The failing step, or an explanation.
    pub what: String,
}

/// A document's metadata.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Head {
    /// Its URL.
    pub url: String,
    /// The base of its relative URLs.
    pub base: String,
    /// Its title.
    pub title: String,
    /// Its media type.
    pub content_type: String,
    /// Its language, as declared by the document.
    pub language: String,
    /// The window's size in CSS pixels.
    pub window: [f64; 2],
    /// The page's size in CSS pixels.
    pub size: [f64; 2],
    /// Names and contents of its `meta` elements; names in lower case.
    pub metas: Vec<(String, String)>,
    /// Its `link` elements with metadata.
    pub links: Vec<HeadLink>,
    /// The texts of its JSON-LD scripts.
    pub linked_data: Vec<String>,
    /// The URLs of its scripts and frames.
    pub sources: Vec<String>,
    /// The layer in front of the page, if any.
    pub front: Option<Front>,
    /// The start of its text.
    pub start: Start,
}

/// A `link` element.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct HeadLink {
    /// `rel`.
    pub rel: String,
    /// The absolute URL.
    pub href: String,
    /// `type`.
    pub r#type: String,
    /// `title`.
    pub title: String,
    /// `hreflang`.
    pub hreflang: String,
    /// `sizes`.
    pub sizes: String,
}

/// A layer in front of the page.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Front {
    /// The start of its text.
    pub text: String,
    /// Share of the window that it covers, in thousandths.
    pub share: u32,
}

/// The start of a page's text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Start {
    /// Its first characters.
    pub text: String,
    /// The length of the whole text, in UTF-16 units.
    pub chars: u64,
}

/// The answer to one query.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Found {
    /// Whether nothing matched.
    pub missing: bool,
    /// Number of matches.
    pub matched: Option<u64>,
    /// Indices of the matched nodes; -1 for a node beyond the snapshot's limits.
    pub roots: Vec<i64>,
    /// A text, cut to its limit.
    pub content: Option<String>,
    /// Several texts, cut to their limit.
    pub items: Option<Vec<String>>,
    /// Index of the first of `items` among all texts.
    pub first: u64,
    /// Number of texts that can be requested.
    pub listed: u64,
    /// The texts of a document and its frames, if some frames had to be read separately.
    pub texts: Option<Vec<FrameText>>,
    /// The whole text's length in Unicode scalar values.
    pub total_chars: u64,
    /// Whether the whole text is white space.
    pub blank: bool,
    /// A map's values, in the order of its fields.
    pub values: Option<Vec<Raw>>,
}

/// One of the texts of a document and its frames.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FrameText {
    /// The text itself.
    Here(String),
    /// The text of a frame that was read separately.
    Elsewhere {
        /// The frame's number.
        frame: usize,
    },
}

/// A map's value, as found by the page function.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Raw {
    /// Whether nothing matched.
    pub none: bool,
    /// An attribute's text.
    pub text: Option<Value>,
    /// A node's index.
    pub at: Option<i64>,
    /// The values of a list.
    pub list: Option<Vec<Raw>>,
    /// A nested map's values.
    pub map: Option<Vec<Raw>>,
}

/// The nodes of a snapshot, parents before children.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Columns {
    /// Each node's parent; -1 for roots.
    pub parent: Vec<i64>,
    /// Each node's name.
    pub name: Vec<usize>,
    /// Each node's flags: why it is hidden (3 bits), display (4), white space (2), fixed (1).
    pub flags: Vec<u32>,
    /// Each element's box: left, top, width, height.
    pub boxes: Vec<i64>,
    /// Each element's font: 1000 × size in pixels + weight.
    pub sizes: Vec<u32>,
    /// Each text node's text.
    pub texts: Vec<String>,
    /// Elements' attributes.
    pub attributes: Attributes,
}

/// Attributes as names and values. Elements share the names.
pub type Pairs = Vec<(Arc<str>, String)>;

/// The attributes of elements, each with its element's index. As JSON: lists of the index, then names and values in turn.
#[derive(Clone, Debug, Default)]
pub struct Attributes(pub Vec<(usize, Pairs)>);

impl<'de> Deserialize<'de> for Attributes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(AllAttributes)
    }
}

struct AllAttributes;

impl<'de> Visitor<'de> for AllAttributes {
    type Value = Attributes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of elements' attributes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Attributes, A::Error> {
        let mut names = HashMap::new();
        let mut all = Vec::new();
        while let Some(element) = seq.next_element_seed(OneElement { names: &mut names })? {
            all.extend(element);
        }
        Ok(Attributes(all))
    }
}

/// Deserializes one element's attributes; `None` if its index is invalid.
struct OneElement<'a> {
    names: &'a mut HashMap<String, Arc<str>>,
}

impl<'de> DeserializeSeed<'de> for OneElement<'_> {
    type Value = Option<(usize, Pairs)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OneElement<'_> {
    type Value = Option<(usize, Pairs)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an element's index, names and values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let index = seq.next_element::<i64>()?.and_then(|index| usize::try_from(index).ok());
        let mut pairs = Vec::new();
        while let (Some(name), Some(value)) = (seq.next_element::<String>()?, seq.next_element::<String>()?) {
            let name = self.names.entry(name).or_insert_with_key(|name| Arc::from(name.as_str()));
            pairs.push((Arc::clone(name), value));
        }
        Ok(index.map(|index| (index, pairs)))
    }
}
