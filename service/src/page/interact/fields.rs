//! Types into fields, and reads back what the page kept.

use chromiumoxide_cdp::cdp::browser_protocol::input::InsertTextParams;
use serde::Deserialize;
use serde_json::{Value, json};

use super::acted::{Acted, Method, Terms, Typed};
use super::actionable::{Ask, Tries};
use super::chord::Chord;
use super::error::unless_held;
use super::focus::{Keyed, went_nowhere};
use super::keys::Keyboard;
use super::quiet::{Quiet, Rest};
use super::{ActError, Element};
use crate::page::Page;

/// An editor that scrolls leaves out what is not in view, but not of a line as short as this.
const IN_VIEW_MIN_CHARS: usize = 100;

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
    #[serde(flatten)]
    held: Held,
}

/// What a field holds.
#[derive(Debug, Deserialize)]
struct Held {
    value: String,
    /// The text of an editor that draws it beside the field, as far as it is in view.
    drawn: Option<String>,
    /// Whether there may be more than is in the document.
    long: bool,
    secret: bool,
}

/// What typing came to.
enum Outcome {
    Typed(Typed),
    /// Nothing, or the old value, is left.
    NoEffect,
    /// The field has left its document.
    Gone,
    /// A dialog holds the page, or the document is gone.
    Unknown,
}

/// A text that was entered, or some of it.
struct Entered {
    method: Method,
    outcome: Outcome,
    /// `None` where a dialog holds the page.
    rest: Option<Rest>,
    /// How the focus moved before the end.
    moved: Option<String>,
}

/// One try to write a text.
enum Written {
    Done(Entered),
    /// Nothing came to the field.
    Stopped {
        what: String,
        moved: Option<String>,
    },
}

/// How much of a text a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Whole,
    Otherwise,
    /// Nothing, or the old value, is left.
    Nothing,
}

/// What an editor says of a text that is offered to it.
#[derive(Deserialize)]
struct Offered {
    taken: bool,
}

/// How much of a text was sent.
enum Sent {
    All,
    /// So many characters, until something else had the focus.
    Until {
        typed: usize,
        moved: String,
    },
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
        let Entered { method, outcome, rest, moved } = self.enter(element, typing, &mut quiet, &mut tries).await?;
        let mut gone = None;
        let typed = match outcome {
            Outcome::Typed(typed) => Some(typed),
            Outcome::Unknown => None,
            Outcome::Gone => {
                gone = Some(format!("field_gone: {} left the page, and what was typed with it", spot.what));
                None
            }
            Outcome::NoEffect => {
                let to = moved.map(|moved| format!(": {moved}")).unwrap_or_default();
                return Err(ActError::NoEffect(format!("{} did not take the text{to}", spot.what)));
            }
        };
        let mut warnings: Vec<String> = moved.map(|moved| format!("focus_moved: {moved}")).into_iter().collect();
        warnings.extend(gone);
        let rest = match rest {
            // Half a text is not sent.
            Some(rest) if typing.submit && warnings.is_empty() => {
                match self.submit(element, &typing.terms, &mut quiet, &mut tries).await {
                    Err(ActError::Dialog(_)) => {
                        warnings.push("not_submitted: Enter was not pressed".to_owned());
                        None
                    }
                    Err(ActError::NotFound(what)) => {
                        warnings.push(format!("not_submitted: Enter was not pressed, {what} is gone"));
                        Some(rest)
                    }
                    submitted => submitted?,
                }
            }
            rest => {
                if typing.submit && !warnings.is_empty() {
                    warnings.push("not_submitted: Enter was not pressed".to_owned());
                }
                rest
            }
        };
        let (is_known, is_left) = (rest.is_some(), typing.submit || !warnings.is_empty());
        let mut acted = Acted::new(quiet.settle(rest).await?, method, Some(spot.bounds));
        let typed = match typed {
            // The page may have asked its server meanwhile.
            Some(typed) if is_known && !is_left && !acted.settled.navigated => {
                Some(self.still_typed(element, typed, &tries).await?)
            }
            typed => typed,
        };
        if typed.as_ref().is_some_and(|typed| typed.differs) {
            acted.warnings.push("value_differs".to_owned());
        }
        acted.warnings.extend(warnings);
        acted.typed = typed;
        Ok(acted)
    }

    /// What is in the field after the page has come to rest.
    async fn still_typed(&self, element: &Element, typed: Typed, tries: &Tries) -> Result<Typed, ActError> {
        let held = self.held(element, tries).await?;
        let Some(Some(Held { value, drawn: None, long: false, secret: false })) = held else { return Ok(typed) };
        let differs = typed.differs || typed.value.as_ref().is_some_and(|before| *before != value);
        Ok(Typed { value: typed.value.is_some().then_some(value), differs })
    }

    /// Presses Enter in the field.
    async fn submit(
        &self,
        element: &Element,
        terms: &Terms,
        quiet: &mut Quiet<'_>,
        tries: &mut Tries,
    ) -> Result<Option<Rest>, ActError> {
        let Some(enter) = Chord::of('\n') else { return Ok(None) };
        let taken = if terms.by_input() {
            self.press_on(element, &enter, quiet, tries).await?
        } else {
            let at = Keyboard { frame: &element.frame, element: Some(element) };
            unless_held(self.key_in_document(at, &enter, tries).await)?.map(drop)
        };
        if taken.is_some() { quiet.rest().await } else { Ok(None) }
    }

    async fn enter(
        &self,
        element: &Element,
        typing: &Typing,
        quiet: &mut Quiet<'_>,
        tries: &mut Tries,
    ) -> Result<Entered, ActError> {
        let terms = &typing.terms;
        let entered = |method, outcome, rest| Ok(Entered { method, outcome, rest, moved: None });
        if terms.document_first() {
            // Editors hear of the selection only after the task that changed it.
            let told = self.told_once(element, "focusField", typing.clear.into(), tries).await;
            let Some::<Field>(field) = unless_held(told)? else { return entered(Method::Dom, Outcome::Unknown, None) };
            let options = json!({"text": typing.text, "clear": typing.clear});
            let told = self.told_once(element, "insert", options, tries).await;
            let Some::<Value>(_) = unless_held(told)? else { return entered(Method::Dom, Outcome::Unknown, None) };
            let rest = quiet.rest().await?;
            let outcome = self.read_back(element, &field, typing, rest.is_some(), tries).await?;
            if !matches!(outcome, Outcome::NoEffect) || !terms.by_input() || field.kind == "value" {
                return entered(Method::Dom, outcome, rest);
            }
        }
        loop {
            match self.write(element, typing, quiet, tries).await? {
                Written::Done(entered) => return Ok(entered),
                Written::Stopped { what, moved } => {
                    if !tries.next().await {
                        return Err(went_nowhere("the text", &what, moved));
                    }
                }
            }
        }
    }

    /// Writes the text by the browser's input, once.
    async fn write(
        &self,
        element: &Element,
        typing: &Typing,
        quiet: &mut Quiet<'_>,
        tries: &Tries,
    ) -> Result<Written, ActError> {
        let entered = |method, outcome, rest, moved| Ok(Written::Done(Entered { method, outcome, rest, moved }));
        let aside = self.hold_keys(element).await;
        let told = self.told_once(element, "focusField", typing.clear.into(), tries).await;
        // A dialog that opens by the focus comes before the text.
        let field: Field = told?;
        if field.kind == "value" {
            let told = self.told_once(element, "setValue", typing.text.as_str().into(), tries).await;
            let Some(field) = unless_held(told)? else { return entered(Method::Dom, Outcome::Unknown, None, None) };
            let rest = quiet.rest().await?;
            let whole = Typing { clear: true, ..typing.clone() };
            let outcome = self.read_back(element, &field, &whole, rest.is_some(), tries).await?;
            return entered(Method::Dom, outcome, rest, None);
        }
        if !field.focused {
            return Err(ActError::NoEffect(format!("{} takes no focus", field.what)));
        }
        let sent = self.send_text(element, typing, &field, quiet, tries).await?;
        let keyed = if sent.is_some() { self.keyed_aside(element, aside, tries).await? } else { None };
        let is_held = sent.is_none();
        let moved = match (sent, keyed) {
            (_, Some(Keyed { stopped: true, reached: false, moved })) => {
                return Ok(Written::Stopped { what: field.what, moved });
            }
            (Some(Sent::Until { typed, moved }), _) => {
                let all = typing.text.chars().count();
                Some(format!("the focus moved to {moved} after {typed} of {all} characters; the rest was not typed"))
            }
            (_, Some(Keyed { stopped: true, moved: Some(moved), .. })) => {
                Some(format!("the focus moved to {moved}; the rest was not typed"))
            }
            _ => None,
        };
        let rest = if is_held { None } else { quiet.rest().await? };
        let outcome = self.read_back(element, &field, typing, rest.is_some(), tries).await?;
        entered(Method::Cdp, outcome, rest, moved)
    }

    /// Writes the text to the field that has the focus; `None` where a dialog opened meanwhile.
    async fn send_text(
        &self,
        element: &Element,
        typing: &Typing,
        field: &Field,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Sent>, ActError> {
        let is_part = field.held.long || field.held.drawn.is_some();
        if is_part {
            // What is not in the document is selected by the editor alone.
            let keys = if typing.clear { "Control+A" } else { "Control+End" };
            let Some(()) = quiet.delivered(self.send_key(keys)).await? else { return Ok(None) };
        }
        let is_empty = field.held.value.is_empty() && !is_part;
        if typing.clear && !is_empty && (typing.slowly || typing.text.is_empty()) {
            let Some(()) = quiet.delivered(self.send_key("Delete")).await? else { return Ok(None) };
        }
        if typing.slowly {
            for (typed, character) in typing.text.chars().enumerate() {
                if typed > 0
                    && let Some(Keyed { moved: Some(moved), .. }) = self.keyed(element, tries).await?
                {
                    return Ok(Some(Sent::Until { typed, moved }));
                }
                let taken = match Chord::of(character) {
                    Some(chord) => quiet.delivered(self.send_chord(&chord)).await?,
                    None => quiet.delivered(vec![self.session.call(&InsertTextParams::new(character))]).await?,
                };
                let Some(()) = taken else { return Ok(None) };
            }
            return Ok(Some(Sent::All));
        }
        if typing.text.is_empty() {
            return Ok(Some(Sent::All));
        }
        if field.held.drawn.is_some() {
            let told = self.told_once(element, "offer", typing.text.as_str().into(), tries).await;
            let Some(Offered { taken }) = unless_held(told)? else { return Ok(None) };
            if taken {
                return Ok(Some(Sent::All));
            }
        }
        // Lines as well: what is editable makes paragraphs of them. By keys, an editor would indent each as the one before,
        // and a field that sends its text by Enter would send the first.
        let text = self.session.call(&InsertTextParams::new(typing.text.as_str()));
        Ok(quiet.delivered(vec![text]).await?.map(|()| Sent::All))
    }

    /// What the field holds; `Some(None)` where it has left its document, `None` where that is gone or a dialog holds it.
    async fn held(&self, element: &Element, tries: &Tries) -> Result<Option<Option<Held>>, ActError> {
        match element.call(self, tries.limit(), "read", Value::Null).await {
            Err(ActError::Dialog(_) | ActError::NotFound(_)) => Ok(None),
            read => read.map(Some),
        }
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
        let Some(read) = self.held(element, tries).await? else { return Ok(Outcome::Unknown) };
        let Some(held) = read else { return Ok(Outcome::Gone) };
        let is_long = field.held.long || held.long;
        let by_value = Taken::of(&field.held.value, &held.value, typing, field.kind == "content", is_long);
        let (taken, value) = match (&field.held.drawn, &held.drawn) {
            (Some(old), Some(new)) if by_value != Taken::Whole => (Taken::of(old, new, typing, true, true), new),
            _ => (by_value, &held.value),
        };
        let value = (!field.held.secret && !held.secret).then(|| value.clone());
        Ok(match taken {
            Taken::Whole => Outcome::Typed(Typed { value, differs: false }),
            Taken::Otherwise => Outcome::Typed(Typed { value, differs: true }),
            Taken::Nothing => Outcome::NoEffect,
        })
    }
}

// === impl Taken ===

impl Taken {
    /// From what a field held before and after; `is_long`: what is not in view may be left out of both.
    fn of(old: &str, new: &str, typing: &Typing, is_content: bool, is_long: bool) -> Self {
        let text = |text: &str| normal(text, is_content);
        let typed = text(&typing.text);
        let wanted = if typing.clear { typed.clone() } else { text(&format!("{old}{}", typing.text)) };
        let (old, new) = (text(old), text(new));
        if new == wanted {
            return Self::Whole;
        }
        if new == old || new.is_empty() {
            return Self::Nothing;
        }
        // The caret is at the end, which is in view therefore, with some lines before it.
        let is_part = new.contains('\n') || new.chars().count() >= IN_VIEW_MIN_CHARS;
        let is_end = if typing.clear { is_part && wanted.ends_with(&new) } else { new.ends_with(&typed) };
        if is_long && is_end && !typed.is_empty() { Self::Whole } else { Self::Otherwise }
    }
}

/// A text as fields keep it: one kind of line end and of space. Where it is rendered, paragraphs stand apart by empty lines,
/// and what ends a line is not seen.
fn normal(text: &str, is_content: bool) -> String {
    let text = text.replace("\r\n", "\n").replace(['\u{a0}', '\t'], " ");
    if !is_content {
        return text;
    }
    // Editors keep an empty line open by characters without width.
    let text = text.replace(['\u{200b}', '\u{feff}'], "");
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
