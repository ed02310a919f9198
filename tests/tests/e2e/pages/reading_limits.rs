//! Pages and selectors that would occupy the reader for ever or fool it: each ends in an error code or a cut answer.

use std::time::Duration;

use porthole_tests::{Reply, Stack, in_time};
use serde_json::{Value, json};

/// Limit for navigation, wait and reading together, with a margin for a slow machine.
const ENDED_WITHIN: Duration = Duration::from_secs(60);
/// Error codes that a page beyond the limits may end with.
const ENDS: &[&str] =
    &["DEADLINE_EXCEEDED", "BROWSER_CRASHED", "NAVIGATION_TIMEOUT", "INVALID_REQUEST", "NAVIGATION_FAILED"];

#[tokio::test]
async fn deep_wide_and_long_pages_end() {
    let stack = Stack::start().await;
    let deep = stack.site.html(
        "<p>top<script>let at = document.body; for (let n = 0; n < 30000; n++) { const next = document.createElement('div'); at.append(next); at = next }
        at.textContent = 'bottom'</script>",
    );
    let parsed = stack.site.html(&format!("<p>top</p>{}bottom", "<div><b><ul><li>".repeat(4_000)));
    // Five nodes each: more than the 120 000 of a snapshot.
    let rows = stack.site.html(
        "<table id=t><tr><th>a<th>b</table><script>document.querySelector('#t').insertAdjacentHTML('beforeend', '<tr><td>1<td>2</tr>'.repeat(25000))</script>",
    );
    let long = stack.site.html("<p id=p></p><script>p.textContent = 'word '.repeat(400000)</script>");
    let spans = stack.site.html(&format!(
        "<table><tr><th>a<th>b</tr>{}</table>",
        "<tr><td rowspan=65534 colspan=1000>x<td>y</tr>".repeat(500)
    ));
    for url in [&deep, &parsed, &rows, &long, &spans] {
        for instruction in ["", "article; markdown; tables; links", "json: {\"p[]\": \"p\"}"] {
            let answer = stack.extract(json!({"url": url, "instruction": instruction})).await.within(ENDED_WITHIN);
            answer.expect_ok_or(&[ENDS, &["EMPTY_EXTRACTION"]].concat());
            if answer.code().is_none() {
                assert!(answer.body.len() < 600_000, "{} bytes", answer.body.len());
            }
        }
    }
    stack.expect_idle(Duration::from_secs(15)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_page_larger_than_what_is_read_says_so() {
    let stack = Stack::shared().await;
    // Two nodes each: more than the 120 000 of a snapshot. Most are hidden: a browser lays out so many for seconds.
    let word = "<p>word</p>";
    let page = format!("<div hidden>{}</div>{}", word.repeat(55_500), word.repeat(5_000));
    let url = stack.site.page(Reply::html(&page));
    let answer = in_time(async || stack.extract(json!({"url": url})).await.within(ENDED_WITHIN)).await;
    assert!(answer.warnings().iter().any(|warning| warning.starts_with("page_cut: ")), "{:?}", answer.warnings());
    assert_eq!(answer.expect_ok()["truncated"], true);
}

#[tokio::test]
async fn selectors_that_never_end_are_ended() {
    let stack = Stack::start().await;
    let url = stack.site.html(&format!("<main>{}</main>", "<i><b>x</b></i>".repeat(3000)));
    let endless = "//*[count(//*[count(//*[count(//*) > 1]) > 1]) > 1]";
    let nested = ["*"; 12].join(" >> ");
    let has = format!("selector: {}", "*:has(* ~ * ~ * ~ *) ".repeat(8));
    for instruction in [
        format!("xpath: {endless}"),
        format!("all: {nested}"),
        has,
        "text: x >> text: x".to_owned(),
        "xpath: //* >> xpath: .//* >> xpath: .//*".to_owned(),
    ] {
        let answer = stack.extract(json!({"url": url, "instruction": instruction})).await.within(ENDED_WITHIN);
        answer.expect_ok_or(&[ENDS, &["SELECTOR_NOT_FOUND"]].concat());
    }
    let schema = json!({"properties": {"a": {"pattern": "^(a+)+$"}}});
    let bomb = stack.site.html(&format!("<p>{}!</p>", "a".repeat(5000)));
    let answer =
        stack.extract(json!({"url": bomb, "extract": {"kind": "json", "map": {"a": "p"}, "schema": schema}})).await;
    assert!(answer.within(ENDED_WITHIN).warnings().iter().any(|warning| warning.starts_with("schema_misfit")));
    stack.expect_idle(Duration::from_secs(15)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_page_that_replaces_what_it_is_read_with_or_changes_meanwhile_is_read_all_the_same() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<title>honest</title><body><main><h1>Head</h1><p class=a>honest text</p><table><tr><th>a<th>b<tr><td>1<td>2</table></main><script>
        for (const name of ['querySelector', 'querySelectorAll', 'matches', 'getAttribute', 'checkVisibility', 'getBoundingClientRect'])
            Element.prototype[name] = Document.prototype[name] = () => { throw 'forged' };
        Array.prototype.push = Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 'forged' };
        String.prototype.replace = RegExp.prototype.exec = Map.prototype.get = () => 'forged';
        Object.prototype.toJSON = () => 'forged'; JSON.stringify = () => 'forged'; Object.prototype.of = 'forged';
        Object.defineProperty(Node.prototype, 'childNodes', { get() { throw 'forged' } });
        window.getComputedStyle = () => { throw 'forged' };
        setInterval(() => { document.body.append(document.createElement('i')); }, 10);
        </script>",
    );
    let answer = stack
        .extract(json!({"url": url, "instruction": "markdown: main; table; selector: .a; all: role: heading"}))
        .await;
    let fields = answer.within(ENDED_WITHIN).expect_ok();
    let contents: Vec<&str> =
        fields["results"].as_array().unwrap().iter().map(|result| result["content"].as_str().unwrap()).collect();
    assert_eq!(contents[0], "# Head\n\nhonest text\n\n| a | b |\n| --- | --- |\n| 1 | 2 |");
    assert_eq!(serde_json::from_str::<Value>(contents[1]).unwrap()["rows"], json!([["1", "2"]]));
    assert_eq!(contents[2..], ["honest text", "Head"]);
}

/// Returns a schema with `$defs` from 0 to `n`, each made by `link` from a reference to the next.
fn chain(n: usize, link: impl Fn(Value) -> Value) -> Value {
    let mut defs = serde_json::Map::new();
    for at in 0..n {
        defs.insert(at.to_string(), link(json!({"$ref": format!("#/$defs/{}", at + 1)})));
    }
    defs.insert(n.to_string(), json!({"minProperties": 1000}));
    json!({"$ref": "#/$defs/0", "$defs": defs})
}

#[tokio::test]
async fn schemas_that_multiply_are_refused_by_their_keyword_and_others_are_served() {
    let stack = Stack::start().await;
    let url = stack.site.html("<p>text</p>");
    let mut deep = chain(1300, |next| json!({"allOf": [next]}));
    let plain = deep.clone();
    deep["unevaluatedProperties"] = json!(false);
    let attacks = [
        (deep, "unevaluatedProperties"),
        (plain, "$ref"),
        (chain(20, |next| json!({"allOf": [next, next]})), "$ref"),
        (chain(24, |next| json!({"allOf": [next, next]})), "$ref"),
        (chain(20, |next| json!({"allOf": [next, {"minProperties": 1, "allOf": [next]}]})), "$ref"),
        (chain(48, |next| json!({"allOf": [next, {"not": {"not": next}}]})), "$ref"),
    ];
    let extract =
        |schema: &Value| json!({"url": url, "extract": {"kind": "json", "map": {"a": "p"}, "schema": schema}});
    for (schema, keyword) in &attacks {
        // Another caller's request at the same time is answered.
        let (refused, other) = tokio::join!(stack.extract(extract(schema)), stack.extract(json!({"url": url})));
        refused.expect_code_about("INVALID_REQUEST", "schema");
        refused.expect_code_about("INVALID_REQUEST", keyword);
        assert_eq!(other.content(), "text");
    }
    // A schema that is slow without multiplying ends in a warning.
    let slow = stack.site.html(&format!("<p>{}", "x".repeat(3_000_000)));
    let pattern = json!({"properties": {"a": {"pattern": "(x?){400}y"}}});
    let answer = stack
        .extract(json!({"url": slow, "extract": {"kind": "json", "map": {"a": "p"}, "schema": pattern}}))
        .await
        .within(ENDED_WITHIN);
    assert!(
        answer.warnings().iter().any(|warning| warning.starts_with("schema_unchecked: ")),
        "{:?}",
        answer.warnings()
    );
    let nested =
        json!({"$defs": {"text": {"type": "string", "minLength": 100}}, "properties": {"a": {"$ref": "#/$defs/text"}}});
    let answer = stack.extract(extract(&nested)).await;
    assert_eq!(answer.warnings(), ["schema_misfit: /a: \"text\" has 4 characters, fewer than 100"]);
    stack.expect_idle(Duration::from_secs(15)).await;
    stack.expect_alive().await;
}

#[tokio::test]
async fn a_text_over_many_places_is_read_as_far_as_the_answer_goes() {
    let stack = Stack::start().await;
    let cell = format!("<td colspan=1000 rowspan=399><a href=/{}>{}</a>", "u".repeat(2_000), "x".repeat(30_000));
    let rows = "<tr>".repeat(398);
    let url = stack.site.html(&format!("<table role=table><tr>{cell}{rows}<tr><td>a<td>b</table>"));
    for kind in ["table", "tables", "csv", "markdown", "article"] {
        let answer = read_within(&stack, json!({"url": url, "instruction": kind})).await;
        assert_eq!(answer["truncated"], true, "{kind}");
    }
    for extract in [json!({"kind": "table", "links": true}), json!({"kind": "tables", "links": true, "max_chars": 100})]
    {
        assert_eq!(read_within(&stack, json!({"url": url, "extract": extract})).await["truncated"], true, "{extract}");
    }
    // The row after the ones that are too long can still be read by its offset.
    let last = json!({"url": url, "instruction": "table", "offset": 399, "include_hidden": true});
    let last = read_within(&stack, last).await;
    assert_eq!(last["data"]["rows"], json!([["a", "b"]]));
    stack.expect_idle(Duration::from_secs(15)).await;
    stack.expect_alive().await;
}

async fn read_within(stack: &Stack, request: Value) -> serde_json::Map<String, Value> {
    let answer = stack.extract(request).await.within(ENDED_WITHIN);
    assert!(answer.body.len() < 600_000, "{} bytes", answer.body.len());
    answer.expect_ok()
}

#[tokio::test]
async fn attributes_names_and_values_without_end_are_cut() {
    let stack = Stack::start().await;
    let attributes = stack.site.html(
        "<p>text</p><script>const long = 'x'.repeat(200_000);
        for (let n = 0; n < 2_000; n++) {
            const one = document.createElement(n < 400 ? 'a-' + n + 'y'.repeat(5_000) : 'img');
            one.title = one.id = one.alt = long.slice(0, 2_000);
            one.setAttribute('data-long', long);
            document.body.append(one);
        }</script>",
    );
    let answer = stack.extract(json!({"url": attributes, "instruction": "markdown"})).await.within(ENDED_WITHIN);
    assert!(answer.warnings().iter().any(|warning| warning.starts_with("page_cut: ")), "{:?}", answer.warnings());
    let values = json!({"kind": "json", "map": {"all[]": "img@data-long", "none": ".none"}});
    let answer = stack.extract(json!({"url": attributes, "extract": values})).await.within(ENDED_WITHIN);
    assert!(answer.body.len() < 600_000, "{} bytes", answer.body.len());
    answer.expect_ok();
    // A missing value counts against the limit, too.
    let map: serde_json::Map<String, Value> = (0..30).map(|at| (format!("f{at}"), json!(".none"))).collect();
    let missing = json!({"kind": "json", "map": {"all": ["img", map]}});
    let answer = stack.extract(json!({"url": attributes, "extract": missing})).await.within(ENDED_WITHIN);
    answer.expect_code_about("INVALID_REQUEST", "20000 values");
    let nested = stack.site.html(&format!("{}{}", "<div>".repeat(400), "word ".repeat(40_000)));
    let answer = stack.extract(json!({"url": nested, "instruction": "all: div"})).await.within(ENDED_WITHIN);
    answer.expect_code_about("INVALID_REQUEST", "too much text");
    stack.expect_idle(Duration::from_secs(15)).await;
    stack.expect_alive().await;
}
