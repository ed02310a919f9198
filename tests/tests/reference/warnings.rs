//! The warnings of sessions: the table has each code that their source gives, and no other.

use std::collections::BTreeSet;

use porthole_tests::markdown::{root, text};

use super::limits::collect;

const FOLDERS: [&str; 2] = ["service/src/session", "service/src/page/interact"];
const FILE: &str = "service/src/page/settle.rs";

#[test]
fn the_table_of_warnings_has_every_code() {
    let mut files = vec![root().join(FILE)];
    for folder in FOLDERS {
        collect(&root().join(folder), &mut files);
    }
    let code = files.iter().map(|file| std::fs::read_to_string(file).expect("a readable source file"));
    let given: BTreeSet<String> = code.flat_map(|text| codes(&text)).collect();
    let reference = text("docs/reference/sessions.md");
    let table = reference.split("| warning | meaning |").nth(1).expect("a table of warnings");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let documented: BTreeSet<String> =
        rows.filter_map(|row| Some(row.strip_prefix("| `")?.split('`').next()?.to_owned())).collect();
    assert_eq!(documented, given);
}

/// The words with a low line that begin a text and end with a colon. `frame_selector` names a field.
fn codes(source: &str) -> Vec<String> {
    let texts = source.split('"').skip(1).filter_map(|text| text.split_once(": ").map(|(code, _)| code));
    let is_code = |text: &&str| {
        text.contains('_') && text.chars().all(|c| c.is_ascii_lowercase() || c == '_') && *text != "frame_selector"
    };
    texts.filter(is_code).map(str::to_owned).collect()
}
