//! What came of a call: a text for the model, a picture, a card, the session's handle.
//!
//! What pages chose stands between boundary lines; what Porthole says stands outside.

mod advice;
mod budget;
mod fields;
mod file;
mod page;
mod picture;
mod result;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use porthole_contract::routes::{self, session};
use porthole_contract::tools::{Card, CardError, ExtractCard, ScreenshotCard, SessionCard};
use porthole_contract::{ErrorAnswer, ErrorCode};
use serde_json::{Value, json};

use self::fields::{handle_of, number, place, status_code, take};
use self::page::{Page, one_line, text};
use crate::boundary::Boundary;
use crate::call::{BadCall, Call};
use crate::definitions::Tool;

pub use self::advice::advice;
pub use self::picture::{Image, PICTURE_MAX_SIDE_PX};
pub use self::result::Outcome;

impl Outcome {
    /// Of a service's answer.
    #[must_use]
    pub fn of_answer(call: &Call, answer: Value, boundary: &Boundary) -> Self {
        match call.route {
            routes::SCREENSHOT | session::SCREENSHOT => of_picture(call, answer, boundary),
            routes::EXTRACT | session::EXTRACT => of_extract(call, answer, boundary),
            session::FILES if answer["file"].is_string() => file::of_file(call, answer, boundary),
            session::INTERACT if answer["image_base64"].is_string() => of_picture(call, answer, boundary),
            _ => of_session(call, &answer, boundary),
        }
    }

    /// Of a failure, with what to do next.
    #[must_use]
    pub fn of_error(call: &Call, error: Box<ErrorAnswer>, boundary: &Boundary) -> Self {
        let context = serde_json::to_value(&error.context).unwrap_or_default();
        let mut said = format!("{} failed: {}: {}.\n", call.tool.name, error.error, error.message);
        let next = match &error.context.snapshot {
            Some(shown) if !shown.tree.is_empty() => advice::advice_with_page(error.error),
            Some(shown) if shown.changes == Some(true) => advice::advice_without_changes(error.error),
            _ => advice(error.error),
        };
        let _ = writeln!(said, "What to do next: {next}");
        if let Some(wait_ms) = error.retry_after_ms {
            let _ = writeln!(said, "Wait {} s before you call again.", wait_ms.div_ceil(1000));
        }
        let ended = matches!(error.error, ErrorCode::SessionNotFound | ErrorCode::SessionLost);
        let handle = error.context.session.as_deref().or(call.session()).filter(|_| !ended).map(str::to_owned);
        if let Some(handle) = &handle {
            said.push_str(&place(handle, error.context.tab.as_deref().unwrap_or_default()));
        }
        let mut page = Page::default();
        page.sentence("Details", &error.details);
        for tried in context["tried"].as_array().into_iter().flatten() {
            page.name("Tried", &format!("{} (matched {})", text(tried, "selector"), tried["matched"]));
        }
        page.events(&context["events"]);
        page.snapshot(&context["snapshot"]);
        said.push_str(&page.written(boundary).text);
        let card = card_of_error(call.tool, asked_url(call, &Value::Null), handle.as_deref(), &error);
        Self { text: said.trim_end().to_owned(), image: None, card: Some(card), session: handle, error: Some(error) }
    }

    /// Of a call that can't be sent.
    #[must_use]
    pub fn of_bad_call(tool: &str, bad: &BadCall) -> Self {
        let error = bad.error();
        let card = crate::definitions::tool(tool).map(|tool| card_of_error(tool, String::new(), None, &error));
        Self { text: format!("{}: {bad}", error.error), image: None, card, session: None, error: Some(Box::new(error)) }
    }
}

/// What was asked for: a one-shot call's URL, or where the session's page is.
fn asked_url(call: &Call, answer: &Value) -> String {
    call.body.get("url").and_then(Value::as_str).unwrap_or_else(|| text(answer, "url")).to_owned()
}

/// Of a tool that acts, looks or holds.
fn of_session(call: &Call, answer: &Value, boundary: &Boundary) -> Outcome {
    let ended = call.route == session::CLOSE;
    let handle = handle_of(answer);
    let mut said = done(call, answer);
    if let Some(handle) = handle.as_deref().filter(|_| !ended) {
        said.push_str(&place(handle, text(answer, "tab")));
    }
    let mut page = Page::default();
    page.sentence("Done", text(answer, "message"));
    page.of_session(answer);
    if let Some(target) = answer["target"].as_object() {
        let field = |name: &str| target.get(name).and_then(Value::as_str).unwrap_or_default();
        page.name("Target", format!("{} {:?} {}", field("role"), field("name"), field("ref")).trim_end());
    }
    for tab in answer["tabs"].as_array().into_iter().flatten() {
        page.url("Tab", &format!("{} {:?} at {}", text(tab, "tab"), text(tab, "title"), text(tab, "url")));
    }
    for file in answer["files"].as_array().into_iter().flatten() {
        let (name, kind) = (text(file, "name"), text(file, "mime_type"));
        page.name("File", &format!("{} is {name:?}, {kind}, {} bytes", text(file, "file"), file["bytes"]));
    }
    page.snapshot(&answer["snapshot"]);
    said.push_str(&page.written(boundary).text);
    let card = Card::Session(SessionCard {
        session: handle.clone().unwrap_or_default(),
        url: text(answer, "url").to_owned(),
        title: text(answer, "title").to_owned(),
        action: call.tool.name.to_owned(),
        live_url: None,
        error: None,
    });
    Outcome {
        text: said.trim_end().to_owned(),
        image: None,
        card: Some(card),
        session: handle.filter(|_| !ended),
        error: None,
    }
}

/// What was done, as sentences of ours.
fn done(call: &Call, answer: &Value) -> String {
    let mut said = match call.route {
        session::CLOSE if answer["closed"] == json!(false) => "The browser session had ended before.\n".to_owned(),
        session::CLOSE => "The browser session has ended.\n".to_owned(),
        session::FILES if answer["files"].as_array().is_some_and(Vec::is_empty) => {
            "Nothing was downloaded yet.\n".to_owned()
        }
        session::WAIT => "What was waited for has come.\n".to_owned(),
        _ => format!("{}: done.", call.tool.name),
    };
    if said.ends_with('.') {
        if answer["navigated"] == json!(true) {
            said.push_str(" The page is another document now.");
        }
        if let Some(status) = answer["status_code"].as_u64().filter(|status| *status >= 400) {
            let _ = write!(said, " Its server answered with HTTP status {status}.");
        }
        if answer["settled"] == json!(false) {
            said.push_str(" The page is still busy: look again with browser_snapshot for what comes later.");
        }
        said.push('\n');
    }
    said
}

/// Of a tool that takes a picture.
fn of_picture(call: &Call, mut answer: Value, boundary: &Boundary) -> Outcome {
    let base64 = take(&mut answer, "image_base64");
    let mime_type = take(&mut answer, "mime_type");
    let truncated = answer["truncated"] == json!(true);
    let image = picture::fitted(base64.clone(), &mime_type);
    let mut said = if call.route == session::INTERACT { done(call, &answer) } else { String::new() };
    match &image {
        Some(image) => {
            let _ = write!(said, "A picture of {} by {} pixels", image.width, image.height);
            if let Some((width, height)) = image.made_from {
                let how = if image.cut { "the first part of one of" } else { "scaled down from" };
                let _ = write!(said, ", {how} {width} by {height}");
            }
            said.push_str(".\n");
            if truncated || image.cut {
                said.push_str("The page goes on beyond it: scroll, or take a picture of an element.\n");
            }
        }
        None => said.push_str("The picture can't be shown.\n"),
    }
    let handle = handle_of(&answer);
    if let Some(handle) = &handle {
        said.push_str(&place(handle, text(&answer, "tab")));
    }
    let mut page = Page::default();
    page.sentence("Done", text(&answer, "message"));
    let one_shot = handle.is_none();
    if one_shot {
        page.url("URL", text(&answer, "final_url"));
        page.name("Title", text(&answer, "title"));
        page.warnings(&answer["warnings"]);
    } else {
        page.of_session(&answer);
        page.snapshot(&answer["snapshot"]);
    }
    said.push_str(&page.written(boundary).text);
    let (width, height) = match number(&answer, "width") {
        0 => picture::size(&base64).unwrap_or_default(),
        width => (width, number(&answer, "height")),
    };
    let final_url = [text(&answer, "final_url"), text(&answer, "url")].into_iter().find(|url| !url.is_empty());
    let card = Card::Screenshot(ScreenshotCard {
        url: if one_shot { asked_url(call, &answer) } else { text(&answer, "url").to_owned() },
        final_url: final_url.unwrap_or_default().to_owned(),
        title: text(&answer, "title").to_owned(),
        status_code: status_code(&answer),
        image_base64: base64,
        mime_type,
        width,
        height,
        truncated,
        error: None,
    });
    Outcome { text: said.trim_end().to_owned(), image, card: Some(card), session: handle, error: None }
}

/// Of a tool that reads.
fn of_extract(call: &Call, mut answer: Value, boundary: &Boundary) -> Outcome {
    let handle = handle_of(&answer);
    let format = one_line(text(&answer, "format"), 20);
    let truncated = answer["truncated"] == json!(true);
    let is_single = answer["results"].as_array().is_none_or(Vec::is_empty);
    let mut said = read_as(&answer, &format, is_single);
    if let Some(handle) = &handle {
        said.push_str(&place(handle, text(&answer, "tab")));
    }
    let written = page_of_extract(&answer).written(boundary);
    said.push_str(&written.text);
    let from = call.body.get("offset").and_then(Value::as_u64).unwrap_or_default();
    let in_chars = matches!(format.as_str(), "text" | "html" | "markdown");
    let next = match written.cut_at_chars {
        Some(chars) if is_single && in_chars => Some(from + chars as u64),
        Some(_) => None,
        None => answer["next_offset"].as_u64(),
    };
    match next {
        Some(next) if is_single => drop(write!(said, "\nThere is more: call again with offset {next}.")),
        _ if truncated && written.cut_at_chars.is_none() => {
            said.push_str("\nThere is more than is shown: read a part with a selector.");
        }
        _ => {}
    }
    let card = Card::Extract(ExtractCard {
        url: if handle.is_none() { asked_url(call, &answer) } else { text(&answer, "url").to_owned() },
        final_url: take(&mut answer, "final_url"),
        title: take(&mut answer, "title"),
        status_code: status_code(&answer),
        content: take(&mut answer, "content"),
        format,
        truncated,
        error: None,
    });
    Outcome { text: said.trim_end().to_owned(), image: None, card: Some(card), session: handle, error: None }
}

/// What a tool that reads says before the page's content: the format, how much, and a status that is an error.
fn read_as(answer: &Value, format: &str, is_single: bool) -> String {
    let mut said = format!("Read as {format}");
    match (answer["matched"].as_u64(), answer["total_chars"].as_u64()) {
        (Some(matched), _) => drop(write!(said, ", {matched} matched")),
        (None, Some(chars)) if is_single => drop(write!(said, ", {chars} characters in all")),
        _ => {}
    }
    said.push_str(".\n");
    if let Some(status) = answer["status_code"].as_u64().filter(|status| *status >= 400) {
        let _ = writeln!(said, "The page's server answered with HTTP status {status}.");
    }
    said
}

/// The page's part of a result of a tool that reads.
fn page_of_extract(answer: &Value) -> Page {
    let mut page = Page::default();
    page.url("URL", text(answer, "final_url"));
    page.name("Title", text(answer, "title"));
    page.warnings(&answer["warnings"]);
    page.events(&answer["events"]);
    let results = answer["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    if results.is_empty() {
        page.long(text(answer, "content"), "go on with the offset below, or read a part with a selector");
        return page;
    }
    let mut all = String::new();
    for result in results {
        let directive = one_line(text(result, "directive"), 300);
        let format = one_line(text(result, "format"), 20);
        let _ = writeln!(all, "## {directive} ({format})\n{}\n", text(result, "content"));
    }
    page.long(&all, "ask for fewer directives at a time");
    page
}

fn card_of_error(tool: &Tool, url: String, session: Option<&str>, error: &ErrorAnswer) -> Card {
    let why = Some(CardError::from(error));
    match tool.route {
        routes::SCREENSHOT | session::SCREENSHOT => {
            Card::Screenshot(ScreenshotCard { url, error: why, ..ScreenshotCard::default() })
        }
        routes::EXTRACT | session::EXTRACT => {
            Card::Extract(ExtractCard { url, format: "text".to_owned(), error: why, ..ExtractCard::default() })
        }
        _ => Card::Session(SessionCard {
            session: session.unwrap_or_default().to_owned(),
            url,
            action: tool.name.to_owned(),
            error: why,
            ..SessionCard::default()
        }),
    }
}
