//! Writes to standard output and standard error. A closed reader causes no panic, and control characters in a page's
//! text don't reach the terminal.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use serde::Serialize;

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
