//! The input of the viewer that has control to one tab, and what the browser draws outside of the page for that viewer.

use std::sync::Arc;

use tokio::sync::watch;

use crate::page::input::{Outside, PageInput};

/// Input to one tab. Dropping it releases what is held.
#[derive(Debug)]
pub(super) struct TabInput {
    pub(super) input: Arc<PageInput>,
    pub(super) outside: watch::Receiver<Outside>,
}
