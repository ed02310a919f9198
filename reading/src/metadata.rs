//! A page's metadata.

use serde_json::{Map, Value, json};

use crate::clean::cleaned;
use crate::snapshot::{Head, HeadLink};

/// Returns a page's metadata as JSON; missing values are absent.
#[must_use]
pub fn of(head: &Head) -> Value {
    let mut data = Map::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value.map(|value| cleaned(value.trim())).filter(|value| !value.is_empty()) {
            data.insert(name.to_owned(), value.into());
        }
    };
    let meta = |name: &str| head.metas.iter().find(|(key, _)| key == name).map(|(_, content)| content.clone());
    put("title", Some(head.title.clone()));
    put("description", meta("description").or_else(|| meta("og:description")));
    put("canonical", head.links.iter().find(|link| has_rel(&link.rel, "canonical")).map(|link| link.href.clone()));
    put("language", Some(head.language.clone()));
    for name in ["author", "keywords", "robots", "generator", "viewport", "theme-color"] {
        put(name, meta(name));
    }
    for (name, prefix) in [("open_graph", "og:"), ("article", "article:"), ("twitter", "twitter:")] {
        let group = group(head, prefix);
        if !group.is_empty() {
            data.insert(name.to_owned(), group.into());
        }
    }
    let linked: Vec<Value> =
        head.linked_data.iter().filter_map(|text| serde_json::from_str(text.trim()).ok()).collect();
    if !linked.is_empty() {
        data.insert("json_ld".to_owned(), linked.into());
    }
    let is_feed = |link: &HeadLink| {
        has_rel(&link.rel, "alternate") && ["rss", "atom", "feed+json"].iter().any(|kind| link.r#type.contains(kind))
    };
    for (name, list) in [
        ("favicons", links(head, |link| has_rel(&link.rel, "icon") || link.rel.contains("apple-touch-icon"))),
        ("feeds", links(head, is_feed)),
        ("alternates", links(head, |link| has_rel(&link.rel, "alternate") && !link.hreflang.is_empty())),
    ] {
        if !list.is_empty() {
            data.insert(name.to_owned(), list.into());
        }
    }
    Value::Object(data)
}

/// The metadata whose names begin with a prefix, without it.
fn group(head: &Head, prefix: &str) -> Map<String, Value> {
    let mut group = Map::new();
    for (key, content) in &head.metas {
        let Some(name) = key.strip_prefix(prefix) else { continue };
        let value = Value::String(cleaned(content));
        match group.get_mut(name) {
            None => drop(group.insert(name.to_owned(), value)),
            // A name that occurs several times, as images do.
            Some(Value::Array(list)) => list.push(value),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    group
}

/// The head's links that fit, with what each says about itself.
fn links(head: &Head, fits: impl Fn(&HeadLink) -> bool) -> Vec<Value> {
    let shown = |link: &HeadLink| {
        let mut entry = Map::from_iter([("url".to_owned(), json!(link.href))]);
        for (name, value) in
            [("type", &link.r#type), ("title", &link.title), ("language", &link.hreflang), ("sizes", &link.sizes)]
        {
            if !value.is_empty() {
                entry.insert(name.to_owned(), json!(cleaned(value)));
            }
        }
        Value::Object(entry)
    };
    head.links.iter().filter(|link| fits(link)).map(shown).collect()
}

fn has_rel(rel: &str, wanted: &str) -> bool {
    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted))
}
