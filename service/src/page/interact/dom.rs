//! Acting on an element in the page, by events and setters, as its framework expects. What did not take is for real input.

use std::time::Duration;

use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ActError, Element, Frame};
use crate::page::Page;

/// How deep the focus is followed into frames.
const FOCUS_DEPTH_MAX: usize = 8;

/// What is done to an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomAction {
    /// Presses it with the pointer.
    Click {
        /// `left`, `middle` or `right`.
        button: &'static str,
        /// How often, one after the other.
        click_count: u32,
        /// Keys that are held: `Alt`, `Control`, `Meta`, `Shift`.
        modifiers: Vec<&'static str>,
    },
    /// Moves the pointer over it. No style sheet's `:hover` follows: that takes real input.
    Hover,
    /// Puts text into it.
    Type {
        /// The text.
        text: String,
        /// Whether what is there goes first.
        clear: bool,
    },
    /// Chooses options, by value or by label.
    Select {
        /// The options, all that shall be chosen.
        values: Vec<String>,
    },
    /// Ticks a box, or takes its tick away.
    Check {
        /// Whether it shall be ticked.
        checked: bool,
    },
    /// Presses a key while it has the focus.
    Press {
        /// The key, with its modifiers: `Enter`, `Control+A`.
        key: String,
        /// Whether real input can follow. Then a key that only real input gives its effect is not sent.
        real_follows: bool,
    },
}

/// What an action came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DomEffect {
    /// Whether it took: the value is as wanted, or different as the page has it; of a click, hover or key: its event reached
    /// the element.
    pub took: bool,
    /// Whether something in the page has changed by the next frame.
    pub changed: bool,
    /// The value that the element has then, at most 1000 characters; never a password.
    #[serde(default)]
    pub value: Option<String>,
    /// Whether that is another value than the one typed.
    #[serde(default, rename = "differs")]
    pub value_differs: bool,
    /// Whether a dialog opened or the document went away before the page could tell: it took.
    #[serde(skip)]
    pub is_interrupted: bool,
}

/// What the kit returns.
#[derive(Deserialize)]
#[serde(untagged)]
enum Done {
    Missed { missed: Reason, value: Option<String> },
    Effect(DomEffect),
}

/// Why nothing was done.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reason {
    Gone,
    Disabled,
    NotEditable,
    NoKey,
    NoOption,
    OptionDisabled,
    OneOnly,
    Radio,
}

#[derive(Deserialize)]
struct Focused {
    number: u32,
    is_frame: bool,
}

impl Page {
    /// Does something to an element by the page's own means; `called` names the element in errors.
    ///
    /// # Errors
    /// [`ActError`]: the element is gone, disabled or of another kind; an option or a key does not exist; a dialog held the
    /// page before, it died, or its script kept it busy for longer than `limit`.
    pub async fn act_in_dom(
        &self,
        element: &Element,
        called: &str,
        action: &DomAction,
        limit: Duration,
    ) -> Result<DomEffect, ActError> {
        let (name, arguments) = action.told(true);
        self.act(&element.frame, element.number, name, arguments, called, limit).await
    }

    /// Presses a key on what has the focus, by the page's own means.
    ///
    /// # Errors
    /// As [`Page::act_in_dom`].
    pub async fn press_in_dom(&self, key: &str, real_follows: bool, limit: Duration) -> Result<DomEffect, ActError> {
        let element = self.focused().await?;
        let (name, arguments) = DomAction::Press { key: key.to_owned(), real_follows }.told(false);
        self.act(&element.frame, element.number, name, arguments, "the focus", limit).await
    }

    /// The element that has the focus, in whatever frame; the body where none has.
    ///
    /// # Errors
    /// [`ActError`]: a dialog holds the page, it died, or it did not answer in time.
    pub async fn focused(&self) -> Result<Element, ActError> {
        let mut frame = self.main_document().await?;
        for _ in 0..FOCUS_DEPTH_MAX {
            let focused: Option<Focused> = frame.call(self, CAPTURE_TIMEOUT, "domFocused", Vec::new()).await?;
            let focused = focused.ok_or_else(|| ActError::NotFound("what has the focus".to_owned()))?;
            if !focused.is_frame {
                return Ok(Element { frame, number: focused.number });
            }
            frame = self.frame_in(&frame, focused.number).await?;
        }
        Err(ActError::NotFound("what has the focus".to_owned()))
    }

    async fn act(
        &self,
        frame: &Frame,
        number: u32,
        name: &str,
        arguments: Value,
        called: &str,
        limit: Duration,
    ) -> Result<DomEffect, ActError> {
        if let Some(dialog) = self.dialog() {
            return Err(ActError::Dialog(dialog));
        }
        // A document that still answered right before was there to be acted upon.
        let (before, done) = tokio::join!(
            frame.call::<Value>(self, limit, "hello", Vec::new()),
            frame.call_as_person(self, limit, name, vec![number.into(), arguments]),
        );
        match (before, done) {
            (_, Ok(Done::Effect(effect))) => Ok(effect),
            (_, Ok(Done::Missed { missed, value })) => Err(missed.error(called, value.unwrap_or_default())),
            (Ok(_), Err(ActError::Dialog(_) | ActError::NotFound(_))) => {
                Ok(DomEffect { took: true, changed: true, is_interrupted: true, ..DomEffect::default() })
            }
            (_, Err(error)) => Err(error),
        }
    }
}

// === impl DomAction ===

impl DomAction {
    /// One click with the left button.
    #[must_use]
    pub fn click() -> Self {
        DomAction::Click { button: "left", click_count: 1, modifiers: Vec::new() }
    }

    /// The function of the kit, and its argument.
    fn told(&self, focus: bool) -> (&'static str, Value) {
        match self {
            DomAction::Click { button, click_count, modifiers } => {
                ("domClick", json!({"button": button, "click_count": click_count, "modifiers": modifiers}))
            }
            DomAction::Hover => ("domHover", json!({})),
            DomAction::Type { text, clear } => ("domType", json!({"text": text, "clear": clear})),
            DomAction::Select { values } => ("domSelect", json!({"values": values})),
            DomAction::Check { checked } => ("domCheck", json!({"checked": checked})),
            DomAction::Press { key, real_follows } => {
                ("domPress", json!({"key": key, "real_follows": real_follows, "focus": focus}))
            }
        }
    }
}

// === impl Reason ===

impl Reason {
    fn error(self, called: &str, value: String) -> ActError {
        match self {
            Reason::Gone => ActError::NotFound(called.to_owned()),
            Reason::Disabled => ActError::NotEnabled(called.to_owned()),
            Reason::NotEditable => ActError::NotEditable(called.to_owned()),
            Reason::NoKey => ActError::Invalid("key: must be a key such as `Enter`, `a` or `Control+A`".to_owned()),
            Reason::NoOption => ActError::NotFound(format!("the option {value:?} of {called}")),
            Reason::OptionDisabled => ActError::NotEnabled(format!("the option {value:?} of {called}")),
            Reason::OneOnly => ActError::Invalid(format!("values: {called} takes one value only")),
            Reason::Radio => ActError::NoEffect(format!("{called} is a radio button: another one takes its place")),
        }
    }
}
