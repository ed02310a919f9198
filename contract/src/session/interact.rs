//! Acting on what a person would name: one call for all actions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::act::check_key;
use super::answer::{Acted, BoundingBox, Method, Tried};
use super::request::session_request;
use super::target::SemanticTarget;
use crate::json::{Invalid, Validate};
use crate::limits::{
    LABEL_MAX_CHARS, NETWORK_IDLE_MAX_MS, REQUEST_TIMEOUT_MAX_MS, SELECTOR_STEPS_MAX, TARGET_VALUE_MAX_CHARS,
    TARGET_WAIT_DEFAULT_MS,
};
use crate::request::{at_most_chars, in_range, not_blank};
use crate::scan::Scan;

session_request! {
    /// `POST session/interact`: acts on what a person would name.
    InteractRequest [snapshot] {
        /// What is done.
        pub action: InteractAction,
        /// What it is done to; only `keypress` may go without, to what has the focus.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub target: Option<SemanticTarget>,
        /// The text of `type`, the option of `select`, the key of `keypress`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub value: Option<String>,
        /// How it is done.
        #[serde(default)]
        pub options: InteractOptions,
    }
}

/// What `interact` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum InteractAction {
    /// Clicks it.
    #[default]
    Click,
    /// Types into it.
    Type,
    /// Chooses an option in it.
    Select,
    /// Checks it.
    Check,
    /// Unchecks it.
    Uncheck,
    /// Presses a key on it.
    Keypress,
    /// Moves the pointer over it.
    Hover,
    /// Waits for it.
    WaitForSelector,
}

/// How `interact` does it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InteractOptions {
    /// How long the target is waited for, in milliseconds; default 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 60_000, default = 5_000)]
    pub timeout_ms: Option<u32>,
    /// Whether it must be visible; default true. Without, the DOM acts on what is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = true)]
    pub wait_for_visible: Option<bool>,
    /// Whether it must be enabled; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = true)]
    pub wait_for_enabled: Option<bool>,
    /// Afterwards, no request for this long, in milliseconds; default 0: off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 30_000, default = 0)]
    pub wait_for_network_idle_ms: Option<u32>,
    /// Whether the answer has a picture.
    #[serde(default)]
    pub post_action_screenshot: bool,
    /// What the caller calls that picture; the answer repeats it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub screenshot_label: Option<String>,
    /// Whether the browser's input follows where the DOM did not take; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = true)]
    pub fallback_to_cdp: Option<bool>,
    /// The frame in which the target is; frames in frames have ` >> ` between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 4000)]
    pub frame_selector: Option<String>,
}

/// What `interact` answers beside the fields of every answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Interacted {
    /// What a call that acted has.
    #[serde(flatten)]
    pub acted: Acted,
    /// Always true.
    pub success: bool,
    /// What was done, as a sentence.
    pub message: String,
    /// How it was done.
    pub details: InteractDetails,
    /// The picture, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_base64: Option<String>,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// What the caller calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_label: Option<String>,
}

/// How an `interact` was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InteractDetails {
    /// The selector that found the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector_used: Option<String>,
    /// How many matched, hidden ones included.
    #[serde(default)]
    pub matched_count: u64,
    /// Where the element was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounding_box: Option<BoundingBox>,
    /// Whether the tab went to another document.
    pub navigation_occurred: bool,
    /// How it was done; none of a wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// The selectors that were tried.
    #[serde(default)]
    pub tried: Vec<Tried>,
}

// === impl InteractAction ===

impl InteractAction {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Type => "type",
            Self::Select => "select",
            Self::Check => "check",
            Self::Uncheck => "uncheck",
            Self::Keypress => "keypress",
            Self::Hover => "hover",
            Self::WaitForSelector => "waitForSelector",
        }
    }

    /// Whether it needs a value.
    #[must_use]
    pub const fn takes_value(self) -> bool {
        matches!(self, Self::Type | Self::Select | Self::Keypress)
    }
}

// === impl InteractOptions ===

impl InteractOptions {
    /// How long the target is waited for, in milliseconds.
    #[must_use]
    pub fn timeout_or_default_ms(&self) -> u32 {
        self.timeout_ms.unwrap_or(TARGET_WAIT_DEFAULT_MS)
    }

    /// Whether the target must be visible.
    #[must_use]
    pub fn waits_for_visible(&self) -> bool {
        self.wait_for_visible.unwrap_or(true)
    }

    /// Whether the target must be enabled.
    #[must_use]
    pub fn waits_for_enabled(&self) -> bool {
        self.wait_for_enabled.unwrap_or(true)
    }

    /// Whether the browser's input follows where the DOM did not take.
    #[must_use]
    pub fn falls_back_to_cdp(&self) -> bool {
        self.fallback_to_cdp.unwrap_or(true)
    }
}

impl Validate for InteractOptions {
    fn validate(&self) -> Result<(), Invalid> {
        in_range("options.timeout_ms", self.timeout_ms.map(u64::from), 0, REQUEST_TIMEOUT_MAX_MS.into())?;
        let idle_ms = self.wait_for_network_idle_ms.map(u64::from);
        in_range("options.wait_for_network_idle_ms", idle_ms, 0, NETWORK_IDLE_MAX_MS.into())?;
        at_most_chars("options.screenshot_label", self.screenshot_label.as_deref(), LABEL_MAX_CHARS)?;
        let frame = self.frame_selector.as_deref();
        not_blank("options.frame_selector", frame)?;
        at_most_chars("options.frame_selector", frame, TARGET_VALUE_MAX_CHARS)?;
        if frame.is_some_and(|frame| Scan::split(frame, ">>").len() > SELECTOR_STEPS_MAX) {
            let reason = format!("must not have more than {SELECTOR_STEPS_MAX} steps");
            return Err(Invalid::new("options.frame_selector", reason));
        }
        Ok(())
    }
}

// === impl InteractRequest ===

impl InteractRequest {
    fn check(&self) -> Result<(), Invalid> {
        let action = self.action.name();
        match &self.target {
            Some(target) => target.validate()?,
            None if self.action == InteractAction::Keypress => {}
            None => return Err(Invalid::new("target", format!("is missing: {action} needs one"))),
        }
        match self.value.as_deref() {
            None if self.action.takes_value() => {
                return Err(Invalid::new("value", format!("is missing: {action} needs one")));
            }
            // Models write "" where there is nothing to say.
            Some(value) if !self.action.takes_value() && !value.is_empty() => {
                return Err(Invalid::new("value", "goes with type, select and keypress only"));
            }
            Some(key) if self.action == InteractAction::Keypress => check_key("value", key)?,
            _ => {}
        }
        self.options.validate()
    }
}
