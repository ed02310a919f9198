//! Builds the result of each kind, cut where its format allows.

use porthole_contract::limits::TEXT_MAX_CHARS;
use porthole_contract::{Directive, ExtractResult, TableFormat, WarningCode};
use serde::Serialize;
use serde_json::{Value, json};

use super::length::{bounded, max_chars};
use super::rows::Rows;
use crate::cut;
use crate::markdown::Markdown;
use crate::table::{self, Table};

/// Longest JSON in `data` for the rows of a CSV, in characters: with links it may be much longer than the CSV.
const CSV_DATA_MAX_CHARS: usize = 8 * TEXT_MAX_CHARS;

pub(super) fn one_table(directive: &Directive, table: &Table, rows: &Rows<'_>) -> ExtractResult {
    let offset = directive.offset.unwrap_or_default() as usize;
    let max = max_chars(directive);
    let body = rows.body();
    let total = body.len();
    let from = offset.min(total);
    let mut result = ExtractResult { matched: Some(total as u64), ..ExtractResult::default() };
    let shown;
    if directive.format == Some(TableFormat::Csv) {
        let lengths = rows.csv_chars();
        let head = table::csv(&table.headers, &[]);
        let head_chars = head.chars().count();
        result.total_chars = (head_chars + body.iter().map(|row| lengths.row(row)).sum::<usize>()) as u64;
        let mut data_room = CSV_DATA_MAX_CHARS;
        let fitting = body[from..].iter().map_while(|row| {
            data_room = data_room.checked_sub(rows.row_chars(row))?;
            Some(lengths.row(row) - 1)
        });
        shown = cut::how_many(fitting, max.saturating_sub(head_chars));
        let texts: Vec<Vec<&str>> = body[from..from + shown].iter().map(|row| table.texts_of(row)).collect();
        result.content = table::csv(&table.headers, &texts);
        let data = rows.json(&body[from..from + shown]);
        let names_fit = head_chars <= max;
        if !names_fit {
            result.content = cut::text(&head, 0, max).kept;
        }
        result.data = Some(if names_fit { data } else { cut::shrink(&data, max) });
        if !names_fit || table.headers_cut {
            result.warnings.push(names_cut());
        }
    } else {
        let about = rows.about_chars();
        shown = cut::how_many(body[from..].iter().map(|row| rows.row_chars(row)), (max + 1).saturating_sub(about));
        let mut data = rows.json(&body[from..from + shown]);
        let is_long = cut::json_chars(&data) > max;
        if is_long {
            data = cut::shrink(&data, max);
        }
        if is_long || table.headers_cut {
            result.warnings.push(names_cut());
        }
        result.content = data.to_string();
        result.total_chars = if from == 0 && shown == total {
            result.content.chars().count() as u64
        } else {
            (about + body.iter().map(|row| rows.row_chars(row) + 1).sum::<usize>()) as u64
        };
        result.data = Some(data);
    }
    let mut next = offset + shown;
    if shown == 0 && next < total {
        // A row that is longer than the limit is skipped, so that the next one can be read.
        result.warnings.push(WarningCode::CutEntry.says("a row is longer than the limit and is missing").into());
        next += 1;
    }
    result.next_offset = (next < total).then_some(next as u64);
    result.truncated = next < total || !result.warnings.is_empty();
    result
}

pub(super) fn markdown_of(directive: &Directive, markdown: &Markdown) -> ExtractResult {
    let parts = &markdown.parts;
    let total = parts.iter().map(|part| part.chars().count()).sum::<usize>() + parts.len().saturating_sub(1) * 2;
    let cut = cut::blocks(parts, directive.offset.unwrap_or_default() as usize, max_chars(directive));
    let mut result = of_cut(cut, total);
    if markdown.is_cut {
        result.truncated = true;
        result.warnings.push(bounded());
    }
    result
}

pub(super) fn html_of(directive: &Directive, html: &str) -> ExtractResult {
    let cut = cut::html(html, directive.offset.unwrap_or_default() as usize, max_chars(directive));
    of_cut(cut, html.chars().count())
}

pub(super) fn of_cut(cut: cut::Cut<String>, total: usize) -> ExtractResult {
    ExtractResult {
        content: cut.kept,
        truncated: cut.next_offset.is_some(),
        next_offset: cut.next_offset,
        total_chars: total as u64,
        ..ExtractResult::default()
    }
}

/// An entry of a list: measured first, and built only if there is room for it.
pub(super) struct Entry<'a> {
    /// The length of its JSON in characters.
    pub chars: usize,
    /// Builds it; with `Some(max)`, within `max` characters.
    pub make: Box<dyn FnOnce(Option<usize>) -> Value + 'a>,
}

impl<'a> Entry<'a> {
    /// Returns an entry whose value is serialized as it is.
    pub(super) fn of<T: Serialize + 'a>(entry: T) -> Self {
        let chars = cut::json_chars(&entry);
        let make = move |max: Option<usize>| {
            let value = json!(entry);
            match max {
                Some(max) => cut::shrink(&value, max),
                None => value,
            }
        };
        Self { chars, make: Box::new(make) }
    }
}

/// The warning about a table's head that did not fit.
fn names_cut() -> String {
    let sentence = "the table's caption or column names are longer than the limit and were cut";
    WarningCode::CutEntry.says(sentence).into()
}

/// The warning about an entry that did not fit.
pub(super) fn entry_cut() -> String {
    WarningCode::CutEntry.says("an entry is longer than the limit, so its end is missing").into()
}

/// Builds a list of as many entries as fit. All are measured one after the other; only those that fit are kept.
pub(super) fn list<'a>(directive: &Directive, entries: impl Iterator<Item = Entry<'a>>) -> ExtractResult {
    let offset = directive.offset.unwrap_or_default() as usize;
    let max = max_chars(directive);
    let mut room = max.saturating_sub(1);
    let mut kept: Vec<Value> = Vec::new();
    let mut warnings = Vec::new();
    // Number of entries that this answer contains or skips.
    let mut passed = 0_usize;
    let (mut total, mut count, mut is_full) = (1_usize, 0_usize, false);
    for entry in entries {
        total = total.saturating_add(entry.chars + 1);
        if count >= offset && !is_full {
            if entry.chars < room {
                room -= entry.chars + 1;
                kept.push((entry.make)(None));
                passed += 1;
            } else {
                is_full = true;
                if kept.is_empty() {
                    warnings.push(entry_cut());
                    let brackets = "[]".len();
                    let short = (entry.make)(Some(max.saturating_sub(brackets)));
                    passed = 1;
                    if cut::json_chars(&short) + brackets <= max {
                        kept.push(short);
                    }
                }
            }
        }
        count += 1;
    }
    let next = offset.min(count) + passed;
    let next_offset = (next < count).then_some(next as u64);
    let data = Value::Array(kept);
    ExtractResult {
        content: data.to_string(),
        data: Some(data),
        truncated: next_offset.is_some() || !warnings.is_empty(),
        total_chars: total.max(2) as u64,
        matched: Some(count as u64),
        next_offset,
        warnings,
        ..ExtractResult::default()
    }
}

pub(super) fn object(directive: &Directive, value: &Value) -> ExtractResult {
    let total = cut::json_chars(value);
    let cut = cut::object(value, directive.offset.unwrap_or_default() as usize, max_chars(directive));
    let shortened = cut.next_offset.is_none() && cut::json_chars(&cut.kept) < total && directive.offset.is_none();
    let shortening = || WarningCode::CutEntry.says("texts and lists were shortened to fit").into();
    let warnings = shortened.then(shortening).into_iter().collect();
    ExtractResult {
        content: cut.kept.to_string(),
        data: Some(cut.kept),
        truncated: cut.next_offset.is_some() || shortened,
        total_chars: total as u64,
        next_offset: cut.next_offset,
        warnings,
        ..ExtractResult::default()
    }
}

/// Returns the warning about characters that a reader can't see, if there are any.
pub(super) fn hidden(counts: &[u64; 7], what: &str) -> Option<String> {
    const REASONS: [&str; 7] =
        ["", "not rendered", "transparent", "too small", "off-screen", "of the colour of their ground", "clipped"];
    let all: u64 = counts.iter().skip(1).sum();
    let reasons: Vec<String> = counts
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, count)| **count > 0)
        .map(|(at, count)| format!("{count} {}", REASONS[at]))
        .collect();
    let hidden = || format!("{all} characters that a reader can't see {what} ({})", reasons.join(", "));
    (all > 0).then(|| WarningCode::HiddenText.says(hidden()).into())
}
