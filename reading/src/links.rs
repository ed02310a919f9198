//! Links and headings.

use serde::Serialize;

use crate::budget::Budget;
use crate::clean::cleaned;
use crate::dom::NodeId;
use crate::view::View;

/// A link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Its text, or else its image's alternative text or its label.
    pub text: String,
    /// Its absolute URL.
    pub url: String,
    /// Its `rel` attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// Iterates over the links below these nodes, in document order, as far as the budget goes. Links that lead to no page
/// (`javascript:`, `data:`, `blob:`) are skipped.
pub fn of<'a>(view: View<'a>, roots: &'a [NodeId], budget: &'a Budget<'a>) -> impl Iterator<Item = Link> + 'a {
    let dom = view.dom;
    roots
        .iter()
        .flat_map(move |root| view.subtree(*root))
        .filter(move |id| matches!(dom.name(*id), "a" | "area") && view.shows(*id))
        .take_while(|id| budget.take(*id))
        .filter_map(move |id| {
            let url = dom.attribute(id, "href")?.trim();
            if url.is_empty()
                || ["javascript:", "data:", "blob:"].iter().any(|scheme| url.to_ascii_lowercase().starts_with(scheme))
            {
                return None;
            }
            let mut text = view.folded_text(id);
            if text.is_empty() {
                let alt =
                    view.subtree(id).find_map(|below| dom.attribute(below, "alt").filter(|alt| !alt.trim().is_empty()));
                let named = alt.or_else(|| dom.attribute(id, "aria-label")).or_else(|| dom.attribute(id, "title"));
                text = named.unwrap_or_default().trim().to_owned();
            }
            let rel = dom.attribute(id, "rel").map(str::to_owned).filter(|rel| !rel.is_empty());
            Some(Link { text: cleaned(&text), url: url.to_owned(), rel })
        })
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text.
    pub text: String,
    /// Its id, which a URL fragment can refer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Iterates over the headings below these nodes, as far as the budget goes.
pub fn headings<'a>(view: View<'a>, roots: &'a [NodeId], budget: &'a Budget<'a>) -> impl Iterator<Item = Heading> + 'a {
    let dom = view.dom;
    roots
        .iter()
        .flat_map(move |root| view.subtree(*root))
        .filter_map(move |id| {
            let level = match dom.name(id).as_bytes() {
                [b'h', digit @ b'1'..=b'6'] => digit - b'0',
                _ if dom.attribute(id, "role") == Some("heading") => {
                    dom.attribute(id, "aria-level").and_then(|level| level.parse().ok()).unwrap_or(2).clamp(1, 6)
                }
                _ => return None,
            };
            Some((id, level))
        })
        .take_while(|(id, _)| budget.take(*id))
        .filter_map(move |(id, level)| {
            let text = cleaned(&view.folded_text(id));
            let named = dom.attribute(id, "id").map(str::to_owned);
            (!text.is_empty()).then_some(Heading { level, text, id: named })
        })
}
