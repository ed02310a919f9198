//! Keys and text for one element: it gets the focus, and input that would reach another element is stopped
//! (`script/interact/guard.js`, `aside`). Input goes to the element that has the focus when it arrives, and a page may
//! move the focus in between.

use serde::Deserialize;
use serde_json::Value;

use super::actionable::Tries;
use super::aside::{Aside, Input};
use super::chord::Chord;
use super::quiet::Quiet;
use super::{ActError, Element};
use crate::page::{Page, PageError};

/// What the kit says of an element that is to get keys.
#[derive(Debug, Deserialize)]
struct Focused {
    focused: bool,
    /// Whether it is a frame: keys come to the document in it.
    frame: bool,
    what: String,
}

/// What came of keys and text.
#[derive(Debug, Deserialize)]
pub(super) struct Keyed {
    /// What has the focus instead of the element.
    pub moved: Option<String>,
    /// Whether any came to the element.
    pub reached: bool,
    /// Whether any was stopped.
    pub stopped: bool,
}

impl Page {
    /// Presses a chord on an element, which gets the focus, and again where another element would have got it, until the
    /// time is over. `None` where a dialog holds the page.
    pub(super) async fn press_on(
        &self,
        element: &Element,
        chord: &Chord,
        quiet: &Quiet<'_>,
        tries: &mut Tries,
    ) -> Result<Option<()>, ActError> {
        loop {
            let aside = self.hold_keys(element).await;
            let Focused { focused, frame, what } = self.told_once(element, "focus", Value::Null, tries).await?;
            if !focused {
                return Err(ActError::NoEffect(format!("{what} takes no focus")));
            }
            if frame {
                drop(aside);
                return quiet.delivered(self.send_chord(chord)).await;
            }
            let Some(()) = quiet.delivered(self.send_chord(chord)).await? else { return Ok(None) };
            match self.keyed_aside(element, aside, tries).await? {
                Some(Keyed { stopped: true, reached: false, moved }) => {
                    if !tries.next().await {
                        return Err(went_nowhere("the key", &what, moved));
                    }
                }
                _ => return Ok(Some(())),
            }
        }
    }

    /// Has all documents but the element's hold keys and text.
    pub(super) async fn hold_keys(&self, element: &Element) -> Aside {
        self.hold_aside(std::slice::from_ref(&element.frame), Input::Keys).await
    }

    /// What came of keys that have been taken; `None` where the document is gone, or a dialog holds it.
    pub(super) async fn keyed_aside(
        &self,
        element: &Element,
        aside: Aside,
        tries: &Tries,
    ) -> Result<Option<Keyed>, ActError> {
        let (keyed, elsewhere) = tokio::join!(self.keyed(element, tries), aside.release());
        let Some(keyed) = keyed? else { return Ok(None) };
        let stopped = keyed.stopped || elsewhere.is_some();
        Ok(Some(Keyed { moved: elsewhere.or(keyed.moved), stopped, ..keyed }))
    }

    /// The same so far, in the element's document.
    pub(super) async fn keyed(&self, element: &Element, tries: &Tries) -> Result<Option<Keyed>, ActError> {
        match element.call(self, tries.limit(), "keyed", Value::Null).await {
            Err(ActError::Dialog(_) | ActError::NotFound(_)) => Ok(None),
            // The page closed its window by them.
            Err(ActError::Page(PageError::Crashed(_))) if self.was_closed().await => Ok(None),
            keyed => keyed.map(Some),
        }
    }
}

/// The error for input that was stopped.
pub(super) fn went_nowhere(input: &str, what: &str, moved: Option<String>) -> ActError {
    let to = moved.unwrap_or_else(|| "another element".to_owned());
    ActError::NoEffect(format!("{input} was not delivered: the focus moved from {what} to {to}"))
}
