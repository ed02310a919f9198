//! `docs/dependencies.md` gives a reason for every dependency in the workspace's manifest.

use std::collections::BTreeSet;

use porthole_tests::markdown::{tables, text};

#[test]
fn every_dependency_has_a_reason() {
    let tables = tables("docs/dependencies.md");
    let reasons: BTreeSet<&str> =
        tables.iter().flat_map(|table| &table.rows).flat_map(|row| row[0].split(", ")).collect();
    let manifest = text("Cargo.toml");
    let (_, dependencies) =
        manifest.split_once("[workspace.dependencies]\n").expect("the manifest lists the dependencies");
    let names =
        dependencies.lines().take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    let missing: Vec<&str> =
        names.map(|(name, _)| name).filter(|name| !name.starts_with("porthole-") && !reasons.contains(name)).collect();
    assert!(!reasons.is_empty() && missing.is_empty(), "dependencies without a reason: {missing:?}");
}
