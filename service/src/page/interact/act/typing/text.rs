//! Sends a text to the field that has the focus, by the browser's input. What comes of it is in `fields`.

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchKeyEventReturns, DispatchKeyEventType, InsertTextParams,
};
use serde::Deserialize;

use super::chord::{Chord, Key};
use super::field::{Entering, Field};
use super::focus::{ANOTHER_DOCUMENT, Next, went_nowhere};
use crate::cdp::Call;
use crate::page::Page;
use crate::page::interact::ActError;
use crate::page::interact::act::leaving::Leaving;
use crate::page::interact::error::unless_held;

/// What an editor says of a text that is offered to it.
#[derive(Deserialize)]
pub(super) struct Offered {
    #[serde(default)]
    pub taken: bool,
}

/// How much of a text was sent.
pub(super) enum Sent {
    All,
    /// All of it, as a paste that the page took.
    Pasted,
    /// So many characters, until something else had the focus.
    Until {
        typed: usize,
        moved: String,
    },
    /// So many characters, until a dialog held the page.
    Held {
        typed: usize,
    },
}

impl Entering<'_, '_> {
    /// Writes the text to the field that has the focus; `None` where a dialog opened meanwhile.
    pub(super) async fn send_text(&self, field: &Field, leaving: &mut Leaving<'_>) -> Result<Option<Sent>, ActError> {
        let Self { page, element, typing, quiet, tries } = self;
        match page.first_key(element, leaving, tries).await? {
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
            let Some(()) = quiet.delivered(page.send_key(keys)).await? else { return Ok(None) };
            has_keyed = true;
        }
        let is_empty = field.held.bare && !is_part;
        if typing.clear && !is_empty && (typing.slowly || typing.text.is_empty()) {
            let Some(()) = quiet.delivered(page.send_key("Delete")).await? else { return Ok(None) };
            has_keyed = true;
        }
        if typing.slowly {
            return self.send_keys(field.held.line, has_keyed, leaving).await;
        }
        self.insert_text(field).await
    }

    /// Sends the text key by key, each once it is known that it comes to the field. `is_line`: the field has one line.
    /// `has_keyed`: keys were sent before.
    async fn send_keys(
        &self,
        is_line: bool,
        has_keyed: bool,
        leaving: &mut Leaving<'_>,
    ) -> Result<Option<Sent>, ActError> {
        let Self { page, element, typing, quiet, tries } = self;
        let until = |typed, moved| Ok(Some(Sent::Until { typed, moved }));
        for (typed, character) in typing.text.chars().enumerate() {
            if has_keyed || typed > 0 {
                match page.next_key(element, leaving, tries).await? {
                    Next::Goes => {}
                    Next::Held => return Ok(Some(Sent::Held { typed })),
                    Next::Elsewhere(moved) => return until(typed, moved),
                    Next::Left => return until(typed, ANOTHER_DOCUMENT.to_owned()),
                }
            }
            // The end of a line is a space there: Enter would send the form.
            let character = if is_line && character == '\n' { ' ' } else { character };
            let taken = match Chord::of(character) {
                Some(chord) => quiet.delivered(page.send_chord(&chord)).await?,
                None => quiet.delivered(vec![page.session.call(&InsertTextParams::new(character))]).await?,
            };
            let Some(()) = taken else { return Ok(Some(Sent::Held { typed: typed + 1 })) };
        }
        Ok(Some(Sent::All))
    }

    /// Inserts the text at once.
    async fn insert_text(&self, field: &Field) -> Result<Option<Sent>, ActError> {
        let Self { page, element, typing, quiet, tries } = self;
        if typing.text.is_empty() {
            return Ok(Some(Sent::All));
        }
        if field.held.drawn.is_some() || field.kind == "content" && typing.text.contains('\n') {
            let answer = page.call_once(element, "offer", typing.text.as_str().into(), tries).await;
            let Some(Offered { taken }) = unless_held(answer)? else { return Ok(None) };
            if taken {
                return Ok(Some(Sent::Pasted));
            }
        }
        // Lines as well: what is editable makes paragraphs of them. By keys, an editor would indent each as the one before,
        // and a field that sends its text by Enter would send the first.
        let text = page.session.call(&InsertTextParams::new(typing.text.as_str()));
        let Some(()) = quiet.delivered(vec![text]).await? else { return Ok(None) };
        Ok(quiet.delivered(page.release_last(&typing.text)).await?.map(|()| Sent::All))
    }
}

impl Page {
    /// Lets go the key that a text ends with: many fields listen for that alone.
    fn release_last(&self, text: &str) -> Vec<Call<DispatchKeyEventReturns>> {
        let last = text.chars().next_back().filter(|last| !last.is_whitespace());
        let key = last.and_then(|last| Key::typing(&last.to_string()));
        key.map(|key| self.send(DispatchKeyEventType::KeyUp, &key, 0)).into_iter().collect()
    }
}
