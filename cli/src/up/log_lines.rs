//! The log lines of both processes: parsed from JSON, shortened, the last ones kept to report when a process dies.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::net::SocketAddr;

use serde_json::{Map, Value};

/// Number of log lines kept for each process.
const KEPT_LINES: usize = 20;

/// A line that a process wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogLine {
    /// The line shortened for a person.
    pub(super) text: String,
    /// Whether it is shown without `--verbose`: a warning, an error, or text that is not a log line, such as a panic.
    pub(super) matters: bool,
    /// The listener that the line reports: `main` or `admin`, and its address.
    pub(super) listening: Option<(String, SocketAddr)>,
}

impl LogLine {
    pub(super) fn read(line: &str) -> Self {
        let Ok(Value::Object(mut event)) = serde_json::from_str(line) else {
            return Self { text: line.to_owned(), matters: true, listening: None };
        };
        let listening = listening(&event);
        let mut take = |field: &str| match event.remove(field) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let level = take("level");
        let message = take("message");
        for noise in ["timestamp", "target"] {
            take(noise);
        }
        let mut text = format!("{level:<5} {message}");
        append_fields(&mut text, &event);
        Self { text, matters: !matches!(level.as_str(), "INFO" | "DEBUG" | "TRACE"), listening }
    }
}

fn append_fields(text: &mut String, fields: &Map<String, Value>) {
    for (name, value) in fields {
        let _ = match value {
            Value::String(value) => write!(text, " {name}={value}"),
            other => write!(text, " {name}={other}"),
        };
    }
}

fn listening(event: &Map<String, Value>) -> Option<(String, SocketAddr)> {
    if event.get("message")? != "listening" {
        return None;
    }
    let listener = event.get("listener")?.as_str()?;
    Some((listener.to_owned(), event.get("addr")?.as_str()?.parse().ok()?))
}

/// The last lines of a process, each with whether it was shown.
#[derive(Debug, Default)]
pub(super) struct Tail(VecDeque<(String, bool)>);

impl Tail {
    pub(super) fn push(&mut self, text: &str, shown: bool) {
        if self.0.len() == KEPT_LINES {
            self.0.pop_front();
        }
        self.0.push_back((text.to_owned(), shown));
    }

    /// Returns the kept lines that were not shown.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, shown)| !shown).map(|(text, _)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shortened_and_matters_by_its_level() {
        let line = LogLine::read(
            r#"{"timestamp":"2026-11-21T10:00:00Z","level":"WARN","message":"target allowed","target":"x","entry":"a:1","n":2}"#,
        );
        assert_eq!(line.text, "WARN  target allowed entry=a:1 n=2");
        assert!(line.matters);
        assert!(!LogLine::read(r#"{"level":"INFO","message":"m"}"#).matters);
    }

    #[test]
    fn text_that_is_not_a_log_line_matters_and_is_kept_unchanged() {
        let line = LogLine::read("thread 'main' panicked at src/x.rs:1");
        assert_eq!((line.text.as_str(), line.matters), ("thread 'main' panicked at src/x.rs:1", true));
    }

    #[test]
    fn a_listener_is_found() {
        let line =
            LogLine::read(r#"{"level":"INFO","message":"listening","listener":"admin","addr":"127.0.0.1:43123"}"#);
        assert_eq!(line.listening, Some(("admin".to_owned(), "127.0.0.1:43123".parse().unwrap())));
        assert_eq!(LogLine::read(r#"{"message":"listening","listener":"main","addr":"?"}"#).listening, None);
    }

    #[test]
    fn only_the_last_unseen_lines_are_returned() {
        let mut tail = Tail::default();
        for number in 0..30 {
            tail.push(&number.to_string(), number % 2 == 0);
        }
        assert_eq!(tail.unseen().collect::<Vec<_>>(), ["11", "13", "15", "17", "19", "21", "23", "25", "27", "29"]);
    }
}
