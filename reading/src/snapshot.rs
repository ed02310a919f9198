//! What the page function writes down: the page as columns, as they come over the wire.

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
/// Most names and values of attributes that one snapshot holds, in UTF-16 units; each pair counts for some more.
pub const ATTRIBUTES_MAX_UNITS: usize = 4_000_000;
/// Most values of all maps of one snapshot, missing ones included.
pub const VALUES_MAX: usize = 20_000;
/// A snapshot's JSON, in bytes. The page function's own limits come to less; a longer one is not read.
pub const SNAPSHOT_MAX_BYTES: usize = 64 * 1024 * 1024;

/// What came back for a plan.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// A query that could not be carried out; all else is empty then.
    pub refused: Option<RefusedQuery>,
    /// What the document says about itself.
    pub head: Head,
    /// One for each query, in their order.
    pub answers: Vec<Found>,
    /// The names of elements; the first stands for text.
    pub names: Vec<String>,
    /// The nodes; nothing where only text was asked for.
    pub columns: Option<Columns>,
    /// Characters by the reason why they are not seen, as in [`crate::dom::Hidden`].
    pub hidden: [u64; 7],
    /// Whether the page went on beyond what a snapshot holds.
    pub cut: bool,
    /// How many frames that were to be read could not be.
    #[serde(skip)]
    pub unread_frames: usize,
}

/// Why a query could not be carried out.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct RefusedQuery {
    /// Which one.
    pub query: usize,
    /// `invalid` or `too_much`.
    pub code: String,
    /// The step, or a sentence.
    pub what: String,
}

/// What a document says about itself.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Head {
    /// Its URL.
    pub url: String,
    /// What relative URLs are relative to.
    pub base: String,
    /// Its title.
    pub title: String,
    /// Its media type.
    pub content_type: String,
    /// Its language, as it says itself.
    pub language: String,
    /// The window's size in CSS pixels.
    pub window: [f64; 2],
    /// The page's size in CSS pixels.
    pub size: [f64; 2],
    /// Names and contents of its `meta` elements; names in lower case.
    pub metas: Vec<(String, String)>,
    /// Its `link` elements that say something about it.
    pub links: Vec<HeadLink>,
    /// The texts of its JSON-LD scripts.
    pub linked_data: Vec<String>,
    /// Where its scripts and frames come from.
    pub sources: Vec<String>,
    /// What lies before the page.
    pub front: Option<Front>,
    /// How its text begins.
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

/// A layer before the page.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Front {
    /// How its text begins.
    pub text: String,
    /// How much of the window it covers, in thousandths.
    pub share: u32,
}

/// How a page's text begins.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Start {
    /// Its first characters.
    pub text: String,
    /// The length of all of it, in UTF-16 units.
    pub chars: u64,
}

/// What was found for one query.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Found {
    /// Nothing matched.
    pub missing: bool,
    /// How many matched.
    pub matched: Option<u64>,
    /// The matched nodes that were written down, as indices; -1 for one beyond the snapshot's limits.
    pub roots: Vec<i64>,
    /// A text, cut.
    pub content: Option<String>,
    /// Several texts, cut.
    pub items: Option<Vec<String>>,
    /// Which of all the first of these is.
    pub first: u64,
    /// How many texts there are that can be asked for.
    pub listed: u64,
    /// A document's own text and those of its frames, where some of these had to be read by themselves.
    pub texts: Option<Vec<FrameText>>,
    /// The whole text's length in Unicode scalar values.
    pub total_chars: u64,
    /// Whether the whole text is white space.
    pub blank: bool,
    /// A map's values, in the order of its fields.
    pub values: Option<Vec<Raw>>,
}

/// A text among those of a document's frames.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FrameText {
    /// It is here.
    Here(String),
    /// It was read by itself.
    Elsewhere {
        /// The frame's number.
        frame: usize,
    },
}

/// A map's value as it was found.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Raw {
    /// Nothing matched.
    pub none: bool,
    /// An attribute's text.
    pub text: Option<Value>,
    /// A node, by its index.
    pub at: Option<i64>,
    /// Several.
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

/// One element's attributes; nothing where its index is none.
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
