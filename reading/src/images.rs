//! The images of a page or a part of it, with what tells of them.

use serde::Serialize;

use crate::clean::cleaned;
use crate::dom::{Dom, NodeId};
use crate::view::View;

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Where it is, absolute.
    pub src: String,
    /// What stands for it.
    pub alt: String,
    /// How wide it is shown, in CSS pixels.
    pub width: i64,
    /// How high it is shown, in CSS pixels.
    pub height: i64,
}

/// An image's element as an image; nothing where it has no address of its own.
#[must_use]
pub fn image(dom: &Dom, id: NodeId) -> Option<Image> {
    let element = dom.element(id).filter(|element| &*element.name == "img")?;
    let has_address = |src: &&str| !src.is_empty() && !src.starts_with("data:") && !src.starts_with("blob:");
    // A lazy image has a placeholder until it is in view.
    let src =
        element.attribute("src").filter(has_address).or_else(|| element.attribute("data-src").filter(has_address))?;
    let alt = cleaned(element.attribute("alt").unwrap_or_default());
    Some(Image { src: src.to_owned(), alt, width: element.area.width, height: element.area.height })
}

/// The images below these nodes that a reader sees.
pub fn of<'a>(view: View<'a>, roots: &'a [NodeId]) -> impl Iterator<Item = Image> + 'a {
    roots
        .iter()
        .flat_map(move |root| view.subtree(*root))
        .filter(move |id| view.shows(*id))
        .filter_map(move |id| image(view.dom, id))
        .filter(|image| !(matches!(image.width, 1 | 2) || matches!(image.height, 1 | 2)))
}
