//! Blocks as text.

use super::{Block, code, escape};

/// Each block's text.
pub(super) fn top_level(blocks: &[Block]) -> Vec<String> {
    texts(blocks)
}

fn texts(blocks: &[Block]) -> Vec<String> {
    // Two lists one after the other are told apart by their marks.
    let mut other_mark = false;
    let mut last: Option<&Block> = None;
    blocks
        .iter()
        .map(|block| {
            let kind = |block: &Block| match block {
                Block::List { start, .. } => Some(start.is_some()),
                _ => None,
            };
            other_mark = kind(block).is_some() && last.is_some_and(|last| kind(last) == kind(block)) && !other_mark;
            last = Some(block);
            text(block, other_mark)
        })
        .collect()
}

fn text(block: &Block, other_mark: bool) -> String {
    match block {
        Block::Paragraph { text, .. } => text.clone(),
        Block::Heading { level, text } => heading(*level, text),
        Block::Code { language, text } => code::block(language, text),
        Block::Quote(blocks) => texts(blocks)
            .join("\n\n")
            .lines()
            .map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") })
            .collect::<Vec<_>>()
            .join("\n"),
        Block::List { start, items } => list(*start, items, other_mark),
        Block::Table(rows) => table(rows),
        Block::Rule => "___".to_owned(),
    }
}

fn heading(level: usize, text: &str) -> String {
    let marks = "#".repeat(level);
    if text.is_empty() {
        return marks;
    }
    // A run of `#` at the end would be taken for the heading's own.
    let bare = text.trim_end_matches('#');
    let text = if bare.len() < text.len() && (bare.is_empty() || bare.ends_with(' ')) {
        format!("{bare}\\{}", &text[bare.len()..])
    } else {
        text.to_owned()
    };
    format!("{marks} {}", text.replace('\n', " "))
}

fn list(start: Option<u64>, items: &[Vec<Block>], other_mark: bool) -> String {
    let loose = items.iter().any(|item| {
        item.iter().any(|block| matches!(block, Block::Paragraph { own: true, .. } | Block::Table(_)))
            || item.windows(2).any(|pair| matches!(pair, [Block::Paragraph { .. }, Block::Paragraph { .. }]))
    });
    let mut lines: Vec<String> = Vec::new();
    for (number, item) in (start.unwrap_or(1)..).zip(items) {
        let mark = match (start, other_mark) {
            (None, false) => "-".to_owned(),
            (None, true) => "*".to_owned(),
            (Some(_), false) => format!("{number}."),
            (Some(_), true) => format!("{number})"),
        };
        let indent = " ".repeat(mark.len() + 1);
        let body = texts(item).join(if loose { "\n\n" } else { "\n" });
        let mut text = String::new();
        for (at, line) in body.lines().enumerate() {
            match (at, line.is_empty()) {
                (0, _) => text.push_str(&format!("{mark} {line}")),
                (_, true) => text.push('\n'),
                (_, false) => text.push_str(&format!("\n{indent}{line}")),
            }
        }
        if body.is_empty() {
            text.push_str(&mark);
        }
        lines.push(text);
    }
    lines.join(if loose { "\n\n" } else { "\n" })
}

fn table(rows: &[Vec<String>]) -> String {
    let width = rows.iter().map(Vec::len).max().unwrap_or_default().max(1);
    let line = |cells: &[String]| {
        let mut line = String::from("|");
        for at in 0..width {
            let cell = cells.get(at).map_or("", String::as_str);
            line.push_str(&format!(" {cell} |"));
        }
        line
    };
    let mut lines: Vec<String> = rows.iter().map(|row| line(row)).collect();
    lines.insert(1.min(lines.len()), format!("|{}", " --- |".repeat(width)));
    lines.join("\n")
}

/// Blocks in a table's cell, on one line.
pub(super) fn cell(blocks: &[Block]) -> String {
    let texts: Vec<String> = texts(blocks).into_iter().map(|text| escape::cell(&text)).collect();
    texts.join("<br>")
}
