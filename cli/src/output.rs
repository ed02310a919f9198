//! Writes to standard output and standard error. A closed reader causes no panic, and control characters in a page's
//! text don't reach the terminal.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::failure::Failed;

/// Writes bytes to standard output.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failed> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failed::OutputClosed),
        Err(error) => Err(Failed::io("write to standard output", error)),
    }
}

/// Writes text and a newline to standard output. On a terminal, control characters are replaced.
pub(crate) fn text(text: &str) -> Result<(), Failed> {
    let mut line = if is_terminal() { printable(text) } else { text.to_owned() };
    if !line.ends_with('\n') {
        line.push('\n');
    }
    bytes(line.as_bytes())
}

/// Writes JSON to standard output: indented on a terminal, one line elsewhere.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failed> {
    let written = if is_terminal() { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    text(&written.map_err(|error| Failed::io("write JSON", error.into()))?)
}

/// Writes an answer as JSON, with the path of the file that its field `content` was written to instead of that field.
pub(crate) fn json_with_path(answer: &impl Serialize, content: &str, path: &Path) -> Result<(), Failed> {
    let mut answer = json!(answer);
    if let Some(fields) = answer.as_object_mut() {
        fields.remove(content);
        fields.insert("path".to_owned(), json!(path.display().to_string()));
    }
    json(&answer)
}

/// Returns whether `-o` names standard output, for bytes that a page chose.
///
/// # Errors
/// When standard output is a terminal, which would execute escape sequences among them, or when the flag `other` writes
/// there too.
pub(crate) fn takes_bytes(path: Option<&Path>, what: &str, other: Option<&str>) -> Result<bool, Failed> {
    if path.is_none_or(|path| path.as_os_str() != "-") {
        return Ok(false);
    }
    if let Some(other) = other {
        return Err(Failed::Usage(format!("{other} and -o - both want standard output: give -o a file")));
    }
    if is_terminal() {
        return Err(Failed::Usage(format!(
            "{what} can't be written to a terminal: redirect standard output to a file or a pipe, or use -o FILE"
        )));
    }
    Ok(true)
}

/// Writes a line to standard error. Errors are ignored: a closed standard error is the user's choice.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Returns whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Replaces control characters except newlines and tabs: text from pages and servers may hold escape sequences,
/// which a terminal would execute.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\u{1b}[2Jb\r\n\tc\u{9b}1m"), "a\u{fffd}[2Jb\u{fffd}\n\tc\u{fffd}1m");
    }
}
