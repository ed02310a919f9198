//! The input of the viewer that has control to one tab, and what the browser draws outside of the page for that viewer.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::Session;
use crate::page::Page;
use crate::page::input::{Outside, PageInput};

/// Texts that were copied and not told yet.
const COPIES_MAX: usize = 4;

/// Input to one tab. Dropping it releases what is held.
#[derive(Debug)]
pub(super) struct Hands {
    pub(super) input: Arc<PageInput>,
    pub(super) outside: watch::Receiver<Outside>,
}

impl Hands {
    /// Begins to take input to a page. What a person copies is told to the viewer that has control.
    pub(super) fn on(session: &Arc<Session>, page: Arc<Page>) -> Self {
        let (copies, mut copied) = mpsc::channel(COPIES_MAX);
        let input = Arc::new(PageInput::start(page, session.clipboard.clone(), copies));
        let session = Arc::downgrade(session);
        tokio::spawn(async move {
            while let Some(text) = copied.recv().await {
                let Some(session) = session.upgrade() else { return };
                session.viewers.stage().copied(text);
                session.viewers.publish();
            }
        });
        let outside = input.outside();
        Self { input, outside }
    }
}
