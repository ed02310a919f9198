//! Calls in what a model wrote: which objects of a text are calls, and what of the text is left without them.
//!
//! A call is a JSON object with `tool` (one of ours, or a name that begins with `browser_` or `sandbox_`) and `args`, an
//! object or absent. It stands bare in the text, in a fence labelled `json`, `tool`, `tool_code` or nothing, or in an array
//! of such. Objects inside other objects, in inline code and in other fences are no calls. Each character is looked at a
//! bounded number of times.

mod json;
mod markdown;
#[cfg(test)]
mod tests;

use std::ops::Range;

use porthole_contract::limits::BODY_VALUES_MAX;
use porthole_contract::values;
use serde_json::{Map, Value};

use self::json::{Ended, Scanned};
use self::markdown::{Backticks, Segment};
use crate::definitions::tool;

/// Beginnings of names that are meant for us, whether there is such a tool or not.
const PREFIXES: [&str; 2] = ["browser_", "sandbox_"];

/// What a message has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detected {
    /// Its calls, in order.
    pub calls: Vec<DetectedCall>,
    /// The message without its calls and without the fences that this empties, trimmed.
    pub rest: String,
    /// Whether it has a call that is cut off.
    pub incomplete: bool,
}

/// A call in a message, not yet validated.
#[derive(Clone, Debug, PartialEq)]
pub struct DetectedCall {
    /// The tool's name, which may be none of ours.
    pub tool: String,
    /// Its arguments; an empty object where it has none.
    pub args: Value,
}

/// Finds the calls of a message.
#[must_use]
pub fn detect(message: &str) -> Detected {
    detect_counting(message, &mut 0)
}

/// The same, counting how many characters were looked at.
fn detect_counting(message: &str, work: &mut usize) -> Detected {
    let mut detected = Detected::default();
    let mut removed: Vec<Range<usize>> = Vec::new();
    for segment in markdown::segments(message, work) {
        let before = removed.len();
        let mut finder = Finder { message, segment: &segment, detected: &mut detected, removed: &mut removed, work };
        finder.find();
        if let Segment::Fence { whole, content, .. } = &segment {
            let emptied = removed.len() > before && is_blank_without(message, content, &removed[before..]);
            if emptied {
                removed.truncate(before);
                removed.push(whole.clone());
            }
        }
    }
    let mut rest = String::new();
    let mut at = 0;
    for span in removed {
        rest.push_str(&message[at..span.start]);
        at = span.end;
    }
    rest.push_str(&message[at..]);
    rest.trim().clone_into(&mut detected.rest);
    detected
}

fn is_blank_without(message: &str, content: &Range<usize>, removed: &[Range<usize>]) -> bool {
    let mut at = content.start;
    for span in removed {
        if !message[at..span.start].trim().is_empty() {
            return false;
        }
        at = span.end;
    }
    message[at..content.end].trim().is_empty()
}

/// Finds the calls of one segment.
struct Finder<'a> {
    message: &'a str,
    segment: &'a Segment,
    detected: &'a mut Detected,
    removed: &'a mut Vec<Range<usize>>,
    work: &'a mut usize,
}

impl Finder<'_> {
    fn find(&mut self) {
        let Some(range) = self.segment.searched() else { return };
        let mut backticks = match self.segment {
            Segment::Text(_) => Some(Backticks::of(self.message, &range, self.work)),
            Segment::Fence { .. } => None,
        };
        let bytes = self.message.as_bytes();
        let mut at = range.start;
        while at < range.end {
            *self.work += 1;
            at = match (bytes[at], &mut backticks) {
                (b'{' | b'[', _) => self.judge(at, range.end),
                (b'`', Some(backticks)) => backticks.after(at),
                _ => at + 1,
            };
        }
    }

    /// Judges what begins with a bracket, and returns where to go on.
    fn judge(&mut self, start: usize, end: usize) -> usize {
        let scanned = json::scan(self.message, start, end, self.work);
        let next = match scanned.ended {
            Ended::Whole(end) => {
                let calls: Option<Vec<_>> =
                    scanned.objects.iter().map(|object| call_of(&scanned, &object.written)).collect();
                if let Some(calls) = calls.filter(|calls| scanned.only_objects && !calls.is_empty()) {
                    self.detected.calls.extend(calls);
                    self.removed.push(start..end);
                }
                return end;
            }
            Ended::Broken(at) => at,
            Ended::CutOff => {
                let of_calls = scanned.objects.iter().any(|object| call_of(&scanned, &object.written).is_some());
                self.detected.incomplete |= of_calls || may_become_a_call(&scanned);
                end
            }
        };
        // A bracket in prose, or an array that is cut off: its whole objects stand by themselves.
        for object in &scanned.objects {
            if let Some(call) = call_of(&scanned, &object.written) {
                self.detected.calls.push(call);
                self.removed.push(object.read.clone());
            }
        }
        next
    }
}

fn is_ours(name: &str) -> bool {
    tool(name).is_some() || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn call_of(scanned: &Scanned, written: &Range<usize>) -> Option<DetectedCall> {
    let written = scanned.strict.get(written.clone())?;
    // No tool takes so many; they take many times as much memory as their text.
    if values(written.as_bytes()) > BODY_VALUES_MAX {
        return None;
    }
    let mut object: Map<String, Value> = serde_json::from_str(written).ok()?;
    let name = object.get("tool")?.as_str().filter(|name| is_ours(name))?.to_owned();
    let args = match object.remove("args") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(args @ Value::Object(_)) => args,
        Some(_) => return None,
    };
    Some(DetectedCall { tool: name, args })
}

/// Whether an object that is cut off could be a call: as far as it goes, nothing speaks against it and something for it.
fn may_become_a_call(scanned: &Scanned) -> bool {
    let cut = &scanned.cut;
    match &cut.tool {
        Some(name) if cut.tool_whole => is_ours(name),
        Some(part) => {
            is_ours(part)
                || PREFIXES.iter().any(|prefix| prefix.starts_with(part.as_str()))
                || crate::definitions::all().iter().any(|tool| tool.name.starts_with(part.as_str()))
        }
        None => cut.args || cut.key.as_deref().is_some_and(|key| "tool".starts_with(key) || "args".starts_with(key)),
    }
}
