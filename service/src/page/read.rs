//! Reading a page's text.

use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::Deserialize;

use super::{Page, PageError};

/// Whose text is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextOf {
    /// The whole page.
    Page,
    /// The first element that this CSS selector matches.
    Element(String),
}

/// Text that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Reading {
    /// The text, cut at the limit.
    pub content: String,
    /// The whole text's length in Unicode scalar values.
    pub total_chars: u64,
    /// Whether the whole text is white space.
    pub blank: bool,
}

/// The rendered text, its line structure kept, runs of blank lines folded to one. All of it happens in the page, so
/// that of fifty megabytes only what is wanted is sent.
const TEXT: &str = "(selector, limit) => {
  let element = document.body;
  if (selector !== null) {
    try { element = document.querySelector(selector) } catch { return { invalid: true } }
    if (!element) return {};
  }
  // Documents that are no HTML (SVG, XML) have no body and no rendered text.
  const raw = element?.innerText ?? (element ?? document.documentElement)?.textContent ?? '';
  const text = raw.replace(/\\n[^\\S\\n]*\\n(?:[^\\S\\n]*\\n)+/g, '\\n\\n').toWellFormed();
  const pairs = text.match(/[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]/g);
  let end = Math.min(text.length, limit);
  if (pairs && end < text.length) {
    end = 0;
    for (let chars = 0; chars < limit && end < text.length; chars++) end += text.codePointAt(end) > 0xFFFF ? 2 : 1;
  }
  return { reading: { content: text.slice(0, end), total_chars: text.length - (pairs?.length ?? 0), blank: !/\\S/.test(text) } };
}";

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    invalid: bool,
    reading: Option<Reading>,
}

impl Page {
    /// Reads the text, cut at `max_chars` Unicode scalar values.
    ///
    /// # Errors
    /// [`PageError`]: no such element, not a selector, took too long, crashed.
    pub async fn read_text(&self, of: &TextOf, max_chars: u32) -> Result<Reading, PageError> {
        let selector = match of {
            TextOf::Page => None,
            TextOf::Element(selector) => Some(selector.clone()),
        };
        let arguments = [selector.clone().into(), max_chars.into()];
        let found: Found = self.run(CAPTURE_TIMEOUT, "reading the page", TEXT, arguments).await?;
        match (found, selector) {
            (Found { invalid: true, .. }, Some(selector)) => Err(PageError::InvalidSelector(selector)),
            (Found { reading: Some(reading), .. }, _) => Ok(reading),
            (_, selector) => Err(PageError::SelectorNotFound(selector.unwrap_or_default())),
        }
    }
}
