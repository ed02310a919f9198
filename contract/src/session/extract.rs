//! Reading a session's page, as it stands.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::request::session_request;
use crate::extract::{Directive, Directives, DirectivesSchema};
use crate::json::Invalid;
use crate::limits::{OFFSET_MAX, TEXT_MAX_CHARS};
use crate::request::{Reading, in_range};
use crate::response::{ExtractFormat, ExtractResult};

session_request! {
    /// `POST session/extract`: the text of the session's page, as it stands.
    SessionExtractRequest [] {
        /// What to read, as `browser-extract`'s; without it the page's text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub instruction: Option<String>,
        /// The same, typed; instead of `instruction`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<DirectivesSchema>)]
        pub extract: Option<Directives>,
        /// Where the text is cut, in Unicode scalar values; default 20000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 20_000, default = 20_000)]
        pub max_chars: Option<u32>,
        /// Where to go on, for a single directive: the `next_offset` of the answer before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 0, maximum = 100_000_000)]
        pub offset: Option<u32>,
    }
}

impl SessionExtractRequest {
    fn reading(&self) -> Reading<'_> {
        Reading {
            extract: self.extract.as_ref(),
            instruction: self.instruction.as_deref(),
            offset: self.offset,
            max_chars: self.max_chars,
            include_hidden: false,
        }
    }

    /// What is to be read, from whichever form it came in; nothing where the instruction is free text.
    ///
    /// # Errors
    /// [`Invalid`] for an instruction that says something impossible.
    pub fn directives(&self) -> Result<Option<Vec<Directive>>, Invalid> {
        self.reading().directives()
    }

    fn check(&self) -> Result<(), Invalid> {
        in_range("max_chars", self.max_chars.map(u64::from), 1, TEXT_MAX_CHARS as u64)?;
        in_range("offset", self.offset.map(u64::from), 0, OFFSET_MAX.into())?;
        self.reading().check()
    }
}

/// What `extract` answers beside the fields of every answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Extracted {
    /// Where the page is: the answer's `url`.
    pub final_url: String,
    /// What the document's server answered; 0 for a page that came from none.
    #[serde(default)]
    pub status_code: u16,
    /// What was read: text, Markdown, HTML, CSV, or JSON as a string.
    pub content: String,
    /// The same as JSON, where it has structure; about an article what the page says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<Value>,
    /// Whether it goes on beyond `content`.
    pub truncated: bool,
    /// What `content` is: `text`, `html`, `markdown`, `csv`, `json`, or a later format.
    #[schema(value_type = String, examples("text"))]
    pub format: ExtractFormat,
    /// The length of the whole `content` in Unicode scalar values, before it was cut.
    pub total_chars: u64,
    /// How many there were on the page, where several were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<u64>,
    /// The `offset` that gives the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// Every directive's result where there were several; the fields above are the first one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ExtractResult>,
    /// How many of the document's own requests were refused.
    #[serde(default)]
    pub blocked_requests: u64,
}
