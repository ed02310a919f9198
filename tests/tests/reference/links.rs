//! Links between the documents, the index of the decisions, and the paths that the documents name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use porthole_tests::markdown::{prose, root, text};

/// Maximum size of ARCHITECTURE.md, which is a map; longer explanations belong in decision records.
const MAP_MAX_BYTES: usize = 8 * 1024;

/// Folders that paths in ARCHITECTURE.md may be relative to: its tables name rooms relative to their crate.
const BASES: &[&str] = &[
    "",
    "service/src",
    "service/src/page",
    "service/src/page/interact",
    "service/src/page/script/interact",
    "service/src/provider",
    "service/src/guard",
    "reading/src",
    "daemon/src",
    "cli/src",
    "web/elements",
];
/// Extensions of source files: a name in code with one of them is a file of the repository.
const SOURCES: &[&str] = &["js", "mjs", "rs", "toml", "tsv", "yaml", "yml"];
/// Paths that ARCHITECTURE.md names before they exist. The change that creates a path removes it from this list.
const NOT_YET: &[&str] = &[];

fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = ["docs", "deploy", "emulator"].map(|folder| root().join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of documents").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    found.extend(top.map(|name| root().join(name)));
    found
}

/// Returns a heading's anchor, as GitHub and similar sites derive it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).expect("a document");
    prose(&text).filter(|line| line.starts_with('#')).map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut seen = 0;
    for file in documents() {
        let text = std::fs::read_to_string(&file).expect("a document");
        for line in prose(&text) {
            for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if link.contains("://") {
                    continue;
                }
                let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
                let target = if path.is_empty() {
                    file.clone()
                } else {
                    file.parent().expect("a document's path has a parent").join(path)
                };
                assert!(target.exists(), "{}: {link}", file.display());
                let leads = fragment.is_empty() || anchors(&target).contains(fragment);
                assert!(leads, "{}: {link}: {:?}", file.display(), anchors(&target));
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen} links were found");
}

#[test]
fn every_decision_is_in_the_index() {
    let index = text("docs/decisions/README.md");
    for entry in std::fs::read_dir(root().join("docs/decisions")).expect("the decisions").flatten() {
        let name = entry.file_name().into_string().expect("a readable name");
        if name == "README.md" {
            continue;
        }
        assert!(index.contains(&format!("({name})")), "{name} is not in the index");
        let record = text(&format!("docs/decisions/{name}"));
        let number: u32 = name[..4].parse().expect("a record's name begins with its number");
        assert!(record.starts_with(&format!("# {number}. ")), "the title of {name} does not begin with its number");
        for part in ["**Context.**", "**Decision", "**Cost.**"] {
            assert!(record.contains(part), "{name} has no {part}");
        }
    }
}

#[test]
fn the_map_is_short_and_names_what_exists() {
    let map = text("ARCHITECTURE.md");
    assert!(map.len() <= MAP_MAX_BYTES, "{} bytes", map.len());
    let files = files();
    let mut checked = 0;
    for file in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for line in prose(&text(file)) {
            for code in line.split('`').skip(1).step_by(2) {
                if is_path(code) && !code.starts_with("target/") {
                    let exists = BASES.iter().any(|base| root().join(base).join(code).exists());
                    assert_eq!(exists, !NOT_YET.contains(&code), "{file} names {code}");
                } else if is_source(code) {
                    assert!(is_suffix_of_one(code, &files), "{file} names {code}");
                } else {
                    continue;
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 40, "{checked} paths were found");
}

#[test]
fn source_files_that_documents_name_exist() {
    let files = files();
    let mut checked = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        for line in prose(&text) {
            let codes = line.split('`').skip(1).step_by(2);
            // A hidden folder in a path is one of another program.
            for code in codes.filter(|code| is_path(code) && is_source(code) && !code.starts_with('.')) {
                assert!(is_suffix_of_one(code, &files), "{} names {code}", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked} paths were found");
}

/// Every file of the repository but what is built or hidden.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository").flatten() {
            let name = entry.file_name();
            let is_skipped = name.as_encoded_bytes().starts_with(b".") || name == "target" || name == "node_modules";
            if is_skipped {
                continue;
            }
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

/// Documents name a file relative to some folder above it: `page/handle.rs`.
fn is_suffix_of_one(code: &str, files: &[PathBuf]) -> bool {
    files.iter().any(|file| file.ends_with(code))
}

fn is_source(code: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    code.chars().all(is_plain) && code.rsplit_once('.').is_some_and(|(_, extension)| SOURCES.contains(&extension))
}

/// Whether this is a path in the repository, and not a route, a pattern or an absolute path.
fn is_path(code: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    code.contains('/') && !code.starts_with('/') && code.chars().all(is_plain)
}
