//! A page's main content, and its metadata.
//!
//! First, furniture (navigation, advertising and the like) is removed by name or place ([`names`]). Then the part with
//! the most text worth reading is chosen ([`measure`], [`choose`]), and everything inside it that is not part of the
//! text is removed ([`prune`], [`phrases`]). For pages without running text, the result is all that is left.

mod about;
mod choose;
mod measure;
mod names;
mod phrases;
mod prune;

pub use about::About;

use crate::dom::NodeId;
use crate::snapshot::Head;
use crate::view::View;

/// A page's main content.
#[derive(Clone, Debug, Default)]
pub struct Article {
    /// Its nodes: the lead, if there is one, and the content.
    pub roots: Vec<NodeId>,
    /// Whether each node is left out, by index.
    pub dropped: Vec<bool>,
    /// Its metadata.
    pub about: About,
}

/// Finds the main content below `root`.
#[must_use]
pub fn find(view: View<'_>, root: NodeId, head: &Head) -> Article {
    let about = about::of(view, root, head);
    let choice = choose::choose(view, root, head);
    let dropped = prune::prune(view, &choice, &about);
    if shows_text(View { dropped: &dropped, ..view }, choice.root) {
        return Article { roots: choice.lead.into_iter().chain([choice.root]).collect(), dropped, about };
    }
    // Names can mislead: if nothing is left, all that the page shows is its content.
    let dropped = if shows_text(View { dropped: &choice.dropped, ..view }, root) { choice.dropped } else { Vec::new() };
    Article { roots: vec![root], dropped, about }
}

fn shows_text(view: View<'_>, root: NodeId) -> bool {
    view.subtree(root).any(|id| view.text(id).is_some_and(|text| !text.trim().is_empty()))
}
