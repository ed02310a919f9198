//! Tables, by the HTML standard's table model (4.9.12): spans expanded, ragged rows left ragged, nested tables apart.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::clean::cleaned;
use crate::dom::{Display, Dom, Hidden, NodeId};
use crate::view::View;

/// The standard's limits on spans.
const COLSPAN_MAX: usize = 1000;
const ROWSPAN_MAX: usize = 65_534;
/// Most places (columns of all rows) in one table, including those that no cell covers; a larger table is cut.
pub const PLACES_MAX: usize = 400_000;
/// Most bytes of all column names together; longer names are cut. A cell over many columns is part of each one's name.
const HEADERS_MAX_BYTES: usize = 1024 * 1024;
/// A cell with more text than this is a part of the page's layout, not data.
const DATA_CELL_MAX_CHARS: usize = 1_500;
/// Separator between the levels of a joined header.
const LEVELS_JOINED_BY: &str = " / ";

/// A place in a row, and the cell that covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The cell, as an index of [`Table::sources`].
    pub source: usize,
    /// Whether it is the cell's first place.
    pub first: bool,
}

/// A table that has been read.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its caption.
    pub caption: Option<String>,
    /// The cells' elements.
    pub sources: Vec<NodeId>,
    /// The cells' texts.
    pub texts: Vec<String>,
    /// Rows of places, header rows included. A place that no cell covers is `None`.
    pub cells: Vec<Vec<Option<Slot>>>,
    /// Number of header rows at the top.
    pub header_rows: usize,
    /// The column names, with levels joined; empty without header rows.
    pub headers: Vec<String>,
    /// Whether the column names were cut.
    pub headers_cut: bool,
}

impl Table {
    /// Returns the rows below the header, as places.
    #[must_use]
    pub fn body(&self) -> &[Vec<Option<Slot>>] {
        &self.cells[self.header_rows..]
    }

    /// Returns a row's texts.
    #[must_use]
    pub fn texts_of(&self, row: &[Option<Slot>]) -> Vec<&str> {
        row.iter().map(|slot| slot.map_or("", |slot| self.texts[slot.source].as_str())).collect()
    }

    /// Iterates over the rows below the header, as texts.
    pub fn rows(&self) -> impl Iterator<Item = Vec<&str>> {
        self.body().iter().map(|row| self.texts_of(row))
    }

    /// Returns the table as JSON, without its rows.
    #[must_use]
    pub fn about(&self) -> Value {
        json!({"caption": self.caption, "headers": self.headers})
    }

    /// Returns the number of places in all rows.
    #[must_use]
    pub fn places(&self) -> usize {
        self.cells.iter().map(Vec::len).sum()
    }
}

/// Returns the rows of a table in groups, the foot last.
fn groups(view: View<'_>, table: NodeId) -> Vec<Vec<NodeId>> {
    let dom = view.dom;
    let shown = |id: &NodeId| {
        let node = dom.node(*id);
        // Elements that are not displayed have no place; elements that are only invisible keep theirs.
        view.include_hidden
            || node.hidden != Hidden::NotRendered
            || dom.element(*id).is_some_and(|element| {
                matches!(element.display, Display::TableRow | Display::TableCell | Display::Table)
            })
    };
    let rows = |group: NodeId| -> Vec<NodeId> {
        dom.children(group)
            .iter()
            .copied()
            .filter(|child| dom.name(*child) == "tr" && shown(child) && !view.drops(*child))
            .collect()
    };
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    let mut feet: Vec<Vec<NodeId>> = Vec::new();
    let mut loose: Vec<NodeId> = Vec::new();
    for child in dom.children(table).iter().copied().filter(|child| shown(child) && !view.drops(*child)) {
        match dom.name(child) {
            "tr" => loose.push(child),
            "thead" | "tbody" => {
                groups.push(std::mem::take(&mut loose));
                groups.push(rows(child));
            }
            "tfoot" => {
                groups.push(std::mem::take(&mut loose));
                feet.push(rows(child));
            }
            _ => {}
        }
    }
    groups.push(loose);
    groups.extend(feet);
    groups.retain(|group| !group.is_empty());
    groups
}

fn cells(view: View<'_>, row: NodeId) -> Vec<NodeId> {
    let dom = view.dom;
    let shown = |id: &NodeId| {
        view.include_hidden
            || dom.node(*id).hidden != Hidden::NotRendered
            || dom.element(*id).is_some_and(|element| element.display == Display::TableCell)
    };
    dom.children(row)
        .iter()
        .copied()
        .filter(|cell| matches!(dom.name(*cell), "td" | "th") && shown(cell) && !view.drops(*cell))
        .collect()
}

fn span(dom: &Dom, cell: NodeId, name: &str) -> Option<usize> {
    let digits: String = dom.attribute(cell, name)?.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().or_else(|| (!digits.is_empty()).then_some(ROWSPAN_MAX))
}

/// Reads a table.
#[must_use]
pub fn read(view: View<'_>, id: NodeId) -> Table {
    let dom = view.dom;
    let mut table = Table::default();
    let mut in_head = 0;
    let mut places = 0;
    for group in groups(view, id) {
        let first = table.cells.len();
        let height = group.len();
        table.cells.extend(std::iter::repeat_n(Vec::new(), height));
        for (below, row) in group.iter().enumerate() {
            let y = first + below;
            let mut x = 0;
            for cell in cells(view, *row) {
                while table.cells[y].get(x).is_some_and(Option::is_some) {
                    x += 1;
                }
                let width = span(dom, cell, "colspan").filter(|width| *width > 0).unwrap_or(1).min(COLSPAN_MAX);
                // Cells end with their group, as browsers draw them; `rowspan=0` extends a cell to that end.
                let left = height - below;
                let tall = match span(dom, cell, "rowspan") {
                    Some(0) => left,
                    rows => rows.unwrap_or(1).min(ROWSPAN_MAX).min(left),
                };
                // Rows are extended to the end of the cell; the places in between may stay uncovered.
                let end = x + width;
                places += table.cells[y..y + tall].iter().map(|line| end.saturating_sub(line.len())).sum::<usize>();
                if places > PLACES_MAX {
                    table.cells.truncate(y);
                    return finish(view, id, table, in_head);
                }
                let source = table.sources.len();
                table.sources.push(cell);
                for (down, line) in table.cells[y..y + tall].iter_mut().enumerate() {
                    if line.len() < end {
                        line.resize(end, None);
                    }
                    for (right, slot) in line[x..end].iter_mut().enumerate() {
                        // Where two cells overlap, the first one wins.
                        slot.get_or_insert(Slot { source, first: down == 0 && right == 0 });
                    }
                }
                x = end;
            }
        }
        let of_head = dom.node(group[0]).parent.is_some_and(|parent| dom.name(parent) == "thead");
        if of_head && first == in_head {
            in_head += height;
        }
    }
    finish(view, id, table, in_head)
}

fn finish(view: View<'_>, id: NodeId, mut table: Table, in_head: usize) -> Table {
    let dom = view.dom;
    table.texts = table.sources.iter().map(|cell| cleaned(&cell_text(view, *cell))).collect();
    table.caption = dom
        .children(id)
        .iter()
        .find(|child| dom.name(**child) == "caption")
        .map(|caption| cleaned(&view.folded_text(*caption)))
        .filter(|caption| !caption.is_empty());
    // A reader doesn't see rows without any place (an empty `tr`).
    let kept_head = table.cells.iter().take(in_head).filter(|row| !row.is_empty()).count();
    table.cells.retain(|row| !row.is_empty());
    table.header_rows = if kept_head > 0 { kept_head } else { header_rows(view, &table) };
    (table.headers, table.headers_cut) = headers(&table);
    table
}

/// Returns a cell's text without that of nested tables, which are results of their own.
fn cell_text(view: View<'_>, cell: NodeId) -> String {
    view.folded_text_but(cell, |id| id != cell && view.dom.name(id) == "table")
}

/// Returns the cells of a row, each once however many places it spans.
fn cells_of(row: &[Option<Slot>]) -> Vec<usize> {
    let mut seen = HashSet::new();
    row.iter().flatten().map(|slot| slot.source).filter(|source| seen.insert(*source)).collect()
}

/// Returns the number of header rows at the top of a table without `thead`.
fn header_rows(view: View<'_>, table: &Table) -> usize {
    let dom = view.dom;
    let is_header = |row: &Vec<Option<Slot>>| {
        let mut cells = row.iter().flatten().map(|slot| table.sources[slot.source]).peekable();
        cells.peek().is_some() && cells.all(|cell| dom.name(cell) == "th")
    };
    let marked = table.cells.iter().take_while(|row| is_header(row)).count();
    // If all rows consist of `th` cells, they don't mark a header.
    if marked > 0 && marked < table.cells.len() {
        return marked;
    }
    let [first, second, ..] = table.cells.as_slice() else { return 0 };
    // The corner above a column of row names may be an empty plain cell.
    let corner_free = first.len() > 2
        && first.iter().flatten().enumerate().all(|(at, slot)| {
            let cell = table.sources[slot.source];
            dom.name(cell) == "th" || (at == 0 && table.texts[slot.source].is_empty())
        });
    if corner_free {
        return 1;
    }
    let (first, second) = (cells_of(first), cells_of(second));
    let has_text = |cell: &usize| !table.texts[*cell].is_empty();
    let is_bold = |cell: &usize| all_bold(view, table.sources[*cell]);
    let names_columns = table.cells[0].len() > 1
        && first.iter().any(has_text)
        && first.iter().all(|cell| !has_text(cell) || is_bold(cell));
    usize::from(names_columns && second.iter().any(|cell| has_text(cell) && !is_bold(cell)))
}

fn all_bold(view: View<'_>, cell: NodeId) -> bool {
    let dom = view.dom;
    view.subtree(cell).filter(|id| view.text(*id).is_some_and(|text| !text.trim().is_empty())).all(|id| {
        dom.ancestors(id).take_while(|above| *above != cell).chain([cell]).any(|above| {
            matches!(dom.name(above), "b" | "strong" | "th")
                || dom.element(above).is_some_and(|element| element.weight >= 600)
        })
    })
}

/// Returns the start of a text, at most `max_bytes` long.
fn start(text: &str, max_bytes: usize) -> &str {
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// Returns the column names, and whether they were cut.
fn headers(table: &Table) -> (Vec<String>, bool) {
    let rows = &table.cells[..table.header_rows];
    let width = rows.iter().map(Vec::len).max().unwrap_or_default();
    // One cell over the whole width is a title of all columns and distinguishes none of them.
    let names = |row: &&Vec<Option<Slot>>| {
        let first = row.iter().flatten().next().map(|slot| slot.source);
        table.header_rows == 1
            || width < 2
            || row.len() < width
            || row.iter().flatten().any(|slot| Some(slot.source) != first)
    };
    let rows: Vec<&Vec<Option<Slot>>> = rows.iter().filter(names).collect();
    let levels = |x: usize| {
        let mut levels: Vec<usize> =
            rows.iter().filter_map(|row| row.get(x).copied().flatten()).map(|slot| slot.source).collect();
        levels.dedup();
        let mut texts: Vec<&str> =
            levels.into_iter().map(|source| table.texts[source].as_str()).filter(|text| !text.is_empty()).collect();
        texts.dedup();
        texts
    };
    let (mut bytes, mut texts) = (0, 0);
    for x in 0..width {
        let levels = levels(x);
        bytes += levels.iter().map(|text| text.len() + LEVELS_JOINED_BY.len()).sum::<usize>();
        texts += levels.len();
    }
    let is_cut = bytes > HEADERS_MAX_BYTES;
    let max = if is_cut { HEADERS_MAX_BYTES / texts.max(1) } else { usize::MAX };
    let joined = |x: usize| {
        let levels: Vec<&str> = levels(x).into_iter().map(|text| start(text, max)).collect();
        levels.join(LEVELS_JOINED_BY)
    };
    ((0..width).map(joined).collect(), is_cut)
}

/// Returns whether a table holds data rather than only laying out the page.
#[must_use]
pub fn is_data(view: View<'_>, id: NodeId) -> bool {
    let dom = view.dom;
    if matches!(dom.attribute(id, "role"), Some("presentation" | "none")) {
        return false;
    }
    if matches!(dom.attribute(id, "role"), Some("grid" | "table" | "treegrid")) {
        return true;
    }
    let rows: Vec<Vec<NodeId>> =
        groups(view, id).into_iter().flatten().map(|row| cells(view, row)).filter(|row| !row.is_empty()).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or_default();
    let all: Vec<NodeId> = rows.iter().flatten().copied().collect();
    let has_data_markup =
        dom.children(id).iter().any(|child| matches!(dom.name(*child), "caption" | "thead" | "colgroup" | "col"))
            || all.iter().any(|cell| {
                dom.name(*cell) == "th"
                    || dom.attribute(*cell, "scope").is_some()
                    || dom.attribute(*cell, "headers").is_some()
            });
    let nests = all.iter().any(|cell| dom.subtree(*cell).any(|below| dom.name(below) == "table"));
    let parts = all.iter().any(|cell| {
        view.subtree(*cell)
            .any(|below| matches!(dom.name(below), "h1" | "h2" | "h3" | "article" | "main" | "nav" | "form" | "iframe"))
            || view.folded_start(*cell, 4 * DATA_CELL_MAX_CHARS + 4).chars().count() > DATA_CELL_MAX_CHARS
    });
    if rows.len() < 2 || width < 2 {
        return has_data_markup && !nests && !parts && rows.len() * width >= 2;
    }
    !nests && (has_data_markup || !parts) && (has_data_markup || all.len() >= 4)
}

/// Returns all data tables below these nodes, outer ones before those nested in them.
#[must_use]
pub fn data_tables(view: View<'_>, roots: &[NodeId]) -> Vec<NodeId> {
    let mut seen = HashSet::new();
    roots
        .iter()
        .flat_map(|root| view.subtree(*root))
        .filter(|id| view.dom.name(*id) == "table" && seen.insert(*id))
        .filter(|id| view.include_hidden || view.dom.node(*id).hidden == Hidden::No)
        .filter(|id| is_data(view, *id))
        .collect()
}

/// Writes rows as comma-separated values, the header first.
#[must_use]
pub fn csv(headers: &[String], rows: &[Vec<&str>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let mut write = |row: &mut dyn Iterator<Item = &str>| {
        // Writing to memory can't fail.
        let _ = writer.write_record(row.map(str::as_bytes));
    };
    if !headers.is_empty() {
        write(&mut headers.iter().map(String::as_str));
    }
    for row in rows {
        write(&mut row.iter().copied());
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
