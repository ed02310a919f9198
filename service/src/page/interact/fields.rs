//! Typing into fields, with a look at what the page made of it.

use chromiumoxide_cdp::cdp::browser_protocol::input::InsertTextParams;
use serde::Deserialize;
use serde_json::{Value, json};

use super::acted::{Acted, Method, Terms, Typed};
use super::actionable::{Ask, Tries};
use super::chord::Chord;
use super::quiet::{Quiet, Rest};
use super::{ActError, Element};
use crate::page::Page;

/// What to type.
#[derive(Clone, Debug)]
pub struct Typing {
    /// The text.
    pub text: String,
    /// Whether it replaces what is there; otherwise it is added.
    pub clear: bool,
    /// Whether Enter follows.
    pub submit: bool,
    /// Key by key.
    pub slowly: bool,
    /// What is waited for.
    pub terms: Terms,
}

/// What a field says when it gets the focus.
#[derive(Debug, Deserialize)]
struct Field {
    kind: String,
    focused: bool,
    what: String,
    value: String,
    secret: bool,
}

/// What a field says when it is read back.
#[derive(Debug, Deserialize)]
struct ReadBack {
    value: String,
    #[serde(default)]
    gone: bool,
}

/// What typing came to.
enum Outcome {
    Typed(Typed),
    /// Nothing, or the old value, is left.
    NoEffect,
    /// A dialog holds the page, or the field is gone.
    Unknown,
}

impl Page {
    /// Types into a field: as the browser's input does it, or, where nothing is typed in a browser either (dates, times,
    /// colours, ranges), by its value. What the field holds then is read back.
    ///
    /// # Errors
    /// [`ActError`]: what the field lacked when the time was over; [`ActError::NoEffect`] where nothing or the old value is
    /// in it; [`ActError::Invalid`] for a value that does not suit its type.
    pub async fn type_text(&self, element: &Element, typing: &Typing) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(typing.terms.deadline);
        let spot = self.ready(element, Ask::field(&typing.terms), &mut tries).await?;
        quiet.begins();
        let (method, outcome, rest) = self.enter(element, typing, &mut quiet, &tries).await?;
        let typed = match outcome {
            Outcome::Typed(typed) => Some(typed),
            Outcome::Unknown => None,
            Outcome::NoEffect => {
                return Err(ActError::NoEffect(format!("{} did not take the text", spot.what)));
            }
        };
        let is_held = rest.is_none();
        let rest = if typing.submit && !is_held {
            self.submit(element, &typing.terms, &mut quiet, &tries).await?
        } else {
            rest
        };
        let mut acted = Acted::new(quiet.settle(rest).await?, method, Some(spot.bounds));
        if typed.as_ref().is_some_and(|typed| typed.differs) {
            acted.warnings.push("value_differs".to_owned());
        }
        acted.typed = typed;
        Ok(acted)
    }

    /// Presses Enter in the field.
    async fn submit(
        &self,
        element: &Element,
        terms: &Terms,
        quiet: &mut Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Rest>, ActError> {
        let taken = if terms.by_input() {
            quiet.delivered(self.send_key("Enter")).await?
        } else {
            let Some(enter) = Chord::of('\n') else { return Ok(None) };
            unless_held(self.key_in_document(&element.frame, &enter, tries).await)?.map(drop)
        };
        if taken.is_some() { quiet.rest().await } else { Ok(None) }
    }

    async fn enter(
        &self,
        element: &Element,
        typing: &Typing,
        quiet: &mut Quiet<'_>,
        tries: &Tries,
    ) -> Result<(Method, Outcome, Option<Rest>), ActError> {
        let terms = &typing.terms;
        if terms.document_first() {
            let options = json!({"text": typing.text, "clear": typing.clear});
            let told = self.told_once(element, "insert", options, tries).await;
            let Some(field) = unless_held(told)? else { return Ok((Method::Dom, Outcome::Unknown, None)) };
            let rest = quiet.rest().await?;
            let outcome = self.read_back(element, &field, typing, rest.is_some(), tries).await?;
            if !matches!(outcome, Outcome::NoEffect) || !terms.by_input() || field.kind == "value" {
                return Ok((Method::Dom, outcome, rest));
            }
        }
        let told = self.told_once(element, "focusField", typing.clear.into(), tries).await;
        let Some(field) = unless_held::<Field>(told)? else { return Ok((Method::Cdp, Outcome::Unknown, None)) };
        if field.kind == "value" {
            let told = self.told_once(element, "setValue", typing.text.as_str().into(), tries).await;
            let Some(field) = unless_held(told)? else { return Ok((Method::Dom, Outcome::Unknown, None)) };
            let rest = quiet.rest().await?;
            let whole = Typing { clear: true, ..typing.clone() };
            let outcome = self.read_back(element, &field, &whole, rest.is_some(), tries).await?;
            return Ok((Method::Dom, outcome, rest));
        }
        if !field.focused {
            return Err(ActError::NoEffect(format!("{} takes no focus", field.what)));
        }
        let rest = match self.send_text(typing, &field, quiet).await? {
            Some(()) => quiet.rest().await?,
            None => None,
        };
        let outcome = self.read_back(element, &field, typing, rest.is_some(), tries).await?;
        Ok((Method::Cdp, outcome, rest))
    }

    /// Writes the text to what has the focus; `None` where a dialog opened meanwhile.
    async fn send_text(&self, typing: &Typing, field: &Field, quiet: &mut Quiet<'_>) -> Result<Option<()>, ActError> {
        if typing.clear && !field.value.is_empty() && (typing.slowly || typing.text.is_empty()) {
            let Some(()) = quiet.delivered(self.send_key("Delete")).await? else { return Ok(None) };
        }
        if typing.slowly {
            for character in typing.text.chars() {
                let taken = match Chord::of(character) {
                    Some(chord) => quiet.delivered(self.send_chord(&chord)).await?,
                    None => quiet.delivered(vec![self.session.call(&InsertTextParams::new(character))]).await?,
                };
                let Some(()) = taken else { return Ok(None) };
            }
            return Ok(Some(()));
        }
        let mut lines = typing.text.split('\n').peekable();
        let by_line = field.kind == "content";
        if !by_line || lines.clone().count() == 1 {
            if typing.text.is_empty() {
                return Ok(Some(()));
            }
            return quiet.delivered(vec![self.session.call(&InsertTextParams::new(typing.text.as_str()))]).await;
        }
        // What is editable makes its own lines of the key, and none of the character.
        while let Some(line) = lines.next() {
            if !line.is_empty() {
                let line = self.session.call(&InsertTextParams::new(line));
                let Some(()) = quiet.delivered(vec![line]).await? else { return Ok(None) };
            }
            if lines.peek().is_some() {
                let Some(()) = quiet.delivered(self.send_key("Enter")).await? else { return Ok(None) };
            }
        }
        Ok(Some(()))
    }

    /// What the field holds now.
    async fn read_back(
        &self,
        element: &Element,
        field: &Field,
        typing: &Typing,
        answers: bool,
        tries: &Tries,
    ) -> Result<Outcome, ActError> {
        if !answers {
            return Ok(Outcome::Unknown);
        }
        let read: ReadBack = match element.call(self, tries.limit(), "read", Value::Null).await {
            Ok(read) => read,
            Err(ActError::Dialog(_) | ActError::NotFound(_)) => return Ok(Outcome::Unknown),
            Err(error) => return Err(error),
        };
        if read.gone {
            return Ok(Outcome::Unknown);
        }
        let is_content = field.kind == "content";
        let text = |text: &str| normal(text, is_content);
        let (old, new) = (text(&field.value), text(&read.value));
        let wanted = if typing.clear { text(&typing.text) } else { text(&format!("{}{}", field.value, typing.text)) };
        if new == wanted {
            let value = (!field.secret).then_some(read.value);
            return Ok(Outcome::Typed(Typed { value, differs: false }));
        }
        if new == old || new.is_empty() {
            return Ok(Outcome::NoEffect);
        }
        Ok(Outcome::Typed(Typed { value: (!field.secret).then_some(read.value), differs: true }))
    }
}

/// `None` where a dialog holds the page: then what was asked for happened, and its answer is still to come.
pub(super) fn unless_held<T>(told: Result<T, ActError>) -> Result<Option<T>, ActError> {
    match told {
        Ok(told) => Ok(Some(told)),
        Err(ActError::Dialog(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A text as fields keep it: one kind of line end and of space; where it is rendered, any run of spaces is one.
fn normal(text: &str, is_content: bool) -> String {
    let text = text.replace("\r\n", "\n").replace('\u{a0}', " ");
    if is_content { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text }
}
