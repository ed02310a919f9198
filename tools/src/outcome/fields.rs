//! Fields of a service's answer.

use serde_json::Value;

use super::page::one_line;

/// The session's handle and tab, as a line.
pub(super) fn place(session: &str, tab: &str) -> String {
    let tab = if tab.is_empty() { String::new() } else { format!(", tab {}", one_line(tab, 64)) };
    format!("Session {}{tab}.\n", one_line(session, 64))
}

pub(super) fn handle_of(answer: &Value) -> Option<String> {
    answer["session"].as_str().filter(|handle| !handle.is_empty()).map(str::to_owned)
}

pub(super) fn number(answer: &Value, field: &str) -> u32 {
    answer[field].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

pub(super) fn status_code(answer: &Value) -> u16 {
    answer["status_code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or_default()
}

/// Takes a string out of an answer.
pub(super) fn take(answer: &mut Value, field: &str) -> String {
    match answer.get_mut(field).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}
