//! Types into fields, and reads back what the page kept.

use std::time::Duration;

use porthole_contract::{Warning, WarningCode};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::field::{Content, Entering, Field, Typing};
use super::focus::{Keyed, takes_no_focus, went_nowhere};
use super::text::{Offered, Sent};
use crate::page::Page;
use crate::page::interact::act::actionable::{Ask, Tries};
use crate::page::interact::act::choices::of_another;
use crate::page::interact::act::hold_input::HeldInput;
use crate::page::interact::act::leaving::Leaving;
use crate::page::interact::acted::{Acted, Method, Typed};
use crate::page::interact::error::unless_held;
use crate::page::interact::quiet::{Quiet, Rest};
use crate::page::interact::{ActError, Element};

/// An editor that scrolls leaves out what is not in view, but not of a line as short as this.
const IN_VIEW_MIN_CHARS: usize = 100;
/// How long an editor may take to draw what it was given, and how often it is asked.
const DRAWN_WITHIN: Duration = Duration::from_millis(1_500);
const DRAWN_AGAIN: Duration = Duration::from_millis(30);

/// What typing came to.
enum Outcome {
    Typed(Typed),
    /// Nothing, or the old value, is left.
    NoEffect {
        is_empty: bool,
    },
    /// It came to the field, which draws its text as a picture.
    Unseen,
    /// It came to the field, which is another entry's since: a list has given it to that, or has renamed it.
    OfAnother,
    /// The field has left its document.
    Gone,
    /// Its document is gone.
    Left,
    /// A dialog holds the page.
    Unknown,
}

/// What a look at a field says.
enum Look {
    Holds(Content),
    /// The field has left its document.
    Gone,
    /// Its document is gone.
    Left,
    /// A dialog holds the page.
    Unknown,
}

/// A text that was entered, or some of it.
struct Entered {
    method: Method,
    outcome: Outcome,
    /// `None` where a dialog holds the page.
    rest: Option<Rest>,
    /// The warning of what came before the end of the text.
    cut: Option<Warning>,
    /// Whether the page made something of it, such as a message that was sent.
    is_taken: bool,
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

impl Page {
    /// Types into a field: as the browser's input does it, or, where nothing is typed in a browser either (dates, times,
    /// colours, ranges), by its value. What the field holds then is read back.
    ///
    /// # Errors
    /// [`ActError`]: what the field lacked when the time was over; [`ActError::NoEffect`] where nothing or the old value is
    /// in it; [`ActError::Invalid`] for a value that does not suit its type.
    pub async fn type_text(&self, element: &Element, typing: &Typing) -> Result<Acted, ActError> {
        self.or_stale(element, self.type_into(element, typing).await).await
    }

    async fn type_into(&self, element: &Element, typing: &Typing) -> Result<Acted, ActError> {
        let mut quiet = Quiet::watch(self, &element.frame);
        let mut tries = Tries::until(typing.terms.deadline);
        let spot = self.ready(element, Ask::field(&typing.terms), &mut tries).await?;
        quiet.begins();
        let mut entering = Entering { page: self, element, typing, quiet: &mut quiet, tries: &mut tries };
        let Entered { method, outcome, rest, cut, is_taken } = entering.enter().await?;
        let (mut has_left, is_unseen) = (matches!(outcome, Outcome::Left), matches!(outcome, Outcome::Unseen));
        let (typed, unknown) = match outcome {
            Outcome::Typed(typed) => (Some(typed), None),
            Outcome::Unknown | Outcome::Unseen | Outcome::Left => (None, None),
            Outcome::OfAnother => (None, Some(of_another(&spot.what))),
            Outcome::Gone => (None, Some(field_gone(&spot.what))),
            Outcome::NoEffect { is_empty: true }
                if is_taken && self.has_taken(element, typing, entering.tries).await =>
            {
                (None, Some(taken_apart(&spot.what)))
            }
            Outcome::NoEffect { is_empty } => {
                return Err(no_effect(&spot.what, is_empty, cut.as_ref(), is_taken, typing));
            }
        };
        let is_whole = cut.is_none() && unknown.is_none();
        let mut warnings: Vec<Warning> = cut.into_iter().chain(unknown).collect();
        let (mut rest, mut is_sent) = (rest, false);
        if typing.submit {
            let (after, not_sent) = entering.submits(rest, is_whole).await?;
            (rest, is_sent) = (after, not_sent.is_none());
            warnings.extend(not_sent);
        }
        let is_known = rest.is_some();
        let mut acted = Acted::new(quiet.settle(rest).await?, method, Some(spot.bounds));
        if is_sent && acted.settled.no_change {
            warnings.push(WarningCode::NoChange.says("Enter was pressed, and nothing on the page changed"));
        }
        let typed = match typed {
            Some(typed) if is_sent && is_known => {
                Some(self.typed_and_sent(element, typed, typing, &acted, &tries).await)
            }
            // The page may have asked its server meanwhile.
            Some(typed) if !typing.submit && is_whole && is_known && !acted.settled.navigated => {
                let still = self.still_typed(element, typed, typing, &tries).await?;
                has_left = still.is_none();
                still
            }
            typed => typed,
        };
        // A page that goes on says so; a frame does not.
        if has_left && !acted.settled.navigated {
            warnings.push(field_gone(&spot.what));
        }
        acted.warnings.extend(typed.as_ref().filter(|typed| typed.differs).map(value_differs));
        acted.warnings.extend(warnings);
        let unseen = || WarningCode::NotReadBack.says(format!("{} draws its text as a picture", spot.what));
        acted.warnings.extend(is_unseen.then(unseen));
        acted.typed = typed;
        Ok(acted)
    }

    /// Whether the page shows all parts of a text beside its field, which it has taken one by one.
    async fn has_taken(&self, element: &Element, typing: &Typing, tries: &Tries) -> bool {
        element.call(self, tries.limit(), "hasTaken", typing.text.as_str().into()).await.unwrap_or(false)
    }

    /// What is in the field after the page has come to rest; `None` where its document is gone.
    pub(super) async fn still_typed(
        &self,
        element: &Element,
        typed: Typed,
        typing: &Typing,
        tries: &Tries,
    ) -> Result<Option<Typed>, ActError> {
        let value = match self.held(element, tries).await? {
            Look::Holds(Content { value, drawn: None, long: false, secret: false, .. }) => value,
            Look::Left => return Ok(None),
            _ => return Ok(Some(typed)),
        };
        // A field may take its text only once it has been left or Enter was pressed.
        let is_as_asked = typing.clear && typed.value.is_some() && value == typing.text;
        let is_other = typed.value.as_ref().is_some_and(|before| *before != value);
        let differs = (typed.differs || is_other) && !is_as_asked;
        Ok(Some(Typed { value: typed.value.is_some().then_some(value), differs }))
    }

    /// What the field holds now.
    async fn held(&self, element: &Element, tries: &Tries) -> Result<Look, ActError> {
        match element.call(self, tries.limit(), "read", Value::Null).await {
            Ok(Some(held)) => Ok(Look::Holds(held)),
            Ok(None) => Ok(Look::Gone),
            Err(ActError::Dialog(_)) => Ok(Look::Unknown),
            Err(ActError::NotFound(_)) => Ok(Look::Left),
            Err(error) => Err(error),
        }
    }
}

// === impl Entering ===

impl Entering<'_, '_> {
    /// Enters the text in the way that the terms allow first, and in the other where that had no effect.
    async fn enter(&mut self) -> Result<Entered, ActError> {
        let (page, element, typing) = (self.page, self.element, self.typing);
        let terms = &typing.terms;
        let entered = |method, outcome, rest| Ok(Entered { method, outcome, rest, cut: None, is_taken: false });
        if terms.document_first() {
            // Editors hear of the selection only after the task that changed it.
            let answer = page.call_once(element, "focusField", typing.clear.into(), self.tries).await;
            let Some::<Field>(field) = unless_held(answer)? else {
                return entered(Method::Dom, Outcome::Unknown, None);
            };
            let options = json!({"text": typing.text, "clear": typing.clear});
            let answer = page.call_once(element, "insert", options, self.tries).await;
            let Some(Offered { taken }) = unless_held(answer)? else {
                return entered(Method::Dom, Outcome::Unknown, None);
            };
            let rest = self.quiet.rest().await?;
            let outcome = self.read_back(&field, typing, rest.is_some(), taken).await?;
            // The page has made something of a text that the field does not hold: it must not come twice.
            let has_sent = matches!(outcome, Outcome::NoEffect { is_empty: true }) && self.quiet.began.anything();
            let is_taken = taken || has_sent || rest.as_ref().is_some_and(|rest| rest.beside);
            if !matches!(outcome, Outcome::NoEffect { .. }) || is_taken || !terms.by_input() || field.kind == "value" {
                return Ok(Entered { method: Method::Dom, outcome, rest, cut: None, is_taken });
            }
        }
        let mut leaving = Leaving::watch(page, &element.frame, HeldInput::Keys);
        loop {
            match self.write(&mut leaving).await? {
                Written::Done(entered) => return Ok(entered),
                Written::Stopped { what, moved } => {
                    if !self.tries.next().await {
                        return Err(went_nowhere("the text", &what, moved));
                    }
                }
            }
        }
    }

    /// Writes the text by the browser's input, once.
    async fn write(&mut self, leaving: &mut Leaving<'_>) -> Result<Written, ActError> {
        let (page, element, typing) = (self.page, self.element, self.typing);
        let entered = |method, outcome, rest: Option<Rest>, cut, is_pasted: bool| {
            let is_taken = is_pasted || rest.as_ref().is_some_and(|rest| rest.beside);
            Ok(Written::Done(Entered { method, outcome, rest, cut, is_taken }))
        };
        let aside = page.hold_keys(element).await?;
        // A dialog that opens by the focus comes before the text, and is an error.
        let field: Field = page.call_once(element, "focusField", typing.clear.into(), self.tries).await?;
        if field.kind == "value" {
            let answer = page.call_once(element, "setValue", typing.text.as_str().into(), self.tries).await;
            let Some(field) = unless_held(answer)? else {
                return entered(Method::Dom, Outcome::Unknown, None, None, false);
            };
            let rest = self.quiet.rest().await?;
            let whole = Typing { clear: true, ..typing.clone() };
            let outcome = self.read_back(&field, &whole, rest.is_some(), false).await?;
            return entered(Method::Dom, outcome, rest, None, false);
        }
        if !field.focused {
            return Err(takes_no_focus(&field.what, field.holder.as_deref()));
        }
        let sent = self.send_text(&field, leaving).await?;
        let is_held = matches!(sent, None | Some(Sent::Held { .. }));
        let is_pasted = matches!(sent, Some(Sent::Pasted));
        let keyed = if is_held { None } else { page.keyed_aside(element, aside, self.tries).await? };
        let all = typing.text.chars().count();
        let moved = |to| Some(WarningCode::FocusMoved.says(format!("the focus moved to {to}; the rest was not typed")));
        let cut = match (sent, keyed) {
            (_, Some(Keyed { stopped: true, reached: false, is: Some(is), .. })) => {
                return Err(is.changed(&element.meant));
            }
            (_, Some(Keyed { stopped: true, reached: false, moved, .. })) => {
                return Ok(Written::Stopped { what: field.what, moved });
            }
            (Some(Sent::Until { typed, moved: to }), _) => moved(format!("{to} after {typed} of {all} characters")),
            (_, Some(Keyed { stopped: true, moved: Some(to), .. })) => moved(to),
            (Some(Sent::Held { typed }), _) if typed < all => Some(
                WarningCode::DialogOpened.says(format!("after {typed} of {all} characters; the rest was not typed")),
            ),
            _ => None,
        };
        let rest = if is_held { None } else { self.quiet.rest().await? };
        let outcome = match self.read_back(&field, typing, rest.is_some(), is_pasted).await? {
            Outcome::OfAnother if cut.is_some() => Outcome::NoEffect { is_empty: false },
            outcome => outcome,
        };
        entered(Method::Cdp, outcome, rest, cut, is_pasted)
    }

    /// What came of the text, by what the field holds now. What is drawn beside the field is waited for: a terminal draws
    /// what its server has answered. So is what was pasted: an editor may clean it first.
    async fn read_back(
        &self,
        field: &Field,
        typing: &Typing,
        answers: bool,
        is_pasted: bool,
    ) -> Result<Outcome, ActError> {
        if !answers {
            return Ok(Outcome::Unknown);
        }
        let until = Instant::now() + self.tries.limit().min(DRAWN_WITHIN);
        let is_late = (is_pasted || field.held.drawn.is_some()) && !typing.text.is_empty();
        loop {
            let outcome = match self.page.held(self.element, self.tries).await? {
                Look::Holds(held) => match Outcome::of(field, &held, typing) {
                    Outcome::NoEffect { .. } | Outcome::Typed(_) if held.another => Outcome::OfAnother,
                    outcome => outcome,
                },
                Look::Gone => Outcome::Gone,
                Look::Left => Outcome::Left,
                Look::Unknown => Outcome::Unknown,
            };
            if !matches!(outcome, Outcome::NoEffect { .. }) || !is_late || Instant::now() >= until {
                return Ok(outcome);
            }
            sleep(DRAWN_AGAIN).await;
        }
    }
}

/// The error for a field that does not hold the text; `cut` says why only some of it was sent.
fn no_effect(what: &str, is_empty: bool, cut: Option<&Warning>, is_taken: bool, typing: &Typing) -> ActError {
    // What it held before is gone: a field of numbers takes no words.
    let is_empty = if is_empty && typing.clear { ", and is empty now" } else { "" };
    let to = cut.map(|cut| format!(": {}", cut.sentence)).unwrap_or_default();
    // It may have taken it and emptied itself: another try could do the same once more.
    let advice = match (is_taken, typing.slowly) {
        (true, _) => ", but the page may have taken it: see what it did before another try",
        (false, false) => "; `slowly` types key by key",
        (false, true) => "",
    };
    ActError::NoEffect(format!("{what} does not hold the text{is_empty}{to}{advice}"))
}

fn field_gone(what: &str) -> Warning {
    WarningCode::FieldGone.says(format!("{what} left the page, and what was typed with it"))
}

/// The warning for a field whose page makes entries of its text, such as tags that end with a comma.
fn taken_apart(what: &str) -> Warning {
    WarningCode::ValueDiffers.says(format!("{what} is empty now, and the page shows the text beside it"))
}

/// The warning for a field that holds something else than was typed.
fn value_differs(typed: &Typed) -> Warning {
    match &typed.value {
        Some(value) => WarningCode::ValueDiffers.says(format!("the field has {value:?} now")),
        None => WarningCode::ValueDiffers.says("the field has something else now"),
    }
}

// === impl Outcome ===

impl Outcome {
    /// From a field before the text, and what it holds now.
    fn of(field: &Field, held: &Content, typing: &Typing) -> Self {
        let is_long = field.held.long || held.long;
        let by_value = Taken::of(&field.held.value, &held.value, typing, field.kind == "content", is_long);
        let (taken, value) = match (&field.held.drawn, &held.drawn) {
            (Some(old), Some(new)) if by_value != Taken::Whole => (Taken::of(old, new, typing, true, true), new),
            _ => (by_value, &held.value),
        };
        // What is no text was there before, and is still.
        let is_kept =
            typing.clear && typing.text.is_empty() && field.held.value.is_empty() && !field.held.bare && !held.bare;
        let taken = if is_kept { Taken::Nothing } else { taken };
        let value = (!field.held.secret && !held.secret).then(|| value.clone());
        match taken {
            Taken::Whole => Self::Typed(Typed { value, differs: false }),
            Taken::Otherwise => Self::Typed(Typed { value, differs: true }),
            Taken::Nothing if field.held.unreadable && held.unreadable => Self::Unseen,
            Taken::Nothing => Self::NoEffect { is_empty: held.value.is_empty() },
        }
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
