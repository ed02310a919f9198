//! A URL in a request: whether it is one, the service's guard decides.

use crate::json::Invalid;
use crate::limits::URL_MAX_BYTES;
use crate::request::not_blank;

/// Refuses a URL that is empty or too long.
pub(super) fn check_url(path: &str, url: &str) -> Result<(), Invalid> {
    not_blank(path, Some(url))?;
    match url.len() > URL_MAX_BYTES {
        true => Err(Invalid::new(path, format!("must not be longer than {URL_MAX_BYTES} bytes"))),
        false => Ok(()),
    }
}
