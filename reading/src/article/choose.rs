//! Chooses the part of a page that is its content.

use std::collections::{HashMap, HashSet};

use super::measure::{self, Measure};
use super::names::{self, Part};
use crate::dom::{Dom, NodeId};
use crate::snapshot::Head;
use crate::view::View;

/// The chosen part.
pub(super) struct Choice {
    /// Its node.
    pub root: NodeId,
    /// Whether each node is furniture, by index.
    pub dropped: Vec<bool>,
    /// Each node's measure, furniture not counted.
    pub measures: Vec<Measure>,
    /// The lead, if it is right before the content.
    pub lead: Option<NodeId>,
    /// Whether the page is a listing rather than a text: links are its content.
    pub is_listing: bool,
}

/// A part that holds a larger share of the page than this is not furniture.
const FURNITURE_SHARE_MAX: f64 = 0.45;
/// A part that is marked as the content must have at least this share of the best part's worth.
const MARKED_SHARE_MIN: f64 = 0.35;
/// A child with this share of its parent's worth is chosen in its place.
const DESCENT_SHARE_MIN: f64 = 0.8;
/// A part with less worth than this has no running text.
const TEXT_MIN: f64 = 220.0;
/// The same limit for a part's text, as a share of the page's text outside links.
const TEXT_SHARE_MIN: f64 = 0.15;
/// Number of levels above the content that are searched for a lead.
const LEAD_LEVELS_MAX: usize = 4;
/// Comments with this many times the worth of the rest are a page's content.
const FORUM_FACTOR_MIN: f64 = 3.0;

pub(super) fn choose(view: View<'_>, root: NodeId, head: &Head) -> Choice {
    let dom = view.dom;
    let bare = measure::all(view, root);
    let comments = comments(view, root, &bare);
    let mut dropped = furniture(view, root, &bare, false);
    let mut measures = measure::all(View { dropped: &dropped, ..view }, root);
    let mut best = descend(dom, root, &measures);
    // If almost nothing is left without the comments, they are the content.
    let is_marked_forum =
        head.linked_data.iter().any(|text| ["DiscussionForumPosting", "QAPage"].iter().any(|kind| text.contains(kind)));
    if comments > measures[best].worth * if is_marked_forum { 0.2 } else { FORUM_FACTOR_MIN }
        && (is_marked_forum || measures[best].worth < TEXT_MIN)
    {
        dropped = furniture(view, root, &bare, true);
        measures = measure::all(View { dropped: &dropped, ..view }, root);
        best = descend(dom, root, &measures);
    }
    let rest = View { dropped: &dropped, ..view };
    let marked = marked(rest, root, &measures, measures[best].worth);
    let mut chosen = match marked {
        Some(marked) => descend_from(dom, marked, &measures),
        None => best,
    };
    let mut is_listing = false;
    let region = region(rest, root, &measures);
    let unlinked = measures[region].chars - measures[region].link_chars;
    if measures[chosen].worth < TEXT_MIN || measures[chosen].chars < unlinked * TEXT_SHARE_MIN {
        is_listing = true;
        chosen = region;
    }
    let lead = if is_listing { None } else { lead(rest, chosen, &measures) };
    Choice { root: chosen, lead, dropped, measures, is_listing }
}

/// Returns the nearest part before the content that is named as its lead. Several in one place are teasers of other
/// content.
fn lead(view: View<'_>, root: NodeId, measures: &[Measure]) -> Option<NodeId> {
    let dom = view.dom;
    let mut at = root;
    for _ in 0..LEAD_LEVELS_MAX {
        let siblings = dom.children(dom.node(at).parent?);
        let before = siblings[..dom.node(at).place].iter().filter(|sibling| !view.drops(**sibling));
        let leads = outermost(
            dom,
            before.flat_map(|sibling| view.subtree(*sibling)).filter(|id| {
                names::is_lead(dom, *id)
                    && measures[*id].chars >= measure::PARAGRAPH_CHARS
                    && measures[*id].link_density() < 0.3
            }),
        );
        match leads[..] {
            [] => at = dom.node(at).parent?,
            [lead] => return Some(lead),
            _ => return None,
        }
    }
    None
}

/// Returns `main` if it holds enough of the text, else `root`.
fn region(view: View<'_>, root: NodeId, measures: &[Measure]) -> NodeId {
    let dom = view.dom;
    view.subtree(root)
        .filter(|id| dom.name(*id) == "main" || dom.attribute(*id, "role") == Some("main"))
        .max_by(|one, other| measures[*one].chars.total_cmp(&measures[*other].chars))
        .filter(|main| measures[*main].chars > measures[root].chars * 0.4)
        .unwrap_or(root)
}

/// Returns the worth of the comments.
fn comments(view: View<'_>, root: NodeId, measures: &[Measure]) -> f64 {
    let dom = view.dom;
    let mut comments = 0.0;
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if view.drops(id) {
            continue;
        }
        if names::part(dom, id) == Part::Comments {
            comments += measures[id].worth.max(0.0);
        } else {
            open.extend(dom.children(id));
        }
    }
    comments
}

/// Returns for each node whether it is furniture.
fn furniture(view: View<'_>, root: NodeId, measures: &[Measure], is_forum: bool) -> Vec<bool> {
    let dom = view.dom;
    let mut dropped = if view.dropped.is_empty() { vec![false; dom.len()] } else { view.dropped.to_vec() };
    let all = measures[root].chars.max(1.0);
    let worth = measures[root].worth.max(1.0);
    let mut open = vec![(root, false)];
    while let Some((id, in_content)) = open.pop() {
        if view.drops(id) || dom.element(id).is_none() {
            continue;
        }
        let measure = measures[id];
        let large = measure.chars > all * FURNITURE_SHARE_MAX || measure.worth > worth * FURNITURE_SHARE_MAX;
        let name = dom.name(id);
        let part = names::part(dom, id);
        let drop = id != root
            && match part {
                Part::Furniture => {
                    // The content's own header and footer may hold some of it.
                    let own = in_content
                        && matches!(name, "header" | "footer" | "form")
                        && measure.paragraphs > 0
                        && measure.link_density() < 0.3;
                    !large && !own
                }
                Part::Comments => !is_forum,
                Part::Unknown => {
                    dom.element(id).is_some_and(|element| element.fixed && element.area.height > 0)
                        && !large
                        && measure.chars < all * 0.2
                }
                Part::About | Part::Body => false,
            };
        if drop {
            dropped[id] = true;
            continue;
        }
        let in_content = in_content || matches!(name, "article" | "main") || part == Part::Body;
        open.extend(dom.children(id).iter().map(|child| (*child, in_content)));
    }
    dropped
}

/// Returns the smallest part with nearly all of the worth.
fn descend(dom: &Dom, root: NodeId, measures: &[Measure]) -> NodeId {
    let mut best = root;
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if measures[id].worth > measures[best].worth {
            best = id;
        }
        open.extend(dom.children(id).iter().filter(|child| dom.element(**child).is_some()));
    }
    descend_from(dom, best, measures)
}

fn descend_from(dom: &Dom, from: NodeId, measures: &[Measure]) -> NodeId {
    let mut at = from;
    loop {
        let next = dom
            .children(at)
            .iter()
            .copied()
            .filter(|child| dom.element(*child).is_some())
            .max_by(|one, other| measures[*one].worth.total_cmp(&measures[*other].worth));
        match next {
            // A single paragraph is too small a part.
            Some(next)
                if measures[next].worth >= measures[at].worth * DESCENT_SHARE_MIN && measures[next].paragraphs > 1 =>
            {
                at = next;
            }
            _ => return at,
        }
    }
}

/// Returns the part that is marked as the content, by its name or element.
fn marked(view: View<'_>, root: NodeId, measures: &[Measure], best: f64) -> Option<NodeId> {
    let dom = view.dom;
    let enough = best.max(1.0) * MARKED_SHARE_MIN;
    let bodies: Vec<NodeId> =
        outermost(dom, view.subtree(root).filter(|id| names::is_body(dom, *id) && measures[*id].worth > 0.0));
    let largest = |ids: &[NodeId]| {
        ids.iter().copied().max_by(|one, other| measures[*one].worth.total_cmp(&measures[*other].worth))
    };
    if let Some(body) = largest(&bodies) {
        // If the content is in several pieces, it is the part that holds them all.
        let pieces: Vec<NodeId> =
            bodies.iter().copied().filter(|id| measures[*id].worth > measures[body].worth * 0.25).collect();
        if pieces.len() > 1
            && let Some(shared) = shared(dom, body, &pieces)
            && measures[shared].worth >= enough
        {
            return Some(shared);
        }
        if measures[body].worth >= enough {
            return Some(body);
        }
    }
    let articles: Vec<NodeId> =
        outermost(dom, view.subtree(root).filter(|id| dom.name(*id) == "article" && measures[*id].worth > 0.0));
    if let Some(article) = largest(&articles) {
        // Of several articles, the one that has the page's heading.
        let headed: Vec<NodeId> =
            articles.iter().copied().filter(|id| view.subtree(*id).any(|below| dom.name(below) == "h1")).collect();
        if let [headed] = headed[..]
            && articles.len() > 1
            && measures[headed].worth >= TEXT_MIN
        {
            return Some(headed);
        }
        let next = articles.iter().filter(|id| **id != article).map(|id| measures[*id].worth).fold(0.0, f64::max);
        if measures[article].worth >= best * 0.5 && next < measures[article].worth * 0.5 {
            return Some(article);
        }
    }
    None
}

/// Returns the nearest ancestor of `body` that is an ancestor of all pieces.
fn shared(dom: &Dom, body: NodeId, pieces: &[NodeId]) -> Option<NodeId> {
    let above: Vec<NodeId> = dom.ancestors(body).collect();
    let levels: HashMap<NodeId, usize> = above.iter().enumerate().map(|(level, id)| (*id, level)).collect();
    let meeting = |piece: &NodeId| dom.ancestors(*piece).find_map(|id| levels.get(&id).copied());
    let highest = pieces.iter().map(meeting).try_fold(0, |highest, level| Some(highest.max(level?)))?;
    above.get(highest).copied()
}

/// Returns the nodes that are not inside another of them.
fn outermost(dom: &Dom, ids: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let ids: Vec<NodeId> = ids.collect();
    let all: HashSet<NodeId> = ids.iter().copied().collect();
    ids.into_iter().filter(|id| !dom.ancestors(*id).any(|above| all.contains(&above))).collect()
}
