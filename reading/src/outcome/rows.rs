//! A table's rows as JSON and CSV, measured before any of them is built: a cell's text is repeated at every place that
//! it spans, so text × places is counted first, and only rows that fit into the answer are copied.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Value, json};

use crate::budget::Budget;
use crate::cut::{self, CAPS, json_chars};
use crate::links;
use crate::table::{self, Slot, Table};
use crate::view::View;

/// A row of places.
type Row = [Option<Slot>];

/// A table whose rows can be measured and built.
pub(super) struct Rows<'a> {
    view: View<'a>,
    table: &'a Table,
    /// Whether cells are `{text, links}`.
    links: bool,
    /// The length of each cell's JSON, in characters.
    chars: Vec<usize>,
    /// Whether each cell's links are left out because the budget was spent.
    linkless: Vec<bool>,
    /// Cells that were built, by cell and by cap on texts and lists.
    made: RefCell<HashMap<(usize, usize), Value>>,
}

impl<'a> Rows<'a> {
    /// Measures the cells of a table; reading their links is charged to `budget`.
    pub(super) fn of(view: View<'a>, table: &'a Table, with_links: bool, budget: &Budget<'a>) -> Self {
        let mut rows = Self {
            view,
            table,
            links: with_links,
            chars: Vec::with_capacity(table.sources.len()),
            linkless: vec![false; table.sources.len()],
            made: RefCell::new(HashMap::new()),
        };
        for (source, text) in table.texts.iter().enumerate() {
            let chars = if with_links {
                let mut chars = json_chars(text) + r#"{"links":[],"text":}"#.len();
                let cell = [table.sources[source]];
                for (at, link) in links::of(view, &cell, budget).enumerate() {
                    chars += json_chars(&link_json(&link)) + usize::from(at > 0);
                }
                rows.linkless[source] = budget.is_spent();
                if rows.linkless[source] { json_chars(&with_no_links(text)) } else { chars }
            } else {
                json_chars(text)
            };
            rows.chars.push(chars);
        }
        rows
    }

    /// Returns the rows below the header.
    pub(super) fn body(&self) -> &'a [Vec<Option<Slot>>] {
        self.table.body()
    }

    /// Builds the table's JSON with these rows.
    pub(super) fn json(&self, rows: &[Vec<Option<Slot>>]) -> Value {
        let mut data = self.table.about();
        data["rows"] = rows.iter().map(|row| self.row(row)).collect();
        data
    }

    /// Returns the length of the table's JSON with all rows.
    pub(super) fn json_chars(&self) -> usize {
        let rows = self.body();
        let commas = rows.len().saturating_sub(1);
        self.about_chars() + rows.iter().map(|row| self.row_chars(row)).sum::<usize>() + commas
    }

    /// Returns the length of the table's JSON without rows.
    pub(super) fn about_chars(&self) -> usize {
        json_chars(&self.table.about()) + r#","rows":[]"#.len()
    }

    /// Returns the length of a row's JSON.
    pub(super) fn row_chars(&self, row: &Row) -> usize {
        let empty = if self.links { json_chars(&with_no_links("")) } else { 2 };
        let cells: usize = row.iter().map(|slot| slot.map_or(empty, |slot| self.chars[slot.source])).sum();
        cells + row.len().saturating_sub(1) + 2
    }

    /// Builds a row's JSON. Call it only for rows that were measured and fit.
    pub(super) fn row(&self, row: &Row) -> Value {
        row.iter().map(|slot| self.cell(slot.as_ref(), usize::MAX)).collect()
    }

    fn cell(&self, slot: Option<&Slot>, cap: usize) -> Value {
        let Some(slot) = slot else { return if self.links { with_no_links("") } else { json!("") } };
        // A cell may cover many places but is built once.
        if let Some(made) = self.made.borrow().get(&(slot.source, cap)) {
            return made.clone();
        }
        let made = self.make(slot, cap);
        self.made.borrow_mut().insert((slot.source, cap), made.clone());
        made
    }

    /// Builds a cell with no text or list longer than `cap`.
    fn make(&self, slot: &Slot, cap: usize) -> Value {
        let text: String = self.table.texts[slot.source].chars().take(cap).collect();
        if !self.links {
            return Value::String(text);
        }
        if self.linkless[slot.source] {
            return with_no_links(&text);
        }
        let cell = [self.table.sources[slot.source]];
        // The links were charged when they were measured.
        let budget = Budget::unlimited();
        let links: Vec<Value> =
            links::of(self.view, &cell, &budget).take(cap).map(|link| cut::capped(&link_json(&link), cap)).collect();
        json!({"text": text, "links": links})
    }

    /// Builds the table's JSON within `max` characters, with texts and lists shortened as in [`cut::shrink`].
    pub(super) fn shrunk(&self, max: usize) -> Value {
        CAPS.iter().find_map(|cap| self.capped(*cap, max)).unwrap_or_else(|| json!({}))
    }

    /// Builds the table with no text or list longer than `cap`; `None` if that exceeds `max` characters.
    fn capped(&self, cap: usize, max: usize) -> Option<Value> {
        let mut data = cut::capped(&self.table.about(), cap);
        let mut room = max.checked_sub(json_chars(&data) + r#","rows":[]"#.len())?;
        let mut rows = Vec::new();
        for row in self.body().iter().take(cap) {
            let mut cells = Vec::new();
            room = room.checked_sub(3)?;
            for slot in row.iter().take(cap) {
                let cell = self.cell(slot.as_ref(), cap);
                room = room.checked_sub(json_chars(&cell) + 1)?;
                cells.push(cell);
            }
            rows.push(Value::Array(cells));
        }
        data["rows"] = Value::Array(rows);
        Some(data)
    }

    /// Returns the length of each cell's CSV.
    pub(super) fn csv_chars(&self) -> CsvChars {
        let chars = |text: &String| table::csv(&[], &[vec![text.as_str()]]).chars().count();
        // Without the line end. An empty cell is written as quotes only if it is alone in its row.
        let cells = self.table.texts.iter().map(|text| if text.is_empty() { 0 } else { chars(text) - 1 }).collect();
        CsvChars { cells }
    }
}

/// The lengths of cells in CSV.
pub(super) struct CsvChars {
    cells: Vec<usize>,
}

impl CsvChars {
    /// Returns the length of a row with its line end.
    pub(super) fn row(&self, row: &Row) -> usize {
        let cells: usize = row.iter().map(|slot| slot.map_or(0, |slot| self.cells[slot.source])).sum();
        let quotes = if row.len() == 1 && cells == 0 { 2 } else { 0 };
        cells + quotes + row.len()
    }
}

fn link_json(link: &links::Link) -> Value {
    json!({"text": link.text, "url": link.url})
}

fn with_no_links(text: &str) -> Value {
    json!({"text": text, "links": []})
}
