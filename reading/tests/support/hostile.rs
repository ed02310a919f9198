//! Snapshots of hostile pages, as the page function would write them: each as large as its limits allow, in a
//! shape that some construct multiplies.

use std::fmt::Write as _;

use porthole_reading::snapshot::{ATTRIBUTES_MAX_UNITS, NODES_MAX, TEXT_MAX_UNITS, VALUES_MAX};
use serde_json::{Value, json};

/// A page that is being built.
#[derive(Default)]
pub(crate) struct Page {
    names: Vec<String>,
    parent: Vec<i64>,
    name: Vec<usize>,
    flags: Vec<u32>,
    boxes: Vec<i64>,
    sizes: Vec<u32>,
    texts: Vec<String>,
    attributes: Vec<Value>,
}

/// The flags of a block element with preserved white space.
pub(crate) const PRE: u32 = 1 << 3 | 1 << 7;

impl Page {
    pub(crate) fn new() -> Self {
        Self { names: vec!["#text".to_owned()], ..Self::default() }
    }

    pub(crate) fn element(&mut self, parent: i64, name: &str, attributes: &[(&str, &str)]) -> i64 {
        self.flagged(parent, name, attributes, 1 << 3)
    }

    pub(crate) fn flagged(&mut self, parent: i64, name: &str, attributes: &[(&str, &str)], flags: u32) -> i64 {
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.parent.push(parent);
        self.name.push(at);
        self.flags.push(flags);
        self.boxes.extend([0, 0, 100, 100]);
        self.sizes.push(16_400);
        let id = self.parent.len() as i64 - 1;
        if !attributes.is_empty() {
            let mut list = vec![json!(id)];
            list.extend(attributes.iter().flat_map(|(name, value)| [json!(name), json!(value)]));
            self.attributes.push(Value::Array(list));
        }
        id
    }

    pub(crate) fn text(&mut self, parent: i64, text: impl Into<String>) -> i64 {
        self.parent.push(parent);
        self.name.push(0);
        self.flags.push(0);
        self.texts.push(text.into());
        self.parent.len() as i64 - 1
    }

    /// Returns the page's snapshot with these answers, as JSON.
    pub(crate) fn snapshot(self, answers: &Value) -> String {
        assert!(self.parent.len() <= NODES_MAX, "{} nodes", self.parent.len());
        let units: usize = self.texts.iter().map(|text| text.encode_utf16().count()).sum();
        assert!(units <= TEXT_MAX_UNITS, "{units} units of text");
        let head = json!({"url": "https://example.com/", "base": "https://example.com/", "title": "t", "language": "en",
            "content_type": "text/html", "window": [1, 1], "size": [1, 1]});
        json!({"head": head, "answers": answers, "names": self.names, "hidden": [0, 0, 0, 0, 0, 0, 0], "cut": false,
            "columns": {"parent": self.parent, "name": self.name, "flags": self.flags, "boxes": self.boxes,
                "sizes": self.sizes, "texts": self.texts, "attributes": self.attributes}})
        .to_string()
    }
}

/// A hostile page, and the queries to it.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) page: Page,
    /// The matched nodes; if empty, the first node.
    pub(crate) roots: Vec<i64>,
    /// A map and the values found for it.
    pub(crate) map: Option<(Value, Value)>,
}

impl Scene {
    fn of(name: &'static str, page: Page) -> Self {
        Self { name, page, roots: Vec::new(), map: None }
    }
}

fn body(page: &mut Page) -> i64 {
    let html = page.element(-1, "html", &[]);
    page.element(html, "body", &[])
}

/// Builds the attack's table: one cell over many places, then one plain row.
fn spanned(text: usize, tag: &str) -> Page {
    let mut page = Page::new();
    let body = body(&mut page);
    let table = page.element(body, "table", &[("role", "table")]);
    let group = page.element(table, if tag == "th" { "thead" } else { "tbody" }, &[]);
    for row in 0..399 {
        let tr = page.element(group, "tr", &[]);
        if row == 0 {
            let cell = page.element(tr, tag, &[("colspan", "1000"), ("rowspan", "399")]);
            let link = page.element(cell, "a", &[("href", &format!("https://example.com/{}", "u".repeat(7_000)))]);
            page.text(link, "x".repeat(text));
        }
    }
    let rest = page.element(table, "tbody", &[]);
    let tr = page.element(rest, "tr", &[]);
    for _ in 0..2 {
        let cell = page.element(tr, "td", &[]);
        page.text(cell, "1");
    }
    page
}

/// Builds nested elements with these names in turn, with text in the innermost.
fn nested(names: &[&str], levels: usize, text: &str) -> (Page, Vec<i64>) {
    let mut page = Page::new();
    let mut at = body(&mut page);
    let mut roots = Vec::new();
    for level in 0..levels {
        at = page.element(at, names[level % names.len()], &[("href", "https://example.com/"), ("start", "999999000")]);
        roots.push(at);
    }
    page.text(at, text);
    (page, roots)
}

/// Builds lines of preformatted text inside nested elements with these names.
fn indented(names: &[&str], levels: usize) -> Page {
    let mut page = Page::new();
    let mut at = body(&mut page);
    for level in 0..levels {
        at = page.element(at, names[level % names.len()], &[("start", "999999000")]);
    }
    let pre = page.flagged(at, "pre", &[], PRE);
    page.text(pre, "x\n".repeat(TEXT_MAX_UNITS / 2));
    page
}

pub(crate) fn scenes() -> Vec<Scene> {
    let mut scenes = vec![
        Scene::of("a cell over many places", spanned(30_000, "td")),
        Scene::of("a large cell over many places", spanned(TEXT_MAX_UNITS - 10, "td")),
        Scene::of("a heading over many columns", spanned(TEXT_MAX_UNITS - 10, "th")),
        Scene::of("code in lists in lists", indented(&["ol", "li"], 190)),
        Scene::of("code in quotes in quotes", indented(&["blockquote"], 190)),
    ];

    // A cell far to the right that spans all rows, so that each row extends to it.
    let mut page = Page::new();
    let at = body(&mut page);
    let table = page.element(at, "table", &[("role", "table")]);
    for row in 0..39_000 {
        let tr = page.element(table, "tr", &[]);
        if row == 0 {
            for _ in 0..200 {
                page.element(tr, "td", &[("colspan", "1000")]);
            }
            page.element(tr, "td", &[("rowspan", "65534")]);
        }
        let td = page.element(tr, "td", &[]);
        page.text(td, "y");
    }
    scenes.push(Scene::of("rows of gaps", page));

    // One wide row, and many short ones that Markdown would fill up.
    let mut page = Page::new();
    let at = body(&mut page);
    let table = page.element(at, "table", &[("role", "table")]);
    for row in 0..30_000 {
        let tr = page.element(table, "tr", &[]);
        for _ in 0..if row == 0 { 300 } else { 1 } {
            let td = page.element(tr, "td", &[("colspan", if row == 0 { "1000" } else { "1" })]);
            page.text(td, "y");
        }
    }
    scenes.push(Scene::of("short rows below a wide one", page));

    let long = "é".repeat(TEXT_MAX_UNITS);
    for (name, names) in [
        ("headings in headings", &["h1"][..]),
        ("links in links", &["a"]),
        ("emphasis in emphasis", &["b", "i"]),
        ("tables in tables", &["table", "tr", "td"]),
        ("grids in grids", &["table", "tr", "th"]),
        ("lists in lists", &["ul", "li"]),
    ] {
        let (page, roots) = nested(names, 190, &long);
        scenes.push(Scene { roots, ..Scene::of(name, page) });
    }

    let mut page = Page::new();
    let at = body(&mut page);
    for _ in 0..500 {
        let url = format!("https://example.com/{}", "&\"".repeat(2_000));
        page.element(at, "img", &[("src", &url), ("alt", &"|*_\"<&".repeat(300)), ("title", &"\"".repeat(1_900))]);
    }
    page.text(at, "shown");
    scenes.push(Scene::of("pictures with long names", page));

    let mut page = Page::new();
    let at = body(&mut page);
    let mut left = ATTRIBUTES_MAX_UNITS;
    for _ in 0..(NODES_MAX - 4) / 2 {
        let class = "a b c d embed ad share x".repeat(2);
        left = left.saturating_sub(class.len() + 21);
        let div = page.element(at, "div", &[("class", class.as_str())][..usize::from(left > 0)]);
        page.text(div, "word");
    }
    scenes.push(Scene::of("many classes", page));

    let mut page = Page::new();
    let at = body(&mut page);
    for _ in 0..(NODES_MAX - 4) / 2 {
        let b = page.flagged(at, "b", &[], 0);
        page.text(b, "x");
    }
    scenes.push(Scene::of("letters in bold side by side", page));

    let mut page = Page::new();
    let at = body(&mut page);
    let code = page.flagged(at, "code", &[], 0);
    let mut ticks = String::new();
    for length in (0..).take_while(|length| (length + 1) * (length + 2) / 2 < TEXT_MAX_UNITS / 2) {
        let _ = write!(ticks, "{}x", "`".repeat(length));
    }
    page.text(code, ticks + &"x".repeat(TEXT_MAX_UNITS / 4));
    scenes.push(Scene::of("runs of backticks of every length", page));

    let directions = "\u{202a}".repeat(TEXT_MAX_UNITS / 2) + &"\u{2069}".repeat(TEXT_MAX_UNITS / 2);
    for (name, text) in [
        ("quotation marks", "\"".repeat(TEXT_MAX_UNITS)),
        ("control characters", "\u{1}".repeat(TEXT_MAX_UNITS)),
        ("marks of Markdown", "*_`[]<&\\".repeat(TEXT_MAX_UNITS / 8)),
        ("tag characters", "\u{e0061}".repeat(TEXT_MAX_UNITS / 2)),
        ("marks of direction", directions),
    ] {
        let mut page = Page::new();
        let at = body(&mut page);
        let heading = page.element(at, "h2", &[]);
        page.text(heading, text);
        scenes.push(Scene::of(name, page));
    }

    // Many fields that read the same large text.
    let mut page = Page::new();
    let at = body(&mut page);
    let p = page.element(at, "p", &[]);
    page.text(p, "x".repeat(TEXT_MAX_UNITS));
    let fields: serde_json::Map<String, Value> = (0..190).map(|at| (format!("f{at}"), json!("p"))).collect();
    let values = vec![json!({"at": p}); 190];
    scenes.push(Scene { map: Some((Value::Object(fields), json!(values))), ..Scene::of("a map of one text", page) });

    // Long field names in each of many entries.
    let mut page = Page::new();
    body(&mut page);
    let names: serde_json::Map<String, Value> = (0..2).map(|at| (format!("{at}").repeat(20_000), json!("p"))).collect();
    let entries = vec![json!({"map": [{"none": true}, {"none": true}]}); VALUES_MAX / 3];
    let map = json!({"entries": ["p", names]});
    scenes.push(Scene { map: Some((map, json!([{"list": entries}]))), ..Scene::of("long names of fields", page) });
    scenes
}
