//! A page's own words in a result: bounded, and between two boundary lines.

use std::fmt::Write as _;

use serde_json::Value;

use super::budget::{RESULT_MAX_MILLITOKENS, fit};
use crate::boundary::Boundary;

/// A URL, in characters.
const URL_MAX_CHARS: usize = 2_000;
/// A title or an element's name, in characters.
const NAME_MAX_CHARS: usize = 300;
/// A sentence with a page's words in it, in characters.
const SENTENCE_MAX_CHARS: usize = 2_000;
/// Events or warnings that are listed; the rest is counted.
const LISTED_MAX: usize = 20;

/// What a result says of a page.
#[derive(Debug, Default)]
pub(super) struct Page {
    lines: String,
    /// Text of any length, after the lines.
    text: String,
    /// What to do where that text is cut.
    when_cut: String,
}

/// A result's page, put into words.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// With its boundary lines; empty where nothing was to say.
    pub(super) text: String,
    /// How many characters of the long text are in it, if it was cut.
    pub(super) cut_at_chars: Option<usize>,
}

impl Page {
    /// A line with a short name; nothing where the value is empty.
    pub(super) fn name(&mut self, what: &str, value: &str) {
        self.line(what, value, NAME_MAX_CHARS);
    }

    pub(super) fn url(&mut self, what: &str, value: &str) {
        self.line(what, value, URL_MAX_CHARS);
    }

    pub(super) fn sentence(&mut self, what: &str, value: &str) {
        self.line(what, value, SENTENCE_MAX_CHARS);
    }

    fn line(&mut self, what: &str, value: &str, max_chars: usize) {
        if !value.is_empty() {
            let _ = writeln!(self.lines, "{what}: {}", one_line(value, max_chars));
        }
    }

    /// The fields that every answer of a session has.
    pub(super) fn of_session(&mut self, answer: &Value) {
        self.url("URL", text(answer, "url"));
        self.name("Title", text(answer, "title"));
        self.warnings(&answer["warnings"]);
        self.events(&answer["events"]);
    }

    pub(super) fn warnings(&mut self, warnings: &Value) {
        for warning in listed(warnings).iter().filter_map(Value::as_str) {
            self.sentence("Warning", warning);
        }
    }

    /// What else happened since the last call.
    pub(super) fn events(&mut self, events: &Value) {
        let all = events.as_array().map(Vec::as_slice).unwrap_or_default();
        for event in listed(events) {
            let name = |field: &str| one_line(text(event, field), NAME_MAX_CHARS);
            let address = || one_line(text(event, "url"), URL_MAX_CHARS);
            let _ = match text(event, "type") {
                "navigated" => writeln!(self.lines, "Event: tab {} went to {}", name("tab"), address()),
                "dialog" => writeln!(
                    self.lines,
                    "Event: the {} dialog {:?} opened; answer it with browser_dialog",
                    name("kind"),
                    one_line(text(event, "message"), SENTENCE_MAX_CHARS)
                ),
                "tab_opened" => writeln!(self.lines, "Event: tab {} opened at {}", name("tab"), address()),
                "tab_closed" => writeln!(self.lines, "Event: tab {} closed", name("tab")),
                "download" => match event["file"].as_str() {
                    Some(file) => writeln!(
                        self.lines,
                        "Event: downloaded {:?}, {} bytes, as file {}",
                        name("name"),
                        event["bytes"],
                        one_line(file, NAME_MAX_CHARS)
                    ),
                    None => writeln!(self.lines, "Event: the download of {:?} failed: {}", name("name"), name("error")),
                },
                "blocked" => writeln!(self.lines, "Event: {} requests of the page were refused", event["count"]),
                "console" => writeln!(self.lines, "Event: error in the page's console: {}", name("text")),
                "crashed" => writeln!(self.lines, "Event: tab {} crashed", name("tab")),
                "dropped" => writeln!(self.lines, "Event: {} more", event["count"]),
                _ => Ok(()),
            };
        }
        if all.len() > LISTED_MAX {
            let _ = writeln!(self.lines, "Event: {} more", all.len() - LISTED_MAX);
        }
    }

    /// The snapshot, where there is one.
    pub(super) fn snapshot(&mut self, snapshot: &Value) {
        if !snapshot.is_object() {
            return;
        }
        let what = match snapshot["changes"].as_bool() {
            Some(true) if text(snapshot, "tree").is_empty() => "Nothing has changed on the page",
            Some(true) => "Changed on the page (* new or other, -- gone)",
            _ => "On the page",
        };
        let _ = writeln!(self.lines, "{what} (snapshot {}):", one_line(text(snapshot, "snapshot_id"), NAME_MAX_CHARS));
        self.long(
            text(snapshot, "tree"),
            "show a part of it with browser_snapshot and root, or all with a smaller maxChars",
        );
    }

    /// Text of any length; `when_cut` says how the rest is got.
    pub(super) fn long(&mut self, text: &str, when_cut: &str) {
        text.clone_into(&mut self.text);
        when_cut.clone_into(&mut self.when_cut);
    }

    /// All of it, within what a result may have.
    pub(super) fn written(self, boundary: &Boundary) -> Written {
        let mut budget = RESULT_MAX_MILLITOKENS;
        let lines = printable(&self.lines);
        let mut text = fit(&lines, &mut budget).to_owned();
        let long = printable(&self.text);
        let kept = fit(&long, &mut budget);
        text.push_str(kept);
        let cut_at_chars = (kept.len() < long.len()).then(|| kept.chars().count());
        if text.trim().is_empty() {
            return Written::default();
        }
        let mut text = boundary.around(&text);
        if cut_at_chars.is_some() {
            let _ = write!(text, "\nThe text is cut, since it is too long for a result: {}.", self.when_cut);
        }
        Written { text, cut_at_chars }
    }
}

/// A string field of an answer.
pub(super) fn text<'a>(answer: &'a Value, field: &str) -> &'a str {
    answer[field].as_str().unwrap_or_default()
}

fn listed(values: &Value) -> &[Value] {
    let all = values.as_array().map(Vec::as_slice).unwrap_or_default();
    &all[..all.len().min(LISTED_MAX)]
}

/// On one line, cut.
pub(super) fn one_line(text: &str, max_chars: usize) -> String {
    let mut line: String = text
        .chars()
        .take(max_chars)
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

/// Without control characters other than line feeds and tabs.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c }).collect()
}
