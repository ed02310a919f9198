//! Resolves a ref to its element. An element that differs from the one that was shown is stale; nothing is resolved by
//! similarity.

use std::sync::Arc;

use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::Deserialize;

use super::element::{Meant, ShownFor};
use super::{ActError, Element, Fate, Frame, Ref, RefRecord, Refs, Stale};
use crate::page::Page;

/// How much of a new name is told, in characters.
const NAME_MAX_CHARS: usize = 200;

/// What an element is now.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Identity {
    role: String,
    name: String,
    /// Its text, where it has no name.
    content: String,
    /// What its row is about, where it is in one.
    row: u32,
    /// Whether its name is one of several that take turns, such as examples in a field.
    #[serde(default)]
    by_turns: bool,
}

impl Page {
    /// The element that a ref was shown for, if it is in its document with the role, the name and the row of then.
    ///
    /// # Errors
    /// [`ActError::Stale`] where it is not; otherwise as [`Frame::call`].
    pub async fn resolve(&self, refs: &Refs, reference: Ref) -> Result<Element, ActError> {
        let stale = |fate| Err(ActError::Stale(Stale { reference, fate }));
        let Some(shown) = refs.get(reference) else {
            return stale(if refs.was_forgotten(reference) { Fate::Gone { snapshot: 0 } } else { Fate::NeverGiven });
        };
        let snapshot = shown.snapshot;
        if !shown.frame.is_of(self) {
            return stale(Fate::AnotherDocument { snapshot });
        }
        match self.identity(&shown.frame, shown.number).await {
            Ok(Some(now)) if is_same(shown, &now) && shown.row != now.row => stale(Fate::AnotherRow { snapshot }),
            Ok(Some(now)) if is_same(shown, &now) && self.is_another_frame(refs, shown).await? => {
                stale(Fate::AnotherRow { snapshot })
            }
            Ok(Some(now)) if is_same(shown, &now) => {
                let (role, name, row) = (shown.role.clone(), shown.name.clone(), shown.row);
                let meant = Meant::Shown(Arc::new(ShownFor { reference, snapshot, role, name, row }));
                Ok(Element { meant, ..Element::node(shown.frame.clone(), shown.number) })
            }
            Ok(Some(now)) => {
                let (role, name) = now.shown_as();
                stale(Fate::Changed { snapshot, role, name })
            }
            Ok(None) => stale(Fate::Gone { snapshot }),
            Err(ActError::NotFound(_)) if self.frame_is_gone(&shown.frame).await? => stale(Fate::Gone { snapshot }),
            Err(ActError::NotFound(_)) => stale(Fate::AnotherDocument { snapshot }),
            Err(error) => Err(error),
        }
    }

    /// What an action came to; where its element had left, for a ref what became of it.
    pub(super) async fn or_stale<T>(&self, element: &Element, acted: Result<T, ActError>) -> Result<T, ActError> {
        let (Err(ActError::NotFound(_)), Meant::Shown(shown)) = (&acted, &element.meant) else { return acted };
        let ShownFor { reference, snapshot, .. } = **shown;
        let fate = match self.identity(&element.frame, element.number).await {
            Ok(None) => Fate::Gone { snapshot },
            Err(ActError::NotFound(_)) if self.frame_is_gone(&element.frame).await? => Fate::Gone { snapshot },
            Err(ActError::NotFound(_)) => Fate::AnotherDocument { snapshot },
            Ok(Some(_)) | Err(_) => return acted,
        };
        Err(ActError::Stale(Stale { reference, fate }))
    }

    async fn identity(&self, frame: &Frame, number: u32) -> Result<Option<Identity>, ActError> {
        frame.call(self, CAPTURE_TIMEOUT, "identity", vec![number.into()]).await
    }

    /// Whether a frame that an element is in is called something else than when the element was shown, or is in a row or a
    /// part of its page that is about something else.
    async fn is_another_frame(&self, refs: &Refs, shown: &RefRecord) -> Result<bool, ActError> {
        let mut frame = &shown.frame;
        while let Some((outer, number)) = frame.owner() {
            // What is only known from an earlier snapshot may have changed before.
            if let Some(owner) = refs.shown_as(outer, number).filter(|owner| owner.snapshot >= shown.snapshot) {
                match self.identity(outer, number).await {
                    Ok(Some(now)) if !is_same(owner, &now) || owner.row != now.row => return Ok(true),
                    Ok(_) | Err(ActError::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            frame = outer;
        }
        Ok(false)
    }

    /// Whether the element that showed a frame has left its document, which is still there.
    async fn frame_is_gone(&self, frame: &Frame) -> Result<bool, ActError> {
        let Some((outer, number)) = frame.owner() else { return Ok(false) };
        match self.identity(outer, number).await {
            Ok(identity) => Ok(identity.is_none()),
            Err(ActError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Identity {
    /// The role and the name that a snapshot would show, the name cut.
    fn shown_as(self) -> (String, String) {
        let name = if self.name.is_empty() { self.content } else { self.name };
        (self.role, name.chars().take(NAME_MAX_CHARS).collect())
    }

    /// The error for an element that has become this.
    pub(super) fn changed(self, meant: &Meant) -> ActError {
        let row = self.row;
        let (role, name) = self.shown_as();
        let Meant::Shown(shown) = meant else {
            return ActError::no_element(format!("what was found: it has changed, and is {role} {name:?} now"));
        };
        let snapshot = shown.snapshot;
        let fate = if role == shown.role && name == shown.name && row != shown.row {
            Fate::AnotherRow { snapshot }
        } else {
            Fate::Changed { snapshot, role, name }
        };
        ActError::Stale(Stale { reference: shown.reference, fate })
    }
}

/// A clickable element without a name is shown with its text.
fn is_same(shown: &RefRecord, now: &Identity) -> bool {
    let name = if now.name.is_empty() && !shown.name.is_empty() { &now.content } else { &now.name };
    shown.role == now.role && (now.by_turns || shown.name == *name)
}
