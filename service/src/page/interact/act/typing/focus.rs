//! Keys and text for one element: it gets the focus, and input that would reach another element is stopped
//! (`script/interact/act/guard.js`, `hold_input`). Input goes to the element that has the focus when it arrives, and a page may
//! move the focus in between.

use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use super::chord::Chord;
use crate::page::interact::act::actionable::Tries;
use crate::page::interact::act::hold_input::{Aside, HeldInput};
use crate::page::interact::act::leaving::Leaving;
use crate::page::interact::quiet::Quiet;
use crate::page::interact::resolve::Identity;
use crate::page::interact::{ActError, Element};
use crate::page::{Page, PageError};

/// What the kit says of an element that is to get keys.
#[derive(Debug, Deserialize)]
struct Focused {
    focused: bool,
    /// What has the focus instead.
    holder: Option<String>,
    /// Whether it is a frame: keys come to the document in it.
    frame: bool,
    what: String,
}

/// What came of keys and text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Keyed {
    /// What has the focus instead of the element.
    pub moved: Option<String>,
    /// Whether it is a field that has left its document, which is there.
    pub gone: bool,
    /// Whether any came to the element.
    pub reached: bool,
    /// Whether any was stopped.
    pub stopped: bool,
    /// What a key typed into, to which the page had moved the focus as it went down.
    pub followed: Option<String>,
    /// Whether the element had left the page before the key would have activated it, as it does a button.
    #[serde(default)]
    pub unpressed: bool,
    /// What the element had become, where it was stopped for that.
    pub is: Option<Identity>,
    /// Whether the element's document is gone.
    #[serde(skip)]
    pub left: bool,
}

/// Whether the next key may be sent.
pub(super) enum Next {
    Goes,
    /// A dialog holds the page.
    Held,
    /// It would come to this.
    Elsewhere(String),
    /// The document is gone, or another one is on its way.
    Left,
}

/// What is there instead of an element whose document is gone.
pub(super) const ANOTHER_DOCUMENT: &str = "another document";

impl Page {
    /// Presses a chord on an element, which gets the focus, and again where another element would have got it, until the
    /// time is over. `None` where a dialog holds the page.
    pub(super) async fn press_on(
        &self,
        element: &Element,
        chord: &Chord,
        quiet: &Quiet<'_>,
        tries: &mut Tries,
    ) -> Result<Option<Keyed>, ActError> {
        let mut leaving = Leaving::watch(self, &element.frame, HeldInput::Keys);
        loop {
            let aside = self.hold_keys(element).await?;
            let Focused { focused, holder, frame, what } = self.call_once(element, "focus", Value::Null, tries).await?;
            if !focused {
                return Err(takes_no_focus(&what, holder.as_deref()));
            }
            if frame {
                drop(aside);
                return Ok(quiet.delivered(self.send_chord(chord)).await?.map(|()| Keyed::default()));
            }
            match self.first_key(element, &mut leaving, tries).await? {
                Next::Goes => {}
                Next::Held => return Ok(None),
                Next::Elsewhere(to) => return Err(went_nowhere("the key", &what, Some(to))),
                Next::Left => return Err(ActError::no_document(what)),
            }
            let Some(()) = quiet.delivered(self.send_chord(chord)).await? else { return Ok(None) };
            let Some(keyed) = self.keyed_aside(element, aside, tries).await? else { return Ok(Some(Keyed::default())) };
            if keyed.reached || !keyed.stopped {
                return Ok(Some(keyed));
            }
            if let Some(is) = keyed.is {
                return Err(is.changed(&element.meant));
            }
            if !tries.next().await {
                return Err(went_nowhere("the key", &what, keyed.moved));
            }
        }
    }

    /// Whether the first key may be sent, after a navigation that the focus began.
    pub(super) async fn first_key(
        &self,
        element: &Element,
        leaving: &mut Leaving<'_>,
        tries: &Tries,
    ) -> Result<Next, ActError> {
        if leaving.has_begun() { self.next_key(element, leaving, tries).await } else { Ok(Next::Goes) }
    }

    /// Whether another key may be sent after those that have been taken. Waits for a navigation that they began.
    pub(super) async fn next_key(
        &self,
        element: &Element,
        leaving: &mut Leaving<'_>,
        tries: &Tries,
    ) -> Result<Next, ActError> {
        loop {
            // The answer comes after the events of what the keys began.
            match self.keyed(element, tries).await? {
                None => return Ok(Next::Held),
                Some(Keyed { left: true, .. }) => return Ok(Next::Left),
                Some(Keyed { moved: Some(moved), .. }) => return Ok(Next::Elsewhere(moved)),
                Some(_) if !leaving.has_begun() => return Ok(Next::Goes),
                Some(_) => {}
            }
            match leaving.is_over(Instant::now() + tries.limit()).await {
                Ok(true) => {}
                Ok(false) => return Ok(Next::Left),
                Err(ActError::Dialog(_)) => return Ok(Next::Held),
                Err(error) => return Err(error),
            }
        }
    }

    /// Has all documents but the element's hold keys and text.
    pub(super) async fn hold_keys(&self, element: &Element) -> Result<Aside, ActError> {
        self.hold_aside(std::slice::from_ref(&element.frame), HeldInput::Keys).await
    }

    /// What came of keys that have been taken; `None` where a dialog holds the page.
    pub(super) async fn keyed_aside(
        &self,
        element: &Element,
        aside: Aside,
        tries: &Tries,
    ) -> Result<Option<Keyed>, ActError> {
        let (keyed, elsewhere) = tokio::join!(self.keyed(element, tries), aside.release(self));
        let Some(keyed) = keyed? else { return Ok(None) };
        let stopped = keyed.stopped || elsewhere.is_some();
        Ok(Some(Keyed { moved: elsewhere.or(keyed.moved), stopped, ..keyed }))
    }

    /// The same so far, in the element's document.
    pub(super) async fn keyed(&self, element: &Element, tries: &Tries) -> Result<Option<Keyed>, ActError> {
        match element.call(self, tries.limit(), "keyed", Value::Null).await {
            Err(ActError::Dialog(_)) => Ok(None),
            // Whether the last ones came to it is not known.
            Err(ActError::NotFound(_) | ActError::Page(PageError::Leaving)) => Ok(Some(Keyed::left())),
            // The page closed its window by them.
            Err(ActError::Page(PageError::Crashed(_))) if self.was_closed().await => Ok(Some(Keyed::left())),
            keyed => keyed.map(Some),
        }
    }
}

// === impl Keyed ===

impl Keyed {
    /// The document went away; whether the last keys came to it is not known.
    fn left() -> Self {
        Self { moved: Some(ANOTHER_DOCUMENT.to_owned()), reached: true, left: true, ..Self::default() }
    }

    /// How the page moved the focus as the key went down, and what came of what the key does. A field that is taken away by
    /// it has heeded it.
    pub(super) fn strayed(&self, key: &str) -> Option<String> {
        if let Some(to) = &self.followed {
            return Some(format!("the page moved the focus to {to} as {key} went down, and {key} typed there"));
        }
        if let Some(to) = self.moved.as_ref().filter(|_| self.stopped && self.reached && !self.gone) {
            return Some(format!("the page moved the focus to {to} as {key} went down, and {key} did nothing there"));
        }
        self.unpressed.then(|| format!("the page took the element away as {key} went down, before {key} pressed it"))
    }
}

/// The error for input that was stopped.
pub(super) fn takes_no_focus(what: &str, holder: Option<&str>) -> ActError {
    let has_it = holder.map(|holder| format!(": {holder} has it")).unwrap_or_default();
    ActError::NoEffect(format!("{what} takes no focus{has_it}"))
}

pub(super) fn went_nowhere(input: &str, what: &str, moved: Option<String>) -> ActError {
    let to = moved.unwrap_or_else(|| "another element".to_owned());
    ActError::NoEffect(format!("{input} was not delivered: the focus moved from {what} to {to}"))
}
