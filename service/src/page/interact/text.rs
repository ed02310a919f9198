//! Sends a text to the field that has the focus, by the browser's input. What comes of it is in `fields`.

use chromiumoxide_cdp::cdp::browser_protocol::input::InsertTextParams;
use serde::Deserialize;

use super::actionable::Tries;
use super::chord::Chord;
use super::error::unless_held;
use super::field::{Field, Typing};
use super::focus::{ANOTHER_DOCUMENT, Next, went_nowhere};
use super::leaving::Leaving;
use super::quiet::Quiet;
use super::{ActError, Element};
use crate::page::Page;

/// What an editor says of a text that is offered to it.
#[derive(Deserialize)]
struct Offered {
    taken: bool,
}

/// How much of a text was sent.
pub(super) enum Sent {
    All,
    /// So many characters, until something else had the focus.
    Until {
        typed: usize,
        moved: String,
    },
}

impl Page {
    /// Writes the text to the field that has the focus; `None` where a dialog opened meanwhile.
    pub(super) async fn send_text(
        &self,
        element: &Element,
        typing: &Typing,
        field: &Field,
        leaving: &mut Leaving<'_>,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Sent>, ActError> {
        match self.first_key(element, leaving, tries).await? {
            Next::Goes => {}
            Next::Held => return Ok(None),
            Next::Elsewhere(moved) => return Err(went_nowhere("the text", &field.what, Some(moved))),
            Next::Left => return Err(ActError::no_document(field.what.clone())),
        }
        let is_part = field.held.long || field.held.drawn.is_some();
        let mut has_keyed = false;
        if is_part {
            // What is not in the document is selected by the editor alone.
            let keys = if typing.clear { "Control+A" } else { "Control+End" };
            let Some(()) = quiet.delivered(self.send_key(keys)).await? else { return Ok(None) };
            has_keyed = true;
        }
        let is_empty = field.held.bare && !is_part;
        if typing.clear && !is_empty && (typing.slowly || typing.text.is_empty()) {
            let Some(()) = quiet.delivered(self.send_key("Delete")).await? else { return Ok(None) };
            has_keyed = true;
        }
        if typing.slowly {
            return self.send_keys(element, typing, has_keyed, leaving, quiet, tries).await;
        }
        self.insert_text(element, typing, field, quiet, tries).await
    }

    /// Sends the text key by key, each once it is known that it comes to the field. `has_keyed`: keys were sent before.
    async fn send_keys(
        &self,
        element: &Element,
        typing: &Typing,
        has_keyed: bool,
        leaving: &mut Leaving<'_>,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Sent>, ActError> {
        let until = |typed, moved| Ok(Some(Sent::Until { typed, moved }));
        for (typed, character) in typing.text.chars().enumerate() {
            if has_keyed || typed > 0 {
                match self.next_key(element, leaving, tries).await? {
                    Next::Goes => {}
                    Next::Held => return Ok(None),
                    Next::Elsewhere(moved) => return until(typed, moved),
                    Next::Left => return until(typed, ANOTHER_DOCUMENT.to_owned()),
                }
            }
            let taken = match Chord::of(character) {
                Some(chord) => quiet.delivered(self.send_chord(&chord)).await?,
                None => quiet.delivered(vec![self.session.call(&InsertTextParams::new(character))]).await?,
            };
            let Some(()) = taken else { return Ok(None) };
        }
        Ok(Some(Sent::All))
    }

    /// Inserts the text at once.
    async fn insert_text(
        &self,
        element: &Element,
        typing: &Typing,
        field: &Field,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Sent>, ActError> {
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
}
