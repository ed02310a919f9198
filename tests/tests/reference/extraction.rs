//! `docs/reference/extraction.md`: each example parses as a directive, and each kind of directive has an example.

use std::collections::BTreeSet;

use porthole_contract::Instruction;

use porthole_tests::markdown::{code, tables};

#[test]
fn every_example_is_a_directive_and_every_kind_has_one() {
    let tables = tables("docs/reference/extraction.md");
    let examples = tables.iter().find(|table| table.header[0] == "directive").expect("the table of directives");
    let mut kinds = BTreeSet::new();
    for row in &examples.rows {
        let example = code(&row[0]).unwrap_or_else(|| panic!("{row:?}"));
        match Instruction::parse(example) {
            Ok(Instruction::Directives(directives)) => {
                kinds.extend(directives.iter().map(|directive| directive.kind.name()));
            }
            other => panic!("{example}: {other:?}"),
        }
    }
    let fields = tables.iter().find(|table| table.header[0] == "field of `Directive`").expect("the table of fields");
    let kind = &fields.rows.iter().find(|row| row[0] == "`kind`").expect("the field")[2];
    let named: BTreeSet<&str> = kind.split('`').skip(1).step_by(2).collect();
    assert_eq!(kinds, named, "left are the kinds with an example, right the documented kinds");
}
