//! Enter after a text: pressed once the text is whole and the field's list offers it, and what the field holds then.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::chord::Chord;
use super::field::Typing;
use super::focus::Keyed;
use super::keys::Keyboard;
use crate::page::Page;
use crate::page::interact::act::actionable::Tries;
use crate::page::interact::acted::{Acted, Terms, Typed};
use crate::page::interact::error::unless_held;
use crate::page::interact::quiet::{Quiet, Rest};
use crate::page::interact::{ActError, Element};

/// How long a list may take to offer what was typed before Enter is pressed, and the pause between two looks.
const LISTED_WITHIN: Duration = Duration::from_millis(700);
const LISTED_AGAIN: Duration = Duration::from_millis(40);

/// What the open list of a field offers.
#[derive(Deserialize)]
struct ListFits {
    /// Whether the option that Enter would take says what was typed.
    fits: bool,
    /// Whether the field names that option; else it is the first.
    named: bool,
    what: String,
}

impl Page {
    /// What is in the field after Enter. What was sent may leave it empty, or take it along, and in an editor Enter begins a line.
    pub(super) async fn typed_and_sent(
        &self,
        element: &Element,
        typed: Typed,
        typing: &Typing,
        acted: &Acted,
        tries: &Tries,
    ) -> Typed {
        if acted.settled.navigated || !acted.settled.settled {
            return typed;
        }
        // The text was sent, so an error of this look is no error of the call.
        let still = self.still_typed(element, typed.clone(), typing, tries).await.ok().flatten();
        let of_text = typed.value.as_deref().map(without_end);
        let is_other = |value: &str| !without_end(value).is_empty() && Some(without_end(value)) != of_text;
        still.filter(|still| still.value.as_deref().is_some_and(is_other)).unwrap_or(typed)
    }

    /// Presses Enter after the text, if that is whole, and warns where it was not pressed or not taken.
    pub(super) async fn submits(
        &self,
        element: &Element,
        typing: &Typing,
        rest: Option<Rest>,
        warnings: &mut Vec<String>,
        quiet: &mut Quiet<'_>,
        tries: &mut Tries,
    ) -> Result<Option<Rest>, ActError> {
        let not_pressed = || "not_submitted: Enter was not pressed".to_owned();
        // Half a text is not sent.
        if rest.is_none() || !warnings.is_empty() {
            warnings.push(not_pressed());
            return Ok(rest);
        }
        if let Some(offered) = self.offers_other(element, &typing.text, tries).await? {
            warnings.push(format!("not_submitted: Enter was not pressed: it would take {offered:?} from the list"));
            return Ok(rest);
        }
        match self.submit(element, &typing.terms, quiet, tries).await {
            Ok((rest, strayed)) => {
                warnings.extend(strayed.map(|how| format!("not_submitted: {how}")));
                Ok(rest)
            }
            Err(ActError::Dialog(_)) => {
                warnings.push(not_pressed());
                Ok(None)
            }
            // The text is in the field already: an error would say that nothing was done.
            Err(why @ (ActError::NotFound(_) | ActError::Stale(_))) => {
                warnings.push(format!("not_submitted: Enter was not pressed: {why}"));
                Ok(rest)
            }
            Err(error) => Err(error),
        }
    }

    /// The option that Enter would take from the field's open list, if it does not say what was typed. Lists that ask a server
    /// or wait for the last key are waited for.
    async fn offers_other(&self, element: &Element, text: &str, tries: &Tries) -> Result<Option<String>, ActError> {
        let until = self.settles_until(Instant::now() + LISTED_WITHIN);
        loop {
            let told = self.told_once::<Option<ListFits>>(element, "listFits", text.into(), tries).await;
            match told {
                Ok(Some(ListFits { fits: false, named, what })) => {
                    if Instant::now() >= until {
                        return Ok(named.then_some(what));
                    }
                }
                Ok(_) | Err(ActError::NotFound(_) | ActError::Dialog(_)) => return Ok(None),
                Err(error) => return Err(error),
            }
            sleep(LISTED_AGAIN).await;
        }
    }

    /// Presses Enter in the field; with how it went elsewhere, if it did.
    async fn submit(
        &self,
        element: &Element,
        terms: &Terms,
        quiet: &mut Quiet<'_>,
        tries: &mut Tries,
    ) -> Result<(Option<Rest>, Option<String>), ActError> {
        let Some(enter) = Chord::of('\n') else { return Ok((None, None)) };
        quiet.forget_changes();
        let taken = if terms.by_input() {
            self.press_on(element, &enter, quiet, tries).await?
        } else {
            let at = Keyboard { frame: &element.frame, element: Some(element) };
            unless_held(self.key_in_document(at, &enter, tries).await)?.map(|_| Keyed::default())
        };
        let Some(keyed) = taken else { return Ok((None, None)) };
        Ok((quiet.rest().await?, keyed.strayed("Enter")))
    }
}

/// A text without the line ends, the spaces and what keeps an empty line open at its end.
fn without_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}
