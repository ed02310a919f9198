//! Identity of a frame's document. Calls into it are in `kit`.

use std::sync::{Arc, Mutex, PoisonError};

use crate::cdp::Session;

/// How deep frames within frames are followed.
pub(in crate::page) const FRAME_DEPTH_MAX: usize = 16;

/// A document of a frame. A new document of the same frame is another `Frame`. Clones are the same.
#[derive(Clone, Debug)]
pub struct Frame(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    session: Session,
    id: String,
    world: i64,
    document: String,
    /// The frame that shows it, and the number of its element there; `None` for the main frame.
    owner: Option<(Frame, u32)>,
}

/// The main frame's document that was asked for last. It may be gone.
#[derive(Debug, Default)]
pub(in crate::page) struct LatestDocument(Mutex<Option<Frame>>);

impl Frame {
    /// A document whose kit is in `world` of the frame `id`, which `session` drives.
    pub(super) fn new(session: Session, id: String, world: i64, document: String, owner: Option<(Frame, u32)>) -> Self {
        Self(Arc::new(Inner { session, id, world, document, owner }))
    }

    /// The id that the browser knows the frame by, also across its documents.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// What tells its document from every other.
    #[must_use]
    pub fn document(&self) -> &str {
        &self.0.document
    }

    /// The frame that shows it, and the number of its element there; `None` for the main frame.
    #[must_use]
    pub fn owner(&self) -> Option<(&Frame, u32)> {
        self.0.owner.as_ref().map(|(frame, number)| (frame, *number))
    }

    /// This document and those around it, from inside out.
    pub(super) fn and_those_around(&self) -> Vec<Self> {
        let mut frames = vec![self.clone()];
        while let Some((outer, _)) = frames.last().and_then(Self::owner) {
            let outer = outer.clone();
            frames.push(outer);
        }
        frames
    }

    /// The session that drives it: its page's, or its own where it has a process of its own.
    pub(in crate::page) fn session(&self) -> &Session {
        &self.0.session
    }

    /// The world that the kit is in.
    pub(super) fn world(&self) -> i64 {
        self.0.world
    }
}

// === impl LatestDocument ===

impl LatestDocument {
    /// Remembers the document that was asked for just now.
    pub(super) fn set(&self, frame: Frame) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(frame);
    }

    /// Calls of it fail with [`ActError::NotFound`] where it is gone.
    pub(super) fn get(&self) -> Option<Frame> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
