//! What the tasks of one page's input share.

use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::outside::Outside;
use super::wish::Looks;
use crate::page::Page;
use crate::page::chooser::Asking;
use crate::page::interact::{Clipboard, Frame};

/// What the tasks of one page's input share.
pub(super) struct Shared {
    pub page: Arc<Page>,
    pub clipboard: Clipboard,
    pub outside: watch::Sender<Outside>,
    /// The weight of the steps that were given to the pump and not taken yet.
    pub waiting: AtomicUsize,
    /// Whether files wait to be given to a chooser.
    pub files_wait: AtomicBool,
    pub looks: Looks,
    /// The field that [`Outside::field`] tells of.
    field: Mutex<Option<OpenIn>>,
    /// The file input that [`Outside::chooser`] tells of.
    chooser: Mutex<Option<Asking>>,
}

/// Where an open field is.
#[derive(Clone, Debug)]
pub(super) struct OpenIn {
    pub frame: Frame,
    pub number: u32,
}

impl Shared {
    /// Nothing is open yet, and nothing waits.
    pub(super) fn new(page: Arc<Page>, clipboard: Clipboard) -> Self {
        Self {
            page,
            clipboard,
            outside: watch::Sender::new(Outside::default()),
            waiting: AtomicUsize::new(0),
            files_wait: AtomicBool::new(false),
            looks: Looks::default(),
            field: Mutex::default(),
            chooser: Mutex::default(),
        }
    }

    pub(super) fn field(&self) -> MutexGuard<'_, Option<OpenIn>> {
        self.field.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn chooser(&self) -> MutexGuard<'_, Option<Asking>> {
        self.chooser.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
