//! HTML → Markdown → HTML gives the same tree: for a sample, and for CommonMark's examples if `COMMONMARK_SPEC` is set.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use porthole_reading::markdown;
use porthole_reading::view::View;
use scraper::{ElementRef, Html, Node};

fn to_markdown(html: &str) -> String {
    let dom = support::dom(html);
    let roots: Vec<_> = dom.roots().collect();
    markdown::of(View::whole(&dom, false), &roots)
}

fn to_html(text: &str) -> String {
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(text));
    html
}

/// Returns a document's tree as text, with white space folded where HTML folds it.
fn tree(html: &str) -> String {
    let parsed = Html::parse_document(html);
    let mut out = String::new();
    write(parsed.root_element(), false, &mut out);
    out
}

fn write(element: ElementRef<'_>, pre: bool, out: &mut String) {
    let name = element.value().name();
    let mut attributes: Vec<String> = element
        .value()
        .attrs()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    attributes.sort();
    let block = !matches!(name, "a" | "em" | "strong" | "code" | "img" | "br" | "del");
    let trim = |out: &mut String| out.truncate(out.trim_end_matches(' ').len());
    if block || name == "br" {
        trim(out);
    }
    out.push_str(&format!("<{name} {}>", attributes.join(" ")));
    let pre = pre || name == "pre";
    let mut text = String::new();
    let flush = |text: &mut String, out: &mut String| {
        if pre {
            out.push_str(text);
        } else {
            for c in text.chars() {
                if matches!(c, ' ' | '\n' | '\t') {
                    if !out.ends_with([' ', '>'])
                        || out.ends_with("</a>")
                        || out.ends_with("</em>")
                        || out.ends_with("</strong>")
                        || out.ends_with("</code>")
                    {
                        out.push(' ');
                    }
                } else {
                    out.push(c);
                }
            }
        }
        text.clear();
    };
    for child in element.children() {
        match child.value() {
            Node::Text(own) => text.push_str(own),
            Node::Element(_) => {
                flush(&mut text, out);
                write(ElementRef::wrap(child).unwrap(), pre, out);
            }
            _ => {}
        }
    }
    flush(&mut text, out);
    if block && !pre {
        trim(out);
    }
    out.push_str(&format!("</{name}>"));
}

#[test]
fn a_sample_gives_the_same_tree() {
    for html in [
        "<h1>A *star* #</h1><p>one <em>two</em> <strong>three</strong><br>four</p>",
        "<p>1. no list</p><p># no heading</p><p>- no entry</p><p>a_b_c _d_ [x](y) &lt;b&gt;not&lt;/b&gt; **c** `d` ~~e~~</p>",
        "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ul><li>other</li></ul>",
        "<ol start=\"7\"><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>",
        "<blockquote><p>said</p><blockquote><p>again</p></blockquote></blockquote>",
        "<pre><code class=\"language-rust\">fn main() {\n    \"```\";\n}\n</code></pre>",
        "<p><code>a ` b</code> <a href=\"/x(y\" title=\"a &quot;q&quot;\">l[i]nk</a><img src=\"/i.png\" alt=\"al]t\"></p>",
        "<p><em>in <strong>both</strong></em>word<strong>s</strong> <strong><em>x</em></strong></p>",
        "<hr><p>a &amp;copy; b</p>",
    ] {
        let markdown = to_markdown(html);
        assert_eq!(tree(&to_html(&markdown)), tree(html), "{markdown}");
    }
}

#[test]
fn a_code_blocks_language_is_declared_by_it_or_around_it() {
    for (html, language) in [
        ("<pre><code class=language-rust>x</code></pre>", "rust"),
        ("<div class='highlight highlight-source-shell'><pre>x</pre></div>", "shell"),
        ("<div class='highlight-python3 notranslate'><div class=highlight><pre>x</pre></div></div>", "python3"),
        ("<div class='highlight-default notranslate'><div class=highlight><pre>x</pre></div></div>", ""),
        ("<pre>x</pre>", ""),
    ] {
        assert_eq!(to_markdown(html), format!("```{language}\nx\n```"), "{html}");
    }
}

#[test]
fn a_section_has_no_rule_at_its_start_or_end() {
    let dom = support::dom("<main><hr><p>one</p><hr><p>two</p><hr></main>");
    let roots: Vec<_> = dom.roots().collect();
    assert_eq!(markdown::of_section(View::whole(&dom, false), &roots).parts, ["one", "___", "two"]);
}

/// `COMMONMARK_SPEC=…/spec.json`: a list of `{markdown, html, example, section}`, as in npm's `commonmark-spec`.
#[test]
fn commonmarks_own_examples_give_the_same_tree() {
    let Some(path) = std::env::var_os("COMMONMARK_SPEC") else { return };
    let examples: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut same, mut all) = (0, 0);
    for example in &examples {
        let (section, html) = (example["section"].as_str().unwrap(), example["html"].as_str().unwrap());
        // Markdown can't express raw HTML.
        if matches!(section, "HTML blocks" | "Raw HTML") || example["raw"] == true {
            continue;
        }
        all += 1;
        let markdown = to_markdown(html);
        if tree(&to_html(&markdown)) == tree(html) {
            same += 1;
        } else if std::env::var_os("SHOW").is_some() {
            println!("--- {} {section}\n{html}\n=>\n{markdown}\n=>\n{}", example["example"], to_html(&markdown));
            println!("{}\n{}", tree(html), tree(&to_html(&markdown)));
        }
    }
    println!("{same} of {all}");
    assert!(f64::from(same) >= 0.95 * f64::from(all), "{same} of {all}");
}
