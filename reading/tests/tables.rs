//! Tables, cell by cell. Each case is a table's rows with the expected headers and rows, whose cells `|` separates.

mod support;

use porthole_reading::table;
use porthole_reading::view::View;

/// Reads the first table: returns its headers and rows, and whether it is a data table.
fn read(html: &str) -> (Vec<String>, Vec<Vec<String>>, bool) {
    let dom = support::dom(html);
    let view = View::whole(&dom, false);
    let id = (0..dom.len()).find(|id| dom.name(*id) == "table").expect("the page has a table");
    let table = table::read(view, id);
    let rows = table.rows().map(|row| row.into_iter().map(str::to_owned).collect()).collect();
    (table.headers, rows, table::is_data(view, id))
}

/// Parses `a|b / c|d` as rows.
fn rows(text: &str) -> Vec<Vec<String>> {
    text.split(" / ").filter(|row| !row.is_empty()).map(|row| row.split('|').map(str::to_owned).collect()).collect()
}

fn names(text: &str) -> Vec<String> {
    text.split('|').filter(|_| !text.is_empty()).map(str::to_owned).collect()
}

#[test]
fn every_cell_is_where_the_standard_puts_it() {
    for (html, headers, expected) in [
        // Plain tables.
        ("<tr><td>a<td>b<tr><td>c<td>d", "", "a|b / c|d"),
        ("<tr><th>a<th>b<tr><td>c<td>d", "a|b", "c|d"),
        ("<thead><tr><td>a<td>b</thead><tbody><tr><td>c<td>d", "a|b", "c|d"),
        ("<tbody><tr><td>a</tbody><tbody><tr><td>b", "", "a / b"),
        ("<tfoot><tr><td>sum</tfoot><tbody><tr><td>a", "", "a / sum"),
        ("<tr><td>a<td><tr><td><td>d", "", "a| / |d"),
        ("<tr><td>\n  a  \n b <td>c<br>d", "", "a b|c d"),
        ("<tr><td>x<b>y</b>z<td><p>one</p><p>two</p>", "", "xyz|one two"),
        ("<tr><td>a&nbsp;b<td>c", "", "a\u{a0}b|c"),
        ("<tr></tr><tr><td>a<td>b", "", "a|b"),
        // Ragged tables stay ragged.
        ("<tr><td>a<td>b<td>c<tr><td>d<tr><td>e<td>f", "", "a|b|c / d / e|f"),
        ("<tr><th>a<th>b<th>c<tr><td>1", "a|b|c", "1"),
        // Spans of columns.
        ("<tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e", "", "a|a|b / c|d|e"),
        ("<tr><td>a<td colspan=3>b", "", "a|b|b|b"),
        ("<tr><td colspan=0>a<td>b", "", "a|b"),
        ("<tr><td colspan=x>a<td>b", "", "a|b"),
        ("<tr><td colspan=-2>a<td>b", "", "a|b"),
        ("<tr><td colspan='2 cells'>a<td>b", "", "a|a|b"),
        ("<tr><td colspan=' 2'>a", "", "a|a"),
        // Spans of rows.
        ("<tr><td rowspan=2>a<td>b<tr><td>c", "", "a|b / a|c"),
        ("<tr><td>a<td rowspan=2>b<tr><td>c", "", "a|b / c|b"),
        ("<tr><td rowspan=3>a<td>b<tr><td>c<tr><td>d", "", "a|b / a|c / a|d"),
        ("<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", "", "a|b / a|c / a|d"),
        ("<tr><td rowspan=9>a<td>b<tr><td>c", "", "a|b / a|c"),
        ("<tbody><tr><td rowspan=9>a<td>b</tbody><tbody><tr><td>c<td>d", "", "a|b / c|d"),
        ("<tbody><tr><td rowspan=0>a<td>b<tr><td>c</tbody><tbody><tr><td>d<td>e", "", "a|b / a|c / d|e"),
        ("<tr><td rowspan=2>a<td rowspan=2>b<tr><tr><td>c<td>d", "", "a|b / a|b / c|d"),
        // Both.
        ("<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f", "", "a|a|b / a|a|c / d|e|f"),
        ("<tr><td>a<td rowspan=2 colspan=2>b<tr><td>c", "", "a|b|b / c|b|b"),
        ("<tr><td rowspan=2>a<td>b<td rowspan=2>c<tr><td>d", "", "a|b|c / a|d|c"),
        ("<tr><td>a<td rowspan=3>b<td>c<tr><td>d<td>e<tr><td>f<td>g", "", "a|b|c / d|b|e / f|b|g"),
        ("<tr><td rowspan=2>a<td>b<tr><td colspan=2>c", "", "a|b / a|c|c"),
        // Overlapping cells: the first one wins.
        ("<tr><td>a<td rowspan=2>b<td>c<tr><td colspan=3>d", "", "a|b|c / d|b|d"),
        // A gap that no cell covers.
        ("<tr><td>a<td>b<td rowspan=2>c<tr><td>d", "", "a|b|c / d||c"),
        // Headers of several levels.
        (
            "<thead><tr><th rowspan=2>m<th colspan=2>p<tr><th>x<th>y</thead><tr><td>1<td>2<td>3",
            "m|p / x|p / y",
            "1|2|3",
        ),
        ("<tr><th>m<th colspan=2>p<tr><th><th>x<th>y<tr><td>1<td>2<td>3", "m|p / x|p / y", "1|2|3"),
        ("<thead><tr><th colspan=3>Title<tr><th>a<th>b<th>c</thead><tr><td>1<td>2<td>3", "a|b|c", "1|2|3"),
        (
            "<thead><tr><th colspan=2>g<th colspan=2>h<tr><th>a<th>b<th>a<th>b</thead><tr><td>1<td>2<td>3<td>4",
            "g / a|g / b|h / a|h / b",
            "1|2|3|4",
        ),
        ("<thead><tr><th>a<th>a</thead><tr><td>1<td>2", "a|a", "1|2"),
        ("<thead><tr><th rowspan=2>a<th>b<tr><th>b</thead><tr><td>1<td>2", "a|b", "1|2"),
        ("<thead><tr><th>a<th>b</thead><thead><tr><td>1<td>2</thead><tr><td>x<td>y", "a / 1|b / 2", "x|y"),
        // `th` cells that are no headers, and headers that are recognised in other ways.
        ("<tr><th>a<td>1<tr><th>b<td>2", "", "a|1 / b|2"),
        ("<tr><th>a<tr><th>b", "", "a / b"),
        ("<tr><td><th>x<th>y<tr><th>a<td>1<td>2", "|x|y", "a|1|2"),
        ("<tr><td><b>a</b><td><strong>b</strong><tr><td>1<td>2", "a|b", "1|2"),
        ("<tr><td><b>a</b><td>b<tr><td>1<td>2", "", "a|b / 1|2"),
        ("<tr><td><b>a</b><td><b>b</b><tr><td><b>c</b><td><b>d</b>", "", "a|b / c|d"),
        ("<tr><th scope=col>a<th scope=col>b<tr><th scope=row>r<td>1", "a|b", "r|1"),
        ("<tr><td>before<td>x<tr><th>a<th>b<tr><td>1<td>2", "", "before|x / a|b / 1|2"),
        ("<caption>c</caption><tr><th>a<th>b<tr><td>1<td>2", "a|b", "1|2"),
        ("<colgroup><col><col></colgroup><tr><td>1<td>2", "", "1|2"),
        // Content of cells.
        ("<tr><td>a<table><tr><td>inner</table><td>b", "", "a|b"),
        ("<tr><td><ul><li>one<li>two</ul><td>b", "", "one two|b"),
        ("<tr><td><a href=/x>link</a><td><img alt=pic>", "", "link|"),
        ("<tr><td>a<script>x</script><style>y</style><td>b", "", "a|b"),
        ("<tr><td>H<sub>2</sub>O<td>x<sup>2</sup>", "", "H2O|x2"),
        ("<tr><td>a<select><option>1<option>2</select><td>b", "", "a|b"),
        ("<tr><td>a\u{200b}b<td>c\u{202e}", "", "ab|c"),
        ("<tr><td>日本<td>عربي", "", "日本|عربي"),
        ("<tr><td>a,\"b\"<td>c;d", "", "a,\"b\"|c;d"),
        ("<tr><td>1<td>2<tr><td colspan=2>note", "", "1|2 / note|note"),
        (
            "<thead><tr><th>a<th>b</thead><tbody><tr><td rowspan=2>1<td>2<tr><td>3</tbody><tfoot><tr><td>s<td>5</tfoot>",
            "a|b",
            "1|2 / 1|3 / s|5",
        ),
    ] {
        let (got_headers, got_rows, _) = read(&format!("<table>{html}</table>"));
        // ` / ` joins levels of headers and also separates rows here, so names are compared unsplit.
        assert_eq!(got_headers, names(headers), "{html}");
        assert_eq!(got_rows, rows(expected), "{html}");
    }
}

#[test]
fn layout_tables_are_distinguished_from_data() {
    for (html, data) in [
        ("<tr><th>a<th>b<tr><td>1<td>2", true),
        ("<tr><td>a<td>1<tr><td>b<td>2", true),
        ("<caption>c</caption><tr><td>a<tr><td>b", true),
        ("<tr><td>menu<td>content", false),
        ("<tr><td>a<tr><td>b<tr><td>c", false),
        ("<tr><td>menu<td><h1>Page</h1><p>text<tr><td>x<td>y", false),
        ("<tr><td><table><tr><td>1<td>2<tr><td>3<td>4</table><td>b<tr><td>c<td>d", false),
    ] {
        assert_eq!(read(&format!("<table>{html}</table>")).2, data, "{html}");
    }
    assert!(!read("<table role=presentation><tr><th>a<th>b<tr><td>1<td>2</table>").2);
}

#[test]
fn spans_that_would_fill_the_memory_are_cut() {
    let row = "<tr><td rowspan=65534 colspan=1000>x<td>y".repeat(600);
    let (_, rows, _) = read(&format!("<table>{row}</table>"));
    assert!(rows.iter().map(Vec::len).sum::<usize>() <= 400_000);
}

#[test]
fn uncovered_places_count_too() {
    let wide = "<td colspan=1000>x".repeat(100);
    let html = format!("<table><tr>{wide}<td rowspan=50>far{}</table>", "<tr><td>y".repeat(49));
    let dom = support::dom(&html);
    let id = (0..dom.len()).find(|id| dom.name(*id) == "table").expect("the page has a table");
    assert!(table::read(View::whole(&dom, false), id).places() <= table::PLACES_MAX);
}
