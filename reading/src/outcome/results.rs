//! Results of each kind, cut where their format allows.

use porthole_contract::{Directive, ExtractResult, TableFormat};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cut;
use crate::table::{self, Table};
use crate::view::View;

pub(super) fn one_table(view: View<'_>, directive: &Directive, table: &Table) -> ExtractResult {
    let offset = directive.offset.unwrap_or_default() as usize;
    let max = super::max_chars(directive);
    let rows = table.rows_json(view, directive.links);
    let total = rows.len();
    let mut result = ExtractResult { matched: Some(total as u64), ..ExtractResult::default() };
    let shown;
    if directive.format == Some(TableFormat::Csv) {
        let texts: Vec<Vec<&str>> = table.rows().collect();
        let lengths = |rows: &[Vec<&str>], headers: &[String]| table::csv(headers, rows).chars().count();
        result.total_chars = lengths(&texts, &table.headers) as u64;
        let from = offset.min(total);
        let head = lengths(&[], &table.headers);
        let count = cut::how_many(
            texts[from..].iter().map(|row| lengths(std::slice::from_ref(row), &[]).saturating_sub(1)),
            max.saturating_sub(head),
        );
        shown = count;
        result.content = table::csv(&table.headers, &texts[from..from + count]);
    } else {
        let mut data = table.about();
        let whole = cut::json_chars(&data) + 10 + rows.iter().map(|row| cut::json_chars(row) + 1).sum::<usize>();
        let about = cut::json_chars(&data) + 10;
        let from = offset.min(total);
        let count = cut::how_many(rows[from..].iter().map(cut::json_chars), (max + 1).saturating_sub(about));
        data["rows"] = Value::Array(rows[from..from + count].to_vec());
        if cut::json_chars(&data) > max {
            data = cut::shrink(&data, max);
            result
                .warnings
                .push("cut_entry: the table's own names are longer than what is asked for, and were cut".to_owned());
        }
        shown = count;
        result.content = data.to_string();
        result.total_chars =
            if from == 0 && count == total { result.content.chars().count() as u64 } else { whole as u64 };
        result.data = Some(data);
    }
    let mut next = offset + shown;
    if shown == 0 && next < total {
        // A row that is longer than all there may be is passed over, so that the next one can be had.
        result.warnings.push("cut_entry: a row is longer than what is asked for, and is missing".to_owned());
        next += 1;
    }
    if directive.format == Some(TableFormat::Csv) {
        let mut data = table.about();
        let from = offset.min(total);
        data["rows"] = Value::Array(rows[from..from + shown].to_vec());
        result.data = Some(data);
    }
    result.next_offset = (next < total).then_some(next as u64);
    result.truncated = next < total || !result.warnings.is_empty();
    result
}

pub(super) fn markdown_of(directive: &Directive, parts: &[String]) -> ExtractResult {
    let total = parts.iter().map(|part| part.chars().count()).sum::<usize>() + parts.len().saturating_sub(1) * 2;
    let cut = cut::blocks(parts, directive.offset.unwrap_or_default() as usize, super::max_chars(directive));
    of_cut(cut, total)
}

pub(super) fn html_of(directive: &Directive, html: &str) -> ExtractResult {
    let cut = cut::html(html, directive.offset.unwrap_or_default() as usize, super::max_chars(directive));
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

pub(super) fn whole_table(view: View<'_>, directive: &Directive, table: &Table) -> Value {
    let mut data = table.about();
    data["rows"] = Value::Array(table.rows_json(view, directive.links));
    data
}

/// Entries of a list, as many as fit.
pub(super) fn list<T: Serialize>(directive: &Directive, entries: Vec<T>) -> ExtractResult {
    let entries: Vec<Value> = entries.into_iter().map(|entry| json!(entry)).collect();
    let offset = (directive.offset.unwrap_or_default() as usize).min(entries.len());
    let max = super::max_chars(directive);
    let total = entries.iter().map(|entry| cut::json_chars(entry) + 1).sum::<usize>() + 1;
    let count = cut::how_many(entries[offset..].iter().map(cut::json_chars), max.saturating_sub(1));
    let mut warnings = Vec::new();
    let (kept, next) = if count == 0 && offset < entries.len() {
        warnings.push("cut_entry: an entry is longer than what is asked for, so its end is missing".to_owned());
        (vec![cut::shrink(&entries[offset], max.saturating_sub(2))], offset + 1)
    } else {
        (entries[offset..offset + count].to_vec(), offset + count)
    };
    let next_offset = (next < entries.len()).then_some(next as u64);
    let data = Value::Array(kept);
    ExtractResult {
        content: data.to_string(),
        data: Some(data),
        truncated: next_offset.is_some() || !warnings.is_empty(),
        total_chars: total.max(2) as u64,
        matched: Some(entries.len() as u64),
        next_offset,
        warnings,
        ..ExtractResult::default()
    }
}

pub(super) fn object(directive: &Directive, value: &Value) -> ExtractResult {
    let total = cut::json_chars(value);
    let cut = cut::object(value, directive.offset.unwrap_or_default() as usize, super::max_chars(directive));
    let shortened = cut.next_offset.is_none() && cut::json_chars(&cut.kept) < total && directive.offset.is_none();
    let warnings =
        if shortened { vec!["cut_entry: texts and lists were shortened to fit".to_owned()] } else { Vec::new() };
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

/// What is told of characters that a reader can't see.
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
    (all > 0).then(|| format!("hidden_text: {all} characters that a reader can't see {what} ({})", reasons.join(", ")))
}
