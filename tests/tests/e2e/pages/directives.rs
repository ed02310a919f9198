//! Directives: the results of each kind, in string and typed form, several from one visit, and how answers are cut.

use porthole_tests::{Answer, Stack};
use serde_json::{Value, json};

const SHOP: &str = "<!doctype html><html lang=de><title>Laden</title>
<meta property='og:title' content='Der Laden'><link rel=canonical href='/laden'>
<script type='application/ld+json'>{\"@type\":\"Product\",\"name\":\"Uhr\"}</script>
<nav><a href='/a'>Start</a></nav>
<main><h1>Uhren</h1><h2 id=neu>Neue</h2>
<div class=item><b>Eins</b> <i class=price>1.234,50 €</i> <a href='/eins' rel=nofollow>mehr</a> <time datetime='2024-05-01'>Mai</time></div>
<div class=item><b>Zwei</b> <i class=price>auf Anfrage</i> <a href='/zwei'>mehr</a></div>
<button aria-label='In den Korb'>+</button><p data-testid=note>Hinweis</p><img src='/uhr.png' alt='eine Uhr' width=40 height=40>
<table id=prices><caption>Preise</caption><thead><tr><th rowspan=2>Modell<th colspan=2>Preis</tr><tr><th>alt<th>neu</tr></thead>
<tr><td>Eins<td>1<td>2</tr><tr><td>Zwei<td colspan=2>3</tr><tr><td>Drei</tr></table></main>
<shop-card></shop-card><script>document.querySelector('shop-card').attachShadow({mode: 'open'}).innerHTML = '<p class=card>im Schatten</p>'</script>
<iframe srcdoc='<p class=framed>im Rahmen</p>'></iframe>";

async fn read(stack: &Stack, url: &str, instruction: &str) -> Answer {
    stack.extract(json!({"url": url, "instruction": instruction})).await
}

#[tokio::test]
async fn selectors_in_every_language_find_text() {
    let stack = Stack::shared().await;
    let url = stack.site.html(SHOP);
    for (instruction, expected) in [
        ("xpath: //div[2]/b", "Zwei"),
        ("xpath: count(//div)", "2"),
        ("text: hinweis", "Hinweis"),
        ("role: button \"in den korb\"", "+"),
        ("role: heading \"Neue\"", "Neue"),
        ("testid: note", "Hinweis"),
        (".item >> css: i", "1.234,50 €"),
        ("selector: .item >> text: mehr", "mehr"),
        ("selector: .card", "im Schatten"),
        ("selector: iframe >> .framed", "im Rahmen"),
        ("selector: .framed", "im Rahmen"),
        ("all: .item >> b", "Eins\nZwei"),
    ] {
        let instruction =
            if instruction.starts_with('.') { format!("selector: {instruction}") } else { instruction.to_owned() };
        let answer = read(&stack, &url, &instruction).await;
        assert_eq!(answer.content(), expected, "{instruction}");
    }
    let answer = read(&stack, &url, "all: .item").await.expect_ok();
    assert_eq!((&answer["matched"], answer["data"].as_array().unwrap().len()), (&json!(2), 2));
    read(&stack, &url, "xpath: //[").await.expect_code_about("INVALID_REQUEST", "instruction");
    read(&stack, &url, "role: slider").await.expect_code("SELECTOR_NOT_FOUND");
    read(&stack, &url, "selektor: h1").await.expect_code_about("INVALID_REQUEST", "selector");
}

#[tokio::test]
async fn a_tables_spans_are_expanded_and_its_headers_joined() {
    let stack = Stack::shared().await;
    let url = stack.site.html(SHOP);
    let answer = read(&stack, &url, "table: #prices").await.expect_ok();
    let expected = json!({"caption": "Preise", "headers": ["Modell", "Preis / alt", "Preis / neu"],
        "rows": [["Eins", "1", "2"], ["Zwei", "3", "3"], ["Drei"]]});
    assert_eq!(answer["data"], expected);
    assert_eq!(serde_json::from_str::<Value>(answer["content"].as_str().unwrap()).unwrap(), expected);
    assert_eq!((&answer["format"], &answer["matched"]), (&json!("json"), &json!(3)));
    let csv = read(&stack, &url, "csv").await;
    assert_eq!(csv.content(), "Modell,Preis / alt,Preis / neu\nEins,1,2\nZwei,3,3\nDrei\n");
    assert_eq!(csv.expect_ok()["format"], "csv");
    let none = stack.site.html("<table><tr><td>layout</td></tr></table>");
    read(&stack, &none, "table").await.expect_code("EMPTY_EXTRACTION");
}

#[tokio::test]
async fn values_come_in_the_maps_shape_and_misfits_are_named() {
    let stack = Stack::shared().await;
    let url = stack.site.html(SHOP);
    let map = json!({"title": "h1", "items": [".item", {"name": "b", "price": ".price | number", "link": "a@href", "day": "time | date"}],
        "links[]": ".item a | url", "none": ".nowhere"});
    let schema = json!({"type": "object", "properties": {"title": {"type": "number"}}});
    let answer = stack.extract(json!({"url": url, "extract": {"kind": "json", "map": map, "schema": schema}})).await;
    let base = url.rsplit_once('/').unwrap().0;
    let data = answer.expect_ok()["data"].clone();
    assert_eq!(
        data,
        json!({"title": "Uhren", "none": null, "links": [format!("{base}/eins"), format!("{base}/zwei")], "items": [
            {"name": "Eins", "price": 1234.5, "link": format!("{base}/eins"), "day": "2024-05-01"},
            {"name": "Zwei", "price": null, "link": format!("{base}/zwei"), "day": null}]})
    );
    let warnings = answer.warnings().join("\n");
    for expected in
        ["misfit: `items[1].price`", "not_found: nothing matches the selector of `none`", "schema_misfit: /title"]
    {
        assert!(warnings.contains(expected), "{expected} not in {warnings}");
    }
    let string = read(&stack, &url, &format!("json: {map}; schema: {schema}")).await;
    assert_eq!(string.expect_ok()["data"], data, "the string form and the typed form differ");
}

#[tokio::test]
async fn several_directives_are_read_from_one_visit() {
    let stack = Stack::shared().await;
    let url = stack.site.html(SHOP);
    let answer = read(&stack, &url, "headings; links\nimages; metadata; markdown: .item; selector: .nowhere").await;
    let fields = answer.expect_ok();
    let results = fields["results"].as_array().unwrap();
    assert_eq!(stack.site.seen(&url).len(), 1, "several directives must share one navigation");
    assert_eq!(results[0]["data"], json!([{"level": 1, "text": "Uhren"}, {"level": 2, "text": "Neue", "id": "neu"}]));
    let links = results[1]["data"].as_array().unwrap();
    assert_eq!((links.len(), &links[1]["rel"], &links[1]["text"]), (3, &json!("nofollow"), &json!("mehr")));
    assert!(links[0]["url"].as_str().unwrap().starts_with("http://"), "{links:?}");
    assert_eq!(results[2]["data"][0]["alt"], "eine Uhr");
    let metadata = &results[3]["data"];
    assert_eq!((&metadata["language"], &metadata["open_graph"]["title"]), (&json!("de"), &json!("Der Laden")));
    assert_eq!(metadata["json_ld"][0]["name"], "Uhr");
    assert!(results[4]["content"].as_str().unwrap().starts_with("**Eins** *1.234,50 €* [mehr](http://"), "{results:?}");
    assert!(results[5]["warnings"][0].as_str().unwrap().starts_with("selector_not_found: "), "{results:?}");
    assert_eq!((&fields["content"], &fields["format"]), (&results[0]["content"], &json!("json")));
}

#[tokio::test]
async fn an_article_comes_without_its_furniture() {
    let stack = Stack::shared().await;
    let paragraph =
        "It was a long day at sea, and the crew, tired as it was, kept looking out for land until the sun went down. ";
    let url = stack.site.html(&format!(
        "<html lang=en><title>At sea | The Paper</title><meta name=author content='A. Writer'><meta property='og:site_name' content='The Paper'>
        <meta property='article:published_time' content='2024-05-01T10:00:00Z'><meta property='og:image' content='/lead.jpg'>
        <header><nav><a href=/1>News</a> <a href=/2>Sport</a></nav></header>
        <main><article><h1>At sea</h1><p class=byline>By A. Writer</p><p>{0}</p><h2>Night</h2><p>{0}<a href='/land'>Land</a> was far.</p>
        <div class=share-buttons><a href=#>Share this</a></div><p>{0}</p></article>
        <aside class=related><h3>Related</h3><ul><li><a href=/3>Another story about something else entirely</a></ul></aside></main>
        <footer>Copyright 2024 The Paper. All rights reserved.</footer>",
        paragraph.repeat(3)
    ));
    let answer = read(&stack, &url, "article").await;
    let content = answer.content();
    for gone in ["News", "By A. Writer", "Share", "Another story", "Copyright"] {
        assert!(!content.contains(gone), "{gone} in {content}");
    }
    assert!(
        content.starts_with("It was a long day")
            && content.contains("\n\n## Night\n\n")
            && content.contains("[Land](http://"),
        "{content}"
    );
    let data = answer.expect_ok()["data"].clone();
    assert_eq!(
        (&data["title"], &data["byline"], &data["published"], &data["site_name"], &data["language"]),
        (&json!("At sea"), &json!("A. Writer"), &json!("2024-05-01T10:00:00Z"), &json!("The Paper"), &json!("en"))
    );
    assert!(data["lead_image"].as_str().unwrap().ends_with("/lead.jpg"));
}

#[tokio::test]
async fn a_cut_answer_continues_at_its_next_offset() {
    let stack = Stack::shared().await;
    let rows: String = (0..200).map(|n| format!("<tr><td>row {n}<td>{n}</tr>")).collect();
    let paragraphs: String = (0..100).map(|n| format!("<p>paragraph {n} 漢字😀</p>")).collect();
    let url = stack.site.html(&format!("<table><tr><th>name<th>n</tr>{rows}</table>{paragraphs}"));
    let text = read(&stack, &url, "").await.content();
    for (instruction, whole) in [
        ("text", Some(text)),
        ("markdown", None),
        ("html", None),
        ("table", None),
        ("csv", None),
        ("all: p", None),
        ("headings; links", None),
    ] {
        let mut offset = 0;
        let mut pieces = Vec::new();
        let mut rows = 0;
        loop {
            let mut request = json!({"url": url, "instruction": instruction, "max_chars": 1500});
            if offset > 0 {
                request["offset"] = json!(offset);
            }
            let fields = stack.extract(request).await.expect_ok();
            let content = fields["content"].as_str().unwrap();
            assert!(content.chars().count() <= 1500, "{instruction}: {}", content.chars().count());
            if fields["format"] == "json" {
                let value: Value =
                    serde_json::from_str(content).unwrap_or_else(|error| panic!("{instruction}: {error}"));
                rows += value["rows"].as_array().map_or(0, Vec::len);
            }
            assert_eq!(fields["truncated"], fields.contains_key("next_offset"), "{instruction}");
            pieces.push(content.to_owned());
            match fields.get("next_offset").and_then(Value::as_u64) {
                Some(next) => offset = next,
                None => break,
            }
            assert!(pieces.len() < 50, "{instruction} does not end");
        }
        match instruction {
            "text" => assert_eq!(pieces.concat(), whole.unwrap()),
            "table" => assert_eq!(rows, 200),
            "csv" => assert!(pieces.iter().all(|piece| piece.starts_with("name,n\nrow ")), "{pieces:?}"),
            "markdown" => assert!(
                pieces
                    .iter()
                    .all(|piece| piece.starts_with("| name | n |\n| --- | --- |\n") || piece.starts_with("paragraph ")),
                "{pieces:?}"
            ),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_typed_directive_that_does_not_fit_is_refused_by_its_field() {
    let stack = Stack::shared().await;
    let url = stack.site.html("text");
    for (extract, field) in [
        (json!({"kind": "metadata", "selector": "p"}), "extract.selector"),
        (json!([{"kind": "text"}, {"kind": "json"}]), "extract[1].map"),
        (json!({"kind": "novel"}), "extract.kind"),
        (json!({"kind": "text", "colour": 1}), "colour"),
        (json!([]), "extract"),
        (json!({"kind": "json", "map": {"a": 1}}), "map.a"),
        (json!({"kind": "json", "map": {"a": "p"}, "schema": {"type": 7}}), "schema"),
    ] {
        stack.extract(json!({"url": url, "extract": extract})).await.expect_code_about("INVALID_REQUEST", field);
    }
    let both = stack.extract(json!({"url": url, "extract": {"kind": "text"}, "instruction": "text"})).await;
    both.expect_code_about("INVALID_REQUEST", "extract");
}
