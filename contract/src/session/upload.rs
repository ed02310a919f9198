//! Putting files into a file field.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request::session_request;
use crate::json::Invalid;
use crate::limits::{FILE_NAME_MAX_BYTES, UPLOAD_FILES_MAX, UPLOAD_MAX_BYTES};

session_request! {
    /// `POST session/upload`: puts files into a file field.
    UploadRequest [target snapshot] {
        /// The files, 10 MB together; none empties the field.
        #[schema(max_items = 100)]
        pub files: Vec<UploadFile>,
    }
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UploadFile {
    /// Its name, without folders.
    #[schema(min_length = 1, max_length = 255)]
    pub name: String,
    /// Its media type; default what its name suggests to the browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub mime_type: Option<String>,
    /// Its content: base64 of the standard alphabet, with padding.
    pub content_base64: String,
}

impl UploadRequest {
    fn check(&self) -> Result<(), Invalid> {
        check_files(&self.files)
    }
}

/// Refuses too many files, names that leave their folder, content that is no base64 and more bytes than an upload has.
pub(crate) fn check_files(files: &[UploadFile]) -> Result<(), Invalid> {
    if files.len() > UPLOAD_FILES_MAX {
        return Err(Invalid::new("files", format!("must not have more than {UPLOAD_FILES_MAX} files")));
    }
    let mut bytes = 0;
    for (at, file) in files.iter().enumerate() {
        let invalid = |field: &str, reason: String| Invalid::new(format!("files[{at}].{field}"), reason);
        if !is_file_name(&file.name) {
            return Err(invalid("name", format!("must be a file's name, 1 to {FILE_NAME_MAX_BYTES} bytes")));
        }
        if file.mime_type.as_deref().is_some_and(|kind| !is_mime_type(kind)) {
            return Err(invalid("mime_type", "must be a media type, such as text/plain".to_owned()));
        }
        match decoded_bytes(&file.content_base64) {
            Some(decoded) => bytes += decoded,
            None => return Err(invalid("content_base64", "must be base64 with padding".to_owned())),
        }
    }
    match bytes > UPLOAD_MAX_BYTES {
        true => Err(Invalid::new("files", format!("must not have more than {UPLOAD_MAX_BYTES} bytes together"))),
        false => Ok(()),
    }
}

/// A name that stays in its folder and can be shown.
fn is_file_name(name: &str) -> bool {
    (1..=FILE_NAME_MAX_BYTES).contains(&name.len())
        && !matches!(name, "." | "..")
        && !name.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'))
}

fn is_mime_type(text: &str) -> bool {
    text.len() <= FILE_NAME_MAX_BYTES
        && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && text.split_once('/').is_some_and(|(kind, rest)| !kind.is_empty() && !rest.is_empty())
}

/// How long base64 is once decoded, without decoding it; nothing where it is not base64.
fn decoded_bytes(text: &str) -> Option<usize> {
    let data = text.trim_end_matches('=');
    let padding = text.len() - data.len();
    let fits = text.len().is_multiple_of(4)
        && padding <= 2
        && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    fits.then(|| text.len() / 4 * 3 - padding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_measured_without_decoding() {
        for (text, bytes) in [
            ("", Some(0)),
            ("QQ==", Some(1)),
            ("QUI=", Some(2)),
            ("QUJD", Some(3)),
            ("QUJDQQ==", Some(4)),
            ("Q===", None),
            ("====", None),
            ("QQ", None),
            ("QQ=Q", None),
            ("QU-_", None),
            ("QUJ\n", None),
        ] {
            assert_eq!(decoded_bytes(text), bytes, "{text:?}");
        }
    }
}
