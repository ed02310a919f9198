//! Classifies a part of a page by its element, role, class names and id.

mod vocabulary;

use vocabulary::{ABOUT, ABOUT_PAIRS, BODY, BODY_PAIRS, COMMENTS, FURNITURE, FURNITURE_PAIRS, LEADS};

use crate::dom::{Dom, NodeId};

/// The kind of a part of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Furniture: navigation, advertising and the like.
    Furniture,
    /// Comments by readers.
    Comments,
    /// About the content but not part of it: author, date, labels, captions.
    About,
    /// The content itself.
    Body,
    /// Unknown.
    Unknown,
}

/// Returns the words of class and id, in lower case: `articleBody_main` has three.
fn words(dom: &Dom, id: NodeId) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for name in ["class", "id"] {
        let mut word = String::new();
        let mut last_lower = false;
        for c in dom.attribute(id, name).unwrap_or_default().chars().take(400) {
            let ends = !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && last_lower);
            if ends && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if c.is_ascii_alphabetic() {
                word.push(c.to_ascii_lowercase());
            }
            last_lower = c.is_ascii_lowercase();
        }
        if !word.is_empty() {
            words.push(word);
        }
        words.push(String::new());
    }
    words
}

/// Returns the kind of a part by its element, role, class and id.
pub(super) fn part(dom: &Dom, id: NodeId) -> Part {
    let name = dom.name(id);
    match name {
        "nav" | "dialog" | "button" | "menu" | "search" => return Part::Furniture,
        "figcaption" => return Part::About,
        "html" | "body" | "main" => return Part::Unknown,
        _ => {}
    }
    match dom.attribute(id, "role") {
        Some(
            "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog" | "alertdialog" | "menu"
            | "menubar" | "toolbar" | "tablist" | "alert" | "button" | "tooltip",
        ) => return Part::Furniture,
        Some("doc-noteref") => return Part::Unknown,
        _ => {}
    }
    let itemprop = dom.attribute(id, "itemprop").unwrap_or_default();
    if itemprop.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("articlebody")) {
        return Part::Body;
    }
    let mut words = words(dom, id);
    // Weblog software names a post's categories and tags in its class.
    if words.iter().any(|word| word == "hentry") || (name == "article" && words.len() > 12) {
        words.clear();
    }
    let has = |list: &[&str]| words.iter().any(|word| !word.is_empty() && list.contains(&word.as_str()));
    let has_pair = |list: &[(&str, &str)]| {
        words.windows(2).any(|pair| list.iter().any(|(one, other)| pair[0] == *one && pair[1] == *other))
    };
    // An embedded quotation is part of the text that quotes it.
    if words.iter().any(|word| word == "embed" || word == "tweet")
        && dom.subtree(id).any(|below| dom.name(below) == "blockquote")
    {
        return Part::Unknown;
    }
    if has(BODY) || has_pair(BODY_PAIRS) {
        return Part::Body;
    }
    if has(COMMENTS) {
        return Part::Comments;
    }
    if has_pair(FURNITURE_PAIRS) {
        return Part::Furniture;
    }
    if has(FURNITURE) {
        return Part::Furniture;
    }
    if has(ABOUT)
        || has_pair(ABOUT_PAIRS)
        || itemprop.contains("author")
        || itemprop.contains("datePublished")
        || dom.attribute(id, "rel") == Some("author")
    {
        return Part::About;
    }
    match name {
        "aside" | "footer" | "header" | "form" => Part::Furniture,
        _ => Part::Unknown,
    }
}

/// Returns whether a part is named as the content.
pub(super) fn is_body(dom: &Dom, id: NodeId) -> bool {
    part(dom, id) == Part::Body
}

/// Returns whether a part is named as the content's lead.
pub(super) fn is_lead(dom: &Dom, id: NodeId) -> bool {
    words(dom, id).iter().any(|word| LEADS.contains(&word.as_str()))
}
