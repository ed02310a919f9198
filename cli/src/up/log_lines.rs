//! The two processes' log lines: read as JSON, shown in short, the last ones kept for the case that a process dies.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::net::SocketAddr;

use serde_json::{Map, Value};

/// How many of the last lines are kept for each process.
const KEPT_LINES: usize = 20;

/// A line that a process wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogLine {
    /// In short, for a person.
    pub(super) text: String,
    /// Whether a person sees it without asking: a warning, an error, or what is no log line at all, as a panic.
    pub(super) matters: bool,
    /// The listener that the line tells of: `main` or `admin`, and its address.
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

/// The last lines of a process, and which of them nobody has seen.
#[derive(Debug, Default)]
pub(super) struct Tail(VecDeque<(String, bool)>);

impl Tail {
    pub(super) fn push(&mut self, text: &str, shown: bool) {
        if self.0.len() == KEPT_LINES {
            self.0.pop_front();
        }
        self.0.push_back((text.to_owned(), shown));
    }

    /// Those of the last lines that were not shown.
    pub(super) fn unseen(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, shown)| !shown).map(|(text, _)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_in_short_and_its_level_decides_whether_it_matters() {
        let line = LogLine::read(
            r#"{"timestamp":"2026-11-21T10:00:00Z","level":"WARN","message":"target allowed","target":"x","entry":"a:1","n":2}"#,
        );
        assert_eq!(line.text, "WARN  target allowed entry=a:1 n=2");
        assert!(line.matters);
        assert!(!LogLine::read(r#"{"level":"INFO","message":"m"}"#).matters);
    }

    #[test]
    fn what_is_no_log_line_matters_as_it_is() {
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
    fn only_the_last_unseen_lines_are_told() {
        let mut tail = Tail::default();
        for number in 0..30 {
            tail.push(&number.to_string(), number % 2 == 0);
        }
        assert_eq!(tail.unseen().collect::<Vec<_>>(), ["11", "13", "15", "17", "19", "21", "23", "25", "27", "29"]);
    }
}
