//! The names of the kit's JavaScript: what is moved between its files must not mean something else there.

use std::collections::BTreeMap;

use porthole_tests::markdown::{root, text};

const FOLDER: &str = "service/src/page/script";

#[test]
fn no_part_of_the_kit_shadows_a_name_of_all_its_parts() {
    let source = text(&format!("{FOLDER}/mod.rs"));
    let (_, kit) = source.split_once("const KIT_SOURCE").expect("the kit's files");
    let kit = kit.split_once(");\n").expect("their end").0;
    // The parts with scopes of their own begin at the first brace.
    let (common, parts) = kit.split_once("\"{\\n\"").expect("a part");
    let common = names(common);
    assert!(common.len() > 100, "{common:?}");
    let shadowed: Vec<_> = names(parts)
        .into_iter()
        .filter_map(|(name, file)| Some(format!("{name}: {file} and {}", common.get(&name)?)))
        .collect();
    assert!(shadowed.is_empty(), "{shadowed:#?}");
}

/// The names that files declare outside of their functions, with a file that does.
fn names(list: &str) -> BTreeMap<String, String> {
    let files = list.split("include_str!(\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
    let mut names = BTreeMap::new();
    for file in files {
        let path = root().join(FOLDER).join(file);
        let script = std::fs::read_to_string(&path).expect("a readable script");
        names.extend(script.lines().filter_map(declared).map(|name| (name, file.to_owned())));
    }
    names
}

/// The first name that a line without indentation declares.
fn declared(line: &str) -> Option<String> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["const ", "let ", "function ", "class "].iter().find_map(|word| line.strip_prefix(word))?;
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
    (!name.is_empty()).then_some(name)
}
