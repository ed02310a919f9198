//! Results of an extract: the text, its lines, its length, and the selected part.

use porthole_tests::Stack;
use serde_json::json;

#[tokio::test]
async fn the_text_keeps_its_lines_and_folds_runs_of_blank_ones() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<h1>Head</h1><p>one<br>two</p><br><br><br><br><p>three</p><ul><li>a<li>b</ul>
        <p style='display:none'>hidden</p><style>p{}</style><noscript>no script</noscript>",
    );
    let text = stack.extract(json!({"url": url})).await.content();
    assert_eq!(text, "Head\n\none\ntwo\n\nthree\n\na\nb");
}

/// Fragments that cover the rules of `innerText`: white space kept and collapsed, blocks, breaks, tables, lists, hidden
/// and generated content, form controls, runs of blank lines.
const FRAGMENTS: &str = r#"
<div> a  b\tc <br> d <br>
<pre>  a\n\n\n\n  b  \n</pre>
<pre>a\n \nb\n\t\n \nc</pre>
<p>a</p><p></p><p>b<br><br><br>c</p><br><br>d
<div style='white-space:pre-line'>a \n\n\n b</div>
<div>a&nbsp;<br>&nbsp;<br>&nbsp;<br>b</div>
<div>a<br>&nbsp;<br>b</div>
<table><tr><td>a<td><td>b<tr><td><tr><td>c</table>
<table><caption>a</caption><tfoot><tr><td>f</tfoot><tbody><tr><td>b<br><br><br>c</table>
<ul><li>a<li><li>b</ul><ol><li>c</ol>
<div>a<span style='display:none'>b</span><span style='visibility:hidden'>c</span><span style='opacity:0'>d</span></div>
<div style='text-transform:uppercase'>ab \u00df</div>
<div>a<input value=b><textarea>c</textarea><select><option>d<option>e</select><button>f</button></div>
<div style='display:flex'><b>a</b><i>b</i></div>
<div>a<div><div></div></div><hr><hr>b<h1>c</h1>d</div>
<div>\u05d0b\u2028cd\u3000\u3000e</div>
<div>a<svg><text>b</text></svg><ruby>c<rp>(</rp><rt>d</rt></ruby></div>
<div>\ud83d\ude00<br><br><br><br>\ud83d\ude00</div>"#;

#[tokio::test]
async fn a_text_differs_from_inner_text_only_in_runs_of_blank_lines() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&format!(
        "<!doctype html><body><script>
        for (const one of {}.trim().split('\\n')) {{
            const box = document.createElement('section');
            box.innerHTML = JSON.parse('\"' + one.replaceAll('\"', '') + '\"');
            document.body.append(box);
        }}
        for (const box of document.querySelectorAll('section')) box.dataset.said = box.innerText;
        </script>",
        json!(FRAGMENTS)
    ));
    let map = json!({"kind": "json", "map": {"said[]": "section@data-said"}});
    let texts = json!({"kind": "text", "selector": "section", "all": true});
    let fields = stack.extract(json!({"url": url, "extract": [map, texts]})).await.expect_ok();
    let said = fields["results"][0]["data"]["said"].as_array().unwrap();
    let texts = fields["results"][1]["data"].as_array().unwrap();
    assert_eq!((said.len(), texts.len()), (FRAGMENTS.trim().lines().count(), said.len()));
    let mut folded_runs = 0;
    for (said, text) in said.iter().zip(texts) {
        let (said, text) = (said.as_str().unwrap(), text.as_str().unwrap());
        let lines: Vec<&str> = said.split('\n').collect();
        let is_blank = |at: usize| at > 0 && at + 1 < lines.len() && lines[at].trim().is_empty();
        let mut expected: Vec<&str> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let (goes_on, begins) = (is_blank(at) && is_blank(at - 1), is_blank(at) && is_blank(at + 1));
            match () {
                () if goes_on => folded_runs += 1,
                () if begins => expected.push(""),
                () => expected.push(line),
            }
        }
        assert_eq!(text, expected.join("\n"), "{said:?}");
    }
    assert!(folded_runs > 5, "{folded_runs}");
}

#[tokio::test]
async fn a_selector_gives_the_text_of_its_first_match() {
    let stack = Stack::shared().await;
    let url = stack
        .site
        .html("<nav>menu</nav><div class=main-content>first <b>match</b></div><div class=main-content>second</div>");
    for instruction in ["selector: .main-content", "css: div.main-content", "SELECTOR:.main-content", " Css :  div "] {
        let answer = stack.extract(json!({"url": url, "instruction": instruction})).await;
        assert_eq!(answer.content(), "first match", "{instruction}");
        assert!(answer.warnings().is_empty(), "{answer:?}");
    }
}

#[tokio::test]
async fn a_selector_that_matches_nothing_is_an_error() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<p>text</p><p id=empty> </p>");
    let answer = stack.extract(json!({"url": url, "instruction": "selector: #nowhere"})).await;
    answer.expect_code("SELECTOR_NOT_FOUND");
    let answer = stack.extract(json!({"url": url, "instruction": "selector: #empty"})).await;
    answer.expect_code("EMPTY_EXTRACTION");
}

#[tokio::test]
async fn an_invalid_selector_is_refused_by_its_fields_name() {
    let stack = Stack::shared().await;
    let url = stack.site.html("<p>text</p>");
    let answer = stack.extract(json!({"url": url, "instruction": "selector: p[["})).await;
    answer.expect_code_about("INVALID_REQUEST", "instruction");
}

#[tokio::test]
async fn an_instruction_that_is_no_directive_gives_the_page_and_a_warning() {
    let stack = Stack::shared().await;
    let url = stack.site.html("the page's text");
    let answer = stack.extract(json!({"url": url, "instruction": "Tell me what this page is about"})).await;
    assert_eq!(answer.content(), "the page's text");
    assert_eq!(answer.warnings().len(), 1, "{answer:?}");
}

#[tokio::test]
async fn an_empty_instruction_is_none() {
    let stack = Stack::shared().await;
    let url = stack.site.html("the page's text");
    let answer = stack.extract(json!({"url": url, "instruction": ""})).await;
    assert_eq!(answer.content(), "the page's text");
}

#[tokio::test]
async fn text_is_cut_at_max_chars_counted_as_characters() {
    let stack = Stack::shared().await;
    let text = "aé漢😀".repeat(50);
    let url = stack.site.html(&text);
    for (max_chars, truncated) in [(1, true), (7, true), (199, true), (200, false), (20_000, false)] {
        let answer = stack.extract(json!({"url": url, "max_chars": max_chars})).await;
        let expected: String = text.chars().take(max_chars).collect();
        assert_eq!(answer.content(), expected, "{max_chars}");
        let fields = answer.expect_ok();
        assert_eq!((&fields["truncated"], &fields["total_chars"]), (&json!(truncated), &json!(200)), "{max_chars}");
    }
}

#[tokio::test]
async fn text_is_cut_at_20_000_characters_by_default() {
    let stack = Stack::shared().await;
    let url = stack.site.html(&"漢".repeat(20_001));
    let answer = stack.extract(json!({"url": url})).await;
    assert_eq!(answer.content(), "漢".repeat(20_000));
    let fields = answer.expect_ok();
    assert_eq!((&fields["truncated"], &fields["total_chars"]), (&json!(true), &json!(20_001)));
}

#[tokio::test]
async fn an_extract_sees_a_desktop_window_unless_told_otherwise() {
    let stack = Stack::shared().await;
    let url = stack.site.html(
        "<meta name=viewport content='width=device-width'><body><script>
        document.body.textContent = [innerWidth, innerHeight, devicePixelRatio].join(' ');
        </script>",
    );
    assert_eq!(stack.extract(json!({"url": url})).await.content(), "1280 720 1");
    let viewport = json!({"width": 500, "height": 400, "device_scale_factor": 2});
    assert_eq!(stack.extract(json!({"url": url, "viewport": viewport})).await.content(), "500 400 2");
}
