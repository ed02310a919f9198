//! Writes a page as cleaned HTML: structure, links and images, without scripts, styles and irrelevant attributes.

use crate::dom::NodeId;
use crate::view::View;

/// Elements that are kept; others are replaced by their content.
const KEPT: [&str; 78] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "blockquote",
    "body",
    "br",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
    "hgroup",
    "search",
    "button",
    "form",
    "label",
    "iframe",
];
const VOID: [&str; 5] = ["br", "col", "hr", "img", "wbr"];
const ATTRIBUTES: [&str; 15] = [
    "alt", "cite", "colspan", "datetime", "dir", "headers", "href", "hreflang", "id", "lang", "reversed", "rowspan",
    "scope", "start", "title",
];

/// Returns the nodes as HTML, one after the other, each without trailing white space.
#[must_use]
pub fn of(view: View<'_>, roots: &[NodeId]) -> String {
    let mut html = String::new();
    for root in roots {
        write(view, *root, false, &mut html);
        html.truncate(html.trim_end().len());
    }
    html
}

fn write(view: View<'_>, id: NodeId, keeps_space: bool, html: &mut String) {
    if view.drops(id) {
        return;
    }
    if view.dom.text(id).is_some() {
        if let Some(text) = view.text(id) {
            escape_text(text, keeps_space, html);
        } else if !html.ends_with(char::is_whitespace) {
            html.push(' ');
        }
        return;
    }
    let Some(element) = view.dom.element(id) else { return };
    let name = &*element.name;
    let keeps_space = keeps_space || name == "pre";
    let kept = KEPT.contains(&name);
    if (name == "img" || name == "hr") && !view.shows(id) {
        return;
    }
    if kept {
        html.push('<');
        html.push_str(name);
        for (key, value) in &element.attributes {
            if ATTRIBUTES.contains(&&**key)
                && !(&**key == "href" && value.trim_start().to_ascii_lowercase().starts_with("javascript:"))
            {
                attribute(key, value, html);
            }
        }
        if let Some(image) = crate::images::image(view.dom, id) {
            attribute("src", &image.src, html);
        } else if name == "iframe"
            && let Some(src) = element.attribute("src")
        {
            attribute("src", src, html);
        }
        html.push('>');
    }
    if VOID.contains(&name) {
        return;
    }
    let from = html.len();
    for child in view.dom.children(id) {
        write(view, *child, keeps_space, html);
    }
    if kept {
        // Elements whose content was dropped are dropped too.
        let is_bare = html[from..].trim().is_empty() && !matches!(name, "td" | "th" | "iframe" | "li" | "a" | "p");
        if is_bare && !view.dom.children(id).is_empty() {
            let start = html[..from].rfind('<').unwrap_or(from);
            html.truncate(start);
            return;
        }
        html.push_str("</");
        html.push_str(name);
        html.push('>');
    }
}

fn attribute(name: &str, value: &str, html: &mut String) {
    html.push(' ');
    html.push_str(name);
    html.push_str("=\"");
    for c in value.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            '<' => html.push_str("&lt;"),
            c => html.push(c),
        }
    }
    html.push('"');
}

fn escape_text(text: &str, keeps_space: bool, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            c if !keeps_space && crate::view::is_space(c) => {
                if !html.ends_with([' ', '\n']) {
                    html.push(if c == '\n' { '\n' } else { ' ' });
                }
            }
            c => html.push(c),
        }
    }
}
