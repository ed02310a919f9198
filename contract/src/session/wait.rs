//! Waiting for one condition.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::handle::ElementRef;
use super::request::session_request;
use super::target::{SemanticTarget, Target};
use crate::json::{Invalid, Validate};
use crate::limits::{NETWORK_IDLE_MAX_MS, SESSION_WAIT_MAX_MS, TARGET_VALUE_MAX_CHARS};
use crate::request::{at_most_chars, in_range, not_blank};

session_request! {
    /// `POST session/wait`: waits for exactly one condition.
    WaitRequest [snapshot] {
        /// This long, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 0, maximum = 30_000)]
        pub ms: Option<u32>,
        /// The state of the element that had this ref: `@e5` or `e5`.
        #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>)]
        pub reference: Option<ElementRef>,
        /// The state of the element that a person would name so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub target: Option<SemanticTarget>,
        /// Which state of that element; default `visible`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub state: Option<ElementState>,
        /// Text that comes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 4000)]
        pub text: Option<String>,
        /// Text that goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 4000)]
        pub text_gone: Option<String>,
        /// The page's URL: `*` stands for anything within a part of its path, `**` across parts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(min_length = 1, max_length = 4000)]
        pub url: Option<String>,
        /// No request for this long, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(minimum = 1, maximum = 30_000)]
        pub network_idle_ms: Option<u32>,
    }
}

/// A state of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ElementState {
    /// There and seen.
    #[default]
    Visible,
    /// Gone or not seen.
    Hidden,
    /// Seen and enabled.
    Enabled,
}

/// What a wait waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// This long, in milliseconds.
    Ms(u32),
    /// An element's state; the target is never a point.
    Element(Target, ElementState),
    /// Text that comes.
    Text(String),
    /// Text that goes.
    TextGone(String),
    /// The page's URL fits a glob.
    Url(String),
    /// No request for this long, in milliseconds.
    NetworkIdleMs(u32),
}

// === impl WaitRequest ===

impl WaitRequest {
    /// The condition; a valid request has one.
    #[must_use]
    pub fn condition(&self) -> Option<Condition> {
        self.conditions().next()
    }

    fn conditions(&self) -> impl Iterator<Item = Condition> {
        let state = self.state.unwrap_or_default();
        [
            self.ms.map(Condition::Ms),
            self.reference.map(|reference| Condition::Element(Target::Ref(reference), state)),
            self.target.clone().map(|target| Condition::Element(Target::Semantic(target), state)),
            self.text.clone().map(Condition::Text),
            self.text_gone.clone().map(Condition::TextGone),
            self.url.clone().map(Condition::Url),
            self.network_idle_ms.map(Condition::NetworkIdleMs),
        ]
        .into_iter()
        .flatten()
    }

    fn check(&self) -> Result<(), Invalid> {
        const ONE: &str = "exactly one of ms, ref, target, text, text_gone, url and network_idle_ms";
        let conditions: Vec<Condition> = self.conditions().collect();
        match conditions.as_slice() {
            [one] => {
                if self.state.is_some() && !matches!(one, Condition::Element(..)) {
                    return Err(Invalid::new("state", "goes with ref or target only"));
                }
            }
            [] => return Err(Invalid::new("body", format!("a condition is missing: send {ONE}"))),
            [_, second, ..] => return Err(Invalid::new(second.field(), format!("send {ONE}"))),
        }
        in_range("ms", self.ms.map(u64::from), 0, SESSION_WAIT_MAX_MS.into())?;
        in_range("network_idle_ms", self.network_idle_ms.map(u64::from), 1, NETWORK_IDLE_MAX_MS.into())?;
        self.target.as_ref().map_or(Ok(()), Validate::validate)?;
        for (path, text) in [("text", &self.text), ("text_gone", &self.text_gone), ("url", &self.url)] {
            not_blank(path, text.as_deref())?;
            at_most_chars(path, text.as_deref(), TARGET_VALUE_MAX_CHARS)?;
        }
        Ok(())
    }
}

impl Condition {
    const fn field(&self) -> &'static str {
        match self {
            Self::Ms(_) => "ms",
            Self::Element(Target::Ref(_), _) => "ref",
            Self::Element(..) => "target",
            Self::Text(_) => "text",
            Self::TextGone(_) => "text_gone",
            Self::Url(_) => "url",
            Self::NetworkIdleMs(_) => "network_idle_ms",
        }
    }
}
