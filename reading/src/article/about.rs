//! Metadata of a page's content: title, author, date, language, site, image.

use serde::Serialize;
use serde_json::Value;

use crate::clean::cleaned;
use crate::dom::NodeId;
use crate::snapshot::Head;
use crate::view::View;

/// Most characters of one field.
const FIELD_MAX_CHARS: usize = 500;
/// Most characters of an author's name in the page.
const BYLINE_MAX_CHARS: usize = 100;
/// Deepest level of JSON-LD that is read.
const DEPTH_MAX: usize = 8;
/// The names of `meta` elements that give the author, most reliable first.
const AUTHOR_METAS: [&str; 7] =
    ["author", "article:author", "parsely-author", "dc.creator", "dcterms.creator", "sailthru.author", "byl"];
/// The names of those that give the time of publication.
const PUBLISHED_METAS: [&str; 11] = [
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date",
    "dcterms.date",
    "dc.date.issued",
    "date",
    "pubdate",
    "publishdate",
];

/// Metadata of a page's content. Missing values are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its title, without the site's name.
    pub title: String,
    /// Its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byline: Option<String>,
    /// When it was published, as the page writes it: mostly ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// Its language, as a BCP 47 tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The site's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_name: Option<String>,
    /// The absolute URL of its lead image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead_image: Option<String>,
    /// The page's own summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

pub(super) fn of(view: View<'_>, root: NodeId, head: &Head) -> About {
    let linked = linked_article(head);
    let from_linked = |names: &[&str]| names.iter().find_map(|name| text_of(linked.as_ref()?.get(*name)?, 0));
    let meta = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| head.metas.iter().find(|(key, content)| key == name && !content.trim().is_empty()))
            .map(|(_, content)| content.clone())
    };
    let tidy = |text: String| {
        let text = cleaned(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        Some(text.chars().take(FIELD_MAX_CHARS).collect::<String>()).filter(|text| !text.is_empty())
    };
    let site_name = meta(&["og:site_name", "application-name", "al:android:app_name"])
        .or_else(|| text_of(linked.as_ref()?.get("publisher")?, 0));
    let title =
        title(view, root, head, meta(&["og:title", "twitter:title"]), from_linked(&["headline"]), site_name.as_deref());
    let byline = from_linked(&["author", "creator"])
        .or_else(|| {
            // Some pages give the address of the author's profile.
            meta(&AUTHOR_METAS).filter(|author| !author.starts_with("http"))
        })
        .or_else(|| byline(view, root));
    let published = from_linked(&["datePublished", "dateCreated", "uploadDate"])
        .or_else(|| meta(&PUBLISHED_METAS))
        .or_else(|| time_element(view, root));
    let absolute =
        |src: String| url::Url::parse(&head.base).ok().and_then(|base| base.join(src.trim()).ok()).map(String::from);
    About {
        title: tidy(title).unwrap_or_default(),
        byline: byline.and_then(tidy).map(|byline| byline.strip_prefix("By ").map_or(byline.clone(), str::to_owned)),
        published: published.and_then(tidy),
        modified: from_linked(&["dateModified"])
            .or_else(|| meta(&["article:modified_time", "og:updated_time"]))
            .and_then(tidy),
        language: Some(head.language.clone())
            .filter(|language| !language.is_empty())
            .or_else(|| meta(&["og:locale"]).map(|locale| locale.replace('_', "-")))
            .and_then(tidy),
        site_name: site_name.and_then(tidy),
        lead_image: meta(&["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"])
            .or_else(|| image_of(linked.as_ref()?.get("image")?, 0))
            .and_then(absolute),
        description: meta(&["og:description", "description", "twitter:description"]).and_then(tidy),
    }
}

/// Returns the title without the site's name; of several titles, the one that the page shows.
fn title(
    view: View<'_>,
    root: NodeId,
    head: &Head,
    shared: Option<String>,
    headline: Option<String>,
    site: Option<&str>,
) -> String {
    let firsts: Vec<String> = view
        .subtree(root)
        .filter(|id| view.dom.name(*id) == "h1")
        .map(|id| view.folded_text(id))
        .filter(|text| !text.is_empty())
        .take(3)
        .collect();
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let whole = plain(&head.title);
    if let Some(shown) = firsts.iter().find(|text| {
        let text = plain(text);
        text.chars().count() > 3 && whole.contains(&text)
    }) {
        return shown.clone();
    }
    if let Some(headline) = headline.or(shared) {
        return without_site(&headline, site);
    }
    match (firsts.as_slice(), head.title.trim()) {
        ([only], "") => only.clone(),
        (_, title) => without_site(title, site),
    }
}

fn without_site(title: &str, site: Option<&str>) -> String {
    for separator in [" | ", " - ", " – ", " — ", " :: ", " · ", " » "] {
        if let Some((rest, last)) = title.rsplit_once(separator) {
            let is_site = site.is_some_and(|site| last.trim().eq_ignore_ascii_case(site.trim()));
            if is_site || (rest.split_whitespace().count() >= 4 && last.split_whitespace().count() <= 4) {
                return rest.trim().to_owned();
            }
        }
    }
    title.trim().to_owned()
}

fn byline(view: View<'_>, root: NodeId) -> Option<String> {
    let dom = view.dom;
    let says = |id: NodeId| {
        dom.attribute(id, "rel") == Some("author")
            || dom.attribute(id, "itemprop").is_some_and(|prop| prop == "author")
            || dom.attribute(id, "class").is_some_and(|class| {
                class
                    .split_ascii_whitespace()
                    .any(|word| matches!(word, "byline" | "author" | "author-name" | "byline__name"))
            })
    };
    view.subtree(root)
        .filter(|id| says(*id))
        .map(|id| view.folded_start(id, BYLINE_MAX_CHARS * 4 + 4))
        .find(|text| (3..=BYLINE_MAX_CHARS).contains(&text.chars().count()))
}

fn time_element(view: View<'_>, root: NodeId) -> Option<String> {
    let dom = view.dom;
    view.subtree(root).find_map(|id| {
        let prop = dom.attribute(id, "itemprop").unwrap_or_default();
        match dom.name(id) {
            "time" => dom.attribute(id, "datetime").filter(|value| value.len() >= 8).map(str::to_owned),
            "meta" if prop == "datePublished" => dom.attribute(id, "content").map(str::to_owned),
            _ => None,
        }
    })
}

/// Returns the article in a page's linked data, if there is one.
fn linked_article(head: &Head) -> Option<Value> {
    let mut found: Option<Value> = None;
    for text in &head.linked_data {
        let Ok(value) = serde_json::from_str::<Value>(text.trim()) else { continue };
        let mut open = vec![(value, 0)];
        while let Some((value, depth)) = open.pop() {
            match value {
                Value::Array(list) if depth < DEPTH_MAX => open.extend(list.into_iter().map(|one| (one, depth + 1))),
                Value::Object(mut object) if depth < DEPTH_MAX => {
                    let kind = object.get("@type").map(Value::to_string).unwrap_or_default();
                    if ["Article", "BlogPosting", "Posting", "Report", "Recipe", "Review"]
                        .iter()
                        .any(|name| kind.contains(name))
                    {
                        found.get_or_insert(Value::Object(object));
                        continue;
                    }
                    open.extend(
                        ["@graph", "mainEntity", "mainEntityOfPage"]
                            .into_iter()
                            .filter_map(|name| object.remove(name))
                            .map(|one| (one, depth + 1)),
                    );
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns a text, or the names of an object or a list.
fn text_of(value: &Value, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty() && !text.starts_with("http")),
        Value::Array(list) => {
            let names: Vec<String> = list.iter().take(10).filter_map(|one| text_of(one, depth + 1)).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        Value::Object(object) => text_of(object.get("name")?, depth + 1),
        _ => None,
    }
}

fn image_of(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(src) => Some(src.clone()),
        Value::Array(list) if depth < DEPTH_MAX => image_of(list.first()?, depth + 1),
        Value::Object(object) if depth < DEPTH_MAX => image_of(object.get("url")?, depth + 1),
        _ => None,
    }
}
