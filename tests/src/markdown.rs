//! Reads tables and prose in the project's Markdown. Supports only the syntax that our files use.

use std::path::{Path, PathBuf};

/// Returns the workspace's root folder.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the text of a file, whose path is relative to the workspace's root.
///
/// # Panics
/// When it can't be read.
#[must_use]
pub fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// A table: the level-2 heading above it, its header and its rows.
#[derive(Debug)]
pub struct Table {
    /// The heading.
    pub section: String,
    /// The header's cells.
    pub header: Vec<String>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
}

/// Returns every table of a file, in order.
///
/// # Panics
/// When the file can't be read, or a table has no header.
#[must_use]
pub fn tables(file: &str) -> Vec<Table> {
    let text = text(file);
    let (mut tables, mut section, mut above) = (Vec::<Table>::new(), String::new(), "");
    for line in prose(&text) {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut section);
        } else if line.starts_with("|---") {
            tables.push(Table { section: section.clone(), header: cells(above), rows: Vec::new() });
        } else if line.starts_with('|') && above.starts_with('|') {
            tables.last_mut().expect("a header is above the rows").rows.push(cells(line));
        }
        above = line;
    }
    tables
}

/// Returns the lines outside code blocks.
pub fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// Splits a row into its cells. A `\|` belongs to its cell.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.replace("\\|", "\0").split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Returns the text between a cell's first pair of backticks.
#[must_use]
pub fn code(cell: &str) -> Option<&str> {
    cell.split('`').nth(1)
}
