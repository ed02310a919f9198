//! Pages and selectors that would keep their reader for ever, or fool it: each ends in a code or a cut.

use std::time::Duration;

use porthole_tests::{Reply, Stack};
use serde_json::{Value, json};

/// Navigation, wait and reading together, and some more for a slow machine.
const ENDED_WITHIN: Duration = Duration::from_secs(60);
/// What a page that asks for too much may end in.
const ENDS: &[&str] =
    &["DEADLINE_EXCEEDED", "BROWSER_CRASHED", "NAVIGATION_TIMEOUT", "INVALID_REQUEST", "NAVIGATION_FAILED"];

#[tokio::test]
async fn deep_wide_and_long_pages_end() {
    let stack = Stack::start().await;
    let deep = stack.site.html(
        "<p>top<script>let at = document.body; for (let n = 0; n < 100000; n++) { const next = document.createElement('div'); at.append(next); at = next }
        at.textContent = 'bottom'</script>",
    );
    let parsed = stack.site.html(&format!("<p>top</p>{}bottom", "<div><b><ul><li>".repeat(25_000)));
    let rows = stack.site.html(
        "<table id=t><tr><th>a<th>b</table><script>document.querySelector('#t').insertAdjacentHTML('beforeend', '<tr><td>1<td>2</tr>'.repeat(1000000))</script>",
    );
    let long = stack.site.html("<p id=p></p><script>p.textContent = 'word '.repeat(10000000)</script>");
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
    let url = stack.site.page(Reply::html(&"<p>word</p>".repeat(130_000)));
    let answer = stack.extract(json!({"url": url, "instruction": "markdown"})).await.within(ENDED_WITHIN);
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
