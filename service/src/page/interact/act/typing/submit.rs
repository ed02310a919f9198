//! Enter after a text: pressed once the text is whole and the field's list offers it, and what the field holds then.

use std::time::Duration;

use porthole_contract::{Warning, WarningCode};
use serde::Deserialize;
use tokio::time::{Instant, sleep};

use super::chord::Chord;
use super::field::{Entering, Typing};
use crate::page::Page;
use crate::page::interact::act::actionable::Tries;
use crate::page::interact::acted::{Acted, Typed};
use crate::page::interact::quiet::Rest;
use crate::page::interact::{ActError, Element};

/// How long a list may take to offer what was typed before Enter is pressed, and the pause between two looks.
const LISTED_WITHIN: Duration = Duration::from_millis(700);
const LISTED_AGAIN: Duration = Duration::from_millis(40);

/// What the open list of a field offers.
#[derive(Deserialize)]
struct ListFits {
    /// Whether the option that Enter would take says what was typed, and no other is called exactly so.
    fits: bool,
    /// Whether Enter must not be pressed unless it fits: the field names the option, which else is the first, or another one is
    /// called as what was typed.
    is_decisive: bool,
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

    /// The option that Enter would take from the field's open list, if it does not say what was typed. Lists that ask a server
    /// or wait for the last key are waited for.
    async fn offers_other(&self, element: &Element, text: &str, tries: &Tries) -> Result<Option<String>, ActError> {
        let until = self.settles_until(Instant::now() + LISTED_WITHIN);
        loop {
            let answer = self.call_once::<Option<ListFits>>(element, "listFits", text.into(), tries).await;
            match answer {
                Ok(Some(ListFits { fits: false, is_decisive, what })) => {
                    if Instant::now() >= until {
                        return Ok(is_decisive.then_some(what));
                    }
                }
                Ok(_) | Err(ActError::NotFound(_) | ActError::Dialog(_)) => return Ok(None),
                Err(error) => return Err(error),
            }
            sleep(LISTED_AGAIN).await;
        }
    }
}

// === impl Entering ===

impl Entering<'_, '_> {
    /// Presses Enter after the text, if that is whole; with a warning where it was not pressed or did nothing but move the
    /// focus.
    pub(super) async fn submits(
        &mut self,
        rest: Option<Rest>,
        is_whole: bool,
    ) -> Result<(Option<Rest>, Option<Warning>), ActError> {
        let not_pressed = || Some(WarningCode::NotSubmitted.says("Enter was not pressed"));
        // Half a text is not sent.
        if rest.is_none() || !is_whole {
            return Ok((rest, not_pressed()));
        }
        if let Some(offered) = self.page.offers_other(self.element, &self.typing.text, self.tries).await? {
            let taken = format!("Enter was not pressed: it would take {offered:?} from the list");
            return Ok((rest, Some(WarningCode::NotSubmitted.says(taken))));
        }
        match self.submit().await {
            Ok((rest, strayed)) => Ok((rest, strayed.map(|how| WarningCode::NotSubmitted.says(how)))),
            Err(ActError::Dialog(_)) => Ok((None, not_pressed())),
            // The text is in the field already: an error would say that nothing was done.
            Err(why @ (ActError::NotFound(_) | ActError::Stale(_))) => {
                Ok((rest, Some(WarningCode::NotSubmitted.says(format!("Enter was not pressed: {why}")))))
            }
            Err(error) => Err(error),
        }
    }

    /// Presses Enter in the field; with how it went elsewhere, if it did.
    async fn submit(&mut self) -> Result<(Option<Rest>, Option<String>), ActError> {
        let Self { page, element, quiet, tries, .. } = self;
        let Some(enter) = Chord::of('\n') else { return Ok((None, None)) };
        quiet.forget_changes();
        let Some(keyed) = page.press_on(element, &enter, quiet, tries).await? else { return Ok((None, None)) };
        Ok((quiet.rest().await?, keyed.strayed("Enter")))
    }
}

/// A text without the line ends, the spaces and what keeps an empty line open at its end.
fn without_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}
