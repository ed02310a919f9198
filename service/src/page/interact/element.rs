//! An element of a frame, by the number that the frame's kit gave it.

use std::sync::Arc;
use std::time::Duration;

use porthole_contract::limits::CAPTURE_TIMEOUT;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ActError, Frame, Ref};
use crate::page::Page;

/// An element. It stays the same node when the page changes it; whether it is still in its document is asked anew
/// with each call.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its frame's document.
    pub frame: Frame,
    /// Its number there.
    pub number: u32,
    /// What it must still be when it is acted on.
    pub(super) meant: Meant,
}

/// What an element must still be when it is acted on. Lists that recycle their rows, and pages that rename what the pointer
/// is over, make something else of the same node.
#[derive(Clone, Debug)]
pub(super) enum Meant {
    /// The same node. Its role, name and row may have changed.
    Node,
    /// What a ref was shown for.
    Shown(Arc<ShownFor>),
    /// What it was when it was located.
    Found,
}

/// What a ref was shown for.
#[derive(Debug, Serialize)]
pub(super) struct ShownFor {
    #[serde(skip)]
    pub reference: Ref,
    #[serde(skip)]
    pub snapshot: u64,
    pub role: String,
    pub name: String,
    pub row: u32,
}

impl Element {
    /// The first element of a frame's document that a CSS selector matches; shadow roots are not looked into.
    ///
    /// # Errors
    /// [`ActError::NotFound`] where none does; otherwise as [`Element::call`].
    pub async fn first(page: &Page, frame: &Frame, selector: &str) -> Result<Self, ActError> {
        let number: u32 = frame.call(page, CAPTURE_TIMEOUT, "first", vec![selector.into()]).await?;
        if number == 0 {
            return Err(ActError::NotFound(selector.to_owned()));
        }
        Ok(Self::node(frame.clone(), number))
    }

    /// The node of this number.
    pub(super) fn node(frame: Frame, number: u32) -> Self {
        Self { frame, number, meant: Meant::Node }
    }

    /// Calls a function of the kit with the element's number and `arguments`, as `kit[name](number, arguments)`.
    ///
    /// # Errors
    /// [`ActError`]: the frame is gone, a dialog holds the page, the page died or the answer took longer than `limit`.
    pub(in crate::page) async fn call<T: DeserializeOwned>(
        &self,
        page: &Page,
        limit: Duration,
        name: &str,
        arguments: Value,
    ) -> Result<T, ActError> {
        self.frame.call(page, limit, name, vec![self.number.into(), arguments]).await
    }
}
