//! A message's fences and inline code, as CommonMark has them; in lists and quotations too, where models put them.

use std::collections::HashMap;
use std::ops::Range;

/// Labels of fences that may have calls.
const LABELS: [&str; 4] = ["", "json", "tool", "tool_code"];
/// A fence's mark has at least so many characters.
const FENCE_MIN: usize = 3;

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// Text outside fences.
    Text(Range<usize>),
    /// A fence.
    Fence {
        /// From its first mark to its last, without the line feed after that.
        whole: Range<usize>,
        /// What stands between.
        content: Range<usize>,
        /// Whether its label lets it have calls.
        searched: bool,
    },
}

impl Segment {
    /// Where calls may be.
    pub(super) fn searched(&self) -> Option<Range<usize>> {
        match self {
            Self::Text(range) => Some(range.clone()),
            Self::Fence { content, searched, .. } => searched.then(|| content.clone()),
        }
    }
}

/// A fence's first line.
struct Opening {
    /// Where its mark begins.
    mark_start: usize,
    mark: u8,
    count: usize,
    searched: bool,
    /// Where its content begins: after its line, or at a bracket in that line.
    content_start: usize,
}

/// Divides a message.
pub(super) fn segments(message: &str, work: &mut usize) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut text_start = 0;
    let mut open: Option<Opening> = None;
    let mut line_start = 0;
    for line in message.split_inclusive('\n') {
        *work += line.len();
        let line_end = line_start + line.len();
        let stripped = line.trim_end_matches(['\n', '\r']);
        match &open {
            None => {
                if let Some(opening) = opening(stripped, line_start, line_end) {
                    segments.push(Segment::Text(text_start..opening.mark_start));
                    open = Some(opening);
                }
            }
            Some(opening) if closes(stripped, opening) => {
                let end = line_start + stripped.len();
                let content = opening.content_start..line_start.max(opening.content_start);
                segments.push(Segment::Fence { whole: opening.mark_start..end, content, searched: opening.searched });
                text_start = end;
                open = None;
            }
            Some(_) => {}
        }
        line_start = line_end;
    }
    match open {
        Some(opening) => segments.push(Segment::Fence {
            whole: opening.mark_start..message.len(),
            content: opening.content_start.min(message.len())..message.len(),
            searched: opening.searched,
        }),
        None => segments.push(Segment::Text(text_start..message.len())),
    }
    segments
}

fn opening(line: &str, line_start: usize, line_end: usize) -> Option<Opening> {
    let indent = containers(line);
    let (mark, count) = mark(&line[indent..])?;
    let after = indent + count;
    let info = &line[after..];
    if mark == b'`' && info.contains('`') {
        return None;
    }
    let trimmed = info.trim_start();
    let label_end = trimmed.find(|c: char| c.is_whitespace() || matches!(c, '{' | '[')).unwrap_or(trimmed.len());
    let (label, rest) = trimmed.split_at(label_end);
    let searched = LABELS.iter().any(|known| label.eq_ignore_ascii_case(known));
    // Models begin in the label's line, too.
    let rest = rest.trim_start();
    let content_start = match rest.starts_with(['{', '[']) {
        true => line_start + line.len() - rest.len(),
        false => line_end,
    };
    Some(Opening { mark_start: line_start + indent, mark, count, searched, content_start })
}

fn closes(line: &str, opening: &Opening) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    mark(line)
        .is_some_and(|(mark, count)| mark == opening.mark && count >= opening.count && line[count..].trim().is_empty())
}

/// A run of three or more backticks or tildes at the beginning.
fn mark(text: &str) -> Option<(u8, usize)> {
    let mark = *text.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = text.bytes().take_while(|byte| *byte == mark).count();
    (count >= FENCE_MIN).then_some((mark, count))
}

/// How long the beginning of a line is that is indentation, quotation marks and list markers.
fn containers(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'>') => at += 1,
            Some(b'-' | b'*' | b'+') if bytes.get(at + 1) == Some(&b' ') => at += 2,
            Some(b'0'..=b'9') => {
                let digits = bytes[at..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
                match (bytes.get(at + digits), bytes.get(at + digits + 1)) {
                    (Some(b'.' | b')'), Some(b' ')) => at += digits + 2,
                    _ => return at,
                }
            }
            _ => return at,
        }
    }
}

/// A run of backticks.
struct Run {
    start: usize,
    count: usize,
    paragraph: usize,
}

/// The backticks of a text. A run of them and the next of the same length in its paragraph are inline code.
pub(super) struct Backticks {
    runs: Vec<Run>,
    /// For each run, the next one of the same length.
    closers: Vec<Option<usize>>,
    /// The first run that was not passed.
    next: usize,
}

impl Backticks {
    pub(super) fn of(message: &str, range: &Range<usize>, work: &mut usize) -> Self {
        let runs = runs(message, range, work);
        let mut next_of: HashMap<(usize, usize), usize> = HashMap::new();
        let mut closers = vec![None; runs.len()];
        for (at, run) in runs.iter().enumerate().rev() {
            closers[at] = next_of.insert((run.paragraph, run.count), at);
        }
        Self { runs, closers, next: 0 }
    }

    /// Where text goes on that has come to the backtick at `at`: after the inline code that it begins, or after itself.
    pub(super) fn after(&mut self, at: usize) -> usize {
        while self.runs.get(self.next).is_some_and(|run| run.start < at) {
            self.next += 1;
        }
        match self.runs.get(self.next).filter(|run| run.start == at) {
            Some(run) => {
                let last = self.closers[self.next].map_or(run, |closer| &self.runs[closer]);
                last.start + last.count
            }
            // An escaped one.
            None => at + 1,
        }
    }
}

fn runs(message: &str, range: &Range<usize>, work: &mut usize) -> Vec<Run> {
    let bytes = message.as_bytes();
    let mut runs = Vec::new();
    let (mut paragraph, mut blank_line) = (0, true);
    let mut at = range.start;
    while at < range.end {
        *work += 1;
        match bytes[at] {
            b'\n' => {
                paragraph += usize::from(blank_line);
                blank_line = true;
                at += 1;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'\\' => {
                blank_line = false;
                at += 1 + usize::from(bytes.get(at + 1) == Some(&b'`'));
            }
            b'`' => {
                blank_line = false;
                let count = bytes[at..range.end].iter().take_while(|byte| **byte == b'`').count();
                *work += count;
                runs.push(Run { start: at, count, paragraph });
                at += count;
            }
            _ => {
                blank_line = false;
                at += 1;
            }
        }
    }
    runs
}
