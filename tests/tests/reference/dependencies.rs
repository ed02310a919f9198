//! `docs/dependencies.md` gives a reason for every dependency in the workspace's manifest, and ARCHITECTURE.md says which
//! crates a crate imports.

use std::collections::BTreeSet;

use porthole_tests::markdown::{code, root, tables, text};

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

#[test]
fn crates_import_what_the_map_says() {
    let tables = tables("ARCHITECTURE.md");
    let table = tables.iter().find(|table| table.header[0] == "crate").expect("the map has a table of crates");
    assert_eq!(table.header[2], "imports");
    let mut crates = BTreeSet::from(["tests".to_owned()]);
    for row in &table.rows {
        let name = code(&row[0]).expect("a crate's folder").trim_end_matches('/');
        let documented: BTreeSet<&str> = row[2].split(", ").filter(|import| *import != "none").collect();
        let manifest = text(&format!("{name}/Cargo.toml"));
        assert_eq!(documented, imports(&manifest), "{name}: left is the map, right is the manifest");
        crates.insert(name.to_owned());
    }
    let folders = std::fs::read_dir(root()).expect("the repository's root").flatten();
    let members = folders.filter(|folder| folder.path().join("Cargo.toml").exists());
    let members: BTreeSet<String> = members.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    assert_eq!(crates, members);
}

/// The crates of the workspace that a crate's code, and not only its tests, may import.
fn imports(manifest: &str) -> BTreeSet<&str> {
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").expect("a crate has dependencies");
    let lines = dependencies.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.strip_prefix("porthole-")?.split(['.', ' ']).next()).collect()
}
