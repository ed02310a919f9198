//! A downloaded file in a result: texts and pictures are shown, of others the model is told what they are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use porthole_contract::tools::{Card, SessionCard};
use serde_json::Value;

use super::fields::{handle_of, place, take};
use super::page::{Page, one_line, text};
use super::picture;
use super::result::Outcome;
use crate::boundary::Boundary;
use crate::call::Call;

/// How much of a text file is decoded, in characters of base64: more than a result can have. A multiple of four.
const TEXT_MAX_BASE64_CHARS: usize = 400_000;
/// The largest picture that is shown, in characters of base64.
const PICTURE_MAX_BASE64_CHARS: usize = 14_000_000;

/// An answer without content is that of a file which was too large to be read.
pub(super) fn of_file(call: &Call, mut answer: Value, boundary: &Boundary) -> Outcome {
    let is_too_large = answer["content_base64"].is_null();
    let content = take(&mut answer, "content_base64");
    let mime_type = text(&answer, "mime_type").to_owned();
    let shown = if is_too_large { None } else { as_text(&content, &mime_type) };
    let image = match shown.is_none() && mime_type.starts_with("image/") && content.len() <= PICTURE_MAX_BASE64_CHARS {
        true => picture::fitted(content, &mime_type),
        false => None,
    };
    let handle = handle_of(&answer);
    let mut said = match (&shown, &image) {
        (Some(_), _) => "The file is a text.\n".to_owned(),
        (None, Some(image)) => {
            format!("The file is a picture, shown with {} by {} pixels.\n", image.width, image.height)
        }
        (None, None) if is_too_large => {
            "The file is too large to be shown here, also if you call again: tell the user its name and size.\n"
                .to_owned()
        }
        (None, None) => "The file is neither a text nor a picture that can be shown here.\n".to_owned(),
    };
    if let Some(handle) = &handle {
        said.push_str(&place(handle, text(&answer, "tab")));
    }
    let mut page = Page::default();
    page.name(
        "File",
        &format!("{:?}, {}, {} bytes", text(&answer, "name"), one_line(&mime_type, 100), answer["bytes"]),
    );
    page.events(&answer["events"]);
    page.long(shown.as_deref().unwrap_or_default(), "a result can't show the rest of a file");
    said.push_str(&page.written(boundary).text);
    let card = Card::Session(SessionCard {
        session: handle.clone().unwrap_or_default(),
        url: text(&answer, "url").to_owned(),
        title: text(&answer, "title").to_owned(),
        action: call.tool.name.to_owned(),
        live_url: None,
        error: None,
    });
    Outcome { text: said.trim_end().to_owned(), image, card: Some(card), session: handle, error: None }
}

/// The beginning of a file that is a text.
fn as_text(content: &str, mime_type: &str) -> Option<String> {
    let may_be = mime_type.starts_with("text/")
        || ["json", "xml", "csv", "javascript", "yaml"].iter().any(|kind| mime_type.contains(kind))
        || matches!(mime_type, "" | "application/octet-stream");
    if !may_be || mime_type.contains("officedocument") {
        return None;
    }
    let part = content.get(..content.len().min(TEXT_MAX_BASE64_CHARS))?;
    let bytes = STANDARD.decode(part).ok()?;
    match String::from_utf8(bytes) {
        Ok(text) => (!text.contains('\0')).then_some(text),
        // The end may be in the middle of a character.
        Err(error) if part.len() < content.len() && error.utf8_error().error_len().is_none() => {
            let whole = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(whole);
            String::from_utf8(bytes).ok()
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(name: &str, mime_type: &str, content: &[u8]) -> Outcome {
        let call = Call::read("browser_files", json!({"action": "get", "file": "f1"}), Some("ses_1")).unwrap();
        let answer = json!({"ok": true, "session": "ses_1", "tab": "t1", "file": "f1", "name": name, "mime_type": mime_type,
            "bytes": content.len(), "content_base64": STANDARD.encode(content)});
        Outcome::of_answer(&call, answer, &Boundary::new([7; 16]))
    }

    #[test]
    fn texts_are_shown_and_cut_and_other_files_are_named() {
        let note = outcome("note.txt", "text/plain", "Grüezi".as_bytes());
        assert!(note.text.contains("\nGrüezi\n--- page content ends"), "{}", note.text);
        let long = outcome("long.csv", "text/csv", "ü,ü\n".repeat(200_000).as_bytes());
        assert!(long.text.len() < 100_000 && long.text.contains("The text is cut"), "{}", long.text.len());
        let program = outcome("a.bin", "application/octet-stream", &[0, 159, 146, 150]);
        assert!(program.text.starts_with("The file is neither a text nor a picture"), "{}", program.text);
        assert!(program.text.contains("File: \"a.bin\", application/octet-stream, 4 bytes"), "{}", program.text);
    }

    #[test]
    fn a_file_without_its_content_is_named_as_too_large() {
        let call = Call::read("browser_files", json!({"action": "get", "file": "f1"}), Some("ses_1")).unwrap();
        let answer = json!({"ok": true, "session": "ses_1", "tab": "t1", "file": "f1", "name": "big.txt",
            "mime_type": "text/plain", "bytes": 9_000_000});
        let outcome = Outcome::of_answer(&call, answer, &Boundary::new([7; 16]));
        assert!(outcome.ok() && outcome.text.starts_with("The file is too large to be shown here"), "{}", outcome.text);
        assert!(outcome.text.contains("File: \"big.txt\", text/plain, 9000000 bytes"), "{}", outcome.text);
    }
}
