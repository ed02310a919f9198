//! Every limit of the contract is used: a limit that no code reads is wrong as soon as the working value changes.

use std::path::{Path, PathBuf};

use porthole_tests::markdown::{root, text};

const FILES: [&str; 2] = ["contract/src/limits.rs", "contract/src/limits/session.rs"];
const CRATES: [&str; 10] =
    ["contract", "reading", "chromium", "daemon", "service", "worker", "tools", "mcp", "client", "cli"];

#[test]
fn every_limit_is_used() {
    let mut sources = Vec::new();
    for name in CRATES {
        collect(&root().join(name).join("src"), &mut sources);
    }
    let code: Vec<String> =
        sources.iter().map(|file| std::fs::read_to_string(file).expect("a readable source file")).collect();
    let words = || code.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let limits: Vec<String> = FILES
        .iter()
        .flat_map(|file| text(file).lines().filter_map(name_of).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(limits.len() > 50, "{} limits were found", limits.len());
    let declared_only: Vec<&String> =
        limits.iter().filter(|limit| words().filter(|word| word == limit).count() < 2).collect();
    assert!(declared_only.is_empty(), "no code uses {declared_only:?}");
}

fn name_of(line: &str) -> Option<&str> {
    line.strip_prefix("pub const ")?.split(':').next()
}

/// Adds the source files in a folder and in those inside it.
pub(crate) fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(path);
        }
    }
}
