//! A page's main content, and what the page says about it.
//!
//! First what is furniture by its name or place is taken out ([`names`]), then the part with the most text worth
//! reading is chosen ([`measure`], [`choose`]), then that part is cleared of what only stands beside the text
//! ([`prune`], [`phrases`]). Pages without running text give all that is left of them.

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
    /// Where it is: the content, and before it what leads into it.
    pub roots: Vec<NodeId>,
    /// What is left out, by index.
    pub dropped: Vec<bool>,
    /// What the page says about it.
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
    // Names can fool: where nothing is left, all that the page shows is its content.
    let dropped = if shows_text(View { dropped: &choice.dropped, ..view }, root) { choice.dropped } else { Vec::new() };
    Article { roots: vec![root], dropped, about }
}

fn shows_text(view: View<'_>, root: NodeId) -> bool {
    view.subtree(root).any(|id| view.text(id).is_some_and(|text| !text.trim().is_empty()))
}
