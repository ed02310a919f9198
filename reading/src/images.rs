//! The images of a page or a part of it, with their alternative texts and sizes.

use serde::Serialize;

use crate::clean::cleaned;
use crate::dom::{Dom, NodeId};
use crate::view::View;

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Its absolute URL.
    pub src: String,
    /// Its alternative text.
    pub alt: String,
    /// Its displayed width, in CSS pixels.
    pub width: i64,
    /// Its displayed height, in CSS pixels.
    pub height: i64,
}

/// Returns the image of an `img` element; `None` if it has no URL of its own.
#[must_use]
pub fn image(dom: &Dom, id: NodeId) -> Option<Image> {
    let element = dom.element(id).filter(|element| &*element.name == "img")?;
    let has_address = |src: &&str| !src.is_empty() && !src.starts_with("data:") && !src.starts_with("blob:");
    // A lazily loaded image has a placeholder until it is in view.
    let src =
        element.attribute("src").filter(has_address).or_else(|| element.attribute("data-src").filter(has_address))?;
    let alt = cleaned(element.attribute("alt").unwrap_or_default());
    Some(Image { src: src.to_owned(), alt, width: element.area.width, height: element.area.height })
}

/// Iterates over the visible images below these nodes.
pub fn of<'a>(view: View<'a>, roots: &'a [NodeId]) -> impl Iterator<Item = Image> + 'a {
    roots
        .iter()
        .flat_map(move |root| view.subtree(*root))
        .filter(move |id| view.shows(*id))
        .filter_map(move |id| image(view.dom, id))
        .filter(|image| !(matches!(image.width, 1 | 2) || matches!(image.height, 1 | 2)))
}
