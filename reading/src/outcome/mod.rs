//! Turns directives into a plan for the page function, and its snapshot into the directives' results.

mod length;
mod results;
mod rows;

use std::cell::Cell;

use porthole_contract::{
    Chain, Directive, ExtractFormat, ExtractKind, ExtractResult, Invalid, TableFormat, Warning, WarningCode,
};
use serde::Serialize;
use serde_json::{Value, json};

use self::length::{bounded, max_chars};
use self::results::Entry;
use self::rows::Rows;
use crate::budget::{Budget, Sizes};
use crate::clean::{clean, count_odd};
use crate::dom::{Dom, Hidden, NodeId};
use crate::map::{self, Field};
use crate::schema::{STEPS_MAX, Schema};
use crate::snapshot::{ATTRIBUTES_MAX_UNITS, Found, FrameText, NODES_MAX, Snapshot, TEXT_MAX_UNITS, VALUES_MAX};
use crate::table;
use crate::view::View;
use crate::{article, html, images, links, markdown, metadata};

/// The queries to the page function, with its limits.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    queries: Vec<Query>,
    limits: Limits,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Query {
    Text { text: bool, chain: Option<Chain>, all: bool, frames: bool, offset: usize, chars: usize },
    Nodes { nodes: bool, chain: Option<Chain>, all: bool },
    Map { map: Vec<Field> },
}

#[derive(Clone, Debug, Serialize)]
struct Limits {
    nodes: usize,
    chars: usize,
    attributes: usize,
    values: usize,
}

/// The compiled schemas of directives; `None` for a directive without one.
#[derive(Clone, Debug, Default)]
pub struct Schemas(Vec<Option<Schema>>);

/// Compiles the schemas of these directives. It may take some tenths of a second: don't block a shared thread.
///
/// # Errors
/// [`Invalid`] for `schema`, with the keyword.
pub fn schemas(directives: &[Directive]) -> Result<Schemas, Invalid> {
    directives
        .iter()
        .map(|directive| directive.schema.as_ref().map(Schema::compile).transpose())
        .collect::<Result<_, _>>()
        .map(Schemas)
}

/// Why a snapshot could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A selector is invalid.
    #[error("not a selector: {0}")]
    InvalidSelector(String),
    /// A selector or a page asks for too much.
    #[error("{0}")]
    TooMuch(String),
    /// No element matches.
    #[error("no element matches {0}")]
    NotFound(String),
    /// The content is empty or only white space.
    #[error("{0}")]
    Empty(String),
    /// The request ended before the reading did.
    #[error("the request ended before the reading did")]
    Ended,
}

/// Makes the plan for these directives. [`schemas`] compiles their schemas.
///
/// # Errors
/// [`Invalid`] for an invalid selector or map, with the field's path.
pub fn plan(directives: &[Directive]) -> Result<Plan, Invalid> {
    let queries = directives
        .iter()
        .map(|directive| {
            let chain = directive.chain()?;
            Ok(match directive.kind {
                ExtractKind::Text => Query::Text {
                    text: true,
                    chain,
                    all: directive.all,
                    frames: directive.frames,
                    offset: directive.offset.unwrap_or_default() as usize,
                    chars: max_chars(directive),
                },
                ExtractKind::Json => Query::Map { map: map::parse(directive.map.as_ref().unwrap_or(&Value::Null))? },
                _ => Query::Nodes { nodes: true, chain, all: directive.all },
            })
        })
        .collect::<Result<_, Invalid>>()?;
    let limits =
        Limits { nodes: NODES_MAX, chars: TEXT_MAX_UNITS, attributes: ATTRIBUTES_MAX_UNITS, values: VALUES_MAX };
    Ok(Plan { queries, limits })
}

/// Reads a snapshot that was made by the plan for these directives. If no directive finds anything, the result is the
/// first error; otherwise each directive that finds nothing has a warning. `is_over` is called before each directive
/// and stops the reading once the request has ended.
///
/// # Errors
/// [`ReadError`].
pub fn read(
    directives: &[Directive],
    schemas: &Schemas,
    mut snapshot: Snapshot,
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<ExtractResult>, ReadError> {
    if let Some(refused) = snapshot.refused {
        return Err(match refused.code.as_str() {
            "invalid" => ReadError::InvalidSelector(refused.what),
            _ => ReadError::TooMuch(refused.what),
        });
    }
    let has_nodes = snapshot.columns.is_some();
    let dom = Dom::of_columns(&snapshot.names, snapshot.columns.take().unwrap_or_default());
    let answers = std::mem::take(&mut snapshot.answers);
    let sizes = Sizes::of(&dom);
    let page = Page { dom: &dom, sizes: &sizes, has_nodes, snapshot: &snapshot, schema_steps: Cell::new(STEPS_MAX) };
    let mut results = Vec::with_capacity(directives.len());
    let mut first_error = None;
    for (at, (directive, found)) in directives.iter().zip(answers).enumerate() {
        if is_over() {
            return Err(ReadError::Ended);
        }
        let schema = schemas.0.get(at).and_then(Option::as_ref);
        results.push(match page.read(directive, schema, found) {
            Ok(mut result) => {
                result.directive = name_of(directive);
                result.warnings.extend(unread(directive, &snapshot).into_iter().map(String::from));
                result
            }
            Err(error) => {
                let nothing = without_result(directive, &error);
                first_error.get_or_insert(error);
                nothing
            }
        });
    }
    match first_error {
        Some(error) if results.iter().all(|result| result.content.is_empty()) => Err(error),
        _ => Ok(results),
    }
}

/// Warns of what of the page a directive could not read.
fn unread(directive: &Directive, snapshot: &Snapshot) -> Vec<Warning> {
    let sees_frames = directive.frames || directive.selector.is_some() || directive.map.is_some();
    let frames = (snapshot.unread_frames > 0 && sees_frames).then(|| {
        WarningCode::FramesUnread.says(format!("{} frames of other origins could not be read", snapshot.unread_frames))
    });
    let end = snapshot
        .cut
        .then(|| WarningCode::PageCut.says("the page exceeds the limits of a snapshot, so its end is missing"));
    frames.into_iter().chain(end).collect()
}

/// The result of a directive that found nothing, beside others that did.
fn without_result(directive: &Directive, error: &ReadError) -> ExtractResult {
    let code = match error {
        ReadError::Empty(_) => WarningCode::EmptyExtraction,
        _ => WarningCode::SelectorNotFound,
    };
    ExtractResult {
        directive: name_of(directive),
        warnings: vec![code.says(error.to_string()).into()],
        format: format_of(directive),
        ..ExtractResult::default()
    }
}

fn name_of(directive: &Directive) -> String {
    let all = if directive.all { "all: " } else { "" };
    match &directive.selector {
        Some(selector) => format!("{all}{}: {selector}", directive.kind.name()),
        None => directive.kind.name().to_owned(),
    }
}

fn format_of(directive: &Directive) -> ExtractFormat {
    match directive.kind {
        ExtractKind::Text => ExtractFormat::Text,
        ExtractKind::Html => ExtractFormat::Html,
        ExtractKind::Markdown | ExtractKind::Article => ExtractFormat::Markdown,
        ExtractKind::Table if directive.format == Some(TableFormat::Csv) => ExtractFormat::Csv,
        _ => ExtractFormat::Json,
    }
}

/// Joins the texts of a document and its frames with blank lines, and takes the requested part.
fn of_texts(found: &mut Found, texts: &[FrameText], directive: &Directive) {
    let texts: Vec<&str> = texts
        .iter()
        .filter_map(|text| match text {
            FrameText::Here(text) if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        })
        .collect();
    found.blank = texts.is_empty();
    let whole = texts.join("\n\n");
    found.total_chars = whole.chars().count() as u64;
    let offset = directive.offset.unwrap_or_default() as usize;
    found.content = Some(whole.chars().skip(offset).take(max_chars(directive)).collect());
}

/// Cleans prose, and adds its warnings.
///
/// # Errors
/// [`ReadError::Empty`] if the page shows no text.
fn finish_prose(directive: &Directive, result: &mut ExtractResult) -> Result<(), ReadError> {
    if result.total_chars == 0 {
        return Err(ReadError::Empty("the page shows no text".to_owned()));
    }
    if result.content.is_empty() && directive.offset.is_some() {
        result.warnings.push(WarningCode::OffsetBeyondEnd.says("the content ends before this offset").into());
    }
    let (content, odd) = clean(&result.content);
    if odd > 0 {
        result.content = content.into_owned();
        let left_out = format!("{odd} control or invisible characters were left out");
        result.warnings.push(WarningCode::OddCharacters.says(left_out).into());
    }
    Ok(())
}

struct Page<'a> {
    dom: &'a Dom,
    sizes: &'a Sizes,
    /// What the checks against schemas may still cost.
    schema_steps: Cell<u64>,
    has_nodes: bool,
    snapshot: &'a Snapshot,
}

impl Page<'_> {
    fn read(&self, directive: &Directive, schema: Option<&Schema>, found: Found) -> Result<ExtractResult, ReadError> {
        if found.missing && directive.selector.is_some() {
            return Err(ReadError::NotFound(directive.selector.clone().unwrap_or_default()));
        }
        let (roots, is_matching_bounded) = self.roots(&found.roots);
        let budget = self.sizes.budget();
        let view = View::whole(self.dom, directive.include_hidden);
        let mut result = match directive.kind {
            ExtractKind::Text => return self.text(directive, found, &roots),
            ExtractKind::Markdown => results::markdown_of(directive, &markdown::read(view, &roots)),
            ExtractKind::Html => results::html_of(directive, &html::of(view, &roots)),
            ExtractKind::Article => match roots.first() {
                Some(root) => {
                    let found = article::find(view, *root, &self.snapshot.head);
                    let markdown = markdown::of_section(View { dropped: &found.dropped, ..view }, &found.roots);
                    ExtractResult { data: Some(json!(found.about)), ..results::markdown_of(directive, &markdown) }
                }
                None => ExtractResult::default(),
            },
            ExtractKind::Links => results::list(directive, links::of(view, &roots, &budget).map(Entry::of)),
            ExtractKind::Images => results::list(directive, images::of(view, &roots).map(Entry::of)),
            ExtractKind::Headings => results::list(directive, links::headings(view, &roots, &budget).map(Entry::of)),
            ExtractKind::Metadata => results::object(directive, &metadata::of(&self.snapshot.head)),
            ExtractKind::Table => {
                let id = self.table(view, directive, &roots)?;
                let table = table::read(view, id);
                results::one_table(directive, &table, &Rows::of(view, &table, directive.links, &budget))
            }
            ExtractKind::Tables => results::list(directive, self.tables(view, directive, &roots, &budget)),
            ExtractKind::Json => self.json(view, directive, schema, &found),
        };
        result.format = format_of(directive);
        if is_matching_bounded || budget.is_spent() {
            result.truncated = true;
            result.warnings.push(bounded());
        }
        if directive.all {
            result.matched = found.matched;
        }
        if matches!(directive.kind, ExtractKind::Markdown | ExtractKind::Html | ExtractKind::Article) {
            finish_prose(directive, &mut result)?;
        }
        let matters = !matches!(
            directive.kind,
            ExtractKind::Metadata | ExtractKind::Images | ExtractKind::Headings | ExtractKind::Links
        );
        if matters && !directive.include_hidden {
            let counted: Vec<NodeId> = if roots.is_empty() { self.dom.roots().collect() } else { roots };
            result.warnings.extend(results::hidden(&self.hidden_below(&counted), "were left out"));
        }
        Ok(result)
    }

    /// Returns an entry for each data table.
    fn tables<'a>(
        &self,
        view: View<'a>,
        directive: &'a Directive,
        roots: &[NodeId],
        budget: &'a Budget<'_>,
    ) -> impl Iterator<Item = Entry<'a>> {
        table::data_tables(view, roots).into_iter().map(move |id| {
            let table = table::read(view, id);
            let chars = Rows::of(view, &table, directive.links, budget).json_chars();
            let make = move |max: Option<usize>| {
                let rows = Rows::of(view, &table, directive.links, &Budget::unlimited());
                match max {
                    Some(max) => rows.shrunk(max),
                    None => rows.json(rows.body()),
                }
            };
            Entry { chars, make: Box::new(make) }
        })
    }

    /// Returns the matched nodes as far as the budget goes, since matches may be nested, and whether some are missing.
    fn roots(&self, indices: &[i64]) -> (Vec<NodeId>, bool) {
        let budget = self.sizes.budget();
        let indices = indices.iter().filter_map(|at| usize::try_from(*at).ok()).filter(|at| *at < self.dom.len());
        let roots = indices.take_while(|at| budget.take(*at)).collect();
        (roots, budget.is_spent())
    }

    fn text(&self, directive: &Directive, mut found: Found, roots: &[NodeId]) -> Result<ExtractResult, ReadError> {
        if let Some(texts) = found.texts.take() {
            of_texts(&mut found, &texts, directive);
        }
        if found.blank {
            return Err(ReadError::Empty("the page shows no text".to_owned()));
        }
        let offset = u64::from(directive.offset.unwrap_or_default());
        let mut result = ExtractResult {
            total_chars: found.total_chars,
            matched: found.matched.filter(|_| directive.all),
            ..ExtractResult::default()
        };
        if let Some(items) = found.items {
            let max = max_chars(directive);
            let mut kept: Vec<String> = Vec::new();
            let mut room = max;
            // Texts of frames start at the first one: the offset is not theirs.
            let before = usize::try_from(offset.saturating_sub(found.first)).unwrap_or(usize::MAX);
            for item in items.into_iter().skip(before) {
                let chars = item.chars().count();
                if kept.is_empty() && chars > room {
                    result.warnings.push(results::entry_cut());
                    kept.push(item.chars().take(room).collect());
                    break;
                }
                if chars > room {
                    break;
                }
                room = room.saturating_sub(chars + 1);
                kept.push(item);
            }
            let next = offset + kept.len() as u64;
            result.next_offset = (next < found.listed).then_some(next);
            result.truncated = result.next_offset.is_some() || !result.warnings.is_empty();
            result.content = kept.join("\n");
            result.data = Some(json!(kept));
        } else {
            result.content = found.content.unwrap_or_default();
            let end = offset + result.content.chars().count() as u64;
            result.truncated = end < found.total_chars;
            // An empty piece of a longer text has no `next_offset`: it would not advance.
            result.next_offset = (result.truncated && end > offset).then_some(end);
        }
        let counts = if self.has_nodes { self.hidden_below(roots) } else { self.snapshot.hidden };
        // Text that is not rendered is not part of this text.
        let counts = std::array::from_fn(|at| if at < 2 { 0 } else { counts[at] });
        result.warnings.extend(results::hidden(&counts, "are included in this text"));
        let odd = count_odd(&result.content);
        if odd > 0 {
            let included = format!("{odd} control or invisible characters are in this text");
            result.warnings.push(WarningCode::OddCharacters.says(included).into());
        }
        Ok(result)
    }

    /// Counts hidden characters by reason.
    fn hidden_below(&self, roots: &[NodeId]) -> [u64; 7] {
        let mut counts = [0; 7];
        for root in roots {
            for id in self.dom.subtree(*root) {
                let hidden = self.dom.node(id).hidden;
                if hidden != Hidden::No
                    && let Some(text) = self.dom.text(id)
                {
                    counts[hidden as usize] += text.trim().chars().count() as u64;
                }
            }
        }
        counts
    }

    fn table(&self, view: View<'_>, directive: &Directive, roots: &[NodeId]) -> Result<NodeId, ReadError> {
        let largest = |ids: Vec<NodeId>| {
            ids.into_iter().max_by_key(|id| {
                let table = table::read(view, *id);
                // Of two equally large tables, the first.
                (table.places(), std::cmp::Reverse(*id))
            })
        };
        if directive.selector.is_some() {
            if let Some(root) = roots.iter().copied().find(|root| self.dom.name(*root) == "table") {
                return Ok(root);
            }
            let inside: Vec<NodeId> =
                roots.iter().flat_map(|root| view.subtree(*root)).filter(|id| self.dom.name(*id) == "table").collect();
            let data: Vec<NodeId> = table::data_tables(view, roots);
            return largest(data)
                .or_else(|| inside.first().copied())
                .ok_or_else(|| ReadError::Empty("the selector's matches contain no table".to_owned()));
        }
        largest(table::data_tables(view, roots))
            .ok_or_else(|| ReadError::Empty("the page has no data table".to_owned()))
    }

    fn json(&self, view: View<'_>, directive: &Directive, schema: Option<&Schema>, found: &Found) -> ExtractResult {
        let fields = directive.map.as_ref().and_then(|map| map::parse(map).ok()).unwrap_or_default();
        let head = &self.snapshot.head;
        let mut reader = map::Reader {
            view,
            language: &head.language,
            base: url::Url::parse(&head.base).ok(),
            warnings: Vec::new(),
            misfits: 0,
            budget: self.sizes.budget(),
            values: VALUES_MAX,
        };
        let value = reader.object(&fields, found.values.as_deref().unwrap_or_default());
        let mut of_values = std::mem::take(&mut reader.warnings);
        let more = reader.misfits.saturating_sub(of_values.len());
        if more > 0 {
            let sentence = format!("{more} more values are missing or did not fit their type");
            of_values.push(WarningCode::Misfits.says(sentence));
        }
        of_values.extend(schema.map(|schema| schema.misfits(&value, &self.schema_steps)).unwrap_or_default());
        let mut warnings: Vec<String> = of_values.into_iter().map(String::from).collect();
        let is_bounded = reader.values == 0 || reader.budget.is_spent();
        warnings.extend(is_bounded.then(bounded));
        let mut result = results::object(directive, &value);
        warnings.append(&mut result.warnings);
        ExtractResult { warnings, truncated: result.truncated || is_bounded, ..result }
    }
}
