//! No circle of imports among the files of a crate. A folder's own file (`mod.rs`, `lib.rs`) names what is in the folder, so
//! an import of a name that it passes on counts as one of the file that has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use porthole_tests::markdown::root;

use super::limits::collect;

const CRATES: [&str; 12] = [
    "contract", "daemon", "chromium", "reading", "service", "worker", "client", "cli", "emulator", "tools", "mcp",
    "tests",
];

/// A module's path in its crate.
type Module = Vec<String>;

struct File {
    is_root: bool,
    imports: Vec<Import>,
}

struct Import {
    /// From the crate on.
    path: Module,
    is_passed_on: bool,
}

#[test]
fn no_files_import_one_another_in_a_circle() {
    for name in CRATES {
        let files = files_of(&root().join(name).join("src"));
        assert!(files.len() > 1, "{name} has no files");
        let edges: BTreeMap<&Module, BTreeSet<Module>> = files
            .iter()
            .filter(|(_, file)| !file.is_root)
            .map(|(module, _)| (module, targets(&files, module)))
            .collect();
        for module in edges.keys() {
            if let Some(circle) = way_back(&edges, module) {
                panic!(
                    "{name}: {}",
                    circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" imports ")
                );
            }
        }
    }
}

fn files_of(source: &Path) -> BTreeMap<Module, File> {
    let mut paths = Vec::new();
    collect(source, &mut paths);
    let file = |path: &Path| {
        let inside = path.strip_prefix(source).expect("a file of the crate").with_extension("");
        let mut module: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let is_root = module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        if is_root {
            module.pop();
        }
        let text = std::fs::read_to_string(path).expect("a readable source file");
        let imports = imports(&module, &text);
        (module, File { is_root, imports })
    };
    paths.iter().map(|path| file(path)).collect()
}

/// The imports at the top level of a file, without those from other crates.
fn imports(module: &Module, text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for statement in text.split(';') {
        let Some(start) = statement.lines().position(|line| line.starts_with("use ") || is_public_use(line)) else {
            continue;
        };
        let words = statement.lines().skip(start).collect::<Vec<_>>().join(" ");
        let is_passed_on = words.starts_with("pub");
        let tree = words.split_once("use ").expect("an import").1.replace(' ', "");
        let mut paths = Vec::new();
        expand("", &tree, &mut paths);
        for path in paths {
            let mut parts: Vec<&str> = path.split("::").collect();
            let mut from = module.clone();
            match parts.first() {
                Some(&"crate") => from.clear(),
                Some(&"super" | &"self") => {}
                _ => continue,
            }
            while let Some(first @ (&"crate" | &"super" | &"self")) = parts.first() {
                if *first == "super" {
                    from.pop();
                }
                parts.remove(0);
            }
            from.extend(parts.into_iter().map(str::to_owned));
            found.push(Import { path: from, is_passed_on });
        }
    }
    found
}

fn is_public_use(line: &str) -> bool {
    line.starts_with("pub") && line.split_once(" use ").is_some_and(|(before, _)| !before.contains('{'))
        || line.starts_with("pub use ")
}

/// The paths of a tree of imports, `a::{b,c::{d,e}}`, without what they are renamed to.
fn expand(before: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((path, rest)) = tree.split_once('{') else {
        paths.push(format!("{before}{tree}"));
        return;
    };
    let (before, inner) = (format!("{before}{path}"), rest.strip_suffix('}').expect("a closed brace"));
    let (mut depth, mut start) = (0, 0);
    for (at, char) in inner.char_indices().chain([(inner.len(), ',')]) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if start < at {
                    expand(&before, &inner[start..at], paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The files that a module imports from.
fn targets(files: &BTreeMap<Module, File>, module: &Module) -> BTreeSet<Module> {
    let imports = files[module].imports.iter();
    imports.filter_map(|import| file_with(files, &import.path)).filter(|target| target != module).collect()
}

/// The file that has what a path names; `None` if that is a folder's own.
fn file_with(files: &BTreeMap<Module, File>, path: &[String]) -> Option<Module> {
    let length = (1..=path.len()).rev().find(|length| files.contains_key(&path[..*length]))?;
    let (module, rest) = path.split_at(length);
    let file = &files[module];
    if !file.is_root {
        return Some(module.to_vec());
    }
    let name = rest.first()?;
    let passed_on = file.imports.iter().filter(|import| import.is_passed_on && import.path.last() == Some(name));
    passed_on.filter(|import| import.path.len() > module.len() + 1).find_map(|import| file_with(files, &import.path))
}

/// A way from a module back to itself.
fn way_back(edges: &BTreeMap<&Module, BTreeSet<Module>>, module: &Module) -> Option<Vec<Module>> {
    let mut ways = vec![vec![module.clone()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        for next in edges.get(&way[way.len() - 1]).into_iter().flatten() {
            let longer = [way.clone(), vec![next.clone()]].concat();
            if next == module {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                ways.push(longer);
            }
        }
    }
    None
}
