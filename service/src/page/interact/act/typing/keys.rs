//! Presses chords, on the focused element or on one that gets the focus first.
//!
//! All contexts of a browser share its clipboard, so keys that copy and paste never reach the browser. They use a
//! [`Clipboard`] of the session, through the page's handlers and by inserting text.

use std::sync::{Arc, Mutex, PoisonError};

use chromiumoxide_cdp::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventReturns, DispatchKeyEventType, InsertTextParams,
};
use porthole_contract::WarningCode;
use serde::Deserialize;
use serde_json::json;

use super::chord::{Chord, ClipboardUse, Key};
use super::focus::{Keyed, went_nowhere};
use crate::cdp::Call;
use crate::page::Page;
use crate::page::interact::act::actionable::{Ask, Tries};
use crate::page::interact::acted::{Acted, Method, Terms};
use crate::page::interact::error::unless_held;
use crate::page::interact::frame::FRAME_DEPTH_MAX;
use crate::page::interact::quiet::{Quiet, Rest};
use crate::page::interact::{ActError, Element, Frame};

/// What was copied in a session. Clones are the same clipboard.
#[derive(Clone, Debug, Default)]
pub struct Clipboard(Arc<Mutex<String>>);

/// The answer of `domKey`, which tells the document of a key by events.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::page) struct KeyAnswer {
    /// Whether the element got the key.
    pub reached: bool,
    /// Whether the page left the key its default action.
    pub goes_on: bool,
    /// Whether it is for a field, which events alone do not edit as the key does.
    #[serde(default)]
    pub is_left_out: bool,
    /// What the page copied by itself, where it took the key for that.
    #[serde(default)]
    pub copied: Option<String>,
    /// The element, as `<input id="name">`.
    pub what: String,
}

/// What keys are for: an element of the frame, or what has the focus in it.
#[derive(Clone, Copy)]
pub(super) struct Keyboard<'a> {
    pub frame: &'a Frame,
    pub element: Option<&'a Element>,
}

#[derive(Deserialize)]
struct Copied {
    text: String,
    remove: bool,
    /// What would have been copied from instead of the element.
    elsewhere: Option<String>,
}

#[derive(Deserialize)]
struct Pasted {
    /// Whether the page leaves the text to be inserted.
    inserts: bool,
    /// What would have got it instead of the element.
    elsewhere: Option<String>,
}

impl Page {
    /// Presses a chord on an element, which gets the focus, or on what has it.
    ///
    /// # Errors
    /// [`ActError`]: what the element lacked when the time was over; [`ActError::NoEffect`] where it takes no focus.
    pub async fn press(
        &self,
        element: Option<&Element>,
        chord: &Chord,
        clipboard: &Clipboard,
        terms: &Terms,
    ) -> Result<Acted, ActError> {
        let acted = self.press_at(element, chord, clipboard, terms).await;
        match element {
            Some(element) => self.or_stale(element, acted).await,
            None => acted,
        }
    }

    async fn press_at(
        &self,
        element: Option<&Element>,
        chord: &Chord,
        clipboard: &Clipboard,
        terms: &Terms,
    ) -> Result<Acted, ActError> {
        let mut tries = Tries::until(terms.deadline);
        let frame = match element {
            Some(element) => element.frame.clone(),
            None => self.focused_frame().await?,
        };
        let mut quiet = Quiet::watch(self, &frame);
        let bounds = match element {
            Some(element) => Some(self.ready(element, Ask::document(terms), &mut tries).await?.bounds),
            None => None,
        };
        quiet.count_changes().await?;
        quiet.begins();
        if let Some(used) = chord.clipboard_use() {
            let at = Keyboard { frame: &frame, element };
            let rest = self.use_clipboard(at, used, chord, clipboard, &mut quiet, &tries).await?;
            let settled = quiet.settle(rest).await?;
            return Ok(Acted::new(settled, Method::Dom, bounds));
        }
        // Only browser input triggers a key's default action, so try it first.
        if !terms.by_input() {
            let at = Keyboard { frame: &frame, element };
            let pressed = unless_held(self.key_in_document(at, chord, &tries).await)?;
            let rest = match &pressed {
                Some(pressed) if !pressed.reached => {
                    return Err(ActError::NoEffect(format!("{} did not get the key", pressed.what)));
                }
                Some(_) => quiet.rest().await?,
                None => None,
            };
            let settled = quiet.settle(rest).await?;
            return match pressed.filter(|pressed| pressed.is_left_out && settled.no_change) {
                Some(KeyAnswer { what, .. }) => {
                    Err(ActError::NoEffect(format!("{what} did not change: events alone do not do what this key does")))
                }
                None => Ok(Acted::new(settled, Method::Dom, bounds).warns_of_no_change()),
            };
        }
        let taken = match element {
            Some(element) => self.press_on(element, chord, &quiet, &mut tries).await?,
            None => quiet.delivered(self.send_chord(chord)).await?.map(|()| Keyed::default()),
        };
        let rest = match taken {
            Some(_) => quiet.rest().await?,
            None => None,
        };
        quiet.awaits_change = true;
        let mut acted = Acted::new(quiet.settle(rest).await?, Method::Cdp, bounds).warns_of_no_change();
        acted
            .warnings
            .extend(taken.and_then(|keyed| keyed.strayed("the key")).map(|how| WarningCode::FocusMoved.says(how)));
        Ok(acted)
    }

    pub(super) async fn key_in_document(
        &self,
        at: Keyboard<'_>,
        chord: &Chord,
        tries: &Tries,
    ) -> Result<KeyAnswer, ActError> {
        let Key { key, code, key_code, .. } = &chord.key;
        let press = json!({"key": key, "code": code, "keyCode": key_code, "modifiers": chord.modifiers.bits()});
        let number = at.element.map_or(0, |element| element.number);
        at.frame.call(self, tries.limit(), "domKey", vec![press, number.into()]).await
    }

    /// Copies, cuts or pastes. The page's own handlers come first; the key itself is told to it, and not to the browser.
    async fn use_clipboard(
        &self,
        at: Keyboard<'_>,
        used: ClipboardUse,
        chord: &Chord,
        clipboard: &Clipboard,
        quiet: &mut Quiet<'_>,
        tries: &Tries,
    ) -> Result<Option<Rest>, ActError> {
        let done = async {
            let pressed = self.key_in_document(at, chord, tries).await?;
            if !pressed.reached {
                return Err(ActError::NoEffect(format!("{} did not get the key", pressed.what)));
            }
            match used {
                ClipboardUse::Copy | ClipboardUse::Cut if !pressed.goes_on => {
                    pressed.copied.into_iter().for_each(|text| clipboard.set(text));
                    Ok(())
                }
                ClipboardUse::Paste if !pressed.goes_on => Ok(()),
                ClipboardUse::Paste => self.paste(at, &pressed.what, clipboard.get(), quiet, tries).await,
                ClipboardUse::Copy => self.copy(at, &pressed.what, false, clipboard, quiet, tries).await,
                ClipboardUse::Cut => self.copy(at, &pressed.what, true, clipboard, quiet, tries).await,
            }
        };
        match done.await {
            Ok(()) => quiet.rest().await,
            Err(ActError::Dialog(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Offers the text to the page's handler, and inserts it where the page leaves that to the browser. `what` is what the key
    /// was for.
    async fn paste(
        &self,
        at: Keyboard<'_>,
        what: &str,
        text: String,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<(), ActError> {
        let arguments = vec![text.as_str().into()];
        let Pasted { inserts, elsewhere } = at.frame.call(self, tries.limit(), "paste", arguments).await?;
        if elsewhere.is_some() {
            return Err(went_nowhere("what was copied", what, elsewhere));
        }
        if !inserts || text.is_empty() {
            return Ok(());
        }
        let aside = match at.element {
            Some(element) => Some((element, self.hold_keys(element).await?)),
            None => None,
        };
        quiet.delivered(vec![self.session.call(&InsertTextParams::new(text))]).await?;
        if let Some((element, aside)) = aside
            && let Some(keyed) = self.keyed_aside(element, aside, tries).await?
            && keyed.stopped
        {
            return Err(went_nowhere("what was copied", what, keyed.moved));
        }
        Ok(())
    }

    /// Takes what the page's handler gives, or what is selected, into the clipboard; `cuts`: and deletes that.
    async fn copy(
        &self,
        at: Keyboard<'_>,
        what: &str,
        cuts: bool,
        clipboard: &Clipboard,
        quiet: &Quiet<'_>,
        tries: &Tries,
    ) -> Result<(), ActError> {
        let Copied { text, remove, elsewhere } = at.frame.call(self, tries.limit(), "copy", vec![cuts.into()]).await?;
        if elsewhere.is_some() {
            return Err(went_nowhere("the key", what, elsewhere));
        }
        if !text.is_empty() {
            clipboard.set(text);
        }
        if remove {
            quiet.delivered(self.send_key("Delete")).await?;
        }
        Ok(())
    }

    /// The document that has the focus.
    pub(in crate::page) async fn focused_frame(&self) -> Result<Frame, ActError> {
        let mut frame = self.main_document().await?;
        for _ in 0..FRAME_DEPTH_MAX {
            let limit = porthole_contract::limits::CAPTURE_TIMEOUT;
            let number: u32 = frame.call(self, limit, "focusedFrame", Vec::new()).await?;
            if number == 0 {
                break;
            }
            frame = self.frame_in(&frame, number).await?;
        }
        Ok(frame)
    }

    /// Writes a chord: what is held goes down in order and up in reverse.
    pub(super) fn send_chord(&self, chord: &Chord) -> Vec<Call<DispatchKeyEventReturns>> {
        let mut sent = Vec::new();
        let mut held = 0;
        for (bit, key) in chord.modifiers.keys() {
            held |= bit;
            sent.push(self.send(DispatchKeyEventType::RawKeyDown, &key, held));
        }
        let kind =
            if chord.key.text.is_empty() { DispatchKeyEventType::RawKeyDown } else { DispatchKeyEventType::KeyDown };
        sent.push(self.send(kind, &chord.key, held));
        sent.push(self.send(DispatchKeyEventType::KeyUp, &chord.key, held));
        for (bit, key) in chord.modifiers.keys().rev() {
            held &= !bit;
            sent.push(self.send(DispatchKeyEventType::KeyUp, &key, held));
        }
        sent
    }

    /// Writes a key by its name, alone.
    pub(super) fn send_key(&self, name: &str) -> Vec<Call<DispatchKeyEventReturns>> {
        name.parse().map_or_else(|_| Vec::new(), |chord| self.send_chord(&chord))
    }

    pub(super) fn send(&self, kind: DispatchKeyEventType, key: &Key, held: i64) -> Call<DispatchKeyEventReturns> {
        let types = kind == DispatchKeyEventType::KeyDown;
        let event = DispatchKeyEventParams {
            modifiers: Some(held),
            text: types.then(|| key.text.clone()),
            unmodified_text: types.then(|| key.text.clone()),
            code: (!key.code.is_empty()).then(|| key.code.to_owned()),
            key: Some(key.key.clone()),
            windows_virtual_key_code: Some(key.key_code),
            location: Some(key.location),
            ..DispatchKeyEventParams::new(kind)
        };
        self.session.call(&event)
    }
}

// === impl Clipboard ===

impl Clipboard {
    /// What was copied last.
    #[must_use]
    pub fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts a text there.
    pub fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}
