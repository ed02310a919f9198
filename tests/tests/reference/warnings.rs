//! The warnings: the tables have each code, and no other.

use std::collections::BTreeSet;

use porthole_contract::WarningCode;
use porthole_tests::markdown::text;

#[test]
fn the_tables_of_warnings_have_every_code() {
    let documented: BTreeSet<String> =
        [("requests.md", "| code | meaning |"), ("sessions.md", "| warning | meaning |")]
            .into_iter()
            .flat_map(|(page, head)| codes(&text(&format!("docs/reference/{page}")), head))
            .collect();
    let given: BTreeSet<String> = WarningCode::ALL.iter().map(|code| code.name().to_owned()).collect();
    assert_eq!(documented, given);
}

/// The codes in the first cells of a table, which may have several.
fn codes(page: &str, head: &str) -> Vec<String> {
    let table = page.split(head).nth(1).expect("a table of warnings");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned)).collect()
}
